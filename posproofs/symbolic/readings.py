"""How floats become exact numbers. A float is the number it is; where it is read as another, that is written down.

A constant such as 0.7071067811865475 stands for 1/sqrt(2), and -3.4e38 in a mask for minus infinity. Such a reading is
made only if the exact number rounds to that very float in its dtype, or if 1/sqrt(n) computed there gives it; and if it
is so simple that few floats of the dtype are near one: an entry of a table shall not pass for a root by chance. The
certificate lists every reading.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.program import Program, squarefree

if TYPE_CHECKING:
    from torch import Tensor, dtype

PLAIN_DENOMINATOR = 4096  # a float with such a denominator is read as itself without further thought
LARGEST_UNDER_ROOT = 128
LARGEST_RADICAND = 4096
LARGEST_DENOMINATOR = 1000
TENTHS = range(3, 13)  # 10^-k: the small numbers that keep divisors from zero
SPARE_BITS = (
    12  # a candidate p/q or sqrt(p/q) has p q below 2^(precision - 12): one float in a few thousand is near one
)

Abstraction = Callable[["Tensor"], "tuple[Tensor, str] | None"]
"""A concrete tensor -> (numbers of nodes that stand for its entries, what it was read as), or None."""


class NotANumber(Refused):
    """A program holds NaN or infinity, of which no formula says anything: code that overflows, as a rule."""

    def at(self, place: str) -> NotANumber:
        return self if self.place else NotANumber(self.reason, place=place)


@dataclass(frozen=True, slots=True)
class Reader:
    """Turns concrete tensors and numbers into nodes. log: every reading, with how many entries were read so.

    abstractions: what a tensor may stand for when it meets a symbol. standing: the same, wherever the graph holds or
    makes such a tensor, so that what is computed from it stays exact where the other operands are numbers too.
    """

    program: Program
    abstractions: Sequence[Abstraction] = ()
    standing: Sequence[Abstraction] = ()
    log: Counter[str] = field(default_factory=Counter)
    _seen: dict[tuple[float, str], tuple[int, str]] = field(default_factory=dict)

    def tensor(self, value: Tensor) -> Tensor:
        """The nodes of the entries of a real tensor, in its shape, as int64."""
        if value.is_complex():
            raise Refused("a complex constant is read by its parts")
        if not value.is_floating_point():
            flat = [self.program.constant(Fraction(int(entry))) for entry in value.flatten().tolist()]
            return torch.tensor(flat, dtype=torch.int64).reshape(value.shape)
        found = self._taken(value, self.abstractions)
        if found is not None:
            return found
        flat = [self.number(float(entry), value.dtype) for entry in value.detach().double().flatten().tolist()]
        return torch.tensor(flat, dtype=torch.int64).reshape(value.shape)

    def stands_for(self, value: Tensor) -> Tensor | None:
        """The nodes of a tensor that stands for symbols by itself; None for every other."""
        return self._taken(value, self.standing) if value.is_floating_point() else None

    def _taken(self, value: Tensor, abstractions: Sequence[Abstraction]) -> Tensor | None:
        for abstraction in abstractions:
            found = abstraction(value)
            if found is not None:
                self.log[found[1]] += 1
                return found[0]
        return None

    def number(self, value: float, kind: dtype | None = None, *, beside: dtype | None = None) -> int:
        """The node of a number of that dtype; float64 if none is given, as Python's own numbers are.

        beside: the dtype of the tensor that a Python number meets, whose least number counts as minus infinity.
        """
        if isinstance(value, int):
            return self.program.constant(Fraction(value))
        held = kind if kind is not None and kind.is_floating_point else torch.float64
        floor = beside if beside is not None and beside.is_floating_point else held
        key = (value, f"{held} {floor}")
        if key not in self._seen:
            self._seen[key] = self._read(value, held, floor)
        node, words = self._seen[key]
        if words:
            self.log[words] += 1
        return node

    def _read(self, value: float, kind: dtype, floor: dtype) -> tuple[int, str]:
        if math.isnan(value) or value == math.inf:
            raise NotANumber(f"the program contains {value}")
        if value == -math.inf:
            return self.program.masked, ""
        if value <= torch.finfo(floor).min / 2:
            return self.program.masked, f"{value:.4g} ({_short(floor)}) read as minus infinity"
        exact = Fraction(value)
        if exact.denominator <= PLAIN_DENOMINATOR:
            return self.program.constant(exact), ""
        found = simplest(value, kind)
        if found is None or found == (exact, 1):
            return self.program.constant(exact), ""
        return self.program.constant(*found), f"{value!r} ({_short(kind)}) read as {shown(*found)}"


def simplest(value: float, kind: dtype) -> tuple[Fraction, int] | None:
    """(r, n): the value as r * sqrt(n), a simple number that gives this float in its dtype; None if there is none."""
    limits = rounding_interval(abs(Fraction(value)), kind)
    if limits is None:
        return None
    sign = 1 if value > 0 else -1
    simple = 2 ** (_precision(kind) - SPARE_BITS)
    for candidate, size in _rationals(abs(Fraction(value))):
        if size <= simple and limits[0] < candidate < limits[1]:
            return sign * candidate, 1
    low, high = limits[0] ** 2, limits[1] ** 2
    for square in _squares(Fraction(value) ** 2):
        if square.numerator * square.denominator > simple:
            continue
        fits = low < square < high or _computed(square, value, kind)
        split = squarefree(square.numerator * square.denominator) if fits else None
        if split is not None:
            return sign * Fraction(split[0], square.denominator), split[1]
    return None


def _squares(square: Fraction) -> Iterator[Fraction]:
    """What may stand under a root: the nearest of small denominator, and the nearest 1/n."""
    near = square.limit_denominator(LARGEST_UNDER_ROOT)
    if 0 < near.numerator <= LARGEST_RADICAND:
        yield near
    if 1 <= round(1 / square) <= LARGEST_RADICAND:
        yield Fraction(1, round(1 / square))


def _computed(square: Fraction, value: float, kind: dtype) -> bool:
    """Whether 1/sqrt(n), computed in the dtype with its two roundings, is the value.

    1/math.sqrt(2) is 0.7071067811865475, which is one unit below the float nearest to the root of 1/2.
    """
    if square.numerator != 1:
        return False
    root = torch.tensor(math.sqrt(square.denominator), dtype=torch.float64).to(kind)
    return float((1 / root).double()) == abs(value)


def _rationals(value: Fraction) -> Iterator[tuple[Fraction, int]]:
    """The nearest of small denominator, then decimals of up to three digits; each with the size of its kind.

    About as many p/q with p q <= size, or p/10^k with 2 p <= size, lie between two powers of two as size says.
    """
    near = value.limit_denominator(LARGEST_DENOMINATOR)
    yield near, near.numerator * near.denominator
    for k in TENTHS:
        tenths = round(value * 10**k)
        if 0 < tenths < 1000:
            yield Fraction(tenths, 10**k), 2 * tenths


def rounding_interval(value: Fraction, kind: dtype) -> tuple[Fraction, Fraction] | None:
    """The open interval of numbers whose nearest number in the dtype is this positive one; None if it is not one."""
    bits, smallest = _precision(kind), Fraction(torch.finfo(kind).smallest_normal)
    if value <= 0:
        return None
    normal = max(value, smallest)
    exponent = normal.numerator.bit_length() - normal.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > normal
    unit = Fraction(2) ** (exponent - bits + 1)
    if (value / unit).denominator != 1:
        return None
    below = unit / 2 if value == Fraction(2) ** exponent and value > smallest else unit
    return value - below / 2, value + unit / 2


def _precision(kind: dtype) -> int:
    """The bits of a significand: 53, 24, 11 and 8 for float64, float32, float16 and bfloat16."""
    return 1 - round(math.log2(torch.finfo(kind).eps))


def _short(kind: dtype) -> str:
    return str(kind).removeprefix("torch.")


def shown(rational: Fraction, radicand: int) -> str:
    """The number in words: 1/2*sqrt(2)."""
    return str(rational) if radicand == 1 else f"{rational}*sqrt({radicand})"
