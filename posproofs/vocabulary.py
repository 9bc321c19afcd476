"""The closed vocabularies: what was shown of code, how a law came out, what the whole says, how a command exits."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Evidence(StrEnum):
    """How far what was seen of the code reaches."""

    PROVED = "proved"  # by symbolic execution
    EXHAUSTED = "exhausted"  # every case of a finite set, which is printed
    BOUNDED = "bounded"  # an enclosure
    SAMPLED = "sampled"  # finitely many of infinitely many cases
    UNDECIDED = "undecided"


class Outcome(StrEnum):
    """How a law came out on one subject."""

    HOLDS = "holds"
    BROKEN = "broken"
    BLOCKED = "blocked"  # its root cause is another broken law
    NOT_APPLICABLE = "not-applicable"
    KNOWN = "known"  # broken, and listed with its reason
    ERROR = "error"


class Verdict(StrEnum):
    """What the laws say of a subject together."""

    CONFORMS = "conforms"
    BREAKS = "breaks"
    UNIDENTIFIED = "unidentified"
    INCONCLUSIVE = "inconclusive"


class Exit(IntEnum):
    """The exit status of every command."""

    CONFORMS = 0
    BROKEN = 1
    USAGE = 2  # usage error, or nothing ran
    INCONCLUSIVE = 3
    CONTRADICTION = 4  # posproofs contradicted itself
