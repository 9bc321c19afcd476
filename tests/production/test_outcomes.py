"""The table of outcomes: it is held to a run by `make verify`, and what it says of the whole is asserted here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from posproofs.engine import known
from posproofs.laws import ATTENTION_LAWS, laws_of
from posproofs.production import SUBJECTS
from tests.production import outcomes

LINES = [tuple(line.split()) for line in outcomes.TABLE.read_text(encoding="utf-8").splitlines()]


def test_every_law_of_every_subject_has_its_line() -> None:
    wanted = [(one.name, law.id) for one in SUBJECTS for law in laws_of(one)]
    assert [(name, law) for name, law, *_ in LINES] == wanted


def test_nothing_is_broken_but_what_is_listed_as_known() -> None:
    assert {outcome for _, _, outcome, *_ in LINES} == {"holds", "not-applicable", "known", "blocked"}
    listed = {(entry.subject, entry.law) for entry in known.shipped()}
    assert {(name, law) for name, law, outcome, *_ in LINES if outcome == "known"} == listed


def test_at_least_thirty_are_proved_equal_to_their_formula_or_to_each_other() -> None:
    formula = {"rotary.formula", "transformer_xl.four_terms", "attention.formula", "attention.same", "attention.paths"}
    proved = {name for name, law, _, evidence in LINES if law in formula and evidence == "proved"}
    assert len(proved) >= 44


def test_whole_modules_are_proved_causal_shift_invariant_and_the_same_when_fused() -> None:
    wanted = {f"attention.{name}" for name in ("causal", "shift", "paths")}
    by_name = {one.name: {law for name, law, _, e in LINES if (name, e) == (one.name, "proved")} for one in SUBJECTS}
    assert sum(wanted <= proved for proved in by_name.values()) >= 8
    assert "attention.decoding" in by_name["transformers.llama.model"]


def test_a_law_of_attention_that_holds_is_proved() -> None:
    attention = {law.id for law in ATTENTION_LAWS}
    assert {evidence for _, law, outcome, evidence in LINES if law in attention and outcome == "holds"} == {"proved"}


def run_of(*laws: tuple[str, str, str]) -> dict[str, object]:
    return {
        "subjects": [
            {"name": "one", "laws": [dict(zip(("id", "outcome", "evidence"), law, strict=True)) for law in laws]}
        ]
    }


BEFORE = run_of(("rotary.gram", "holds", "proved"), ("rotary.vjp", "not-applicable", "undecided"))


@pytest.mark.parametrize(
    "after",
    [
        run_of(("rotary.gram", "holds", "sampled"), ("rotary.vjp", "not-applicable", "undecided")),
        run_of(("rotary.gram", "holds", "proved"), ("rotary.vjp", "holds", "sampled")),
        run_of(("rotary.gram", "holds", "proved")),
    ],
    ids=["a proof is lost", "a law applies", "a law is gone"],
)
def test_a_run_that_is_another_ends_verify(
    after: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "TABLE", tmp_path / "outcomes.txt")
    written = tmp_path / "verify.json"
    written.write_text(json.dumps(BEFORE))
    assert outcomes.main([str(written), "--record"]) == 0
    assert outcomes.main([str(written)]) == 0
    written.write_text(json.dumps(after))
    assert outcomes.main([str(written)]) == 1
