"""The table of sizes is what the laws use, and each other size in it lets through the defects that it names."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from posproofs.laws import (
    AnySubject,
    Law,
    Width,
    attention_mutants,
    law,
    rotary_proofs,
    rotary_runs,
    score_proofs,
    subject_of,
)
from posproofs.laws.attended import AttentionSize
from posproofs.laws.scored import Size
from posproofs.mutants import ATTENTION_MUTANTS, MUTANTS, SCORE_MUTANTS, AttentionMutant, Mutant, ScoreMutant
from posproofs.mutants.four_terms import scores
from posproofs.mutants.reference import Rotate, Style, rotation
from posproofs.symbolic.proof import Proof
from posproofs.symbolic.shapes import ATTENTION, KINDS, PLANTED, ROTATION, SCORES, Axis
from tests.repo.sources import ROOT

PAGE = ROOT / "posproofs" / "docs" / "symbolic.md"
Survivor = tuple[str, str, int, str]  # kind, axis, another size, name of the defect
SURVIVORS: list[Survivor] = [
    (kind, axis, size, name)
    for kind, shape in KINDS.items()
    for axis, one in shape.axes.items()
    for size, names in (one.survive | one.more).items()
    for name in names
]
CALLS = {  # the axes of each call, in the order of a call
    "together": ("", "heads", "rows"),
    "alone": ("", "heads alone", "rows alone"),
    "more": ("batch of more", "heads of more", "rows of more"),
}
SHOWN_BY = {
    "attention-unscaled": "attention.formula",
    "attention-without-newest": "attention.decoding",
    "attention-heads-in-turns": "attention.paths",
    "attention-neighbours": "attention.formula",
    "xl-transposed": "transformer_xl.gather",
    "xl-reversed": "transformer_xl.gather",
    "xl-cyclic": "transformer_xl.gather",
    "xl-memory-ignored": "transformer_xl.memory",
    "first-bias-for-all": "transformer_xl.four_terms",
    "single-head-without-v": "transformer_xl.four_terms",
    "single-query-one-off": "transformer_xl.four_terms",
}


@pytest.fixture(autouse=True, scope="module")
def _single_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _around(change: Callable[[Rotate, Tensor, Tensor], Tensor]) -> Callable[[int, int], Rotate]:
    def make(head: int, rotary: int) -> Rotate:
        right = rotation(head, rotary, Style())
        return lambda x, positions: change(right, x, positions)

    return make


def _first_head(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((right(x[:, :1], positions), x[:, 1:]), dim=1)


def _evenly(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    """As a table is made by `linspace` from the ends of a range."""
    share = torch.arange(len(positions)) / (len(positions) - 1)
    return right(x, positions[0] + (positions[-1] - positions[0]) * share)


def _many_rows(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return x.clone() if x.shape[-2] == 1 else right(x, positions)


def _first_entry(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((right(x[:1], positions), x[1:]))


def _two_heads(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((right(x[:, :2], positions), x[:, 2:]), dim=1)


def _first_bias(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return scores(q, k, r, u[:1].expand_as(u), v)


def _heads_with_v(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return scores(q, k, r, u, v if len(v) > 1 else torch.zeros_like(v))


def _queries_shifted(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return scores(q, k, r if q.shape[2] > 1 else r.roll(1, 1), u, v)


DEFECTS: dict[str, Mutant | ScoreMutant | AttentionMutant] = {
    **{one.name: one for one in MUTANTS},
    **{one.name: one for one in SCORE_MUTANTS},
    **{one.name: one for one in ATTENTION_MUTANTS},
    "first-head-alone": Mutant("first-head-alone", PLANTED["first-head-alone"], _around(_first_head)),
    "evenly-spaced": Mutant("evenly-spaced", PLANTED["evenly-spaced"], _around(_evenly)),
    **{
        name: Mutant(name, PLANTED[name], _around(change))
        for name, change in {
            "single-row-left": _many_rows,
            "first-entry-alone": _first_entry,
            "two-heads-alone": _two_heads,
            "wrap-at-65536": lambda right, x, positions: right(x, positions % 65536),
            "clamp-at-131071": lambda right, x, positions: right(x, positions.clamp(max=131071)),
        }.items()
    },
    "single-head-without-v": ScoreMutant("single-head-without-v", PLANTED["single-head-without-v"], _heads_with_v),
    "single-query-one-off": ScoreMutant("single-query-one-off", PLANTED["single-query-one-off"], _queries_shifted),
    "first-bias-for-all": ScoreMutant("first-bias-for-all", PLANTED["first-bias-for-all"], _first_bias),
}


def asked(name: str, axis: str, sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> Proof:
    """What the law that shows the defect says of it at these sizes, in the call of that axis alone."""
    defect = DEFECTS[name]
    if isinstance(defect, AttentionMutant):
        size = AttentionSize(sizes["rows"], sizes["shared"] * sizes["key_heads"], sizes["key_heads"], sizes["width"])
        return proved(law(SHOWN_BY[name]), attention_mutants.attending(defect, (size,)))
    if isinstance(defect, ScoreMutant):
        alone = " alone" if axis.endswith(" alone") else ""
        heads, queries = sizes[f"heads{alone}"], sizes[f"queries{alone}"]
        shape = score_proofs.Shape(Size(heads, sizes["width"]), 1, queries, 1 if alone else sizes["memory"])
        monkeypatch.setattr(score_proofs, "shapes", lambda _subject: (shape,))
        return proved(law(SHOWN_BY[name]), subject_of(defect))
    calls = {key: rotary_runs.Call(*(sizes.get(one, 1) for one in axes)) for key, axes in CALLS.items()}
    which = next((key for key, axes in CALLS.items() if axis in axes), "together")
    far = [at for at in rotary_runs.whole_positions(subject_of(MUTANTS[0])) if max(at) <= sizes["furthest"]]
    asked_at = far if axis == "furthest" else []
    monkeypatch.setattr(rotary_runs, "TOGETHER", calls["together"])
    monkeypatch.setattr(rotary_proofs, "CALLS", (calls[which],))
    monkeypatch.setattr(rotary_proofs, "whole_positions", lambda _subject: asked_at)
    return proved(law("rotary.formula"), subject_of(defect, (Width(2 * sizes["pairs"], 2 * sizes["pairs"]),)))


def proved(one: Law, subject: AnySubject) -> Proof:
    assert one.prove is not None
    return one.prove(subject)


def chosen(kind: str) -> dict[str, int]:
    return {axis: one.chosen for axis, one in KINDS[kind].axes.items()}


@pytest.mark.parametrize(("kind", "axis", "size", "name"), SURVIVORS)
def test_a_defect_survives_at_another_size(
    kind: str, axis: str, size: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = KINDS[kind].axes[axis]
    assert size < one.chosen if size in one.survive else size > one.chosen
    narrow = (
        {"width": 2} if kind == "attention" else {}
    )  # no mutant that is asked here wants more, and it takes a third
    assert asked(name, axis, chosen(kind) | narrow | {axis: size}, monkeypatch).status != "refuted"


@pytest.mark.parametrize(
    ("kind", "axis", "name"),
    [(kind, axis, name) for kind, axis, _, name in SURVIVORS if name in PLANTED or kind == "rotation"],
)
def test_it_dies_at_the_size_that_is_chosen(kind: str, axis: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutants of scores die there in test_mutants, and those of attention in tests/laws."""
    found = asked(name, axis, chosen(kind), monkeypatch)
    assert found.status == "refuted"
    assert law(SHOWN_BY.get(name, "rotary.formula")).measure(subject_of(DEFECTS[name]), found.case).broken


def test_every_lesser_size_names_a_defect_and_all_of_them_are_known() -> None:
    assert len(SURVIVORS) >= 15
    assert {name for _, _, _, name in SURVIVORS} <= DEFECTS.keys()
    assert PLANTED.keys() <= {name for _, _, _, name in SURVIVORS}
    for shape in KINDS.values():
        assert all(names for one in shape.axes.values() for names in (one.survive | one.more).values())


def test_rotations_are_proved_at_the_sizes_of_the_table() -> None:
    sizes = [tuple(ROTATION[one] if one else 1 for one in axes) for axes in CALLS.values()]
    assert [(call.batch, call.heads, call.rows) for call in rotary_runs.CALLS] == sizes
    assert len(rotary_runs.POSITIONS) == ROTATION["rows"]
    widths = tuple(Width(n, n) for n in (8, 2, 4, 6))
    subject = subject_of(MUTANTS[0], widths)
    assert rotary_runs.width_of(subject).rotary == 2 * ROTATION["pairs"]
    sets = rotary_runs.whole_positions(subject)
    assert max(map(max, sets)) == ROTATION["furthest"]
    assert all(len(at) == ROTATION["rows"] for at in sets)
    # Without the last of the sets some defect would live: each set but the first is named by what is left of it.
    assert [*map(max, sets)][:-1] == [size for size in ROTATION.axes["furthest"].survive if size > 11]
    assert max(rotary_runs.POSITIONS) == min(ROTATION.axes["furthest"].survive)


def test_scores_are_proved_at_the_sizes_of_the_table_and_at_greater_ones() -> None:
    remembering = subject_of(SCORE_MUTANTS[0])
    first, second, third = score_proofs.shapes(remembering)
    assert (first.size.heads, first.size.width) == (SCORES["heads"], SCORES["width"])
    assert (first.batch, first.queries, first.memory) == (1, SCORES["queries"], SCORES["memory"])
    assert (second.batch, second.size.heads, second.queries) > (first.batch, first.size.heads, first.queries)
    assert (third.size.heads, third.queries) == (SCORES["heads alone"], SCORES["queries alone"])
    forgetful = replace(remembering, convention=replace(remembering.convention, memory="none"))
    assert [shape.memory for shape in score_proofs.shapes(forgetful)] == [0, 0, 0]


def test_attention_mutants_are_asked_at_the_sizes_of_the_table() -> None:
    sizes = attention_mutants.SIZES
    assert {size.rows for size in sizes} == {ATTENTION["rows"]}
    assert {size.key_heads for size in sizes} == {ATTENTION["key_heads"]}
    assert max(size.heads // size.key_heads for size in sizes) == ATTENTION["shared"]
    assert max(size.width for size in sizes) == ATTENTION["width"]


def test_the_page_says_what_the_table_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for kind, shape in KINDS.items():
        for one in shape.axes.values():
            assert all(line in text for line in rows(kind, one))


def rows(kind: str, one: Axis) -> list[str]:
    """One row of the page, or one for each size where they are many."""
    other = [f"{size}: {', '.join(f'`{name}`' for name in names)}" for size, names in (one.survive | one.more).items()]
    shown = [*other, one.also] if len(other) > 2 else ["; ".join(filter(None, (*other, one.also)))]
    return [f"| {kind} | {one.of} | {one.chosen} | {words} |" for words in shown if words]
