"""From findings to outcomes, from outcomes to a verdict, from a run to an exit status. Unknown is never green.

A law that fails is `known` if the list says so, `blocked` if a law that it needs is broken too, and else `broken`: a
report names root causes and lists what follows from them. A law that holds is reported whatever else is broken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from posproofs.engine import known
from posproofs.engine.records import LawRecord, Run, TheoremRecord
from posproofs.laws import Finding, Law, digest
from posproofs.vocabulary import Exit, Outcome, Verdict

FAILED = frozenset({Outcome.BROKEN, Outcome.KNOWN, Outcome.BLOCKED})


Decision = tuple[Outcome, str, str | None]
"""How the law came out, the reason, and the line about a list entry that is out of date."""


def outcome(
    law: Law, subject: str, finding: Finding, *, failed: Collection[str], entry: known.Entry | None
) -> Decision:
    """What a finding is in the light of root causes and known failures.

    failed: ids of the laws that failed before on this subject. entry: the known failure for this law and release.
    """
    if finding.error:
        return Outcome.ERROR, finding.error, None
    if finding.witness is None:
        return _unbroken(finding, entry)
    now = digest(subject, law.id, finding.witness)
    if entry is not None and entry.digest == now:
        return Outcome.KNOWN, entry.reason, None
    if entry is not None:
        line = known.changed(entry, now)
        return Outcome.BROKEN, line, line
    roots = [need.id for need in law.needs if need.id in failed]
    if roots:
        return Outcome.BLOCKED, f"explained by {', '.join(roots)}", None
    return Outcome.BROKEN, "", None


def _unbroken(finding: Finding, entry: known.Entry | None) -> Decision:
    if entry is not None:
        line = known.fixed(entry)
        return Outcome.ERROR, line, line
    if finding.ran == 0:
        return Outcome.NOT_APPLICABLE, "; ".join(finding.reasons) or "no case could be asked", None
    return Outcome.HOLDS, "", None


def verdict(laws: Iterable[LawRecord]) -> Verdict:
    """What the laws say of a subject together.

    A known failure is still a failure of the subject. An error, and no law that ran, leave it open.
    """
    laws = tuple(laws)
    outcomes = {law.outcome for law in laws}
    if outcomes & FAILED:
        return Verdict.BREAKS
    if Outcome.ERROR in outcomes or not any(law.ran for law in laws):
        return Verdict.INCONCLUSIVE
    return Verdict.CONFORMS


def exit_code(run: Run) -> Exit:
    """The exit status of a whole run; the list of known failures counts as broken where it is out of date.

    Nothing ran: no theorem and no law, or subjects were wanted and none of their laws ran a case.
    """
    laws = [law for subject in run.subjects for law in subject.laws]
    wanted_subjects = bool(run.subjects or run.skipped)
    if (wanted_subjects and not any(law.ran for law in laws)) or not (run.theorems or wanted_subjects):
        return Exit.BROKEN if run.problems else Exit.USAGE
    outcomes = {law.outcome for law in laws}
    if Outcome.BROKEN in outcomes or run.problems or any(_refuted(row) for row in run.theorems):
        return Exit.BROKEN
    verdicts = {subject.verdict for subject in run.subjects}
    undecided = any(row.status == "undecided" for row in run.theorems)
    if Outcome.ERROR in outcomes or undecided or verdicts & {Verdict.INCONCLUSIVE, Verdict.UNIDENTIFIED}:
        return Exit.INCONCLUSIVE
    return Exit.CONFORMS


def _refuted(row: TheoremRecord) -> bool:
    """A row that claims a truth and is false. An erratum is meant to be."""
    return row.kind != "erratum" and row.status not in {"proved", "cited", "empirical", "undecided"}
