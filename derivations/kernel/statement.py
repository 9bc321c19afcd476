"""Statements: an equation between two terms, the hypotheses under which it is claimed, and the range of its indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from derivations.kernel.errors import RuleError, ShapeError
from derivations.kernel.shapes import SCALAR, shape, shown
from derivations.kernel.terms import (
    Replacement,
    Symbol,
    Term,
    count_names,
    free_names,
    number,
    substituted,
)

ZERO = number(0)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What must hold for the equation: left = right, left != 0, or left > 0, for every value of the names in `forall`.

    An equation is used as a rewrite from left to right, never the other way.
    """

    kind: Literal["equal", "nonzero", "positive"]
    left: Term
    right: Term = ZERO
    forall: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Range:
    """The index runs over 0..count-1 and the equation is claimed for each of its values."""

    index: str
    count: Term


@dataclass(frozen=True, slots=True)
class Statement:
    """left = right, for all real symbols, all matrices, all counts of at least 1, and all indices of `ranges`."""

    left: Term
    right: Term
    hypotheses: tuple[Hypothesis, ...] = ()
    ranges: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        if shape(self.left) != shape(self.right):
            raise ShapeError(f"the sides differ in shape: {shown(shape(self.left))} and {shown(shape(self.right))}")
        for hypothesis in self.hypotheses:
            if hypothesis.kind != "equal" and shape(hypothesis.left) != SCALAR:
                raise ShapeError(f"{hypothesis.kind} is said of scalars, saw {shown(shape(hypothesis.left))}")
            if shape(hypothesis.left) != shape(hypothesis.right):
                raise ShapeError("the sides of a hypothesis differ in shape")

    def terms(self) -> tuple[Term, ...]:
        """Every term of the statement."""
        inside = [side for h in self.hypotheses for side in (h.left, h.right)]
        return (self.left, self.right, *inside, *(r.count for r in self.ranges))

    def counts(self) -> frozenset[str]:
        """The names that stand for positive integers because something is counted by them."""
        named = {r.count.name for r in self.ranges if isinstance(r.count, Symbol)}
        return frozenset(named).union(*(count_names(t) for t in self.terms()))

    def indices(self) -> frozenset[str]:
        return frozenset(r.index for r in self.ranges)

    def names(self) -> frozenset[str]:
        """The free names, for all values of which the statement is made."""
        sides = free_names(self.left) | free_names(self.right)
        hypotheses = (free_names(h.left) | free_names(h.right) - set(h.forall) for h in self.hypotheses)
        return sides.union(*hypotheses, *(free_names(r.count) for r in self.ranges))


def replaced(statement: Statement, by: Mapping[str, Replacement]) -> Statement:
    """The statement with terms put for free names; a quantified name is never replaced and never captured."""
    ranges = tuple(Range(r.index, substituted(r.count, by)) for r in statement.ranges if r.index not in by)
    _check_indices(statement, by)
    hypotheses = tuple(_replaced_hypothesis(h, by) for h in statement.hypotheses)
    return Statement(substituted(statement.left, by), substituted(statement.right, by), hypotheses, ranges)


def _replaced_hypothesis(hypothesis: Hypothesis, by: Mapping[str, Replacement]) -> Hypothesis:
    names = (free_names(hypothesis.left) | free_names(hypothesis.right)) - set(hypothesis.forall)
    inner = {name: r for name, r in by.items() if name in names}
    for name, r in inner.items():
        clash = (free_names(r.body) - set(r.parameters)) & set(hypothesis.forall)
        if clash:
            raise RuleError(f"putting a term for {name} would capture {sorted(clash)[0]}; rename the quantified name")
    return replace(
        hypothesis, left=substituted(hypothesis.left, inner), right=substituted(hypothesis.right, inner)
    )


def _check_indices(statement: Statement, by: Mapping[str, Replacement]) -> None:
    """An index in range may become 0, which every count admits; no replacement may contain an index in range."""
    for name, r in by.items():
        clash = (free_names(r.body) - set(r.parameters)) & statement.indices()
        if clash:
            raise RuleError(f"putting a term for {name} would capture {sorted(clash)[0]}; rename the index first")
        if name in statement.indices() and r.body != ZERO:
            raise RuleError(f"{name} runs over a range; only 0 may be put for it")
