"""What the emitted functions and the emitter itself refuse, and that the refusal says what was seen and wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from posproofs.emit import emit, source
from posproofs.errors import BadInput, NotEmittable, UnknownName

X, P = torch.zeros(2, 3, 8), torch.arange(3)
BAD: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((torch.zeros(2, 3, 7), P), {}, "7; wanted a positive multiple of 2"),
    ((torch.zeros(3, 0), P), {}, "0; wanted a positive multiple of 2"),
    ((X, P), {"rotary_dim": 3}, "3; wanted a positive multiple of 2"),
    ((X, P), {"rotary_dim": 0}, "0; wanted a positive multiple of 2"),
    ((X, P), {"rotary_dim": -2}, "-2; wanted a positive multiple of 2"),
    ((X, P), {"rotary_dim": 4.0}, "4.0; wanted a positive multiple of 2"),
    ((X, P), {"rotary_dim": True}, "True; wanted a positive multiple of 2"),
    ((X, P), {"rotary_dim": 10}, "rotary_dim is 10; wanted at most the width of x, which is 8"),
    ((X, P), {"base": 0.0}, "base is 0.0; wanted a finite positive number"),
    ((X, P), {"base": -1e4}, "base is -10000.0; wanted"),
    ((X, P), {"base": float("inf")}, "base is inf; wanted"),
    ((X, P), {"base": float("nan")}, "base is nan; wanted"),
    ((X.long(), P), {}, "int64"),
    ((torch.zeros(()), P), {}, "wanted a floating"),
    ((X, torch.arange(4)), {}, "wanted a shape that broadcasts to (2, 3)"),
    ((X, torch.zeros(2, 2, 3)), {}, "wanted a shape that broadcasts to (2, 3)"),
    ((X[:1], torch.zeros(2, 3)), {}, "wanted a shape that broadcasts to (1, 3)"),
    ((X, torch.ones(3, dtype=torch.bool)), {}, "wanted"),
    ((X, torch.ones(3, dtype=torch.complex64)), {}, "wanted"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), BAD)
@pytest.mark.parametrize("to", ["torch", "numpy"])
def test_rotate(arguments: tuple[Any, ...], options: dict[str, Any], message: str, to: str) -> None:
    rotate = emit("rotary.rotate", to=to)
    given = arguments if to == "torch" else tuple(value.numpy() for value in arguments)
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the message is compared below
        rotate(*given, **options)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("cos", "message"),
    [
        (torch.zeros(3, 3), "wanted 4 columns"),
        (torch.zeros(3, 1), "wanted 4 columns, and to broadcast to (2, 3, 4)"),
        (torch.zeros(()), "wanted 4 columns, and to broadcast to (2, 3, 4)"),
        (torch.zeros(5, 2, 3, 4), "cos is a"),
        (torch.zeros(2, 4), "wanted 4 columns, and to broadcast to (2, 3, 4)"),
        (torch.zeros(3, 4).long(), "int64"),
    ],
)
@pytest.mark.parametrize("to", ["torch", "numpy"])
def test_apply(cos: torch.Tensor, message: str, to: str) -> None:
    apply = emit("rotary.rotate", to=to).apply
    values = (X, cos, torch.zeros(3, 4))
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the message is compared below
        apply(*(values if to == "torch" else (value.numpy() for value in values)))
    assert message in str(refusal.value)


def test_table() -> None:
    table = emit("rotary.rotate").table
    with pytest.raises(ValueError, match="coarser angles merge positions"):
        table(P, dim=8, dtype=torch.bfloat16)
    with pytest.raises(ValueError, match="positions are of type list"):
        table([0, 1], dim=8)
    with pytest.raises(ValueError, match="coarser angles merge positions"):
        emit("rotary.rotate", to="numpy").table(np.arange(3), dim=8, dtype=np.float16)


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("rotary.rotat", {}, "unknown target 'rotary.rotat'; did you mean rotary.rotate?"),
        ("rotary.rotate", {"layout": "half_split"}, "unknown layout 'half_split'; did you mean half-split?"),
        ("rotary.rotate", {"form": "tables"}, "unknown form 'tables'; did you mean table?"),
        ("rotary.rotate", {"to": "jax"}, "unknown library 'jax'"),
        ("rotary.rotate", {"to": 3}, "unknown library 3; known: numpy, torch"),
        ("rotary.rotate", {"form": None}, "unknown form None; known: complex, real, table"),
    ],
)
def test_unknown_names(target: str, options: dict[str, Any], message: str) -> None:
    for call in (emit, source):
        with pytest.raises(UnknownName) as refusal:
            call(target, **options)
        assert message in str(refusal.value)


@pytest.mark.parametrize("target", [3, None, ["rotary.rotate"]])
def test_a_target_of_another_type(target: Any) -> None:
    for call in (emit, source):
        with pytest.raises(BadInput, match=r"wanted an id or a Theorem, saw .*, (int|NoneType|list)$"):
            call(target)


def test_options_that_do_not_apply() -> None:
    with pytest.raises(BadInput, match=r"euler\.cis has no layout"):
        emit("euler.cis", layout="interleaved")
    with pytest.raises(BadInput, match="leave the form out"):
        emit("euler.cis", form="complex")


def test_theorems_that_are_no_formula() -> None:
    from derivations.derivation import theorem

    with pytest.raises(BadInput, match="states its own layout"):
        emit(theorem("rotary.rotate.interleaved"), layout="interleaved")
    with pytest.raises(NotEmittable, match="the node"):
        emit(theorem("rotary.relative"))
