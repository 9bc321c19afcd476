"""Terms: the language in which every theorem is stated, and the only thing that emission and symbolic execution read.

A term is a frozen tree. Scalars are complex numbers built from real symbols; indexed families `x[i]` stand for real
sequences, functions `f(x)` for smooth real functions of a real argument, matrices have symbolic sizes. A `Block` is a
matrix or a vector of `slots * count` coordinates that is given one pair (or group of slots) at a time: that is how one
term speaks of every even dimension, and its layout says which coordinates a pair occupies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from derivations.kernel import layouts
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import RuleError
from derivations.kernel.layouts import checked_name

# Terms are read together with their sizes and layouts.
Layout = layouts.Layout
Size = layouts.Size
Slot = layouts.Slot
split = layouts.split
strided = layouts.strided
OPERATORS = frozenset({"exp", "log", "cos", "sin", "conjugate", "re", "im"})


@dataclass(frozen=True, slots=True)
class Number:
    """An exact Gaussian rational re + im*i."""

    re: Fraction
    im: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if type(self.re) is not Fraction or type(self.im) is not Fraction:
            raise RuleError(f"a number is exact: wanted two Fractions, saw {self.re!r} and {self.im!r}")


@dataclass(frozen=True, slots=True)
class Pi:
    """The number pi."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A real variable, or an integer one where it is an index or a count."""

    name: str

    def __post_init__(self) -> None:
        checked_name(self.name)


@dataclass(frozen=True, slots=True)
class Family:
    """An uninterpreted real sequence at an integer index, for example q[2*i + 1]."""

    name: str
    index: Term

    def __post_init__(self) -> None:
        checked_name(self.name)


@dataclass(frozen=True, slots=True)
class Function:
    """An uninterpreted, smooth, real function of a real argument."""

    name: str
    argument: Term

    def __post_init__(self) -> None:
        checked_name(self.name)


@dataclass(frozen=True, slots=True)
class Add:
    """A sum of scalars or of matrices of one shape."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Multiply:
    """A product in the given order; scalars commute, matrices do not."""

    factors: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Power:
    """base**exponent: any integer exponent, or any real exponent where the base is positive."""

    base: Term
    exponent: Term


@dataclass(frozen=True, slots=True)
class Apply:
    """One of the named scalar functions."""

    operator: Literal["exp", "log", "cos", "sin", "conjugate", "re", "im"]
    argument: Term

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise RuleError(f"there is no operator {self.operator!r}; wanted one of {', '.join(sorted(OPERATORS))}")


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of a scalar by one real symbol."""

    body: Term
    by: str

    def __post_init__(self) -> None:
        checked_name(self.by)


@dataclass(frozen=True, slots=True)
class IndexedSum:
    """The sum of body over index = 0..count-1, count at least 1."""

    index: str
    count: Term
    body: Term

    def __post_init__(self) -> None:
        checked_name(self.index)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of scalars with a definite number of rows and columns."""

    rows: tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A matrix that maps group i of its columns to group i of its rows and is zero elsewhere, index = 0..count-1.

    entries[s][t] takes slot t of the columns to slot s of the rows. With columns=None it is a column vector.
    """

    index: str
    count: Term
    rows: Layout
    columns: Layout | None
    entries: tuple[tuple[Term, ...], ...]

    def __post_init__(self) -> None:
        checked_name(self.index)


@dataclass(frozen=True, slots=True)
class MatrixSymbol:
    """Any real matrix of the given size."""

    name: str
    rows: Size
    columns: Size

    def __post_init__(self) -> None:
        checked_name(self.name)


@dataclass(frozen=True, slots=True)
class MatrixFamily:
    """A square real matrix that depends on one scalar.

    `rotation`: R(a) R(b) = R(a + b), R(a)^T = R(-a), R(0) = I. `free`: nothing is assumed but what hypotheses say.
    """

    name: str
    argument: Term
    size: Size
    kind: Literal["rotation", "free"]

    def __post_init__(self) -> None:
        checked_name(self.name)
        if self.kind not in ("rotation", "free"):
            raise RuleError(f"a matrix family is of kind 'rotation' or 'free', saw {self.kind!r}")


@dataclass(frozen=True, slots=True)
class Identity:
    size: Size


@dataclass(frozen=True, slots=True)
class Transpose:
    argument: Term


@dataclass(frozen=True, slots=True)
class Determinant:
    argument: Term


Term = (
    Number
    | Cell
    | Reading
    | Pi
    | Symbol
    | Family
    | Function
    | Add
    | Multiply
    | Power
    | Apply
    | Derivative
    | IndexedSum
    | Matrix
    | Block
    | MatrixSymbol
    | MatrixFamily
    | Identity
    | Transpose
    | Determinant
)


def number(value: int | Fraction, imaginary: int | Fraction = 0) -> Number:
    return Number(Fraction(value), Fraction(imaginary))


def children(term: Term) -> tuple[Term, ...]:
    """The direct subterms, in a fixed order; `rebuilt` takes them back in the same order."""
    match term:
        case Add(parts) | Multiply(parts):
            return parts
        case Power(first, second) | Cell(_, first, second) | Reading(_, first, second):
            return (first, second)
        case Matrix(rows):
            return tuple(entry for row in rows for entry in row)
        case Block(_, count, _, _, entries):
            return (count, *(entry for row in entries for entry in row))
        case IndexedSum(_, count, body):
            return (count, body)
        case Family(_, only) | Function(_, only) | Apply(_, only) | MatrixFamily(_, only):
            return (only,)
        case Derivative(only, _) | Transpose(only) | Determinant(only):
            return (only,)
        case _:
            return ()


def rebuilt(term: Term, parts: tuple[Term, ...]) -> Term:
    """The same node over other subterms."""
    match term:
        case Add():
            return Add(parts)
        case Multiply():
            return Multiply(parts)
        case Power():
            return Power(*parts)
        case Cell(name) | Reading(name):
            return type(term)(name, *parts)
        case Matrix(rows):
            return Matrix(_regrouped(rows, parts))
        case Block(index, _, over, columns, entries):
            return Block(index, parts[0], over, columns, _regrouped(entries, parts[1:]))
        case IndexedSum(index):
            return IndexedSum(index, *parts)
        case Derivative(_, by):
            return Derivative(parts[0], by)
        case Family():
            return replace(term, index=parts[0])
        case Function() | Apply() | MatrixFamily() | Transpose() | Determinant():
            return replace(term, argument=parts[0])
        case _:
            return term


def _regrouped(rows: tuple[tuple[Term, ...], ...], flat: tuple[Term, ...]) -> tuple[tuple[Term, ...], ...]:
    rest = iter(flat)
    return tuple(tuple(next(rest) for _ in row) for row in rows)


def bound_index(term: Term) -> str | None:
    """The index that a node binds in its body, if it binds one."""
    return term.index if isinstance(term, (IndexedSum, Block)) else None


def free_names(term: Term) -> frozenset[str]:
    """Every name that the meaning of the term depends on: symbols, families, functions, matrices, sizes."""
    bound = bound_index(term)
    if bound is not None:
        count, *bodies = children(term)
        return frozenset[str]().union(*map(free_names, bodies)) - {bound} | free_names(count)
    names = frozenset[str]().union(*map(free_names, children(term)))
    match term:
        case Symbol(name) | Family(name) | Function(name) | Derivative(_, name) | Cell(name) | Reading(name):
            return names | {name}
        case MatrixSymbol(name, rows, columns):
            return names | {name, rows.name, columns.name} - {""}
        case MatrixFamily(name, _, size):
            return names | {name, size.name} - {""}
        case Identity(size):
            return names | {size.name} - {""}
        case _:
            return names


@dataclass(frozen=True, slots=True)
class Replacement:
    """What stands in for a name: a term with parameters, none for a symbol, one for a family or a function."""

    parameters: tuple[str, ...]
    body: Term


def constant(value: int | Fraction) -> Replacement:
    return Replacement((), number(value))


def substituted(term: Term, by: Mapping[str, Replacement]) -> Term:
    """Put terms for names, all at once. A free name that would fall under a binder is refused, never renamed."""
    if not by:
        return term
    bound = bound_index(term)
    if bound is not None:
        inner = {name: r for name, r in by.items() if name != bound and name in free_names(term)}
        for name, r in inner.items():
            if bound in free_names(r.body) - set(r.parameters):
                raise RuleError(f"putting a term with {bound} for {name} would capture {bound}; rename the index first")
        count, *bodies = children(term)
        return rebuilt(term, (substituted(count, by), *(substituted(b, inner) for b in bodies)))
    if isinstance(term, Derivative):
        return _substituted_derivative(term, by)
    parts = tuple(substituted(part, by) for part in children(term))
    return _replaced_node(rebuilt(term, parts), by)


def _substituted_derivative(term: Derivative, by: Mapping[str, Replacement]) -> Term:
    """d/dx at another point is not d/d(point), and what was constant in x must stay so."""
    for name in free_names(term.body) & by.keys() - {term.by}:
        if term.by in free_names(by[name].body) - set(by[name].parameters):
            raise RuleError(f"{name} is constant under d/d{term.by}; the term put for it contains {term.by}")
    if term.by not in by:
        return Derivative(substituted(term.body, by), term.by)
    target = by[term.by].body
    if not isinstance(target, Symbol):
        raise RuleError(f"{term.by} is the variable of a derivative; only a renaming may replace it")
    if target.name in free_names(substituted(term.body, {n: r for n, r in by.items() if n != term.by})):
        raise RuleError(f"renaming {term.by} to {target.name} inside a derivative would identify two variables")
    return Derivative(substituted(term.body, by), target.name)


def _replaced_node(node: Term, by: Mapping[str, Replacement]) -> Term:
    match node:
        case Symbol(name) if name in by:
            return _instance(by[name], ())
        case Family(name, argument) | Function(name, argument) | MatrixFamily(name, argument) if name in by:
            return _instance(by[name], (argument,))
        case MatrixSymbol(name) if name in by:
            return _instance(by[name], ())
        case MatrixSymbol(name, rows, columns):
            return MatrixSymbol(name, resized(rows, by), resized(columns, by))
        case MatrixFamily(_, _, size) | Identity(size):
            return replace(node, size=resized(size, by))
        case _:
            return node


def resized(size: Size, by: Mapping[str, Replacement]) -> Size:
    """A size under a substitution: its name may become a number, another name, or a multiple of one."""
    if size.name not in by:
        return size
    match by[size.name].body:
        case Number(value, Fraction(numerator=0)) if value.denominator == 1 and value > 0:
            return Size(size.multiple * int(value))
        case Symbol(name):
            return Size(size.multiple, name)
        case Multiply((Number(value, Fraction(numerator=0)), Symbol(name))) if value.denominator == 1 and value > 0:
            return Size(size.multiple * int(value), name)
        case other:
            raise RuleError(f"a size must stay a positive integer or a multiple of a name; saw {other}")


def _instance(replacement: Replacement, arguments: tuple[Term, ...]) -> Term:
    if len(arguments) != len(replacement.parameters):
        raise RuleError(f"parameters {replacement.parameters} were put where {len(arguments)} arguments stand")
    inner = {p: Replacement((), a) for p, a in zip(replacement.parameters, arguments, strict=True)}
    return substituted(replacement.body, inner)


def walk(term: Term) -> list[Term]:
    """The term and all its subterms, outermost first."""
    found = [term]
    for part in children(term):
        found.extend(walk(part))
    return found
