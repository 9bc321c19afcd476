"""Balls at the edge of the real line and divisors that are small or wide: no part is lost, and no digit needlessly."""

from __future__ import annotations

import pytest

from derivations.kernel.balls import Ball, Interval
from derivations.kernel.errors import LimitReached

EIGHT = 8  # bits, so that 256 stands for 1
ONE = Ball.from_fraction(1, bits=EIGHT)


def units(re: tuple[int, int], im: tuple[int, int]) -> Ball:
    """The ball with these ends, in units of 1/256."""
    return Ball(Interval(*re, EIGHT), Interval(*im, EIGHT))


def whole(re: tuple[int, int], im: tuple[int, int]) -> Ball:
    """The ball with these whole numbers as ends."""
    return Ball(Interval.between(*re, bits=EIGHT), Interval.between(*im, bits=EIGHT))


THREE = whole((3, 3), (0, 0))


@pytest.mark.parametrize(
    ("one", "two", "product"),
    [
        (whole((2, 2), (-1, 0)), THREE, whole((6, 6), (-3, 0))),
        (whole((2, 2), (0, 1)), THREE, whole((6, 6), (0, 3))),
        (whole((0, 0), (-1, 0)), THREE, whole((0, 0), (-3, 0))),
        (whole((0, 0), (0, 1)), THREE, whole((0, 0), (0, 3))),
        (whole((0, 2), (-1, 0)), THREE, whole((0, 6), (-3, 0))),
        (whole((-2, 0), (0, 1)), THREE, whole((-6, 0), (0, 3))),
        # (2 - i)(3 - i t) = 6 - t - i (3 + 2 t) for t from 0 to 1, and the ends of both parts are reached
        (whole((2, 2), (-1, -1)), whole((3, 3), (-1, 0)), whole((5, 6), (-5, -3))),
        # (2 + i/256)^2 = 4 - 1/256^2 + 4 i/256: the square of the least number is below one unit
        (units((512, 512), (1, 1)), units((512, 512), (1, 1)), units((1023, 1024), (4, 4))),
        (units((512, 512), (-1, -1)), units((512, 512), (-1, -1)), units((1023, 1024), (-4, -4))),
        (whole((2, 2), (0, 0)), THREE, whole((6, 6), (0, 0))),
    ],
)
def test_products_of_what_is_almost_real(one: Ball, two: Ball, product: Ball) -> None:
    assert one * two == two * one == product


@pytest.mark.parametrize(("re", "im"), [(65, 7), (1, 133), (133, 1), (5, 70), (255, 254), (3, 0), (0, 129)])
def test_a_quotient_of_size_one_is_at_most_five_units_wide(re: int, im: int) -> None:
    """Scaled, |w|^2 is at least 1 and lies within 2 units, as do both parts of the product: 2 + 2 and 2 of rounding."""
    w = units((re, re), (im, im))
    for z in (w, w.conjugate()):
        quotient = z / w
        assert max(part.hi - part.lo for part in (quotient.re, quotient.im)) <= 5
    assert (w / w).contains(1)


@pytest.mark.parametrize(("re", "im"), [((1, 2), (0, 256)), ((0, 256), (1, 2)), ((1, 2), (-256, 256))])
def test_a_wide_divisor_that_is_not_zero_has_an_inverse(re: tuple[int, int], im: tuple[int, int]) -> None:
    """Its least member is 1/256 or i/256, and its inverse 256 or -256 i."""
    inverse = ONE / units(re, im)
    assert inverse.contains(256) if re == (1, 2) else inverse.contains(0, -256)


def test_the_greatest_precision() -> None:
    assert Interval.from_fraction(1, 65536).bits == 65536
    with pytest.raises(ValueError, match="precision of 65537 bits; wanted 8 to 65536"):
        Interval.from_fraction(1, 65537)


@pytest.mark.parametrize("exponent", [32767, 32768])
def test_the_longest_divisors(exponent: int) -> None:
    """|w|^2 has twice the bits of w, at most 65536 before the point; what is long already is not scaled."""
    long = Ball.from_fraction(1 << exponent, bits=EIGHT), Ball.from_fraction(0, 1 << exponent, bits=EIGHT)
    if exponent == 32767:
        assert [ONE / w for w in long] == [units((0, 1), (0, 0)), units((0, 0), (-1, 0))]
        return
    for w in long:
        with pytest.raises(LimitReached, match="more than 65536 bits before the point"):
            ONE / w


def test_another_precision_is_refused_first() -> None:
    with pytest.raises(ValueError, match="one operand has 16 bits, the other 8; bring both to one precision"):
        ONE / Ball.from_fraction(0, bits=16)
