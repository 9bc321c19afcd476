"""The search for a refuting point: which points are tried, and when a hypothesis certainly holds at one."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from derivations.kernel import Hypothesis, Point, Range, Statement
from derivations.kernel import search as module
from derivations.kernel.balls import Ball
from derivations.kernel.models import TRIALS
from derivations.kernel.search import WINDOW_LIMIT, refutation
from derivations.kernel.terms import (
    Add,
    Determinant,
    Identity,
    Matrix,
    Multiply,
    Number,
    Power,
    Size,
    Symbol,
    Term,
    number,
    walk,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
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
    put,
    pw,
    q,
    rot,
    sub,
    total,
    x,
    y,
)

F = Fraction
K, L = Symbol("k"), Symbol("l")


def atleast(term: Term) -> Hypothesis:
    return Hypothesis("nonnegative", term)


class TestRefutations:
    def test_the_first_point_that_separates(self) -> None:
        found = refutation(Statement(x, ZERO))
        assert found is not None
        assert found.point.symbols == {"x": 1}
        assert found.point.seed is None
        assert (found.left, found.right) == (Ball.from_fraction(1), Ball.from_fraction(0))
        assert (found.entry, found.given) == ((0, 0), {})

    def test_the_first_entry_that_differs(self) -> None:
        found = refutation(Statement(Matrix(((x, y), (ONE, x))), Matrix(((x, y), (TWO, x)))))
        assert found is not None
        assert found.entry == (1, 0)
        assert (found.left, found.right) == (Ball.from_fraction(1), Ball.from_fraction(2))
        found = refutation(Statement(Matrix(((x, ONE),)), Matrix(((x, TWO),))))
        assert found is not None
        assert found.entry == (0, 1)

    def test_none_for_a_true_statement(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "TRIALS", 6)
        assert refutation(Statement(mul(x, y), mul(y, x))) is None

    def test_points_where_something_is_undefined_are_passed_over(self) -> None:
        found = refutation(Statement(log(neg(x)), y))
        assert found is not None
        assert found.point.symbols["x"] < 0
        found = refutation(Statement(inv(sub(x, ONE)), y))  # the first point has x = 1
        assert found is not None
        assert found.point.symbols["x"] != 1

    def test_functions_become_polynomials(self) -> None:
        found = refutation(Statement(f(x), f(y)))
        assert found is not None
        body = found.given["f"].body
        assert isinstance(body, Add)
        assert found.given["f"].parameters == ("t",)
        drawn = [part.factors[0] for part in body.terms[1:] if isinstance(part, Multiply)]
        assert [body.terms[0], *drawn] == [number(-1), number(-2), number(0), number(-2)]
        powers = [part.factors[1] for part in body.terms[1:] if isinstance(part, Multiply)]
        assert powers == [Power(Symbol("t"), number(k)) for k in (1, 2, 3)]

    def test_a_model_is_put_in_and_shown(self) -> None:
        circle = equal(pw(a, 2), sub(ONE, pw(b, 2)))
        model = {"a": put(q("3/5")), "b": put(q("4/5")), "e": put(y, "t")}
        found = refutation(Statement(add(a, fam("e")), add(b, fam("e")), (circle,)), model)
        assert found is not None
        assert (found.point.symbols["a"], found.point.symbols["b"]) == (F(3, 5), F(4, 5))
        assert dict(found.given) == {"e": put(y, "t")}
        assert "y" in found.point.symbols
        assert found.point.families == {}
        idempotent = equal(pw(fam("e"), 2), fam("e"), "i")
        found = refutation(Statement(a, b, (idempotent, equal(a, ONE))), {"a": put(ONE)})
        assert found is not None
        assert found.point.families == {}
        found = refutation(Statement(a, ZERO), {"a": put(exp(y))})
        assert found is not None
        assert found.given == {"a": put(exp(y))}
        found = refutation(Statement(x, ZERO, (positive(sub(x, TWO)), equal(a, ONE))), {"a": put(ONE)})
        assert found is not None
        assert found.point.symbols["x"] > 2

    def test_an_equation_is_not_asked_of_a_model(self) -> None:
        """The model was checked before; without one the equation is checked at the point, here a * a = 2."""
        irrational = equal(pw(a, 2), TWO)
        assert refutation(Statement(a, ZERO, (irrational,)), {"a": put(ONE)}) is not None
        assert refutation(Statement(a, ZERO, (irrational,))) is None

    def test_inequalities_hold_at_the_point(self) -> None:
        found = refutation(Statement(x, ZERO, (positive(sub(x, TWO)),)))
        assert found is not None
        assert found.point.symbols["x"] > 2
        found = refutation(Statement(x, TWO, (atleast(sub(x, TWO)),)))
        assert found is not None
        assert found.point.symbols["x"] > 2
        found = refutation(Statement(x, ONE, (atleast(neg(x)),)))
        assert found is not None
        assert found.point.symbols["x"] <= 0

    def test_a_quantified_hypothesis_is_asked_last(self) -> None:
        """The other hypothesis draws q[5], which the quantified one must then know of."""
        of_all = positive(add(fam("q", K), q("3/2")), "k")
        one = nonzero(fam("q", number(5)))
        found = refutation(Statement(x, ZERO, (of_all, one)))
        assert found is not None
        assert found.point.families["q", 5] > F(-3, 2)

    def test_a_quantified_hypothesis_is_asked_when_the_sides_have_drawn(self) -> None:
        """q[0] is 2, so q[k] - 2 q[k + 1] would vanish at k = 0 while q[1] is not drawn and counts as 1."""
        never = nonzero(sub(fam("q", K), mul(TWO, fam("q", add(K, ONE)))), "k")
        first = fam("q", ZERO)
        is_two = atleast(sub(first, TWO)), atleast(sub(TWO, first))
        found = refutation(Statement(fam("q", ONE), number(7), (*is_two, never)))
        assert found is not None
        assert found.point.families["q", 0] == 2
        assert found.point.families["q", 1] not in (1, 2)

    def test_switches(self) -> None:
        idempotent = equal(pw(fam("e"), 2), fam("e"), "i")
        found = refutation(Statement(total(fam("e")), total(fam("e", add(i, ONE))), (idempotent,)))
        assert found is not None
        assert set(found.point.families.values()) == {0, 1}
        drawn = [module._switches(Statement(x, x, (idempotent, nonzero(fam("q")))), seed) for seed in range(8)]
        assert all(switches.keys() == {("e", 0), ("e", 1), ("e", 2)} for switches in drawn)
        assert {value for switches in drawn for value in switches.values()} == {0, 1}
        assert [[int(value) for value in switches.values()] for switches in drawn[:3]] == [
            [0, 1, 1],
            [1, 0, 1],
            [0, 1, 1],
        ]
        pair = equal(mul(fam("r"), fam("e")), ZERO, "i")
        assert {name for name, _ in module._switches(Statement(x, x, (pair,)), 0)} == {"e", "r"}


POINT = Point({"x": F(1, 2), "m": F(2)}, {("q", 0): F(3), ("q", 4): F(0), ("q", -2): F(-1), ("r", 1): F(2)}, {})


class TestHypothesesAtPoints:
    @pytest.mark.parametrize(
        ("hypothesis", "holds"),
        [
            (positive(x), True),
            (positive(neg(x)), False),
            (nonzero(neg(x)), True),
            (nonzero(sub(x, q("1/2"))), False),
            (atleast(sub(x, q("1/2"))), True),
            (atleast(neg(x)), False),
            (atleast(x), True),
            (equal(mul(TWO, x), ONE), True),
            (equal(x, ONE), False),
            (positive(exp(neg(x))), True),
            (positive(sub(exp(x), TWO)), False),
            (nonzero(mul(I, x)), True),
            (positive(mul(I, x)), False),
        ],
    )
    def test_without_quantifier(self, hypothesis: Hypothesis, holds: bool) -> None:
        assert module._holds_at(hypothesis, Statement(x, x, (hypothesis,)), POINT) is holds

    @pytest.mark.parametrize(
        ("hypothesis", "holds"),
        [
            (positive(fam("r", K), "k"), True),  # r[1] = 2, all others 1
            (nonzero(fam("q", K), "k"), False),  # q[4] = 0
            (positive(add(fam("q", K), TWO), "k"), True),
            (nonzero(fam("q", mul(TWO, K)), "k"), False),
            (nonzero(fam("q", add(mul(TWO, K), ONE)), "k"), True),
            (nonzero(add(fam("q", neg(K)), ONE), "k"), False),  # at k = 2: -1 + 1
            (positive(sub(fam("r", K), ONE), "k"), False),  # 1 - 1 elsewhere
            (equal(pw(fam("r", K), 2), fam("r", K), "k"), False),
            (equal(mul(sub(fam("r", K), ONE), sub(fam("r", K), TWO)), ZERO, "k"), True),
            (nonzero(add(fam("q", K), fam("r", K)), "k"), True),
            (nonzero(add(fam("q", K), fam("r", add(K, number(3)))), "k"), True),  # at k = -2: -1 + 2, at 4: 0 + 1
            (nonzero(fam("q", add(K, L)), "k", "l"), False),  # two quantified names in one index are not judged
            (nonzero(mul(fam("r", K), fam("r", L)), "k", "l"), True),
            (nonzero(mul(fam("r", K), fam("q", L)), "k", "l"), False),
            (nonzero(add(fam("r", K), K), "k"), False),  # k stands outside an index
            (nonzero(fam("r", mul(K, K)), "k"), False),
            (nonzero(fam("r", mul(x, K)), "k"), False),
            (nonzero(fam("r", sub(K, K)), "k"), False),
            (nonzero(add(total(fam("r", j), "j"), fam("r", K)), "k"), False),
            (equal(ONE, fam("r", K), "k"), False),  # at k = 1
            (equal(sub(fam("r", K), fam("r", K)), mul(K, sub(K, ONE)), "k"), False),  # holds at 0 and 1 alone
        ],
    )
    def test_with_quantifiers(self, hypothesis: Hypothesis, holds: bool) -> None:
        statement = Statement(x, x, (hypothesis,))
        assert module._holds_at(hypothesis, statement, POINT) is holds

    def test_what_holds_on_sight_is_not_evaluated(self) -> None:
        says = positive(add(exp(f(y)), K), "k")
        assert module._holds_at(says, Statement(x, x, (says,)), POINT)
        ranged = Statement(fam("q", j), x, (positive(add(j, ONE)),), (Range("j", n),))
        assert module._holds_at(positive(add(j, ONE)), ranged, Point({}, {}, {}))
        counted = Statement(total(x), x, (positive(h),))
        assert module._holds_at(positive(h), counted, Point({}, {}, {}))

    def test_too_many_choices(self, monkeypatch: pytest.MonkeyPatch) -> None:
        says = nonzero(mul(fam("r", K), fam("r", L)), "k", "l")
        statement = Statement(x, x, (says,))
        monkeypatch.setattr(module, "WINDOW_LIMIT", 4)  # {1, 0} for each of the two names
        assert module._holds_at(says, statement, POINT)
        monkeypatch.setattr(module, "WINDOW_LIMIT", 3)
        assert not module._holds_at(says, statement, POINT)

    def test_windows(self) -> None:
        def window(index: Term, kind: str = "nonzero", *names: str) -> list[int] | None:
            says = Hypothesis(kind, fam("q", index), forall=names or ("k",))  # type: ignore[arg-type]
            members = [says.left]
            return module._window("k", says, members, POINT)  # type: ignore[arg-type]

        assert window(K) == [0, 4, 1]
        assert window(K, "equal") == [-2, 0, 4, 1]
        assert window(neg(K)) == [0, 2, 1]
        assert window(mul(TWO, K)) == [0, 2, 1]
        assert window(add(mul(TWO, K), ONE)) == [0]
        assert window(sub(K, number(4))) == [2, 4, 8, 0]
        assert window(add(K, m)) == [2, 0]
        assert window(add(K, L), "nonzero", "k", "l") is None
        assert window(mul(K, K)) is None
        assert window(sub(K, K)) is None
        assert window(add(K, x)) is None
        assert window(ONE) == [0]

    def test_what_was_not_drawn_is_one(self) -> None:
        members = [fam("q", m), fam("q", ZERO), fam("s", m)]
        filled = module._filled(POINT, members)  # type: ignore[arg-type]
        assert filled.families == {**POINT.families, ("q", 2): 1, ("s", 2): 1}
        assert ("q", 2) not in POINT.families

    def test_names_outside_indices(self) -> None:
        term = add(fam("q", K), mul(x, f(y)), pw(L, 2))
        assert module._outside_indices(term) == {"q", "x", "y", "l"}
        assert module._outside_indices(total(fam("q", i))) == {"h", "q"}


class TestDraws:
    """Which points are tried in which order; goldens show such points."""

    def symbols(self, statement: Statement, seed: int) -> dict[str, Fraction]:
        return module._drawn(statement, seed).symbols

    def values(self, statement: Statement, name: str, seeds: range) -> set[Fraction]:
        return {self.symbols(statement, seed)[name] for seed in seeds}

    def test_counts_and_sizes(self) -> None:
        counted = Statement(add(total(x), Determinant(rot(ZERO))), x)
        for name in "hd":
            assert self.values(counted, name, range(1)) == {1}
            assert self.values(counted, name, range(1, 2)) <= {2, 3}
            assert self.values(counted, name, range(2, 60)) == {2, 3, 4}

    def test_real_numbers(self) -> None:
        plain = Statement(add(x, y), x)
        assert self.values(plain, "x", range(24)) == {F(n) for n in range(-2, 4)}
        later = self.values(plain, "x", range(24, 96))
        assert later <= {F(n, d) for n in range(-2, 4) for d in (1, 2, 3, 5)}
        assert any(value.denominator == 5 for value in later)
        assert module._drawn(plain, 3).seed == 3
        assert module._drawn(plain, 3) == module._drawn(plain, 3)

    def test_positive_numbers(self) -> None:
        for statement in (
            Statement(pw(x, q("1/2")), y),
            Statement(log(x), y),
            Statement(x, y, (positive(x),)),
        ):
            assert self.values(statement, "x", range(24)) == {F(n) for n in range(1, 7)}
            later = self.values(statement, "x", range(24, 96))
            assert later <= {F(n, d) for n in range(1, 7) for d in (1, 2, 3)}
            assert {value.denominator for value in later} == {1, 2, 3}
        assert min(self.values(Statement(pw(x, 2), y), "x", range(24))) < 0
        assert min(self.values(Statement(exp(x), y, (nonzero(x),)), "x", range(24))) < 0

    def test_integers(self) -> None:
        whole = {F(n) for n in range(-3, 4)}
        for statement in (
            Statement(fam("q", x), ONE),
            Statement(Determinant(free(x)), ONE),
            Statement(Determinant(rot(y)), x),
        ):
            assert self.values(statement, "x", range(96)) == whole
        positive_index = Statement(fam("q", x), ONE, (positive(x),))
        assert self.values(positive_index, "x", range(96)) == {F(n) for n in range(1, 7)}
        positive_angle = Statement(Determinant(rot(x)), ONE, (positive(x),))
        assert self.values(positive_angle, "x", range(96)) == {F(n) for n in range(1, 7)}

    def test_indices_lie_in_their_ranges(self) -> None:
        ranged = Statement(fam("q", j), x, ranges=(Range("j", number(3)), Range("k", n)))
        assert self.values(ranged, "j", range(40)) == {0, 1, 2}
        for seed in range(40):
            drawn = self.symbols(ranged, seed)
            assert 0 <= drawn["k"] < drawn["n"]

    def test_rational_values_come_from_seed_24_on(self) -> None:
        logs = Statement(add(log(a), log(b), log(x)), y)
        assert self.symbols(logs, 23) == {"a": 3, "b": 1, "x": 1, "y": 2}
        assert self.symbols(logs, 24) == {"a": F(4, 3), "b": F(2, 3), "x": 2, "y": F(-1, 2)}
        assert self.symbols(logs, 25) == {"a": F(1, 2), "b": 3, "x": F(4, 3), "y": F(-2, 3)}

    def test_polynomials(self) -> None:
        firsts: set[Term] = set()
        others: set[Term] = set()
        for seed in range(40):
            body = module._polynomial(Random(seed)).body
            assert isinstance(body, Add)
            first, *rest = body.terms
            firsts.add(first)
            others |= {part.factors[0] for part in rest if isinstance(part, Multiply)}
        assert firsts == others == {number(k) for k in range(-2, 4)}
        assert len({module._polynomial(Random(seed)) for seed in range(5)}) > 1

    def test_names_that_are_needed_positive(self) -> None:
        statement = Statement(
            add(pw(a, b), log(x), pw(y, 2), pw(K, number(1, 1)), exp(L), log(add(m, ONE))),
            ONE,
            (positive(n), nonzero(j)),
        )
        nodes = [node for side in statement.terms() for node in walk(side)]
        assert module._positive_names(statement, nodes) == {"a", "x", "k", "n"}

    def test_budgets(self) -> None:
        assert (TRIALS, WINDOW_LIMIT) == (96, 512)


def test_functions_are_drawn_anew_for_every_seed() -> None:
    """f(0) = f(1) holds at some polynomials; one that tells them apart is found."""
    for k in range(4):
        found = refutation(Statement(f(ZERO, f"f{k}"), f(ONE, f"f{k}")))
        assert found is not None
        assert found.given.keys() == {f"f{k}"}
    assert isinstance(number(1), Number)
    assert Identity(Size(1)) != matrix("W", "d")
