"""How a law is asked: order, narrowing, NaN, errors of the subject, cases that cannot be asked, the drawn search."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import strategies as st

from posproofs.errors import BadInput
from posproofs.laws import (
    ROTARY_LAWS,
    Case,
    Convention,
    Instance,
    Law,
    Measure,
    Recipe,
    Subject,
    Width,
    digest,
    examine,
    law,
    subject_of,
)
from posproofs.laws.declaration import emitted
from posproofs.mutants import Mutant
from posproofs.mutants.reference import Layout, Rotate, Style, rotation
from posproofs.mutants.rotary import STALE

RIGHT = subject_of(Mutant("right", "nothing", lambda head, rotary: rotation(head, rotary, Style())))


def turned_by(rotate: Rotate) -> Subject:
    return replace(RIGHT, make=lambda _width: Instance(rotate))


def counting(limit: int) -> Law:
    """A law about integers: every n below `limit`. Its cases are blocks, its draws single numbers."""

    def cases(_subject: Subject) -> Iterator[Case]:
        yield {"from": 0, "to": 5}
        yield {"from": 5, "to": 10}

    def measure(_subject: Subject, case: Case) -> Measure:
        wrong = [n for n in range(case["from"], case["to"]) if n >= limit]
        narrowed = {"from": wrong[0], "to": wrong[0] + 1} if wrong else None
        return Measure(float(len(wrong)), 0.0, narrowed)

    def draws(_subject: Subject) -> st.SearchStrategy[Case]:
        return st.integers(0, 100000).map(lambda n: {"from": n, "to": n + 1})

    return replace(ROTARY_LAWS[0], id="test.counting", cases=cases, measure=measure, draws=draws)


def test_the_first_case_that_fails_is_narrowed_and_ends_the_enumeration() -> None:
    found = examine(counting(3), RIGHT)
    assert found.witness == {"from": 3, "to": 4}
    assert (found.applied, found.ran) == (2, 1)
    assert found.worst == Measure(1.0, 0.0, {"from": 3, "to": 4})


def test_what_the_enumeration_does_not_reach_is_drawn_and_shrunk() -> None:
    found = examine(counting(700), RIGHT)
    assert found.witness == {"from": 700, "to": 701}
    assert found == examine(counting(700), RIGHT)
    assert found.applied > 2


def test_nothing_found_counts_every_case() -> None:
    found = examine(counting(10**9), RIGHT, examples=25)
    assert found.witness is None
    assert found.ran == found.applied == 2 + 25


def test_a_law_is_asked_of_its_own_kind_only() -> None:
    with pytest.raises(
        BadInput, match=r"transformer_xl\.purity is a law of scores, mutant\.right is of the kind rotary"
    ):
        examine(law("transformer_xl.purity"), RIGHT)


def test_a_search_over_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="at least one example"):
        examine(counting(3), RIGHT, examples=0)


@pytest.mark.parametrize("one", ROTARY_LAWS, ids=lambda one: one.id)
def test_nan_is_a_finding_of_every_law(one: Law) -> None:
    """NaN compares as neither smaller nor greater: a comparison that is written the wrong way round would pass it."""

    def poisoned(x: torch.Tensor, _positions: torch.Tensor) -> torch.Tensor:
        return torch.where(torch.arange(x.shape[-1]) == 1, torch.nan, x)

    assert examine(one, turned_by(poisoned)).broken


@pytest.mark.parametrize("one", ROTARY_LAWS, ids=lambda one: one.id)
def test_an_exception_of_the_subject_is_an_error(one: Law) -> None:
    def raises(_x: torch.Tensor, _positions: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("no kernel\nfor this")

    found = examine(one, turned_by(raises))
    assert not found.broken
    assert found.error.startswith("RuntimeError: no kernel (width 4")


def test_an_output_of_another_shape_or_dtype_is_an_error() -> None:
    assert "the output is" in examine(ROTARY_LAWS[0], turned_by(lambda x, _p: x[..., :1])).error
    assert "the output is" in examine(ROTARY_LAWS[0], turned_by(lambda x, _p: x.to(torch.float16))).error


def test_a_law_is_not_asked_where_its_tolerance_says_nothing() -> None:
    """float32 angles at positions of 2**24 times the allowed error of one: no bound below half of the trivial one."""
    coarse = replace(RIGHT, recipe=Recipe("power", "float32", ("input",), "input"))
    far: Any = {"width": [4, 4], "dtype": "float32", "starts": [10**9], "offsets": [1]}
    shown = law("rotary.gram").measure(coarse, far)
    assert "half of the trivial" in shown.reason
    assert not shown.broken
    whole = {"width": [4, 4], "dtype": "float32", "shape": [1, 1], "positions": [10**10]}
    only_far = replace(law("rotary.formula"), cases=lambda _subject: iter([whole]), draws=None)
    found = examine(only_far, coarse)
    assert (found.ran, found.applied) == (1, 1), "the first pair has no error of the angle and is still asked"
    assert (
        "half of the trivial"
        in examine(replace(law("rotary.gram"), cases=lambda _subject: iter([far])), coarse).reasons[0]
    )


def test_an_interface_that_takes_an_offset_is_called_with_offsets() -> None:
    right = rotation(4, 4, Style())
    seen: list[tuple[int, int]] = []

    def from_offset(x: torch.Tensor, offset: int) -> torch.Tensor:
        seen.append((offset, x.shape[-2]))
        return right(x, torch.arange(x.shape[-2]) + offset)

    subject = replace(RIGHT, make=lambda _w: Instance(from_offset), takes="offset", widths=(Width(4, 4),))
    assert not any(examine(one, subject).broken or examine(one, subject).error for one in ROTARY_LAWS)
    assert (131070, 1) in seen
    assert (0, 4098) in seen


def test_positions_beyond_the_declared_limit_are_not_asked() -> None:
    right = rotation(4, 4, Style())

    def table_of_300(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        if int(positions.max()) >= 300:
            raise IndexError("index out of range")
        return right(x, positions)

    limited = replace(turned_by(table_of_300), limit=300, widths=(Width(4, 4),))
    assert [
        found.error for found in (examine(one, limited) for one in ROTARY_LAWS) if found.error or found.broken
    ] == []
    assert examine(ROTARY_LAWS[5], turned_by(table_of_300)).error.startswith("IndexError: index out of range (width 4")


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_emitted_code_satisfies_every_law(layout: Layout) -> None:
    """The function that implementations are compared with is held to the same laws, also to its own recipe."""
    turn = emitted(layout)
    subject = replace(
        RIGHT,
        convention=Convention(layout, layout),
        recipe=Recipe("rounded", "input", (), "wide"),
        widths=(Width(2, 2), Width(4, 4), Width(8, 4), Width(64, 64), Width(96, 96)),
        make=lambda width: Instance(lambda x, positions: turn(x, positions, rotary_dim=width.rotary)),
    )
    findings = [examine(one, subject) for one in ROTARY_LAWS]
    assert [(f.law, f.witness, f.error) for f in findings if f.broken or f.error] == []
    assert all(f.ran == f.applied for f in findings)


def test_a_state_that_instances_share_is_found() -> None:
    """Another instance is called between, and the expectation is taken before it."""
    longest = [1]

    def make(_width: Width) -> Instance:
        def rotate(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
            longest[0] = max(longest[0], positions.shape[0])
            return rotation(4, 4, Style(base=10000.0 * longest[0]))(x, positions)

        return Instance(rotate)

    shown = law("rotary.history").measure(
        replace(RIGHT, make=make),
        {
            "width": [4, 4],
            "calls": [{"dtype": "float32", "start": 0, "rows": 70, "who": "other"}],
            "probe": {"dtype": "float32", "start": 3, "rows": 4, "who": "same"},
        },
    )
    assert shown.broken


def test_a_table_that_a_call_changes_is_found() -> None:
    table = torch.ones(3)

    def rotate(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        table.mul_(2)
        return rotation(4, 4, Style())(x, positions)

    subject = replace(RIGHT, make=lambda _w: Instance(rotate, (table,)), widths=(Width(4, 4),))
    found = examine(law("rotary.purity"), subject)
    assert found.worst is not None
    assert found.worst.saw == "the call changed table 0"


def test_the_formula_says_which_convention_the_code_follows() -> None:
    halves = rotation(4, 4, Style("half-split", "half-split"))
    found = examine(law("rotary.formula"), replace(turned_by(halves), widths=(Width(4, 4),)))
    assert found.worst is not None
    assert found.worst.likely == "it follows another convention: rotary, half-split, base 10000, angle +p*w"


def test_the_digest_of_a_failure_is_stable() -> None:
    """known.toml and the ids of replays are made of it: a change here breaks every list that users keep."""
    case = {"width": [4, 4], "dtype": "float32", "positions": [0, 64]}
    assert digest("some.subject", "rotary.position", case) == digest(
        "some.subject", "rotary.position", dict(reversed(case.items()))
    )
    assert digest("some.subject", "rotary.position", case) == "c13b0a7c9cfe"
    assert digest("other.subject", "rotary.position", case) != digest("some.subject", "rotary.position", case)


def test_a_history_is_shrunk_to_one_row_each() -> None:
    found = examine(law("rotary.history"), subject_of(STALE))
    assert found.witness == {
        "width": [4, 4],
        "calls": [{"dtype": "float32", "start": 0, "rows": 1, "who": "same"}],
        "probe": {"dtype": "float32", "start": 1, "rows": 1, "who": "same"},
    }
