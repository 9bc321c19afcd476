"""A theorem without an entry, as one equation: what is shown for the result of `prove`."""

from __future__ import annotations

from derivations.derivation import Entry, Report
from derivations.kernel import Theorem
from posproofs.export.document import Document, composed


def theorem_document(theorem: Theorem) -> Document:
    """The document of a theorem: its equation, scope and hypotheses; it has no source."""
    report = Report("proved", theorem, lemmas=tuple(sorted(theorem.lemmas)))
    return composed(Entry("theorem", "proved by the kernel", "prove", "theorem", lambda: report), report)
