"""Random small graphs of the table's operators, run by Torch in float64 and on symbols side by side."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from posproofs.symbolic.execution import applied
from posproofs.symbolic.tensors import Symbolic
from tests.symbolic.checking import Bench, operator_named

ROWS, WIDTH, LARGE = 3, 4, 50.0
Step = tuple[str, Callable[..., tuple[Sequence[Any], dict[str, Any]]]]
"""An operator, and how its arguments follow from tensors a, b of shape (ROWS, WIDTH) and a source of chance."""


def _mask(chance: random.Random) -> torch.Tensor:
    return torch.tensor([[chance.random() < 0.5 for _ in range(WIDTH)] for _ in range(ROWS)])


SMOOTH: tuple[Step, ...] = (
    ("aten.add.Tensor", lambda a, b, c: ([a, b], {"alpha": c.choice((1, 2, 0.5))})),
    ("aten.sub.Tensor", lambda a, b, _: ([a, b], {})),
    ("aten.mul.Tensor", lambda a, b, _: ([a, b], {})),
    ("aten.mul.Tensor", lambda a, _b, c: ([a, c.choice((2, 0.5, -1.5))], {})),
    ("aten.neg.default", lambda a, _b, _c: ([a], {})),
    ("aten.sin.default", lambda a, _b, _c: ([a], {})),
    ("aten.cos.default", lambda a, _b, _c: ([a], {})),
    ("aten._softmax.default", lambda a, _b, c: ([a, c.choice((0, 1)), False], {})),
    ("aten.layer_norm.default", lambda a, _b, _c: ([a, [WIDTH]], {"eps": 0.5})),
    ("aten.pow.Tensor_Scalar", lambda a, _b, _c: ([a, 2], {})),
    ("aten.flip.default", lambda a, _b, c: ([a, [c.choice((0, 1))]], {})),
    ("aten.roll.default", lambda a, _b, _c: ([a, [1], [1]], {})),
    ("aten.where.self", lambda a, b, c: ([_mask(c), a, b], {})),
    ("aten.masked_fill.Scalar", lambda a, _b, c: ([a, _mask(c), 0.25], {})),
    ("aten.tril.default", lambda a, _b, c: ([a, c.choice((0, 1))], {})),
    ("aten.index_select.default", lambda a, _b, c: ([a, 1, torch.tensor(c.sample(range(WIDTH), WIDTH))], {})),
    ("aten.gather.default", lambda a, _b, c: ([a, 1, torch.tensor([c.sample(range(WIDTH), WIDTH)] * ROWS)], {})),
    (
        "aten.slice_scatter.default",
        lambda a, b, _: (
            [
                a,
                operator_named("aten.slice.Tensor")(b, 1, 0, 2)
                if isinstance(b, torch.Tensor)
                else Symbolic(b.nodes[:, :2], b.kind),
                1,
                1,
                3,
            ],
            {},
        ),
    ),
    ("aten.scaled_dot_product_attention.default", lambda a, b, _: ([a, b, b], {"is_causal": True})),
)
OPAQUE: tuple[Step, ...] = (
    ("aten.tanh.default", lambda a, _b, _c: ([a], {})),
    ("aten.sigmoid.default", lambda a, _b, _c: ([a], {})),
    ("aten.silu.default", lambda a, _b, _c: ([a], {})),
    ("aten.gelu.default", lambda a, _b, _c: ([a], {})),
    ("aten.gelu.default", lambda a, _b, _c: ([a], {"approximate": "tanh"})),
    ("aten.relu.default", lambda a, _b, _c: ([a], {})),
    ("aten.abs.default", lambda a, _b, _c: ([a], {})),
    ("aten.maximum.default", lambda a, b, _c: ([a, b], {})),
)


@dataclass(frozen=True, slots=True)
class Graph:
    """The bench with its symbols, the operators in order, and the last tensor by both ways."""

    bench: Bench
    steps: tuple[str, ...]
    seen: Symbolic
    wanted: torch.Tensor


def drawn(seed: int, *, length: int, steps: Sequence[Step]) -> Graph:
    """A graph on two inputs whose entries are sixteenths, so that the same point is exact everywhere."""
    chance, bench = random.Random(seed), Bench()
    concrete = [_input(chance) for _ in range(2)]
    symbolic: list[Any] = [bench.symbolic(x) for x in concrete]
    names: list[str] = []
    while len(names) < length:
        name, arguments = chance.choice(steps)
        one, other, state = chance.randrange(len(concrete)), chance.randrange(len(concrete)), chance.getstate()
        target = operator_named(name)
        positional, named = arguments(concrete[one], concrete[other], chance)
        wanted = target(*positional, **named)
        if bool(wanted.abs().max() > LARGE):
            continue
        chance.setstate(state)
        positional, named = arguments(symbolic[one], symbolic[other], chance)
        concrete.append(wanted)
        symbolic.append(applied(bench.running, target, *positional, **named))
        names.append(name)
    return Graph(bench, tuple(names), symbolic[-1], concrete[-1])


def _input(chance: random.Random) -> torch.Tensor:
    return torch.tensor(
        [[chance.randint(-20, 20) / 16 for _ in range(WIDTH)] for _ in range(ROWS)], dtype=torch.float64
    )
