"""The matrix part of the trials' language: letters of symbolic size, blocks by their coordinates, entries in memory.

Scalars are those of `trials.language`, whose sums and products stand for matrices too. Sizes and layouts are plain
tuples. Names in `ANGLES` stand for angles and occur inside cos, sin and exp(i .) only, so that an oracle can give them
rational cosines; whole multiples of them stay rational.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from trials import language
from trials.language import Lambda, Member, Node, Num, Op, Product, Raised, Sum, Total, Var

ANGLES = frozenset({"theta", "phi", "psi"})
Dim: TypeAlias = tuple[int, str]  # a multiple of a named size; of 1 where the name is empty
# The kind, "interleaved" (slots of a group side by side) or "halves" (each slot in a run of its own), and their order.
Layout: TypeAlias = tuple[str, tuple[int, ...]]
Grid: TypeAlias = tuple[tuple[Any, ...], ...]
Telling: TypeAlias = Callable[[Any], str]  # a node for people
ONE_DIM: Dim = (1, "")
SCALAR_DIMS = (ONE_DIM, ONE_DIM)


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a matrix in memory."""

    name: str
    row: Node
    column: Node

    def told(self, inner: Telling) -> str:
        return f"{self.name}[{inner(self.row)}, {inner(self.column)}]"


@dataclass(frozen=True, slots=True)
class Flat:
    """What stands at a flat place of a matrix that is kept row by row in rows of `width`."""

    name: str
    at: Node
    width: Node

    def told(self, inner: Telling) -> str:
        return f"{self.name}.flat[{inner(self.at)}; rows of {inner(self.width)}]"


@dataclass(frozen=True, slots=True)
class Letter:
    """Any real matrix of its size."""

    name: str
    rows: Dim
    columns: Dim

    def told(self, _inner: Telling) -> str:
        return f"{self.name}<{_size(self.rows)} x {_size(self.columns)}>"


@dataclass(frozen=True, slots=True)
class Turning:
    """R(at) with R(a) R(b) = R(a + b), R(a)^T = R(-a), R(0) = I."""

    name: str
    at: Node
    dim: Dim

    def told(self, inner: Telling) -> str:
        return f"{self.name}<{_size(self.dim)}, rotation>({inner(self.at)})"


@dataclass(frozen=True, slots=True)
class Free:
    """A square matrix for each number, of which nothing is known."""

    name: str
    at: Node
    dim: Dim

    def told(self, inner: Telling) -> str:
        return f"{self.name}<{_size(self.dim)}>({inner(self.at)})"


@dataclass(frozen=True, slots=True)
class Unit:
    dim: Dim

    def told(self, _inner: Telling) -> str:
        return f"I<{_size(self.dim)}>"


@dataclass(frozen=True, slots=True)
class Flipped:
    """The transpose."""

    of: Node

    def told(self, inner: Telling) -> str:
        return f"({inner(self.of)})^T"


@dataclass(frozen=True, slots=True)
class Det:
    of: Node

    def told(self, inner: Telling) -> str:
        return f"det({inner(self.of)})"


@dataclass(frozen=True, slots=True)
class Array:
    """A matrix with definite numbers of rows and columns."""

    rows: Grid

    def told(self, inner: Telling) -> str:
        return _grid(self.rows, inner)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Group `index` of the columns goes to group `index` of the rows; a column vector where `across` is None."""

    index: str
    count: str | int
    down: Layout
    across: Layout | None
    entries: Grid

    def told(self, inner: Telling) -> str:
        across = f" <- {_layout(self.across)}" if self.across else ""
        return f"blocks[{self.index} < {self.count}; {_layout(self.down)}{across}]{_grid(self.entries, inner)}"


class IllTypedError(Exception):
    """Sizes that had to agree do not."""


def _entries(rows: Grid) -> tuple[Any, ...]:
    return tuple(entry for row in rows for entry in row)


def _nothing(_: Any) -> tuple[Any, ...]:
    return ()


# The nodes directly below, in the order of the fields: what `language.children` finds, without looking for it.
_BELOW: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    Num: _nothing,
    Var: _nothing,
    Letter: _nothing,
    Unit: _nothing,
    Sum: lambda node: node.terms,
    Product: lambda node: node.factors,
    Member: lambda node: (node.index,),
    Op: lambda node: (node.argument,),
    Raised: lambda node: (node.base, node.exponent),
    Total: lambda node: (node.count, node.body),
    Entry: lambda node: (node.row, node.column),
    Flat: lambda node: (node.at, node.width),
    Turning: lambda node: (node.at,),
    Free: lambda node: (node.at,),
    Flipped: lambda node: (node.of,),
    Det: lambda node: (node.of,),
    Array: lambda node: _entries(node.rows),
    Blocks: lambda node: _entries(node.entries),
}


def children(node: Node) -> tuple[Any, ...]:
    """`language.children`, fast for the nodes that trials of matrices are made of."""
    found = _BELOW.get(type(node))
    return found(node) if found else language.children(node)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, outermost first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


def put(node: Node, by: Mapping[str, Lambda]) -> Node:
    """The node with formulas put for free names, all at once. Bound names must differ from all that is put."""
    if isinstance(node, (Total, Blocks)):
        by = {name: formula for name, formula in by.items() if name != node.index}
        if isinstance(node, Blocks) and node.count in by:
            counted = by[str(node.count)].body
            node = replace(node, count=counted.name if isinstance(counted, Var) else int(counted.re))
    parts = children(node)
    node = language.rebuilt(node, tuple(put(part, by) for part in parts)) if parts else node
    match node:
        case Var(name) if name in by:
            return by[name].body
        case Member(name, at) | Turning(name, at) | Free(name, at) if name in by:
            return put(by[name].body, {by[name].parameters[0]: Lambda((), at)})
        case Letter(name) if name in by:
            return by[name].body
        case Letter(name, rows, columns):
            return Letter(name, _dim_put(rows, by), _dim_put(columns, by))
        case Turning() | Free() | Unit():
            return replace(node, dim=_dim_put(node.dim, by))
        case _:
            return node


def _dim_put(dim: Dim, by: Mapping[str, Lambda]) -> Dim:
    multiple, name = dim
    if name not in by:
        return dim
    match by[name].body:
        case Num(re):
            return multiple * int(re), ""
        case Var(other):
            return multiple, other
        case Product((Num(re), Var(other))):
            return multiple * int(re), other
    raise IllTypedError("a size becomes a number, a name or a multiple of one")


def _size(dim: Dim) -> str:
    multiple, name = dim
    return f"{multiple if multiple > 1 or not name else ''}{name}"


def _layout(layout: Layout) -> str:
    return f"{layout[0]} {''.join(map(str, layout[1]))}"


def _grid(rows: Grid, inner: Telling) -> str:
    return "[" + "; ".join(", ".join(inner(entry) for entry in row) for row in rows) + "]"


def coordinates(layout: Layout, group: int, groups: int) -> list[int]:
    """Where the slots of one group of several stand, 0-based."""
    kind, order = layout
    if kind == "interleaved":
        return [len(order) * group + place for place in order]
    return [groups * place + group for place in order]


def dims(node: Node) -> tuple[Dim, Dim]:
    """Rows and columns; IllTypedError where sizes do not agree."""
    match node:
        case Letter(_, rows, columns):
            return rows, columns
        case Turning(_, _, dim) | Free(_, _, dim) | Unit(dim):
            return dim, dim
        case Flipped(of):
            rows, columns = dims(of)
            return columns, rows
        case Sum(parts):
            found = {dims(part) for part in parts}
            if len(found) > 1:
                raise IllTypedError("terms of different sizes")
            return found.pop()
        case Product(parts):
            return _product_dims(parts)
        case Array(grid):
            return (len(grid), ""), (len(grid[0]), "")
        case Blocks(_, count, down, across):
            return _extent(count, down), _extent(count, across)
        case Det(of):
            if len(set(dims(of))) > 1:
                raise IllTypedError("a determinant of what is not square")
            return SCALAR_DIMS
        case _:
            return SCALAR_DIMS


def _extent(count: str | int, layout: Layout | None) -> Dim:
    if layout is None:
        return ONE_DIM
    slots = len(layout[1])
    return (slots, count) if isinstance(count, str) else (slots * count, "")


def _product_dims(parts: tuple[Node, ...]) -> tuple[Dim, Dim]:
    rows, columns = dims(parts[0])
    for part in parts[1:]:
        down, across = dims(part)
        if down == across == ONE_DIM:
            continue
        if rows == columns == ONE_DIM:
            rows, columns = down, across
        elif columns != down:
            raise IllTypedError("factors whose inner sizes differ")
        else:
            columns = across
    return rows, columns


def is_scalar(node: Node) -> bool:
    return dims(node) == SCALAR_DIMS


def fits(node: Node, wanted: tuple[Dim, Dim]) -> bool:
    """Is the node well typed and of this size?"""
    try:
        return dims(node) == wanted
    except IllTypedError:
        return False


def whole(node: Node) -> bool:
    return isinstance(node, Num) and not node.im and node.re == Fraction(int(node.re))
