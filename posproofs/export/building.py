"""From a kernel term to a display tree: minus signs, fractions, and the order of terms that readers expect.

SymPy sorts what it evaluates, so the author's order is lost where the author did not ask for `evaluate=False`. By
convention numbers come first, then i, letters (q before k), brackets, frequencies, functions; in a sum the real part
comes before the imaginary one and a number last. A row that wants another order carries it as `shown`, which is
built in the order AS_WRITTEN: nothing is moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from derivations.kernel import terms as t
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.terms import Term, number
from derivations.plain import is_matrix
from posproofs.export.tree import (
    Blocks,
    Call,
    Defined,
    Det,
    FlatEntry,
    Frac,
    Grid,
    Item,
    Letter,
    MatrixAt,
    MatrixEntry,
    MatrixName,
    Minus,
    Name,
    Named,
    Node,
    Num,
    Power,
    Prod,
    Series,
    Slope,
    Sum,
    Turned,
    Unit,
)

_FREQUENCIES = frozenset({"theta", "phi", "omega"})
_LEADING = {"q": 0, "k": 1}  # letters with a place of their own; the rest keep theirs behind these


@dataclass(frozen=True, slots=True)
class Order:
    """How the terms of a sum and the factors of a product are arranged."""

    terms: Callable[[Sequence[Term]], Sequence[Term]]
    factors: Callable[[Sequence[Term]], Sequence[Term]]


Naming = Callable[[Term], Defined | None]


def nameless(_: Term) -> Defined | None:
    """No definition is in use."""
    return None


def build(term: Term, naming: Naming, order: Order) -> Node:
    """The display tree of a term. `naming` puts a defined name for a matrix where it knows one."""
    defined = naming(term)
    if defined is not None:
        return defined

    def inner(part: Term) -> Node:
        return build(part, naming, order)

    match term:
        case t.Number(re, im):
            return _number(re, im)
        case t.Add(parts):
            return _sum([inner(part) for part in order.terms(parts)])
        case t.Multiply():
            return _product(_flat(term), inner, order)
        case t.Power(base, exponent):
            below = _below(term)
            return Power(inner(base), inner(exponent)) if below is None else Frac(Num(Fraction(1)), inner(below))
        case _:
            return _plain(term, inner)


def _plain(term: Term, inner: Callable[[Term], Node]) -> Node:
    match term:
        case t.Pi():
            return Letter("pi")
        case t.Symbol(name):
            return Name(name)
        case t.Family(name, index):
            return Item(name, inner(index))
        case Cell(name, row, column):
            return MatrixEntry(name, inner(row), inner(column))
        case Reading(name, flat, width):
            return FlatEntry(name, inner(flat), inner(width))
        case t.Function(name, argument):
            return Call(name, inner(argument))
        case t.Apply(operator, argument):
            return Named(operator, inner(argument))
        case t.Derivative(body, by):
            return Slope(inner(body), by)
        case t.IndexedSum(index, count, body):
            return Series(index, inner(count), inner(body))
        case _:
            return _matrix(term, inner)


def _matrix(term: Term, inner: Callable[[Term], Node]) -> Node:
    match term:
        case t.MatrixSymbol(name, rows, columns):
            return MatrixName(name, rows, columns)
        case t.MatrixFamily(name, argument, size, kind):
            return MatrixAt(name, inner(argument), size, kind)
        case t.Identity(size):
            return Unit(size)
        case t.Transpose(argument):
            return Turned(inner(argument))
        case t.Determinant(argument):
            return Det(inner(argument))
        case t.Matrix(over):
            return Grid(tuple(tuple(map(inner, row)) for row in over))
        case t.Block(index, count, layout, columns, entries):
            return Blocks(index, inner(count), layout, columns, tuple(tuple(map(inner, row)) for row in entries))
        case _:
            raise TypeError(f"no display for {type(term).__name__}; a new kind of term needs a case here")


def _number(re: Fraction, im: Fraction) -> Node:
    parts = [_signed(re, None)] if re or not im else []
    parts += [_signed(im, Letter("unit"))] if im else []
    return _sum(parts)


def _signed(value: Fraction, unit: Node | None) -> Node:
    size: Node = Num(abs(value)) if unit is None else unit if abs(value) == 1 else Prod((Num(abs(value)), unit))
    return Minus(size) if value < 0 else size


def _sum(parts: Sequence[Node]) -> Node:
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def _flat(term: t.Multiply) -> list[Term]:
    """The factors, those of inner products of numbers included; a bracket around matrices stays."""
    inside = (_flat(f) if isinstance(f, t.Multiply) and not is_matrix(f) else [f] for f in term.factors)
    return [factor for part in inside for factor in part]


def _product(factors: Sequence[Term], inner: Callable[[Term], Node], order: Order) -> Node:
    negative = False
    above: list[Term] = []
    below: list[Node] = []
    for signed in order.factors(factors):
        minus, factor = _unsigned(signed)
        negative ^= minus
        under = _below(factor)
        if under is not None:
            below.append(inner(under))
        elif isinstance(factor, t.Number) and factor.im == 0 and factor.re.denominator != 1:
            above += [number(factor.re.numerator)]
            below.append(Num(Fraction(factor.re.denominator)))
        else:
            above.append(factor)
    kept = [inner(factor) for factor in above if factor != number(1)] or [Num(Fraction(1))]
    result = kept[0] if len(kept) == 1 else Prod(tuple(kept))
    if below:
        result = Frac(result, below[0] if len(below) == 1 else Prod(tuple(below)))
    return Minus(result) if negative else result


def _unsigned(factor: Term) -> tuple[bool, Term]:
    """Whether a factor is a negative number or a negative multiple of i, and the factor without that sign."""
    if isinstance(factor, t.Number) and (factor.re == 0 or factor.im == 0) and min(factor.re, factor.im) < 0:
        return True, number(-factor.re, -factor.im)
    return False, factor


def _below(term: Term) -> Term | None:
    """b for b^-1 and b^k for b^-k; None for what stands above the line."""
    match term:
        case t.Power(base, t.Number(re, im)) if im == 0 and re < 0:
            return base if re == -1 else t.Power(base, number(-re))
        case _:
            return None


def _conventional_terms(parts: Sequence[Term]) -> Sequence[Term]:
    """Real before imaginary, i K before j, numbers last, and no minus in front where another term can lead."""
    ordered = sorted(parts, key=lambda part: (_imaginary(part), not _rows(part), isinstance(part, t.Number)))
    leader = next((k for k, part in enumerate(ordered) if not _negative(part)), 0)
    if _imaginary(ordered[leader]) != _imaginary(ordered[0]):
        return ordered
    return [ordered[leader], *ordered[:leader], *ordered[leader + 1 :]]


def _imaginary(term: Term) -> bool:
    factors = _flat(term) if isinstance(term, t.Multiply) else [term]
    return any(isinstance(factor, t.Number) and factor.im != 0 for factor in factors)


def _rows(term: Term) -> bool:
    """Whether a term is a product of names and sums of names, as the row times the width in a flat index."""
    factors = [f for f in _flat(term) if not isinstance(f, t.Number)] if isinstance(term, t.Multiply) else []
    return len(factors) > 1 and all(isinstance(factor, (t.Symbol, t.Add)) for factor in factors)


def _negative(term: Term) -> bool:
    factors = _flat(term) if isinstance(term, t.Multiply) else [term]
    return any(isinstance(factor, t.Number) and min(factor.re, factor.im) < 0 for factor in factors)


def _conventional_factors(factors: Sequence[Term]) -> Sequence[Term]:
    """Numbers, i, letters, brackets, frequencies, functions. Matrices do not commute and stay where they are."""
    if any(is_matrix(factor) for factor in factors):
        return factors
    return sorted(factors, key=_place)


def _place(factor: Term) -> tuple[int, int]:
    match factor:
        case t.Number(_, im):
            return (1 if im else 0), 0
        case t.Family("w"):
            return 4, 0
        case t.Symbol(name) | t.Family(name):
            if name in _FREQUENCIES:
                return 4, 0
            return 2, _LEADING.get(name.rstrip("0123456789_"), len(_LEADING))
        case t.Add():
            return 3, 0
        case t.Power(base):
            return _place(base)
        case _:
            return 5, 0


CONVENTIONAL = Order(_conventional_terms, _conventional_factors)
AS_WRITTEN = Order(lambda parts: parts, lambda factors: factors)
