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
from posproofs.mutants.rotary import STALE, Make, sharing

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


def test_an_output_of_another_shape_is_a_finding_and_an_error_of_the_other_laws() -> None:
    short = turned_by(lambda x, _p: x[..., :1])
    found = examine(law("rotary.output"), short)
    assert found.worst is not None
    assert found.worst.saw == "x is (2, 3, 1, 4), the output is (2, 3, 1, 1)"
    assert "the output is" in examine(law("rotary.purity"), short).error


def test_an_output_of_another_dtype_is_a_finding_and_the_other_laws_are_about_its_numbers() -> None:
    right = rotation(4, 4, Style())
    wide = replace(turned_by(lambda x, p: right(x, p).double()), widths=(Width(4, 4),))
    found = {one.id: examine(one, wide) for one in ROTARY_LAWS}
    assert [id_ for id_, one in found.items() if one.broken or one.error] == ["rotary.output"]
    worst = found["rotary.output"].worst
    assert worst is not None
    assert (worst.saw, worst.expected) == ("x is in float32, the output in float64", "an output in the dtype of x")
    assert "the output is" in examine(law("rotary.purity"), turned_by(lambda x, _p: torch.complex(x, x))).error


@pytest.mark.parametrize(
    ("at", "saw"),
    [(0, "coordinate 0 is nan at position 0"), (2048, "coordinate 0 is nan at position 2048")],
)
def test_nan_at_one_position_is_a_finding_of_its_own(at: int, saw: str) -> None:
    def rotate(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        return torch.where(positions[:, None] == at, torch.nan, x)

    found = examine(law("rotary.output"), turned_by(rotate))
    assert found.worst is not None
    assert found.worst.saw == saw
    assert found.witness == {"width": [4, 4], "dtype": "float32", "positions": [at]}


def test_infinity_for_a_row_of_zeros_among_keys_is_a_finding() -> None:
    def keys(x: torch.Tensor, _positions: torch.Tensor) -> torch.Tensor:
        return x + torch.where((x == 0).all(dim=-1, keepdim=True), torch.inf, 0.0).to(x.dtype)

    right = rotation(4, 4, Style())
    subject = replace(RIGHT, make=lambda _w: Instance(right, (), keys), widths=(Width(4, 4),), limit=100)
    found = examine(law("rotary.output"), subject)
    assert found.worst is not None
    assert found.worst.saw == "keys: of a row of zeros, coordinate 0 is inf at position 0"
    assert next(iter(law("rotary.output").cases(subject)))["positions"] == [0, 1, 2, 3, 63, 64, 65, 99]


def test_what_raises_after_another_call_alone_depends_on_it() -> None:
    """A class that keeps the table of its first instance: an instance of another width cannot use it."""

    def executed() -> Make:
        kept: list[torch.Tensor] = []

        def make(head: int, rotary: int) -> Rotate:
            kept.append(torch.zeros(rotary))
            return lambda x, positions: rotation(head, rotary, Style())(x, positions) + kept[0].to(x.dtype)

        return make

    found = examine(law("rotary.history"), subject_of(sharing("first", "kept", executed)))
    assert found.worst is not None
    assert found.worst.saw.startswith("RuntimeError: The size of tensor a (8) must match the size of tensor b (4)")
    assert found.witness is not None
    assert found.witness["calls"] == [{"dtype": "float32", "rows": 1, "start": 0, "who": "other", "width": [8, 8]}]
    assert law("rotary.history").describe(found.witness) == (
        "width 4; another instance of width 8, float32 at position 0; then float32 at position 0"
    )


def of_keys(keys: Rotate) -> Subject:
    right = rotation(4, 4, Style())
    return replace(RIGHT, make=lambda _w: Instance(right, (), keys), widths=(Width(4, 4),))


def in_place(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return x.copy_(rotation(4, 4, Style())(x, positions))


@pytest.mark.parametrize(
    ("id_", "keys", "saw"),
    [
        ("rotary.purity", in_place, "of keys: the call changed the input"),
        (
            "rotary.locality",
            lambda x, p: rotation(4, 4, Style())(x, p * x.shape[1]),
            "row 0 of head 0, batch element 0, differs by 4.53 from the row alone",
        ),
        (
            "rotary.isometry",
            lambda x, p: x * (1 + p[:, None] / 8).to(x.dtype),
            "of keys: entry (0, 0) of R^T R is 1.26562",
        ),
        ("rotary.position", lambda x, _p: x.clone(), "of keys: positions 0 and 1 give the same rotation"),
        ("rotary.vjp", lambda x, p: rotation(4, 4, Style())(x.detach(), p), "of keys: the output has no gradient"),
    ],
)
def test_keys_are_asked_like_queries(id_: str, keys: Rotate, saw: str) -> None:
    """Where one call turns both; the queries are right."""
    found = examine(replace(law(id_), prove=None), of_keys(keys))
    assert found.worst is not None
    assert found.worst.saw == saw
    assert not examine(replace(law(id_), prove=None), of_keys(rotation(4, 4, Style()))).broken


def test_keys_of_another_size_are_narrowed_to_a_query_and_a_key() -> None:
    right, long = rotation(4, 4, Style()), rotation(4, 4, Style(magnitude=1.5))
    found = examine(law("rotary.formula"), replace(RIGHT, make=lambda _w: Instance(right, (), long)))
    assert found.witness == {"width": [4, 4], "dtype": "float32", "positions": [0], "shape": [1, 2]}


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
    assert examine(law("rotary.gram"), turned_by(table_of_300)).error.startswith(
        "IndexError: index out of range (width 4"
    )


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
    drawn = {**case, "seed": 0}
    assert digest("some.subject", "rotary.position", drawn) == digest(
        "some.subject", "rotary.position", drawn | {"seed": 7}
    )


def test_a_history_is_shrunk_to_one_row_each() -> None:
    found = examine(law("rotary.history"), subject_of(STALE))
    assert found.witness == {
        "width": [4, 4],
        "calls": [{"dtype": "float32", "start": 0, "rows": 1, "who": "same"}],
        "probe": {"dtype": "float32", "start": 1, "rows": 1, "who": "same"},
    }
