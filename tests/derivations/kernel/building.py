"""Short names for terms, so that a test reads like the formula."""

from fractions import Fraction

from derivations.kernel import Hypothesis, Statement, Theorem, prove
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Family,
    Function,
    IndexedSum,
    Layout,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Power,
    Replacement,
    Size,
    Symbol,
    Term,
    number,
    strided,
)

ZERO, ONE, TWO = number(0), number(1), number(2)
I = number(0, 1)  # noqa: E741 - the imaginary unit
a, b, c, s, x, y, z, m, n, t = (Symbol(name) for name in ("a", "b", "c", "s", "x", "y", "z", "m", "n", "t"))
i, j, h, d = Symbol("i"), Symbol("j"), Symbol("h"), Symbol("d")


def q(value: int | str | Fraction) -> Number:
    return number(Fraction(value))


def mul(*factors: Term) -> Term:
    return Multiply(factors)


def add(*terms: Term) -> Term:
    return Add(terms)


def neg(term: Term) -> Term:
    return Multiply((number(-1), term))


def sub(left: Term, right: Term) -> Term:
    return Add((left, neg(right)))


def pw(base: Term, exponent: Term | int) -> Term:
    return Power(base, number(exponent) if isinstance(exponent, int) else exponent)


def inv(term: Term) -> Term:
    return pw(term, -1)


def exp(term: Term) -> Term:
    return Apply("exp", term)


def log(term: Term) -> Term:
    return Apply("log", term)


def cos(term: Term) -> Term:
    return Apply("cos", term)


def sin(term: Term) -> Term:
    return Apply("sin", term)


def conj(term: Term) -> Term:
    return Apply("conjugate", term)


def cis(term: Term) -> Term:
    return exp(mul(I, term))


def f(argument: Term, name: str = "f") -> Term:
    return Function(name, argument)


def fam(name: str, index: Term = i) -> Term:
    return Family(name, index)


def total(body: Term, index: str = "i", count: Term = h) -> Term:
    return IndexedSum(index, count, body)


def matrix(name: str, rows: Size | str, columns: Size | str | None = None) -> Term:
    wide = Size(1) if columns is None else columns
    return MatrixSymbol(
        name, rows if isinstance(rows, Size) else Size(1, rows), wide if isinstance(wide, Size) else Size(1, wide)
    )


def rot(argument: Term, name: str = "R", size: str = "d") -> Term:
    return MatrixFamily(name, argument, Size(1, size), "rotation")


def free(argument: Term, name: str = "A", size: str = "d") -> Term:
    return MatrixFamily(name, argument, Size(1, size), "free")


def turn(angle: Term) -> tuple[tuple[Term, ...], ...]:
    return ((cos(angle), neg(sin(angle))), (sin(angle), cos(angle)))


LAYOUT = strided(2)


def blocks(position: Term, layout: Layout = LAYOUT) -> Term:
    """The block rotation at a position, angle position * theta[i] in group i."""
    return Block("i", h, layout, layout, turn(mul(position, fam("theta"))))


def put(term: Term, *parameters: str) -> Replacement:
    return Replacement(parameters, term)


def equal(left: Term, right: Term, *forall: str) -> Hypothesis:
    return Hypothesis("equal", left, right, forall)


def nonzero(term: Term, *forall: str) -> Hypothesis:
    return Hypothesis("nonzero", term, forall=forall)


def positive(term: Term, *forall: str) -> Hypothesis:
    return Hypothesis("positive", term, forall=forall)


def theorem(left: Term, right: Term, *hypotheses: Hypothesis) -> Theorem:
    """The theorem, or a failure that shows the answer."""
    answer = prove(Statement(left, right, hypotheses))
    assert isinstance(answer, Theorem), answer
    return answer
