"""A law and an entry of the catalogue come with five companions each; what is missing is named.

A law: a statement, a theorem or the word that it is empirical, a mutant, a line in the pages, a golden failure.
An entry: a title, a verdict, mutants of its steps where it has steps, a line in the pages, a line in the golden list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from derivations.derivation import Entry, Report, catalogue
from posproofs.laws import LAWS, Law, law
from posproofs.mutants.steps import step_mutants
from posproofs.report.theorems import REFUTED, SETTLED
from tests.repo.sources import ROOT

GOLDEN = ROOT / "tests" / "golden"
# Laws behind which no theorem stands, on purpose: they are about state, numbers and distinct positions.
EMPIRICAL = frozenset(
    {
        *("rotary.output", "rotary.purity", "rotary.history", "rotary.locality", "rotary.position"),
        *("transformer_xl.purity", "transformer_xl.history"),
        *(f"attention.{name}" for name in ("causal", "paths", "shift", "decoding", "permutation", "same", "formula")),
    }
)


@dataclass(frozen=True, slots=True)
class Shown:
    """Where a companion may stand: the text of all pages, the names of golden failures, the golden list of entries."""

    pages: str
    failures: frozenset[str]
    entries: frozenset[str]


SHOWN = Shown(
    "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "posproofs" / "docs").glob("*.md"))),
    frozenset(path.name for path in (GOLDEN / "report").iterdir()),
    frozenset(line.partition(" | ")[0] for line in (GOLDEN / "derivations" / "catalogue.txt").read_text().splitlines()),
)


def missing_of_law(one: Law, shown: Shown) -> list[str]:
    """The companions that this law lacks."""
    there = {
        "statement": bool(one.statement and one.consequence),
        "theorem": (one.theorem is None) == (one.id in EMPIRICAL),
        "mutant": bool(one.mutants),
        "page": f"`{one.id}`" in shown.pages,
        "golden failure": f"failure-{one.id}.txt" in shown.failures,
    }
    return [name for name, found in there.items() if not found]


def missing_of_entry(entry: Entry, shown: Shown) -> list[str]:
    """The companions that this entry lacks."""
    wanted = REFUTED if entry.kind == "erratum" else SETTLED
    rows = [statement for statement, _ in entry.chain.statements()] if entry.chain is not None else []
    there = {
        "title": bool(entry.title and entry.source),
        "verdict": entry.check().status in wanted,
        "step mutants": entry.chain is None or any(True for row in rows for _ in step_mutants(row.right)),
        "page": f"**{entry.id}**" in shown.pages,
        "golden list": entry.id in shown.entries,
    }
    return [name for name, found in there.items() if not found]


def test_every_law_has_its_companions() -> None:
    assert {one.id: lacks for one in LAWS if (lacks := missing_of_law(one, SHOWN))} == {}
    assert {one.id for one in LAWS} >= EMPIRICAL


def test_every_entry_has_its_companions() -> None:
    assert {one.id: lacks for one in catalogue().values() if (lacks := missing_of_entry(one, SHOWN))} == {}


GRAM = law("rotary.gram")
LAW_DEFECTS: dict[str, tuple[Callable[[], Law], Shown]] = {
    "statement": (lambda: replace(GRAM, statement=""), SHOWN),
    "theorem": (lambda: replace(GRAM, theorem=None), SHOWN),
    "mutant": (lambda: replace(GRAM, mutants=()), SHOWN),
    "page": (lambda: GRAM, replace(SHOWN, pages="")),
    "golden failure": (lambda: GRAM, replace(SHOWN, failures=frozenset())),
}


@pytest.mark.parametrize("companion", LAW_DEFECTS)
def test_a_companion_that_a_law_lacks_is_named(companion: str) -> None:
    planted, shown = LAW_DEFECTS[companion]
    assert missing_of_law(planted(), shown) == [companion]


def changed(**fields: Any) -> Entry:
    return replace(catalogue()["rotary.relative"], **fields)


def without_rows() -> Entry:
    entry = catalogue()["rotary.relative"]
    assert entry.chain is not None
    return replace(entry, chain=replace(entry.chain, steps=()))


ENTRY_DEFECTS: dict[str, tuple[Callable[[], Entry], Shown]] = {
    "title": (lambda: changed(title=""), SHOWN),
    "verdict": (lambda: changed(decide=lambda: Report("undecided")), SHOWN),
    "step mutants": (without_rows, SHOWN),
    "page": (changed, replace(SHOWN, pages="")),
    "golden list": (changed, replace(SHOWN, entries=frozenset())),
}


@pytest.mark.parametrize("companion", ENTRY_DEFECTS)
def test_a_companion_that_an_entry_lacks_is_named(companion: str) -> None:
    planted, shown = ENTRY_DEFECTS[companion]
    assert missing_of_entry(planted(), shown) == [companion]
