"""The printer says what the term says: what it prints of a scalar, evaluated by Python, is the value of the term."""

from __future__ import annotations

import cmath
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derivations.kernel import Hypothesis, KernelError, Range, Statement
from derivations.kernel.balls import to_float_midpoint
from derivations.kernel.points import Point, ball_at
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Function,
    Identity,
    IndexedSum,
    Layout,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Pi,
    Power,
    Size,
    Slot,
    Symbol,
    Term,
    Transpose,
    number,
    split,
    strided,
)
from derivations.plain import hypothesis_text, scope_text, statement_text, term_text

a, b, h, i, m, n = (Symbol(name) for name in ("a", "b", "h", "i", "m", "n"))
W, x = MatrixSymbol("W", Size(1, "d"), Size(1, "e")), MatrixSymbol("x", Size(1, "e"), Size(1))
MINUS = number(-1)


def R(at: Term) -> Term:
    return MatrixFamily("R", at, Size(2, "h"), "rotation")


def q(at: Term) -> Term:
    return Family("q", at)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (number(3), "3"),
        (number(Fraction(-1, 2)), "-1/2"),
        (number(0, 1), "I"),
        (number(0, -1), "-I"),
        (number(1, -2), "1 - 2*I"),
        (Pi(), "pi"),
        (q(Add((Multiply((number(2), i)), number(1)))), "q[2*i + 1]"),
        (Function("f", a), "f(a)"),
        (Add((a, Multiply((MINUS, b)), number(-3))), "a - b - 3"),
        (Multiply((number(-2), a, Power(b, MINUS))), "-2*a/b"),
        (Multiply((MINUS, Add((a, b)))), "-(a + b)"),
        (Multiply((a, number(-2))), "a*(-2)"),
        (Multiply((number(Fraction(1, 2)), a)), "(1/2)*a"),
        (Multiply((a, Multiply((b, a)))), "a*b*a"),
        (Power(Add((a, b)), number(-2)), "1/(a + b)^2"),
        (Power(Power(a, b), number(2)), "(a^b)^2"),
        (Power(Multiply((MINUS, a)), number(2)), "(-a)^2"),
        (Power(Symbol("base"), Multiply((number(-2), i, Power(Symbol("d"), MINUS)))), "base^(-2*i/d)"),
        (Apply("exp", Multiply((number(0, 1), a))), "exp(I*a)"),
        (Derivative(Apply("sin", a), "a"), "d/da sin(a)"),
        (Derivative(Add((a, b)), "a"), "d/da (a + b)"),
        (IndexedSum("i", h, Multiply((q(i), Family("k", i)))), "sum_{i<h} q[i]*k[i]"),
        (IndexedSum("i", h, Add((q(i), a))), "sum_{i<h} (q[i] + a)"),
        (Add((IndexedSum("i", h, q(i)), a)), "(sum_{i<h} q[i]) + a"),
        (Add((a, IndexedSum("i", h, q(i)))), "a + sum_{i<h} q[i]"),
        (Multiply((IndexedSum("i", h, q(i)), a)), "(sum_{i<h} q[i])*a"),
        (Multiply((Transpose(R(m)), R(n))), "R(m)^T R(n)"),
        (Transpose(Multiply((W, x))), "(W x)^T"),
        (Multiply((a, b, W, x)), "a*b W x"),
        (Identity(Size(2, "h")), "Id(2h)"),
        (Determinant(Matrix(((a, number(0)), (number(1), b)))), "det([[a, 0], [1, b]])"),
        (
            Block("i", h, strided(2), strided(2), ((q(i), a), (b, number(0)))),
            "block[i<h, interleaved]((q[i], a), (b, 0))",
        ),
        (Block("i", h, split(2), None, ((a,), (b,))), "vector[i<h, half-split](a, b)"),
        (
            Block("i", h, split(2), strided(2), ((a, b), (b, a))),
            "block[i<h, half-split from interleaved]((a, b), (b, a))",
        ),
        (
            Block("i", h, Layout((Slot(2, 0, 1), Slot(2, 0, 0))), None, ((a,), (b,))),
            "vector[i<h, interleaved 1-0](a, b)",
        ),
        (Block("i", h, split(3), None, ((a,), (b,), (a,))), "vector[i<h, split](a, b, a)"),
        (Block("i", h, strided(1), None, ((a,),)), "vector[i<h, one by one](a)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_term_reads_so(term: Term, text: str) -> None:
    assert term_text(term) == text


def test_matrices_keep_their_order() -> None:
    assert term_text(Multiply((W, x))) != term_text(Multiply((x, W)))


POINT = Point({"a": Fraction(2, 3), "b": Fraction(-3, 2), "h": Fraction(3)}, {}, {}, seed=0)


def evaluated(text: str) -> complex:
    """The printed scalar as Python reads it: ^ is the power, I the imaginary unit."""
    names = {**{k: complex(v) for k, v in POINT.symbols.items()}, "I": 1j, "pi": cmath.pi, "cos": cmath.cos}
    # Only digits, these names and operators reach this.
    return complex(eval(text.replace("^", "**"), {"__builtins__": {}}, names))  # noqa: S307 - printed text is Python here


def scalars() -> st.SearchStrategy[Term]:
    rational = st.fractions(min_value=-3, max_value=3, max_denominator=3)
    leaves = st.one_of(st.builds(Number, rational, rational), st.just(Pi()), st.sampled_from([a, b]))

    def grown(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        parts = st.lists(inner, min_size=1, max_size=3).map(tuple)
        whole = st.integers(min_value=-2, max_value=3).map(number)
        return st.one_of(
            parts.map(Add), parts.map(Multiply), st.builds(Power, inner, whole), st.builds(Apply, st.just("cos"), inner)
        )

    return st.recursive(leaves, grown, max_leaves=6)


@given(scalars())
def test_what_is_printed_has_the_value_of_the_term(term: Term) -> None:
    try:
        ball = ball_at(term, POINT)
        value = complex(to_float_midpoint(ball.re), to_float_midpoint(ball.im))
        printed = evaluated(term_text(term))
    except (ArithmeticError, KernelError):
        return  # 1/0, or a value beyond a float
    assert cmath.isclose(printed, value, rel_tol=1e-6, abs_tol=1e-6 * max(1.0, abs(value)))


def test_the_evaluation_sees_a_lost_parenthesis() -> None:
    assert evaluated("a*(b + 1)") != evaluated("a*b + 1")


def test_a_statement_names_its_hypotheses_and_its_scope() -> None:
    unit = Hypothesis("equal", Add((Power(a, number(2)), Power(b, number(2)))), number(1))
    every = Hypothesis("nonzero", q(n), forall=("n",))
    statement = Statement(Multiply((a, q(i))), Multiply((q(i), a)), (unit, every), (Range("i", h),))
    assert hypothesis_text(every) == "q[n] != 0 for every n"
    assert statement_text(statement) == "a*q[i] = q[i]*a if a^2 + b^2 = 1 and q[n] != 0 for every n"
    assert scope_text(statement) == "for all h >= 1; i = 0..h-1; real a, b; real sequences q"


def test_the_scope_names_sizes_matrices_and_functions() -> None:
    word = Multiply((R(m), W))
    sized = MatrixSymbol("W", Size(2, "h"), Size(3))
    assert scope_text(Statement(sized, sized)) == "for all h >= 1; real matrices W (2h x 3)"
    free = MatrixFamily("G", m, Size(1, "d"), "free")
    assert scope_text(Statement(free, free)) == "for all d >= 1; real m; families of real matrices G(.) (d x d)"
    turned = Statement(R(m), R(m))
    assert scope_text(turned) == "for all h >= 1; real m; rotation families R(.) (2h x 2h)"
    assert scope_text(Statement(Function("f", a), Function("f", a))) == "for all real a; smooth functions f"
    assert scope_text(Statement(number(1), number(1))) == "no variables"
    assert term_text(word) == "R(m) W"


def test_a_new_kind_of_term_is_refused() -> None:
    with pytest.raises(TypeError, match="no plain text for str"):
        term_text("x")  # type: ignore[arg-type]
