"""The judge of matrices against answers that are wrong on purpose: each way to be wrong is complained of."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from derivations.kernel import Point, Refuted, Theorem, Undecided, prove
from derivations.kernel.balls import Ball
from derivations.kernel.terms import Replacement, number
from trials import asking_matrices, judging_matrices
from trials.language import Demand, Equation, Member, Product, Raised, Reach, Sum, Total, Var, num
from trials.language_matrices import Blocks, Entry, Flat, Flipped, Letter, Turning, coordinates

D, SCALAR = (1, "d"), (1, "")
A, B, U = Letter("A", D, D), Letter("B", D, D), Letter("u", D, SCALAR)
I, J, K, H, X = (Var(name) for name in ("i", "j", "K", "h", "x"))  # noqa: E741 - the index i of the formulas
LAYOUTS = [Blocks("i", "h", (kind, (0, 1)), None, ((Member("x", I),), (num(0),))) for kind in ("halves", "interleaved")]
RANGES = (Reach("i", Var("L")), Reach("j", K))


def pretended(claim: Equation, witness: dict[str, Replacement] | None = None) -> Theorem:
    """What a kernel with a bug would call a theorem; the real class cannot be had."""
    return cast(Theorem, SimpleNamespace(statement=asking_matrices.statement(claim), witness=witness or {}))


def complaint(claim: Equation, witness: dict[str, Replacement] | None = None) -> str | None:
    found = judging_matrices.false_proof(pretended(claim, witness), claim, Random(0), largest=4, places=12)
    return None if found is None else found.text


FALSE = {
    "factors exchanged": Equation(Product((A, B)), Product((B, A))),
    "a transposition lost": Equation(Product((Flipped(U), A, U)), Product((Flipped(U), U))),
    "another layout": Equation(LAYOUTS[0], LAYOUTS[1]),
    "a wrong angle": Equation(Turning("R", X, D), Turning("R", Sum((X, num(1))), D)),
    "another family": Equation(Turning("R", X, D), Turning("T", X, D)),
    "one entry further": Equation(Flat("X", Sum((Product((I, K)), J)), K), Entry("X", I, Sum((J, num(1)))), (), RANGES),
    "past the end of a row": Equation(
        Flat("X", Sum((Product((I, K)), J, num(1))), K), Entry("X", I, Sum((J, num(1)))), (), RANGES
    ),
    "one term less": Equation(
        Total("i", H, Member("x", I)), Sum((Total("i", H, Member("x", I)), Product((num(-1), Member("x", num(0))))))
    ),
    "a side without a value": Equation(
        Product((Sum((X, Product((num(-1), X)))), Raised(Sum((X, Product((num(-1), X)))), num(-1)))), num(1)
    ),
}  # fmt: skip


@pytest.mark.parametrize("claim", FALSE.values(), ids=FALSE)
def test_a_false_proof_is_complained_of(claim: Equation) -> None:
    assert complaint(claim) is not None


TRUE = {
    "transposed product": Equation(Flipped(Product((A, B))), Product((Flipped(B), Flipped(A)))),
    "where the condition holds": Equation(
        Flat("X", Sum((Product((I, K)), J, num(1))), K),
        Entry("X", I, Sum((J, num(1)))),
        (Demand("nonnegative", Sum((K, num(-2), Product((num(-1), J))))),),
        RANGES,
    ),
}


@pytest.mark.parametrize("claim", TRUE.values(), ids=TRUE)
def test_a_true_theorem_is_not(claim: Equation) -> None:
    witness = {"K": Replacement((), number(2)), "j": Replacement((), number(0))}
    assert complaint(claim, witness if claim.demands else None) is None


def test_another_equation_than_was_asked() -> None:
    theorem = pretended(Equation(A, A))
    assert judging_matrices.false_proof(theorem, Equation(B, B), Random(0)) is not None


def test_a_witness_that_breaks_a_condition() -> None:
    claim = Equation(X, X, (Demand("positive", X),))
    assert complaint(claim, {"x": Replacement((), number(2))}) is None
    assert "witness" in (complaint(claim, {"x": Replacement((), number(-2))}) or "")


def ball(value: int) -> Ball:
    return Ball.from_fraction(Fraction(value), bits=128)


def refuted(claim: Equation, point: Point, left: int, right: int) -> Refuted:
    return Refuted(asking_matrices.statement(claim), point, ball(left), ball(right), (0, 0))


def rows(*entries: int) -> tuple[tuple[Fraction, ...], ...]:
    return (tuple(map(Fraction, entries)),)


READ = Equation(Flat("X", Sum((Product((I, K)), J)), K), Entry("X", J, I), (), RANGES)
HELD = Equation(Member("x", num(0)), num(1), (Demand("nonzero", Member("x", I), forall=("i",)),))
SMALL = {"K": Fraction(2), "L": Fraction(2), "i": Fraction(0), "j": Fraction(1)}
CELLS = {("X[0]", 1): Fraction(5), ("X[1]", 0): Fraction(7)}
POINTS = {
    "the sides are equal there": (
        Equation(Product((A, B)), Product((B, A))),
        Point({"d": Fraction(1)}, {}, {("A", None): rows(2), ("B", None): rows(3)}),
        (6, 6),
    ),
    "an index out of range": (READ, Point({**SMALL, "i": Fraction(2)}, CELLS, {}), (5, 7)),
    "a count below one": (Equation(Total("i", H, num(1)), num(3)), Point({"h": Fraction(0)}, {}, {}), (0, 3)),
    "a condition fails": (HELD, Point({}, {("x", 0): Fraction(2), ("x", 3): Fraction(0)}, {}), (2, 1)),
    "another value": (HELD, Point({}, {("x", 0): Fraction(2)}, {}), (3, 1)),
}  # fmt: skip


@pytest.mark.parametrize(("claim", "point", "values"), POINTS.values(), ids=POINTS)
def test_a_wrong_point_is_complained_of(claim: Equation, point: Point, values: tuple[int, int]) -> None:
    answer = refuted(claim, point, *values)
    found = judging_matrices.judged(claim, "sign", answer, Random(0)).complaint
    assert found is not None
    assert found.kind == "false refutation"


def test_a_right_point_is_accepted_unless_the_claim_is_true() -> None:
    member = Point({}, {("x", 0): Fraction(2)}, {})
    for claim, point, values in ((READ, Point(SMALL, CELLS, {}), (5, 7)), (HELD, member, (2, 1))):
        answer = refuted(claim, point, *values)
        assert judging_matrices.judged(claim, "sign", answer, Random(0)).complaint is None
        assert judging_matrices.judged(claim, None, answer, Random(0)).complaint is not None


def test_other_answers_are_counted_by_their_reason() -> None:
    answer = Undecided(asking_matrices.statement(READ), "limit reached", "")
    assert judging_matrices.judged(READ, "sign", answer, Random(0)).outcome == "limit reached"


CASES = [*FALSE.values(), *TRUE.values(), READ, HELD]


@pytest.mark.parametrize("claim", CASES)
def test_what_is_asked_is_read_back(claim: Equation) -> None:
    assert asking_matrices.equation(asking_matrices.statement(claim)) == claim


@pytest.mark.parametrize("kind", ["interleaved", "halves"])
def test_layouts_are_asked_as_they_are_meant(kind: str) -> None:
    for order in ((0, 1), (1, 0), (2, 0, 1)):
        told = asking_matrices.layout((kind, order))
        for groups in (1, 2, 3):
            for k in range(groups):
                assert list(told.coordinates(k, groups)) == coordinates((kind, order), k, groups)


def test_the_fixed_rotation_of_a_point_is_known_to_the_oracle() -> None:
    """A refutation with rotations and letters is checked with the same matrices that the kernel used."""
    claim = Equation(Product((Turning("R", X, D), U)), Product((Turning("R", Sum((X, num(1))), D), U)))
    answer = prove(asking_matrices.statement(claim))
    assert isinstance(answer, Refuted)
    assert judging_matrices.judged(claim, "sign", answer, Random(0)).complaint is None
