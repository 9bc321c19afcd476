"""`posproofs check`: what somebody's code was found to be, what holds of it, and what is broken."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from posproofs.engine import known
from posproofs.engine.check import Checked, check, compare
from posproofs.engine.queries import Query
from posproofs.engine.records import LawRecord, Run
from posproofs.engine.verdict import exit_code
from posproofs.engine.worker import Worker
from posproofs.laws import law as law_of
from posproofs.report.document import as_text, plain
from posproofs.report.files import pending
from posproofs.report.layout import labelled, paragraph, table
from posproofs.report.subjects import known_text, subject_block
from posproofs.report.text import failure, headline
from posproofs.report.totals import MEANING
from posproofs.vocabulary import Exit, Outcome, Verdict

SCHEMA = "posproofs.check/1"


def checked(query: Query, out: TextIO, *, worker: Worker, json: Path | None = None, seed: int = 0) -> Exit:
    """Check the code, print what was found on `out`, and return the exit status. Raises UsageError."""
    entries = known.own(Path.cwd())
    if json is None:
        found = check(query, entries=entries, seed=seed, worker=worker)
    else:
        with pending(json) as put:
            found = check(query, entries=entries, seed=seed, worker=worker)
            put(as_text(document(found)))
    out.write(text(found))
    out.write("".join(remarks(found)) if os.environ.get("GITHUB_ACTIONS") == "true" else "")
    return status(found)


def compared(one: Query, other: Query, out: TextIO, *, worker: Worker) -> Exit:
    """Print where two pieces of code part; status 0 where they agree, 1 where they do not. Raises UsageError."""
    found = compare(one, other, worker)
    out.write(f"{one}\nagainst {other}\n")
    out.write("".join(paragraph(line.strip(), indent="  ") for line in str(found).splitlines()))
    return Exit.CONFORMS if found.position is None else Exit.BROKEN


def status(found: Checked) -> Exit:
    """The exit status of a check alone."""
    if found.verdict is Verdict.UNIDENTIFIED:
        return Exit.INCONCLUSIVE
    return exit_code(Run((), (found.subject,), problems=found.problems))


def text(found: Checked) -> str:
    """The subject with its laws, how it was called, warnings, and what the exit status means."""
    code = f"--shape '{found.code}'" if found.code else ""
    called = labelled((("kind", found.kind), ("called as", found.shape), ("", code)))
    warnings = f"\nwarnings\n{table([(line,) for line in found.warnings])}" if found.warnings else ""
    problems = f"\nproblems\n{table([(line,) for line in found.problems])}" if found.problems else ""
    ended = status(found)
    listed = known_text([found.subject])
    known_ones = f"\n{listed}" if listed else ""
    meaning = f"\nexit {int(ended)}: {MEANING[ended]}\n"
    return f"{subject_block(found.subject)}{called}{known_ones}{warnings}{problems}{meaning}"


def document(found: Checked) -> dict[str, object]:
    """The same as data, posproofs.check/1."""
    return {"schema": SCHEMA, **plain({**asdict(found), "verdict": found.verdict})}


def remarks(found: Checked) -> list[str]:
    """A line for each broken law that GitHub shows beside the run."""
    return [_remark(found, law) for law in found.subject.laws if law.outcome in (Outcome.BROKEN, Outcome.ERROR)]


def _remark(found: Checked, law: LawRecord) -> str:
    target = found.subject.name.split(" ")[0].partition(":")[0]
    file = f"file={target}," if target.endswith(".py") else ""
    body = failure(found.subject, law).partition("\n")[2].strip().replace("%", "%25").replace("\n", "%0A")
    return f"::error {file}title={headline(law, law_of(law.id).consequence)}::{body}\n"
