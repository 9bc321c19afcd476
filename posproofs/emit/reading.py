"""What an equation computes: a map on groups of coordinates, or a plain formula, read off its kernel term.

Reading normalises names only. Coordinates of the input become `slot(0)`, `slot(1)`, ... in the order of the layout, and
angles that the kernel proves equal, or opposite, become one angle; nothing else in an entry is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from derivations.kernel import Hypothesis, Statement, Theorem, prove
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Family,
    Multiply,
    Number,
    Symbol,
    Term,
    children,
    free_names,
    number,
    rebuilt,
    walk,
)
from derivations.plain import term_text
from posproofs.emit.expressions import described
from posproofs.errors import NotEmittable

INPUT, POSITION, BASE = "x", "p", "base"
Arrangement = Literal["interleaved", "half-split"]


@dataclass(frozen=True, slots=True)
class Rotation:
    """A map that takes slots 0..S-1 of group i of x to those of y, for every group index < count.

    rows[a] is output slot a, written in slot(b), in cos and sin of `angles`, and in free scalars and families.
    """

    index: str
    count: str
    reads: Arrangement
    writes: Arrangement
    rows: tuple[Term, ...]
    angles: tuple[Term, ...]
    hypotheses: tuple[Hypothesis, ...]

    @property
    def slots(self) -> int:
        """The number S of coordinates in a group: 2 for pairs."""
        return len(self.rows)


def slot(position: int) -> Family:
    """Input slot `position` of a group; coordinates of a layout are never constant, so none is mistaken for it."""
    return Family(INPUT, number(position))


def is_rotation(side: Term) -> bool:
    """Whether a side of an equation gives a vector group by group from the input x."""
    return isinstance(side, Block) and side.columns is None and INPUT in free_names(side)


def read_rotation(vector: Term, hypotheses: tuple[Hypothesis, ...]) -> Rotation:
    """Read a block vector; NotEmittable names the node that has no place in such a map."""
    if not isinstance(vector, Block) or vector.columns is not None or not isinstance(vector.count, Symbol):
        raise NotEmittable(f"the node {described(vector)} is not a vector given group by group for every count")
    size, index, count = len(vector.rows.slots), vector.index, vector.count.name
    places = {s: (s.stride, s.counts, s.offset) for s in vector.rows.slots}
    # The constructor of Layout accepts nothing but these two forms.
    writes: Arrangement = "interleaved" if _arrangement(places.values(), size) == "interleaved" else "half-split"
    order = sorted(range(size), key=lambda a: places[vector.rows.slots[a]])
    rows = tuple(vector.entries[a][0] for a in order)
    _require_fixed_angles(rows)
    reads, slots = _inputs(rows, index, count)
    rows = tuple(replaced_nodes(row, slots) for row in rows)
    angles, renamed = _angles(rows, hypotheses)
    rotation = Rotation(
        index, count, reads, writes, tuple(replaced_nodes(row, renamed) for row in rows), angles, hypotheses
    )
    _require_readable(rotation)
    return rotation


def replaced_nodes(term: Term, by: Mapping[Term, Term]) -> Term:
    """The term with whole subterms exchanged, from the outside in."""
    if term in by:
        return by[term]
    return rebuilt(term, tuple(replaced_nodes(part, by) for part in children(term)))


def affine(term: Term, index: str, count: str) -> tuple[int, int, int] | None:
    """(a, b, c) when the term is a*index + b*count + c over the integers, else None."""
    match term:
        case Number(value, imaginary) if imaginary == 0 and value.denominator == 1:
            return (0, 0, int(value))
        case Symbol(name) if name in (index, count):
            return (int(name == index), int(name == count), 0)
        case Add(parts):
            forms = [affine(part, index, count) for part in parts]
            known = [form for form in forms if form is not None]
            return _summed(known) if len(known) == len(forms) else None
        case Multiply(factors):
            return _scaled([affine(factor, index, count) for factor in factors])
        case _:
            return None


def _summed(forms: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    a, b, c = (sum(column) for column in zip(*forms, strict=True))
    return (a, b, c)


def _scaled(forms: list[tuple[int, int, int] | None]) -> tuple[int, int, int] | None:
    result = (0, 0, 1)
    for form in forms:
        if form is None or (result[:2] != (0, 0) and form[:2] != (0, 0)):
            return None
        (a, b, c), constant = (form, result[2]) if result[:2] == (0, 0) else (result, form[2])
        result = (a * constant, b * constant, c * constant)
    return result


def _arrangement(places: Iterable[tuple[int, int, int]], size: int) -> Arrangement | None:
    """Which layout of `size` slots has places (stride, counts, offset) like these, if any."""
    found = set(places)
    if found <= {(size, 0, a) for a in range(size)}:
        return "interleaved"
    return "half-split" if found <= {(1, a, 0) for a in range(size)} else None


def _inputs(rows: tuple[Term, ...], index: str, count: str) -> tuple[Arrangement, dict[Term, Term]]:
    """The layout of the input, and which slot each node x[...] stands for."""
    nodes = dict.fromkeys(node for row in rows for node in walk(row) if isinstance(node, Family) and node.name == INPUT)
    places = {node: affine(node.index, index, count) for node in nodes}
    for node, place in places.items():
        if place is None:
            raise NotEmittable(f"the node {described(node)} has an index that is not affine in {index} and {count}")
    known = {node: place for node, place in places.items() if place is not None}
    reads = _arrangement(known.values(), len(rows))
    if reads is None:
        shown = ", ".join(term_text(node) for node in nodes)
        raise NotEmittable(
            f"the nodes {shown} are no layout of {len(rows)} slots; wanted {len(rows)}*{index} + a, or "
            f"{index} + a*{count}, with a in 0..{len(rows) - 1}"
        )
    at = 2 if reads == "interleaved" else 1
    return reads, {node: slot(place[at]) for node, place in known.items()}


def _angles(rows: tuple[Term, ...], hypotheses: tuple[Hypothesis, ...]) -> tuple[tuple[Term, ...], dict[Term, Term]]:
    """The distinct angles in order of appearance, and cos and sin of every other spelling in terms of these."""
    angles: list[Term] = []
    renamed: dict[Term, Term] = {}
    for node in dict.fromkeys(node for row in rows for node in _outermost_waves(row)):
        angle = node.argument
        same = next((a for a in angles if a == angle or _proved(a, angle, hypotheses)), None)
        opposite = next((a for a in angles if same is None and _proved(_minus(a), angle, hypotheses)), None)
        if same is None and opposite is None:
            angles.append(angle)
        kept = Apply(node.operator, same or opposite or angle)
        renamed[node] = _minus(kept) if opposite is not None and node.operator == "sin" else kept
    return tuple(angles), renamed


def _outermost_waves(term: Term) -> list[Apply]:
    if isinstance(term, Apply) and term.operator in ("cos", "sin"):
        return [term]
    return [node for part in children(term) for node in _outermost_waves(part)]


def _require_fixed_angles(rows: tuple[Term, ...]) -> None:
    inside = [node for row in rows for wave in _outermost_waves(row) for node in walk(wave)]
    for node in inside:
        if isinstance(node, Family) and node.name == INPUT:
            raise NotEmittable(f"the node {described(node)} stands in an angle; angles must not depend on the input")


def _minus(term: Term) -> Term:
    return Multiply((number(-1), term))


def _proved(left: Term, right: Term, hypotheses: tuple[Hypothesis, ...]) -> bool:
    return isinstance(prove(Statement(left, right, hypotheses)), Theorem)


def outer_leaves(rotation: Rotation) -> tuple[Term, ...]:
    """The symbols and families that stand in the rows outside the input and outside the tables, each once."""
    known: set[Term] = {Apply(wave, angle) for angle in rotation.angles for wave in _WAVES}
    known |= {slot(a) for a in range(rotation.slots)}
    return tuple(dict.fromkeys(leaf for row in rotation.rows for leaf in _leaves(row, known)))


_WAVES: tuple[Literal["cos", "sin"], ...] = ("cos", "sin")


def _leaves(term: Term, skipped: set[Term]) -> list[Term]:
    if term in skipped:
        return []
    if isinstance(term, (Symbol, Family)):
        return [term]
    return [leaf for part in children(term) for leaf in _leaves(part, skipped)]


def angle_leaves(rotation: Rotation) -> tuple[Term, ...]:
    """The symbols and families of the angles, each once."""
    return tuple(dict.fromkeys(leaf for angle in rotation.angles for leaf in _leaves(angle, set())))


def _require_readable(rotation: Rotation) -> None:
    if not rotation.angles:
        raise NotEmittable("the statement has no cos or sin, so there is no table to compute")
    for leaf in outer_leaves(rotation):
        if leaf == Symbol(POSITION):
            raise NotEmittable(f"the node {described(leaf)} stands outside cos and sin; positions enter by the table")
    for leaf in (*angle_leaves(rotation), *outer_leaves(rotation)):
        if isinstance(leaf, Family) and leaf.index != Symbol(rotation.index):
            raise NotEmittable(f"the node {described(leaf)} is not taken at the index {rotation.index} of the groups")
