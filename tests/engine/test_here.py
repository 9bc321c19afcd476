"""An implementation held to the laws in this process: judged as `check` judges it, whichever law is asked first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from posproofs.engine import here
from posproofs.engine.here import Held, answer, held
from posproofs.engine.queries import Query
from posproofs.errors import UsageError
from posproofs.vocabulary import Outcome
from tests.engine.own import attentions, rotations, wrong

WIDTH = Query("", dims=(8,))


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(here, "EXAMPLES", 10)
    monkeypatch.chdir(tmp_path)


def holding(found: Any, query: Query = WIDTH) -> Held:
    def test_it() -> Any:
        return found

    return held(query, test_it, test_it)


def listed(subject: str, law: str, digest: str = "0123456789ab") -> None:
    """Write the list of known failures of the current folder."""
    entry = f'subject = "{subject}"\nlaw = "{law}"\ndigest = "{digest}"\nreason = "long enough to be a reason"\n'
    Path("pyproject.toml").write_text(f"[[tool.posproofs.known]]\n{entry}")


def test_a_law_that_holds_is_asked_alone() -> None:
    threads = torch.get_num_threads()
    of = holding(rotations.rotate)
    found = answer(of, "rotary.gram")
    assert (found.law.outcome, found.digest) == (Outcome.HOLDS, "")
    assert found.subject.convention.startswith("rotary, half-split, base 10000")
    assert list(of.findings) == ["rotary.gram"]
    assert torch.get_num_threads() == threads


def test_what_follows_from_another_failure_is_blocked_even_if_asked_first() -> None:
    of = holding(wrong.rounded)
    outcomes = {record.id: record.outcome for record in answer(of, "rotary.formula").subject.laws}
    assert outcomes["rotary.position"] is Outcome.BROKEN
    assert outcomes["rotary.formula"] is Outcome.BLOCKED
    assert answer(of, "rotary.formula").law.outcome is Outcome.BLOCKED
    root = answer(of, "rotary.position")
    assert root.digest.startswith(str(root.law.replay))


def test_a_known_failure_must_fail_as_it_did() -> None:
    of = holding(wrong.in_place)
    found = answer(of, "rotary.purity")
    assert found.law.outcome is Outcome.BROKEN
    listed(of.found.subject.name, "rotary.purity", found.digest)
    known = answer(holding(wrong.in_place), "rotary.purity").law
    assert (known.outcome, known.reason) == (Outcome.KNOWN, "long enough to be a reason")
    listed(of.found.subject.name, "rotary.purity")
    changed = answer(holding(wrong.in_place), "rotary.purity").law
    assert changed.outcome is Outcome.BROKEN
    assert changed.reason.startswith("pyproject.toml lists rotary.purity on ")
    assert f"but it fails with {found.digest}" in changed.reason


def test_a_known_failure_that_is_mended_is_an_error() -> None:
    of = holding(rotations.rotate)
    listed(of.found.subject.name, "rotary.purity")
    fixed = answer(holding(rotations.rotate), "rotary.purity").law
    assert fixed.outcome is Outcome.ERROR
    assert "but it is not broken; remove the entry" in fixed.reason


@pytest.mark.parametrize(
    ("subject", "law", "message"),
    [
        (
            "mine:rotate",
            "rotary.purty",
            "pyproject.toml names the unknown law 'rotary.purty'; did you mean rotary.purity",
        ),
        ("rotate", "rotary.purity", "pyproject.toml names the unknown subject 'rotate'"),
        ("gone.py:rotate", "rotary.purity", "pyproject.toml names the unknown subject 'gone.py:rotate'"),
    ],
)
def test_an_entry_that_names_nothing_is_refused(subject: str, law: str, message: str) -> None:
    listed(subject, law)
    with pytest.raises(UsageError, match=message):
        holding(rotations.rotate)


def test_without_a_convention_some_laws_cannot_be_asked() -> None:
    of = holding(wrong.learning)
    assert answer(of, "rotary.purity").law.outcome is Outcome.HOLDS
    with pytest.raises(UsageError, match=r"rotary.formula could not be asked: no convention; .*not linear"):
        answer(of, "rotary.formula")


def test_code_that_raises_in_a_law_is_an_error_of_that_law(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: object, **__: object) -> None:
        raise ValueError("first line\nsecond")

    of = holding(rotations.rotate)
    monkeypatch.setattr(here, "examine", raising)
    found = answer(of, "rotary.purity").law
    assert (found.outcome, found.reason) == (Outcome.ERROR, "ValueError: first line")


def stateful() -> Callable[[Any, Any], Any]:
    """The first call decides: a new copy must come from a new call."""
    tables: list[Any] = []

    def rotate(x: Any, positions: Any) -> Any:
        tables.append(positions)
        return rotations.rotate(x, tables[0] if len(tables[0]) == len(positions) else positions)

    return rotate


def test_a_function_within_a_function_is_made_anew_by_calling_it_again() -> None:
    of = held(WIDTH, stateful, stateful)
    assert of.found.subject.name.endswith("test_here:stateful --dims 8")
    assert answer(of, "rotary.history").law.outcome is Outcome.BROKEN


def test_another_kind_is_held_to_its_own_laws() -> None:
    of = holding(attentions.early, Query("", dims=(4,), kind="attention"))
    found = answer(of, "attention.causal")
    assert (found.law.outcome, found.subject.kind) == (Outcome.BROKEN, "attention")
    assert found.subject.convention == "attention, no bias, sees the past"


def test_code_that_is_identified_otherwise_than_it_was_is_refused() -> None:
    def test_it() -> Any:
        return attentions.by_width

    query = Query("", dims=(4,), kind="attention")
    assert held(query, test_it, test_it, identified="attention, no bias, scale 0.25 at width 4").found.named
    with pytest.raises(
        UsageError, match=r"it was identified as 'attention, no bias, sees.*, and now as 'attention, no"
    ):
        held(query, test_it, test_it, identified="attention, no bias, sees the past")
