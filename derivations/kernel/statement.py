"""Statements: an equation between two terms, the hypotheses under which it is claimed, and the range of its indices.

An index of a range is a free name of the sides and hypotheses: the equation is claimed wherever the hypotheses hold at
the same value of the index. A name in the `forall` of a hypothesis is bound there, whatever it means elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from derivations.kernel.errors import RuleError, ShapeError
from derivations.kernel.layouts import checked_name
from derivations.kernel.roles import Names, names_of, whole
from derivations.kernel.sealed import exact, exact_tuple, inside_of, require_size, sealed
from derivations.kernel.shapes import SCALAR, shape, shown
from derivations.kernel.terms import (
    Number,
    Replacement,
    Symbol,
    Term,
    free_names,
    number,
    substituted,
)

ZERO = number(0)
KINDS = ("equal", "nonzero", "positive", "nonnegative")


@sealed
@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What must hold for the equation: left = right, left != 0, left > 0 or left >= 0, for every value in `forall`.

    In an equation these are every integer where the name is an index of a sequence, and every real number elsewhere; an
    equation is used as a rewrite from left to right, never the other way. In left != 0 and left > 0 they are the
    integers 0, 1, 2, ..., which are the values that indices of sums and blocks take. Names that are not in `forall`
    are those of the statement.
    """

    kind: Literal["equal", "nonzero", "positive", "nonnegative"]
    left: Term
    right: Term = ZERO
    forall: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if exact(self.kind, str, "Hypothesis: its kind") not in KINDS:
            raise RuleError(f"a hypothesis is of kind {', '.join(KINDS)}, saw {self.kind!r}")
        for name in exact_tuple(self.forall, "Hypothesis: forall"):
            checked_name(name)
        require_size(sum(inside_of(side, "Hypothesis: its sides")[1] for side in (self.left, self.right)))
        if self.kind != "equal" and (shape(self.left) != SCALAR or self.right != ZERO):
            raise ShapeError(f"{self.kind} is said of a scalar and 0, saw {shown(shape(self.left))}")
        used = names_of((self.left, self.right))
        if (used.counts | used.sizes) & set(self.forall):
            raise ShapeError(
                "a quantified name may not count the terms of a sum or block, nor be a size; "
                "these are names of the statement"
            )
        if self.kind == "nonnegative" and self.forall:
            raise ShapeError("nonnegative is said of one value of its names; leave `forall` empty")
        if shape(self.left) != shape(self.right):
            raise ShapeError("the sides of a hypothesis differ in shape")

    def names(self) -> frozenset[str]:
        """The free names: all but those in `forall`."""
        return (free_names(self.left) | free_names(self.right)) - set(self.forall)

    def put(self, by: Mapping[str, Replacement]) -> Hypothesis:
        """The hypothesis with terms put for free names; a quantified name is neither replaced nor captured."""
        inner = {name: by[name] for name in sorted(self.names()) if name in by}
        for name, r in inner.items():
            clash = (free_names(r.body) - set(r.parameters)) & set(self.forall)
            if clash:
                raise RuleError(f"putting a term for {name} would capture {min(clash)}; rename the quantified name")
        return replace(self, left=substituted(self.left, inner), right=substituted(self.right, inner))


@sealed
@dataclass(frozen=True, slots=True)
class Range:
    """The index runs over 0..count-1 and the equation is claimed for each of its values."""

    index: str
    count: Term

    def __post_init__(self) -> None:
        checked_name(self.index)
        inside_of(self.count, "Range: its count")
        if not (isinstance(self.count, Symbol) or whole(self.count, least=1)):
            raise ShapeError(f"an index runs to a name or a positive integer, saw {self.count}")


@sealed
@dataclass(frozen=True, slots=True)
class Statement:
    """left = right, for all real symbols, all matrices, all counts of at least 1, and all indices of `ranges`."""

    left: Term
    right: Term
    hypotheses: tuple[Hypothesis, ...] = ()
    ranges: tuple[Range, ...] = ()
    used: Names = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        exact_tuple(self.hypotheses, "Statement: its hypotheses", Hypothesis)
        exact_tuple(self.ranges, "Statement: its ranges", Range)
        for term in self.terms():
            inside_of(term, "Statement: its sides")
        require_size(self.nodes())
        if shape(self.left) != shape(self.right):
            raise ShapeError(f"the sides differ in shape: {shown(shape(self.left))} and {shown(shape(self.right))}")
        object.__setattr__(self, "used", names_of(self.terms()))
        indices = [r.index for r in self.ranges]
        if len(set(indices)) < len(indices) or (self.counts() | self.used.sizes) & set(indices):
            raise ShapeError(f"the indices {indices} must differ from each other and from every count and size")

    def terms(self) -> tuple[Term, ...]:
        """Every term of the statement."""
        inside = [side for h in self.hypotheses for side in (h.left, h.right)]
        return (self.left, self.right, *inside, *(r.count for r in self.ranges))

    def nodes(self) -> int:
        """The number of nodes of all terms."""
        return sum(term.inside[1] for term in self.terms())

    def counts(self) -> frozenset[str]:
        """The names that stand for positive integers because something is counted by them."""
        return self.used.counts | _named(self.ranges)

    def integral(self) -> frozenset[str]:
        """The names that stand for integers: counts, sizes, indices, and what stands in an index."""
        return self.counts() | self.used.sizes | self.used.indexed | self.indices()

    def indices(self) -> frozenset[str]:
        return frozenset(r.index for r in self.ranges)

    def names(self) -> frozenset[str]:
        """The free names, for all values of which the statement is made."""
        sides = free_names(self.left) | free_names(self.right)
        return sides.union(*(h.names() for h in self.hypotheses), _named(self.ranges))


def _named(ranges: tuple[Range, ...]) -> frozenset[str]:
    return frozenset(r.count.name for r in ranges if isinstance(r.count, Symbol))


def replaced(statement: Statement, by: Mapping[str, Replacement]) -> Statement:
    """The statement with terms put for free names; quantified names of hypotheses and ranges are never captured."""
    indices = statement.indices()
    for name, r in by.items():
        clash = indices & (free_names(r.body) - set(r.parameters))
        if clash:
            raise RuleError(f"putting a term for {name} would capture {min(clash)}; rename the index first")
    kept = []
    for over in statement.ranges:
        count = substituted(over.count, by)
        if over.index not in by:
            kept.append(Range(over.index, count))
        elif not _in_range(by[over.index].body, count):
            raise RuleError(f"{over.index} is an index; only an integer surely below its count may be put for it")
    hypotheses = tuple(h.put(by) for h in statement.hypotheses)
    return Statement(substituted(statement.left, by), substituted(statement.right, by), hypotheses, tuple(kept))


def _in_range(value: Term, count: Term) -> bool:
    """0 is below every count, since counts are at least 1."""
    if not (isinstance(value, Number) and whole(value, least=0)):
        return False
    return value.re == 0 or (isinstance(count, Number) and value.re < count.re)
