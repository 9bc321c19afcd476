"""The page on what every entry rests on is what the catalogue gives now, and says what the record of trials says."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import pytest

from derivations.derivation import Report, catalogue
from posproofs.errors import UsageError
from posproofs.report import trials
from posproofs.report.resting import theorems_page
from posproofs.report.trials import (
    BESIDE,
    FRAGMENTS,
    THROUGH,
    Record,
    Survived,
    fragments_of,
    kernel_digest,
    parsed,
    recorded,
)
from posproofs.report.trust import kernel_modules
from tests.repo.sources import ROOT, modules
from tests.report.goldens import UPDATE

PAGE = ROOT / "posproofs" / "docs" / "theorems.md"
ENTRIES = catalogue()
UNTRIED = theorems_page(ENTRIES, None)
TRIED = Survived(800, 200, 210, 780, 9, 10, 0)
RECORD = Record("0" * 12, dict.fromkeys(FRAGMENTS, TRIED))


def stale(page: Path, text: str) -> str:
    """The difference between a committed page and the text that it should have; with the switch set, write it."""
    if os.environ.get(UPDATE):
        page.write_text(text, encoding="utf-8")
    lines = unified_diff(
        page.read_text(encoding="utf-8").splitlines(), text.splitlines(), page.name, "now", lineterm=""
    )
    return "\n".join(lines)


def test_the_page_is_what_the_catalogue_gives_now() -> None:
    assert stale(PAGE, theorems_page(ENTRIES, recorded())) == "", f"read the difference, then set {UPDATE}=1"


def test_an_entry_that_changes_makes_the_page_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its status, its title, its claims, and the record of the trials."""
    monkeypatch.delenv(UPDATE, raising=False)
    (tmp_path / PAGE.name).write_text(UNTRIED)
    entry = ENTRIES["rotary.distinct"]
    for changed in (replace(entry, title="another"), replace(entry, claims=())):
        assert "\n-" in stale(tmp_path / PAGE.name, theorems_page({**ENTRIES, entry.id: changed}, None))
    assert "+| indices | cells, indices | 800" in stale(tmp_path / PAGE.name, theorems_page(ENTRIES, RECORD))
    assert stale(tmp_path / PAGE.name, UNTRIED) == ""


def test_no_line_starts_a_list_by_accident() -> None:
    """A sign at the beginning of a folded line would."""
    marks = [line for line in theorems_page(ENTRIES, RECORD).splitlines() if re.match(r"\s*([-+*>#]|\d+[.)])\s", line)]
    meant = re.compile(r"##? [A-Z]|- \*\*|  - (scope|if|uses|with|fails|corrected|cites|trials|used by): |- [a-z-]+: ")
    assert [line for line in marks if not meant.match(line)] == []


def test_every_module_of_the_kernel_has_its_place() -> None:
    """A fragment is about it, or every statement goes through it, or no theorem rests on it."""
    own = [module for each in FRAGMENTS.values() for module in each]
    present = {path.stem for path in modules("derivations/kernel")} - {"__init__"}
    assert sorted([*own, *THROUGH, *BESIDE]) == sorted(present)


def test_no_theorem_rests_on_what_stands_beside() -> None:
    theorems = [report.theorem for entry in ENTRIES.values() if (report := entry.check()).theorem is not None]
    assert len(theorems) > 80
    for theorem in theorems:
        assert theorem is not None
        assert not BESIDE.intersection(kernel_modules(theorem))


def test_an_entry_names_its_fragments_hypotheses_scope_lemmas_and_theorems() -> None:
    (found,) = [part for part in UNTRIED.split("\n- ") if part.startswith("**euler.formula**, proved: ")]
    assert "  - scope: for all real t; smooth functions c, s\n" in found
    assert (
        "  - if: `d/dt c(t) = -s(t) for every t` and `d/dt s(t) = c(t) for every t` and `c(0) = 1` and `s(0) = 0`\n"
        in found
    )
    assert "  - uses: euler.exponential, euler.circular, euler.initial\n" in found
    assert "  - cites: linear-ode-uniqueness\n" in found
    assert found.rstrip().endswith("  - trials: values, quotients, hypotheses")


@pytest.mark.parametrize("label", ENTRIES)
def test_every_entry_has_one_row(label: str) -> None:
    assert UNTRIED.count(f"\n- **{label}**, {ENTRIES[label].check().status}: ") == 1


def test_an_open_entry_is_counted_as_open() -> None:
    entry = replace(ENTRIES["rotary.relative"], decide=lambda: Report("undecided", detail="limit reached"))
    page = theorems_page({**ENTRIES, entry.id: entry}, None)
    assert "- **rotary.relative**, undecided: " in page
    (line,) = [line for line in page.splitlines() if line.startswith("| all |")]
    assert line.endswith(" 1 |")


def test_without_a_record_the_page_says_so() -> None:
    assert "No completed run of random trials is recorded yet." in UNTRIED
    assert "near-identities |" not in UNTRIED


def test_the_figures_are_those_of_the_record() -> None:
    page = theorems_page(ENTRIES, replace(RECORD, kernel=kernel_digest()))
    assert "| indices | cells, indices | 800 | 200 | 210 | 780 | 10 | 9 | 0 |" in page
    assert "The kernel that was tried is the one that decides the entries below" in page
    assert "  - trials: values, quotients; 1,600 near-identities, 0 answered wrongly\n" in page


def test_what_was_not_tried_or_was_answered_wrongly_is_said() -> None:
    some = Record("0" * 12, {"values": replace(TRIED, wrong=3)})
    page = theorems_page(ENTRIES, some)
    assert "| values | values | 800 | 200 | 210 | 780 | 10 | 9 | 3 |" in page
    assert "| words | words | not tried |" in page
    assert "has been changed since" in page
    assert "  - trials: values, quotients; 800 near-identities, 3 answered wrongly; not tried: quotients\n" in page


COUNTS = {
    "near": 8,
    "true": 2,
    "proved": 2,
    "refuted": 7,
    "undecided": {"limit reached": 1, "no point found": 0},
    "false proofs": 1,
    "false refutations": 2,
    "crashes": 3,
    "too slow": 4,
    "true by accident": 0,
    "first seed": 0,
    "last seed": 9,
}


def stored(**changes: object) -> str:
    return json.dumps({"schema": trials.SCHEMA, "kernel": "0123456789ab", "fragments": {"values": COUNTS}} | changes)


def test_a_record_is_read() -> None:
    assert parsed(stored()) == Record("0123456789ab", {"values": Survived(8, 2, 2, 7, 0, 1, 10)})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not of"),
        ("[]", "is not of"),
        (stored(schema="posproofs.trials/0"), "posproofs.trials/0"),
        (stored(fragments={"values": {**COUNTS, "near": "many"}}), "many"),
        (stored(fragments={"values": {k: n for k, n in COUNTS.items() if k != "false proofs"}}), "false proofs"),
        (stored(fragments={"values": {k: n for k, n in COUNTS.items() if k != "crashes"}}), "crashes"),
        (stored(fragments={"valeus": COUNTS}), "unknown fragments valeus"),
    ],
)
def test_another_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parsed(text)


def test_a_module_that_no_theorem_rests_on_is_in_no_fragment() -> None:
    assert fragments_of(["terms", "matrices", "rules", "inference"]) == ("blocks", "hypotheses")


def test_the_digest_changes_with_the_kernel() -> None:
    assert kernel_digest() == kernel_digest()
    assert len(kernel_digest()) == 12


def test_the_shipped_record_is_that_of_the_repository() -> None:
    path = ROOT / "posproofs" / "docs" / "trials.json"
    assert recorded() == (parsed(path.read_text(encoding="utf-8")) if path.exists() else None)
