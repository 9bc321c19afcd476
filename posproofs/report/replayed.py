"""`posproofs replay ID`: what measuring a stored failure once more came to, and the exit status that goes with it."""

from __future__ import annotations

from posproofs.engine.replay import FOLDER, Replayed, replay
from posproofs.laws import law as law_of
from posproofs.report.layout import labelled
from posproofs.report.text import beside
from posproofs.vocabulary import Exit

# FIXED is green: the case that failed does not fail any more. ERROR says nothing about the case.
STATUS = {"FAILED": Exit.BROKEN, "FIXED": Exit.CONFORMS, "ERROR": Exit.INCONCLUSIVE}


def replay_text(name: str) -> tuple[str, Exit]:
    """Run the stored failure of that id, or of the only id that begins so; the text and the exit status.

    Raises UnknownName for an id that is not stored, UsageError where none is.
    """
    found = replay(name)
    return replayed_text(found), STATUS[found.status]


def replayed_text(found: Replayed) -> str:
    """The outcome in the first line, then labels in a fixed order."""
    stored, measure = found.stored, found.measure
    now = (
        f"{found.version}, as stored"
        if found.version == stored.version
        else f"{found.version}; stored {stored.version}"
    )
    lines = labelled(
        (
            ("subject", f"{stored.subject} ({now})"),
            ("law", law_of(stored.law).statement),
            ("witness", found.witness),
            ("observed", beside(measure.saw, "error", measure.observed) if measure and measure.broken else ""),
            ("expected", beside(measure.expected, "allowed", measure.allowed) if measure and measure.broken else ""),
            ("reason", found.error),
            ("printed", found.output),
            ("snippet", f"python {FOLDER / stored.id}.py"),
        )
    )
    return f"replay {stored.id} {found.status}: {stored.law}\n{lines}"
