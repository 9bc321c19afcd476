"""What two outputs may differ by: one order of the last axis, a sign for each of its places, or one factor.

The relation is found in floats at a random point and is then no more than a proposal: that the outputs are equal up to
it is what the kernel decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.floats import Floats
from posproofs.symbolic.program import Name, Program, squarefree
from posproofs.symbolic.tensors import Symbolic, of

if TYPE_CHECKING:
    from torch import Tensor

CLOSE = 1e-9
LARGEST = 4096  # of the numerator and denominator of a factor, or of its square


@dataclass(frozen=True, slots=True)
class Relation:
    """words: what it is. outputs: those of the second function, so changed that they should equal the first's."""

    words: str
    outputs: Sequence[Symbolic]


Find = Callable[[Program, Sequence[Symbolic], Sequence[Symbolic]], Relation | None]


def permutation(program: Program, one: Sequence[Symbolic], other: Sequence[Symbolic]) -> Relation | None:
    """The order of the last axis of `other` in which its columns are those of `one`."""
    if len({part.shape[-1:] for part in one}) != 1 or not one[0].shape:
        return None
    mine, theirs = (torch.cat([x.reshape(-1, x.shape[-1]) for x in _floats(program, parts)]) for parts in (one, other))
    order: list[int] = []
    for column in mine.T:
        fitting = [k for k in range(theirs.shape[1]) if k not in order and _equal(theirs[:, k], column)]
        if not fitting:
            return None
        order.append(fitting[0])
    return Relation(f"the order {order} of the last axis", [_moved(part, order) for part in other])


def _moved(part: Symbolic, order: list[int]) -> Symbolic:
    return replace(part, nodes=part.nodes[..., order])


def sign(program: Program, one: Sequence[Symbolic], other: Sequence[Symbolic]) -> Relation | None:
    """A sign for each place of the last axis, the same in every row."""
    if len({part.shape[-1:] for part in one}) != 1 or not one[0].shape:
        return None
    mine, theirs = (torch.cat([x.reshape(-1, x.shape[-1]) for x in _floats(program, parts)]) for parts in (one, other))
    signs: list[int] = []
    for a, b in zip(mine.T, theirs.T, strict=True):
        fitting = [s for s in (1, -1) if _equal(a, s * b)]
        if not fitting:
            return None
        signs.append(fitting[0])

    def turned(part: Symbolic) -> Symbolic:
        nodes = part.nodes.reshape(-1, len(signs)).tolist()
        made = [a if s > 0 else program.negate(a) for row in nodes for a, s in zip(row, signs, strict=True)]
        return of(made, part.shape, part.kind)

    shown = ", ".join("+" if s > 0 else "-" for s in signs)
    return Relation(f"the signs {shown} of the last axis", [turned(part) for part in other])


def scale(program: Program, one: Sequence[Symbolic], other: Sequence[Symbolic]) -> Relation | None:
    """One factor, rational or the root of a rational."""
    mine, theirs = (torch.cat([x.flatten() for x in _floats(program, parts)]) for parts in (one, other))
    at = int(theirs.abs().argmax())
    exact = _exact(float(mine[at] / theirs[at])) if float(theirs[at]) else None
    if exact is None:
        return None
    factor = program.constant(*exact)

    def grown(part: Symbolic) -> Symbolic:
        return of((program.multiply(factor, a) for a in part.nodes.flatten().tolist()), part.shape, part.kind)

    shown = str(exact[0]) if exact[1] == 1 else f"{exact[0]}*sqrt({exact[1]})"
    return Relation(f"the factor {shown}", [grown(part) for part in other])


def _exact(value: float) -> tuple[Fraction, int] | None:
    """(r, n): the number as r * sqrt(n), if it is a simple one."""
    near = Fraction(value).limit_denominator(LARGEST)
    if near and abs(near.numerator) <= LARGEST and abs(float(near) - value) <= CLOSE * abs(value):
        return near, 1
    square = Fraction(value * value).limit_denominator(LARGEST)
    if not square or square.numerator > LARGEST or abs(float(square) - value * value) > CLOSE * value * value:
        return None
    found = squarefree(square.numerator * square.denominator)
    if found is None:
        return None
    outside, inside = found
    return Fraction(outside, square.denominator) * (1 if value > 0 else -1), inside


def _floats(program: Program, parts: Sequence[Symbolic]) -> Iterator[Tensor]:
    """The entries at one random point; Refused where floats do not know a function."""
    wanted = [node for part in parts for node in part.nodes.flatten().tolist()]
    values: Mapping[Name, float] = {
        node.label: Random(str(node.label)).uniform(0.5, 1.5) for node in program.nodes if isinstance(node.label, Name)
    }
    try:
        found = evaluated(program, wanted, Floats(values))
    except (OverflowError, ZeroDivisionError, ValueError) as failure:
        raise Refused(f"no relation is looked for: {failure}") from failure
    for part in parts:
        numbers = [found[node] for node in part.nodes.flatten().tolist()]
        yield torch.tensor(numbers, dtype=torch.float64).reshape(part.shape)


def _equal(a: Tensor, b: Tensor) -> bool:
    return bool(((a - b).abs() <= CLOSE * (1 + a.abs())).all())


RELATIONS: Mapping[str, Find] = {"permutation": permutation, "sign": sign, "scale": scale}
