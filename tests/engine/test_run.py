"""A run over a few of the installed libraries, once, and what it says; small runs for every other way to end."""

import functools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from posproofs import production
from posproofs.engine import jobs, known, run
from posproofs.engine.records import Event, KnownProblem, LawDone, Run, SubjectDone, SubjectSkipped, SubjectStarted
from posproofs.engine.verdict import exit_code
from posproofs.engine.worker import Reply, Worker
from posproofs.errors import UnknownName
from posproofs.laws import LAWS, ROTARY_LAWS, Finding, Measure, laws_of
from posproofs.vocabulary import Evidence, Exit, Outcome, Verdict
from tests.engine.kept import Kept

POISONED = "rotary-embedding-torch.rotate"
# One for each way in which a law comes out, of each kind; tests/production/test_outcomes.py has all of them.
FEW = (
    "torch.onnx.interleaved",  # conforms; it has no gradient
    "transformers.vjepa2",  # breaks a law that explains others
    POISONED,  # breaks two laws
    "espnet.conformer",  # breaks one, and has no memory
    "torch.encoder_layer",  # conforms to the two laws that apply
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replays")


@pytest.fixture(scope="module")
def events(folder: Path, worker: Worker) -> tuple[Event, ...]:
    return tuple(run.subjects(FEW, folder=folder, worker=Kept(worker)))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole(events: tuple[Event, ...]) -> Run:
    return run.collect(events)


def test_the_order_of_events(events: tuple[Event, ...]) -> None:
    """For each subject: started, each law of its kind in the order of the table, done."""
    told = [(type(event), event.record.id if isinstance(event, LawDone) else "") for event in events]
    wanted: list[tuple[type, str]] = []
    for subject in production.chosen(FEW):
        wanted += [(SubjectStarted, ""), *((LawDone, one.id) for one in laws_of(subject)), (SubjectDone, "")]
    assert told == wanted
    assert all(e.laws == len(laws_of(production.subject(e.name))) for e in events if isinstance(e, SubjectStarted))


def test_the_released_implementations_hold_but_for_what_is_known(whole: Run) -> None:
    failed = {
        (subject.name, law.id): law.outcome
        for subject in whole.subjects
        for law in subject.laws
        if law.outcome is not Outcome.HOLDS
    }
    idle = ("causal", "paths", "shift", "decoding", "same")
    assert failed == {
        ("torch.onnx.interleaved", "rotary.vjp"): Outcome.NOT_APPLICABLE,
        ("transformers.vjepa2", "rotary.isometry"): Outcome.KNOWN,
        ("transformers.vjepa2", "rotary.gram"): Outcome.BLOCKED,
        ("transformers.vjepa2", "rotary.formula"): Outcome.BLOCKED,
        (POISONED, "rotary.history"): Outcome.KNOWN,
        (POISONED, "rotary.position"): Outcome.KNOWN,
        (POISONED, "rotary.gram"): Outcome.BLOCKED,
        (POISONED, "rotary.formula"): Outcome.BLOCKED,
        ("espnet.conformer", "transformer_xl.history"): Outcome.KNOWN,
        ("espnet.conformer", "transformer_xl.memory"): Outcome.NOT_APPLICABLE,
        **dict.fromkeys((("torch.encoder_layer", f"attention.{law}") for law in idle), Outcome.NOT_APPLICABLE),
    }
    assert (whole.problems, whole.skipped) == ((), ())
    assert exit_code(whole) is Exit.CONFORMS


def test_verdicts_and_kinds(whole: Run) -> None:
    conforms = {s.name for s in whole.subjects if s.verdict is Verdict.CONFORMS}
    assert conforms == {"torch.onnx.interleaved", "torch.encoder_layer"}
    assert {s.verdict for s in whole.subjects if s.name not in conforms} == {Verdict.BREAKS}
    assert {s.kind for s in whole.subjects} == {"rotary", "scores", "attention"}


def test_a_convention_is_that_of_the_subject_in_words(whole: Run) -> None:
    assert [s.convention for s in whole.subjects] == [str(one.convention) for one in production.chosen(FEW)]
    wanted = {
        "transformers.llama": "rotary, half-split, base 10000, angle +p*w",
        "transformers.deepseek_v3": "rotary, reads interleaved, writes half-split, base 10000, angle +p*w",
        "transformers.xlnet.uni": (
            "scores, four terms, offset i-j, scale 1/sqrt(d), read from probabilities, up to a constant of the row, "
            "keys up to the query"
        ),
    }
    assert {name: str(production.subject(name).convention) for name in wanted} == wanted


def test_counts_figures_and_evidence_are_always_there(whole: Run) -> None:
    for subject in whole.subjects:
        assert subject.version == production.installed(production.subject(subject.name))
        for law in subject.laws:
            assert law.applied >= law.ran
            if law.outcome is Outcome.HOLDS:
                assert law.ran == law.applied > 0
                assert law.evidence in {Evidence.PROVED, Evidence.SAMPLED, Evidence.EXHAUSTED}
                assert law.for_all
                assert law.observed is not None
                assert law.allowed is not None
                assert law.observed <= law.allowed
            else:
                assert law.reason
            if law.outcome in {Outcome.KNOWN, Outcome.BLOCKED}:
                assert law.witness
                assert law.saw


def test_every_law_of_attention_that_holds_is_proved(whole: Run) -> None:
    attention = [law for subject in whole.subjects if subject.kind == "attention" for law in subject.laws]
    held = [law.id for law in attention if law.outcome is Outcome.HOLDS]
    assert [law.id for law in attention if law.evidence is Evidence.PROVED] == held
    assert len(held) == 2


def test_the_formula_column_comes_from_the_catalogue(whole: Run) -> None:
    resting = {law.id: (law.theorem, law.formula_status) for law in whole.subjects[0].laws}
    assert resting["rotary.gram"] == ("rotary.relative", "proved")
    assert resting["rotary.formula"] == ("rotary.rotate.interleaved", "proved")
    assert resting["rotary.history"] == (None, "empirical")
    (scores,) = (s for s in whole.subjects if s.kind == "scores")
    resting = {law.id: (law.theorem, law.formula_status) for law in scores.laws}
    assert resting == {
        "transformer_xl.purity": (None, "empirical"),
        "transformer_xl.history": (None, "empirical"),
        "transformer_xl.gather": ("rel_shift.bidirectional", "proved"),
        "transformer_xl.memory": ("transformer_xl.shift", "proved"),
        "transformer_xl.negative_offset": ("transformer_xl.negative_offset", "proved"),
        "transformer_xl.shift": ("transformer_xl.shift", "proved"),
        "transformer_xl.length_extension": ("transformer_xl.roles", "proved"),
        "transformer_xl.four_terms": ("transformer_xl.score", "proved"),
    }


def test_another_run_comes_to_the_same_and_leaves_nothing_else(
    whole: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Several processes in place of one, another folder: every figure, count and witness again.

    Replays go where they belong; what Hypothesis and the libraries leave goes with the worker.
    """
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    names = ("torch.onnx.interleaved", POISONED)
    again = run.collect(run.subjects(names))
    assert again.subjects == tuple(s for s in whole.subjects if s.name in names)
    assert {one.verdict for one in again.subjects} == {Verdict.CONFORMS, Verdict.BREAKS}
    assert {path.relative_to(here).parts[0] for path in here.rglob("*")} == {".posproofs"}


def test_a_failure_is_stored_and_a_blocked_one_is_not(whole: Run, folder: Path) -> None:
    replays = {law.id: law.replay for s in whole.subjects for law in s.laws if law.replay}
    assert set(replays) == {"rotary.isometry", "rotary.history", "rotary.position", "transformer_xl.history"}
    everything = [law.replay for s in whole.subjects for law in s.laws if law.replay]
    assert sorted(path.stem for path in folder.glob("*.json")) == sorted(everything)
    assert len(everything) == 4


class Planted:
    """A worker that answers from a table instead of running anything."""

    def __init__(self, findings: dict[str, Finding]) -> None:
        self.findings = findings

    def __enter__(self) -> "Planted":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def call(self, _function: object, _name: str, law: str, *_how: int) -> Reply:
        return Reply(self.findings.get(law, Finding(law, 3, 3, Measure(0.0, 1.0))))


CASE = {"width": [4, 4], "dtype": "float32", "positions": [0, 1]}


def planted(
    findings: dict[str, Finding], *entries: known.Entry, folder: Path, names: tuple[str, ...] = ("transformers.llama",)
) -> Run:
    worker = Planted(findings)
    return run.collect(run.subjects(names, entries=entries, folder=folder, worker=worker))  # type: ignore[arg-type]


def listed(law: str, digest: str = "000000000000", subject: str = "transformers.llama") -> known.Entry:
    version = production.installed(production.SUBJECTS[2])
    assert version is not None
    return known.Entry(subject, law, digest, "a reason that explains it", (version,))


def test_a_fixed_entry_ends_with_status_1(tmp_path: Path) -> None:
    found = planted({}, listed("rotary.gram"), folder=tmp_path)
    assert found.problems == (
        "known.toml lists rotary.gram on transformers.llama, but it is not broken; remove the entry",
    )
    assert exit_code(found) is Exit.BROKEN


def test_a_changed_entry_ends_with_status_1(tmp_path: Path) -> None:
    broken = {"rotary.position": Finding("rotary.position", 3, 1, Measure(1.0, 0.0), CASE)}
    found = planted(broken, listed("rotary.position"), folder=tmp_path)
    assert "but it fails with" in found.problems[0]
    assert exit_code(found) is Exit.BROKEN


def test_an_unknown_entry_ends_with_status_1(tmp_path: Path) -> None:
    found = planted({}, listed("rotary.gram", subject="transformers.lama"), folder=tmp_path)
    assert "did you mean transformers.llama" in found.problems[0]
    assert exit_code(found) is Exit.BROKEN


def test_an_entry_for_another_release_does_not_apply(tmp_path: Path) -> None:
    other = replace(listed("rotary.gram"), versions=("0.0.1",))
    assert exit_code(planted({}, other, folder=tmp_path)) is Exit.CONFORMS


def test_nothing_is_written_where_nothing_failed(tmp_path: Path) -> None:
    planted({}, folder=tmp_path / "replays")
    assert list(tmp_path.iterdir()) == []


def test_an_error_is_inconclusive_and_nothing_applicable_is_not_a_pass(tmp_path: Path) -> None:
    errors = {one.id: Finding(one.id, 0, 0, error="OSError: no such file") for one in LAWS}
    found = planted(errors, folder=tmp_path)
    assert found.subjects[0].verdict is Verdict.INCONCLUSIVE
    assert exit_code(found) is Exit.USAGE, "no law ran"
    one_error = {"rotary.vjp": Finding("rotary.vjp", 0, 0, error="OSError: no such file")}
    assert exit_code(planted(one_error, folder=tmp_path)) is Exit.INCONCLUSIVE


def test_a_law_is_asked_of_its_own_kind(tmp_path: Path) -> None:
    """A subject that none of the laws is about is skipped with the reason, and nothing that ran is no pass."""
    names = ("transformers.llama", "transformers.parakeet")
    events = run.subjects(names, laws=ROTARY_LAWS[:1], entries=(), folder=tmp_path, worker=Planted({}))  # type: ignore[arg-type]
    found = run.collect(events)
    assert [(s.name, len(s.laws)) for s in found.subjects] == [("transformers.llama", 1)]
    assert found.skipped == (("transformers.parakeet", "no law that was asked is about scores"),)
    events = run.subjects(names[1:], laws=ROTARY_LAWS, entries=(), folder=tmp_path, worker=Planted({}))  # type: ignore[arg-type]
    assert exit_code(run.collect(events)) is Exit.USAGE


def test_a_library_that_is_not_installed_is_skipped_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = functools.partial(replace, package="no-such-library")
    monkeypatch.setattr(production, "SUBJECTS", tuple(gone(one) for one in production.SUBJECTS))
    events = tuple(run.subjects(["transformers.*"], entries=(), folder=tmp_path))
    assert all(isinstance(event, SubjectSkipped) for event in events)
    found = run.collect(events)
    assert found.skipped[0] == ("transformers.llama", "no-such-library is not installed")
    assert exit_code(found) is Exit.USAGE


def test_a_pattern_that_matches_nothing_is_refused_before_anything_runs() -> None:
    with pytest.raises(UnknownName, match="unknown subject"):
        next(run.subjects(["transformer.*"]))


def test_a_job_that_dies_or_hangs_is_an_error_of_its_law(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jobs, "examined", ends)
    with Worker() as worker:
        found = run.collect(
            run.subjects(["transformers.llama"], laws=LAWS[:2], entries=(), folder=tmp_path, worker=worker)
        )
    assert [law.reason for law in found.subjects[0].laws] == ["the process ended with status 9"] * 2


def ends(_name: str, _law: str, *_how: int) -> None:
    os._exit(9)


def test_theorems_are_decided_and_recorded() -> None:
    (done,) = run.theorems(["rotary.relative"])
    assert (done.record.id, done.record.status) == ("rotary.relative", "proved")
    assert "RF-50" in done.record.claims
    assert done.record.statement.isascii()
    with pytest.raises(UnknownName, match=r"did you mean rotary\.relative"):
        next(run.theorems(["rotary.relativ"]))


def test_problems_come_before_the_subject_is_done(tmp_path: Path) -> None:
    stream: Iterator[Event] = run.subjects(
        ["transformers.llama"],
        entries=(listed("rotary.gram"),),
        folder=tmp_path,
        worker=Planted({}),  # type: ignore[arg-type]
    )
    kinds = [type(event) for event in stream]
    assert kinds.index(KnownProblem) < kinds.index(SubjectDone)


def test_subject_is_what_the_worker_finds() -> None:
    assert jobs.find("transformers.llama") is production.subject("transformers.llama")
