"""How one failure reads: a first line that says what is wrong, then labelled lines in a fixed order.

Everything comes from the records and from the table of laws; nothing is measured again and no time is printed.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from posproofs.engine.records import LawRecord, SubjectRecord
from posproofs.engine.targets import is_own
from posproofs.laws import law as law_of
from posproofs.report.layout import labelled
from posproofs.vocabulary import Outcome

FIRST_LINE = 60  # characters: what a terminal, a commit message and a mail subject all show whole


def failure(subject: SubjectRecord, law: LawRecord) -> str:
    """The report of one law that is broken, known or in error, as several lines of ASCII.

    The labels are subject, identified, laws, law, witness, observed, expected, likely, reason, replay, in this order; a
    label with nothing to say is left out.
    """
    stated = law_of(law.id)
    lines = labelled(
        (
            ("subject", f"{subject.name} ({_versions(subject)})"),
            ("identified", subject.convention),
            ("laws", tally(subject.laws)),
            ("law", stated.statement),
            ("witness", law.witness or ""),
            ("observed", _observed(law)),
            ("expected", _expected(law)),
            ("likely", law.likely or ""),
            ("reason", law.reason),
            ("replay", f"posproofs replay {law.replay}" if law.replay else ""),
        )
    )
    return f"{headline(law, stated.consequence)}\n{lines}"


def headline(law: LawRecord, consequence: str) -> str:
    """`rotary.history broken: result depends on earlier calls`, cut at a word where it would pass 60 characters."""
    line = f"{law.id} {law.outcome}: {consequence}"
    if law.outcome is Outcome.ERROR:
        line = f"{law.id} {law.outcome}: it could not be decided"
    while len(line) > FIRST_LINE:
        line = line.removesuffix("...").rpartition(" ")[0] + "..."
    return line


def _versions(subject: SubjectRecord) -> str:
    """`transformers 5.24.0, torch 2.13.0, cpu`: laws run on the CPU alone."""
    package = f"source {subject.version}" if is_own(subject.name) else f"{subject.package} {subject.version}".rstrip()
    torch = () if subject.package == "torch" else (f"torch {_installed('torch')}",)
    return ", ".join((package, *torch, "cpu"))


@cache
def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def tally(laws: tuple[LawRecord, ...]) -> str:
    """`24 ran, 1 broken, 3 not applicable (no 2-D positions)`: a law that ran no case is never counted as run."""
    ran = sum(1 for law in laws if law.ran)
    found = Counter(law.outcome for law in laws)
    parts = [f"{ran} ran"]
    parts += [f"{found[outcome]} {outcome}" for outcome in (Outcome.BROKEN, Outcome.BLOCKED) if found[outcome]]
    parts += [f"{found[Outcome.KNOWN]} known to fail"] if found[Outcome.KNOWN] else []
    parts += [f"{found[Outcome.ERROR]} in error"] if found[Outcome.ERROR] else []
    idle = [law for law in laws if law.outcome is Outcome.NOT_APPLICABLE]
    if idle:
        reasons = "; ".join(dict.fromkeys(law.reason for law in idle if law.reason))
        parts.append(f"{len(idle)} not applicable" + (f" ({reasons})" if reasons else ""))
    return ", ".join(parts)


def _observed(law: LawRecord) -> str:
    return beside(law.saw, "error", law.observed)


def _expected(law: LawRecord) -> str:
    return beside(law.expected, "allowed", law.allowed)


def beside(words: str | None, label: str, figure: float | None) -> str:
    """What was seen in words, and its figure behind it: both, or the one that there is."""
    return "       ".join(part for part in (words, None if figure is None else f"{label} {figure:.3g}") if part)
