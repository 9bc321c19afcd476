"""What each node means, written out as data, and under which conditions: the evaluator's own decisions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.kernel import Hypothesis, LimitReached, OutOfFragment, Range, Statement
from derivations.kernel import evaluate as module
from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.evaluate import (
    Context,
    affine_index,
    context_of,
    evaluate,
    evidently_nonzero,
    evidently_positive,
    scalar,
)
from derivations.kernel.matrices import GROUP, AnyValue, Blocked, Dense
from derivations.kernel.quotients import Quotient
from derivations.kernel.rules import Rewriting, rule
from derivations.kernel.terms import (
    Apply,
    Block,
    Derivative,
    IndexedSum,
    Number,
    Pi,
    Symbol,
    Term,
    number,
    split,
    strided,
)
from derivations.kernel.values import Value
from derivations.kernel.words import WordSum
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
    cis,
    cos,
    equal,
    exp,
    f,
    fam,
    free,
    h,
    i,
    inv,
    j,
    log,
    m,
    matrix,
    mul,
    n,
    neg,
    nonzero,
    positive,
    pw,
    rot,
    sub,
    total,
    x,
    y,
)
from tests.derivations.kernel.building import q as rational

HALF = rational("1/2")
KNOWN = Context(counts=frozenset({"h"}), indices=frozenset({"i"}))


def of(term: Term) -> Quotient:
    return scalar(term, Context(counts=KNOWN.counts, indices=KNOWN.indices))


def sym(name: str) -> Value:
    return v.atom(("symbol", name))


POSITIVE = {
    "a count": h,
    "pi": Pi(),
    "a multiple": mul(rational("1/3"), Pi(), h),
    "an index and one": add(i, ONE),
    "a square and one": add(pw(x, 2), ONE),
    "even powers of atoms": add(pw(fam("q"), 4), pw(f(x), 2), pw(x, -2), ONE),
    "a real exponential": exp(mul(x, y)),
    "an exponential times an index, and a count": add(mul(i, exp(x)), h),
    "a sum of exponentials": total(exp(fam("s"))),
    "a sum of sums of exponentials": total(total(exp(fam("s", add(i, j))), "j")),
    "a square times a count, and a count": add(mul(h, pw(x, 2)), h),
}
NOT_POSITIVE = {
    "zero": ZERO,
    "a symbol": x,
    "a sequence called like an index, and one": add(fam("i", j), ONE),
    "an index": i,
    "an inverse index and one": add(inv(i), ONE),
    "an odd power and one": add(pw(x, 3), ONE),
    "an odd power of an index times a symbol": add(mul(i, x), ONE),
    "a negative": neg(h),
    "a difference": sub(h, ONE),
    "a square alone": pw(x, 2),
    "an imaginary one": mul(I, h),
    "one with an imaginary part": add(ONE, I),
    "a turn": cis(x),
    "a sum of a sequence": total(fam("q")),
    "a sum of turns": add(total(cis(fam("q"))), ONE),
    "a sum over no count": IndexedSum("k", Symbol("c"), exp(fam("s", Symbol("k")))),
    "a square of a logarithm and one": add(pw(log(Symbol("x")), 2), ONE),
    "a quotient": inv(add(exp(x), ONE)),
    "a cell squared and one": add(pw(Cell("X", i, i), 2), ONE),
}


@pytest.mark.parametrize("term", POSITIVE.values(), ids=POSITIVE.keys())
def test_positive_on_sight(term: Term) -> None:
    value = of(term)
    assert evidently_positive(value, KNOWN)
    assert evidently_nonzero(value, KNOWN)
    assert evidently_nonzero(q.negate(value), KNOWN)


@pytest.mark.parametrize("term", NOT_POSITIVE.values(), ids=NOT_POSITIVE.keys())
def test_not_positive_on_sight(term: Term) -> None:
    assert not evidently_positive(of(term), KNOWN)


@pytest.mark.parametrize("term", [cis(x), mul(I, h), mul(I, Pi(), cis(x)), mul(number(2, 3), pw(h, -2)), neg(exp(x))])
def test_nonzero_on_sight(term: Term) -> None:
    assert evidently_nonzero(of(term), KNOWN)


@pytest.mark.parametrize("term", [ZERO, x, i, mul(h, x), add(ONE, cis(x)), inv(add(exp(x), ONE)), sub(h, ONE)])
def test_not_nonzero_on_sight(term: Term) -> None:
    assert not evidently_nonzero(of(term), KNOWN)


@pytest.mark.parametrize("index", [ZERO, i, number(-3), add(mul(TWO, i), neg(j), ONE), mul(i, TWO)])
def test_indices_are_integer_combinations(index: Term) -> None:
    assert affine_index(index, Context()) == of(index).over


@pytest.mark.parametrize(
    "index", [HALF, mul(HALF, i), mul(i, j), mul(i, i), exp(i), I, mul(I, i), Pi(), fam("q"), inv(i)]
)
def test_what_is_no_index(index: Term) -> None:
    with pytest.raises(OutOfFragment, match="an index must be"):
        affine_index(index, Context())


def conditions(term: Term, counts: frozenset[str] = frozenset()) -> list[Hypothesis]:
    context = Context(counts=counts)
    evaluate(term, context)
    return context.conditions


def test_conditions_are_listed_once_each() -> None:
    assert conditions(add(inv(x), pw(x, -2), inv(y))) == [nonzero(x), nonzero(y)]
    assert conditions(add(log(x), inv(x), pw(x, HALF))) == [positive(x), nonzero(x)]
    assert conditions(inv(add(pw(x, 2), ONE))) == []
    assert conditions(inv(cis(x))) == []
    assert conditions(log(h), counts=frozenset("h")) == []
    assert conditions(inv(h)) == [nonzero(h)]
    assert conditions(inv(h), counts=frozenset("h")) == []
    assert conditions(pw(x, 2)) == []
    assert conditions(pw(x, 0)) == []


def test_conditions_are_said_of_every_index_that_is_bound() -> None:
    assert conditions(total(inv(fam("q")))) == [nonzero(fam("q"), "i")]
    assert conditions(total(log(mul(fam("q"), x)))) == [positive(fam("q"), "i"), positive(x)]
    nested = total(total(inv(fam("q", add(i, j))), "j"))
    assert conditions(nested) == [nonzero(fam("q", add(i, j)), "i", "j")]
    assert conditions(total(inv(i))) == [nonzero(i, "i")]
    assert conditions(Derivative(log(x), "x")) == [positive(x)]
    entries = ((inv(fam("q")),),)
    assert conditions(Block("i", h, strided(1), None, entries)) == [nonzero(fam("q"), "i")]


def test_an_index_hides_a_count_of_its_name() -> None:
    """h counts outside; inside a sum over h it is an index, which can be 0."""
    inside = IndexedSum("h", n, inv(add(Symbol("h"), x)))
    assert conditions(IndexedSum("h", n, inv(Symbol("h"))), counts=frozenset("h")) == [nonzero(h, "h")]
    with pytest.raises(OutOfFragment, match="contains the index"):
        evaluate(inside, Context())


def test_powers() -> None:
    assert of(pw(x, 512)).over == v.atom(("symbol", "x"), 512)
    assert of(pw(exp(x), -512)) == of(exp(mul(number(-512), x)))
    for beyond in (513, -513):
        with pytest.raises(LimitReached, match=f"the power {beyond} passes the limit of 512"):
            of(pw(x, beyond))
    assert of(pw(x, HALF)) == q.whole(v.exponential(v.scale(v.atom(("log", ("symbol", "x"))), (1, 0, 2))))
    with pytest.raises(OutOfFragment, match="exponent of a real power must be real"):
        of(pw(x, mul(HALF, I)))
    with pytest.raises(OutOfFragment, match="an exponent may not contain a divisor"):
        of(pw(x, inv(add(x, y))))
    with pytest.raises(OutOfFragment, match="real"):
        of(pw(x, Number(Fraction(2), Fraction(1))))


def test_logarithms() -> None:
    assert of(log(mul(x, y))) == of(add(log(x), log(y)))
    assert of(log(pw(x, 3))) == of(mul(number(3), log(x)))
    assert of(log(pw(x, y))) == of(mul(y, log(x)))
    assert conditions(log(pw(x, 3))) == [positive(x)]
    assert of(log(mul(Pi(), h))) == of(add(log(Pi()), log(h)))
    with pytest.raises(OutOfFragment, match="taken of may not contain a divisor"):
        of(log(add(ONE, inv(add(x, ONE)))))
    hidden = add(mul(x, y), ZERO)  # a b > 0 does not say a > 0
    with pytest.raises(OutOfFragment, match="factors one by one"):
        of(log(hidden))
    with pytest.raises(OutOfFragment, match="factors one by one"):
        of(log(add(mul(x, x), ZERO)))
    with pytest.raises(OutOfFragment, match="positive rational"):
        of(log(exp(x)))
    assert of(log(add(mul(h, x), ZERO))) == of(add(log(h), log(x)))
    assert of(log(add(pw(x, 3), ZERO))) == of(mul(number(3), log(x)))


def test_real_and_imaginary_parts() -> None:
    assert of(Apply("re", mul(add(x, mul(I, y)), add(a, mul(I, b))))) == of(sub(mul(x, a), mul(y, b)))
    assert of(Apply("im", add(x, mul(I, y)))) == of(y)
    assert of(Apply("conjugate", cis(x))) == of(cis(neg(x)))
    with pytest.raises(OutOfFragment, match="the argument of cos may not contain"):
        of(cos(inv(add(x, y))))


def test_arguments_are_real() -> None:
    assert of(f(add(x, ONE))).over == v.atom(("function", "f", 0, v.frozen(v.add(sym("x"), v.ONE))))
    with pytest.raises(OutOfFragment, match="the argument of f must be real on sight"):
        of(f(mul(I, x)))
    with pytest.raises(OutOfFragment, match="the argument of f may not contain a divisor"):
        of(f(inv(add(x, y))))


def test_derivatives_of_quotients() -> None:
    under = add(x, exp(x))
    slope = neg(mul(add(ONE, exp(x)), pw(under, -2)))
    assert q.equal(of(Derivative(inv(under), "x")), of(slope))
    product = Derivative(mul(pw(x, 2), inv(under)), "x")
    assert q.equal(of(product), of(add(mul(TWO, x, inv(under)), mul(pw(x, 2), slope))))
    assert of(Derivative(pw(x, 3), "x")) == of(mul(number(3), pw(x, 2)))
    for name in ("h", "i"):
        with pytest.raises(OutOfFragment, match=f"{name} is an integer"):
            of(Derivative(x, name))


def test_definite_sums_are_written_out() -> None:
    assert of(total(fam("q"), count=number(3))) == of(add(fam("q", ZERO), fam("q", ONE), fam("q", TWO)))
    assert of(total(i, count=ONE)) == q.ZERO
    for count in (ZERO, number(-1), HALF, rational("3/2"), number(1, 1), number(4097)):
        with pytest.raises(OutOfFragment, match="an integer from 1 to 4096"):
            of(total(ONE, count=count))
    assert of(total(ONE, count=number(4096))) == of(number(4096))
    with pytest.raises(OutOfFragment, match="derivative"):
        of(total(Derivative(i, "i"), count=TWO))


def test_indexed_sums_need_a_count() -> None:
    assert of(total(TWO)) == of(mul(TWO, h))
    for count in (i, add(h, ONE)):
        with pytest.raises(OutOfFragment, match="a count must be a positive integer or a name"):
            of(total(fam("q", j), "j", count))


def grid(value: AnyValue) -> tuple[tuple[Quotient, ...], ...]:
    assert isinstance(value, Dense)
    return value.rows


def test_a_definite_block_is_written_out_by_its_layout() -> None:
    entries = ((fam("a"), fam("b")), (fam("c"), fam("d")))
    found = grid(evaluate(Block("i", TWO, split(2), strided(2), entries), Context()))
    a0, b0, c0, d0 = (of(fam(name, ZERO)) for name in "abcd")
    a1, b1, c1, d1 = (of(fam(name, ONE)) for name in "abcd")
    nothing = q.ZERO
    assert found == (
        (a0, b0, nothing, nothing),
        (nothing, nothing, a1, b1),
        (c0, d0, nothing, nothing),
        (nothing, nothing, c1, d1),
    )
    vector = grid(evaluate(Block("i", TWO, split(2), None, ((fam("a"),), (fam("c"),))), Context()))
    assert vector == ((a0,), (a1,), (c0,), (c1,))


def test_a_definite_block_need_not_be_square() -> None:
    row = Block("i", TWO, strided(1), strided(2), ((fam("a"), fam("b")),))
    a0, b0, a1, b1 = (of(fam(name, at)) for at in (ZERO, ONE) for name in "ab")
    assert grid(evaluate(row, Context())) == ((a0, b0, q.ZERO, q.ZERO), (q.ZERO, q.ZERO, a1, b1))


def test_letters_stand_as_they_are_written() -> None:
    for term, wanted in (
        (matrix("W", "d", "e"), ("matrix", "W", False)),
        (free(m), ("free", "A", v.frozen(sym("m")), False)),
        (rot(m), ("rotation", "R", v.frozen(sym("m")))),
    ):
        found = evaluate(term, Context())
        assert isinstance(found, WordSum)
        assert found.terms == {(wanted,): q.ONE}


def test_a_definite_block_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXPANSION_LIMIT", 4)
    block = Block("i", TWO, strided(2), strided(2), ((ONE, ZERO), (ZERO, ONE)))
    assert len(grid(evaluate(block, Context()))) == 4
    wide = Block("i", number(3), strided(2), strided(2), ((ONE, ZERO), (ZERO, ONE)))
    with pytest.raises(LimitReached, match="a 6 x 6 matrix passes the limit of 4 squared"):
        evaluate(wide, Context())
    tall = Block("i", number(4), strided(5), None, ((ONE,),) * 5)
    with pytest.raises(LimitReached, match="a 20 x 1 matrix"):
        evaluate(tall, Context())


def test_a_block_over_a_name_keeps_its_group() -> None:
    found = evaluate(Block("i", h, strided(1), strided(1), ((mul(fam("q"), inv(add(fam("q"), x))),),)), Context())
    assert isinstance(found, Blocked)
    ((entry,),) = found.entries
    member = v.atom(("family", "q", v.frozen(sym(GROUP))))
    assert (found.count, found.rows, found.columns) == (("symbol", "h"), strided(1), strided(1))
    assert entry == Quotient(member, v.add(member, sym("x")))
    inverse = evaluate(Block("i", h, strided(1), None, ((inv(add(fam("q"), x)),),)), Context())
    assert isinstance(inverse, Blocked)
    assert inverse.entries == ((Quotient(v.ONE, v.add(member, sym("x"))),),)


def test_readings_are_located_by_what_is_known() -> None:
    flat = add(mul(m, n), i)
    statement = Statement(Reading("X", flat, n), Cell("X", m, i), ranges=(Range("i", n),))
    assert scalar(statement.left, context_of(statement)) == scalar(statement.right, context_of(statement))
    unknown = scalar(statement.left, Context())
    assert unknown.over == v.atom(("reading", "X", v.frozen(of(flat).over), v.frozen(sym("n"))))


@pytest.mark.parametrize("bad", [HALF, mul(I, i), Pi(), exp(i)])
def test_cells_have_integer_indices(bad: Term) -> None:
    with pytest.raises(OutOfFragment, match="an index may not contain a divisor"):
        of(Cell("X", inv(add(i, ONE)), i))
    with pytest.raises(OutOfFragment, match="an index may not contain a divisor"):
        of(fam("q", inv(add(i, ONE))))
    for term in (Cell("X", bad, i), Cell("X", i, bad), Reading("X", bad, n), Reading("X", i, bad)):
        with pytest.raises(OutOfFragment, match="an integer polynomial"):
            of(term)


def test_what_is_known_of_integers() -> None:
    """n - 1 - i >= 0 and i >= 0 from the range, n - 1 >= 0 from the count, and what the hypothesis says."""
    said = Hypothesis("nonnegative", sub(m, i))
    whole = Statement(add(i, m), add(m, i), (said,), (Range("i", n),))
    below = v.subtract(v.subtract(sym("n"), v.ONE), sym("i"))
    wanted = (v.subtract(sym("m"), sym("i")), sym("i"), below, v.subtract(sym("n"), v.ONE))
    assert context_of(whole).facts == wanted
    assert context_of(whole).counts == {"n"}
    assert context_of(whole).indices == {"i"}
    for unused in (sub(x, HALF), mul(m, inv(add(x, ONE)))):
        assert context_of(Statement(x, x, (Hypothesis("nonnegative", unused), nonzero(x)))).facts == ()
    for name in "in":
        moving = Hypothesis("nonnegative", Derivative(mul(Symbol(name), Symbol(name)), name))
        with pytest.raises(OutOfFragment, match=f"{name} is an integer"):
            context_of(Statement(i, i, (moving,), (Range("i", n),)))


def test_equations_are_applied_at_every_node() -> None:
    rules = Rewriting((rule("it", (x, y), (), frozenset()),))
    assert evaluate(exp(x), Context(rules)) == evaluate(exp(y), Context())
    rewriting = Rewriting((rule("it", (mul(x, a), y), (), frozenset()),))
    assert evaluate(mul(b, a, x), Context(rewriting)) == evaluate(mul(b, y), Context())
    assert rewriting.uses == {"it": 1}


def test_equations_about_what_is_varied_or_bound_are_set_aside() -> None:
    of_x = Rewriting((rule("it", (mul(x, a), y), (), frozenset()),))
    assert evaluate(Derivative(mul(x, a), "x"), Context(of_x)) == evaluate(a, Context())
    of_q = Rewriting((rule("it", (fam("q"), ZERO), (), frozenset()),))
    assert evaluate(total(fam("q")), Context(of_q)) == evaluate(total(fam("q")), Context())
    assert evaluate(total(fam("q"), "j"), Context(of_q)) == q.ZERO
    known = Context(of_x, frozenset("h"), frozenset("k"), ("k",), [], (v.ONE,))
    varied = module._varied(known, "t")
    assert (varied.counts, varied.indices, varied.bound) == (frozenset("h"), frozenset("k"), ("k",))
    assert varied.conditions is known.conditions
    within = module._within(Context(of_x, frozenset("h"), frozenset("k"), ("k",), [], (sym("i"), sym("k"))), "i")
    assert (within.counts, within.indices, within.bound) == (frozenset("h"), frozenset("ki"), ("k", "i"))
    assert within.facts == (sym("k"),)


def test_a_hypothesis_of_a_statement_reaches_its_sides() -> None:
    assert equal(x, y).kind == "equal"
    context = context_of(Statement(x, x, (equal(x, y),)), Rewriting(()))
    assert context.rewrite is not None
    assert context_of(Statement(x, x)).rewrite is None
