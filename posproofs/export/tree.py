"""The display tree: a formula in the order and with the names in which a reader is to see it, and what it means.

A tree is made for people, so it has fractions, minus signs and names for long matrices, which kernel terms lack.
`meaning` reads it back as a kernel term. Nothing is printed from a tree whose meaning the kernel has not compared with
the expression that was checked (`posproofs.export.faithful`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from derivations.kernel import terms as t
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.layouts import Layout, Size
from derivations.kernel.terms import Replacement, number, substituted


@dataclass(frozen=True, slots=True)
class Num:
    """A number that is not negative; a sign stands outside, as `Minus` or in a `Sum`."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Letter:
    """A constant with a letter of its own: the imaginary unit or pi."""

    which: Literal["unit", "pi"]


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, an index or a count."""

    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """A member of a sequence."""

    name: str
    index: Node


@dataclass(frozen=True, slots=True)
class MatrixEntry:
    """The entry of a matrix in memory at a row and a column."""

    name: str
    row: Node
    column: Node


@dataclass(frozen=True, slots=True)
class FlatEntry:
    """The entry of a matrix at a flat index, where its rows stand one behind another and have `width` entries."""

    name: str
    flat: Node
    width: Node


@dataclass(frozen=True, slots=True)
class Call:
    """An unnamed function of one argument, as c(t)."""

    name: str
    argument: Node


@dataclass(frozen=True, slots=True)
class Named:
    """A function that everybody knows: exp, log, cos, sin, conjugate, re, im."""

    operator: Literal["exp", "log", "cos", "sin", "conjugate", "re", "im"]
    argument: Node


@dataclass(frozen=True, slots=True)
class Minus:
    """A leading minus sign."""

    argument: Node


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms in the author's order; a `Minus` among them is printed as a difference."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Prod:
    """Factors in the author's order."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Frac:
    """One thing above another."""

    above: Node
    below: Node


@dataclass(frozen=True, slots=True)
class Power:
    """A base with an exponent."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Slope:
    """The derivative of `body` by a variable."""

    body: Node
    by: str


@dataclass(frozen=True, slots=True)
class Series:
    """The sum of `body` over index = 0..count-1."""

    index: str
    count: Node
    body: Node


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix entry by entry."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Blocks:
    """A block matrix or, without columns, a vector: one group of entries for each index = 0..count-1."""

    index: str
    count: Node
    rows: Layout
    columns: Layout | None
    entries: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class MatrixName:
    """A matrix, or a vector if it has one column, that is known by name alone."""

    name: str
    rows: Size
    columns: Size


@dataclass(frozen=True, slots=True)
class MatrixAt:
    """A matrix that depends on one argument."""

    name: str
    argument: Node
    size: Size
    kind: Literal["rotation", "free"]


@dataclass(frozen=True, slots=True)
class Unit:
    """The identity matrix."""

    size: Size


@dataclass(frozen=True, slots=True)
class Turned:
    """A transpose."""

    argument: Node


@dataclass(frozen=True, slots=True)
class Det:
    """A determinant."""

    argument: Node


@dataclass(frozen=True, slots=True)
class Definition:
    """A name for a term in which `parameters` are free.

    `style` is how it is written: a bold matrix R_p, a bold vector, a map Phi(z), or a member of a sequence theta_i.
    """

    name: str
    parameters: tuple[str, ...]
    body: t.Term
    style: Literal["matrix", "vector", "map", "sequence"] = "matrix"


@dataclass(frozen=True, slots=True)
class Defined:
    """A defined name with its arguments; it means the body of the definition with these put in."""

    definition: Definition
    arguments: tuple[Node, ...] = ()


Node = (
    Num
    | Letter
    | Name
    | Item
    | MatrixEntry
    | FlatEntry
    | Call
    | Named
    | Minus
    | Sum
    | Prod
    | Frac
    | Power
    | Slope
    | Series
    | Grid
    | Blocks
    | MatrixName
    | MatrixAt
    | Unit
    | Turned
    | Det
    | Defined
)
Inner = Callable[["Node"], t.Term]


def meaning(node: Node) -> t.Term:
    """The kernel term that a tree stands for, every defined name replaced by its definition."""
    match node:
        case Defined(definition, arguments):
            values = (Replacement((), meaning(argument)) for argument in arguments)
            return substituted(definition.body, dict(zip(definition.parameters, values, strict=True)))
        case _:
            return read(node, meaning)


def read(node: Node, inner: Inner) -> t.Term:
    """The term of one node whose parts are read by `inner`; a defined name has none here."""
    match node:
        case Num(value):
            return t.Number(value)
        case Letter(which):
            return number(0, 1) if which == "unit" else t.Pi()
        case Name(name):
            return t.Symbol(name)
        case Item(name, index):
            return t.Family(name, inner(index))
        case MatrixEntry(name, row, column):
            return Cell(name, inner(row), inner(column))
        case FlatEntry(name, flat, width):
            return Reading(name, inner(flat), inner(width))
        case Call(name, argument):
            return t.Function(name, inner(argument))
        case Named(operator, argument):
            return t.Apply(operator, inner(argument))
        case _:
            return _composed(node, inner)


def _composed(node: Node, inner: Inner) -> t.Term:
    match node:
        case Minus(argument):
            return t.Multiply((number(-1), inner(argument)))
        case Sum(parts):
            return t.Add(tuple(map(inner, parts)))
        case Prod(factors):
            return t.Multiply(tuple(map(inner, factors)))
        case Frac(above, below):
            return t.Multiply((inner(above), t.Power(inner(below), number(-1))))
        case Power(base, exponent):
            return t.Power(inner(base), inner(exponent))
        case Slope(body, by):
            return t.Derivative(inner(body), by)
        case Series(index, count, body):
            return t.IndexedSum(index, inner(count), inner(body))
        case _:
            return _matrix(node, inner)


def _matrix(node: Node, inner: Inner) -> t.Term:
    match node:
        case Grid(rows):
            return t.Matrix(tuple(tuple(map(inner, row)) for row in rows))
        case Blocks(index, count, over, columns, entries):
            return t.Block(index, inner(count), over, columns, tuple(tuple(map(inner, row)) for row in entries))
        case MatrixName(name, rows, columns):
            return t.MatrixSymbol(name, rows, columns)
        case MatrixAt(name, argument, size, kind):
            return t.MatrixFamily(name, inner(argument), size, kind)
        case Unit(size):
            return t.Identity(size)
        case Turned(argument):
            return t.Transpose(inner(argument))
        case Det(argument):
            return t.Determinant(inner(argument))
        case _:
            raise TypeError(f"no meaning for {type(node).__name__}; a new kind of node needs a case here")


def parts_of(node: Node) -> tuple[Node, ...]:
    """The direct parts of a node, left to right."""
    match node:
        case Sum(several) | Prod(several):
            return several
        case Frac(first, second) | Power(first, second) | MatrixEntry(_, first, second) | FlatEntry(_, first, second):
            return (first, second)
        case Grid(rows):
            return tuple(entry for row in rows for entry in row)
        case Blocks(_, count, _, _, entries):
            return (count, *(entry for row in entries for entry in row))
        case Series(_, count, body):
            return (count, body)
        case Item(_, one) | Call(_, one) | Named(_, one) | MatrixAt(_, one) | Slope(one) | Minus(one):
            return (one,)
        case Turned(one) | Det(one):
            return (one,)
        case Defined(_, arguments):
            return arguments
        case _:
            return ()


def walk(node: Node) -> list[Node]:
    """A node and everything in it, outermost first; definitions are not opened."""
    return [node, *(found for part in parts_of(node) for found in walk(part))]
