"""The kinds of terms: the language in which every theorem is stated.

A term is a frozen tree of exact types, checked when it is made (`sealed`). Scalars are complex numbers built from real
symbols; indexed families `x[i]` stand for real sequences, functions `f(x)` for smooth real functions of a real
argument, matrices have symbolic sizes. A `Block` is a matrix or a vector of `slots * count` coordinates that is given
one pair (or group of slots) at a time: that is how one term speaks of every even dimension, and its layout says which
coordinates a pair occupies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal

from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import LimitReached, RuleError
from derivations.kernel.layouts import Layout, Size, checked_name
from derivations.kernel.sealed import LEAF, Inside, exact, exact_tuple, measured, node

NUMBER_BITS = 1 << 13  # so that Python prints every number
OPERATORS = frozenset({"exp", "log", "cos", "sin", "conjugate", "re", "im"})
CALLED = OPERATORS | {"det", "Id"}  # what is printed with an argument and has a fixed meaning
CONSTANTS = frozenset({"pi", "I"})


@node
@dataclass(frozen=True, slots=True)
class Number:
    """An exact Gaussian rational re + im*i."""

    re: Fraction
    im: Fraction = Fraction(0)
    inside: ClassVar[Inside] = LEAF

    def __post_init__(self) -> None:
        for part in (self.re, self.im):
            if type(part) is not Fraction or not type(part.numerator) is type(part.denominator) is int:
                raise RuleError(f"a number is exact: wanted two Fractions, saw {self.re!r} and {self.im!r}")
            if max(part.numerator.bit_length(), part.denominator.bit_length()) > NUMBER_BITS:
                raise LimitReached(f"a number has at most {NUMBER_BITS} bits above and below; write it as a power")


@node
@dataclass(frozen=True, slots=True)
class Pi:
    """The number pi."""

    inside: ClassVar[Inside] = LEAF


@node
@dataclass(frozen=True, slots=True)
class Symbol:
    """A real variable, or an integer one where it is an index or a count."""

    name: str
    inside: ClassVar[Inside] = LEAF

    def __post_init__(self) -> None:
        _unlike(self.name, CONSTANTS)


@node
@dataclass(frozen=True, slots=True)
class Family:
    """An uninterpreted real sequence at an integer index, for example q[2*i + 1]."""

    name: str
    index: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.name)
        measured(self, (self.index,))


@node
@dataclass(frozen=True, slots=True)
class Function:
    """An uninterpreted, smooth, real function of a real argument."""

    name: str
    argument: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _unlike(self.name, CALLED)
        measured(self, (self.argument,))


@node
@dataclass(frozen=True, slots=True)
class Add:
    """A sum of scalars or of matrices of one shape."""

    terms: tuple[Term, ...]
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured(self, self.terms)


@node
@dataclass(frozen=True, slots=True)
class Multiply:
    """A product in the given order; scalars commute, matrices do not."""

    factors: tuple[Term, ...]
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured(self, self.factors)


@node
@dataclass(frozen=True, slots=True)
class Power:
    """base**exponent: any integer exponent, or any real exponent where the base is positive."""

    base: Term
    exponent: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured(self, (self.base, self.exponent))


@node
@dataclass(frozen=True, slots=True)
class Apply:
    """One of the named scalar functions."""

    operator: Literal["exp", "log", "cos", "sin", "conjugate", "re", "im"]
    argument: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if exact(self.operator, str, "Apply: its operator") not in OPERATORS:
            raise RuleError(f"there is no operator {self.operator!r}; wanted one of {', '.join(sorted(OPERATORS))}")
        measured(self, (self.argument,))


@node
@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of a scalar by one real symbol."""

    body: Term
    by: str
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.by)
        measured(self, (self.body,))


@node
@dataclass(frozen=True, slots=True)
class IndexedSum:
    """The sum of body over index = 0..count-1, count at least 1."""

    index: str
    count: Term
    body: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.index)
        measured(self, (self.count, self.body))


@node
@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of scalars with a definite number of rows and columns."""

    rows: tuple[tuple[Term, ...], ...]
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured(self, _entries(self.rows, "Matrix: its rows"))


@node
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
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.index)
        for layout in (self.rows, self.columns) if self.columns is not None else (self.rows,):
            exact(layout, Layout, "Block: a layout")
        measured(self, (self.count, *_entries(self.entries, "Block: its entries")))


@node
@dataclass(frozen=True, slots=True)
class MatrixSymbol:
    """Any real matrix of the given size."""

    name: str
    rows: Size
    columns: Size
    inside: ClassVar[Inside] = LEAF

    def __post_init__(self) -> None:
        _unlike(self.name, CONSTANTS)
        for size in (self.rows, self.columns):
            exact(size, Size, f"MatrixSymbol {self.name}: a size")


@node
@dataclass(frozen=True, slots=True)
class MatrixFamily:
    """A square real matrix that depends on one scalar.

    `rotation`: R(a) R(b) = R(a + b), R(a)^T = R(-a), R(0) = I. `free`: nothing is assumed but what hypotheses say.
    """

    name: str
    argument: Term
    size: Size
    kind: Literal["rotation", "free"]
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _unlike(self.name, CALLED)
        exact(self.size, Size, f"MatrixFamily {self.name}: its size")
        if exact(self.kind, str, f"MatrixFamily {self.name}: its kind") not in ("rotation", "free"):
            raise RuleError(f"a matrix family is of kind 'rotation' or 'free', saw {self.kind!r}")
        measured(self, (self.argument,))


@node
@dataclass(frozen=True, slots=True)
class Identity:
    size: Size
    inside: ClassVar[Inside] = LEAF

    def __post_init__(self) -> None:
        exact(self.size, Size, "Identity: its size")


@node
@dataclass(frozen=True, slots=True)
class Transpose:
    argument: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured(self, (self.argument,))


@node
@dataclass(frozen=True, slots=True)
class Determinant:
    argument: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured(self, (self.argument,))


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
    """The exact number value + imaginary*i; RuleError for a float, which is not what it was written as."""
    if not {type(value), type(imaginary)} <= {int, Fraction}:
        raise RuleError(f"a number is exact: wanted integers or Fractions, saw {value!r} and {imaginary!r}")
    return Number(Fraction(value), Fraction(imaginary))


def _entries(rows: object, where: str) -> tuple[object, ...]:
    return tuple(entry for row in exact_tuple(rows, where) for entry in exact_tuple(row, where))


def _unlike(name: str, taken: frozenset[str]) -> None:
    """A name may not print as something that has a fixed meaning."""
    if checked_name(name) in taken:
        raise RuleError(f"the name {name} would read as {name} itself; choose another")
