"""A run, as a stream of events: theorems of the catalogue, then laws on subjects; `collect` makes a Run of them.

Reports listen to the stream; nothing is printed here. A subject runs in a worker process, one law at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from derivations import derivation
from derivations.plain import scope_text, statement_text
from posproofs import production
from posproofs.engine import jobs, known, replay
from posproofs.engine.lanes import in_order, lanes
from posproofs.engine.records import (
    Event,
    KnownProblem,
    LawDone,
    LawRecord,
    Run,
    SubjectDone,
    SubjectRecord,
    SubjectSkipped,
    SubjectStarted,
    TheoremDone,
    TheoremRecord,
)
from posproofs.engine.verdict import FAILED, outcome, verdict
from posproofs.engine.worker import SECONDS, Worker
from posproofs.errors import UnknownName
from posproofs.laws import EXAMPLES, LAWS, AnySubject, Finding, Law, laws_of
from posproofs.symbolic.proof import Certificate
from posproofs.vocabulary import Evidence, Outcome


def theorems(only: Sequence[str] = ()) -> Iterator[TheoremDone]:
    """Decide the catalogue, or the entries of these ids. Raises UnknownName."""
    entries = derivation.catalogue()
    for id_ in only:
        if id_ not in entries:
            raise UnknownName("theorem", id_, entries)
    for entry in entries.values():
        if not only or entry.id in only:
            yield TheoremDone(_theorem_record(entry))


def _theorem_record(entry: derivation.Entry) -> TheoremRecord:
    report = entry.check()
    stated = report.theorem.statement if report.theorem is not None else None
    return TheoremRecord(
        id=entry.id,
        claims=entry.claims,
        status=report.status,
        statement=statement_text(stated) if stated is not None else entry.printed or entry.title,
        scope=scope_text(stated) if stated is not None else report.detail,
        seconds=report.seconds,
        lemmas=report.lemmas,
        refuted_at=report.refuted_at,
        kind=entry.kind,
    )


def formula_status(law: Law) -> tuple[str | None, str]:
    """The id of the theorem on which the law rests, and how the kernel decided it; (None, "empirical") without one."""
    if law.theorem is None:
        return None, "empirical"
    entry = law.theorem()
    return entry.id, entry.check().status


def subjects(
    patterns: Sequence[str] = (),
    *,
    laws: Sequence[Law] = LAWS,
    entries: tuple[known.Entry, ...] | None = None,
    folder: Path = replay.FOLDER,
    worker: Worker | None = None,
    examples: int = EXAMPLES,
    seed: int = 0,
) -> Iterator[Event]:
    """Hold the installed implementations to the laws, several at once, and tell of them in the order of the table.

    patterns: globs of subject names; raises UnknownName for one that matches nothing. entries: the known failures,
    those that are shipped if not given. folder: where failures are stored for replay. examples: how many cases are
    drawn for each law that searches beyond its enumeration, seed: which. A law is asked of the subjects of its own
    kind. worker: the one that all work is done in; without it a run starts its own.
    """
    chosen = production.chosen(tuple(patterns))
    listed = known.shipped() if entries is None else entries
    for line in known.unknown(listed, (s.name for s in production.SUBJECTS), (one.id for one in LAWS)):
        yield KnownProblem(line)
    # A wide search may take longer in proportion; the clock is there for what hangs.
    seconds = SECONDS * max(1.0, examples / EXAMPLES)
    ask = partial(finding, examples=examples, seed=seed)
    tasks = [partial(_examined, one, laws_of(one, laws), listed, folder, ask) for one in chosen]
    with ExitStack() as stack:
        workers = [worker] if worker is not None else [Worker(seconds=seconds) for _ in range(lanes())]
        yield from in_order(tasks, [stack.enter_context(one) for one in workers])


def _examined(
    subject: AnySubject,
    laws: Sequence[Law],
    listed: tuple[known.Entry, ...],
    folder: Path,
    ask: Callable[[Worker, AnySubject, Law], Finding],
    worker: Worker,
) -> Iterator[Event]:
    missing = _missing(subject, laws)
    if missing:
        yield SubjectSkipped(subject.name, missing)
        return
    yield from asked(subject, laws, listed, folder, partial(ask, worker), version=jobs.version_of(subject))


def _missing(subject: AnySubject, laws: Sequence[Law]) -> str:
    if not laws:
        return f"no law that was asked is about {subject.kind}"
    if production.installed(subject) is None:
        return f"{subject.package} is not installed"
    return "" if find_spec("torch") is not None else "torch is not installed"


def asked(
    subject: AnySubject,
    laws: Sequence[Law],
    listed: tuple[known.Entry, ...],
    folder: Path,
    ask: Callable[[AnySubject, Law], Finding],
    *,
    version: str,
) -> Iterator[Event]:
    """Ask the laws of one subject, one after the other; a failure that no other explains is stored."""
    yield SubjectStarted(subject.name, len(laws))
    records: list[LawRecord] = []
    for law in laws:
        finding = ask(subject, law)
        entry = known.lookup(listed, subject.name, law.id, version)
        failed = {record.id for record in records if record.outcome in FAILED}
        found, reason, problem = outcome(law, subject.name, finding, failed=failed, entry=entry)
        stored = None
        if finding.witness is not None and found is not Outcome.BLOCKED:
            stored = replay.store(subject.name, law.id, finding.witness, version=version, folder=folder).id
        records.append(law_record(subject, law, finding, found, reason=reason, stored=stored))
        if problem:
            yield KnownProblem(problem)
        yield LawDone(subject.name, records[-1])
    # Of a choice of laws, those that do not apply say nothing of the subject; that none of all applies leaves it open.
    if len(laws) < len(laws_of(subject)) and all(one.outcome is Outcome.NOT_APPLICABLE for one in records):
        yield SubjectSkipped(subject.name, "; ".join(dict.fromkeys(f"{one.id}: {one.reason}" for one in records)))
        return
    yield SubjectDone(
        SubjectRecord(
            subject.name,
            subject.package,
            version,
            subject.kind,
            str(subject.convention),
            verdict(records),
            tuple(records),
        )
    )


def finding(worker: Worker, subject: AnySubject, law: Law, *, examples: int, seed: int = 0) -> Finding:
    """One law of one subject, asked in the worker."""
    reply = worker.call(jobs.examined, subject.name, law.id, examples, seed)
    if reply.error:
        return Finding(law.id, 0, 0, error=reply.error)
    if not isinstance(reply.value, Finding):
        raise TypeError(f"a law comes to a Finding, saw {type(reply.value).__name__}")
    return reply.value


def law_record(
    subject: AnySubject, law: Law, finding: Finding, found: Outcome, *, reason: str = "", stored: str | None = None
) -> LawRecord:
    """The finding with its theorem, evidence, figures and witness in words."""
    theorem, status = formula_status(law)
    worst = finding.worst
    failed = found in FAILED and worst is not None
    shown = finding.proof.certificate if finding.proof is not None else None
    proved = found is Outcome.HOLDS and finding.proof is not None and finding.proof.status == "proved"
    return LawRecord(
        id=law.id,
        outcome=found,
        applied=finding.applied,
        ran=finding.ran,
        reason=reason,
        theorem=theorem,
        formula_status=status,
        evidence=_evidence(law, found, proved=proved, failed=failed),
        for_all=_for_all(subject, law, found, shown if proved else None),
        shape=shown.shape if shown is not None else "",
        trusted_ops=shown.operators if shown is not None else (),
        casts=shown.casts if shown is not None else (),
        readings=shown.readings if shown is not None else (),
        graphs=shown.graphs if shown is not None else (),
        unproved=finding.proof.reason if finding.proof is not None and finding.proof.status == "undecided" else "",
        allowed=worst.allowed if worst is not None else None,
        observed=worst.observed if worst is not None else None,
        witness=law.describe(finding.witness) if finding.witness is not None else None,
        expected=worst.expected if failed and worst is not None else None,
        likely=worst.likely if failed and worst is not None else None,
        replay=stored,
        saw=worst.saw if failed and worst is not None else None,
    )


def _evidence(law: Law, found: Outcome, *, proved: bool, failed: bool) -> Evidence:
    if found is Outcome.HOLDS:
        return Evidence.PROVED if proved else law.evidence
    return Evidence.SAMPLED if failed else Evidence.UNDECIDED


def _for_all(subject: AnySubject, law: Law, found: Outcome, shown: Certificate | None) -> str:
    """What a proof ranges over; else what the cases do."""
    if found is not Outcome.HOLDS:
        return ""
    return f"{shown.for_all}; {shown.shape}" if shown is not None else law.ranges_over(subject)


def collect(events: Iterable[Event]) -> Run:
    """The run that the events tell of."""
    seen = tuple(events)
    return Run(
        theorems=tuple(e.record for e in seen if isinstance(e, TheoremDone)),
        subjects=tuple(e.record for e in seen if isinstance(e, SubjectDone)),
        skipped=tuple((e.name, e.reason) for e in seen if isinstance(e, SubjectSkipped)),
        problems=tuple(e.line for e in seen if isinstance(e, KnownProblem)),
    )
