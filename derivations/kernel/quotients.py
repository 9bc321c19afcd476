"""Quotients of exponential polynomials; two are equal when the cross product of their difference is zero.

Sound wherever the denominators are non-zero, which the evaluator records. Complete where values are, because the
cross product of two analytic functions vanishes exactly where the quotients agree on a dense set.
"""

from __future__ import annotations

from dataclasses import dataclass

from derivations.kernel import values as v
from derivations.kernel.errors import OutOfFragment
from derivations.kernel.values import Value


@dataclass(frozen=True, slots=True)
class Quotient:
    """over / under; under is 1 or has at least two terms, since a single term is inverted into `over`."""

    over: Value
    under: Value


def whole(value: Value) -> Quotient:
    return Quotient(value, v.ONE)


ZERO = whole(v.ZERO)
ONE = whole(v.ONE)


def _quotient(over: Value, under: Value) -> Quotient:
    if v.is_monomial(under):
        return Quotient(over if under == v.ONE else v.multiply(over, v.reciprocal(under)), v.ONE)
    return ONE if over == under else Quotient(over, under)


def add(a: Quotient, b: Quotient) -> Quotient:
    if a.under == b.under:
        return _quotient(v.add(a.over, b.over), a.under)
    over = v.add(v.multiply(a.over, b.under), v.multiply(b.over, a.under))
    return _quotient(over, v.multiply(a.under, b.under))


def negate(a: Quotient) -> Quotient:
    return Quotient(v.negate(a.over), a.under)


def multiply(a: Quotient, b: Quotient) -> Quotient:
    if a.under is v.ONE and b.under is v.ONE:
        return Quotient(v.multiply(a.over, b.over), v.ONE)
    return _quotient(v.multiply(a.over, b.over), v.multiply(a.under, b.under))


def reciprocal(a: Quotient) -> Quotient:
    """1/a for a value that is not identically zero."""
    if not a.over:
        raise OutOfFragment("division by something that is identically zero")
    return _quotient(a.under, a.over)


def power(a: Quotient, n: int) -> Quotient:
    if n < 0:
        return power(reciprocal(a), -n)
    result = ONE
    for _ in range(n):
        result = multiply(result, a)
    return result


def equal(a: Quotient, b: Quotient) -> bool:
    """Exact: the difference has numerator zero."""
    if a.under == b.under:
        return a.over == b.over
    return v.multiply(a.over, b.under) == v.multiply(b.over, a.under)


def conjugate(a: Quotient) -> Quotient:
    return _quotient(v.conjugate(a.over), v.conjugate(a.under))


def entire(a: Quotient, what: str) -> Value:
    """The value of a quotient without denominator; `what` names the place that needs one."""
    if a.under != v.ONE:
        raise OutOfFragment(f"{what} may not contain a divisor of several terms")
    return a.over


def is_zero(a: Quotient) -> bool:
    return not a.over
