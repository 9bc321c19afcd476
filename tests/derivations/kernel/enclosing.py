"""What the tests of enclosures share: the oracle (mpmath at 640 bits, against at most 300), numbers and intervals."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import mpmath

from derivations.kernel import balls
from derivations.kernel.balls import Interval

Real = Callable[[Interval], Interval]

UNIT = Fraction(1, 1 << 128)
BITS = (8, 53, 300)
REAL_FUNCTIONS = ("exp", "cos", "sin", "log", "sqrt")
COMPLEX_FUNCTIONS = ("exp", "cos", "sin")
# Around every change of branch: 0, the ends of reduction (log 2 / 2, pi / 4, pi / 2), one, tiny ones, large ones.
EDGES = (
    *map(Fraction, ("0", "1/1000000000", "-1/3", "1/3", "-1/2", "2/5", "4/5", "-1", "1", "11/7", "-22/7", "2")),
    *map(Fraction, ("-399/128", "355/113", "7", "-41/2", "50", "-50")),
)


def exact(value: Any) -> Fraction:
    """A number of mpmath as the rational that it is."""
    numerator, denominator = mpmath.libmp.to_rational(value._mpf_)
    return Fraction(int(numerator), int(denominator))


@cache
def oracle(name: str, x: Fraction, bits: int = 640) -> Fraction:
    """The value of a function, wrong by at most 2**-bits of itself."""
    with mpmath.workprec(bits):
        return exact(getattr(mpmath, name)(mpmath.mpf(x.numerator) / x.denominator))


def complex_oracle(name: str, re: Fraction, im: Fraction) -> tuple[Fraction, Fraction]:
    """As `oracle`, at a complex number."""
    with mpmath.workprec(640):
        point = mpmath.mpc(mpmath.mpf(re.numerator) / re.denominator, mpmath.mpf(im.numerator) / im.denominator)
        value = mpmath.mpc(getattr(mpmath, name)(point))
        return exact(value.real), exact(value.imag)


def check_real(name: str, x: Fraction, bits: int) -> Interval:
    """The enclosure of a function at a rational number, which must contain the value."""
    result: Interval = getattr(balls, name)(Interval.from_fraction(x, bits))
    assert result.contains(oracle(name, x)), (name, x, bits, result)
    return result


def defined(name: str, x: Fraction) -> Fraction:
    """A number at which the function is defined, above one unit of the coarsest precision."""
    return abs(x) + Fraction(1, 8) if name in ("log", "sqrt") else x


def drawn(draw: Random) -> Fraction:
    """A number between -50 and 50, of one of several kinds."""
    kinds = (
        Fraction(draw.randint(-(10**7), 10**7), draw.randint(2 * 10**5, 10**6)),
        Fraction(draw.randint(-100, 100), 10**11),
        Fraction(draw.randint(-20, 20)),
        Fraction(draw.randint(-400, 400), 128),
    )
    return draw.choice(kinds)


def span(a: Fraction, b: Fraction, weight: Fraction, bits: int) -> tuple[Interval, Fraction]:
    """An interval and one number in it."""
    return Interval.between(min(a, b), max(a, b), bits=bits), a + (b - a) * weight
