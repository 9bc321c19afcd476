"""Numbers for matrices: Python integers and fractions where all is rational, angles with rational cosines, and boxes.

An `Arc` is a whole multiple of fixed angles that have rational cosines, so cos and sin of it are fractions. A `Hull`
carries one of the numbers of `trials.enclosures` through the ordinary operators: complex numbers, and enclosures of
what is not rational.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from trials import enclosures

BITS = 160
# Right triangles with whole sides: angles whose cosine and sine are fractions, no two of them commensurable.
TRIANGLES = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (12, 35, 37), (9, 40, 41), (28, 45, 53))


@dataclass(frozen=True, slots=True)
class Hull:
    """A number of `trials.enclosures` with the operators of arithmetic."""

    of: enclosures.Plain

    def __add__(self, other: Amount) -> Hull:
        return _hull(enclosures.add(self.of, plain(other), BITS))

    def __mul__(self, other: Amount) -> Hull:
        return _hull(enclosures.times(self.of, plain(other), BITS))

    __radd__ = __add__
    __rmul__ = __mul__


@dataclass(frozen=True, slots=True)
class Arc:
    """An angle: whole multiples of the angles of `TRIANGLES`, by position; those that are left out are 0."""

    multiples: tuple[tuple[int, int], ...]

    def __add__(self, other: object) -> Arc:
        if other == 0:
            return self
        if not isinstance(other, Arc):
            raise enclosures.Unclear("an angle and a number are added")
        total = dict(self.multiples)
        for place, n in other.multiples:
            total[place] = total.get(place, 0) + n
        return Arc(tuple(sorted((place, n) for place, n in total.items() if n)))

    def __mul__(self, other: object) -> Arc:
        if not isinstance(other, (int, Fraction)) or other != int(other):
            raise enclosures.Unclear("an angle is multiplied by what is no whole number")
        return Arc(tuple((place, int(n * other)) for place, n in self.multiples) if other else ())

    __radd__ = __add__
    __rmul__ = __mul__

    def unit(self) -> tuple[Fraction, Fraction]:
        """Cosine and sine."""
        c, s = Fraction(1), Fraction(0)
        for place, n in self.multiples:
            x, y = power(place, n)
            c, s = c * x - s * y, c * y + s * x
        return c, s


Amount: TypeAlias = int | Fraction | Hull | Arc


@lru_cache(maxsize=4096)
def power(place: int, n: int) -> tuple[Fraction, Fraction]:
    """Cosine and sine of n times the angle of a triangle."""
    x, y, z = TRIANGLES[place]
    c, s = Fraction(1), Fraction(0)
    step = Fraction(y if n > 0 else -y, z)
    for _ in range(abs(n)):
        c, s = c * Fraction(x, z) - s * step, c * step + s * Fraction(x, z)
    return c, s


def _hull(value: enclosures.Number) -> Hull:
    if isinstance(value, enclosures.Dual):
        raise TypeError("no derivatives here")
    return Hull(value)


def plain(value: Amount) -> enclosures.Plain:
    """A number of `trials.enclosures`."""
    match value:
        case Hull(of):
            return of
        case Arc():
            raise enclosures.Unclear("an angle stands where a number was wanted")
        case _:
            return enclosures.exact(value)


def gaussian(re: Fraction, im: Fraction) -> Amount:
    if im:
        return Hull(enclosures.Exact(re, im))
    return int(re) if re.denominator == 1 else re


def wave(kind: str, angle: Amount) -> Amount:
    """cos or sin of an angle, or exp(i angle) for the kind cis."""
    if isinstance(angle, Arc) or angle == 0:
        c, s = angle.unit() if isinstance(angle, Arc) else (1, 0)
        if kind == "cis":
            return Hull(enclosures.Exact(Fraction(c), Fraction(s)))
        return c if kind == "cos" else s
    boxed = enclosures.boxed(plain(angle), BITS)
    if kind == "cis":
        return _hull(enclosures.exp(enclosures.times(boxed, enclosures.Exact(Fraction(0), Fraction(1)), BITS), BITS))
    return _hull(enclosures.OPERATIONS[kind](boxed, BITS))


def exp(of: Amount) -> Amount:
    return 1 if of == 0 else _hull(enclosures.exp(plain(of), BITS))


def to_the(value: Amount, n: int) -> Amount:
    """value**n."""
    if isinstance(value, Hull):
        return _hull(enclosures.whole_power(value.of, n, BITS))
    if isinstance(value, Arc):
        raise enclosures.Unclear("an angle stands where a number was wanted")
    if n >= 0:
        return value**n
    if not value:
        raise enclosures.Undefined("division by zero")
    return Fraction(value) ** n


def apart(a: Amount, b: Amount) -> bool:
    """Certainly different."""
    if isinstance(a, Hull) or isinstance(b, Hull):
        return enclosures.apart(plain(a), plain(b), BITS)
    return a != b


def same(a: Amount, b: Amount) -> bool:
    """Certainly equal."""
    if isinstance(a, Hull) or isinstance(b, Hull):
        return enclosures.exactly_equal(plain(a), plain(b))
    return a == b
