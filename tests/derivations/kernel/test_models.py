"""Witnesses and models: what may be put for a name, what holds on sight, and which values are tried in which order."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from derivations.kernel import Hypothesis, Range, RuleError, Statement
from derivations.kernel import models as module
from derivations.kernel.cells import Cell
from derivations.kernel.models import check_replacements, holds_always, holds_exactly, witness
from derivations.kernel.terms import (
    Determinant,
    Identity,
    Matrix,
    Number,
    Pi,
    Replacement,
    Size,
    Symbol,
    Term,
    Transpose,
    number,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
    c,
    cis,
    equal,
    exp,
    f,
    fam,
    free,
    h,
    i,
    inv,
    j,
    m,
    matrix,
    mul,
    n,
    neg,
    nonzero,
    positive,
    put,
    pw,
    q,
    rot,
    sub,
    total,
    x,
    y,
    z,
)

F = Fraction
COUNTS = frozenset("h")
EVERYTHING = Statement(
    add(x, f(y), fam("q", m), total(fam("r"))),
    Determinant(mul(matrix("W", "d", "d"), rot(z), free(z))),
    (equal(h, h),),
    (Range("k", n),),
)


def atleast(term: Term) -> Hypothesis:
    return Hypothesis("nonnegative", term)


@pytest.mark.parametrize(
    "by",
    [
        {"h": put(number(3))},
        {"h": put(Symbol("other"))},
        {"n": put(ONE)},
        {"x": put(mul(Pi(), exp(y)))},
        {"x": put(total(exp(fam("s"))))},
        {"f": put(mul(TWO, Symbol("t")), "t")},
        {"f": put(ONE, "t")},
        {"q": put(fam("p", Symbol("t")), "t")},
        {"m": put(sub(mul(TWO, n), ONE))},
        {"d": put(number(3))},
        {"d": put(mul(TWO, h)), "W": put(Identity(Size(2, "h")))},
        {"W": put(Transpose(matrix("W", "d", "d")))},
        {"R": put(Identity(Size(1, "d")), "t")},
        {"A": put(rot(Symbol("t"), "S"), "t")},
        {"unknown": put(I)},
    ],
)
def test_what_may_be_put(by: dict[str, Replacement]) -> None:
    assert check_replacements(EVERYTHING, by) == []


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ({"h": put(ZERO)}, "h counts something; only a positive integer or another name"),
        ({"h": put(q("1/2"))}, "h counts something"),
        ({"h": put(add(n, ONE))}, "h counts something"),
        ({"h": put(TWO, "t")}, "h counts something"),
        ({"h": put(n, "t")}, "h counts something"),
        ({"n": put(ZERO)}, "n counts something"),
        ({"d": put(ZERO)}, "a size must stay a positive integer"),
        ({"x": put(I)}, "x stands for a real quantity; the term put for it is not real on sight"),
        ({"x": put(cis(y))}, "x stands for a real quantity"),
        ({"W": put(Matrix(((I,),))), "d": put(ONE)}, "W stands for a real quantity"),
        ({"x": put(y, "t")}, "x takes 0 arguments"),
        ({"f": put(inv(Symbol("t")), "t")}, "the term put for f is not defined for all values of t"),
        ({"q": put(inv(Symbol("t")), "t")}, "the term put for q is not defined for all values of t"),
        (
            {"f": put(fam("q", Symbol("t")), "t")},
            "f takes every real argument; .* takes integers only",
        ),
        ({"A": put(mul(fam("q", Symbol("t")), Identity(Size(1, "d"))), "t")}, "A takes every real argument"),
        ({"m": put(q("1/2"))}, "m stands in an index: an index must be an integer combination"),
        ({"m": put(mul(x, y))}, "m stands in an index"),
        ({"R": put(rot(Symbol("t"), "S"), "t")}, "R is a rotation family; use `realised`"),
        ({"W": put(Identity(Size(2)))}, "W is d x d, the term put for it is 2 x 2"),
    ],
)
def test_what_may_not_be_put(by: dict[str, Replacement], message: str) -> None:
    with pytest.raises(RuleError, match=message):
        check_replacements(EVERYTHING, by)


def test_what_terms_need_is_listed() -> None:
    assert check_replacements(EVERYTHING, {"x": put(inv(a)), "y": put(add(inv(a), inv(b)))}) == [nonzero(a), nonzero(b)]
    assert check_replacements(EVERYTHING, {"x": put(inv(h))}) == []
    inside = {"f": put(add(Symbol("h"), inv(add(exp(Symbol("h")), ONE))), "h")}
    assert check_replacements(EVERYTHING, inside) == []
    with pytest.raises(RuleError, match="not defined for all values of h"):
        check_replacements(EVERYTHING, {"f": put(inv(Symbol("h")), "h")})  # h is no count there


@pytest.mark.parametrize(
    ("hypothesis", "holds"),
    [
        (equal(pw(add(x, y), 2), add(pw(x, 2), mul(TWO, x, y), pw(y, 2))), True),
        (equal(x, y), False),
        (equal(mul(x, inv(x)), ONE), False),  # not at x = 0
        (equal(mul(h, inv(h)), ONE), True),
        (equal(mul(fam("q", h), h, inv(h)), fam("q", h), "i"), True),
        (equal(f(mul(I, x)), f(mul(I, x))), False),  # outside the fragment
        (positive(exp(x)), True),
        (positive(h), True),
        (positive(x), False),
        (positive(add(i, ONE)), False),
        (positive(add(i, ONE), "i"), True),
        (positive(neg(exp(x))), False),
        (positive(mul(x, inv(x))), False),
        (positive(f(mul(I, x))), False),
        (nonzero(neg(exp(x))), True),
        (nonzero(cis(x)), True),
        (nonzero(x), False),
        (positive(cis(x)), False),
        (atleast(ZERO), True),
        (atleast(h), True),
        (atleast(x), False),
        (atleast(neg(h)), False),
        (atleast(cis(x)), False),
        (nonzero(ZERO), False),
        (positive(ZERO), False),
    ],
)
def test_what_holds_on_sight(hypothesis: Hypothesis, holds: bool) -> None:
    assert holds_always(hypothesis, COUNTS) is holds


def test_indices_are_at_least_zero() -> None:
    assert holds_always(positive(add(j, ONE)), COUNTS, frozenset("j"))
    assert holds_always(positive(add(i, j, ONE), "i"), COUNTS, frozenset("j"))
    assert not holds_always(positive(add(h, ZERO), "h"), COUNTS)
    assert not holds_always(equal(mul(h, inv(h)), ONE, "h"), COUNTS)


def test_equations_are_decided_under_a_model() -> None:
    circle = equal(pw(c, 2), sub(ONE, pw(a, 2)))
    assert holds_exactly(circle, {"c": put(q("3/5")), "a": put(q("4/5"))}, COUNTS)
    assert not holds_exactly(circle, {"c": put(q("3/5"))}, COUNTS)
    assert holds_exactly(equal(mul(a, x), ZERO), {"a": put(ZERO)}, COUNTS)
    assert not holds_exactly(equal(x, x, "i"), {"x": put(i)}, COUNTS)  # it would be captured
    assert not holds_exactly(equal(x, x), {"x": put(inv(y))}, COUNTS)  # it has a condition


class TestWitness:
    def found(self, *hypotheses: Hypothesis, left: Term = x, ranges: tuple[Range, ...] = ()) -> dict[str, Term] | None:
        got = witness(Statement(left, left, hypotheses, ranges))
        return None if got is None else {name: r.body for name, r in got.items()}

    def test_small_constants_in_order(self) -> None:
        assert self.found() == {}
        assert self.found(equal(a, ONE)) == {"a": ONE}
        assert self.found(equal(mul(a, b), ZERO)) == {"a": ONE, "b": ZERO}
        assert self.found(equal(pw(a, 2), sub(ONE, pw(b, 2)))) == {"a": ONE, "b": ZERO}
        assert self.found(equal(add(a, b), q("7/5"))) == {"a": q("3/5"), "b": q("4/5")}
        assert self.found(equal(a, number(-1))) == {"a": number(-1)}
        assert self.found(equal(a, TWO)) == {"a": TWO}
        assert self.found(equal(a, number(3))) is None
        assert self.found(equal(mul(a, b, c), ZERO), equal(z, ONE)) == {"a": ONE, "b": ONE, "c": ZERO, "z": ONE}

    def test_names_that_are_integers(self) -> None:
        assert self.found(equal(h, TWO), left=total(x)) == {"h": TWO}
        assert self.found(equal(h, ZERO), left=total(x)) is None
        assert self.found(equal(mul(h, a), a), left=total(x)) == {"a": ONE, "h": ONE}
        d = Symbol("d")
        assert self.found(equal(d, TWO), left=Determinant(rot(ZERO))) == {"d": TWO}
        assert self.found(equal(d, ZERO), left=Determinant(rot(ZERO))) is None
        assert self.found(equal(d, q("3/5")), left=Determinant(rot(ZERO))) is None
        assert self.found(equal(m, number(-1)), left=fam("q", m)) == {"m": number(-1)}
        assert self.found(equal(m, q("3/5")), left=fam("q", m)) is None
        assert self.found(equal(m, ZERO), left=fam("q", m)) == {"m": ZERO}

    def test_indices_are_zero(self) -> None:
        over = (Range("i", TWO),)
        assert self.found(equal(i, ZERO), left=fam("q"), ranges=over) == {"i": ZERO}
        assert self.found(equal(i, ONE), left=fam("q"), ranges=over) is None
        assert self.found(positive(add(i, ONE)), left=fam("q"), ranges=over) == {"i": ZERO}
        over = (Range("i", n),)  # the index is below its count, and both are integers
        assert self.found(equal(n, add(i, ONE)), left=fam("q"), ranges=over) == {"i": ZERO, "n": ONE}
        for count in (i, sub(i, ONE), add(i, q("3/5"))):
            assert self.found(equal(n, count), left=fam("q"), ranges=over) is None

    def test_what_is_said_of_entries_in_memory_is_not_met_by_draws(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "TRIALS", 4)
        for says in (positive(Cell("X", ZERO, ONE)), nonzero(Cell("X", ZERO, ONE)), equal(Cell("X", ZERO, ONE), ONE)):
            assert self.found(says) is None

    def test_sequences_are_constant(self) -> None:
        got = witness(Statement(x, x, (equal(pw(fam("e"), 2), fam("e"), "i"),)))
        assert got == {"e": Replacement(("i",), ONE)}

    def test_functions_and_matrices_need_a_model(self) -> None:
        turns = equal(rot(ZERO), Identity(Size(1, "d")))
        for says in (equal(f(ZERO), ONE), turns, equal(ONE, f(ZERO)), equal(x, mul(ZERO, f(ZERO)))):
            assert witness(Statement(x, x, (says,))) is None
        given = {"f": put(ONE, "t")}
        assert witness(Statement(x, x, (equal(f(ZERO), ONE),)), given) == given
        assert witness(Statement(x, x, (equal(f(ZERO), TWO),)), given) is None

    def test_too_many_names(self) -> None:
        names = [Symbol(f"a{k}") for k in range(5)]
        assert self.found(equal(mul(*names[:4]), ONE)) == {f"a{k}": ONE for k in range(4)}
        assert self.found(equal(mul(*names), ONE)) is None

    def test_inequalities_extend_the_equations(self) -> None:
        got = self.found(equal(a, ONE), positive(sub(b, a)), nonzero(c))
        assert got is not None
        assert got["a"] == ONE
        assert got.keys() == {"a", "b", "c"}
        for hypotheses in (
            (positive(x), positive(neg(x))),
            (equal(a, ONE), positive(sub(a, ONE))),
            (nonzero(sub(x, x)),),
        ):
            assert self.found(*hypotheses) is None
        assert self.found(equal(pw(a, 2), a), nonzero(sub(a, ONE))) == {"a": ZERO}
        assert self.found(nonzero(sub(exp(neg(add(pw(x, 2), ONE))), TWO))) is not None
        assert self.found(atleast(sub(x, ONE)), atleast(sub(ONE, x))) == {"x": ONE}
        assert self.found(atleast(neg(x)), nonzero(x)) is not None
        assert self.found(atleast(sub(exp(x), TWO))) is not None
        assert self.found(positive(sub(exp(x), TWO))) is not None
        assert self.found(positive(mul(x, inv(sub(x, x))))) is None

    def test_a_model_has_no_conditions_and_is_checked(self) -> None:
        with pytest.raises(RuleError, match="values that are defined without further conditions"):
            witness(Statement(x, x), {"x": put(inv(y))})
        with pytest.raises(RuleError, match="not real on sight"):
            witness(Statement(x, x), {"x": put(I)})
        ranged = Statement(fam("q"), fam("q"), ranges=(Range("i", TWO),))
        assert witness(ranged, {"i": put(TWO)}) is None
        assert witness(ranged, {"i": put(ONE)}) == {"i": put(ONE)}
        assert witness(Statement(x, x, (equal(a, b),)), {"a": put(ONE)}) is None  # b is not searched for

    def test_matrices_of_inequalities_are_drawn(self) -> None:
        square = Determinant(matrix("W", "d", "d"))
        got = witness(Statement(x, x, (nonzero(square),)))
        assert got is not None
        body = got["W"].body
        assert isinstance(body, Matrix)
        assert number(len(body.rows)) == got["d"].body
        turned = Determinant(rot(y))
        got = witness(Statement(x, x, (positive(turned),)))
        assert got is not None
        assert got["R"].parameters == ("i",)
        assert isinstance(got["R"].body, Identity)
        square_of_two = equal(mul(Symbol("d"), matrix("W", "d", "d")), mul(TWO, matrix("W", "d", "d")))
        assert witness(Statement(x, x, (square_of_two,))) == {"d": put(TWO)}
        got = witness(Statement(x, x, (nonzero(Determinant(free(y))),)))
        assert got is not None
        assert got["A"].parameters == ("i",)
        got = witness(Statement(x, x, (positive(f(y)), nonzero(fam("q"), "k"))))
        assert got is not None
        assert got["f"].parameters == got["q"].parameters == ("i",)
        assert isinstance(got["f"].body, Number)
        assert got["y"].parameters == ()


K = Symbol("k")


class TestDraws:
    """What is tried in which order is part of a witness, and theorems print their witness."""

    STATEMENT = Statement(
        add(total(x), fam("q", add(m, K)), f(y), Determinant(mul(matrix("W", "d", "d"), free(y)))),
        x,
        ranges=(Range("k", n),),
    )

    def drawn(self, name: str, seed: int) -> Replacement:
        model = {"d": put(TWO)}
        return module._drawn(name, self.STATEMENT.used, self.STATEMENT, model, draw=Random(seed), seed=seed)

    def values(self, name: str, parity: int) -> set[Term]:
        return {self.drawn(name, seed).body for seed in range(parity, 200, 2)}

    def test_ranges_of_values(self) -> None:
        small = {number(k) for k in (1, 2, 3)}
        later = {number(F(p, r)) for p in range(-2, 4) for r in (1, 2, 3, 5)}
        for parity in (0, 1):
            assert self.values("h", parity) == self.values("n", parity) == self.values("d", parity) == small
            assert self.values("k", parity) == {ZERO}
        assert self.values("m", 0) == self.values("x", 0) == self.values("q", 0) == small
        assert self.values("x", 1) <= later
        assert len(self.values("x", 1)) > 12
        assert self.values("m", 1) == {number(int(F(p, r))) for p in range(-2, 4) for r in (1, 2, 3, 5)}
        entries = {e for seed in range(60) for row in self.drawn("W", seed).body.rows for e in row}  # type: ignore[union-attr]
        assert entries == {number(k) for k in range(-2, 4)}

    def test_forms(self) -> None:
        assert self.drawn("x", 1).parameters == self.drawn("h", 0).parameters == self.drawn("W", 0).parameters == ()
        assert self.drawn("f", 0).parameters == self.drawn("q", 1).parameters == self.drawn("A", 0).parameters == ("i",)
        shape = self.drawn("W", 3).body
        assert isinstance(shape, Matrix)
        assert [len(row) for row in shape.rows] == [2, 2]
        wide = Statement(matrix("V", "d", "e"), matrix("V", "d", "e"))
        sizes = {"d": put(TWO), "e": put(number(3))}
        drawn = module._drawn("V", wide.used, wide, sizes, draw=Random(0), seed=0).body
        assert isinstance(drawn, Matrix)
        assert [len(row) for row in drawn.rows] == [3, 3]

    def test_budgets(self) -> None:
        assert module.TRIALS == 96
        assert list(module.CANDIDATES) == [F(1), F(0), F(3, 5), F(4, 5), F(-1), F(2)]
