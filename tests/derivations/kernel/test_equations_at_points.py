"""Refutation under equations without a model: the point satisfies every equation exactly, at every index."""

from __future__ import annotations

import pytest

from derivations.kernel import Hypothesis, Refuted, Statement, Theorem, Undecided, prove
from derivations.kernel.search import refutation
from derivations.kernel.terms import Add, Family, IndexedSum, Multiply, Power, Symbol, Term, number

i, h, a = Symbol("i"), Symbol("h"), Symbol("a")


def e(index: Term) -> Term:
    return Family("e", index)


def f(index: Term) -> Term:
    return Family("f", index)


IDEMPOTENT = Hypothesis("equal", Power(e(i), number(2)), e(i), ("i",))
DISJOINT = Hypothesis("equal", Multiply((e(i), f(i))), number(0), ("i",))
NEXT = Add((i, number(1)))


def total(body: Term) -> Term:
    return IndexedSum("i", h, body)


def test_a_false_equation_between_switches_is_refuted() -> None:
    answer = prove(Statement(total(e(i)), total(e(NEXT)), (IDEMPOTENT,)))
    assert isinstance(answer, Refuted)
    assert set(answer.point.families.values()) <= {0, 1}


def test_the_equation_holds_at_all_members_of_the_point() -> None:
    """The members that the point lists satisfy e^2 = e, and so do all others, which are 1."""
    answer = prove(Statement(total(Multiply((e(i), e(NEXT)))), total(e(i)), (IDEMPOTENT,)))
    assert isinstance(answer, Refuted)
    assert set(answer.point.families.values()) <= {0, 1}


def test_no_point_where_the_others_break_the_equation() -> None:
    """e_i f_i = 0 fails for members that are not listed, which are 1: nothing may be refuted there."""
    assert refutation(Statement(total(e(i)), total(f(i)), (DISJOINT,))) is None


def test_true_equations_stay_theorems() -> None:
    assert isinstance(prove(Statement(total(Power(e(i), number(3))), total(e(i)), (IDEMPOTENT,))), Theorem)


@pytest.mark.usefixtures("few_points")
@pytest.mark.parametrize("value", [2, 3])
def test_a_contradictory_equation_refutes_nothing(value: int) -> None:
    """No rational a satisfies a^2 = 2 or a^2 = 3."""
    contradictory = Hypothesis("equal", Power(a, number(2)), number(value))
    assert isinstance(prove(Statement(a, number(5), (contradictory,))), Undecided)
