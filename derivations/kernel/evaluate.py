"""From a term to its value: the one place where the meaning of each node is written down.

Whatever is divided by, and whatever a logarithm or a real power is taken of, is recorded as a condition under which the
value is right, unless it evidently holds. Rewrites given by hypotheses are applied at every node and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from derivations.kernel import matrices, sums, words
from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.matrices import GROUP, AnyValue, Blocked, Dense
from derivations.kernel.quotients import Quotient
from derivations.kernel.shapes import shape
from derivations.kernel.statement import Hypothesis
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Function,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Pi,
    Power,
    Replacement,
    Symbol,
    Term,
    Transpose,
    free_names,
    number,
    substituted,
)
from derivations.kernel.values import Atom, Value

EXPANSION_LIMIT = 4096
POWER_LIMIT = 512


class Rewriter(Protocol):
    """Applies the equations among the hypotheses, from left to right."""

    def __call__(self, value: AnyValue) -> AnyValue: ...


@dataclass(slots=True)
class Context:
    """What one evaluation knows and what it finds out."""

    rewrite: Rewriter | None = None
    counts: frozenset[str] = frozenset()
    bound: tuple[str, ...] = ()
    conditions: list[Hypothesis] = field(default_factory=list)


def evaluate(term: Term, context: Context) -> AnyValue:
    """The value of a term whose shape has been checked."""
    value = _evaluate(term, context)
    if context.rewrite is not None:
        value = context.rewrite(value)
    return matrices.simplest(value)


def scalar(term: Term, context: Context) -> Quotient:
    value = evaluate(term, context)
    if not isinstance(value, Quotient):
        raise OutOfFragment("a matrix stands where a scalar is needed")
    return value


def _evaluate(term: Term, context: Context) -> AnyValue:
    match term:
        case Number(re, im):
            return q.whole(v.constant(re, im))
        case Pi():
            return q.whole(v.atom(v.PI))
        case Symbol(name):
            return q.whole(v.atom(("symbol", name)))
        case Family(name, index):
            return q.whole(v.atom(("family", name, v.frozen(_affine(index, context)))))
        case Function(name, argument):
            inner = q.entire(scalar(argument, context), f"the argument of {name}")
            return q.whole(v.atom(("function", name, 0, v.frozen(inner))))
        case Add(parts):
            total = evaluate(parts[0], context)
            for part in parts[1:]:
                total = matrices.add(total, evaluate(part, context))
            return total
        case Multiply(parts):
            return _product(parts, context)
        case Power(base, exponent):
            return _power(base, exponent, context)
        case Apply(operator, argument):
            return _apply(operator, argument, context)
        case Derivative(body, by):
            return _derivative(scalar(body, context), by)
        case IndexedSum():
            return _indexed_sum(term, context)
        case _:
            return _matrix(term, context)


def _matrix(term: Term, context: Context) -> AnyValue:
    match term:
        case Matrix(rows):
            return Dense(tuple(tuple(scalar(entry, context) for entry in row) for row in rows))
        case Block():
            return _block(term, context)
        case MatrixSymbol(name):
            return words.letter(shape(term), ("matrix", name, False))
        case MatrixFamily(name, argument, _, kind):
            at = v.frozen(q.entire(scalar(argument, context), f"the argument of {name}"))
            symbol = ("rotation", name, at) if kind == "rotation" else ("free", name, at, False)
            return words.letter(shape(term), symbol)
        case Identity():
            return matrices.matrix_of(shape(term))
        case Transpose(argument):
            return matrices.transpose(evaluate(argument, context))
        case Determinant(argument):
            return matrices.determinant(evaluate(argument, context))
        case _:
            raise OutOfFragment(f"no value for {type(term).__name__}")


def _product(parts: tuple[Term, ...], context: Context) -> AnyValue:
    result: AnyValue = q.ONE
    for part in parts:
        result = matrices.multiply(result, evaluate(part, context))
        if context.rewrite is not None:
            result = context.rewrite(result)
        result = matrices.simplest(result)
    return result


def _affine(index: Term, context: Context) -> Value:
    """An index: an integer combination of symbols and an integer."""
    value = q.entire(scalar(index, context), "an index")
    for (monomial, phase), (_, im, d) in value.items():
        plain = not phase and not im and d == 1
        if not plain or any(base[0] != "symbol" or n != 1 for base, n in monomial) or len(monomial) > 1:
            raise OutOfFragment("an index must be an integer combination of indices and counts")
    return value


def _power(base: Term, exponent: Term, context: Context) -> Quotient:
    match exponent:
        case Number(n, im) if im == 0 and n.denominator == 1:
            if abs(n) > POWER_LIMIT:
                raise LimitReached(f"the power {n} passes the limit of {POWER_LIMIT}")
            if n < 0:
                _require("nonzero", base, context)
            return q.power(scalar(base, context), int(n))
    _require("positive", base, context)
    log = v.logarithm(q.entire(scalar(base, context), "the base of a real power"))
    up = q.entire(scalar(exponent, context), "an exponent")
    if not v.is_real(up):
        raise OutOfFragment("the exponent of a real power must be real")
    return q.whole(v.exponential(v.multiply(up, log)))


def _apply(operator: str, argument: Term, context: Context) -> Quotient:
    inner = scalar(argument, context)
    match operator:
        case "conjugate":
            return q.conjugate(inner)
        case "re":
            return q.multiply(q.add(inner, q.conjugate(inner)), q.whole(v.HALF))
        case "im":
            difference = q.add(inner, q.negate(q.conjugate(inner)))
            return q.multiply(difference, q.whole(v.HALF_OVER_I))
        case "log":
            _require("positive", argument, context)
            return q.whole(v.logarithm(q.entire(inner, "the argument of a logarithm")))
    of = q.entire(inner, f"the argument of {operator}")
    return q.whole({"exp": v.exponential, "cos": v.cosine, "sin": v.sine}[operator](of))


def _derivative(body: Quotient, by: str) -> Quotient:
    """(n/d)' = (n'd - nd')/d^2."""
    slope = q.whole(sums.derivative(body.over, by))
    if body.under is v.ONE:
        return slope
    down = q.whole(sums.derivative(body.under, by))
    under = Quotient(v.ONE, body.under)
    return q.add(q.multiply(slope, under), q.negate(q.multiply(q.multiply(body, under), down)))


def _indexed_sum(term: IndexedSum, context: Context) -> Quotient:
    if isinstance(term.count, Number):
        total = q.ZERO
        for k in range(_definite(term.count)):
            total = q.add(total, scalar(_at(term.body, term.index, k), context))
        return total
    body = scalar(term.body, _within(context, term.index))
    return matrices.summed(body, term.index, _count(term.count))


def _block(term: Block, context: Context) -> AnyValue:
    if isinstance(term.count, Number):
        return _expanded(term, _definite(term.count), context)
    inner = _within(context, term.index)
    entries = tuple(tuple(_grouped(scalar(e, inner), term.index) for e in row) for row in term.entries)
    return Blocked(_count(term.count), term.rows, term.columns, entries)


def _grouped(entry: Quotient, index: str) -> Quotient:
    under = entry.under if entry.under is v.ONE else sums.renamed(entry.under, index, GROUP)
    return Quotient(sums.renamed(entry.over, index, GROUP), under)


def _expanded(term: Block, count: int, context: Context) -> Dense:
    height = len(term.rows.slots) * count
    width = len(term.columns.slots) * count if term.columns else 1
    if height * width > EXPANSION_LIMIT**2:
        raise LimitReached(f"a {height} x {width} matrix passes the limit of {EXPANSION_LIMIT} squared")
    cells: list[list[Quotient]] = [[q.ZERO] * width for _ in range(height)]
    for k in range(count):
        for s, row in enumerate(term.rows.coordinates(k, count)):
            columns = term.columns.coordinates(k, count) if term.columns else (0,)
            for t, column in enumerate(columns):
                cells[row][column] = scalar(_at(term.entries[s][t], term.index, k), context)
    return Dense(tuple(tuple(row) for row in cells))


def _at(body: Term, index: str, k: int) -> Term:
    return substituted(body, {index: Replacement((), number(k))})


def _within(context: Context, index: str) -> Context:
    return Context(context.rewrite, context.counts, (*context.bound, index), context.conditions)


def _count(count: Term) -> Atom:
    if isinstance(count, Symbol):
        return ("symbol", count.name)
    raise OutOfFragment("a count must be a name or a positive integer")


def _definite(count: Number) -> int:
    if count.im or count.re.denominator != 1 or not 1 <= count.re <= EXPANSION_LIMIT:
        raise OutOfFragment(f"a count must be an integer from 1 to {EXPANSION_LIMIT}, saw {count.re}")
    return int(count.re)


def _require(kind: str, base: Term, context: Context) -> None:
    """Record that `base` must not vanish, or must be positive, unless it evidently is."""
    value = scalar(base, context)
    if evidently_positive(value, context.counts):
        return
    if kind == "nonzero" and evidently_nonzero(value, context.counts):
        return
    forall = tuple(name for name in context.bound if name in free_names(base))
    condition = Hypothesis("nonzero" if kind == "nonzero" else "positive", base, forall=forall)
    if condition not in context.conditions:
        context.conditions.append(condition)


def evidently_nonzero(value: Quotient, counts: frozenset[str]) -> bool:
    """Positive or negative on sight, or one term in atoms that cannot vanish."""
    if evidently_positive(value, counts) or evidently_positive(q.negate(value), counts):
        return True
    only_term = len(value.over) == 1 and value.under == v.ONE
    return only_term and all(_positive_atom(b, counts) for key in value.over for b, _ in key[0])


def evidently_positive(value: Quotient, counts: frozenset[str]) -> bool:
    """A nonempty sum of positive rationals times counts, logarithm-free real exponentials and sums of such."""
    if not value.over or value.under != v.ONE:
        return False
    return all(
        re > 0 and not im and v.is_real({key: v.UNIT}) and all(_positive_atom(b, counts) for b, _ in key[0])
        for key, (re, im, _) in value.over.items()
    )


def _positive_atom(base: Atom, counts: frozenset[str]) -> bool:
    match base:
        case ("pi",):
            return True
        case ("symbol", name):
            return name in counts
        case ("sum", _, monomial, phase):
            inside = {(monomial, phase): v.UNIT}
            return v.is_real(inside) and all(_positive_atom(b, counts) for b, _ in monomial)  # type: ignore[attr-defined]
        case _:
            return False
