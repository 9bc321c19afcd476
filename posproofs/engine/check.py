"""`posproofs check`: identify somebody's code, prove what can be proved of it, and ask the laws for the rest.

All of its code runs in a worker: here it is a text, and what comes back is plain data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from posproofs.engine import jobs, known, replay
from posproofs.engine.queries import Query
from posproofs.engine.records import KnownProblem, SubjectDone, SubjectRecord
from posproofs.engine.run import asked, finding
from posproofs.engine.somebody import Introduced
from posproofs.engine.worker import SECONDS, Worker
from posproofs.errors import UsageError
from posproofs.identify import Parting
from posproofs.laws import EXAMPLES, LAWS, Law, laws_of
from posproofs.vocabulary import Verdict

# What can be asked of code of which no convention is known.
WITHOUT_CONVENTION = ("rotary.purity", "rotary.history", "rotary.locality", "rotary.isometry", "rotary.position")


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` came to. shape: how the code is called, in words; code: the same for --shape.

    identified: its convention with what a declaration does not say, or why there is none.
    """

    subject: SubjectRecord
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
    worker: Worker | None = None,
) -> Checked:
    """Hold somebody's code to the laws of its kind.

    entries: their known failures. folder: where failures are stored for replay. seconds: for importing and identifying
    it, and for each law. Raises UsageError where there is nothing to call: exit 2, as no law ran.
    """
    query = Query(target) if isinstance(target, str) else target
    name = str(query)
    with worker or Worker(seconds=seconds) as working:
        found = introduced(working, query)
        laws = asked_of(found)
        ask = partial(finding, working, examples)
        events = tuple(asked(found.subject, laws, entries, folder, ask, version=found.digest))
    problems = known.astray(entries, name, (law.id for law in LAWS))
    problems += tuple(event.line for event in events if isinstance(event, KnownProblem))
    record = next((event.record for event in events if isinstance(event, SubjectDone)), None)
    assert record is not None, "all laws of the kind are asked"
    return Checked(_judged(record, found), found.shape, found.code, str(found.identified), found.warnings, problems)


def compare(one: Query, other: Query, *, seconds: float = SECONDS) -> Parting:
    """Where two pieces of somebody's code part, and what explains it. Raises UsageError where one cannot be called."""
    with Worker(seconds=seconds) as worker:
        reply = worker.call(jobs.parted, str(one), str(other))
    if reply.error or isinstance(reply.value, str):
        raise UsageError(reply.error or reply.value)
    assert isinstance(reply.value, Parting), "what the job returns"
    return reply.value


def asked_of(found: Introduced) -> tuple[Law, ...]:
    """The laws of its kind; where no convention is known, those that need none."""
    laws = laws_of(found.subject)
    return tuple(law for law in laws if found.identified.turning is not None or law.id in WITHOUT_CONVENTION)


def introduced(worker: Worker, query: Query) -> Introduced:
    """The code as a subject, made in the worker. Raises UsageError where there is nothing to call."""
    reply = worker.call(jobs.introduced, str(query))
    if reply.error:
        raise UsageError(f"{query.target} was imported and called in a process of its own: {reply.error}; no law ran")
    if isinstance(reply.value, str):
        raise UsageError(reply.value)
    assert isinstance(reply.value, Introduced), "what the job returns"
    return reply.value


def _judged(record: SubjectRecord, found: Introduced) -> SubjectRecord:
    """Where no convention is known and no law is broken, nothing conforms."""
    told = replace(record, convention=in_words(found))
    if found.identified.turning is None and record.verdict is Verdict.CONFORMS:
        return replace(told, verdict=Verdict.UNIDENTIFIED)
    return told


def in_words(found: Introduced) -> str:
    """The convention that was identified, or why there is none."""
    return str(found.identified).replace("unidentified: ", "no convention; ", 1)
