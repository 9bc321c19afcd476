"""Terms that print alike mean the same: whoever reads a theorem reads what was proved."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from derivations.kernel import KernelError, RuleError, ShapeError, Statement, Theorem, prove
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.layouts import Size, strided
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
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Pi,
    Power,
    Symbol,
    Term,
    Transpose,
    number,
)
from derivations.plain import scope_text, statement_text, term_text
from tests.derivations.kernel.building import ONE, add, exp, f, fam, h, i, matrix, mul, pw, q, rot, total, x

D = Size(1, "d")
NAMES = [Symbol(name) for name in ("x", "T", "d", "dx", "e", "f", "i", "h")]
NUMBERS: list[Term] = [
    q(0),
    q(1),
    q(2),
    q(-1),
    q("1/2"),
    number(0, 1),
    number(0, -1),
    number(1, 1),
    number(-1, 2),
    Pi(),
]
SIZED: list[Term] = [
    MatrixSymbol("W", D, D),
    matrix("u", "d"),
    matrix("v", Size(1)),
    Identity(D),
    Identity(Size(2, "d")),
]
ONE_PART: tuple[Callable[[Term], Term], ...] = (
    lambda a: Add((a,)),
    lambda a: Multiply((a,)),
    lambda a: Function("f", a),
    lambda a: Family("q", a),
    lambda a: Apply("exp", a),
    lambda a: Apply("conjugate", a),
    lambda a: Derivative(a, "x"),
    Transpose,
    Determinant,
    lambda a: MatrixFamily("R", a, D, "rotation"),
    lambda a: MatrixFamily("R", a, D, "free"),
    lambda a: IndexedSum("i", h, a),
    lambda a: IndexedSum("x", h, a),
    lambda a: Matrix(((a,),)),
    lambda a: Block("i", h, strided(1), None, ((a,),)),
    lambda a: Block("i", h, strided(1), strided(1), ((a,),)),
    lambda a: Reading("X", a, Symbol("d")),
)
TWO_PARTS: tuple[Callable[[Term, Term], Term], ...] = (
    lambda a, b: Add((a, b)),
    lambda a, b: Multiply((a, b)),
    Power,
    lambda a, b: Cell("X", a, b),
)


def grown(terms: list[Term], others: list[Term]) -> Iterator[Term]:
    """Every well-typed term of one more level."""
    for a in terms:
        makes: list[Callable[[], Term]] = [partial(make, a) for make in ONE_PART]
        makes += [partial(make, a, b) for make in TWO_PARTS for b in others]
        for make in makes:
            try:
                found = make()
                Statement(found, found)
            except KernelError:
                continue
            yield found


def test_what_prints_alike_is_proved_equal() -> None:
    """Over all small terms and many larger ones: one text, with one scope, is one meaning."""
    leaves: list[Term] = [*NAMES, *NUMBERS, *SIZED]
    draw = random.Random(7)
    small: list[Term] = list(grown(leaves, leaves))
    large = list(grown(draw.sample(small, 60), draw.sample(leaves, 6)))
    printed: defaultdict[str, dict[Term, None]] = defaultdict(dict)
    for term in (*leaves, *small, *large):
        statement = Statement(term, term)
        printed[f"{statement_text(statement)}; {scope_text(statement)}"][term] = None
    shared = [list(terms) for terms in printed.values() if len(terms) > 1]
    assert len(shared) > 100
    for first, *others in shared:
        for other in others:
            if isinstance(prove(Statement(other, other)), Theorem):
                assert isinstance(prove(Statement(first, other)), Theorem), (first, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Power(x, Symbol("T")), Transpose(x)),
        (fam("x"), mul(x, i)),
        (f(x), mul(Symbol("f"), x)),
        (total(fam("q")), Symbol("sum")),
        (add(total(x), ONE), total(add(x, ONE))),
        (mul(q(-1), pw(x, 2)), pw(mul(q(-1), x), 2)),
        (pw(q("1/2"), 2), mul(ONE, pw(q(2), -2), q(2))),
        (Cell("X", i, h), fam("X", i)),
        (Block("i", h, strided(2), None, ((x,), (x,))), Block("i", h, strided(1), None, ((x,),))),
    ],
)
def test_what_differs_prints_differently(one: Term, other: Term) -> None:
    assert term_text(one) != term_text(other)


@pytest.mark.parametrize("name", ["exp", "log", "cos", "sin", "conjugate", "re", "im", "det", "Id"])
def test_a_function_may_not_be_called_like_a_named_one(name: str) -> None:
    with pytest.raises(RuleError, match="would read as"):
        Function(name, x)
    with pytest.raises(RuleError, match="would read as"):
        MatrixFamily(name, x, D, "free")
    assert term_text(mul(Symbol(name), x)) == f"{name}*x"


@pytest.mark.parametrize("name", ["pi", "I"])
def test_a_symbol_may_not_be_called_like_a_number(name: str) -> None:
    for make in (Symbol, lambda n: MatrixSymbol(n, D, D)):
        with pytest.raises(RuleError, match="would read as"):
            make(name)


@pytest.mark.parametrize(
    "name", ["", " x", "x ", "x y", "x\n", "1x", "_x", "x-y", "q[i]", "f(x)", "\u03b8", "\u0445", "x\u200b", "\uff58"]
)
def test_a_name_is_plain_ascii(name: str) -> None:
    """Among these are the Greek theta, the Cyrillic ha, a letter with a zero-width space, a full-width x."""
    for make in (Symbol, lambda n: Family(n, i), lambda n: Function(n, x), lambda n: IndexedSum(n, h, x)):
        with pytest.raises(RuleError, match="identifier"):
            make(name)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (fam("q"), Symbol("q")),
        (f(x, "q"), fam("q")),
        (mul(Symbol("R"), rot(x)), rot(x)),
        (mul(matrix("u", "d"), Symbol("u")), matrix("u", "d")),
        (mul(matrix("u", "d"), f(x, "d")), matrix("u", "d")),
        (Cell("q", i, i), fam("q")),
        (total(fam("h")), h),
    ],
)
def test_one_name_is_one_thing(left: Term, right: Term) -> None:
    with pytest.raises(ShapeError, match="used for two things"):
        Statement(left, right)


def test_a_count_and_a_real_number_of_one_name_are_told_apart_by_the_scope() -> None:
    assert scope_text(Statement(h, h)) == "for all real h"
    assert scope_text(Statement(total(x), mul(h, x))) == "for all h >= 1; real x"
    assert scope_text(Statement(exp(h), exp(h))) != scope_text(Statement(mul(exp(h), total(x)), mul(h, x, exp(h))))
