"""Derivatives of the emitted map: first and second, in x, in the tables, in positions and in learned frequencies."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.autograd.forward_ad as forward
from hypothesis import given, settings
from torch.autograd.gradcheck import GradcheckError

from derivations.kernel.layouts import split, strided
from derivations.kernel.terms import Symbol
from posproofs.emit import emit
from tests.emit.theorems import Map, Plan, angles, built, maps

LAYOUTS = ("interleaved", "half-split")
FORMS = ("table", "complex", "real")


def leaf(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()


def checked(function: Any, *inputs: torch.Tensor) -> bool:
    first = torch.autograd.gradcheck(function, inputs)
    return first and torch.autograd.gradgradcheck(function, inputs)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_x_alone_by_the_proved_transpose(layout: str, form: str) -> None:
    rotate, positions = emit("rotary.rotate", layout=layout, form=form), torch.tensor([0, 3, 11])
    assert checked(lambda x: rotate(x, positions), leaf(2, 3, 6))
    assert checked(lambda x: rotate(x, positions, rotary_dim=4), leaf(2, 3, 7))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_x_and_the_tables(layout: str, form: str) -> None:
    apply = emit("rotary.rotate", layout=layout, form=form).apply
    assert checked(apply, leaf(2, 3, 6), leaf(3, 3), leaf(3, 3))
    assert checked(lambda cos: apply(leaf(2, 3, 6).detach(), cos, leaf(3, 3).detach()), leaf(3, 3))
    assert checked(lambda sin: apply(leaf(2, 3, 6).detach(), leaf(3, 3).detach(), sin), leaf(3, 3))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_fractional_positions(layout: str) -> None:
    rotate = emit("rotary.rotate", layout=layout)
    assert checked(rotate, leaf(2, 4), torch.tensor([0.5, 2.25], dtype=torch.float64, requires_grad=True))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_gradient_turns_back_by_the_same_table(layout: str) -> None:
    rotate, positions = emit("rotary.rotate", layout=layout), torch.tensor([5, 900])
    x, g = leaf(2, 64, dtype=torch.float32), leaf(2, 64, dtype=torch.float32).detach() + 1
    rotate(x, positions).backward(g)
    assert x.grad is not None
    assert torch.allclose(x.grad, rotate(g, -positions), rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_keep_the_dtype(layout: str, dtype: torch.dtype) -> None:
    rotate = emit("rotary.rotate", layout=layout)
    x = leaf(2, 8, dtype=dtype)
    rotate(x, torch.arange(2)).sum().backward()
    assert x.grad is not None
    assert x.grad.dtype == dtype


def learned() -> Map:
    """y0 = m*(x0*cos(p*theta) - x1*sin(p*theta)), and y1: magnitude and frequencies are parameters."""
    return built(strided(2), split(2), (Plan((0, 1), (0, 1), 1, Symbol("m"), angles(2)[1]),))


def test_learned_frequencies_and_magnitudes() -> None:
    rotate, positions = emit(learned().theorem), torch.tensor([0, 1, 3])

    def function(x: torch.Tensor, theta: torch.Tensor, m: torch.Tensor) -> Any:
        return rotate(x, positions, theta=theta, m=m)

    assert checked(function, leaf(3, 6), leaf(3), torch.tensor(1.25, dtype=torch.float64, requires_grad=True))
    assert checked(lambda x: function(x, leaf(3).detach(), torch.tensor(1.25)), leaf(3, 6))
    assert checked(lambda theta: function(leaf(3, 6).detach(), theta, torch.tensor(1.25)), leaf(3))


@settings(max_examples=25)
@given(drawn=maps())
def test_transposes_of_drawn_maps(drawn: Map) -> None:
    rotate = emit(drawn.theorem)
    options = {"theta": [0.5, 1.5], "phi": 0.25, "m": 1.5, "zeta": [2.0, 0.75]}
    names = drawn.theorem.statement.names()
    used = {name: value for name, value in options.items() if name in names}
    positions = torch.tensor([0, 2])
    assert checked(lambda x: rotate(x, positions, **used), leaf(2, 2 * drawn.slots))


def test_a_wrong_backward_would_be_seen() -> None:
    # The source with the sign of the sine lost on the way back: gradcheck has to notice.
    source = emit("rotary.rotate", layout="half-split").source
    assert source.count("_fast(x, cos, -sin)") == 1
    module: dict[str, Any] = {}
    exec(source.replace("_fast(x, cos, -sin)", "_fast(x, cos, sin)"), module)  # noqa: S102 - the planted defect
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(lambda x: module["rotate"](x, torch.tensor([1])), (leaf(1, 4),))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_functional_gradients(layout: str) -> None:
    rotate, positions = emit("rotary.rotate", layout=layout), torch.tensor([1, 2])
    x = leaf(2, 4).detach()
    by_function = torch.func.grad(lambda value: rotate(value, positions).square().sum())(x)
    assert torch.allclose(by_function, 2 * x, rtol=0, atol=1e-14)


# Torch loads its forward-mode rules through a function of its own that it calls deprecated.
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_forward_mode_is_right_or_refused(layout: str) -> None:
    rotate, positions = emit("rotary.rotate", layout=layout), torch.tensor([1, 2])
    x, tangent = leaf(2, 4).detach(), leaf(2, 4).detach() + 1
    with forward.dual_level():
        dual = forward.make_dual(x, tangent)  # type: ignore[no-untyped-call]
        try:
            turned = forward.unpack_dual(rotate(dual, positions)).tangent  # type: ignore[no-untyped-call]
        except RuntimeError:
            return
    assert torch.allclose(turned, rotate(tangent, positions), rtol=0, atol=1e-14)
