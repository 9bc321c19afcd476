"""The three answers: on what a theorem rests, how a refutation reads, and why something stays undecided."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import pytest

from derivations.kernel import (
    Hypothesis,
    Point,
    Range,
    Refuted,
    RuleError,
    Statement,
    Theorem,
    Undecided,
    congruent,
    prove,
)
from derivations.kernel.balls import Ball
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.prove import with_conditions
from derivations.kernel.terms import Block, Identity, Matrix, Size, Symbol, Term, split, strided
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
    h,
    i,
    inv,
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
    rot,
    sub,
    theorem,
    total,
    turn,
    x,
    y,
    z,
)

ALWAYS = {
    *("budget", "sealed", "nodes", "terms", "layouts", "roles", "statement", "shapes"),
    *("values", "quotients", "evaluate", "theorem", "models"),
}
WITNESSED = {"points", "balls", "fixed_point"}
D = Identity(Size(1, "d"))


@pytest.mark.parametrize(
    ("left", "right", "hypotheses", "further"),
    [
        (x, x, (), set()),
        (total(ONE), h, (), {"sums"}),
        (matrix("W", "d"), matrix("W", "d"), (), {"words"}),
        (rot(m), rot(m), (), {"words"}),
        (Block("i", h, strided(1), None, ((x,),)), Block("i", h, strided(1), None, ((x,),)), (), {"matrices"}),
        (Cell("X", i, i), Cell("X", i, i), (), {"cells"}),
        (Reading("X", i, n), Reading("X", i, n), (), {"indices"}),
        (x, x, (positive(y),), WITNESSED),
        (x, x, (positive(total(exp(fam("q")))),), WITNESSED | {"sums"}),
        (pw(x, 2), ONE, (equal(pw(x, 2), ONE),), WITNESSED | {"rules"}),
    ],
)
def test_on_what_a_theorem_rests(
    left: Term, right: Term, hypotheses: tuple[Hypothesis, ...], further: set[str]
) -> None:
    found = theorem(left, right, *hypotheses)
    assert set(found.modules()) == ALWAYS | {"prove"} | further
    assert list(found.modules()) == sorted(found.modules())
    assert (found.method, found.lemmas, found.uses) == ("prove", frozenset(), ())


def test_a_theorem_rests_on_what_it_uses() -> None:
    known = theorem(total(ONE), h)
    assert set(congruent(known, "hole", x).modules()) == ALWAYS | {"inference", "prove", "sums"}


def ball(re: object, im: object = 0) -> Ball:
    return Ball.from_fraction(Fraction(str(re)), Fraction(str(im)))


def test_a_refutation_reads_as_one_line() -> None:
    point = Point({"x": Fraction(1, 2)}, {("q", 0): Fraction(3)}, {("W", None): ((Fraction(1), Fraction(0)),)})
    statement = Statement(x, y)
    one = Refuted(statement, point, ball("1/3"), ball(2, -1), (0, 0))
    assert one.text() == "at x=1/2, q[0]=3, W=[[1, 0]]: left 0.333333, right 2.000000 - 1.000000i"
    two = Refuted(statement, Point({}, {}, {}), ball(1), ball(2), (0, 1), {"f": put(ONE, "t")})
    assert two.text() == "at f as given: left 1.000000, right 2.000000 in entry (0, 1)"
    three = Refuted(statement, point, ball(1), ball(2), (1, 0), {"f": put(ONE, "t"), "g": put(ONE, "t")})
    assert three.text().startswith("at x=1/2, q[0]=3, W=[[1, 0]], f as given, g as given: left")
    assert three.text().endswith("right 2.000000 in entry (1, 0)")


class TestUndecided:
    def test_out_of_fragment(self) -> None:
        answer = prove(Statement(log(add(x, y)), log(add(y, x))))
        assert isinstance(answer, Undecided)
        assert answer.reason == "out of fragment"
        assert answer.detail.startswith("a logarithm")

    def test_limits(self) -> None:
        answer = prove(Statement(pw(x, 513), x))
        assert isinstance(answer, Undecided)
        assert (answer.reason, answer.detail) == ("limit reached", "the power 513 passes the limit of 512")

    def test_depth(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def deep(*_: object) -> None:
            raise RecursionError

        monkeypatch.setattr(import_module("derivations.kernel.prove"), "evaluate", deep)
        answer = prove(Statement(x, x))
        assert isinstance(answer, Undecided)
        assert (answer.reason, answer.detail) == ("limit reached", "the term is nested too deeply")

    @pytest.mark.usefixtures("few_points")
    def test_no_point(self) -> None:
        answer = prove(Statement(total(sub(mul(TWO, i), sub(h, ONE))), ZERO))
        assert isinstance(answer, Undecided)
        assert answer.reason == "no point found"
        assert answer.detail == "the normal forms differ, and no trial point separated the sides"
        answer = prove(Statement(x, x, (positive(y), positive(neg(y)))))
        assert isinstance(answer, Undecided)
        assert answer.detail == "no point was found at which all hypotheses hold together"
        assert (answer.reason, answer.statement.left) == ("no point found", x)


class TestFormsThatDiffer:
    BLOCKS = tuple(Block("i", h, layout, layout, turn(fam("q"))) for layout in (strided(2), split(2)))

    def test_a_point_refutes(self) -> None:
        answer = prove(Statement(add(*self.BLOCKS), mul(TWO, self.BLOCKS[0])))
        assert isinstance(answer, Refuted)

    @pytest.mark.usefixtures("few_points")
    def test_nothing_is_said_where_functions_stand(self) -> None:
        scaled = mul(f(x), add(*self.BLOCKS))
        answer = prove(Statement(scaled, mul(ZERO, self.BLOCKS[0])))
        assert isinstance(answer, Undecided)
        assert answer.reason == "out of fragment"

    def test_nor_where_a_term_is_outside(self) -> None:
        answer = prove(Statement(add(x, f(mul(I, x))), f(mul(I, x))))
        assert isinstance(answer, Undecided)

    def test_an_unequal_matrix_beside_words(self) -> None:
        answer = prove(Statement(matrix("M", Size(2), Size(2)), Identity(Size(2))))
        assert isinstance(answer, Refuted)


class TestConditions:
    def test_what_was_assumed_is_added_once(self) -> None:
        statement = Statement(x, x, (nonzero(y), positive(z)))
        found = with_conditions(statement, [nonzero(x), nonzero(y), nonzero(z), nonzero(x)])
        assert found.hypotheses == (nonzero(y), positive(z), nonzero(x))
        assert with_conditions(statement, []) is statement
        assert with_conditions(statement, [nonzero(y)]) is statement
        quantified = Statement(x, x, (positive(fam("q"), "i"),))
        assert with_conditions(quantified, [nonzero(fam("q"), "i")]) is quantified
        assert with_conditions(quantified, [nonzero(fam("q"))]).hypotheses[1:] == (nonzero(fam("q")),)
        assert with_conditions(Statement(x, x, (nonzero(y),)), [positive(y)]).hypotheses == (nonzero(y), positive(y))

    def test_they_become_hypotheses_of_the_theorem(self) -> None:
        assert theorem(mul(x, inv(x), y), y).hypotheses == (nonzero(x),)
        assert theorem(x, x).witness == {}

    def test_entries_of_matrices_may_have_divisors(self) -> None:
        """Rules are put to entries without a divisor of several terms; without rules there is no such limit."""
        one, two = (Matrix(((inv(side), x),)) for side in (add(x, y), add(y, x)))
        assert set(theorem(one, two).hypotheses) == {nonzero(add(x, y)), nonzero(add(y, x))}
        answer = prove(Statement(one, two, (equal(z, ONE),)))
        assert isinstance(answer, Undecided)
        assert answer.reason == "out of fragment"


class TestUsing:
    def test_names_are_quantified_but_for_what_hypotheses_fix(self) -> None:
        known = theorem(mul(x, fam("q", ONE)), x, equal(fam("q", ONE), ONE))
        answer = prove(Statement(mul(y, fam("q", ONE)), y, known.hypotheses), using=(known,), idle=known.hypotheses)
        assert isinstance(answer, Theorem)
        assert answer.rewrites == (("using 1", 1),)
        assert answer.uses == (known,)

    def test_only_what_was_used_is_listed(self) -> None:
        one, two = theorem(exp(mul(ZERO, x)), ONE), theorem(mul(fam("q"), fam("r")), mul(fam("r"), fam("q")))
        answer = prove(Statement(x, x), using=(two,))
        assert isinstance(answer, Theorem)
        assert answer.uses == ()
        with pytest.raises(RuleError, match="a hypothesis that the statement lacks"):
            prove(Statement(x, x), using=(theorem(mul(x, inv(x)), ONE),))
        assert one.hypotheses == ()

    def test_counts_ranges_and_meanings_agree(self) -> None:
        counted = theorem(mul(x, total(ONE)), mul(h, x))
        ranged = prove(Statement(mul(fam("q"), x), mul(x, fam("q")), ranges=(Range("i", n),)))
        assert isinstance(ranged, Theorem)
        for known, statement in (
            (counted, Statement(mul(h, x), x)),
            (ranged, Statement(x, x)),
            (ranged, Statement(total(x, "j", n), mul(n, x))),
            (ranged, Statement(x, x, ranges=(Range("i", m),))),
        ):
            with pytest.raises(RuleError, match="a count or a range that the statement lacks"):
                prove(statement, using=(known,))
        with pytest.raises(RuleError, match="another size or meaning"):
            prove(Statement(fam("x"), fam("x")), using=(theorem(x, add(x, ZERO)),))

    def test_a_model_serves_where_an_equation_fails(self) -> None:
        """The stored model refutes first; where it cannot, a point of its own is tried."""
        circle = equal(add(pw(a, 2), neg(ONE)), neg(pw(b, 2)))
        idle = prove(Statement(a, b, (circle,)), idle=(circle,))
        assert isinstance(idle, Refuted)
        assert idle.point.symbols["a"] ** 2 + idle.point.symbols["b"] ** 2 == 1
        given = prove(Statement(a, b, (circle,)), idle=(circle,), model={"a": put(ZERO), "b": put(ONE)})
        assert isinstance(given, Refuted)
        assert given.point.symbols == {"a": 0, "b": 1}
        says = (equal(f(ZERO), ONE), nonzero(Symbol("c")))
        stored = prove(Statement(f(ZERO), TWO, says), model={"f": put(ONE, "t")})
        assert isinstance(stored, Refuted)
        assert stored.given == {"f": put(ONE, "t")}
        mixed = prove(Statement(a, x, (equal(a, ONE), nonzero(Symbol("c")))))
        assert isinstance(mixed, Refuted)
        assert mixed.point.symbols["a"] == 1
