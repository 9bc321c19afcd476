"""Elementary functions of enclosures against an independent oracle, and the errors that their series claim."""

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest

from derivations.kernel import balls, fixed_point
from derivations.kernel.balls import Ball, Interval
from tests.derivations.kernel.drawing import draws
from tests.derivations.kernel.enclosing import (
    BITS,
    COMPLEX_FUNCTIONS,
    EDGES,
    REAL_FUNCTIONS,
    UNIT,
    Real,
    check_real,
    complex_oracle,
    defined,
    drawn,
    exact,
    oracle,
    span,
)

NARROW_CASES = [Fraction(n, d) for n in (1, -1, 2, 7, -22, 355) for d in (3, 7, 113)]


def check_rational(op: Callable[[Any, Any], Any], x: Fraction, y: Fraction, bits: int) -> None:
    result = op(Interval.from_fraction(x, bits), Interval.from_fraction(y, bits))
    assert result.contains(op(x, y)), (op.__name__, x, y, bits, result)


def check_battery() -> None:
    """The fixed cases that planted defects have to fail."""
    for x in NARROW_CASES:
        check_real("cos", x, 128)
        check_real("sin", x, 128)
        check_real("exp", x, 128)
        for y in NARROW_CASES:
            for op in (operator.add, operator.mul, operator.truediv):
                check_rational(op, x, y, 128)
        if x > 0:
            check_real("log", x, 128)
            check_real("sqrt", x, 128)


@pytest.fixture
def fresh_constants() -> Iterator[None]:
    """Constants computed under a planted defect must not stay in the cache."""
    caches = fixed_point._pi_units, fixed_point._log2_units
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_real_functions_enclose_at_a_point(name: str) -> None:
    numbers = [*EDGES, *(drawn(draw) for draw in draws(name, 5))]
    for x, bits in product(numbers, BITS):
        check_real(name, defined(name, x), bits)


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_real_functions_enclose_on_an_interval(name: str) -> None:
    function: Real = getattr(balls, name)
    ends = [(a, b, Fraction(k % 4, 3)) for k, (a, b) in enumerate(product(EDGES, EDGES[2::6]))]
    for (a, b, weight), bits in product(ends, (8, 128)):
        x, p = span(defined(name, a), defined(name, b), weight, bits)
        assert function(x).contains(oracle(name, p)), (name, x, p)


@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
def test_complex_functions_enclose(name: str) -> None:
    cases = list(product((Fraction(0), Fraction(-22, 7), Fraction(4, 5), Fraction(19)), repeat=2))
    cases += [(drawn(draw), drawn(draw)) for draw in draws(name, 5)]
    for k, (re, im) in enumerate(cases):
        result: Ball = getattr(balls, name)(Ball.from_fraction(re, im, bits=BITS[k % 3]))
        assert result.contains(*complex_oracle(name, re, im)), (name, re, im)


@pytest.mark.parametrize(
    "x", [Fraction(10**12), Fraction(-(10**12)) + Fraction(1, 3), Fraction(10**40, 7), Fraction(2**4000)]
)
def test_huge_arguments_are_reduced(x: Fraction) -> None:
    with mpmath.workprec(6000):
        argument = mpmath.mpf(x.numerator) / x.denominator
        truth = exact(mpmath.cos(argument)), exact(mpmath.sin(argument))
    point = Interval.from_fraction(x, 128)
    for result, value in zip((balls.cos(point), balls.sin(point)), truth, strict=True):
        assert result.contains(value)
        assert result.width <= 8 * UNIT


@pytest.mark.parametrize("nudge", [-1, 0, 1])
@pytest.mark.parametrize("k", [1, -1, 2, 3, 4, -7, 10**6 + 1, 10**12])
def test_arguments_next_to_a_multiple_of_half_pi(k: int, nudge: int) -> None:
    with mpmath.workprec(300):
        near = Fraction(int(mpmath.nint(mpmath.pi / 2 * k * 2**128)) + nudge, 1 << 128)
    for name in ("cos", "sin"):
        assert check_real(name, near, 128).width <= 8 * UNIT


@pytest.mark.parametrize("bits", [8, 53, 64, 128, 1000])
def test_pi_and_its_width(bits: int) -> None:
    with mpmath.workprec(1200):
        truth = exact(+mpmath.pi)
    assert balls.pi(bits).contains(truth)
    assert balls.pi(bits).width == Fraction(1, 1 << bits)


def test_small_divisors_keep_their_digits() -> None:
    w = Ball.from_fraction(Fraction(3, 10**30), Fraction(4, 10**30), bits=200)
    quotient = Ball.from_fraction(Fraction(1, 10**30), bits=200) / w
    assert quotient.contains(Fraction(3, 25), Fraction(-4, 25))
    assert quotient.re.width < Fraction(1, 10**20)


@pytest.mark.usefixtures("fresh_constants")
@pytest.mark.parametrize(
    ("name", "defect"),
    [
        ("ceil_shift", fixed_point.floor_shift),
        ("floor_shift", fixed_point.ceil_shift),
        ("ceil_div", fixed_point.floor_div),
        ("floor_div", fixed_point.ceil_div),
        ("ceil_sqrt", lambda n: int(mpmath.libmp.isqrt(n))),
    ],
)
def test_a_planted_wrong_rounding_is_caught(
    name: str, defect: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_battery()
    monkeypatch.setattr(fixed_point, name, defect)
    with pytest.raises(AssertionError):
        check_battery()


@pytest.mark.usefixtures("fresh_constants")
@pytest.mark.parametrize("series", ["_taylor", "_odd_series"])
def test_a_forgotten_series_error_is_caught_and_guard_bits_are_not_what_hides_it(
    series: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixed_point, "GUARD", 0)
    check_battery()
    sound = getattr(fixed_point, series)
    monkeypatch.setattr(fixed_point, series, lambda *arguments: (sound(*arguments)[0], 0))
    for cached in (fixed_point._pi_units, fixed_point._log2_units):
        cached.cache_clear()
    with pytest.raises(AssertionError):
        check_battery()


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_enclosures_hold_without_guard_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_point, "GUARD", 0)
    for x, bits in product([x for x in EDGES if x >= Fraction(1, 8)], (8, 16, 53)):
        check_real(name, x, bits)


def test_the_errors_that_the_series_claim_are_true() -> None:
    for share, w in product((Fraction(k, 5) for k in range(-5, 6)), (6, 9, 60)):
        t = int(share * (1 << w) / 2)  # |t| <= 1/2
        z = t * 2 // 3  # |z| <= 1/3
        point, small = Fraction(t, 1 << w), Fraction(z, 1 << w)
        for value, truth in (
            (fixed_point._taylor(1 << w, t, iter(range(1, 10**4)), w), oracle("exp", point, 200)),
            (fixed_point._turned_cos(t, 0, w), oracle("cos", point, 200)),
            (fixed_point._turned_cos(t, 3, w), oracle("sin", point, 200)),
            (fixed_point._odd_series(z, 1, w), oracle("atanh", small, 200)),
            (fixed_point._odd_series(z, -1, w), oracle("atan", small, 200)),
        ):
            assert abs(value[0] - truth * (1 << w)) <= value[1]


@pytest.mark.parametrize("w", [12, 64, 65, 500])
def test_the_errors_of_the_constants_are_true(w: int) -> None:
    with mpmath.workprec(1200):
        constants = exact(+mpmath.pi), exact(+mpmath.ln2)
    for units, truth in zip((fixed_point._pi_units, fixed_point._log2_units), constants, strict=True):
        low, high = units(w)
        assert low <= truth * (1 << w) <= high


def test_the_error_that_the_reduction_claims_is_true() -> None:
    for draw in draws("reduction", 200):
        x, low = draw.randint(-(2**60), 2**60), draw.randint(2**20, 2**30)
        width, drop = draw.randint(0, 2**10), draw.randint(0, 30)
        k, r, delta = fixed_point._reduce(x, low, low + width, drop)
        for c in (low, low + width):
            assert abs(Fraction(x - k * c, 1 << drop) - r) <= delta
        assert abs(2 * (x - k * (low + width))) <= low + width


@pytest.mark.parametrize(("below", "above"), [(1 << 24, 0), (0, 1 << 24)])
def test_the_uncertainty_of_pi_and_of_log_2_reaches_the_result(
    below: int, above: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = fixed_point._constant

    def blurred(units: Callable[[int], tuple[int, int]], w: int) -> tuple[int, int]:
        low, high = known(units, w)
        return low - below, high + above

    monkeypatch.setattr(fixed_point, "_constant", blurred)
    monkeypatch.setattr(fixed_point, "GUARD", 0)
    for x in [*NARROW_CASES, Fraction(10**4, 7), Fraction(7, 10**4)]:
        check_real("cos", x, 64)
        check_real("sin", x, 64)
        check_real("exp", min(x, Fraction(50)), 64)
        check_real("log", abs(x), 64)


def test_cosine_of_a_wide_interval_is_cut_and_not_given_up() -> None:
    part = balls.cos(Interval.between(0, 2))
    assert part.upper == 1
    assert Fraction(-1, 2) < part.lower < Fraction(-45, 100)  # cos 1 - 1
    assert balls.cos(Interval.between(0, 4)) == Interval.between(-1, 1)


# Precision


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_more_bits_give_narrower_and_consistent_enclosures(name: str) -> None:
    for x in (Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(22, 7), Fraction(20)):
        coarse, fine = check_real(name, x, 64), check_real(name, x, 192)
        # Per end: rounding costs less than one unit; the series at most 2**10 units of the 32 guard bits, times the
        # value.
        counted = 2 * max(Fraction(1), abs(fine).upper) * Fraction(2**10, 2**32)
        assert fine.width * 2**192 <= coarse.width * 2**64 + 2 + counted
        assert coarse.lower <= fine.upper
        assert fine.lower <= coarse.upper
        assert not balls.separated(coarse.at_bits(192), fine)


def test_narrow_arguments_give_results_a_few_units_wide() -> None:
    for x in (x for x in EDGES if abs(x) <= 20):
        assert check_real("cos", x, 128).width <= 4 * UNIT
        assert check_real("sin", x, 128).width <= 4 * UNIT
        assert check_real("log", abs(x) + 1, 128).width <= 4 * UNIT
        assert check_real("exp", x / 20, 128).width <= 6 * UNIT


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_a_part_of_an_interval_gives_a_part_of_the_result(name: str) -> None:
    function: Real = getattr(balls, name)
    for a, b in product(EDGES[::2], EDGES[1::5]):
        first, last = sorted((defined(name, a), defined(name, b)))
        whole = Interval.between(first, last)
        part = Interval.between(first, first + (last - first) / 3)
        inner, outer = function(part), function(whole)
        slack = 8 * UNIT * max(Fraction(1), abs(outer).upper)  # each side rounds by a few units
        assert outer.lower - slack <= inner.lower
        assert inner.upper <= outer.upper + slack
