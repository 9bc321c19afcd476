"""What a claim is: one statement of the source notes, with its permanent id and its status as written.

A claim says nothing about who answers it: derivations and laws name the claims that they answer, never the reverse.
"""

from dataclasses import dataclass
from enum import Enum


class ClaimStatus(Enum):
    """How a statement stands as the notes wrote it, before any correction."""

    TRUE = "true"
    TRUE_UNDER_CONDITIONS = "true under conditions"
    ERRATUM = "erratum"
    ERRATUM_WORDING = "erratum (wording)"
    QUALITATIVE = "qualitative"


ERRATA = frozenset({ClaimStatus.ERRATUM, ClaimStatus.ERRATUM_WORDING})


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the notes.

    `statement` is what holds, in plain words; where the notes are wrong it is what they say, and `correction` is what
    holds instead. `conditions` are what a conditional statement needs. `also` lists the further statuses of a
    statement that mixes several, for example a true core with a slip of notation. `parts` are the lettered parts of
    an entry that lists several terms; each part is a claim of its own.
    """

    id: str
    status: ClaimStatus
    source: str
    title: str
    statement: str
    correction: str = ""
    conditions: str = ""
    also: tuple[ClaimStatus, ...] = ()
    parts: tuple["Claim", ...] = ()

    @property
    def statuses(self) -> frozenset[ClaimStatus]:
        """Every status that applies: the main one and those of `also`."""
        return frozenset({self.status, *self.also})

    @property
    def is_erratum(self) -> bool:
        """Whether something in the statement as written is wrong."""
        return not ERRATA.isdisjoint(self.statuses)
