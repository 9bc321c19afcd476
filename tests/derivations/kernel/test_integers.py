"""What is said of integers never becomes a statement about real numbers, and no point breaks a hypothesis."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.kernel import (
    Hypothesis,
    OutOfFragment,
    Range,
    RuleError,
    ShapeError,
    Statement,
    Theorem,
    Undecided,
    prove,
    specialised,
    transitive,
)
from derivations.kernel.cells import Cell
from derivations.kernel.rules import rule
from derivations.kernel.terms import (
    Add,
    Family,
    Function,
    IndexedSum,
    MatrixSymbol,
    Multiply,
    Power,
    Replacement,
    Size,
    Symbol,
    Term,
    number,
)

k, n, x, r = Symbol("k"), Symbol("n"), Symbol("x"), Symbol("r")


def q(at: Term) -> Term:
    return Family("q", at)


def put(term: Term) -> Replacement:
    return Replacement((), term)


def test_a_count_stays_a_count_when_its_range_goes() -> None:
    root = Statement(Power(Power(n, number(2)), number(Fraction(1, 2))), n, ranges=(Range("i", n),))
    theorem = prove(root)
    assert isinstance(theorem, Theorem)
    with pytest.raises(RuleError, match="any real number"):
        specialised(theorem, {"i": put(number(0)), "n": put(Symbol("m"))})


def test_a_quantified_name_does_not_count() -> None:
    total = IndexedSum("i", n, q(Symbol("i")))
    with pytest.raises(ShapeError, match="may not count"):
        Hypothesis("equal", total, total, ("n",))


def test_transitivity_keeps_an_index_an_integer() -> None:
    zero = Replacement(("x",), number(0))
    model = {"g": zero, "p": zero, "q": zero}
    first = Hypothesis("equal", q(k), Function("g", k), ("k",))
    second = Hypothesis("equal", q(k), Function("p", k), ("k",))
    a = prove(Statement(Function("g", x), q(x), (first,)), model=model)
    b = prove(Statement(q(x), Function("p", x), (second,)), model=model)
    if isinstance(a, Theorem) and isinstance(b, Theorem):
        with pytest.raises(RuleError, match="any real number"):
            transitive(a, b, model=model)


def test_a_rule_variable_in_a_cell_is_an_integer() -> None:
    cell = Cell("X", x, number(0))
    nothing = Add((cell, Multiply((number(-1), cell))))
    with pytest.raises(OutOfFragment, match="an index"):
        rule("hypothesis", (Function("f", x), nothing), ("x",), frozenset())


@pytest.mark.usefixtures("few_points")
def test_equations_are_checked_at_negative_indices_too() -> None:
    """(q_k - 1)^2 = 0 for every integer k, so q[-1] = 1 is true and no point may refute it."""
    square = Hypothesis("equal", Power(q(k), number(2)), Add((Multiply((number(2), q(k))), number(-1))), ("k",))
    assert isinstance(prove(Statement(q(number(-1)), number(1), (square,))), Undecided)


@pytest.mark.usefixtures("few_points")
def test_an_index_that_is_not_affine_is_not_judged() -> None:
    """q[16] is q[k*k] at k = 4, which is not 0, so r = 0 is true."""
    hypotheses = (
        Hypothesis("nonzero", q(Multiply((k, k))), forall=("k",)),
        Hypothesis("equal", Multiply((q(number(16)), r)), number(0)),
    )
    assert isinstance(prove(Statement(r, number(0), hypotheses)), Undecided)


def test_an_index_is_not_a_size() -> None:
    column = MatrixSymbol("u", Size(1, "i"), Size(1))
    with pytest.raises(ShapeError, match="size"):
        Statement(column, column, ranges=(Range("i", n),))
