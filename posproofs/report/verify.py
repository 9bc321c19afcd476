"""`posproofs verify`: runs the engine, prints each part when it is complete, and writes the JSON file at the end.

What is printed depends on what was found alone: no time, no width of a terminal, no order of dictionaries.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain, repeat
from pathlib import Path
from typing import Literal, TextIO

from derivations.claims import all_claims
from derivations.derivation import catalogue
from posproofs import production
from posproofs.engine import run as engine
from posproofs.engine.records import Event, Run, SubjectDone, TheoremDone
from posproofs.engine.verdict import exit_code
from posproofs.errors import MissingExtra, UnknownName, UsageError
from posproofs.laws import EXAMPLES, LAWS, Law
from posproofs.report.document import document_text
from posproofs.report.files import pending
from posproofs.report.progress import Listener, progress
from posproofs.report.subjects import known_text, legend, problems_text, skipped_text, subject_block
from posproofs.report.theorems import theorems_text
from posproofs.report.totals import totals
from posproofs.vocabulary import Exit

WIDE = 25  # times as many drawn cases for each law in the wide run


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call of `posproofs verify` asks for.

    only: ids of theorems, claims and laws; empty: everything. subjects: globs. reach: `symbolic` stops after the
    theorems, `wide` draws more cases. seed: of what is drawn. json: where the JSON file goes.
    """

    only: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    reach: Literal["symbolic", "plain", "wide"] = "plain"
    seed: int = 0
    json: Path | None = None


def verify(asked: Asked, out: TextIO) -> Exit:
    """Run what is asked, print it on `out`, and return the exit status.

    Raises UsageError before anything ran: an unknown id, a pattern without a subject, torch missing, a file that cannot
    be written.
    """
    entries, laws = selected(asked.only)
    if asked.reach == "symbolic":
        if asked.subjects:
            raise UsageError("--symbolic stops before the subjects; leave out --symbolic or --subjects")
        laws = ()
    elif asked.subjects and not laws:
        raise UsageError("--only names no law to ask of --subjects; name a law, or leave out --subjects")
    if laws and not _has_torch():
        raise UsageError(f"{MissingExtra('torch', 'torch')}; for the theorems alone: posproofs verify --symbolic")
    production.chosen(asked.subjects)
    if asked.json is None:
        return _run(asked, entries, laws, out)[1]
    with pending(asked.json) as put:
        found, status = _run(asked, entries, laws, out)
        put(document_text(found))
    return status


def _run(asked: Asked, entries: Sequence[str], laws: Sequence[Law], out: TextIO) -> tuple[Run, Exit]:
    seen: list[Event] = []
    put = _separated(out)
    with progress(sys.stderr) as listener:
        seen += _heard(engine.theorems(entries) if entries else (), listener)
        put(theorems_text([event.record for event in seen if isinstance(event, TheoremDone)]))
        put(legend() if laws else "")
        for event in _heard(_subjects(asked, laws), listener):
            seen.append(event)
            put(subject_block(event.record) if isinstance(event, SubjectDone) else "")
    found = engine.collect(seen)
    status = exit_code(found)
    for text in (known_text(found.subjects), problems_text(found.problems), skipped_text(found.skipped)):
        put(text)
    put(totals(found, status))
    return found, status


def _separated(out: TextIO) -> Callable[[str], None]:
    """A function that prints parts with an empty line between them, each as soon as it is complete."""
    gaps = chain(("",), repeat("\n"))

    def put(text: str) -> None:
        if text:
            out.write(next(gaps) + text)
            out.flush()

    return put


def _subjects(asked: Asked, laws: Sequence[Law]) -> Iterable[Event]:
    if not laws:
        return ()
    examples = EXAMPLES * WIDE if asked.reach == "wide" else EXAMPLES
    return engine.subjects(asked.subjects, laws=laws, examples=examples, seed=asked.seed)


def _heard(events: Iterable[Event], listener: Listener) -> Iterator[Event]:
    for event in events:
        listener(event)
        yield event


def selected(only: Sequence[str]) -> tuple[tuple[str, ...], tuple[Law, ...]]:
    """The ids of the catalogue and the laws that `--only` names; everything without it.

    A claim stands for the entries and laws that answer it, a law brings the theorem on which it rests. An id that is
    both a theorem and a law stands for both. Raises UnknownName.
    """
    whole = catalogue()
    if not only:
        return tuple(whole), LAWS
    claims = {claim.id for one in all_claims() for claim in (one, *one.parts)}
    for name in only:
        if name not in whole and name not in claims and name not in {law.id for law in LAWS}:
            raise UnknownName("id", name, (*whole, *claims, *(law.id for law in LAWS)))
    laws = tuple(law for law in LAWS if {law.id, *law.claims} & set(only))
    bases = {law.theorem().id for law in laws if law.theorem is not None}
    named = (one.id for one in whole.values() if {one.id, *one.claims} & set(only) or one.id in bases)
    return tuple(named), laws


def _has_torch() -> bool:
    try:
        return find_spec("torch") is not None
    except ModuleNotFoundError:  # a finder may refuse a name instead of not finding it
        return False
