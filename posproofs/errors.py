"""Everything that posproofs raises on purpose.

PosproofsError
  +-- UsageError             the call cannot be carried out as written; commands exit with 2
  |     +-- UnknownName      no such id, law, subject, format or option value; names the closest match
  |     +-- BadInput         a width, base, dtype or shape that the formula does not admit
  |     +-- CannotWrite      an output file could not be written; nothing was left half-written
  |     +-- MissingExtra     an optional dependency is not installed; says what to install
  +-- NotEmittable           a theorem whose statement has no executable reading
  +-- Refused                symbolic execution stops here; makes a proof undecided, and never wrong
  +-- Contradiction          posproofs contradicted itself; commands exit with 4
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PosproofsError(Exception):
    """Any refusal of posproofs."""


class UsageError(PosproofsError):
    """The call cannot be carried out as written."""


class UnknownName(UsageError):
    """No such id, law, subject, format or option value."""

    def __init__(self, what: str, seen: object, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(seen, names, n=1, cutoff=0.5) if isinstance(seen, str) else ()
        hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(names[:12])}"
        super().__init__(f"unknown {what} {seen!r}; {hint}")


class BadInput(UsageError, ValueError):
    """A width, base, dtype or shape that the formula does not admit."""


class CannotWrite(UsageError):
    """An output file could not be written; nothing was left half-written."""


class MissingExtra(UsageError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, module: str, extra: str) -> None:
        super().__init__(f"{module} is not installed; it comes with: pip install 'posproofs[{extra}]'")


class NotEmittable(PosproofsError):
    """A theorem whose statement has no executable reading. The message names the node."""


class Contradiction(PosproofsError):
    """posproofs contradicted itself: a proved statement failed numerically, or a refutation did not replay."""


class Refused(PosproofsError):
    """Symbolic execution stops: no rule for an operator, a condition on symbols, or a limit.

    `place` is the node of the graph and the line of source that it came from.
    """

    def __init__(self, reason: str, *, place: str = "") -> None:
        super().__init__(f"{reason} ({place})" if place else reason)
        self.reason = reason
        self.place = place

    def at(self, place: str) -> Refused:
        """The same refusal with the place where it happened; the innermost place stays."""
        return self if self.place else Refused(self.reason, place=place)
