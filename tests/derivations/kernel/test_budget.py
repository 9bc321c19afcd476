"""Sizes of terms and steps of proofs: what is counted, and where work ends."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.kernel import (
    Hypothesis,
    LimitReached,
    Point,
    Statement,
    Undecided,
    budget,
    prove,
    sealed,
)
from derivations.kernel import values as v
from derivations.kernel.budget import bounded, limited, spend, spend_on_digits, weighed
from derivations.kernel.errors import WrongType
from derivations.kernel.layouts import split, strided
from derivations.kernel.points import rational_at, turn_power
from derivations.kernel.terms import (
    Add,
    Apply,
    Derivative,
    IndexedSum,
    Matrix,
    Pi,
    Term,
    Transpose,
    number,
)
from tests.derivations.kernel.building import ONE, ZERO, add, h, mul, pw, total, x, y


def levels(count: int) -> Term:
    deep: Term = x
    for _ in range(count - 1):
        deep = Transpose(deep)
    return deep


def nodes(doublings: int) -> Term:
    """A term of 2^(doublings + 1) - 1 nodes, counted as a tree, that shares all of them."""
    wide: Term = x
    for _ in range(doublings):
        wide = Add((wide, wide))
    return wide


class TestSizes:
    def test_terms_know_their_nodes_and_levels(self) -> None:
        assert x.inside == Pi().inside == ONE.inside == ((), 1, 1)
        assert Add(()).inside == ((), 1, 1)
        assert add(x, mul(x, y)).inside == ((x, mul(x, y)), 5, 3)
        assert total(x).inside == ((h, x), 3, 2)
        assert Matrix(((x, y),)).inside == ((x, y), 3, 2)
        assert Derivative(pw(x, 2), "x").inside[1:] == (4, 3)
        assert IndexedSum("i", h, x) == total(x)
        assert Apply("exp", x).inside == ((x,), 2, 2)

    def test_levels(self) -> None:
        assert levels(100).inside[2] == 100
        with pytest.raises(
            LimitReached, match="101 nodes, repetitions counted, on 101 levels; the limits are 250000 and 100"
        ):
            levels(101)

    def test_nodes(self) -> None:
        assert nodes(16).inside[1] == 2**17 - 1
        with pytest.raises(LimitReached, match="the term has 262143 nodes"):
            nodes(17)
        with pytest.raises(LimitReached, match="the term has 262142 nodes"):
            Statement(nodes(16), nodes(16))
        with pytest.raises(LimitReached, match="the term has 262142 nodes"):
            Hypothesis("equal", nodes(16), nodes(16))
        assert Statement(nodes(9), y, (Hypothesis("positive", y),)).nodes() == 2**10 - 1 + 1 + 2
        wide = Add((nodes(16), nodes(15)))
        for sides in ((wide, nodes(15)), (nodes(15), wide)):
            with pytest.raises(LimitReached, match="the term has 262142 nodes"):
                Hypothesis("equal", *sides)
        with pytest.raises(LimitReached, match="has too many nodes"):
            sealed.require_size(10**12)
        with pytest.raises(LimitReached, match="has 999999999999 nodes"):
            sealed.require_size(10**12 - 1)
        sealed.require_size(250_000, 100)

    def test_what_only_looks_like_a_term(self) -> None:
        empty = object.__new__(Add)
        with pytest.raises(WrongType, match=r"it: wanted a term.* saw an Add"):
            sealed.inside_of(empty, "it")
        assert sealed.inside_of(x, "it") == ((), 1, 1)

    def test_layouts(self) -> None:
        assert len(strided(4096).slots) == 4096
        for make in (strided, split):
            with pytest.raises(LimitReached, match="a layout of 4097 slots passes the limit of 4096"):
                make(4097)

    def test_exact_values_at_points(self) -> None:
        at = Point({"x": Fraction(1, 2)}, {}, {})
        assert rational_at(pw(x, 8192), at) == Fraction(1, 1 << 8192)
        assert rational_at(pw(x, -8192), at) == 1 << 8192
        for exponent in (8193, -8193):
            with pytest.raises(LimitReached, match="an exact value at a point passes the limit of 8192 bits"):
                rational_at(pw(x, exponent), at)
        half = pw(x, 5000)
        assert rational_at(mul(half, ONE), at) == Fraction(1, 1 << 5000)
        assert rational_at(add(half, ZERO), at) == Fraction(1, 1 << 5000)
        with pytest.raises(LimitReached, match="an exact value"):
            rational_at(mul(half, half), at)
        with pytest.raises(LimitReached, match="an exact value"):
            rational_at(add(mul(pw(x, 8192), ONE), pw(number(Fraction(1, 3)), 20)), at)

    def test_turns_at_points(self) -> None:
        assert turn_power((Fraction(0), Fraction(1)), 512) == (Fraction(1), Fraction(0))
        assert turn_power((Fraction(0), Fraction(1)), -512) == (Fraction(1), Fraction(0))
        for n in (513, -513):
            with pytest.raises(LimitReached, match=f"a rotation is turned {n} times"):
                turn_power((Fraction(0), Fraction(1)), n)


class TestSteps:
    def test_outside_a_proof_nothing_is_counted(self) -> None:
        spend(10**9)

    def test_a_budget_is_used_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 10)
        with limited():
            spend(7)
            spend(3)
            with limited(), pytest.raises(LimitReached, match="the proof passes the limit of 10 steps"):
                spend(1)
            with pytest.raises(LimitReached, match="10 steps"):
                spend(0)
        with limited():
            spend(10)
        spend(11)

    def test_deep_recursion_is_a_limit(self) -> None:
        def deep() -> int:
            return deep()

        with pytest.raises(LimitReached, match="nested too deeply"), limited():
            deep()

    def test_a_function_in_a_budget(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 10)

        @bounded
        def work(steps: int, *, result: str) -> str:
            spend(steps)
            return result

        assert work(10, result="done") == "done"
        assert work.__name__ == "work"
        with pytest.raises(LimitReached):
            work(11, result="done")

    def test_long_numbers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 10)
        with pytest.raises(LimitReached, match="a coefficient passes the limit of 131072 bits"):
            spend_on_digits((1 << 17) + 1)
        with limited():
            spend_on_digits(3 * 2048)
            spend_on_digits(2047)
            with pytest.raises(LimitReached, match="10 steps"):
                spend_on_digits(2 * 2048)
        spend_on_digits(1 << 17)

    def test_heavy_exponents(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 30)
        plain = v.total(v.atom(("symbol", f"a{k}")) for k in range(50))
        assert weighed(plain) is plain
        families = v.total(v.atom(("family", f"q{k}", v.frozen(plain))) for k in range(50))
        assert weighed(families) is families
        turns = v.add(v.atom(v.PI), v.total(v.atom(v.PI, k) for k in range(2, 50)))
        assert weighed(turns) is turns
        light = v.cosine(v.atom(("symbol", "a")))
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 60)
        assert weighed(light) is light
        with pytest.raises(LimitReached, match="an exponent or argument has more than 60 parts"):
            weighed(v.total(v.cosine(v.atom(("symbol", f"a{k}"))) for k in range(9)))

    def test_the_weight_of_an_exponent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """One atom f(): the term, its monomial and phase, the power, the atom and its exponent, and four parts."""
        inside: v.Atom = ("function", "f", 0, v.NO_PHASE)
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 10)
        assert weighed(v.atom(inside)) == v.atom(inside)
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 9)
        plain = v.atom(("symbol", "a"))
        for heavy in (v.atom(inside), v.add(plain, v.atom(inside)), v.multiply(plain, v.atom(inside))):
            with pytest.raises(LimitReached, match="more than 9 parts"):
                weighed(heavy)

    def test_a_proof_beyond_its_steps_is_undecided(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 3)
        answer = prove(Statement(mul(add(x, y), add(x, y)), ZERO))
        assert isinstance(answer, Undecided)
        assert answer.reason == "limit reached"
        assert "3 steps" in answer.detail

    def test_budgets(self) -> None:
        steps = (budget.STEPS, budget.BIT_LIMIT, budget.LONG, budget.WEIGHT_LIMIT)
        assert steps == (400_000, 1 << 17, 1 << 11, 20_000)
        assert (sealed.NODE_LIMIT, sealed.LEVEL_LIMIT) == (250_000, 100)
