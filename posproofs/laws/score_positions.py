"""Positions enter scores by their difference alone: what stands before, behind or in a memory changes nothing.

    memory             scores with a memory of M are the last rows of the scores of the whole sequence
    shift              tokens in front of a sequence leave the scores among the others      Dai et al., section 3.2
    length_extension   tokens behind a sequence leave the scores before them
Each compares an implementation with itself, so none of them needs to know the formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from posproofs.laws.law import Case, Measure
from posproofs.laws.score_calls import (
    apart,
    base_case,
    built,
    first_above,
    lengths,
    leveled,
    named,
    point,
    scored,
    sequence_of,
    size_of,
)
from posproofs.laws.score_narrowing import fewer, narrowing
from posproofs.laws.score_precision import score_error
from posproofs.laws.scored import ScoreSubject
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from torch import Tensor

NO_MEMORY = "the library takes no memory"
Span = tuple[int, int, int]
"""First key, first query, end."""


def cases(subject: ScoreSubject, further: str) -> Iterator[Case]:
    """Short sequences first; `further` counts what is put in front, behind or into the memory."""
    memories = (0, 1, 3) if subject.convention.memory == "any" and further != "memory" else (0,)
    asked = product(sorted(subject.sizes)[:2], (1, 2, 5), memories, (1, 4), subject.dtypes)
    for size, queries, remembered, more, dtype in asked:
        if queries + remembered > 1 or further == "memory":  # one score alone says nothing of its row
            shown = {"memory": remembered, further: more}
            yield {**base_case(size, dtype), "queries": queries, **shown, "seed": 1}


def memory_cases(subject: ScoreSubject) -> Iterator[Case]:
    yield from cases(subject, "memory")


def shift_cases(subject: ScoreSubject) -> Iterator[Case]:
    yield from cases(subject, "before")


def length_cases(subject: ScoreSubject) -> Iterator[Case]:
    yield from cases(subject, "behind")


def _draws(subject: ScoreSubject, further: str) -> SearchStrategy[Case]:
    remembered = st.integers(0, 24) if subject.convention.memory == "any" else st.just(0)
    names = (
        {"memory": st.integers(1, 24)} if further == "memory" else {"memory": remembered, further: st.integers(1, 9)}
    )
    return st.fixed_dictionaries(
        {
            "size": st.sampled_from([[size.heads, size.width] for size in sorted(subject.sizes)]),
            "dtype": st.sampled_from(subject.dtypes),
            "queries": st.integers(2, 24),
            "seed": st.integers(0, 99),
            **names,
        }
    )


def memory_draws(subject: ScoreSubject) -> SearchStrategy[Case]:
    return _draws(subject, "memory")


def shift_draws(subject: ScoreSubject) -> SearchStrategy[Case]:
    return _draws(subject, "before")


def length_draws(subject: ScoreSubject) -> SearchStrategy[Case]:
    return _draws(subject, "behind")


@narrowing(fewer(queries=1, memory=1))
def memory(subject: ScoreSubject, case: Case) -> Measure:
    """Worst difference between scores with a memory and the last rows of the scores of the whole sequence."""
    if subject.convention.memory == "none":
        return Measure(0.0, 0.0, reason=NO_MEMORY)
    end = case["queries"] + case["memory"]
    return _compared(
        subject, case, (0, 0, end), (0, case["memory"], end), likely="positions are counted without the memory"
    )


@narrowing(fewer(queries=1, memory=0, before=1))
def shift(subject: ScoreSubject, case: Case) -> Measure:
    """Worst difference that tokens in front make: in the memory, or before queries and keys where there is none."""
    before = case["before"]
    first_query = before + case["memory"]
    end = first_query + case["queries"]
    longer = 0 if subject.convention.memory == "none" else first_query
    return _compared(
        subject, case, (0, longer, end), (before, first_query, end), likely="a position is counted from the start"
    )


@narrowing(fewer(queries=1, memory=0, behind=1))
def length_extension(subject: ScoreSubject, case: Case) -> Measure:
    """Worst difference that tokens behind make."""
    end = case["memory"] + case["queries"]
    return _compared(
        subject,
        case,
        (0, case["memory"], end + case["behind"]),
        (0, case["memory"], end),
        likely="a position is counted from the end",
    )


def _compared(subject: ScoreSubject, case: Case, whole: Span, part: Span, *, likely: str) -> Measure:
    """The scores of the part, from a call on the whole and from one on the part alone."""
    size, dtype = size_of(case), case["dtype"]
    sequence = sequence_of(subject, case, whole[2])
    shown: list[Tensor] = []
    bounds: list[Tensor] = []
    for start, first_query, end in (whole, part):
        arguments = sequence.part(subject, start, first_query, end)
        given = leveled(subject, scored(built(subject, case), arguments, dtype))
        rows = slice(part[1] - first_query, part[2] - first_query)
        columns = slice(part[0] - start, part[2] - start)
        shown.append(given[:, :, rows, columns])
        bounds.append(score_error(subject, dtype, arguments, size=size)[:, :, rows, columns])
    off, allowed = apart(subject, shown[0], shown[1]).abs(), bounds[0] + bounds[1]
    beyond = torch.where(off.isnan(), torch.inf, off - allowed)
    b, h, i, j = first_above(beyond)
    return Measure(
        float(off[b, h, i, j]),
        float(allowed[b, h, i, j]),
        None,
        saw=f"the score of query {i} and key {j} moves by {float(off[b, h, i, j]):.3g}",
        expected="the same score",
        likely=likely if bool((beyond > 0).any()) else None,
    )


def describe(case: Case) -> str:
    """What is put where."""
    further = next((name for name in ("before", "behind") if name in case), None)
    shown = f", {case[further]} more {further}" if further else ", against the whole sequence"
    return f"{named(case)}; {lengths(case)}{shown}{point(case)}"
