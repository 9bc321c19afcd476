"""The table of sizes is what the laws use, and each lesser size in it lets through the defects that it names."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from posproofs.laws import AnySubject, Law, Width, attention_mutants, law, rotary_proofs, score_proofs, subject_of
from posproofs.laws.attended import AttentionSize
from posproofs.laws.scored import Size
from posproofs.mutants import ATTENTION_MUTANTS, MUTANTS, SCORE_MUTANTS, AttentionMutant, Mutant, ScoreMutant
from posproofs.mutants.four_terms import scores
from posproofs.mutants.reference import Rotate, Style, rotation
from posproofs.symbolic.proof import Proof
from posproofs.symbolic.shapes import ATTENTION, KINDS, PLANTED, ROTATION, SCORES
from tests.repo.sources import ROOT

PAGE = ROOT / "posproofs" / "docs" / "symbolic.md"
Survivor = tuple[str, str, int, str]  # kind, axis, lesser size, name of the defect
SURVIVORS: list[Survivor] = [
    (kind, axis, size, name)
    for kind, shape in KINDS.items()
    for axis, one in shape.axes.items()
    for size, names in one.survive.items()
    for name in names
]
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


def _first_bias(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    return scores(q, k, r, u[:1].expand_as(u), v)


DEFECTS: dict[str, Mutant | ScoreMutant | AttentionMutant] = {
    **{one.name: one for one in MUTANTS},
    **{one.name: one for one in SCORE_MUTANTS},
    **{one.name: one for one in ATTENTION_MUTANTS},
    "first-head-alone": Mutant("first-head-alone", PLANTED["first-head-alone"], _around(_first_head)),
    "evenly-spaced": Mutant("evenly-spaced", PLANTED["evenly-spaced"], _around(_evenly)),
    "first-bias-for-all": ScoreMutant("first-bias-for-all", PLANTED["first-bias-for-all"], _first_bias),
}


def asked(name: str, sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> Proof:
    """What the law that shows the defect says of it at these sizes."""
    defect = DEFECTS[name]
    if isinstance(defect, AttentionMutant):
        size = AttentionSize(sizes["rows"], sizes["shared"] * sizes["key_heads"], sizes["key_heads"], sizes["width"])
        return proved(law(SHOWN_BY[name]), attention_mutants.attending(defect, (size,)))
    if isinstance(defect, ScoreMutant):
        shape = score_proofs.Shape(Size(sizes["heads"], sizes["width"]), 1, sizes["queries"], sizes["memory"])
        monkeypatch.setattr(score_proofs, "shapes", lambda _subject: (shape,))
        return proved(law(SHOWN_BY[name]), subject_of(defect))
    rows = sizes["rows"]
    monkeypatch.setattr(rotary_proofs, "HEADS", sizes["heads"])
    monkeypatch.setattr(rotary_proofs, "ROWS", rows)
    monkeypatch.setattr(rotary_proofs, "POSITIONS", (2, 5, 11)[:rows])
    monkeypatch.setattr(rotary_proofs, "FAR", (*(2, 5, 7)[: rows - 1], sizes["furthest"]))
    return proved(law("rotary.formula"), subject_of(defect, (Width(2 * sizes["pairs"], 2 * sizes["pairs"]),)))


def proved(one: Law, subject: AnySubject) -> Proof:
    assert one.prove is not None
    return one.prove(subject)


def chosen(kind: str) -> dict[str, int]:
    return {axis: one.chosen for axis, one in KINDS[kind].axes.items()}


@pytest.mark.parametrize(("kind", "axis", "size", "name"), SURVIVORS)
def test_a_defect_survives_at_a_lesser_size(
    kind: str, axis: str, size: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert size < KINDS[kind].axes[axis].chosen
    narrow = (
        {"width": 2} if kind == "attention" else {}
    )  # no mutant that is asked here wants more, and it takes a third
    assert asked(name, chosen(kind) | narrow | {axis: size}, monkeypatch).status != "refuted"


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_dies_at_the_size_that_is_chosen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutants of the suite die there in test_mutants, and those of attention in tests/laws."""
    kind = "scores" if isinstance(DEFECTS[name], ScoreMutant) else "rotation"
    assert asked(name, chosen(kind), monkeypatch).status == "refuted"


def test_every_lesser_size_names_a_defect_and_all_of_them_are_known() -> None:
    assert len(SURVIVORS) >= 15
    assert {name for _, _, _, name in SURVIVORS} <= DEFECTS.keys()
    assert PLANTED.keys() <= {name for _, _, _, name in SURVIVORS}
    for shape in KINDS.values():
        assert all(names for one in shape.axes.values() for names in one.survive.values())


def test_rotations_are_proved_at_the_sizes_of_the_table() -> None:
    assert (ROTATION["heads"], ROTATION["rows"]) == (rotary_proofs.HEADS, rotary_proofs.ROWS)
    assert len(rotary_proofs.POSITIONS) == len(rotary_proofs.FAR) == ROTATION["rows"]
    assert max(rotary_proofs.FAR) == ROTATION["furthest"]
    widths = tuple(Width(n, n) for n in (8, 2, 4, 6))
    subject = subject_of(MUTANTS[0], widths)
    assert rotary_proofs.width_of(subject).rotary == 2 * ROTATION["pairs"]
    assert max(ROTATION.axes["furthest"].survive) == max(rotary_proofs.POSITIONS)


def test_scores_are_proved_at_the_sizes_of_the_table_and_at_greater_ones() -> None:
    remembering = subject_of(SCORE_MUTANTS[0])
    first, second = score_proofs.shapes(remembering)
    assert (first.size.heads, first.size.width) == (SCORES["heads"], SCORES["width"])
    assert (first.batch, first.queries, first.memory) == (1, SCORES["queries"], SCORES["memory"])
    assert (second.batch, second.size.heads, second.queries) > (first.batch, first.size.heads, first.queries)
    forgetful = replace(remembering, convention=replace(remembering.convention, memory="none"))
    assert [shape.memory for shape in score_proofs.shapes(forgetful)] == [0, 0]


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
            assert row(kind, one.of, one.chosen, one.survive, one.also) in text


def row(kind: str, of: str, chosen_: int, survive: object, also: str) -> str:
    assert isinstance(survive, dict)
    less = "; ".join(f"{size}: {', '.join(f'`{name}`' for name in names)}" for size, names in survive.items())
    return f"| {kind} | {of} | {chosen_} | {'; '.join(filter(None, (less, also)))} |"
