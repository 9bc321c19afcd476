"""`posproofs check`: identify somebody's code, prove what can be proved of it, and ask the laws for the rest.

All of its code runs in a worker: here it is a text, and what comes back is plain data.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from posproofs import production
from posproofs.engine import jobs, known, replay
from posproofs.engine.kinds import Introduced, kind_of
from posproofs.engine.queries import Query
from posproofs.engine.records import Event, KnownProblem, LawDone, SubjectDone, SubjectRecord
from posproofs.engine.run import asked, finding, formula_status
from posproofs.engine.targets import is_own, split
from posproofs.engine.worker import SECONDS, Worker
from posproofs.errors import UsageError
from posproofs.identify import Parting
from posproofs.laws import EXAMPLES, LAWS, Law, laws_of
from posproofs.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` came to. kind: of the registry. shape: how the code is called, in words; code: the same for --shape.

    identified: its convention with what a declaration does not say, or why there is none.
    """

    subject: SubjectRecord
    kind: str
    shape: str
    code: str
    identified: str
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        return self.subject.verdict


def check(
    target: str | Query,
    *,
    entries: tuple[known.Entry, ...] = (),
    folder: Path = replay.FOLDER,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
    seed: int = 0,
    worker: Worker | None = None,
) -> Checked:
    """Hold somebody's code, or a shipped subject, to the laws of its kind.

    entries: their known failures. folder: where failures are stored for replay. seconds: for importing and identifying
    it, and for each law. seed: of what is drawn. worker: where it runs, and who closes it is who made it. Raises
    UsageError where there is nothing to call: exit 2, as no law ran.
    """
    query = Query(target) if isinstance(target, str) else target
    name = str(query)
    _nameable(query)
    with Worker(seconds=seconds) if worker is None else nullcontext(worker) as working:
        working.begin("posproofs.engine.jobs")
        for law in LAWS:
            formula_status(law)  # it is kept, and asked for here while the process starts
        found = introduced(working, query)
        laws = asked_of(found)
        listed = entries if is_own(query.target) else known.of(known.shipped(), found.subject.name)
        ask = partial(finding, working, examples=examples, seed=seed)
        events = tuple(asked(found.subject, laws, listed, folder, ask, version=found.digest))
    problems = known.astray(entries, name, (law.id for law in LAWS))
    problems += tuple(event.line for event in events if isinstance(event, KnownProblem))
    return Checked(
        _judged(_record(events, found), found),
        found.kind,
        found.shape,
        found.code,
        found.identified,
        (*found.warnings, *_unasked(found)),
        problems,
    )


def _unasked(found: Introduced) -> tuple[str, ...]:
    """What is not known of code that has no convention."""
    left = [law.id for law in laws_of(found.subject) if law not in asked_of(found)]
    return (f"unasked: {', '.join(left)}, which {'need' if len(left) > 1 else 'needs'} a convention",) if left else ()


def _record(events: tuple[Event, ...], found: Introduced) -> SubjectRecord:
    """The subject with its laws; also where none of those that need no convention applies."""
    done = next((event.record for event in events if isinstance(event, SubjectDone)), None)
    if done is not None:
        return done
    laws = tuple(event.record for event in events if isinstance(event, LawDone))
    subject = found.subject
    return SubjectRecord(subject.name, subject.package, found.digest, subject.kind, "", Verdict.UNIDENTIFIED, laws)


def compare(one: Query, other: Query, worker: Worker) -> Parting:
    """Where two pieces of somebody's code part, and what explains it. Raises UsageError where one cannot be called."""
    reply = worker.call(jobs.parted, str(one), str(other))
    if reply.error or isinstance(reply.value, str):
        raise UsageError(reply.error or reply.value)
    assert isinstance(reply.value, Parting), "what the job returns"
    return reply.value


def asked_of(found: Introduced) -> tuple[Law, ...]:
    """The laws of its kind; where no convention is known, those that need none."""
    laws = laws_of(found.subject)
    return tuple(law for law in laws if found.named or law.id in kind_of(found.kind).without)


def introduced(worker: Worker, query: Query) -> Introduced:
    """The code as a subject, made in the worker. Raises UsageError where there is nothing to call."""
    _nameable(query)
    reply = worker.call(jobs.introduced, str(query))
    if reply.error:
        raise UsageError(f"{query.target} was imported and called in a process of its own: {reply.error}; no law ran")
    if isinstance(reply.value, str):
        raise UsageError(reply.value)
    assert isinstance(reply.value, Introduced), "what the job returns"
    return reply.value


def _nameable(query: Query) -> None:
    """Raises UsageError for a wrong name, before a process is started."""
    if is_own(query.target):
        split(query.target)
    else:
        production.subject(query.target)


def _judged(record: SubjectRecord, found: Introduced) -> SubjectRecord:
    """Where no convention is known and no law is broken, nothing conforms."""
    told = replace(record, convention=in_words(found))
    if not found.named and record.verdict is Verdict.CONFORMS:
        return replace(told, verdict=Verdict.UNIDENTIFIED)
    return told


def in_words(found: Introduced) -> str:
    """The convention that was identified, or why there is none."""
    return found.identified.replace("unidentified: ", "no convention; ", 1)
