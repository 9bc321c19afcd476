"""The kernel: terms, values, decisions, and the only code that makes a `Theorem`. Standard library only.

prove(statement) -> Theorem | Refuted | Undecided
"""

from __future__ import annotations

from derivations.kernel.errors import (
    KernelError,
    LimitReached,
    OutOfFragment,
    RuleError,
    SealError,
    ShapeError,
    WrongType,
)
from derivations.kernel.inference import (
    congruent,
    lifted,
    lifted_block,
    realised,
    specialised,
    symmetric,
    transitive,
    two_sided,
    unique_solution,
)
from derivations.kernel.instantiate import instantiate
from derivations.kernel.points import Point
from derivations.kernel.prove import prove
from derivations.kernel.statement import Hypothesis, Range, Statement
from derivations.kernel.theorem import Answer, Refuted, Theorem, Undecided

__all__ = [
    "Answer",
    "Hypothesis",
    "KernelError",
    "LimitReached",
    "OutOfFragment",
    "Point",
    "Range",
    "Refuted",
    "RuleError",
    "SealError",
    "ShapeError",
    "Statement",
    "Theorem",
    "Undecided",
    "WrongType",
    "congruent",
    "instantiate",
    "lifted",
    "lifted_block",
    "prove",
    "realised",
    "specialised",
    "symmetric",
    "transitive",
    "two_sided",
    "unique_solution",
]
