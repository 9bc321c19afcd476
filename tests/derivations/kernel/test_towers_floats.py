"""Floats of towers: the values at one fixed point, which find candidates for a merge and decide nothing; and work."""

from __future__ import annotations

import cmath
import math
from fractions import Fraction

import pytest

from derivations.kernel import values as v
from derivations.kernel.quotients import Quotient
from derivations.kernel.towers import CLOSE, LARGE, Tower, _close, _moderate
from derivations.kernel.values import Value

A, B, C = (v.atom(("symbol", name)) for name in "abc")
S = v.add(A, B)
SQUARE = v.add(v.multiply(A, A), v.ONE)
NAN = complex(math.nan)


def near(x: complex, y: complex) -> bool:
    return cmath.isclose(x, y, rel_tol=1e-12)


def test_numbers_and_terms_have_the_floats_of_their_values() -> None:
    tower = Tower()
    a, b = tower.float_of(A), tower.float_of(B)
    assert tower.float_of(v.constant(Fraction(2, 3))) == 2 / 3
    assert tower.float_of(v.multiply(v.I, v.HALF)) == 0.5j
    assert near(tower.float_of(v.add(v.multiply(A, v.multiply(B, B)), v.atom(("symbol", "a"), -1))), a * b**2 + 1 / a)
    turned = v.multiply(v.constant(3), v.multiply(B, v.exponential(v.multiply(v.I, A))))
    assert near(tower.float_of(turned), 3 * b * cmath.exp(1j * a))


def test_generators_have_the_floats_of_what_they_stand_for() -> None:
    tower = Tower()
    a, b = tower.float_of(A), tower.float_of(B)
    assert near(tower.float_of(tower.invert(S)), 1 / (a + b))
    assert near(tower.float_of(tower.root(SQUARE)), cmath.sqrt(a * a + 1))
    others = sum(cmath.exp(tower.float_of(score)) for score in (A, B, C))
    assert near(tower.float_of(tower.share(A, [A, B, C])), cmath.exp(a) / others)
    assert near(tower.float_of(tower.cut(S)), a + b)


def test_the_point_is_fixed() -> None:
    """Two runs look at the same candidates, so they spend the same work. Atoms count by their first use."""
    tower = Tower()
    values = [tower.float_of(value) for value in (A, B, A, tower.call("f", [v.ONE]))]
    wanted = (1.344421851525, 0.634364244112, 1.344421851525, 0.919646418612)
    assert all(abs(value - x) < 1e-9 for value, x in zip(values, wanted, strict=True))
    assert Tower().float_of(B) == values[0]


def test_calls_tell_the_order_of_their_arguments() -> None:
    tower = Tower()
    one, two = (tower.float_of(tower.call("f", of)) for of in ([A, B], [B, A]))
    assert abs(one - two) > 1e-3
    assert tower.float_of(tower.call("g", [A, B])) != one


@pytest.mark.parametrize(
    ("one", "two", "close"),
    [
        (1.0, 1.0, True),
        (0.5, 0.6, False),
        (0.5, 0.5 + 1e-9, True),
        (0.0, CLOSE, True),
        (1e6, 1e6 + 1e-3, True),  # near is relative to large numbers
        (1e6, 1e6 + 1.0, False),
        (1.0, 1.0 + 1j, False),
        (NAN, NAN, False),
        (complex(math.inf), 1.0, False),
        (1.0, complex(0.0, math.inf), False),
    ],
)
def test_near(one: complex, two: complex, close: bool) -> None:
    assert _close(complex(one), complex(two)) is close


def test_large_floats_are_not_numbers() -> None:
    assert _moderate(complex(1e99, -1e99)) == complex(1e99, -1e99)
    for large in (complex(2 * LARGE, 1), complex(1, -2 * LARGE), complex(LARGE), complex(0, LARGE)):
        assert math.isnan(_moderate(large).real)


def test_scores_are_a_multiset_where_floats_fail_too() -> None:
    tower = Tower()
    huge = tower.exponential(v.constant(10**6))
    assert tower.share(huge, [huge, A, B]) == tower.share(huge, [B, huge, A])
    assert tower.share(huge, [huge, A, B]) != tower.share(huge, [huge, A, A])


class TestWork:
    """Work is products of terms; what floats tell apart costs none."""

    def test_what_is_far_apart_is_not_compared(self) -> None:
        tower = Tower()
        tower.call("f", [tower.invert(S)])
        before = tower.work
        tower.call("f", [tower.invert(v.add(A, C))])
        assert tower.work == before

    def test_what_has_no_divisor_is_taken_as_it_is(self) -> None:
        tower = Tower()
        assert tower.quotient(Quotient(S, v.ONE)) == S
        assert tower.work == 0

    def test_where_nothing_is_opaque_nothing_is_unfolded(self) -> None:
        tower = Tower()
        assert not tower.equal(v.multiply(A, B), C)
        assert tower.work == 0

    def test_inverses_are_cleared_from_the_outermost_in(self) -> None:
        """1/D - 1/s, s = a + b, D = 1 + 1/s: times D, 2 + 1 + 2 products; 1 - 1/s - 1/s^2 times s^2, 6 + 3 + 2 + 1."""
        tower = Tower()
        inner = tower.invert(S)
        outer = tower.invert(v.add(v.ONE, inner))
        before = tower.work
        assert not tower.is_zero(v.subtract(outer, inner))
        assert tower.work - before == 17

    def test_terms_without_an_exponential_are_unfolded_as_they_are(self) -> None:
        """Two products for what the cut stands for, two more where it is put, one each for -a and b."""
        tower = Tower()
        assert not tower.equal(tower.cut(S), v.subtract(A, B))
        assert tower.work == 6


def test_unfolding_asks_for_nothing_new() -> None:
    """2 a + 2 b must not vanish; that a + b must not is the same condition, and is not listed beside it."""
    tower = Tower()
    inverse = tower.invert(v.scale(S, (2, 0, 1)))
    conditions = dict(tower.conditions)
    assert not tower.equal(inverse, tower.cut(v.add(B, C)))
    assert tower.conditions == conditions


def test_other_roots_stay_under_the_line() -> None:
    """sqrt(Q)^2 / sqrt(R) = Q / sqrt(R)."""
    tower = Tower()
    other = v.add(v.multiply(B, B), v.ONE)
    ((monomial, _),) = tower.root(SQUARE)
    ((atom, _),) = monomial
    below: Value = v.atom(atom, -1)
    root = tower.root(other)
    assert tower.multiply(root, v.multiply(root, below)) == v.multiply(other, below)
