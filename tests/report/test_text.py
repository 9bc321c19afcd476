"""How failures read: the form of the design, one golden for each law, and never more than the records say."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib.metadata import version

import pytest

from posproofs.engine.records import LawRecord, SubjectRecord
from posproofs.engine.run import law_record
from posproofs.engine.verdict import verdict
from posproofs.laws import LAWS, Law, examine, subject_of
from posproofs.report.text import FIRST_LINE, failure, headline, tally
from posproofs.vocabulary import Outcome
from tests.report.goldens import UPDATE, compare, masked
from tests.report.records import BLOCKED, BROKEN, ERROR, HOLDS, IDLE, KNOWN, subject

LABELS = ("subject", "identified", "laws", "law", "witness", "observed", "expected", "likely", "reason", "replay")
IDS = [law.id for law in LAWS]


@cache
def broken(law: Law) -> tuple[SubjectRecord, LawRecord]:
    """The first mutant of the law, as the law finds it."""
    mutant = subject_of(law.mutants[0])
    finding = examine(law, mutant)
    record = law_record(mutant, law, finding, Outcome.BROKEN, stored="0a1b2c")
    whole = (record,)
    assert finding.broken, f"{law.id} does not kill {mutant.name}"
    return SubjectRecord(mutant.name, "posproofs", "", "rotary", str(mutant.convention), verdict(whole), whole), record


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_a_failure_of_each_law_is_a_golden(law: Law) -> None:
    compare(f"failure-{law.id}.txt", masked(failure(*broken(law))))


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_a_failure_keeps_the_form(law: Law) -> None:
    text = failure(*broken(law))
    first, *rest = text.splitlines()
    assert text.isascii()
    assert len(first) <= FIRST_LINE
    assert first == f"{law.id} broken: {law.consequence}", "the first line does not fit; shorten the consequence"
    labels = [line[2:13].strip() for line in rest if line[2] != " "]
    assert labels == [label for label in LABELS if label in labels]
    assert {"subject", "identified", "laws", "law", "witness", "observed", "expected", "replay"} <= set(labels)
    assert not re.search(r"\d+(\.\d+)? ?(s|ms|seconds)\b", text), "a time in the text"


def test_the_example_of_the_design() -> None:
    assert masked(failure(subject(HOLDS, BROKEN, BLOCKED, IDLE), BROKEN)) == (
        "rotary.history broken: result depends on earlier calls\n"
        "  subject    example (package 1.2.3, torch X, cpu)\n"
        "  identified rotary, interleaved, base 10000, angle +p*w\n"
        "  laws       3 ran, 1 broken, 1 blocked, 1 not applicable (no position below the limit)\n"
        "  law        the rotation is a function of the positions only, whatever was called before\n"
        "  witness    width 4; freqs(0..3), then freqs(3..6)\n"
        "  observed   first angle 0.0       error 3\n"
        "  expected   first angle 3.0       allowed 0\n"
        "  likely     the cache key leaves out the offset\n"
        "  replay     posproofs replay 7f3a91\n"
    )


def test_a_label_without_a_word_is_left_out() -> None:
    bare = replace(BROKEN, likely=None, replay=None, saw=None, expected=None, allowed=None)
    text = failure(subject(bare), bare)
    assert "likely" not in text
    assert "expected" not in text
    assert "  observed   error 3\n" in text


def test_an_error_says_what_was_raised() -> None:
    text = failure(subject(ERROR), ERROR)
    assert text.startswith("rotary.vjp error: it could not be decided\n")
    assert "  reason     RuntimeError: no such operator\n" in text


def test_a_long_first_line_is_cut_at_a_word() -> None:
    line = headline(BROKEN, "one two three four five six seven eight nine ten")
    assert line == "rotary.history broken: one two three four five six seven..."
    assert len(line) <= FIRST_LINE


def test_a_known_failure_and_an_error_are_counted() -> None:
    assert tally((HOLDS, KNOWN, ERROR)) == "2 ran, 1 known to fail, 1 in error"


def test_a_golden_that_differs_or_is_missing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(UPDATE, raising=False)
    with pytest.raises(AssertionError, match=r"\+other"):
        compare("run.txt", "other")
    with pytest.raises(AssertionError, match=r"there is no golden none\.txt"):
        compare("none.txt", "x")


def test_a_golden_leaves_out_what_a_machine_may_change() -> None:
    assert masked("an output of 0.18160186, allowed 5.22e-07") == "an output of 0.1816, allowed 5.22e-07"
    assert masked(f"torch {version('torch')}, cpu") == "torch X, cpu"
