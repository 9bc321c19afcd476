"""What `posproofs check` prints and writes, from records that are made up here."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from posproofs.engine.check import Checked
from posproofs.engine.known import Entry
from posproofs.engine.queries import Query
from posproofs.engine.records import LawRecord, SubjectRecord
from posproofs.engine.worker import Worker
from posproofs.errors import UsageError
from posproofs.report import checked as module
from posproofs.report.checked import document, remarks, status, text
from posproofs.report.document import as_text, schema
from posproofs.vocabulary import Evidence, Exit, Outcome, Verdict
from tests.report.goldens import compare
from tests.report.test_document import errors

HOLDS = LawRecord(
    "rotary.purity", Outcome.HOLDS, 6, 6, evidence=Evidence.SAMPLED, for_all="widths 4, 8", allowed=0.0, observed=0.0
)
BROKEN = LawRecord(
    "rotary.history",
    Outcome.BROKEN,
    180,
    38,
    evidence=Evidence.SAMPLED,
    allowed=1.43e-06,
    observed=1.74,
    witness="width 8; float32 at position 0; then float32 at position 1",
    expected="1.6154, as a new instance gives",
    likely="a table is kept from an earlier call and does not fit the later one",
    replay="57f114",
    saw="an output of -0.125",
)
CONVENTION = "rotary, half-split, base 10000, angle +p*w, table in float32"


def checked(
    *laws: LawRecord, verdict: Verdict, convention: str = CONVENTION, warnings: tuple[str, ...] = ()
) -> Checked:
    subject = SubjectRecord("mine.py:rotate", "mine", "0123456789ab", "rotary", convention, verdict, laws)
    shape = "(x, positions), x (batch, heads, rows, dim), positions (rows,)"
    return Checked(subject, "rotary", shape, "x+positions:bhtd:t", convention, warnings)


CONFORMS = checked(HOLDS, verdict=Verdict.CONFORMS)
BREAKS = checked(
    HOLDS, BROKEN, verdict=Verdict.BREAKS, warnings=("one-width: asked in width 8 alone; --dims names others",)
)
OPEN = checked(HOLDS, verdict=Verdict.UNIDENTIFIED, convention="no convention; position 1: rows are not turned alike")


def test_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("posproofs.report.text._installed", lambda _package: "2.13.0")
    compare("check.txt", f"{text(CONFORMS)}\n{text(BREAKS)}\n{text(OPEN)}")


def test_exit_status() -> None:
    assert [status(one) for one in (CONFORMS, BREAKS, OPEN)] == [Exit.CONFORMS, Exit.BROKEN, Exit.INCONCLUSIVE]
    assert status(replace(CONFORMS, problems=("known.toml is out of date",))) is Exit.BROKEN


def test_a_broken_law_is_an_annotation_of_github() -> None:
    assert remarks(CONFORMS) == []
    (line,) = remarks(BREAKS)
    assert line.startswith("::error file=mine.py,title=rotary.history broken: result depends on earlier calls::subject")
    assert line.count("\n") == 1
    assert "%0A  witness    width 8" in line


def test_the_document_is_of_its_schema() -> None:
    for one in (CONFORMS, BREAKS, OPEN):
        assert errors(json.loads(as_text(document(one))), "check") == []
    assert schema("check")["$defs"] == {name: schema("verify")["$defs"][name] for name in ("subject", "law")}


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(schema="posproofs.check/2"),
        lambda d: d.update(extra=1),
        lambda d: d.pop("identified"),
        lambda d: d.update(verdict="passed"),
        lambda d: d.update(warnings="none"),
        lambda d: d["subject"].update(verdict="passed"),
        lambda d: d["subject"]["laws"][0].update(outcome="green"),
    ],
)
def test_a_planted_invalid_document_is_refused(change: Callable[[Any], object]) -> None:
    planted = copy.deepcopy(document(BREAKS))
    change(planted)
    assert errors(planted, "check") != []


LISTED = """
[[tool.posproofs.known]]
subject = "mine.py:rotate"
law = "rotary.history"
digest = "57f1140123ab"
reason = "mended in the next release"
"""


@pytest.mark.parametrize("json", [None, Path("out.json")])
def test_the_known_failures_of_the_folder_are_used(
    json: Path | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Entry, ...]] = []

    idle = Worker()

    def check(_: Query, *, entries: tuple[Entry, ...], seed: int, worker: Worker) -> Checked:
        assert (seed, worker) == (0, idle)
        given.append(entries)
        return CONFORMS

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "check", check)
    (tmp_path / "pyproject.toml").write_text(LISTED)
    assert module.checked(Query("mine.py:rotate"), StringIO(), worker=idle, json=json) is Exit.CONFORMS
    assert [[one.law for one in entries] for entries in given] == [["rotary.history"]]
    (tmp_path / "pyproject.toml").write_text(LISTED.replace("digest", "digets"))
    with pytest.raises(UsageError, match="has the keys"):
        module.checked(Query("mine.py:rotate"), StringIO(), worker=idle, json=json)


def test_a_known_failure_alone_conforms_and_its_reason_is_printed() -> None:
    known = replace(BROKEN, outcome=Outcome.KNOWN, reason="mended in the next release")
    one = checked(HOLDS, known, verdict=Verdict.BREAKS)
    assert status(one) is Exit.CONFORMS
    assert "mended in the next release" in text(one)
