"""Points for refutations and models for hypotheses, drawn in a fixed order from seeds, so that two runs agree.

A refutation must satisfy every hypothesis and separate the sides by balls. A witness shows that the hypotheses of a
theorem hold together somewhere; equations among them are checked exactly, by the normal forms, never by balls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

from derivations.kernel import matrices
from derivations.kernel.balls import Indeterminate, separated
from derivations.kernel.errors import KernelError, LimitReached, OutOfFragment
from derivations.kernel.evaluate import Context, evaluate, evidently_nonzero, evidently_positive, scalar
from derivations.kernel.points import Point, at_point, ball_at, small_rational
from derivations.kernel.statement import Hypothesis, Statement
from derivations.kernel.terms import (
    Family,
    Function,
    MatrixFamily,
    Number,
    Power,
    Replacement,
    Symbol,
    Term,
    Add,
    Multiply,
    constant,
    free_names,
    number,
    substituted,
    walk,
)
from derivations.kernel.theorem import Refuted

TRIALS = 96
CANDIDATES = (Fraction(1), Fraction(0), Fraction(3, 5), Fraction(4, 5), Fraction(-1), Fraction(2))
Model = Mapping[str, Replacement]


def refutation(statement: Statement, model: Model | None = None) -> Refuted | None:
    """A point at which the hypotheses hold and the sides certainly differ, or None after a fixed number of trials.

    Equations among the hypotheses are satisfied by the model alone: its names are put into both sides.
    """
    for seed in range(TRIALS):
        assigned = {**_polynomials(statement, seed), **(model or {})}
        try:
            found = _separation(statement, assigned, _drawn(statement, seed))
        except (Indeterminate, LimitReached, KeyError, ZeroDivisionError):
            continue
        except OutOfFragment:
            return None
        if found is not None:
            return found
    return None


def _separation(statement: Statement, assigned: Model, point: Point) -> Refuted | None:
    for hypothesis in statement.hypotheses:
        if hypothesis.kind != "equal" and not _holds_at(hypothesis, assigned, point):
            return None
    sides = [at_point(substituted(side, assigned), point) for side in (statement.left, statement.right)]
    for r, (left_row, right_row) in enumerate(zip(*sides, strict=True)):
        for c, (left, right) in enumerate(zip(left_row, right_row, strict=True)):
            if separated(left, right):
                return Refuted(statement, replace(point, seed=None), left, right, (r, c))
    return None


def _holds_at(hypothesis: Hypothesis, assigned: Model, point: Point) -> bool:
    """Certainly true at the point; a quantified one for the first few indices, which is all that the sides use."""
    bounds = [max(int(point.symbols[n]) for n in point.symbols) + 1 if point.symbols else 1 for _ in hypothesis.forall]
    for values in product(*(range(min(b, 8)) for b in bounds)):
        symbols = {**point.symbols, **{n: Fraction(k) for n, k in zip(hypothesis.forall, values, strict=True)}}
        ball = ball_at(substituted(hypothesis.left, assigned), replace(point, symbols=symbols))
        if not (ball.is_positive() if hypothesis.kind == "positive" else ball.excludes_zero()):
            return False
    return True


def _polynomials(statement: Statement, seed: int) -> dict[str, Replacement]:
    """At a point an uninterpreted function is a small polynomial, whose derivatives are known."""
    names = {node.name for side in statement.terms() for node in walk(side) if isinstance(node, Function)}
    return {name: _polynomial(Random(f"{seed}/{name}")) for name in sorted(names)}


def _polynomial(draw: Random) -> Replacement:
    t = Symbol("t")
    terms: list[Term] = [number(draw.randint(-2, 3))]
    for degree in range(1, 4):
        terms.append(Multiply((number(draw.randint(-2, 3)), Power(t, number(degree)))))
    return Replacement(("t",), Add(tuple(terms)))


def _drawn(statement: Statement, seed: int) -> Point:
    draw = Random(seed)
    counts = statement.counts()
    nodes = [node for side in statement.terms() for node in walk(side)]
    integral = any(isinstance(node, MatrixFamily) for node in nodes)
    positive = _positive_names(statement, nodes)
    indexed = {name for node in nodes if isinstance(node, Family) for name in free_names(node.index)}
    symbols: dict[str, Fraction] = {}
    wanted = {n.name for n in nodes if isinstance(n, Symbol)} | {n for n in statement.names() if _is_size(n, nodes)}
    for name in sorted(wanted & statement.names() | counts):
        if name in counts or _is_size(name, nodes):
            symbols[name] = Fraction(1 + draw.randrange(1 + min(seed, 2)) + (seed > 0))
        elif name in positive:
            symbols[name] = Fraction(draw.randint(1, 6), 1 if seed < 24 else draw.randint(1, 3))
        elif integral or name in indexed:
            symbols[name] = Fraction(draw.randint(-3, 3))
        else:
            symbols[name] = small_rational(draw, seed)
    for index in statement.ranges:
        bound = int(index.count.re) if isinstance(index.count, Number) else int(symbols[next(iter(free_names(index.count)))])
        symbols[index.index] = Fraction(draw.randrange(bound))
    return Point(symbols, {}, {}, seed)


def _positive_names(statement: Statement, nodes: list[Term]) -> set[str]:
    bases = {n.base.name for n in nodes if isinstance(n, Power) and isinstance(n.base, Symbol) and not _integer(n.exponent)}
    said = {h.left.name for h in statement.hypotheses if h.kind == "positive" and isinstance(h.left, Symbol)}
    return bases | said


def _integer(exponent: Term) -> bool:
    return isinstance(exponent, Number) and exponent.im == 0 and exponent.re.denominator == 1


def _is_size(name: str, nodes: list[Term]) -> bool:
    sizes = {s.name for n in nodes for s in (getattr(n, "size", None), getattr(n, "rows", None), getattr(n, "columns", None)) if hasattr(s, "multiple")}
    return name in sizes


def witness(statement: Statement, model: Model | None = None) -> dict[str, Replacement] | None:
    """Values under which all hypotheses hold: from the model, or small constants; None when none was found."""
    for equations in _equation_models(statement, model):
        rest = [h for h in statement.hypotheses if h.kind != "equal"]
        found = _inequality_model(rest, equations, statement.counts())
        if found is not None:
            return found
    return None


def _equation_models(statement: Statement, model: Model | None) -> Iterator[dict[str, Replacement]]:
    equations = [h for h in statement.hypotheses if h.kind == "equal"]
    if model is not None:
        if all(holds_exactly(h, model, statement.counts()) for h in equations):
            yield dict(model)
        return
    if not equations:
        yield {}
        return
    names = _assignable(equations)
    if names is None or len(names) > 4:
        return
    for values in product(CANDIDATES, repeat=len(names)):
        tried = {n: Replacement(("i",) if family else (), number(x)) for (n, family), x in zip(names, values, strict=True)}
        if all(holds_exactly(h, tried, statement.counts()) for h in equations):
            yield tried


def _assignable(equations: list[Hypothesis]) -> list[tuple[str, bool]] | None:
    """The symbols and families in some equations, or None where functions or matrices need a stored model."""
    nodes = [node for h in equations for side in (h.left, h.right) for node in walk(side)]
    if any(isinstance(node, (Function, MatrixFamily)) for node in nodes):
        return None
    quantified = {name for h in equations for name in h.forall}
    symbols = {(n.name, False) for n in nodes if isinstance(n, Symbol) and n.name not in quantified}
    return sorted(symbols | {(n.name, True) for n in nodes if isinstance(n, Family)})


def holds_exactly(hypothesis: Hypothesis, model: Model, counts: frozenset[str]) -> bool:
    """Does the equation hold under the model for all remaining names? Decided by the normal forms."""
    context = Context(counts=counts)
    try:
        left = evaluate(substituted(hypothesis.left, model), context)
        right = evaluate(substituted(hypothesis.right, model), context)
        return matrices.equal(left, right) and not context.conditions
    except KernelError:
        return False


def holds_always(hypothesis: Hypothesis, counts: frozenset[str]) -> bool:
    """Is the hypothesis true on sight for all values of its names?"""
    if hypothesis.kind == "equal":
        return holds_exactly(hypothesis, {}, counts)
    context = Context(counts=counts)
    try:
        value = scalar(hypothesis.left, context)
    except KernelError:
        return False
    sure = evidently_positive(value, counts) or (hypothesis.kind == "nonzero" and evidently_nonzero(value, counts))
    return sure and not context.conditions


def _inequality_model(hypotheses: list[Hypothesis], equations: Model, counts: frozenset[str]) -> dict[str, Replacement] | None:
    names = sorted(frozenset[str]().union(*(free_names(h.left) - set(h.forall) for h in hypotheses)) - equations.keys())
    families = {n.name for h in hypotheses for n in walk(h.left) if isinstance(n, Family)}
    for seed in range(TRIALS):
        draw = Random(seed)
        model = dict(equations)
        for name in names:
            value = Fraction(1 + draw.randrange(3)) if name in counts or seed % 2 == 0 else small_rational(draw, seed)
            model[name] = Replacement(("i",), number(value)) if name in families else constant(value)
        if all(_certain(h, model, counts) for h in hypotheses):
            return model
    return None


def _certain(hypothesis: Hypothesis, model: Model, counts: frozenset[str]) -> bool:
    term = substituted(hypothesis.left, model)
    try:
        value = scalar(term, Context(counts=counts))
        if evidently_positive(value, counts) or (hypothesis.kind == "nonzero" and evidently_nonzero(value, counts)):
            return True
        ball = ball_at(term, Point({}, {}, {}))
    except (KernelError, KeyError, ZeroDivisionError):
        return False
    return ball.is_positive() if hypothesis.kind == "positive" else ball.excludes_zero()
