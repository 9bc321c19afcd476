"""What is drawn, what is said of it, and what can be wrong with an answer: the words that all fragments share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

DEFECTS = (
    "sign",
    "index",
    "factor",
    "exponent",
    "transposition",
    "dropped term",
    "off-by-one bound",
    "hypothesis removed",
    "swapped symbols",
    "order of factors",
    "layout",
    "ill typed",
)
OUTCOMES = (
    "proved",
    "refuted",
    "true by accident",
    "out of fragment",
    "limit reached",
    "no point found",
    "refused",
    "crash",
)
UNDECIDED = ("out of fragment", "limit reached", "no point found", "refused")
COMPLAINTS = {  # each kind, and what several of them are called
    "false proof": "false proofs",
    "false refutation": "false refutations",
    "crash": "crashes",
    "too slow": "too slow",
}


class Claim(Protocol):
    """What a fragment draws, in its own language."""

    def text(self) -> str:
        """The claim for people, in one or a few lines."""
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """A claim: true by construction where `defect` is None, and otherwise such a claim with that one defect.

    `allows` names the exceptions with which the kernel may refuse it.
    """

    fragment: str
    claim: Claim
    defect: str | None = None
    allows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that the kernel must never do."""

    kind: Literal["false proof", "false refutation", "crash", "too slow"]
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """How an answer is counted, and what is wrong with it, if anything is."""

    outcome: str
    complaint: Complaint | None = None
