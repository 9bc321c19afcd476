"""Matrices as values: explicit ones, block ones over i = 0..count-1 for every count, and words for every size.

A block value holds the entries of the generic group i. Two block matrices with the same layouts are equal for every
count exactly when their entries are equal as functions of i, and products act group by group; a row vector times a
column vector is an indexed sum. An identity takes the form of its partner.

Sound: the entries of products and sums are those of matrix algebra, and sizes have been compared before. Complete, for
one layout, where the entries are: two block matrices differ for some count as soon as one entry differs at some i. Not
complete across layouts, nor where words meet explicit matrices: such sides are `out of fragment`, or left to a point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import permutations

from derivations.kernel import quotients as q
from derivations.kernel import sums, words
from derivations.kernel import values as v
from derivations.kernel.budget import spend
from derivations.kernel.errors import FormsDiffer, LimitReached, OutOfFragment
from derivations.kernel.quotients import Quotient
from derivations.kernel.shapes import SCALAR, Shape
from derivations.kernel.terms import Layout, Size
from derivations.kernel.values import SymbolAtom
from derivations.kernel.words import WordSum

Grid = tuple[tuple[Quotient, ...], ...]
GROUP = "#group"  # the bound index of block values


@dataclass(frozen=True, slots=True)
class Dense:
    """An explicit matrix."""

    rows: Grid


@dataclass(frozen=True, slots=True)
class Blocked:
    """Group i of the columns goes to group i of the rows; None is a single row or column."""

    count: SymbolAtom
    rows: Layout | None
    columns: Layout | None
    entries: Grid


MatrixValue = Dense | Blocked | WordSum
AnyValue = Quotient | MatrixValue


def add(a: AnyValue, b: AnyValue) -> AnyValue:
    a, b = alike(a, b)
    match a, b:
        case Quotient(), Quotient():
            return q.add(a, b)
        case Dense(left), Dense(right):
            return Dense(_pairwise(left, right))
        case Blocked(), Blocked() if (a.count, a.rows, a.columns) == (b.count, b.rows, b.columns):
            return Blocked(a.count, a.rows, a.columns, _pairwise(a.entries, b.entries))
        case WordSum(), WordSum():
            return words.add(a, b)
    raise _mixed("add", a, b)


def total(parts: list[AnyValue]) -> AnyValue:
    """The sum of all parts; polynomials are gathered in one go."""
    if all(isinstance(part, Quotient) and part.under is v.ONE for part in parts):
        return q.whole(v.total(part.over for part in parts if isinstance(part, Quotient)))
    return reduce(add, parts)


def _pairwise(a: Grid, b: Grid) -> Grid:
    return tuple(tuple(q.add(x, y) for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))


def scale(a: AnyValue, c: Quotient) -> AnyValue:
    match a:
        case Quotient():
            return q.multiply(c, a)
        case Dense(rows):
            return Dense(_mapped(rows, c))
        case Blocked():
            return Blocked(a.count, a.rows, a.columns, _mapped(a.entries, c))
        case _:
            return words.scale(a, c)


def _mapped(rows: Grid, c: Quotient) -> Grid:
    return tuple(tuple(q.multiply(c, entry) for entry in row) for row in rows)


def multiply(a: AnyValue, b: AnyValue) -> AnyValue:
    """The product; a 1 x 1 result of a block or explicit product is a scalar, of words it stays for the rules."""
    if isinstance(a, Quotient):
        return scale(b, a)
    if isinstance(b, Quotient):
        return scale(a, b)
    match a, b:
        case (WordSum(), Dense() | Blocked()) | (Dense() | Blocked(), WordSum()):
            return _times_words(a, b)
        case Dense(left), Dense(right):
            return simplest(Dense(_product(left, right)))
        case Blocked(), Blocked() if (a.count, a.columns) == (b.count, b.rows) and a.columns is not None:
            entries = _product(a.entries, b.entries)
            if a.rows is None and b.columns is None:
                return _summed(entries[0][0], a.count)
            return Blocked(a.count, a.rows, b.columns, entries)
        case WordSum(), WordSum():
            return words.multiply(a, b)
    raise _mixed("multiply", a, b)


def _times_words(a: MatrixValue, b: MatrixValue) -> AnyValue:
    """A product with a multiple of the identity; a zero with its own shape stays a zero of words."""
    words_, partner = (a, b) if isinstance(a, WordSum) else (b, a)
    if isinstance(words_, WordSum) and not any(words_.terms):
        if words_.terms:
            return scale(partner, words_.terms[()])
        left, right = (x.shape if isinstance(x, WordSum) else _shape(x) for x in (a, b))
        return WordSum((left[0], right[1]), {})
    raise _mixed("multiply", a, b)


def _shape(a: Dense | Blocked) -> Shape:
    if isinstance(a, Dense):
        return (Size(len(a.rows)), Size(len(a.rows[0])))
    return (_extent(a.rows, a.count), _extent(a.columns, a.count))


def _extent(layout: Layout | None, count: SymbolAtom) -> Size:
    return Size(len(layout.slots), count[1]) if layout else Size(1)


def _product(a: Grid, b: Grid) -> Grid:
    columns = list(zip(*b, strict=True))
    spend(len(a) * len(b) * len(columns))
    return tuple(tuple(_dot(row, column) for column in columns) for row in a)


def _dot(row: Iterable[Quotient], column: Iterable[Quotient]) -> Quotient:
    total = q.ZERO
    for x, y in zip(row, column, strict=True):
        if not (q.is_zero(x) or q.is_zero(y)):
            total = q.add(total, q.multiply(x, y))
    return total


def _summed(body: Quotient, count: SymbolAtom) -> Quotient:
    return summed(body, GROUP, count)


def summed(body: Quotient, index: str, count: SymbolAtom) -> Quotient:
    """The sum of a quotient whose divisor does not depend on the index."""
    if sums.value_mentions(body.under, index):
        raise OutOfFragment("the body of a sum may not have a divisor of several terms that contains the index")
    return q.multiply(q.whole(sums.summed(body.over, index, count)), Quotient(v.ONE, body.under))


def transpose(a: AnyValue) -> AnyValue:
    match a:
        case Quotient():
            return a
        case Dense(rows):
            return Dense(tuple(zip(*rows, strict=True)))
        case Blocked():
            return Blocked(a.count, a.columns, a.rows, tuple(zip(*a.entries, strict=True)))
        case _:
            return words.transpose(a)


def simplest(a: AnyValue) -> AnyValue:
    """A 1 x 1 matrix as the scalar that it is."""
    match a:
        case Dense(((only,),)):
            return only
        case WordSum() if a.shape == SCALAR:
            return words.as_scalar(a)
        case _:
            return a


def determinant(a: AnyValue) -> Quotient:
    """Leibniz' sum, for explicit matrices of at most six rows."""
    if isinstance(a, Quotient):
        return a
    if not isinstance(a, Dense):
        raise OutOfFragment("a determinant is taken of explicit matrices only")
    size = len(a.rows)
    if size > 6:
        raise LimitReached(f"the determinant of a {size} x {size} matrix passes the limit of 6")
    total = q.ZERO
    for columns in permutations(range(size)):
        product = q.ONE
        for row, column in enumerate(columns):
            product = q.multiply(product, a.rows[row][column])
        odd = sum(columns[i] > columns[j] for i in range(size) for j in range(i + 1, size)) % 2
        total = q.add(total, q.negate(product) if odd else product)
    return total


def equal(a: AnyValue, b: AnyValue) -> bool:
    """Are the normal forms equal? True is sound; what False means is said where the domains are defined."""
    a, b = alike(simplest(a), simplest(b))
    match a, b:
        case Quotient(), Quotient():
            return q.equal(a, b)
        case Dense(left), Dense(right):
            return _all_equal(left, right)
        case Blocked(), Blocked() if (a.count, a.rows, a.columns) == (b.count, b.rows, b.columns):
            return _all_equal(a.entries, b.entries)
        case WordSum(), WordSum():
            return not words.add(a, words.scale(b, q.negate(q.ONE))).terms
        case Blocked(), Blocked():
            return False  # different layouts: a point may separate them, equality would need a permutation of i
    raise _mixed("compare", a, b)


def is_real(a: AnyValue) -> bool:
    """Equal to its conjugate; letters are real."""
    match a:
        case Quotient():
            return q.equal(a, q.conjugate(a))
        case Dense(rows) | Blocked(_, _, _, rows):
            return all(q.equal(e, q.conjugate(e)) for row in rows for e in row)
        case _:
            return all(q.equal(c, q.conjugate(c)) for c in a.terms.values())


def _all_equal(a: Grid, b: Grid) -> bool:
    return all(q.equal(x, y) for r, s in zip(a, b, strict=True) for x, y in zip(r, s, strict=True))


def alike(a: AnyValue, b: AnyValue) -> tuple[AnyValue, AnyValue]:
    """Bring zero or a multiple of the identity into the form of its partner, to be added or compared."""
    if isinstance(a, WordSum) and not isinstance(b, WordSum):
        return _formed_like(a, b), b
    if isinstance(b, WordSum) and not isinstance(a, WordSum):
        return a, _formed_like(b, a)
    return a, b


def _formed_like(words_: WordSum, partner: AnyValue) -> AnyValue:
    """Sizes have been compared before: the two have one shape. A multiple of the identity is square."""
    if any(words_.terms):
        return words_
    factor = words_.terms.get((), q.ZERO)
    match partner:
        case Dense(rows):
            return Dense(_diagonal(rows, factor))
        case Blocked(count, rows, columns, entries) if rows == columns or not words_.terms:
            return Blocked(count, rows, columns, _diagonal(entries, factor))
    return words_


def _diagonal(like: Grid, factor: Quotient) -> Grid:
    """`factor` on the diagonal of a grid as large as `like`; off a square, `factor` is zero."""
    return tuple(tuple(factor if r == c else q.ZERO for c in range(len(row))) for r, row in enumerate(like))


def _mixed(what: str, a: AnyValue, b: AnyValue) -> FormsDiffer:
    kinds = {Dense: "an explicit matrix", Blocked: "a block matrix", WordSum: "a polynomial in matrix names"}
    return FormsDiffer(f"cannot {what} {kinds.get(type(a))} and {kinds.get(type(b))}: their forms do not meet")


def matrix_of(shape: Shape) -> WordSum:
    """The identity of a square shape."""
    return WordSum(shape, {(): q.ONE})
