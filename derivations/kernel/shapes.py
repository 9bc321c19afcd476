"""Shapes of terms: every expression is checked before it is evaluated, and an ill-typed one is a `ShapeError`.

The shape of a scalar and of a 1 x 1 matrix is `SCALAR`; a transposed word such as x^T W y is therefore a scalar.
"""

from __future__ import annotations

from derivations.kernel.errors import ShapeError
from derivations.kernel.terms import (
    Add,
    Block,
    Derivative,
    Determinant,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Power,
    Size,
    Symbol,
    Term,
    Transpose,
    children,
)

Shape = tuple[Size, Size]
ONE = Size(1)
SCALAR: Shape = (ONE, ONE)


def shape(term: Term) -> Shape:
    """The number of rows and columns of a term; SCALAR for a scalar."""
    match term:
        case Add(()) | Multiply(()):
            raise ShapeError("a sum or product of nothing has no shape; write the number 0 or 1, or a matrix")
        case Add(parts):
            return _all_equal(parts)
        case Multiply(parts):
            return _product(parts)
        case Matrix(rows):
            return _explicit(rows)
        case Block():
            return _block(term)
        case MatrixSymbol(_, rows, columns):
            return (rows, columns)
        case MatrixFamily(_, argument, size):
            require_scalar(argument, "the argument of a matrix family")
            return (size, size)
        case Identity(size):
            return (size, size)
        case IndexedSum(_, count, body):
            _extent(1, count)
            require_scalar(body, "the body of an indexed sum")
            return SCALAR
        case Transpose(argument):
            rows, columns = shape(argument)
            return (columns, rows)
        case Determinant(argument):
            rows, columns = shape(argument)
            if rows != columns:
                raise ShapeError(f"a determinant needs a square matrix, saw {shown((rows, columns))}")
            return SCALAR
        case _:
            for part in children(term):
                require_scalar(part, _role(term))
            return SCALAR


def _role(term: Term) -> str:
    roles = {Power: "a part of a power", Derivative: "the body of a derivative"}
    return roles.get(type(term), f"the argument of {type(term).__name__.lower()}")


def require_scalar(term: Term, role: str) -> None:
    found = shape(term)
    if found != SCALAR:
        raise ShapeError(f"{role} must be a scalar, saw a matrix of {shown(found)}")


def _all_equal(parts: tuple[Term, ...]) -> Shape:
    first = shape(parts[0])
    for part in parts[1:]:
        if shape(part) != first:
            raise ShapeError(f"cannot add {shown(first)} and {shown(shape(part))}")
    return first


def _product(parts: tuple[Term, ...]) -> Shape:
    result = SCALAR
    for part in parts:
        factor = shape(part)
        if SCALAR in (result, factor):
            result = factor if result == SCALAR else result
        elif result[1] != factor[0]:
            raise ShapeError(f"cannot multiply {shown(result)} by {shown(factor)}")
        else:
            result = (result[0], factor[1])
    return result


def _explicit(rows: tuple[tuple[Term, ...], ...]) -> Shape:
    widths = {len(row) for row in rows}
    if len(widths) != 1 or 0 in widths:
        raise ShapeError(f"the rows of a matrix must have one positive length, saw lengths {sorted(widths)}")
    for row in rows:
        for entry in row:
            require_scalar(entry, "an entry of a matrix")
    return (Size(len(rows)), Size(widths.pop()))


def _block(term: Block) -> Shape:
    widths = {len(row) for row in term.entries}
    slots = len(term.columns.slots) if term.columns else 1
    if len(term.entries) != len(term.rows.slots) or widths != {slots}:
        raise ShapeError(
            f"a block over {len(term.rows.slots)} x {slots} slots needs as many entries, "
            f"saw {len(term.entries)} rows of lengths {sorted(widths)}"
        )
    for row in term.entries:
        for entry in row:
            require_scalar(entry, "an entry of a block")
    columns = _extent(len(term.columns.slots), term.count) if term.columns else ONE
    return (_extent(len(term.rows.slots), term.count), columns)


def _extent(slots: int, count: Term) -> Size:
    match count:
        case Symbol(name):
            return Size(slots, name)
        case Number(value, imaginary) if imaginary == 0 and value.denominator == 1 and value > 0:
            return Size(slots * int(value))
        case _:
            raise ShapeError(f"a count must be a name or a positive integer, saw {count}")


def shown(found: Shape) -> str:
    """A shape for people: 2h x d."""
    return " x ".join(_size_text(size) for size in found)


def _size_text(size: Size) -> str:
    if not size.name:
        return str(size.multiple)
    return size.name if size.multiple == 1 else f"{size.multiple}{size.name}"
