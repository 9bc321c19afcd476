"""Quotients as data: when a divisor stays, is shared, or goes."""

from __future__ import annotations

import pytest

from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.errors import OutOfFragment
from derivations.kernel.quotients import Quotient

X, Y = v.atom(("symbol", "x")), v.atom(("symbol", "y"))
TWO = v.constant(2)
UNDER = v.add(X, v.ONE)  # x + 1, which cannot be inverted into the numerator
OTHER = v.add(Y, v.ONE)
I_UNDER = v.add(X, v.I)


def test_a_divisor_of_one_term_goes_into_the_numerator() -> None:
    assert q.reciprocal(q.whole(X)) == q.whole(v.atom(("symbol", "x"), -1))
    assert q.multiply(q.whole(Y), q.reciprocal(q.whole(TWO))) == q.whole(v.multiply(Y, v.HALF))
    assert q.reciprocal(q.whole(UNDER)) == Quotient(v.ONE, UNDER)


def test_a_common_divisor_stays_one() -> None:
    """Sums over one divisor do not grow: (x + y)/(x + 1), not (x + y)(x + 1)/(x + 1)^2."""
    assert q.add(Quotient(X, UNDER), Quotient(Y, UNDER)) == Quotient(v.add(X, Y), UNDER)
    assert q.add(Quotient(X, UNDER), Quotient(v.ONE, UNDER)) == q.ONE
    assert q.add(Quotient(X, OTHER), Quotient(X, UNDER)) == Quotient(
        v.add(v.multiply(X, UNDER), v.multiply(X, OTHER)), v.multiply(UNDER, OTHER)
    )


def test_products_and_powers() -> None:
    assert q.multiply(Quotient(X, UNDER), Quotient(Y, OTHER)) == Quotient(v.multiply(X, Y), v.multiply(UNDER, OTHER))
    assert q.multiply(Quotient(X, UNDER), q.whole(Y)) == Quotient(v.multiply(X, Y), UNDER)
    assert q.multiply(q.whole(Y), Quotient(X, UNDER)) == Quotient(v.multiply(X, Y), UNDER)
    assert q.power(q.whole(X), 0) == q.ONE
    assert q.power(q.whole(X), 3) == q.whole(v.atom(("symbol", "x"), 3))
    assert q.power(q.whole(X), -2) == q.whole(v.atom(("symbol", "x"), -2))
    assert q.power(Quotient(X, UNDER), -1) == Quotient(UNDER, v.ONE) or q.equal(
        q.power(Quotient(X, UNDER), -1), q.multiply(q.whole(UNDER), q.reciprocal(q.whole(X)))
    )


def test_nothing_is_divided_by_zero() -> None:
    with pytest.raises(OutOfFragment, match="identically zero"):
        q.reciprocal(q.ZERO)
    with pytest.raises(OutOfFragment, match="identically zero"):
        q.power(q.whole(v.subtract(X, X)), -1)


def test_equality_is_that_of_the_cross_product() -> None:
    assert q.equal(Quotient(v.multiply(X, OTHER), v.multiply(UNDER, OTHER)), Quotient(X, UNDER))
    assert not q.equal(Quotient(X, UNDER), Quotient(X, OTHER))
    assert not q.equal(Quotient(X, UNDER), Quotient(Y, UNDER))
    assert not q.equal(Quotient(X, UNDER), Quotient(Y, OTHER))
    assert q.equal(Quotient(X, UNDER), Quotient(X, UNDER))
    squared = Quotient(UNDER, v.multiply(UNDER, UNDER))
    assert q.equal(squared, Quotient(v.ONE, UNDER))
    assert q.equal(Quotient(v.ONE, UNDER), squared)


def test_conjugates_and_signs() -> None:
    assert q.conjugate(Quotient(v.I, I_UNDER)) == Quotient(v.negate(v.I), v.subtract(X, v.I))
    assert q.negate(Quotient(X, UNDER)) == Quotient(v.negate(X), UNDER)


def test_what_has_no_divisor() -> None:
    assert q.entire(q.whole(X), "it") == X
    with pytest.raises(OutOfFragment, match="an index may not contain a divisor"):
        q.entire(Quotient(X, UNDER), "an index")
    assert q.is_zero(q.ZERO)
    assert not q.is_zero(q.ONE)
    assert q.is_zero(Quotient({}, UNDER))
