"""Somebody's implementation held to the laws in this process, one law at a time: what a test of theirs asks for.

A law is judged by itself while it holds. Once it does not, all laws are asked, because what a failure is called, and
the report of it, depend on the other laws: so the text is the same whichever tests were chosen, and that of `check`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from posproofs.engine import known, replay
from posproofs.engine.check import asked_of, in_words
from posproofs.engine.kinds import Introduced
from posproofs.engine.queries import Query
from posproofs.engine.records import LawDone, LawRecord, SubjectRecord
from posproofs.engine.run import asked
from posproofs.engine.somebody import introduced_here
from posproofs.engine.targets import given
from posproofs.engine.verdict import verdict
from posproofs.errors import UsageError
from posproofs.laws import EXAMPLES, LAWS, AnySubject, Finding, Law, digest, examine
from posproofs.laws import law as law_of
from posproofs.mutants.backend import torch


@dataclass(frozen=True, slots=True)
class Held:
    """An implementation that was identified, its known failures, and what its laws came to so far."""

    found: Introduced
    entries: tuple[known.Entry, ...]
    folder: Path
    findings: dict[str, Finding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """How one law came out. digest: of the witness, "" without one."""

    subject: SubjectRecord
    law: LawRecord
    digest: str


def held(
    query: Query,
    function: Callable[..., Any],
    returned: Callable[[], Any],
    *,
    folder: Path = replay.FOLDER,
    identified: str = "",
) -> Held:
    """Identify what `returned`, a call of `function`, returns. Known failures are those of the current folder.

    The target of the query is not read: the name of the object is found. identified: how its identification shall
    begin. Raises UsageError as `check` does, and where it is identified otherwise.
    """
    entries = known.own(Path.cwd())
    target = given(function, returned)
    with _alone():
        # What it is found to be by itself needs no kind in its name, so that a known failure has that of `check`.
        found = introduced_here(target, replace(query, kind=""))
        if query.kind not in ("", found.kind):
            found = introduced_here(target, query)
    if not found.identified.startswith(identified):
        raise UsageError(f"it was identified as {identified!r}, and now as {found.identified!r}")
    astray = known.astray(entries, found.subject.name, (law.id for law in LAWS))
    if astray:
        raise UsageError("\n".join(astray))
    return Held(found, entries, folder)


def answer(of: Held, id: str) -> Answer:  # noqa: A002 - the word of every table
    """Ask one law. Raises UsageError for one that needs a convention where none was identified."""
    law, subject, version = law_of(id), of.found.subject, of.found.digest
    laws = asked_of(of.found)
    if law not in laws:
        raise UsageError(f"{id} could not be asked: {in_words(of.found)}")
    finding = _finding(of, subject, law)
    quiet = finding.witness is None and not finding.error
    if quiet and known.lookup(of.entries, subject.name, id, version) is None:
        laws = (law,)
    events = asked(subject, laws, of.entries, of.folder, partial(_finding, of), version=version)
    records = tuple(event.record for event in events if isinstance(event, LawDone))
    told = SubjectRecord(
        subject.name, subject.package, version, subject.kind, in_words(of.found), verdict(records), records
    )
    record = next(one for one in records if one.id == id)
    return Answer(told, record, "" if finding.witness is None else digest(subject.name, id, finding.witness))


def _finding(of: Held, _subject: AnySubject, law: Law) -> Finding:
    if law.id not in of.findings:
        with _alone():
            of.findings[law.id] = _examined(of.found.held_to(law.id), law)
    return of.findings[law.id]


def _examined(subject: AnySubject, law: Law) -> Finding:
    try:
        return examine(law, subject, examples=EXAMPLES)
    except Exception as raised:  # noqa: BLE001 - an error of the law, whatever it is, as in a worker
        first = next(iter(str(raised).splitlines()), "no message")
        return Finding(law.id, 0, 0, error=f"{type(raised).__name__}: {first}")


@contextmanager
def _alone() -> Iterator[None]:
    """What a worker has to itself: one thread, as how work is cut decides how a cosine is rounded; and its warnings."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)
