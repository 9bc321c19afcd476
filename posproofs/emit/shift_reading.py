"""What a relative shift does and which offset it takes each row for, read off a gather identity of the kernel.

The identity says which entry of a matrix X, with a row for each query and a column for each offset, stands at a flat
index that steps by one from key to key and by a fixed stride from query to query: reading X so is the shift.
"""

from __future__ import annotations

from dataclasses import dataclass

from derivations.kernel import Statement
from derivations.kernel import values as v
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.indices import nonnegative
from derivations.kernel.terms import Add, Multiply, Replacement, Symbol, Term, number, substituted
from derivations.kernel.values import Value
from derivations.plain import term_text
from posproofs.emit.expressions import described
from posproofs.emit.polynomials import coefficient_of, names, polynomial, symbol, without
from posproofs.emit.scores_reading import KEY_POSITION, QUERY_POSITION, Score
from posproofs.errors import NotEmittable

FIRST, SIZE = "first", "size"


@dataclass(frozen=True, slots=True)
class QueryBlock:
    """Queries first..first+size-1 alone need the columns from `start` to before `end`, in terms of FIRST and SIZE."""

    start: Value
    end: Value


@dataclass(frozen=True, slots=True)
class Shift:
    """Entry (i, j) of the result stands at flat index start + i*stride + j of X, whose rows have `width` entries."""

    query: str
    key: str
    queries: str
    keys: str
    start: Value
    stride: Value
    width: Value
    column: Value  # of X, in query, key and counts
    cut: bool  # the view is `queries` whole rows of `stride` entries, each cut to the keys
    block: QueryBlock | None


def read_shift(statement: Statement) -> Shift:
    """Read a gather identity X.flat[...] = X[row, column]; NotEmittable where it is no shift of rows."""
    reading, cell = statement.left, statement.right
    if isinstance(cell, Reading):
        reading, cell = cell, reading
    if not (isinstance(reading, Reading) and isinstance(cell, Cell) and reading.name == cell.name):
        raise NotEmittable(f"{term_text(statement.left)} = {term_text(statement.right)} is not a reading and its entry")
    if len(statement.ranges) != 2 or not all(isinstance(r.count, Symbol) for r in statement.ranges):
        raise NotEmittable("a shift has an index of queries and one of keys, in this order, each with a named count")
    (query, queries), (key, keys) = ((r.index, term_text(r.count)) for r in statement.ranges)
    if cell.row != Symbol(query):
        raise NotEmittable(f"the node {described(cell)} is not in the row {query} of its query")
    flat, width = polynomial(reading.flat, statement), polynomial(reading.width, statement)
    stride, step = coefficient_of(flat, query), coefficient_of(flat, key)
    start = without(flat, query, key)
    if stride is None or step != v.ONE or names(stride) & {query, key}:
        raise NotEmittable(f"the node {described(reading)} does not step by 1 with {key} and evenly with {query}")
    if (names(start) | names(stride) | names(width)) - {queries, keys}:
        raise NotEmittable(f"the node {described(reading)} needs lengths besides {queries} and {keys}")
    column = polynomial(cell.column, statement)
    cut = _fits(reading, (start, stride, width), statement)
    block = _block(reading, cell, statement)
    return Shift(query, key, queries, keys, start, stride, width, column, cut, block)


def _fits(reading: Term, lengths: tuple[Value, Value, Value], statement: Statement) -> bool:
    """Whether whole rows of the stride lie inside the matrix; NotEmittable where not even the entries surely do.

    A view has entries for every query and key, so a condition on some of them is no fact here. That there are at least
    as many keys as queries is one: the emitted code checks it.
    """
    start, stride, width = lengths
    queries, keys = (symbol(term_text(r.count)) for r in statement.ranges)
    facts = (v.subtract(queries, v.ONE), v.subtract(keys, v.ONE), v.subtract(keys, queries))
    end = v.multiply(queries, width)

    def at_least(value: Value, bound: Value) -> bool:
        return nonnegative(v.subtract(value, bound), facts)

    rows = v.add(start, v.multiply(queries, stride))
    entries = v.add(v.subtract(rows, stride), keys)
    if not (at_least(start, v.ZERO) and at_least(stride, v.ZERO) and at_least(end, entries)):
        raise NotEmittable(f"the node {described(reading)} is not shown to stay inside the matrix")
    return at_least(end, rows) and at_least(stride, keys)


def _block(reading: Reading, cell: Cell, statement: Statement) -> QueryBlock | None:
    """Where the columns of a block begin: where they are for all queries, less where they are for the block alone.

    None where there is no such place for all queries and keys of the block at once, or a condition to keep.
    """
    (query, queries), (key, keys) = ((r.index, term_text(r.count)) for r in statement.ranges)
    if statement.hypotheses or queries == keys or statement.names() & {FIRST, SIZE}:
        return None
    alone = {queries: Replacement((), Symbol(SIZE))}
    later = {query: Replacement((), Add((Symbol(FIRST), Symbol(query))))}
    column, own = substituted(cell.column, later), substituted(cell.column, alone)
    start = v.subtract(polynomial(column, statement), polynomial(own, statement))
    end = v.add(start, polynomial(substituted(reading.width, alone), statement))
    first, size, count = symbol(FIRST), symbol(SIZE), symbol(queries)
    least = [v.subtract(value, v.ONE) for value in (size, count, symbol(keys))]
    facts = (first, v.subtract(v.subtract(count, first), size), *least)
    inside = (start, v.subtract(polynomial(reading.width, statement), end))
    if names(start) & {query, key} or not all(nonnegative(value, facts) for value in inside):
        return None
    return QueryBlock(start, end)


@dataclass(frozen=True, slots=True)
class Rows:
    """Row t of r belongs to the offset constant + sign*t."""

    constant: Value
    sign: int


def rows_of(score: Score, shift: Shift, statement: Statement) -> Rows:
    """Which offset each row belongs to, where the last query and the last key are one token: m = i + K - L, n = j.

    NotEmittable where the column that the shift reads is not determined by the offset of the score.
    """
    query, key, queries, keys = (Symbol(name) for name in (shift.query, shift.key, shift.queries, shift.keys))
    at = Add((query, keys, Multiply((number(-1), queries))))
    placed = {QUERY_POSITION: Replacement((), at), KEY_POSITION: Replacement((), key)}
    offset = polynomial(substituted(score.argument, placed), statement)
    for sign, constant in ((-1, v.add(offset, shift.column)), (1, v.subtract(offset, shift.column))):
        if not names(constant) & {shift.query, shift.key}:
            return Rows(constant, sign)
    raise NotEmittable(
        f"the shift reads a column that the offset {term_text(score.argument)} does not determine: {shift.query} and "
        f"{shift.key} enter in another way"
    )
