"""Arithmetic of enclosures, predicates, printing and refusals; rational operations against Fractions."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from derivations.kernel import balls, fixed_point
from derivations.kernel.balls import Ball, Indeterminate, Interval
from derivations.kernel.errors import LimitReached
from tests.derivations.kernel.drawing import draws
from tests.derivations.kernel.enclosing import BITS, EDGES, UNIT, check_real, drawn, span

FEW = tuple(map(Fraction, ("0", "1/1000000000", "-1/3", "2", "-399/128", "50")))

# Enclosure


def check_operations(x: Interval, p: Fraction, y: Interval, q: Fraction) -> None:
    assert (x + y).contains(p + q), (x, p, y, q)
    assert (x - y).contains(p - q), (x, p, y, q)
    assert (x * y).contains(p * q), (x, p, y, q)
    assert (-x).contains(-p), (x, p)
    assert abs(x).contains(abs(p)), (x, p)
    if y.excludes_zero():
        assert (x / y).contains(p / q), (x, p, y, q)


def test_rational_operations_enclose_every_pair_of_members() -> None:
    for a, b, bits in product(EDGES, FEW, BITS):
        check_operations(Interval.from_fraction(a, bits), a, Interval.from_fraction(b, bits), b)
    for draw in draws("operations", 40):
        weights = [Fraction(draw.randint(0, 1000), 1000) for _ in range(2)]
        bits = draw.choice(BITS)
        (x, p), (y, q) = (span(drawn(draw), drawn(draw), weight, bits) for weight in weights)
        check_operations(x, p, y, q)


@pytest.mark.parametrize("ends", [(-3, -2), (-2, 3), (-3, 2), (2, 3), (0, 3), (-3, 0)])
@pytest.mark.parametrize("others", [(-7, -5), (-5, 7), (-7, 5), (5, 7)])
def test_products_and_quotients_reach_the_extreme_members(ends: tuple[int, int], others: tuple[int, int]) -> None:
    x, y = Interval.between(*ends), Interval.between(*others)
    products = [a * b for a in ends for b in others]
    assert x * y == Interval.between(min(products), max(products))
    if y.excludes_zero():
        quotients = [Fraction(a, b) for a in ends for b in others]
        assert x / y == Interval.between(min(quotients), max(quotients))


def test_rational_operands_are_taken_at_the_precision_of_the_interval() -> None:
    for p, q, bits in product(EDGES, FEW, (8, 128)):
        x = Interval.from_fraction(p, bits)
        assert (x + q).contains(p + q)
        assert (q - x).contains(q - p)
        assert (q * x).contains(p * q)
        assert (3 - x).contains(3 - p)
        assert (x + q).bits == (q * x).bits == bits
        if x.excludes_zero():
            assert (q / x).contains(q / p)
            assert (1 / x).contains(1 / p)


def test_powers_enclose() -> None:
    cases = [(a, b, Fraction(1, 3)) for a, b in product(FEW, FEW)]
    cases += [(Fraction(-2), Fraction(1), Fraction(0))]
    cases += [(drawn(draw), drawn(draw), Fraction(draw.randint(0, 9), 9)) for draw in draws("powers", 5)]
    for (a, b, weight), n, bits in product(cases, (-3, -2, 0, 1, 2, 3, 8), (8, 128)):
        x, p = span(a, b, weight, bits)
        if n >= 0:
            assert (x**n).contains(p**n), (x, p, n)
            assert n % 2 or (x**n).lo >= 0
        elif x.excludes_zero():
            assert (x**n).contains(p**n), (x, p, n)


def test_powers_end_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """20 bits before the point, 8 behind: 1000^2 has 28 bits, 1025^2 has 29; no square is formed that is not needed."""
    monkeypatch.setattr(fixed_point, "LIMIT_BITS", 20)
    assert Interval.from_fraction(1000, 8) ** 2 == Interval.from_fraction(10**6, 8)
    assert Interval.from_fraction(128, 8) ** 2 == Interval.from_fraction(1 << 14, 8)
    for base in (Interval.from_fraction(1025, 8), Interval.between(0, 1025, bits=8)):
        with pytest.raises(LimitReached, match="power: more than 20 bits before the point"):
            base**2
    assert Interval(0, 0, 20).bits == 20
    with pytest.raises(ValueError, match="wanted 8 to 20"):
        Interval(0, 0, 21)


def test_inverses() -> None:
    assert Interval.between(2, 4) ** -1 == Interval.between(Fraction(1, 4), Fraction(1, 2))
    assert Interval.between(2, 4) ** -2 == Interval.between(Fraction(1, 16), Fraction(1, 4))


def gaussian_product(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> tuple[Fraction, Fraction]:
    return a * c - b * d, a * d + b * c


def test_complex_operations_enclose() -> None:
    cases = list(product(FEW[1:], (Fraction(0), Fraction(-7, 3)), FEW[:4], (Fraction(0), Fraction(5, 9))))
    cases += [(drawn(draw), drawn(draw), drawn(draw), drawn(draw)) for draw in draws("complex", 20)]
    for k, (a, b, c, d) in enumerate(cases):
        z, w = (Ball.from_fraction(*parts, bits=BITS[k % 3]) for parts in ((a, b), (c, d)))
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


def test_complex_numbers_mix_with_reals() -> None:
    for a, b, c in product(FEW, FEW, FEW):
        z, x = Ball.from_fraction(a, b), Interval.from_fraction(c)
        for result in (x + z, z + x, c + z):
            assert result.contains(a + c, b)
        assert (x - z).contains(c - a, -b)
        assert (c - z).contains(c - a, -b)
        assert (x * z).contains(a * c, b * c)
        if z.excludes_zero():
            assert (x / z * z).contains(c, 0)


def test_small_divisors_keep_their_digits() -> None:
    w = Ball.from_fraction(Fraction(3, 10**30), Fraction(4, 10**30), bits=200)
    quotient = Ball.from_fraction(Fraction(1, 10**30), bits=200) / w
    assert quotient.contains(Fraction(3, 25), Fraction(-4, 25))
    assert quotient.re.width < Fraction(1, 10**20)


def test_the_least_divisor_and_the_least_logarithm() -> None:
    least = Ball.from_fraction(UNIT)
    assert 1 / least == Ball.from_fraction(1 / UNIT)
    assert (Ball.from_fraction(0, 1) / least).contains(0, 1 / UNIT)
    assert check_real("log", UNIT, 128).width <= 8 * UNIT


def test_long_numbers_cost_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest of the four products counts, from LONG bits on."""
    spent: list[int] = []
    monkeypatch.setattr(balls, "LONG", 8)
    monkeypatch.setattr(balls, "spend_on_digits", spent.append)
    assert Interval(0, 3, 8) * Interval(85, 85, 8) == Interval(0, 1, 8)
    assert spent == []
    assert Interval(0, 3, 8) * Interval(100, 100, 8) == Interval(0, 2, 8)
    assert spent == [9]


def test_changing_the_precision_keeps_the_numbers() -> None:
    for (a, b), bits in product(product(EDGES, FEW), (8, 53, 99, 100, 101, 200)):
        x, p = span(a, b, Fraction(1, 3), 100)
        y = x.at_bits(bits)
        assert y.bits == bits
        assert y.contains(p)
        assert y.lower <= x.lower
        assert x.upper <= y.upper
        assert bits < 100 or (y.lower, y.upper) == (x.lower, x.upper)
        assert x.width <= y.width <= x.width + Fraction(2, 1 << bits)


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


# Predicates


def test_predicates_hold_and_fail() -> None:
    positive, zero, around = Interval(1, 2, 128), Interval(0, 0, 128), Interval(-1, 1, 128)
    assert [x.is_positive() for x in (positive, zero, around, -positive)] == [True, False, False, False]
    assert [x.excludes_zero() for x in (positive, zero, around, -positive)] == [True, False, False, True]
    assert Ball(positive, zero).is_positive()
    assert not Ball(positive, around).is_positive()
    assert not Ball(positive, Interval(-1, 0, 128)).is_positive()
    assert not Ball(positive, Interval(0, 1, 128)).is_positive()
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
    with pytest.raises(ValueError, match="wanted 8 to"):
        Interval(0, 0, 7)
    with pytest.raises(ValueError, match="wanted 8 to"):
        x.at_bits(10**12)
    with pytest.raises(TypeError, match="ends of types int and float; wanted"):
        Interval.between(1, untyped)
    with pytest.raises(TypeError, match="ends of types float and Fraction; wanted"):
        Interval.between(untyped, Fraction(1))
    word: Any = "1"
    for call in (lambda: Ball(x, x) + word, lambda: untyped / Ball(x, x), lambda: word / Ball(x, x)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(Indeterminate, match="division by Ball"):
        Ball(x, x) / Ball(Interval(-1, 1, 128), Interval(0, 0, 128))
    assert balls.text(x, 1000) == "1." + 1000 * "0"
    with pytest.raises(ValueError, match="digits is 1001; wanted 0 to 1000"):
        balls.text(x, 1001)
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
        (Ball(Interval.from_fraction(1), Interval(-1, 0, 128)), 2, "1.00 + 0.00i"),
        (Ball(Interval.from_fraction(1), Interval(0, 1, 128)), 2, "1.00 + 0.00i"),
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


def test_printed_digits_are_those_of_every_number_enclosed() -> None:
    for x, spread, digits in product(EDGES, (Fraction(0), Fraction(1, 7 * 10**6), Fraction(1, 20)), (0, 2, 12)):
        value = Interval.between(x, x + spread)
        printed = balls.text(value, digits)
        if printed.startswith("["):
            low, high = (int(end) for end in printed[1:-1].split(", "))
            assert low <= value.lower
            assert value.upper <= high
            continue
        places = len(printed.partition(".")[2])
        half = Fraction(1, 2 * 10**places)
        assert places <= digits
        assert Fraction(printed) - half <= value.lower
        assert value.upper < Fraction(printed) + half


def test_enclosures_are_shown_with_their_precision() -> None:
    assert repr(Interval.from_fraction(Fraction(1, 3))) == "Interval(0.33333333, bits=128)"
    assert repr(Ball.from_fraction(Fraction(1, 3), bits=64)) == "Ball(0.33333333, bits=64)"


def test_midpoints_are_floats() -> None:
    assert balls.to_float_midpoint(Interval.from_fraction(Fraction(1, 3))) == 1 / 3
    assert balls.to_float_midpoint(Interval.between(1, 2)) == 1.5
    assert balls.to_complex_midpoint(Ball.from_fraction(Fraction(1, 3), -2)) == complex(1 / 3, -2)
