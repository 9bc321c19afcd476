"""The second half of what `posproofs verify` prints: for each implementation, what is proved and what was shown.

Two columns are kept apart. `formula` is the status of the theorem behind a law, `code` is the evidence about this
implementation; a proved formula says nothing about code.
"""

from __future__ import annotations

from collections.abc import Sequence

from posproofs.engine.records import LawRecord, SubjectRecord
from posproofs.engine.targets import is_own
from posproofs.report.layout import counted, paragraph, table
from posproofs.report.text import failure
from posproofs.vocabulary import Outcome

LEGEND = (
    "formula: what is proved of the formula behind a law; code: what was shown of this implementation, over the cases "
    "named last. applied: cases in which the law could be asked; ran: cases that were executed."
)
_HEAD = ("law", "outcome", "formula", "code", "applied", "ran", "over")
_FAILED = (Outcome.BROKEN, Outcome.ERROR)


def legend() -> str:
    """What stands above the first subject."""
    return "subjects\n" + paragraph(LEGEND, indent="  ")


def subject_block(subject: SubjectRecord) -> str:
    """One subject: convention, a line for each law, counts, then the report of each law that failed."""
    version = "" if is_own(subject.name) else f" ({subject.package} {subject.version}".rstrip() + ")"
    head = f"{subject.name}{version}: {subject.verdict}\n"
    convention = paragraph(subject.convention, indent="  ")
    failures = [f"\n{indented(failure(subject, law))}" for law in subject.laws if law.outcome in _FAILED]
    rows = [_HEAD, *map(_row, subject.laws)]
    return head + convention + table(rows) + paragraph(_counts(subject.laws), indent="  ") + "".join(failures)


def _row(law: LawRecord) -> tuple[str, ...]:
    shown = law.evidence if law.ran else "-"
    over = law.reason if law.outcome in (Outcome.NOT_APPLICABLE, Outcome.BLOCKED, Outcome.KNOWN) else law.for_all
    return (law.id, law.outcome, law.formula_status, shown, str(law.applied), str(law.ran), over)


def _counts(laws: Sequence[LawRecord]) -> str:
    """How many laws there were, how many ran, how many did not apply: always all three, also where they are zero."""
    idle = sum(1 for law in laws if law.outcome is Outcome.NOT_APPLICABLE)
    ran = sum(1 for law in laws if law.ran)
    return f"{counted(len(laws) - idle, 'law')} applied, {ran} ran, {idle} not applicable"


def indented(text: str) -> str:
    """The text as a part of something else."""
    return "".join(f"  {line}\n" for line in text.splitlines())


def known_text(subjects: Sequence[SubjectRecord]) -> str:
    """The failures that are listed with their reasons: they stay visible in every run."""
    found = [(subject, law) for subject in subjects for law in subject.laws if law.outcome is Outcome.KNOWN]
    if not found:
        return ""
    return "known failures\n" + "\n".join(indented(failure(subject, law)) for subject, law in found)


def skipped_text(skipped: Sequence[tuple[str, str]]) -> str:
    """The subjects that did not run, each with its reason."""
    return f"skipped\n{table(skipped)}" if skipped else ""


def problems_text(problems: Sequence[str]) -> str:
    """Entries of the list of known failures that are fixed, changed or unknown, with what to do."""
    return f"problems with the list of known failures\n{table([(line,) for line in problems])}" if problems else ""
