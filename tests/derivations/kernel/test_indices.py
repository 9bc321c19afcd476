"""Index algebra: what is located is the quotient and remainder, and false rows fall."""

from __future__ import annotations

from itertools import product

import pytest

from derivations.kernel import (
    Hypothesis,
    Range,
    Refuted,
    RuleError,
    ShapeError,
    Statement,
    Theorem,
    Undecided,
    prove,
    specialised,
)
from derivations.kernel import terms as t
from derivations.kernel import values as v
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.indices import located, nonnegative
from tests.derivations.kernel.drawing import draws

a, b, w = t.Symbol("a"), t.Symbol("b"), t.Symbol("w")
ROWS = (Range("a", t.Symbol("n")), Range("b", w))


def plus(*terms: t.Term) -> t.Term:
    return t.Add(terms)


def times(*factors: t.Term) -> t.Term:
    return t.Multiply(factors)


FLAT = plus(times(a, w), b)


def test_flat_is_row_times_width_plus_column() -> None:
    answer = prove(Statement(Reading("X", FLAT, w), Cell("X", a, b), ranges=ROWS))
    assert isinstance(answer, Theorem)
    assert "indices" in answer.modules()


@pytest.mark.parametrize(
    ("flat", "row", "column"),
    [
        (FLAT, b, a),
        (FLAT, plus(a, t.number(1)), b),
        (plus(FLAT, t.number(1)), a, plus(b, t.number(1))),  # off by one: b + 1 may be the width
        (plus(times(a, w), w), a, w),  # the end of a row is the start of the next
    ],
)
def test_false_places_are_refuted(flat: t.Term, row: t.Term, column: t.Term) -> None:
    answer = prove(Statement(Reading("X", flat, w), Cell("X", row, column), ranges=ROWS))
    assert isinstance(answer, Refuted)


def test_a_column_without_a_bound_is_not_located() -> None:
    """b may be anything here, so nothing may be said."""
    answer = prove(Statement(Reading("X", FLAT, w), Cell("X", a, b), ranges=(Range("a", t.Symbol("n")),)))
    assert not isinstance(answer, Theorem)


def test_a_hypothesis_gives_the_bound_and_is_kept() -> None:
    region = Hypothesis("nonnegative", plus(w, t.number(-2), times(t.number(-1), b)))  # b <= w - 2
    moved = Statement(Reading("X", plus(FLAT, t.number(1)), w), Cell("X", a, plus(b, t.number(1))), (region,), ROWS)
    answer = prove(moved)
    assert isinstance(answer, Theorem)
    assert region in answer.hypotheses
    assert answer.witness


@pytest.mark.usefixtures("few_points")
def test_contradictory_bounds_give_no_theorem() -> None:
    below = Hypothesis("nonnegative", plus(times(t.number(-1), w), t.number(-1)))  # w <= -1
    answer = prove(Statement(Reading("X", FLAT, w), Cell("X", b, a), (below,), ROWS))
    assert isinstance(answer, Undecided)


def test_a_refuted_point_lies_in_the_region() -> None:
    region = Hypothesis("nonnegative", plus(b, t.number(-1)))
    answer = prove(Statement(Reading("X", FLAT, w), Cell("X", a, t.number(0)), (region,), ROWS))
    assert isinstance(answer, Refuted)
    assert answer.point.symbols["b"] >= 1


def test_nonnegative_is_said_of_one_value() -> None:
    with pytest.raises(ShapeError, match="forall"):
        Hypothesis("nonnegative", a, forall=("a",))


def test_nothing_is_put_for_a_matrix_in_memory() -> None:
    theorem = prove(Statement(Reading("X", FLAT, w), Cell("X", a, b), ranges=ROWS))
    assert isinstance(theorem, Theorem)
    with pytest.raises(RuleError, match="matrix in memory"):
        specialised(theorem, {"X": t.Replacement((), t.number(1))})


def test_a_name_is_a_sequence_or_a_matrix_but_not_both() -> None:
    with pytest.raises(ShapeError, match="two things"):
        Statement(Cell("X", a, b), t.Family("X", a))


@pytest.mark.parametrize("bad", [t.number(1, 1), t.Power(a, t.number(-1)), t.Apply("exp", a)])
def test_an_index_is_an_integer_polynomial(bad: t.Term) -> None:
    answer = prove(Statement(Cell("X", bad, b), Cell("X", b, b)))
    assert isinstance(answer, Undecided)
    assert answer.reason == "out of fragment"


def symbol(name: str) -> v.Value:
    return v.atom(("symbol", name))


Form = tuple[int, int, int]


def form(c: Form) -> v.Value:
    """c[0] x + c[1] y + c[2]."""
    linear = v.add(v.scale(symbol("x"), (c[0], 0, 1)), v.scale(symbol("y"), (c[1], 0, 1)))
    return v.add(linear, v.constant(c[2]))


def least(target: Form, facts: list[Form]) -> int | None:
    """The least value of a form at the integers from -6 to 6 where all facts are at least 0."""
    places = product(range(-6, 7), repeat=2)
    inside = [(x, y) for x, y in places if all(c[0] * x + c[1] * y + c[2] >= 0 for c in facts)]
    return min((target[0] * x + target[1] * y + target[2] for x, y in inside), default=None)


def test_entailment_is_sound() -> None:
    """Where all facts hold at integers x, y, whatever was shown to be nonnegative is so."""
    shown = 0
    for draw in draws("entailment", 150):
        target, *facts = (
            (draw.randint(-3, 3), draw.randint(-3, 3), draw.randint(-3, 3)) for _ in range(draw.randint(1, 5))
        )
        if nonnegative(form(target), tuple(form(f) for f in facts)):
            shown += 1
            found = least(target, facts)
            assert found is None or found >= 0, (target, facts)
    assert shown


def test_located_is_divmod() -> None:
    for width, row, column in product(range(1, 5), range(3), range(6)):
        flat = row * width + column
        place = located(v.constant(flat), v.constant(width), ())
        if place is not None:
            assert place == tuple(v.constant(part) for part in divmod(flat, width))
