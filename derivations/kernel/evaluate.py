"""From a term to its value: the one place where the meaning of each node is written down.

Whatever is divided by, and whatever a logarithm or a real power is taken of, is recorded as a condition under which the
value is right, unless it evidently holds. Rewrites given by hypotheses are applied at every node and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from derivations.kernel import indices, matrices, sums, words
from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.budget import spend, weighed
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import LimitReached, OutOfFragment, RuleError
from derivations.kernel.matrices import GROUP, AnyValue, Blocked, Dense
from derivations.kernel.quotients import Quotient
from derivations.kernel.shapes import shape
from derivations.kernel.statement import Hypothesis, Statement
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
from derivations.kernel.values import Atom, Letter, Phase, SymbolAtom, Value

EXPANSION_LIMIT = 4096
POWER_LIMIT = 512


class Rewriter(Protocol):
    """Applies the equations among the hypotheses, from left to right."""

    def __call__(self, value: AnyValue) -> AnyValue: ...

    def without(self, name: str) -> Rewriter:
        """Only the equations that say nothing of this name, which is bound or varied where they are applied."""
        ...


@dataclass(slots=True)
class Context:
    """What one evaluation knows and what it finds out.

    `counts` are at least 1, `indices` at least 0, and `bound` are those indices that a sum or block around us binds.
    """

    rewrite: Rewriter | None = None
    counts: frozenset[str] = frozenset()
    indices: frozenset[str] = frozenset()
    bound: tuple[str, ...] = ()
    conditions: list[Hypothesis] = field(default_factory=list)
    facts: tuple[Value, ...] = ()  # integer polynomials that are at least 0


def context_of(statement: Statement, rewrite: Rewriter | None = None) -> Context:
    """The context of the sides of a statement."""
    return Context(rewrite, statement.counts(), statement.indices(), facts=_facts(statement))


def _facts(statement: Statement) -> tuple[Value, ...]:
    """Indices lie in their ranges, counts are at least 1, and what hypotheses say is at least 0."""
    plain = Context(counts=statement.counts(), indices=statement.indices())
    said = [scalar(h.left, plain) for h in statement.hypotheses if h.kind == "nonnegative"]
    facts = [value.over for value in said if value.under == v.ONE and indices.is_integer_polynomial(value.over)]
    for r in statement.ranges:
        index, count = v.atom(("symbol", r.index)), scalar(r.count, plain).over
        facts += [index, v.subtract(v.subtract(count, v.ONE), index)]
    facts += [v.subtract(v.atom(("symbol", name)), v.ONE) for name in sorted(statement.counts())]
    return tuple(facts)


def evaluate(term: Term, context: Context) -> AnyValue:
    """The value of a term whose shape has been checked."""
    spend(1)
    value = _evaluate(term, context)
    if context.rewrite is not None:
        value = context.rewrite(value)
    return matrices.simplest(value)


def scalar(term: Term, context: Context) -> Quotient:
    value = evaluate(term, context)
    assert isinstance(value, Quotient), "shapes have been checked"
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
            return q.whole(v.atom(("family", name, v.frozen(affine_index(index, context)))))
        case Cell(name, row, column):
            at = (v.frozen(_integer(row, context)), v.frozen(_integer(column, context)))
            return q.whole(v.atom(("cell", name, *at)))
        case Reading(name, flat, width):
            return q.whole(v.atom(_read(name, _integer(flat, context), _integer(width, context), context)))
        case Function(name, argument):
            return q.whole(v.atom(("function", name, 0, _real_argument(argument, name, context))))
        case Add(parts):
            return matrices.total([evaluate(part, context) for part in parts])
        case Multiply(parts):
            return _product(parts, context)
        case Power(base, exponent):
            return _power(base, exponent, context)
        case Apply(operator, argument):
            return _apply(operator, argument, context)
        case Derivative(body, by):
            return _derivative(scalar(body, _varied(context, by)), by)
        case IndexedSum():
            return _indexed_sum(term, context)
        case _:
            return _matrix(term, context)


def _matrix(
    term: Matrix | Block | MatrixSymbol | MatrixFamily | Identity | Transpose | Determinant, context: Context
) -> AnyValue:
    match term:
        case Matrix(rows):
            return Dense(tuple(tuple(scalar(entry, context) for entry in row) for row in rows))
        case Block():
            return _block(term, context)
        case MatrixSymbol(name):
            return words.letter(shape(term), ("matrix", name, False))
        case MatrixFamily(name, argument, _, kind):
            at = _real_argument(argument, name, context)
            symbol: Letter = ("rotation", name, at) if kind == "rotation" else ("free", name, at, False)
            return words.letter(shape(term), symbol)
        case Identity():
            return matrices.matrix_of(shape(term))
        case Transpose(argument):
            return matrices.transpose(evaluate(argument, context))
        case _:
            return matrices.determinant(evaluate(term.argument, context))


def _product(parts: tuple[Term, ...], context: Context) -> AnyValue:
    result: AnyValue = q.ONE
    for part in parts:
        result = matrices.multiply(result, evaluate(part, context))
        if context.rewrite is not None:
            result = context.rewrite(result)
        result = matrices.simplest(result)
    return result


def _real_argument(argument: Term, name: str, context: Context) -> Phase:
    """Functions and matrix families are real for real arguments, and of others nothing is known."""
    value = q.entire(scalar(argument, context), f"the argument of {name}")
    if not v.is_real(value):
        raise OutOfFragment(f"the argument of {name} must be real on sight")
    return v.frozen(weighed(value))


def _varied(context: Context, by: str) -> Context:
    """Inside d/d(by) an equation may be used only if it holds near the point too, so it may not speak of `by`."""
    if by in context.counts or by in context.indices:
        raise OutOfFragment(f"{by} is an integer; a derivative is taken by a real symbol")
    if context.rewrite is None:
        return context
    return Context(context.rewrite.without(by), context.counts, context.indices, context.bound, context.conditions)


def affine_index(index: Term, context: Context) -> Value:
    """The value of an index, which must be an integer combination of symbols and 1."""
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
    return q.whole(v.exponential(_logarithm(Power(base, exponent), context)))


def _real_exponent(exponent: Term, context: Context) -> Value:
    up = q.entire(scalar(exponent, context), "an exponent")
    if not v.is_real(up):
        raise OutOfFragment("the exponent of a real power must be real")
    return up


def _logarithm(of: Term, context: Context) -> Value:
    """log of a positive quantity. log(a b) = log a + log b needs a > 0 and b > 0, which a b > 0 does not say."""
    match of:
        case Multiply(parts):
            return v.total(_logarithm(part, context) for part in parts)
        case Power(base, exponent):
            return v.multiply(_real_exponent(exponent, context), _logarithm(base, context))
    value = q.entire(scalar(of, context), "what a logarithm or a real power is taken of")
    unsure = [n for monomial, _ in value for base, n in monomial if not _positive_atom(base, context.counts)]
    if len(unsure) > 1 or any(n % 2 == 0 for n in unsure):
        raise OutOfFragment("a logarithm of a product needs its factors one by one; write them as a product")
    _require("positive", of, context)
    return v.logarithm(value)


def _apply(operator: str, argument: Term, context: Context) -> Quotient:
    if operator == "log":
        return q.whole(_logarithm(argument, context))
    inner = scalar(argument, context)
    match operator:
        case "conjugate":
            return q.conjugate(inner)
        case "re":
            return q.multiply(q.add(inner, q.conjugate(inner)), q.whole(v.HALF))
        case "im":
            difference = q.add(inner, q.negate(q.conjugate(inner)))
            return q.multiply(difference, q.whole(v.HALF_OVER_I))
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
    return matrices.summed(body, term.index, _count(term.count, context))


def _block(term: Block, context: Context) -> AnyValue:
    if isinstance(term.count, Number):
        return _expanded(term, _definite(term.count), context)
    inner = _within(context, term.index)
    entries = tuple(tuple(_grouped(scalar(e, inner), term.index) for e in row) for row in term.entries)
    return Blocked(_count(term.count, context), term.rows, term.columns, entries)


def _grouped(entry: Quotient, index: str) -> Quotient:
    under = entry.under if entry.under is v.ONE else sums.renamed(entry.under, index, GROUP)
    return Quotient(sums.renamed(entry.over, index, GROUP), under)


def _expanded(term: Block, count: int, context: Context) -> Dense:
    height = len(term.rows.slots) * count
    width = len(term.columns.slots) * count if term.columns else 1
    if height * width > EXPANSION_LIMIT**2:
        raise LimitReached(f"a {height} x {width} matrix passes the limit of {EXPANSION_LIMIT} squared")
    spend(height * width)
    cells: list[list[Quotient]] = [[q.ZERO] * width for _ in range(height)]
    for k in range(count):
        for s, row in enumerate(term.rows.coordinates(k, count)):
            columns = term.columns.coordinates(k, count) if term.columns else (0,)
            for t, column in enumerate(columns):
                cells[row][column] = scalar(_at(term.entries[s][t], term.index, k), context)
    return Dense(tuple(tuple(row) for row in cells))


def _at(body: Term, index: str, k: int) -> Term:
    spend(body.inside[1])
    try:
        return substituted(body, {index: Replacement((), number(k))})
    except RuleError as refusal:
        raise OutOfFragment(str(refusal)) from None


def _integer(term: Term, context: Context) -> Value:
    value = q.entire(scalar(term, context), "an index")
    if not indices.is_integer_polynomial(value):
        raise OutOfFragment("an index of a matrix in memory must be an integer polynomial in indices and counts")
    return value


def _read(name: str, flat: Value, width: Value, context: Context) -> Atom:
    """The cell at a flat index where row and column can be shown; else the reading stands for itself."""
    place = indices.located(flat, width, context.facts)
    if place is None:
        return ("reading", name, v.frozen(flat), v.frozen(width))
    return ("cell", name, v.frozen(place[0]), v.frozen(place[1]))


def _within(context: Context, index: str) -> Context:
    """Inside a binder: the index hides a count of its name, and equations about an outer `index` are set aside."""
    rewrite = context.rewrite and context.rewrite.without(index)
    facts = tuple(fact for fact in context.facts if not sums.value_mentions(fact, index))
    known = (context.counts - {index}, context.indices | {index}, (*context.bound, index))
    return Context(rewrite, *known, context.conditions, facts)


def _count(count: Term, context: Context) -> SymbolAtom:
    if isinstance(count, Symbol) and count.name not in context.indices:
        return ("symbol", count.name)
    raise OutOfFragment("a count must be a positive integer or a name for one; an index can be 0")


def _definite(count: Number) -> int:
    if count.im or count.re.denominator != 1 or not 1 <= count.re <= EXPANSION_LIMIT:
        raise OutOfFragment(f"a count must be an integer from 1 to {EXPANSION_LIMIT}, saw {count.re}")
    return int(count.re)


def _require(kind: Literal["nonzero", "positive"], base: Term, context: Context) -> None:
    """Record that `base` must not vanish, or must be positive, unless it evidently is."""
    value = scalar(base, context)
    if evidently_positive(value, context) or (kind == "nonzero" and evidently_nonzero(value, context)):
        return
    forall = tuple(sorted(free_names(base) & set(context.bound)))
    spend(len(context.conditions))
    condition = Hypothesis(kind, base, forall=forall)
    if condition not in context.conditions:
        context.conditions.append(condition)


def evidently_nonzero(value: Quotient, context: Context) -> bool:
    """Positive or negative on sight, or one term in atoms that cannot vanish."""
    if evidently_positive(value, context) or evidently_positive(q.negate(value), context):
        return True
    only_term = len(value.over) == 1 and value.under == v.ONE
    return only_term and all(_positive_atom(b, context.counts) for key in value.over for b, _ in key[0])


def evidently_positive(value: Quotient, context: Context) -> bool:
    """A sum of nonnegative terms, one of them at least positive.

    Positive: positive rationals times counts, real exponentials and sums of such. Nonnegative: also times indices and
    even powers of real atoms.
    """
    if not value.over or value.under != v.ONE:
        return False
    strict = False
    for key, (re, im, _) in value.over.items():
        rest = [(b, n) for b, n in key[0] if not _positive_atom(b, context.counts)]
        if im or re < 0 or not v.is_real({key: v.UNIT}) or not all(_nonnegative(b, n, context) for b, n in rest):
            return False
        strict = strict or not rest
    return strict


def _nonnegative(base: Atom, n: int, context: Context) -> bool:
    if base[0] == "symbol" and base[1] in context.indices and n > 0:
        return True
    return n % 2 == 0 and base[0] in ("symbol", "family", "function")


def _positive_atom(base: Atom, counts: frozenset[str]) -> bool:
    match base:
        case ("pi",):
            return True
        case ("symbol", name):
            return name in counts
        case ("sum", count, monomial, phase):
            real = v.is_real({(monomial, phase): v.UNIT})
            return real and _positive_atom(count, counts) and all(_positive_atom(b, counts) for b, _ in monomial)
        case _:
            return False
