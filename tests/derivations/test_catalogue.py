"""Every entry of the catalogue comes out as the golden says, for every even width, and not by accident."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from derivations import claims
from derivations.derivation import Entry, NotProved, UnknownEntry, catalogue, get, theorem
from derivations.kernel import Theorem
from derivations.kernel.terms import Block, IndexedSum, Symbol, walk
from derivations.lemmas import LEMMAS

GOLDEN = Path(__file__).parents[1] / "golden" / "derivations" / "catalogue.txt"
ENTRIES = list(catalogue().values())
CONFIRMED = [entry for entry in ENTRIES if entry.kind in ("derivation", "theorem")]
ERRATA = [entry for entry in ENTRIES if entry.kind == "erratum"]


def summary() -> str:
    """One line for each entry: its id, status, cited lemmas and claims."""
    rows = []
    for entry in ENTRIES:
        report = entry.check()
        rows.append(" | ".join((entry.id, report.status, ", ".join(report.lemmas), ", ".join(entry.claims))))
    return "\n".join(rows) + "\n"


def test_catalogue_is_the_golden_one() -> None:
    if os.environ.get("POSPROOFS_UPDATE_GOLDENS"):
        GOLDEN.write_text(summary())
    assert summary() == GOLDEN.read_text()


@pytest.mark.parametrize("entry", CONFIRMED, ids=lambda entry: entry.id)
def test_listed_theorems_are_proved(entry: Entry) -> None:
    report = entry.check()
    assert report.status == "proved", report.detail
    assert isinstance(report.theorem, Theorem)
    assert all(step.verdict in ("given", "proved") for step in report.steps)


@pytest.mark.parametrize("entry", ERRATA, ids=lambda entry: entry.id)
def test_errata_are_machine_checked_beside_a_corrected_form(entry: Entry) -> None:
    report = entry.check()
    assert report.status in ("refuted", "ill-typed", "overclaim")
    assert report.detail
    assert entry.printed
    assert get(entry.corrected).check().status in ("proved", "cited")


def test_the_errata_of_rotary_are_all_there() -> None:
    answered = {claim for entry in ERRATA for claim in entry.claims}
    assert answered >= {"RF-42", "RF-43", "RF-44", "RF-46", "RF-50", "RF-51", "RF-53", "RF-55"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_claims_and_lemmas_exist(entry: Entry) -> None:
    for claim in entry.claims:
        claims.get(claim)
    assert set(entry.check().lemmas) <= LEMMAS.keys()


WIDE = ["relative", "compose", "transpose", "at_zero", "pairs", "score", "isometry", "layouts", "sign_flip", "vjp"]
WIDE += ["generator", "invariant", "not_mixed", "rotate.interleaved", "rotate.half_split", "permuted_output"]


@pytest.mark.parametrize("name", WIDE)
def test_one_theorem_speaks_of_every_even_width(name: str) -> None:
    """The statement holds blocks or sums over a count that is a name, not a number."""
    statement = theorem(f"rotary.{name}").statement
    nodes = [node for side in (statement.left, statement.right) for node in walk(side)]
    counts = {node.count for node in nodes if isinstance(node, (Block, IndexedSum))}
    assert counts == {Symbol("h")}


def test_no_theorem_is_vacuous() -> None:
    for entry in CONFIRMED:
        if entry.theorem.hypotheses:
            assert entry.theorem.witness, entry.id


def test_a_wrong_row_is_named() -> None:
    from derivations.derivation import Step, derivation
    from derivations.euler import product
    from derivations.notation import n, p
    from derivations.rotary import turn

    wrong = derivation(
        "x", "x", product(turn(p), turn(n)), Step(turn(p + n), "right"), Step(turn(p - n), "wrong"), source="-"
    )
    report = wrong.check()
    assert report.status == "refuted"
    assert report.detail.startswith("row 2: false at ")
    with pytest.raises(NotProved, match="row 2"):
        _ = wrong.theorem


def test_unknown_entry_names_the_closest() -> None:
    with pytest.raises(UnknownEntry, match=r"rotary\.relative"):
        get("rotary.relativ")
