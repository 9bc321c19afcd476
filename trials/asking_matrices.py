"""Claims about matrices as statements of the kernel, and what it answers read back: node for node, both ways."""

from __future__ import annotations

from fractions import Fraction

from derivations.kernel import Hypothesis, Point, Range, Statement, terms
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.terms import Replacement, Term
from trials import asking
from trials.exact import TRIANGLES
from trials.language import Demand, Equation, Lambda, Member, Node, Op, Product, Raised, Reach, Slope, Sum, Total
from trials.language_matrices import (
    Array,
    Blocks,
    Det,
    Dim,
    Entry,
    Flat,
    Flipped,
    Free,
    Layout,
    Letter,
    Turning,
    Unit,
)
from trials.places import Place, Planes

# The fixed rotation of the kernel's points turns its planes by these angles in turn, (cos, sin) as written there.
FIXED_TURNS = Planes(tuple(TRIANGLES.index(sides) for sides in ((3, 4, 5), (5, 12, 13), (8, 15, 17))))


def statement(claim: Equation) -> Statement:
    hypotheses = tuple(hypothesis(demand) for demand in claim.demands)
    ranges = tuple(Range(reach.index, term(reach.count)) for reach in claim.reaches)
    return Statement(term(claim.left), term(claim.right), hypotheses, ranges)


def hypothesis(demand: Demand) -> Hypothesis:
    return Hypothesis(demand.kind, term(demand.left), term(demand.right), demand.forall)


def replacement(by: Lambda) -> Replacement:
    return Replacement(by.parameters, term(by.body))


def term(node: Node) -> Term:
    """The kernel's term for a node."""
    match node:
        case Sum(parts):
            return terms.Add(tuple(map(term, parts)))
        case Product(parts):
            return terms.Multiply(tuple(map(term, parts)))
        case Raised(base, exponent):
            return terms.Power(term(base), term(exponent))
        case Op(name, argument):
            return terms.Apply(asking.Operators[name], term(argument))  # type: ignore[arg-type]
        case Member(name, index):
            return terms.Family(name, term(index))
        case Total(index, count, body):
            return terms.IndexedSum(index, term(count), term(body))
        case Slope(body, by):
            return terms.Derivative(term(body), by)
        case Entry(name, row, column):
            return Cell(name, term(row), term(column))
        case Flat(name, at, width):
            return Reading(name, term(at), term(width))
        case _:
            return _matrix(node)


def _matrix(node: Node) -> Term:
    match node:
        case Letter(name, rows, columns):
            return terms.MatrixSymbol(name, size(rows), size(columns))
        case Turning(name, at, dim):
            return terms.MatrixFamily(name, term(at), size(dim), "rotation")
        case Free(name, at, dim):
            return terms.MatrixFamily(name, term(at), size(dim), "free")
        case Unit(dim):
            return terms.Identity(size(dim))
        case Flipped(of):
            return terms.Transpose(term(of))
        case Det(of):
            return terms.Determinant(term(of))
        case Array(rows):
            return terms.Matrix(tuple(tuple(map(term, row)) for row in rows))
        case Blocks(index, count, down, across, entries):
            counted = terms.Symbol(count) if isinstance(count, str) else terms.number(count)
            cells = tuple(tuple(map(term, row)) for row in entries)
            return terms.Block(index, counted, layout(down), layout(across) if across else None, cells)
        case _:
            return asking.term(node)


def size(dim: Dim) -> terms.Size:
    return terms.Size(*dim)


def layout(told: Layout) -> terms.Layout:
    kind, order = told
    if kind == "interleaved":
        return terms.Layout(tuple(terms.Slot(len(order), 0, place) for place in order))
    return terms.Layout(tuple(terms.Slot(1, place, 0) for place in order))


def equation(known: Statement) -> Equation:
    """A statement of the kernel, read back: what a theorem says, its added hypotheses included."""
    demands = tuple(Demand(h.kind, node(h.left), node(h.right), h.forall) for h in known.hypotheses)
    reaches = tuple(Reach(r.index, node(r.count)) for r in known.ranges)
    return Equation(node(known.left), node(known.right), demands, reaches)


def node(told: Term) -> Node:
    """The node for a term of the kernel."""
    match told:
        case terms.Add(parts):
            return Sum(tuple(map(node, parts)))
        case terms.Multiply(parts):
            return Product(tuple(map(node, parts)))
        case terms.Power(base, exponent):
            return Raised(node(base), node(exponent))
        case terms.Apply(operator, argument):
            named = {theirs: own for own, theirs in asking.Operators.items()}
            return Op(named[operator], node(argument))  # type: ignore[arg-type]
        case terms.Family(name, index):
            return Member(name, node(index))
        case terms.IndexedSum(index, count, body):
            return Total(index, node(count), node(body))
        case terms.Derivative(body, by):
            return Slope(node(body), by)
        case Cell(name, row, column):
            return Entry(name, node(row), node(column))
        case Reading(name, flat, width):
            return Flat(name, node(flat), node(width))
        case _:
            return _matrix_node(told)


def _matrix_node(told: Term) -> Node:
    match told:
        case terms.MatrixSymbol(name, rows, columns):
            return Letter(name, dim(rows), dim(columns))
        case terms.MatrixFamily(name, argument, extent, kind):
            return (Turning if kind == "rotation" else Free)(name, node(argument), dim(extent))
        case terms.Identity(extent):
            return Unit(dim(extent))
        case terms.Transpose(argument):
            return Flipped(node(argument))
        case terms.Determinant(argument):
            return Det(node(argument))
        case terms.Matrix(rows):
            return Array(tuple(tuple(map(node, row)) for row in rows))
        case terms.Block(index, count, rows, columns, entries):
            counted = count.name if isinstance(count, terms.Symbol) else int(_number(count))
            across = _told_layout(columns) if columns else None
            return Blocks(index, counted, _told_layout(rows), across, tuple(tuple(map(node, row)) for row in entries))
        case _:
            return asking.node(told)


def _number(count: Term) -> Fraction:
    assert isinstance(count, terms.Number)
    return count.re


def dim(extent: terms.Size) -> Dim:
    return (extent.multiple, extent.name)


def _told_layout(told: terms.Layout) -> Layout:
    """By the coordinates of the first two groups of two: 0, 1, .. side by side, or 0, 2, .. in runs."""
    first, slots = told.coordinates(0, 2), len(told.slots)
    if sorted(first) == list(range(slots)):
        return "interleaved", tuple(first)
    return "halves", tuple(place // 2 for place in first)


def place_of(point: Point) -> Place:
    """The point of a refutation; members that it does not list are 1, and rotations are the fixed ones."""
    entries = {}
    members: dict[tuple[str, int], int | Fraction] = {}
    for (name, k), number in point.families.items():
        if name.endswith("]"):  # an entry in memory is listed as a member of its row
            matrix, row = name[:-1].split("[")
            entries[matrix, int(row), k] = _plain(number)
        else:
            members[name, k] = _plain(number)
    grids = {(name, at): tuple(tuple(map(_plain, row)) for row in rows) for (name, at), rows in point.matrices.items()}
    numbers = {name: _plain(number) for name, number in point.symbols.items()}
    return Place(numbers, members, entries, grids, _Fixed(), other_members=1)  # type: ignore[arg-type]


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number


class _Fixed(dict[str, Planes]):
    """Every rotation family at a point of the kernel turns by the same angles, in turn."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> Planes:
        return FIXED_TURNS
