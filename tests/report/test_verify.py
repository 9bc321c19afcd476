"""What one call of `posproofs verify` does with what the engine tells: the status, the text, the file, the progress."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from posproofs.engine import run as engine
from posproofs.engine.records import (
    Event,
    KnownProblem,
    LawDone,
    LawRecord,
    SubjectDone,
    SubjectSkipped,
    SubjectStarted,
    TheoremDone,
    TheoremRecord,
)
from posproofs.engine.verdict import verdict
from posproofs.errors import UnknownName
from posproofs.laws import EXAMPLES, LAWS
from posproofs.report.progress import progress
from posproofs.report.show import expression_text
from posproofs.report.verify import WIDE, Asked, selected, verify
from posproofs.vocabulary import Exit, Outcome
from tests.report.records import BROKEN, ERRATUM, ERROR, HOLDS, IDLE, KNOWN, OPEN, THEOREM, subject

Patch = pytest.MonkeyPatch


def tell(
    monkeypatch: Patch,
    *laws: LawRecord,
    theorems: Sequence[TheoremRecord] = (THEOREM, ERRATUM),
    further: Sequence[Event] = (),
) -> dict[str, object]:
    """Replace the engine by one that tells this story, and return what it was asked."""
    asked: dict[str, object] = {}

    def told_theorems(only: Sequence[str] = ()) -> Iterator[Event]:
        asked["theorems"] = tuple(only)
        return iter([TheoremDone(record) for record in theorems])

    def told_subjects(patterns: Sequence[str] = (), **options: object) -> Iterator[Event]:
        asked.update(options, patterns=tuple(patterns))
        yield SubjectStarted("example", len(laws))
        yield from (LawDone("example", law) for law in laws)
        yield SubjectDone(subject(*laws, verdict=verdict(laws)))
        yield from further

    monkeypatch.setattr(engine, "theorems", told_theorems)
    monkeypatch.setattr(engine, "subjects", told_subjects)
    return asked


def ran(asked: Asked) -> tuple[Exit, str]:
    out = io.StringIO()
    status = verify(asked, out)
    return status, out.getvalue()


@pytest.mark.parametrize(
    ("laws", "status"),
    [
        ((HOLDS,), Exit.CONFORMS),
        ((HOLDS, KNOWN), Exit.CONFORMS),
        ((HOLDS, BROKEN), Exit.BROKEN),
        ((HOLDS, ERROR), Exit.INCONCLUSIVE),
        ((IDLE,), Exit.USAGE),
    ],
)
def test_the_status_follows_the_laws(laws: tuple[LawRecord, ...], status: Exit, monkeypatch: Patch) -> None:
    tell(monkeypatch, *laws)
    found, text = ran(Asked())
    assert found == status
    assert text.splitlines()[-1].startswith(f"exit {int(status)}: ")


@pytest.mark.parametrize(
    ("record", "status"),
    [
        (THEOREM, Exit.CONFORMS),
        (OPEN, Exit.INCONCLUSIVE),
        (replace(THEOREM, status="refuted"), Exit.BROKEN),
        (ERRATUM, Exit.CONFORMS),
    ],
)
def test_the_status_follows_the_theorems(record: TheoremRecord, status: Exit, monkeypatch: Patch) -> None:
    tell(monkeypatch, HOLDS, theorems=(record,))
    assert ran(Asked(reach="symbolic"))[0] == status


def test_a_broken_run_still_writes_its_file(tmp_path: Path, monkeypatch: Patch) -> None:
    tell(monkeypatch, BROKEN)
    assert ran(Asked(json=tmp_path / "run.json"))[0] == Exit.BROKEN
    data = json.loads((tmp_path / "run.json").read_text())
    assert data["subjects"][0]["laws"][0]["outcome"] == Outcome.BROKEN


def test_an_exception_of_the_engine_writes_no_file(tmp_path: Path, monkeypatch: Patch) -> None:
    def fails(*_arguments: object, **_options: object) -> Iterator[Event]:
        raise AssertionError("a bug")

    tell(monkeypatch, HOLDS)
    monkeypatch.setattr(engine, "subjects", fails)
    with pytest.raises(AssertionError, match="a bug"):
        verify(Asked(json=tmp_path / "run.json"), io.StringIO())
    assert list(tmp_path.iterdir()) == []


def test_what_did_not_run_and_what_is_out_of_date_is_printed(monkeypatch: Patch) -> None:
    tell(monkeypatch, HOLDS, further=(SubjectSkipped("other", "other is not installed"), KnownProblem("remove x")))
    status, text = ran(Asked())
    assert status == Exit.BROKEN
    assert "\nskipped\n  other  other is not installed\n" in text
    assert "\nproblems with the list of known failures\n  remove x\n" in text
    assert "1 skipped" in text


def test_the_wide_run_draws_more(monkeypatch: Patch) -> None:
    asked = tell(monkeypatch, HOLDS)
    ran(Asked())
    assert asked["examples"] == EXAMPLES
    ran(Asked(reach="wide"))
    assert asked["examples"] == WIDE * EXAMPLES > EXAMPLES


def test_a_seed_draws_others(monkeypatch: Patch) -> None:
    asked = tell(monkeypatch, HOLDS)
    ran(Asked(seed=2))
    assert asked["seed"] == 2


def test_only_is_handed_on(monkeypatch: Patch) -> None:
    asked = tell(monkeypatch, HOLDS)
    ran(Asked(only=("rotary.gram", "euler.cis"), subjects=("torch.*",)))
    assert asked["theorems"] == ("euler.cis", "rotary.relative")
    assert [law.id for law in asked["laws"]] == ["rotary.gram"]  # type: ignore[attr-defined]
    assert asked["patterns"] == ("torch.*",)


def test_theorems_alone_ask_no_law(monkeypatch: Patch) -> None:
    asked = tell(monkeypatch, HOLDS)
    ran(Asked(only=("euler.cis",)))
    assert "laws" not in asked


def test_an_empirical_law_alone_asks_no_theorem(monkeypatch: Patch) -> None:
    asked = tell(monkeypatch, HOLDS)
    assert ran(Asked(only=("rotary.purity",)))[1].startswith("subjects\n")
    assert "theorems" not in asked


def test_everything_is_selected_by_nothing() -> None:
    assert selected(())[1] == LAWS
    with pytest.raises(UnknownName, match="did you mean RF-5"):
        selected(("RF-5O",))


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


STORY: tuple[Event, ...] = (
    TheoremDone(THEOREM),
    SubjectStarted("example", 1),
    LawDone("example", HOLDS),
    SubjectDone(subject(HOLDS)),
    SubjectSkipped("other", "not installed"),
)


@pytest.mark.parametrize(("stream", "drawn"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_drawn_on_a_terminal_only(stream: io.StringIO, drawn: bool) -> None:
    with progress(stream) as listen:
        for event in STORY:
            listen(event)
    assert bool(stream.getvalue()) is drawn


def test_the_text_is_the_same_with_progress(monkeypatch: Patch) -> None:
    tell(monkeypatch, HOLDS, BROKEN)
    plain = ran(Asked())
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert ran(Asked()) == plain
    assert terminal.getvalue()


def test_a_row_without_a_term_is_printed_as_it_is() -> None:
    assert expression_text("a conclusion in words") == "a conclusion in words"
