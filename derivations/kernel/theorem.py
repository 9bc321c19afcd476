"""The sealed `Theorem`, and the other two answers of the kernel: `Refuted` at a point, and `Undecided` with a reason.

Only the kernel makes theorems: the constructor wants a token that never leaves this package, and copying, pickling,
subclassing and assignment are refused. This is discipline that a test of the repository enforces, not a defence against
somebody who rewrites the interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NoReturn, final

from derivations.kernel.balls import Ball, text
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import SealError
from derivations.kernel.points import Point
from derivations.kernel.sealed import exact_tuple
from derivations.kernel.statement import Hypothesis, Statement
from derivations.kernel.terms import (
    Block,
    IndexedSum,
    MatrixFamily,
    MatrixSymbol,
    Replacement,
    walk,
)

TOKEN = object()  # imported by the modules of the kernel that make theorems, and by nobody else

Witness = Mapping[str, Replacement]


@final
class Theorem:
    """A statement that the kernel proved, with everything it rests on. There is no public way to make one."""

    __slots__ = ("lemmas", "method", "rewrites", "statement", "uses", "witness")

    statement: Statement
    method: str
    lemmas: frozenset[str]
    uses: tuple[Theorem, ...]
    rewrites: tuple[tuple[str, int], ...]
    witness: Witness

    def __init__(
        self,
        token: object,
        statement: Statement,
        *,
        method: str,
        witness: Witness,
        lemmas: frozenset[str] = frozenset(),
        uses: tuple[Theorem, ...] = (),
        rewrites: tuple[tuple[str, int], ...] = (),
    ) -> None:
        if token is not TOKEN:
            raise SealError("a Theorem is made by the kernel alone; call prove(statement)")
        exact_tuple(uses, "Theorem: what it uses", Theorem)
        given = {
            "statement": statement,
            "method": method,
            "witness": MappingProxyType(dict(witness)),
            "lemmas": lemmas.union(*(t.lemmas for t in uses)),
            "uses": uses,
            "rewrites": rewrites,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise SealError("a Theorem never changes")

    def __delattr__(self, name: str) -> NoReturn:
        raise SealError("a Theorem never changes")

    def __init_subclass__(cls) -> NoReturn:
        raise SealError("Theorem has no subclasses")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SealError("a Theorem is not copied or stored; prove it again, it takes milliseconds")

    def __copy__(self) -> NoReturn:
        raise SealError("a Theorem is not copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise SealError("a Theorem is not copied")

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        return self.statement.hypotheses

    def modules(self) -> tuple[str, ...]:
        """The kernel modules on which this theorem and those it uses rest."""
        nodes = [node for side in self.statement.terms() for node in walk(side)]
        found = {"nodes", "terms", "sealed", "layouts", "roles", "statement", "shapes", "values", "quotients"}
        found |= {"budget", "evaluate", "theorem", "models", "prove" if self.method == "prove" else "inference"}
        if self.hypotheses:
            found |= {"points", "balls", "fixed_point"}  # the witness may rest on them
        kinds: dict[type, str] = {IndexedSum: "sums", Block: "matrices", MatrixSymbol: "words", MatrixFamily: "words"}
        kinds |= {Cell: "cells", Reading: "indices"}
        found |= {module for kind, module in kinds.items() if any(isinstance(node, kind) for node in nodes)}
        if self.rewrites:
            found.add("rules")
        return tuple(sorted(found.union(*(t.modules() for t in self.uses))))


@dataclass(frozen=True, slots=True)
class Refuted:
    """The sides differ at this point, which satisfies every hypothesis: enclosing balls separate them.

    Members of sequences that the point does not list are 1. `given` holds what stands for names that the point has no
    place for: functions, and sequences and matrices of a model.
    """

    statement: Statement
    point: Point
    left: Ball
    right: Ball
    entry: tuple[int, int]
    given: Mapping[str, Replacement] = field(default_factory=dict)

    def text(self) -> str:
        """One line: the point and both values."""
        place = "" if self.entry == (0, 0) else f" in entry {self.entry}"
        at = ", ".join(part for part in (self.point.text(), *(f"{name} as given" for name in self.given)) if part)
        return f"at {at}: left {text(self.left, 6)}, right {text(self.right, 6)}{place}"


@dataclass(frozen=True, slots=True)
class Undecided:
    """No proof and no counterexample; never to be read as either."""

    statement: Statement
    reason: Literal["out of fragment", "limit reached", "no point found"]
    detail: str


Answer = Theorem | Refuted | Undecided
