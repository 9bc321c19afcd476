"""The parts of what `posproofs verify` prints, each from records by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from posproofs.engine.records import Run, TheoremRecord
from posproofs.engine.verdict import exit_code
from posproofs.report.layout import LINE, counted, labelled, table
from posproofs.report.subjects import known_text, legend, problems_text, skipped_text, subject_block
from posproofs.report.theorems import as_expected, theorems_text
from posproofs.report.totals import MEANING, totals
from posproofs.vocabulary import Exit, Outcome, Verdict
from tests.report.goldens import compare, masked
from tests.report.records import ERRATUM, HOLDS, IDLE, KNOWN, OPEN, RUN, THEOREM, subject


def test_a_whole_run_is_a_golden() -> None:
    parts = [
        theorems_text(RUN.theorems),
        legend(),
        *map(subject_block, RUN.subjects),
        known_text(RUN.subjects),
        problems_text(RUN.problems),
        skipped_text(RUN.skipped),
        totals(RUN, exit_code(RUN)),
    ]
    text = masked("\n".join(parts))
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= LINE
    compare("run.txt", text)


def test_columns_are_aligned_and_the_last_one_is_wrapped_under_itself() -> None:
    lines = table([("a", "b", "one " * 40), ("long", "c", "two")]).splitlines()
    assert lines[0].startswith("  a     b  one one")
    assert lines[1].startswith("           one")
    assert lines[-1] == "  long  c  two"
    assert all(len(line) <= LINE and line == line.rstrip() for line in lines)
    assert table([]) == ""


def test_a_label_without_a_value_is_left_out() -> None:
    assert labelled((("a", "x"), ("b", ""))) == "  a          x\n"


def test_one_and_many() -> None:
    assert [counted(n, "law") for n in (0, 1, 2)] == ["0 laws", "1 law", "2 laws"]
    assert counted(2, "entry", "entries") == "2 entries"


def test_no_theorem_is_no_text() -> None:
    assert theorems_text(()) == ""


def test_what_is_open_says_why() -> None:
    text = theorems_text((OPEN,))
    assert "  rotary.vjp  undecided  RF-47" in text
    assert "no reason was given" in text


def test_an_unknown_id_shows_its_statement() -> None:
    text = theorems_text((replace(THEOREM, id="mine"), replace(ERRATUM, id="errata.mine")))
    assert "R^T R = Id(2h)" in text
    assert "as printed" in text


@pytest.mark.parametrize(
    ("record", "fine"),
    [
        (THEOREM, True),
        (replace(THEOREM, status="cited"), True),
        (replace(THEOREM, status="refuted"), False),
        (OPEN, False),
        (ERRATUM, True),
        (replace(ERRATUM, status="proved"), False),
    ],
)
def test_an_erratum_is_expected_to_be_refuted_and_nothing_else_is(record: TheoremRecord, fine: bool) -> None:
    assert as_expected(record) is fine


def test_counts_are_printed_where_they_are_zero() -> None:
    block = subject_block(subject(HOLDS, verdict=Verdict.CONFORMS))
    assert "1 law applied, 1 ran, 0 not applicable\n" in block
    idle = subject_block(subject(IDLE, verdict=Verdict.INCONCLUSIVE))
    assert "0 laws applied, 0 ran, 1 not applicable\n" in idle


def test_a_law_that_ran_no_case_shows_no_evidence() -> None:
    row = next(line for line in subject_block(subject(IDLE)).splitlines() if "rotary.gram" in line)
    assert row.split()[:6] == ["rotary.gram", "not-applicable", "proved", "-", "4", "0"]


def test_empty_parts_are_empty() -> None:
    assert (known_text(()), problems_text(()), skipped_text(())) == ("", "", "")


def test_totals_count_zeros_and_say_what_the_status_means() -> None:
    run = Run((THEOREM,), (subject(HOLDS, verdict=Verdict.CONFORMS),))
    text = totals(run, Exit.CONFORMS)
    assert "1 proved, 0 cited, 0 open" in text
    assert "  errata     none asked\n" in text
    assert "1 ran (conforms 1), 0 skipped" in text
    assert "1 applied, 1 ran (6 cases), 0 not applicable, 1 hold, 0 broken, 0 known to fail" in text
    assert text.endswith(f"exit 0: {MEANING[Exit.CONFORMS]}\n")


def test_every_exit_status_has_a_meaning() -> None:
    assert set(MEANING) == set(Exit)


def test_a_known_failure_stays_visible() -> None:
    text = known_text((subject(KNOWN),))
    assert "  rotary.position known: positions are merged or ignored\n" in text
    assert "the table is kept in bfloat16" in text
    assert Outcome.KNOWN in subject_block(subject(KNOWN))
