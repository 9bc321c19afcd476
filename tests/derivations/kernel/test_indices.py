"""Index algebra: what is located is the quotient and remainder, and false rows fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derivations import rel_shift
from derivations.derivation import Entry
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


SMALL = st.integers(-3, 3)


@given(st.lists(st.tuples(SMALL, SMALL, SMALL), max_size=4), st.tuples(SMALL, SMALL, SMALL), SMALL, SMALL)
def test_entailment_is_sound(facts: list[tuple[int, int, int]], target: tuple[int, int, int], x: int, y: int) -> None:
    """Where all facts hold at integers x, y, whatever was shown to be nonnegative is so."""

    def form(c: tuple[int, int, int]) -> v.Value:
        linear = v.add(v.scale(symbol("x"), (c[0], 0, 1)), v.scale(symbol("y"), (c[1], 0, 1)))
        return v.add(linear, v.constant(c[2]))

    def at(c: tuple[int, int, int]) -> int:
        return c[0] * x + c[1] * y + c[2]

    if nonnegative(form(target), tuple(form(f) for f in facts)) and all(at(f) >= 0 for f in facts):
        assert at(target) >= 0


@given(st.integers(1, 6), st.integers(0, 8), st.integers(0, 8))
def test_located_is_divmod(width: int, row: int, column: int) -> None:
    flat = v.constant(row * width + column)
    place = located(flat, v.constant(width), ())
    if place is not None:
        wanted = divmod(row * width + column, width)
        assert place == (v.constant(wanted[0]), v.constant(wanted[1]))


SHIFTS = {entry.id: entry for entry in rel_shift.ENTRIES}


def test_all_six_variants_are_proved() -> None:
    assert len(SHIFTS) == 6
    assert all(entry.check().status == "proved" for entry in SHIFTS.values())


def test_the_region_is_needed() -> None:
    assert isinstance(rel_shift.beyond_the_region(), Refuted)
    assert isinstance(rel_shift.off_by_one(), Refuted)


def reshaped(x: np.ndarray, *, drop: int, width: int) -> np.ndarray:
    """The memory of x from entry `drop` on, cut into rows of `width`, zero at the end."""
    flat = np.concatenate([x.ravel()[drop:], np.zeros(x.size)])
    return flat[: width * (flat.size // width)].reshape(-1, width)


@pytest.mark.parametrize(("queries", "memory"), [(1, 0), (3, 0), (4, 2), (2, 5)])
def test_the_bidirectional_identity_is_what_reshaping_does(queries: int, memory: int) -> None:
    keys = queries + memory
    x = np.arange(1.0, queries * (keys + queries) + 1).reshape(queries, keys + queries)
    y = reshaped(x, drop=queries, width=keys + queries - 1)
    for i in range(queries):
        for j in range(keys):
            assert y[i, j] == x[i, j + queries - i]


@pytest.mark.parametrize("entry", SHIFTS.values(), ids=SHIFTS)
def test_each_statement_names_flat_index_and_place(entry: Entry) -> None:
    statement = entry.theorem.statement
    assert isinstance(statement.left, Reading)
    assert isinstance(statement.right, Cell)
