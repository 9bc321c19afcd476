"""Integers that enclose: rounding, the errors as they are counted in the docstrings, limits, and printed decimals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import count, product

import pytest

from derivations.kernel import fixed_point as fp
from derivations.kernel.errors import LimitReached


@pytest.mark.parametrize(
    ("n", "d", "down", "up"),
    [(7, 2, 3, 4), (-7, 2, -4, -3), (6, 2, 3, 3), (0, 5, 0, 0), (7, -2, -4, -3), (-1, 9, -1, 0)],
)
def test_division_rounds_down_and_up(n: int, d: int, down: int, up: int) -> None:
    assert (fp.floor_div(n, d), fp.ceil_div(n, d)) == (down, up)


@pytest.mark.parametrize(
    ("n", "shift", "down", "up"),
    [(7, 1, 3, 4), (-7, 1, -4, -3), (8, 2, 2, 2), (5, 0, 5, 5), (5, -2, 20, 20), (-5, -1, -10, -10), (1, 9, 0, 1)],
)
def test_shifts_round_down_and_up(n: int, shift: int, down: int, up: int) -> None:
    assert (fp.floor_shift(n, shift), fp.ceil_shift(n, shift)) == (down, up)


def test_roots_round_up() -> None:
    assert [fp.ceil_sqrt(n) for n in (0, 1, 2, 3, 4, 5, 8, 9, 10)] == [0, 1, 2, 2, 2, 3, 3, 3, 4]


def test_the_taylor_error_is_six_a_term_and_fourteen() -> None:
    """1 + 1/2 + 1/4 + ... at w = 8: 256, 128, ..., 1 are nine terms, and the tenth is 0."""
    assert fp._taylor(256, 128, (1 for _ in count()), 8) == (511, 6 * 9 + 14)
    assert fp._taylor(256, 0, count(1), 8) == (256, 6 + 14)
    assert fp._taylor(0, 128, count(1), 8) == (0, 14)
    assert fp._taylor(256, -128, (1 for _ in count()), 8) == (256 - 128 + 64 - 32 + 16 - 8 + 4 - 2 + 1, 6 * 9 + 14)


def test_the_odd_series_error_is_four_a_term_and_six() -> None:
    """z = 1/4 at w = 8: 64/1 and 4/3 are two terms, and the third power is 0."""
    assert fp._odd_series(64, 1, 8) == (64 + 4 // 3, 4 * 2 + 6)
    assert fp._odd_series(64, -1, 8) == (64 + (-4) // 3, 4 * 2 + 6)
    assert fp._odd_series(0, 1, 8) == (0, 6)


def test_the_reduction_by_hand() -> None:
    assert fp._reduce(7, 2, 3, 1) == (2, 0, 2)
    assert fp._reduce(-7, 2, 3, 0) == (-2, -1, 3)
    assert fp._reduce(100, 10, 10, 2) == (10, 0, 1)
    assert fp._reduce(5, 10, 10, 0) == (1, -5, 1)
    assert fp._reduce(0, 9, 10, 3) == (0, 0, 1)


@pytest.mark.parametrize("w", [31, 32, 33, 64, 96, 97, 128])
def test_constants_are_narrow(w: int) -> None:
    low, high = fp._constant(fp._pi_units, w)
    assert high - low == 1
    low, high = fp._constant(fp._log2_units, w)
    assert high - low == 1
    assert fp.pi_bounds(w) == fp._constant(fp._pi_units, w)


def test_constants_are_rounded_from_a_few_precisions() -> None:
    asked = []

    def units(w: int) -> tuple[int, int]:
        asked.append(w)
        return 5 << (w - 4), (5 << (w - 4)) + 1

    assert fp._constant(units, 32) == (5 << 28, (5 << 28) + 1)
    assert fp._constant(units, 33) == (5 << 29, (5 << 29) + 1)
    assert fp._constant(units, 96) == (5 << 92, (5 << 92) + 1)
    assert asked == [64, 128, 128]


def test_the_errors_of_the_constants_as_counted() -> None:
    """pi: 16 (a + 1) + 4 (b + 1); log 2: 2 (error + 2); both to both sides."""
    for w in (20, 64):
        (a, a_error), (b, b_error) = (fp._odd_series((1 << w) // n, -1, w) for n in (5, 239))
        spread = 16 * (a_error + 1) + 4 * (b_error + 1)
        assert fp._pi_units(w) == (16 * a - 4 * b - spread, 16 * a - 4 * b + spread)
        value, error = fp._odd_series((1 << w) // 3, 1, w)
        assert fp._log2_units(w) == (2 * value - 2 * (error + 2), 2 * value + 2 * (error + 2))


def test_exact_values() -> None:
    assert fp.exp_bounds(0, 8) == (256, 256)
    assert fp.log_bounds(256, 8) == (0, 0)
    for quarters in range(-4, 8):
        wanted = (256, 0, -256, 0)[quarters % 4]
        assert fp.cos_bounds(0, 0, quarters, bits=8) == (wanted, wanted)


def test_enclosures_of_points_are_one_unit_wide() -> None:
    """Guard bits are there for this: the counted error seldom reaches another unit."""
    for m, bits in product((1, 77, 300, -300, 2000), (8, 20, 64)):
        assert fp.exp_bounds(m << (bits - 8), bits)[1] - fp.exp_bounds(m << (bits - 8), bits)[0] == 1
        low, high = fp.cos_bounds(m << (bits - 8), m << (bits - 8), 0, bits=bits)
        assert high - low == 1
        low, high = fp.log_bounds(abs(m) << (bits - 8), bits)
        assert high - low == 1


def test_logarithms_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without guard bits: 2 artanh z is 2 v, wrong by 2 (e + 2); k log 2 is k low, wrong by |k| (high - low)."""
    monkeypatch.setattr(fp, "GUARD", 0)
    assert fp._odd_series(20, 1, 8) == (20, 10)  # z = 44/556 in units of 1/256
    assert fp.log_bounds(300, 8) == (2 * 20 - 2 * 12, 2 * 20 + 2 * 12)
    assert fp._odd_series(81, 1, 10) == (81, 10)  # 2400 = 8 * 300, in units of 1/1024
    assert fp._constant(fp._log2_units, 10) == (709, 710)
    assert fp.log_bounds(2400, 8) == ((3 * 709 + 2 * 81 - 27) // 4, -(-(3 * 709 + 2 * 81 + 27) // 4))


def test_series_are_used_where_their_errors_were_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """artanh for -1/7 <= z < 1/5, exp for |r| <= 1/2, cos for |t| <= 4/5."""
    asked: list[Fraction] = []
    odd, taylor, cosine = fp._odd_series, fp._taylor, fp._turned_cos

    def odd_series(z: int, sign: int, w: int) -> tuple[int, int]:
        asked.append(Fraction(z, 1 << w))
        return odd(z, sign, w)

    def taylor_series(first: int, ratio: int, divisors: Iterator[int], w: int) -> tuple[int, int]:
        asked.append(Fraction(ratio, 1 << w))
        return taylor(first, ratio, divisors, w)

    def turned(t: int, q: int, w: int) -> tuple[int, int]:
        asked.append(Fraction(t, 1 << w))
        return cosine(t, q, w)

    numbers = [1, 2, 3, 5, 100, 191, 192, 193, 255, 257, 300, 383, 384, 385, 511, 512, 767, 768, 10**6]
    fp.log_bounds(3, 8)  # the constant is there before the series is watched
    monkeypatch.setattr(fp, "_odd_series", odd_series)
    for m in numbers:
        fp.log_bounds(m, 8)
    assert all(Fraction(-1, 7) - Fraction(1, 1 << 20) <= z < Fraction(1, 5) for z in asked)
    asked.clear()
    monkeypatch.setattr(fp, "_turned_cos", turned)
    for m in (*numbers, *(-m for m in numbers)):
        fp.cos_bounds(m, m, 0, bits=8)
    assert all(abs(t) <= Fraction(4, 5) for t in asked)
    asked.clear()
    monkeypatch.setattr(fp, "_taylor", taylor_series)
    for m in (*numbers[:-1], *(-m for m in numbers)):
        fp.exp_bounds(m, 8)
    assert asked
    assert all(abs(r) <= Fraction(1, 2) for r in asked)


def test_the_cosine_of_a_wide_interval() -> None:
    """cos 0 widened by the radius 400/256, and by 513/256 nothing is left to say."""
    low, high = fp.cos_bounds(-400, 400, 0, bits=8)
    assert (low, high) == (-145, 256)
    assert fp.cos_bounds(-511, 511, 0, bits=8) == (-256, 256)
    assert fp.cos_bounds(-513, 513, 0, bits=8) == (-256, 256)


def test_small_exponentials() -> None:
    """e^-8 = 0.0859/256 and e^-5 = 1.725/256; from -bits on, what is below one unit is not computed."""
    assert fp.exp_bounds(-8 * 256, 8) == (0, 1)
    assert fp.exp_bounds(-8 * 256 - 1, 8) == (0, 1)
    assert fp.exp_bounds(-5 * 256, 8) == (1, 2)
    assert fp.exp_bounds(-(10**12), 8) == (0, 1)
    assert fp.exp_bounds(-(1 << 2_000_000), 8) == (0, 1)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fp, "LIMIT_BITS", 20)
    assert fp.exp_bounds((20 << 8) - 1, 8)[0] > 0
    with pytest.raises(LimitReached, match="exp of a number above 20"):
        fp.exp_bounds(20 << 8, 8)
    assert fp.cos_bounds(1 << 25, 1 << 25, 0, bits=8)[0] >= -256
    for m in (1 << 26, 1 << 27):
        with pytest.raises(LimitReached, match="more than 20 bits"):
            fp.cos_bounds(m, m, 0, bits=8)
    assert fp.cos_bounds(0, 1 << 40, 0, bits=8) == (-256, 256)
    far = 1 << 40  # 4 or more from end to end is the whole range, wherever that is
    assert fp.cos_bounds(far, far + 4 * 256, 0, bits=8) == (-256, 256)


@pytest.mark.parametrize(
    ("lo", "hi", "digits", "wanted"),
    [
        (256, 256, 3, "1.000"),
        (256, 256, 0, "1"),
        (-384, -384, 1, "-1.5"),
        (128, 128, 0, "1"),
        (-128, -128, 0, "0"),
        (-129, -129, 0, "-1"),
        (127, 127, 0, "0"),
        (32, 32, 2, "0.13"),
        (26, 26, 2, "0.10"),
        (256, 257, 3, "1.00"),
        (256, 300, 3, "1"),
        (256, 512, 3, "[1, 2]"),
        (-257, 1, 2, "[-2, 1]"),
        ((10**15 << 8) - 256, (10**15 << 8) - 256, 1, "999999999999999.0"),
        (10**15 << 8, 10**15 << 8, 1, "1.0e+15"),
        (-(15 * 10**15) << 8, -(15 * 10**15) << 8, 2, "-1.50e+16"),
        (10**18 << 8, 3 * 10**18 << 8, 2, "[1, 3]e+18"),
        (0, 2 * 10**16 << 8, 2, "[0, 2]e+16"),
        (-(2 * 10**16) << 8, 0, 2, "[-2, 0]e+16"),
        ((10**16 << 8) - 1, (10**16 << 8) - 1, 1, "10.0e+15"),
    ],
)
def test_decimals(lo: int, hi: int, digits: int, wanted: str) -> None:
    assert fp.decimal(lo, hi, digits, bits=8) == wanted
