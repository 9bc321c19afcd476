"""The end of what `posproofs verify` prints: counts of everything, and what the exit status means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from posproofs.engine.records import LawRecord, Run, SubjectRecord, TheoremRecord
from posproofs.report.layout import counted, labelled
from posproofs.report.theorems import REFUTED, is_erratum
from posproofs.vocabulary import Exit, Outcome, Verdict

MEANING = {
    Exit.CONFORMS: "nothing that was asked is open, broken or in error, beyond the known failures",
    Exit.BROKEN: "a law is broken, or the list of known failures does not fit",
    Exit.USAGE: "nothing ran",
    Exit.INCONCLUSIVE: "something is undecided, in error or unidentified",
    Exit.CONTRADICTION: "posproofs contradicted itself; please report it",
}


def totals(run: Run, status: Exit) -> str:
    """Counts, zeros included where a zero is news, and the exit status in words."""
    laws = [law for subject in run.subjects for law in subject.laws]
    asked = bool(run.subjects or run.skipped)
    lines = labelled(
        (
            ("theorems", _theorems(run.theorems)),
            ("errata", _errata(run.theorems)),
            ("subjects", _subjects(run.subjects, len(run.skipped)) if asked else "none asked"),
            ("laws", _laws(laws) if asked else ""),
            ("list", _problems(len(run.problems))),
        )
    )
    return f"total\n{lines}exit {int(status)}: {MEANING[status]}\n"


def _problems(number: int) -> str:
    return f"{counted(number, 'line')} about known failures that are out of date" if number else ""


def _theorems(records: Sequence[TheoremRecord]) -> str:
    found = Counter(record.status for record in records if not is_erratum(record))
    if not found:
        return "none asked"
    parts = [f"{found.pop('proved', 0)} proved", f"{found.pop('cited', 0)} cited"]
    open_ones = [f"{number} {status}" for status, number in sorted(found.items())]
    return ", ".join([*parts, *(open_ones or ["0 open"])])


def _errata(records: Sequence[TheoremRecord]) -> str:
    errata = [record for record in records if is_erratum(record)]
    if not errata:
        return "none asked"
    shown = sum(1 for record in errata if record.status in REFUTED)
    return f"{shown} of {len(errata)} shown to be wrong as printed"


def _subjects(subjects: Sequence[SubjectRecord], skipped: int) -> str:
    found = Counter(subject.verdict for subject in subjects)
    verdicts = ", ".join(f"{verdict} {found[verdict]}" for verdict in Verdict if found[verdict])
    ran = f"{len(subjects)} ran ({verdicts})" if verdicts else "0 ran"
    return f"{ran}, {skipped} skipped"


def _laws(laws: Sequence[LawRecord]) -> str:
    found = Counter(law.outcome for law in laws)
    ran = sum(1 for law in laws if law.ran)
    idle = found[Outcome.NOT_APPLICABLE]
    cases = sum(law.ran for law in laws)
    parts = [f"{len(laws) - idle} applied", f"{ran} ran ({cases} cases)", f"{idle} not applicable"]
    words = {Outcome.HOLDS: "hold", Outcome.BROKEN: "broken", Outcome.KNOWN: "known to fail"}
    parts += [f"{found[outcome]} {word}" for outcome, word in words.items()]
    parts += [f"{found[outcome]} {outcome}" for outcome in (Outcome.BLOCKED, Outcome.ERROR) if found[outcome]]
    return ", ".join(parts)
