"""Step mutants: a row of a derivation with one defect, to see that the kernel would notice it.

Defects: a sign, an index or position, a constant, a transpose, a dropped term or factor, two names exchanged. The
mutants are made on kernel terms, so that no notation hides one; a mutant may be equal to the row it came from, and then
the kernel proves that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from derivations.kernel.cells import Cell, Reading
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Family,
    Function,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Symbol,
    Term,
    Transpose,
    children,
    number,
    rebuilt,
)

Mutant = tuple[str, Term]


def negated(term: Term) -> Term:
    return Multiply((number(-1), term))


def one_more(term: Term) -> Term:
    return Add((term, number(1)))


def step_mutants(term: Term) -> Iterator[Mutant]:
    """Every term that differs from `term` in one place, each with a name for its defect."""
    yield from _here(term)
    parts = children(term)
    skipped = 1 if isinstance(term, (Block, IndexedSum)) else 0  # a count is not a place for a defect
    for k, part in enumerate(parts):
        if k < skipped:
            continue
        for name, changed in step_mutants(part):
            yield name, rebuilt(term, (*parts[:k], changed, *parts[k + 1 :]))
    yield from _exchanged(term)


def _here(term: Term) -> Iterator[Mutant]:
    yield from _composed(term)
    yield from _applied(term)
    yield from _placed(term)
    yield from _matrices(term)


def _composed(term: Term) -> Iterator[Mutant]:
    match term:
        case Number():
            yield "constant", Number(term.re + 1, term.im)
        case Add(parts):
            for k, part in enumerate(parts):
                yield "sign of a term", Add((*parts[:k], negated(part), *parts[k + 1 :]))
                if len(parts) > 1:
                    yield "dropped term", Add((*parts[:k], *parts[k + 1 :]))
        case Multiply(parts) if len(parts) > 1:
            yield "sign of a product", negated(term)
            for k in range(len(parts)):
                yield "dropped factor", Multiply((*parts[:k], *parts[k + 1 :]))
            for k in range(len(parts) - 1):
                yield "exchanged factors", Multiply((*parts[:k], parts[k + 1], parts[k], *parts[k + 2 :]))


def _applied(term: Term) -> Iterator[Mutant]:
    match term:
        case Apply("cos", argument):
            yield "sine for cosine", Apply("sin", argument)
        case Apply("sin", argument):
            yield "sign of an angle", Apply("sin", negated(argument))
            yield "cosine for sine", Apply("cos", argument)
        case Apply("exp", argument):
            yield "sign of an exponent", Apply("exp", negated(argument))
        case Apply("conjugate", argument):
            yield "lost conjugate", argument
        case Apply("re", argument):
            yield "imaginary part for real part", Apply("im", argument)
        case Function(name, argument):
            yield "sign of an argument", Function(name, negated(argument))


def _placed(term: Term) -> Iterator[Mutant]:
    match term:
        case Family(name, index):
            yield "index", Family(name, one_more(index))
        case MatrixFamily(name, argument, size, kind):
            yield "sign of a position", MatrixFamily(name, negated(argument), size, kind)
            yield "position", MatrixFamily(name, one_more(argument), size, kind)
        case Cell(name, row, column):
            yield "row", Cell(name, one_more(row), column)
            yield "column", Cell(name, row, one_more(column))
        case Reading(name, flat, width):
            yield "flat index", Reading(name, one_more(flat), width)
            yield "width", Reading(name, flat, one_more(width))


def _matrices(term: Term) -> Iterator[Mutant]:
    match term:
        case Identity():
            yield "factor of the identity", Multiply((number(2), term))
        case Transpose(argument):
            yield "lost transpose", argument
        case MatrixSymbol():
            yield "transpose", Transpose(term)
        case Matrix(rows) if len(rows) == len(rows[0]) and len(rows) > 1:
            yield "transpose of a matrix", Matrix(tuple(zip(*rows, strict=True)))
        case Block(index, count, rows, columns, entries) if columns is not None:
            yield "transpose of a block", Block(index, count, rows, columns, tuple(zip(*entries, strict=True)))


def _exchanged(term: Term) -> Iterator[Mutant]:
    """Two neighbouring symbols of a sum or product of the same kind exchanged for one another: m - n becomes n - m."""
    if isinstance(term, Add):
        names = sorted({part.name for part in _leaves(term) if isinstance(part, Symbol)})
        for a, b in pairwise(names):
            yield f"{a} and {b} exchanged", _swapped(term, a, b)


def _leaves(term: Term) -> list[Term]:
    parts = children(term)
    return [leaf for part in parts for leaf in _leaves(part)] if parts else [term]


def _swapped(term: Term, a: str, b: str) -> Term:
    if isinstance(term, Symbol) and term.name in (a, b):
        return Symbol(b if term.name == a else a)
    return rebuilt(term, tuple(_swapped(part, a, b) for part in children(term)))
