"""Enclosures against an independent oracle: Fractions for rational operations, mpmath at 1200 bits for the others."""

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from derivations.kernel import balls, fixed_point
from derivations.kernel.balls import Ball, Indeterminate, Interval
from derivations.kernel.errors import LimitReached

Real = Callable[[Interval], Interval]

UNIT = Fraction(1, 1 << 128)
BITS = st.sampled_from([8, 16, 53, 128, 300])
FRACTIONS = st.one_of(
    st.fractions(-50, 50, max_denominator=10**6),
    st.fractions(-1, 1).map(lambda q: q / 10**9),
    st.integers(-20, 20).map(Fraction),
    st.integers(-400, 400).map(lambda n: Fraction(n, 128)),
)
WIDE = st.tuples(FRACTIONS, FRACTIONS, st.fractions(0, 1, max_denominator=1000))
REAL_FUNCTIONS = ("exp", "cos", "sin", "log", "sqrt")
COMPLEX_FUNCTIONS = ("exp", "cos", "sin")
NARROW_CASES = [Fraction(n, d) for n in (1, -1, 2, 7, -22, 355) for d in (3, 7, 113)]


def exact(value: Any) -> Fraction:
    numerator, denominator = mpmath.libmp.to_rational(value._mpf_)
    return Fraction(int(numerator), int(denominator))


def oracle(name: str, x: Fraction) -> Fraction:
    with mpmath.workprec(1200):
        return exact(getattr(mpmath, name)(mpmath.mpf(x.numerator) / x.denominator))


def complex_oracle(name: str, re: Fraction, im: Fraction) -> tuple[Fraction, Fraction]:
    with mpmath.workprec(1200):
        point = mpmath.mpc(mpmath.mpf(re.numerator) / re.denominator, mpmath.mpf(im.numerator) / im.denominator)
        value = mpmath.mpc(getattr(mpmath, name)(point))
        return exact(value.real), exact(value.imag)


def check_real(name: str, x: Fraction, bits: int) -> Interval:
    result: Interval = getattr(balls, name)(Interval.from_fraction(x, bits))
    assert result.contains(oracle(name, x)), (name, x, bits, result)
    return result


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


def span(wide: tuple[Fraction, Fraction, Fraction], bits: int) -> tuple[Interval, Fraction]:
    """An interval and one number in it."""
    a, b, weight = wide
    return Interval.between(min(a, b), max(a, b), bits=bits), a + (b - a) * weight


@pytest.fixture
def fresh_constants() -> Iterator[None]:
    """Constants computed under a planted defect must not stay in the cache."""
    caches = fixed_point._pi_units, fixed_point._log2_units
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


# Enclosure


@given(WIDE, WIDE, BITS)
def test_rational_operations_enclose_every_pair_of_members(a: Any, b: Any, bits: int) -> None:
    (x, p), (y, q) = span(a, bits), span(b, bits)
    assert (x + y).contains(p + q)
    assert (x - y).contains(p - q)
    assert (x * y).contains(p * q)
    assert (-x).contains(-p)
    assert abs(x).contains(abs(p))
    if y.excludes_zero():
        assert (x / y).contains(p / q)


@given(FRACTIONS, FRACTIONS, BITS)
def test_rational_operands_are_taken_at_the_precision_of_the_interval(p: Fraction, q: Fraction, bits: int) -> None:
    x = Interval.from_fraction(p, bits)
    assert (x + q).contains(p + q)
    assert (q - x).contains(q - p)
    assert (q * x).contains(p * q)
    assert (3 - x).contains(3 - p)
    if x.excludes_zero():
        assert (q / x).contains(q / p)
        assert (1 / x).contains(1 / p)


@given(WIDE, st.integers(-7, 9), BITS)
@example((Fraction(-2), Fraction(1), Fraction(0)), 3, 8)
def test_powers_enclose(a: Any, n: int, bits: int) -> None:
    x, p = span(a, bits)
    if n >= 0:
        assert (x**n).contains(p**n)
        assert n % 2 or (x**n).lo >= 0
    elif x.excludes_zero():
        assert (x**n).contains(p**n)


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
@given(x=FRACTIONS, bits=BITS)
def test_real_functions_enclose_at_a_point(name: str, x: Fraction, bits: int) -> None:
    if name in ("log", "sqrt"):
        x = abs(x) + Fraction(1, 8)  # above one unit of the coarsest precision
    check_real(name, x, bits)


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
@given(wide=WIDE, bits=BITS)
def test_real_functions_enclose_on_an_interval(name: str, wide: Any, bits: int) -> None:
    if name in ("log", "sqrt"):
        wide = (abs(wide[0]) + Fraction(1, 8), abs(wide[1]) + Fraction(1, 8), wide[2])
    x, p = span(wide, bits)
    function: Real = getattr(balls, name)
    assert function(x).contains(oracle(name, p))


@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
@given(re=FRACTIONS, im=FRACTIONS, bits=BITS)
def test_complex_functions_enclose(name: str, re: Fraction, im: Fraction, bits: int) -> None:
    result: Ball = getattr(balls, name)(Ball.from_fraction(re, im, bits=bits))
    assert result.contains(*complex_oracle(name, re, im))


def gaussian_product(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> tuple[Fraction, Fraction]:
    return a * c - b * d, a * d + b * c


@given(FRACTIONS, FRACTIONS, FRACTIONS, FRACTIONS, BITS)
def test_complex_operations_enclose(a: Fraction, b: Fraction, c: Fraction, d: Fraction, bits: int) -> None:
    z, w = Ball.from_fraction(a, b, bits=bits), Ball.from_fraction(c, d, bits=bits)
    assert (z + w).contains(a + c, b + d)
    assert (z - w).contains(a - c, b - d)
    assert (z * w).contains(*gaussian_product(a, b, c, d))
    assert z.conjugate().contains(a, -b)
    square = a * a + b * b
    assert abs(z).lower ** 2 <= square <= abs(z).upper ** 2
    assert (z**3).contains(*gaussian_product(*gaussian_product(a, b, a, b), a, b))
    if w.excludes_zero():
        norm = c * c + d * d
        re, im = gaussian_product(a, b, c, -d)
        assert (z / w).contains(re / norm, im / norm)
        assert (1 / w).contains(c / norm, -d / norm)
        assert (w**-1).contains(c / norm, -d / norm)


@given(FRACTIONS, FRACTIONS, FRACTIONS)
def test_complex_numbers_mix_with_reals(a: Fraction, b: Fraction, c: Fraction) -> None:
    z, x = Ball.from_fraction(a, b), Interval.from_fraction(c)
    for result in (x + z, z + x, c + z):
        assert result.contains(a + c, b)
    assert (x - z).contains(c - a, -b)
    assert (c - z).contains(c - a, -b)
    assert (x * z).contains(a * c, b * c)
    if z.excludes_zero():
        assert (x / z * z).contains(c, 0)


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


@given(st.integers(-(10**12), 10**12), st.sampled_from([-1, 0, 1]))
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


# Exactness and outward rounding


def test_rational_points_are_enclosed_by_neighbours() -> None:
    third = Interval.from_fraction(Fraction(1, 3))
    assert third.lower < Fraction(1, 3) < third.upper
    assert third.width == UNIT
    minus = Interval.from_fraction(Fraction(-1, 3))
    assert minus.lower < Fraction(-1, 3) < minus.upper
    assert minus == -third
    assert Interval.from_fraction(Fraction(3, 8)).width == 0


def test_products_and_quotients_below_one_unit_round_outwards() -> None:
    unit = Interval(1, 1, 128)
    assert unit * unit == Interval(0, 1, 128)
    assert unit * -unit == Interval(-1, 0, 128)
    assert unit / 3 == Interval(0, 1, 128)
    assert unit / -3 == Interval(-1, 0, 128)
    assert Interval(-1, 1, 128) * Interval(-1, 1, 128) == Interval(-1, 1, 128)
    assert Interval(-1, 1, 128) ** 2 == Interval(0, 1, 128)


def test_roots_round_outwards_and_are_exact_for_squares() -> None:
    assert balls.sqrt(Interval.from_fraction(Fraction(9, 4))) == Interval.from_fraction(Fraction(3, 2))
    root = balls.sqrt(Interval.from_fraction(2))
    assert root.lower**2 < 2 < root.upper**2
    assert root.width == UNIT
    assert balls.sqrt(Interval.from_fraction(0)) == Interval.from_fraction(0)
    assert abs(Ball.from_fraction(3, -4)) == Interval.from_fraction(5)
    assert abs(Ball.from_fraction(1, 1)).width == UNIT


def test_zero_and_one_have_exact_values() -> None:
    zero, one = Interval.from_fraction(0), Interval.from_fraction(1)
    assert balls.exp(zero) == balls.cos(zero) == one
    assert balls.sin(zero) == balls.log(one) == zero
    assert balls.exp(Ball.from_fraction(2)).im == balls.cos(Ball.from_fraction(2)).im == zero
    assert zero**0 == one


def test_very_small_exponentials_stay_positive_at_enough_bits_only() -> None:
    assert balls.exp(Interval.from_fraction(-(10**9))) == Interval(0, 1, 128)
    assert not balls.exp(Interval.from_fraction(-200)).is_positive()
    assert balls.exp(Interval.from_fraction(-200, 400)).is_positive()


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
@given(x=st.fractions(Fraction(1, 8), 50), bits=BITS)
def test_enclosures_hold_without_guard_bits(name: str, x: Fraction, bits: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fixed_point, "GUARD", 0)
        check_real(name, x, bits)


@given(st.fractions(-60, 60), st.integers(6, 60))
def test_the_errors_that_the_series_claim_are_true(x: Fraction, w: int) -> None:
    t = int(x * (1 << w) / 120)  # |t| <= 1/2
    z = t * 2 // 3  # |z| <= 1/3
    point, small = Fraction(t, 1 << w), Fraction(z, 1 << w)
    for value, truth in (
        (fixed_point._taylor(1 << w, t, iter(range(1, 10**4)), w), oracle("exp", point)),
        (fixed_point._turned_cos(t, 0, w), oracle("cos", point)),
        (fixed_point._turned_cos(t, 3, w), oracle("sin", point)),
        (fixed_point._odd_series(z, 1, w), oracle("atanh", small)),
        (fixed_point._odd_series(z, -1, w), oracle("atan", small)),
    ):
        assert abs(value[0] - truth * (1 << w)) <= value[1]


@pytest.mark.parametrize("w", [12, 64, 65, 500])
def test_the_errors_of_the_constants_are_true(w: int) -> None:
    with mpmath.workprec(1200):
        constants = exact(+mpmath.pi), exact(+mpmath.ln2)
    for units, truth in zip((fixed_point._pi_units, fixed_point._log2_units), constants, strict=True):
        low, high = units(w)
        assert low <= truth * (1 << w) <= high


@given(st.integers(-(2**60), 2**60), st.integers(2**20, 2**30), st.integers(0, 2**10), st.integers(0, 30))
def test_the_error_that_the_reduction_claims_is_true(x: int, low: int, width: int, drop: int) -> None:
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
@given(x=st.fractions(Fraction(1, 100), 20))
def test_more_bits_give_narrower_and_consistent_enclosures(name: str, x: Fraction) -> None:
    coarse, fine = check_real(name, x, 64), check_real(name, x, 192)
    # Per end: rounding costs less than one unit; the series at most 2**10 units of the 32 guard bits, times the value.
    counted = 2 * max(Fraction(1), abs(fine).upper) * Fraction(2**10, 2**32)
    assert fine.width * 2**192 <= coarse.width * 2**64 + 2 + counted
    assert coarse.lower <= fine.upper
    assert fine.lower <= coarse.upper
    assert not balls.separated(coarse.at_bits(192), fine)


@given(st.fractions(-20, 20))
def test_narrow_arguments_give_results_a_few_units_wide(x: Fraction) -> None:
    assert check_real("cos", x, 128).width <= 4 * UNIT
    assert check_real("sin", x, 128).width <= 4 * UNIT
    assert check_real("log", abs(x) + 1, 128).width <= 4 * UNIT
    small = x / 20
    assert check_real("exp", small, 128).width <= 6 * UNIT


@given(WIDE, st.integers(8, 200))
def test_changing_the_precision_keeps_the_numbers(wide: Any, bits: int) -> None:
    x, p = span(wide, 100)
    y = x.at_bits(bits)
    assert y.bits == bits
    assert y.contains(p)
    assert y.lower <= x.lower
    assert x.upper <= y.upper
    assert bits < 100 or (y.lower, y.upper) == (x.lower, x.upper)


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
@given(wide=WIDE)
def test_a_part_of_an_interval_gives_a_part_of_the_result(name: str, wide: Any) -> None:
    if name in ("log", "sqrt"):
        wide = (abs(wide[0]) + Fraction(1, 8), abs(wide[1]) + Fraction(1, 8), wide[2])
    whole, p = span(wide, 128)
    part = Interval.between(min(p, wide[0]), max(p, wide[0]), bits=128)
    function: Real = getattr(balls, name)
    inner, outer = function(part), function(whole)
    slack = 8 * UNIT * max(Fraction(1), abs(outer).upper)  # each side rounds by a few units
    assert outer.lower - slack <= inner.lower
    assert inner.upper <= outer.upper + slack


# Predicates


def test_predicates_hold_and_fail() -> None:
    positive, zero, around = Interval(1, 2, 128), Interval(0, 0, 128), Interval(-1, 1, 128)
    assert [x.is_positive() for x in (positive, zero, around, -positive)] == [True, False, False, False]
    assert [x.excludes_zero() for x in (positive, zero, around, -positive)] == [True, False, False, True]
    assert Ball(positive, zero).is_positive()
    assert not Ball(positive, around).is_positive()
    assert not Ball(zero, positive).is_positive()
    assert Ball(around, positive).excludes_zero()
    assert not Ball(around, zero).excludes_zero()
    assert around.contains(0)
    assert not positive.contains(0)
    assert not positive.contains(Fraction(1, 1 << 129))
    assert Ball(positive, zero).contains(UNIT)
    assert not Ball(positive, zero).contains(UNIT, UNIT)


def test_separation_is_certain_or_denied() -> None:
    a, b, c = Interval(0, 2, 128), Interval(2, 3, 128), Interval(3, 4, 128)
    assert not balls.separated(a, b)
    assert not balls.separated(a, a)
    assert balls.separated(a, c)
    assert balls.separated(c, a)
    assert balls.separated(Ball(a, a), Ball(a, c))
    assert not balls.separated(Ball(a, a), Ball(b, b))
    assert balls.separated(a, Ball(a, c))


def test_a_false_identity_is_refuted_and_a_true_one_is_not() -> None:
    x, y = Interval.from_fraction(Fraction(5, 7)), Interval.from_fraction(Fraction(-11, 3))
    total, product = balls.cos(x + y), balls.cos(x) * balls.cos(y)
    assert not balls.separated(total, product - balls.sin(x) * balls.sin(y))
    assert balls.separated(total, product + balls.sin(x) * balls.sin(y))
    defect = balls.sin(x) ** 4 / 10**30
    assert balls.separated(total, total + defect)
    assert not balls.separated(total.at_bits(64), (total + defect).at_bits(64))


# Refusals


@pytest.mark.parametrize(
    "call",
    [
        lambda: Interval.from_fraction(1) / Interval(-1, 1, 128),
        lambda: 1 / Interval.from_fraction(0),
        lambda: Interval.from_fraction(0) ** -2,
        lambda: Ball.from_fraction(1) / Ball.from_fraction(0),
        lambda: Ball(Interval(-1, 1, 128), Interval(0, 1, 128)) ** -1,
        lambda: balls.log(Interval(0, 1, 128)),
        lambda: balls.log(Interval(-2, -1, 128)),
        lambda: balls.sqrt(Interval(-1, 1, 128)),
    ],
)
def test_undefined_operations_are_indeterminate(call: Callable[[], object]) -> None:
    with pytest.raises(Indeterminate, match="which may be"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: balls.exp(Interval.from_fraction(10**6)),
        lambda: balls.exp(Ball.from_fraction(10**6, 1)),
        lambda: balls.cos(Interval.from_fraction(1 << 70000)),
        lambda: balls.sin(Ball.from_fraction(1, 10**6)),
        lambda: Interval.from_fraction(3) ** 10**12,
        lambda: Ball.from_fraction(3, 1) ** 10**12,
        lambda: balls.to_float_midpoint(balls.exp(Interval.from_fraction(1000))),
    ],
)
def test_endless_computations_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(LimitReached):
        call()


def test_long_but_possible_computations_work() -> None:
    assert balls.text(balls.exp(Interval.from_fraction(65000)), 4) == "1.3846e+28229"
    assert (Interval.from_fraction(Fraction(1, 3)) ** 10**9).contains(Fraction(1, 1 << 128))
    assert balls.cos(Interval.between(0, 1 << 70000)) == Interval.between(-1, 1)


def test_floats_mixed_precisions_and_bad_arguments_are_refused() -> None:
    x: Any = Interval.from_fraction(1)
    untyped: Any = 0.5
    calls: list[Callable[[], object]] = [
        lambda: x + untyped,
        lambda: untyped * x,
        lambda: Ball(x, x) - untyped,
        lambda: untyped / x,
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match="float"):
        Interval.from_fraction(untyped)
    with pytest.raises(ValueError, match="at_bits"):
        x + Interval.from_fraction(1, 64)
    with pytest.raises(ValueError, match="at_bits"):
        Ball(x, Interval.from_fraction(1, 64))
    with pytest.raises(ValueError, match="lower end"):
        Interval(2, 1, 128)
    for bits in (-1, 7, 10**12):
        with pytest.raises(ValueError, match="wanted 8 to"):
            Interval.from_fraction(1, bits)
    with pytest.raises(ValueError, match="digits"):
        balls.text(x, -1)


# Printing


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (Ball.from_fraction(Fraction(4826, 10000), Fraction(-10624, 10000)), 4, "0.4826 - 1.0624i"),
        (Ball.from_fraction(Fraction(-1, 3), Fraction(2, 3)), 3, "-0.333 + 0.667i"),
        (Ball.from_fraction(Fraction(-1, 3)), 3, "-0.333"),
        (Interval.from_fraction(Fraction(-1, 10**6)), 4, "0.0000"),
        (Interval.from_fraction(7), 0, "7"),
        (Interval.between(Fraction(12340, 10000), Fraction(12342, 10000)), 8, "1.234"),
        (Interval.between(Fraction(12344, 10000), Fraction(12346, 10000)), 8, "1.23"),
        (Interval.between(Fraction(-5, 2), Fraction(13, 2)), 4, "[-3, 7]"),
        (Ball(Interval.from_fraction(1), Interval.between(Fraction(-1, 2), 7)), 1, "1.0 + [-1, 7]i"),
        (Interval.from_fraction(123456 * 10**20), 3, "1.235e+25"),
        (Interval.between(-(10**16), 2 * 10**16), 3, "[-1, 2]e+16"),
    ],
)
def test_text(value: Interval | Ball, digits: int, expected: str) -> None:
    assert balls.text(value, digits) == expected


@given(FRACTIONS, st.fractions(0, 1), st.integers(0, 12))
def test_printed_digits_are_those_of_every_number_enclosed(x: Fraction, spread: Fraction, digits: int) -> None:
    value = Interval.between(x, x + spread / 10**6)
    printed = balls.text(value, digits)
    if printed.startswith("["):
        low, high = (int(end) for end in printed[1:-1].split(", "))
        assert low <= value.lower
        assert value.upper <= high
        return
    places = len(printed.partition(".")[2])
    half = Fraction(1, 2 * 10**places)
    assert places <= digits
    assert Fraction(printed) - half <= value.lower
    assert value.upper < Fraction(printed) + half


def test_midpoints_are_floats() -> None:
    assert balls.to_float_midpoint(Interval.from_fraction(Fraction(1, 3))) == 1 / 3
    assert balls.to_float_midpoint(Interval.between(1, 2)) == 1.5
    assert balls.to_complex_midpoint(Ball.from_fraction(Fraction(1, 3), -2)) == complex(1 / 3, -2)
