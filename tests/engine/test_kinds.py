"""Tables, attention and scores of somebody: what they are found to be, and the law that names a defect."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from posproofs.engine.check import Checked, check, introduced
from posproofs.engine.kinds import KINDS, kind_of
from posproofs.engine.kinds.making import made
from posproofs.engine.queries import Query
from posproofs.engine.replay import replay
from posproofs.engine.worker import Worker
from posproofs.errors import UnknownName, UsageError
from posproofs.vocabulary import Evidence, Outcome, Verdict
from tests.repo.sources import ROOT

OWN = f"{ROOT}/tests/engine/own"


def checked(worker: Worker, target: str, folder: Path, **asked: object) -> Checked:
    name = target if ":" not in target else f"{OWN}/{target}"
    asked = {"dims": (4,), **asked} if ".py" in target else asked
    return check(Query(name, **asked), folder=folder, worker=worker, examples=10)  # type: ignore[arg-type]


HALVES = "rotary, half-split, base 10000, angle +p*w"
RIGHT = {
    "tables.py:angles": ("table", "positions+dim:t:angles:half", f"table of angles, {HALVES}"),
    "tables.py:in_complex": (
        "table",
        "dim+length:complex:half",
        "table of cos + i sin, rotary, half-split, base 500000",
    ),
    "tables.py:twice": ("table", "length+dim:cos+sin:half-split", f"table of (cos, sin), {HALVES}"),
    "tables.py:sinusoids": (
        "table",
        "length+dim:sin-cos:interleaved",
        "table of sines and cosines in one tensor, rotary, interleaved, base 10000",
    ),
    "tables.py:exponential": (
        "table",
        "length+dim:sin-cos:interleaved",
        "table of sines and cosines in one tensor, rotary, interleaved, base 10000",
    ),
    "tables.py:Counted": ("table", "like:btd:cos+sin:half-split", f"table of (cos, sin), {HALVES}"),
    "tables.py:Placed": ("table", "like+positions:bt:cos+sin:half-split", f"table of (cos, sin), {HALVES}"),
    "attentions.py:everything": ("attention", "q+k+v:bthd", "attention, no bias, unscaled, sees all rows"),
    "attentions.py:grouped": (
        "attention",
        "q+k+v:bhtd:causal",
        "attention, no bias, sees the past, query heads share key heads in a row",
    ),
    "attentions.py:in_turns": (
        "attention",
        "q+k+v:bhtd",
        "attention, no bias, sees the past, query heads share key heads in turns",
    ),
    "attentions.py:two_paths": (
        "attention",
        "q+k+v:bhtd:is_causal:mask=shown,lk",
        "attention, no bias, sees the past, causal from the start",
    ),
    "attentions.py:sloped": ("attention", "q+k+v:bhtd", "attention, alibi, sees the past"),
    "attentions.py:turned": ("attention", "q+k+v:bhtd:positions=t", f"attention, {HALVES}, sees the past"),
    "attentions.py:counted": ("attention", "q+k+v:bhtd", f"attention, {HALVES}, 4 of 8 turn, sees the past"),
    "attentions.py:by_width": ("attention", "q+k+v:bhtd", "attention, no bias, scale 0.125 at width 8, sees the past"),
    "four_terms.py:gathered": ("scores", "q+k+r+u+v:bhtd:K+L:bhij", "scores, four terms, offset i-j, unscaled"),
    "four_terms.py:shifted": (
        "scores",
        "q+k+r+u+v:tbhd:K:ijbh",
        "scores, four terms, offset i-j, scale 1/sqrt(d), keys up to the query",
    ),
    "modules.py:Grouped": (
        "module",
        "x:brd:positions=t",
        "attention module, rotary, half-split, base 500000, angle +p*w, sees the past",
    ),
    "modules.py:Fused": ("module", "x:brd", "attention module, alibi, sees the past"),
    "modules.py:Paired": ("module", "x:brd:mask=shown,lk", "attention module, no bias, sees the past"),
    "modules.py:ByHead": ("module", "x:brd", "attention module, no bias, unscaled, sees all rows"),
    "modules.py:released": ("module", "x:rbd:attn_mask=blocked,lk", "attention module, no bias, sees the past"),
}


DIMS = {"attentions.py:counted": (4, 8), "attentions.py:by_width": (4, 8), "tables.py:exponential": (64,)}
PROVED: dict[str, set[str]] = {
    "table": set(),  # where rows are counted, their number would be a symbol
    "attention": {"attention.formula"},
    "scores": {"transformer_xl.gather", "transformer_xl.four_terms"},
    "module": {"attention.formula"},
}


@pytest.mark.parametrize("target", RIGHT)
def test_right_code_is_named(target: str, worker: Worker) -> None:
    kind, code, identified = RIGHT[target]
    found = introduced(worker, Query(f"{OWN}/{target}", dims=DIMS.get(target, (4,))))
    assert (found.kind, found.code, found.identified[: len(identified)]) == (kind, code, identified)
    assert found.named


# Of each way to give positions, of each source of paths, and where a false alarm was once.
CONFORMING = (
    *("tables.py:angles", "tables.py:Counted", "tables.py:exponential"),
    *("attentions.py:grouped", "attentions.py:two_paths", "attentions.py:sloped", "attentions.py:counted"),
    *("four_terms.py:gathered", "four_terms.py:shifted"),
    *("modules.py:Grouped", "modules.py:Fused", "modules.py:released"),
)


@pytest.mark.parametrize("target", CONFORMING)
def test_right_code_conforms(target: str, worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, target, tmp_path, dims=DIMS.get(target, (4,)))
    kind, code, _ = RIGHT[target]
    assert found.verdict is Verdict.CONFORMS
    assert {law.outcome for law in found.subject.laws} <= {Outcome.HOLDS, Outcome.NOT_APPLICABLE}
    proved = {law.id for law in found.subject.laws if law.evidence is Evidence.PROVED}
    assert proved >= PROVED[kind]
    assert not ("positions" in code and kind == "table") or "rotary.formula" in proved
    assert not list(tmp_path.iterdir())


BROKEN = {
    "tables.py:Stale": "rotary.history",
    "tables.py:OfItsClass": "rotary.history",
    "attentions.py:early": "attention.causal",
    "attentions.py:inverted": "attention.causal",
    "attentions.py:over_queries": "attention.formula",
    "attentions.py:absolute": "attention.shift",
    "four_terms.py:exchanged": "transformer_xl.four_terms",
    "modules.py:Early": "attention.causal",
    "modules.py:BiasOfEach": "attention.formula",
}
REPLAYED = (
    "tables.py:OfItsClass",
    "attentions.py:absolute",
    "four_terms.py:exchanged",
    "modules.py:BiasOfEach",
)  # one of each kind


@pytest.mark.parametrize("target", BROKEN)
def test_a_defect_is_named_by_its_law_and_replayed(target: str, worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, target, tmp_path, dims=(4, 8) if target.startswith("tables") else (4,))
    assert found.verdict is Verdict.BREAKS
    (law,) = (law for law in found.subject.laws if law.outcome is Outcome.BROKEN)
    assert law.id == BROKEN[target]
    assert law.replay is not None
    if target not in REPLAYED:
        return
    again = replay(law.replay, folder=tmp_path)
    assert (again.status, again.witness) == ("FAILED", law.witness), again.error


WITHOUT_A_SCHEME = {
    "modules.py:Layer": "the weights of the values are no probabilities",
    "modules.py:OtherNames": "the names of its parameters do not say which make q, k, v and the output",
    "modules.py:Inner": "its heads together are not as wide as its rows",
    "modules.py:Single": "its scheme is read where it has 3 heads or more, and it has 1",
}


@pytest.mark.parametrize("target", WITHOUT_A_SCHEME)
def test_a_module_without_a_scheme_is_held_to_what_needs_none(target: str, worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, target, tmp_path)
    assert (found.kind, found.identified) == ("module", f"unidentified: {WITHOUT_A_SCHEME[target]}")
    assert found.verdict is Verdict.UNIDENTIFIED
    needed = "attention.permutation" if target == "modules.py:Inner" else "attention.causal"
    assert needed in {law.id for law in found.subject.laws if law.evidence is Evidence.PROVED}


def test_heads_in_turns_have_no_formula(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, "modules.py:InTurns", tmp_path)
    (law,) = (law for law in found.subject.laws if law.id == "attention.formula")
    assert (found.verdict, law.outcome) == (Verdict.CONFORMS, Outcome.NOT_APPLICABLE)
    assert any(line.startswith("formula: none is written") for line in found.warnings)


def test_a_copy_of_a_class_has_the_parameters_of_the_first_one(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, "modules.py:Learned", tmp_path, dims=(8,))
    assert (found.kind, found.verdict) == ("rotary", Verdict.CONFORMS)
    assert "listed frequencies" in found.identified


def test_parameters_on_another_device_start_alike_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch, "manual_seed", seeds.append)
    made(torch.nn.LayerNorm, 8)
    assert seeds == [0]


def test_a_class_that_cannot_be_made_is_told_what_to_write(worker: Worker, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"OfConfig wants 'config', which cannot be guessed[^\n]*\n\n    class Mine"):
        checked(worker, "modules.py:OfConfig", tmp_path)


def test_a_module_in_which_no_row_sees_another_is_no_attention(worker: Worker, tmp_path: Path) -> None:
    """And no rotation either, as it has layers: nothing is asked of it."""
    with pytest.raises(
        UsageError, match=r"RowByRow \(it is no module whose rows of one sequence depend on each other\)"
    ):
        checked(worker, "modules.py:RowByRow", tmp_path)


@pytest.mark.parametrize(("width", "over"), [(2, "weights and positions"), (4, "weights, positions and frequencies")])
def test_frequencies_are_claimed_where_they_are_symbols(width: int, over: str, worker: Worker, tmp_path: Path) -> None:
    """A single frequency is a number like any other: that it stands for the declared one is not beyond doubt."""
    found = checked(worker, "attentions.py:turned", tmp_path, dims=(width,))
    (law,) = (law for law in found.subject.laws if law.id == "attention.formula")
    assert (law.outcome, law.evidence) == (Outcome.HOLDS, Evidence.PROVED)
    assert law.for_all.startswith(f"all inputs, {over}; ")


def test_attention_of_another_form_is_unidentified_and_held_to_what_needs_no_form(
    worker: Worker, tmp_path: Path
) -> None:
    found = checked(worker, "attentions.py:capped", tmp_path)
    assert (found.verdict, found.identified) == (
        Verdict.UNIDENTIFIED,
        "unidentified: scores are not linear in q and k",
    )
    proved = {law.id for law in found.subject.laws if law.evidence is Evidence.PROVED}
    assert proved == {"attention.causal", "attention.decoding"}


def test_what_an_attention_does_with_its_arguments_is_said(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, "attentions.py:forgetful", tmp_path)
    assert found.warnings[1:] == (
        "mask: it hides no key, in whatever form it is given",
        "arguments: a call writes into q, k or v",
    )


def test_a_mask_that_means_the_opposite_on_one_path_is_found(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, "attentions.py:other_way", tmp_path)
    broken = {law.id: law for law in found.subject.laws if law.outcome is Outcome.BROKEN}
    assert set(broken) == {"attention.causal", "attention.paths"}
    assert "mask, flash=True" in str(broken["attention.paths"].witness)


def test_a_shape_that_was_printed_is_taken_back(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, "attentions.py:grouped", tmp_path, shape="q+k+v:bhtd")
    assert (found.code, found.verdict) == ("q+k+v:bhtd", Verdict.CONFORMS)
    with pytest.raises(UsageError, match="unknown call shape 'q\\+k\\+v:bhdt'; did you mean q\\+k\\+v:b"):
        checked(worker, "attentions.py:grouped", tmp_path, shape="q+k+v:bhdt")


def test_a_kind_can_be_named(worker: Worker, tmp_path: Path) -> None:
    assert [kind.name for kind in KINDS] == ["rotary", "table", "attention", "scores", "module"]
    with pytest.raises(UnknownName, match="unknown kind 'rotry'; did you mean rotary"):
        kind_of("rotry")
    with pytest.raises(UsageError, match="no call shape fits"):
        checked(worker, "attentions.py:grouped", tmp_path, kind="scores")


def test_a_shipped_subject_is_read_from_its_outputs(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, "transformers.cohere", tmp_path)
    assert found.identified.startswith("rotary, interleaved, base 500000, angle +p*w")
    assert (found.verdict, found.warnings) == (Verdict.CONFORMS, ())
    known = checked(worker, "transformers.vjepa2", tmp_path)
    assert known.identified.startswith("unidentified: position 1: ")
    assert [law.id for law in known.subject.laws if law.outcome is Outcome.KNOWN] == ["rotary.isometry"]
    assert known.warnings == ("declared: rotary, interleaved, base 10000, angle +p*w",)
    with pytest.raises(UsageError, match="called and declared as its adapter says; leave out"):
        checked(worker, "transformers.cohere", tmp_path, dims=(8,))
    with pytest.raises(UsageError, match=r"unknown subject 'transformers.coher'; did you mean transformers.cohere\?"):
        checked(worker, "transformers.coher", tmp_path)
