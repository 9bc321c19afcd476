"""The judge against answers that are wrong on purpose: each way in which an answer can be wrong is complained of."""

from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from derivations.kernel import Point, Refuted, Theorem, terms
from derivations.kernel.balls import Ball
from derivations.kernel.terms import Replacement
from trials import asking, judging
from trials.case import Case
from trials.language import (
    IMAGINARY,
    ONE,
    TWO,
    Demand,
    Equation,
    Member,
    Op,
    Raised,
    Total,
    Var,
    exp,
    minus,
    num,
    over,
    plus,
    raised,
    times,
    turned,
)

X, Y, H = Var("x"), Var("y"), Var("h")
NONZERO = Demand("nonzero", X)
POSITIVE = Demand("positive", X)


def pretended(claim: Equation, witness: dict[str, Replacement] | None = None) -> Theorem:
    """What a kernel with a bug would call a theorem; the real class cannot be had."""
    return cast(Theorem, SimpleNamespace(statement=asking.statement(claim), witness=witness or {}))


def proof_complaint(claim: Equation, witness: dict[str, Replacement] | None = None) -> str | None:
    found = judging.false_proof(pretended(claim, witness), claim, Random(0), places=(0, 1) * 6)
    return None if found is None else found.text


@pytest.mark.parametrize(
    "claim",
    [
        Equation(X, Y),
        Equation(turned(X), Op("conj", turned(X))),
        Equation(over(X, X), ONE),
        Equation(over(minus(raised(X, 2), raised(Y, 2)), minus(X, Y)), plus(X, Y)),
        Equation(Raised(raised(X, 2), num(Fraction(1, 2))), X),
        Equation(Op("log", raised(X, 2)), times(TWO, Op("log", X)), (NONZERO,)),
        Equation(Total("i", H, ONE), ONE),
        Equation(Total("i", H, Member("q", Var("i"))), times(H, Member("q", num(0)))),
        Equation(X, raised(X, 2), (Demand("positive", minus(X, Y)),)),
    ],
)
def test_a_false_theorem_is_contradicted(claim: Equation) -> None:
    one = {"x": Replacement((), terms.number(1)), "y": Replacement((), terms.number(-1))}
    assert proof_complaint(claim, one) is not None


@pytest.mark.parametrize(
    "claim",
    [
        Equation(over(X, X), ONE, (NONZERO,)),
        Equation(Op("log", raised(X, 2)), times(TWO, Op("log", X)), (POSITIVE,)),
        Equation(Total("i", H, ONE), H),
        Equation(times(turned(X), Op("conj", turned(X))), ONE),
        Equation(over(ONE, plus(exp(X), exp(Y))), over(ONE, plus(exp(Y), exp(X)))),
    ],
)
def test_a_true_theorem_stands(claim: Equation) -> None:
    assert proof_complaint(claim, {"x": Replacement((), terms.number(1))}) is None


def test_a_witness_must_satisfy_the_hypotheses() -> None:
    claim = Equation(over(X, X), ONE, (NONZERO, Demand("positive", minus(X, TWO))))
    assert "witness" in str(proof_complaint(claim, {"x": Replacement((), terms.number(1))}))
    assert proof_complaint(claim, {"x": Replacement((), terms.number(3))}) is None


def test_another_theorem_than_was_asked_is_complained_of() -> None:
    found = judging.false_proof(pretended(Equation(X, X)), Equation(Y, Y), Random(0), places=judging.TRUE)
    assert found is not None
    assert "another equation" in found.text


FALSE = Equation(times(X, Y), plus(X, Y), (Demand("positive", minus(X, Y)),))
RIGHT = Refuted(
    asking.statement(FALSE),
    Point({"x": Fraction(3), "y": Fraction(1)}, {}, {}),
    Ball.from_fraction(3),
    Ball.from_fraction(4),
    (0, 0),
)


def refutation_complaint(answer: Refuted, claim: Equation, defect: str | None = "sign") -> str | None:
    found = judging.false_refutation(answer, Case("values", claim, defect))
    return None if found is None else found.text.splitlines()[-1].strip()


def test_a_sound_refutation_stands() -> None:
    assert refutation_complaint(RIGHT, FALSE) is None


def test_a_refutation_of_what_is_true_by_construction_is_complained_of() -> None:
    assert refutation_complaint(RIGHT, FALSE, None) == "the claim is true by construction"


@pytest.mark.parametrize(
    ("symbols", "balls", "said"),
    [
        ((1, 3), (3, 4), "(x + ((-1)*y)) > 0 fails there"),
        ((3, 1), (3, 5), "misses the value 4"),
        ((3, 1), (Fraction(1, 3), 4), "misses the value 3"),
        ((2, 2), (4, 4), "(x + ((-1)*y)) > 0 fails there"),
        ((3, Fraction(3, 2)), (Fraction(9, 2), Fraction(9, 2)), "both sides are 9/2 there"),
    ],
)
def test_a_wrong_point_is_complained_of(
    symbols: tuple[Fraction | int, ...], balls: tuple[Fraction | int, ...], said: str
) -> None:
    point = Point({"x": Fraction(symbols[0]), "y": Fraction(symbols[1])}, {}, {})
    answer = replace(RIGHT, point=point, left=Ball.from_fraction(balls[0]), right=Ball.from_fraction(balls[1]))
    assert said in str(refutation_complaint(answer, FALSE))


def test_sides_that_agree_to_200_digits_are_not_apart() -> None:
    claim = Equation(plus(raised(Op("cos", X), 2), raised(Op("sin", X), 2)), ONE)
    one, other = Ball.from_fraction(1), Ball.from_fraction(Fraction(2**127 + 1, 2**127))
    answer = Refuted(asking.statement(claim), Point({"x": Fraction(1)}, {}, {}), one, one, (0, 0))
    assert "both sides are" in str(refutation_complaint(answer, claim))
    assert "misses the value" in str(refutation_complaint(replace(answer, right=other), claim))


def test_a_point_where_a_side_has_no_value_is_complained_of() -> None:
    claim = Equation(over(ONE, X), TWO)
    answer = Refuted(
        asking.statement(claim), Point({"x": Fraction(0)}, {}, {}), Ball.from_fraction(0), Ball.from_fraction(2), (0, 0)
    )
    assert "has no value there" in str(refutation_complaint(answer, claim))


def test_a_sum_over_nothing_is_complained_of() -> None:
    claim = Equation(Total("i", H, IMAGINARY), IMAGINARY)
    point = Point({"h": Fraction(0)}, {}, {})
    answer = Refuted(asking.statement(claim), point, Ball.from_fraction(0), Ball.from_fraction(0, 1), (0, 0))
    assert refutation_complaint(answer, claim) == "a count is below 1"
