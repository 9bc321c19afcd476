"""Points for refutations, drawn in a fixed order from seeds, so that two runs agree.

Sound: a refutation is a legal instance (counts and sizes at least 1, indices in their ranges) at which every hypothesis
certainly holds, both sides are defined, and balls separate an entry. Not complete: an equation that is false only at
points that are not tried stays `undecided`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from random import Random

from derivations.kernel.balls import Ball, separated
from derivations.kernel.budget import spend
from derivations.kernel.errors import KernelError, OutOfFragment
from derivations.kernel.evaluate import Context, affine_index
from derivations.kernel.models import TRIALS, holds_always, witness
from derivations.kernel.points import Point, at_point, ball_at, rational_at, small_rational
from derivations.kernel.roles import FUNCTION, SYMBOL, Model
from derivations.kernel.statement import Hypothesis, Statement, replaced
from derivations.kernel.terms import (
    Add,
    Apply,
    Family,
    MatrixFamily,
    Multiply,
    Number,
    Power,
    Replacement,
    Symbol,
    Term,
    bound_index,
    children,
    free_names,
    number,
    walk,
)
from derivations.kernel.theorem import Refuted

WINDOW_LIMIT = 512
__all__ = ["Model", "refutation", "witness"]


def refutation(statement: Statement, model: Model | None = None) -> Refuted | None:
    """A point at which the hypotheses hold and the sides certainly differ, or None after a fixed number of trials.

    Equations among the hypotheses are satisfied by the model, which must have been checked: its values are put for the
    names. Without a model they are checked at the point, exactly, as far as they are rational in sequences and symbols.
    """
    functions = sorted(name for name, role in statement.used.roles.items() if role == FUNCTION)
    for seed in range(TRIALS):
        spend(statement.nodes() // 4 + 1)  # ends the search once nothing is left; below, a limit ends one trial only
        polynomials = {name: _polynomial(Random(f"{seed}/{name}")) for name in functions}
        try:
            found = _separation(statement, {**polynomials, **(model or {})}, seed, frozenset(polynomials))
        except (KernelError, ZeroDivisionError):
            continue  # something is not defined there, or the point needs more than it can give
        if found is not None:
            return found
    return None


def _separation(statement: Statement, given: Model, seed: int, polynomials: frozenset[str]) -> Refuted | None:
    instance = replaced(statement, given) if given else statement
    free = not given.keys() - polynomials  # no model: equations are checked at the point
    point = _drawn(instance, seed)
    if free:
        point.families.update(_switches(instance, seed))
    asked = [h for h in instance.hypotheses if h.kind != "equal" or free]
    if not all(_holds_at(h, instance, point) for h in asked if not h.forall):
        return None
    place = _separated_entry(at_point(instance.left, point), at_point(instance.right, point))
    # a quantified one is about all members that were drawn, so it is asked when the others and the sides have drawn
    if place is None or not all(_holds_at(h, instance, point) for h in asked if h.forall):
        return None
    entry, left, right = place
    numbers = {n: r.body.re for n, r in given.items() if isinstance(r.body, Number) and not r.parameters}
    others = {n: r for n, r in given.items() if n not in numbers}
    shown = replace(point, symbols={**point.symbols, **numbers}, seed=None)
    return Refuted(statement, shown, left, right, entry, others)


def _switches(statement: Statement, seed: int) -> dict[tuple[str, int], Fraction]:
    """First members 0 or 1 for sequences in equations: most equations between them hold there, if they hold at all."""
    equations = [h for h in statement.hypotheses if h.kind == "equal"]
    names = {node.name for h in equations for node in walk(h.left) if isinstance(node, Family)}
    draw = Random(f"{seed}/switches")
    return {(name, k): Fraction(draw.randint(0, 1)) for name in sorted(names) for k in range(3)}


def _separated_entry(
    left: tuple[tuple[Ball, ...], ...], right: tuple[tuple[Ball, ...], ...]
) -> tuple[tuple[int, int], Ball, Ball] | None:
    for r, (left_row, right_row) in enumerate(zip(left, right, strict=True)):
        for c, (x, y) in enumerate(zip(left_row, right_row, strict=True)):
            if separated(x, y):
                return (r, c), x, y
    return None


def _holds_at(hypothesis: Hypothesis, instance: Statement, point: Point) -> bool:
    """Does the hypothesis certainly hold at the point, where members of sequences that were not drawn are 1?

    A quantified name may stand in indices only, alone there: then finitely many of its values meet drawn members, and
    all others give one and the same value, so that trying those and one other decides the hypothesis.
    """
    if holds_always(hypothesis, instance.counts(), instance.indices()):
        return True
    if not hypothesis.forall:
        return _certain(hypothesis, point)
    nodes = [node for side in (hypothesis.left, hypothesis.right) for node in walk(side)]
    members = [node for node in nodes if isinstance(node, Family)]
    outside = _outside_indices(hypothesis.left) | _outside_indices(hypothesis.right)
    if any(bound_index(node) is not None for node in nodes) or outside & set(hypothesis.forall):
        return False
    windows = [_window(name, hypothesis, members, point) for name in hypothesis.forall]
    if None in windows or prod(len(w or ()) for w in windows) > WINDOW_LIMIT:
        return False
    choices = product(*(w or () for w in windows))
    assigned = ({n: Fraction(k) for n, k in zip(hypothesis.forall, choice, strict=True)} for choice in choices)
    return all(_certain(hypothesis, _filled(_with(point, values), members)) for values in assigned)


def _certain(hypothesis: Hypothesis, point: Point) -> bool:
    if hypothesis.kind == "nonnegative":
        return rational_at(hypothesis.left, point) >= 0
    if hypothesis.kind == "equal":
        return rational_at(hypothesis.left, point) == rational_at(hypothesis.right, point)
    ball = ball_at(hypothesis.left, point)
    return ball.is_positive() if hypothesis.kind == "positive" else ball.excludes_zero()


def _with(point: Point, values: dict[str, Fraction]) -> Point:
    return replace(point, symbols={**point.symbols, **values})


def _filled(point: Point, members: list[Family]) -> Point:
    """What was not drawn is 1, here as in the refuted point."""
    filled = dict(point.families)
    for member in members:
        filled.setdefault((member.name, int(rational_at(member.index, point))), Fraction(1))
    return replace(point, families=filled)


def _outside_indices(term: Term) -> frozenset[str]:
    """The names that stand outside the indices of sequences."""
    if isinstance(term, (Family, Symbol)):
        return frozenset([term.name])
    return frozenset[str]().union(*(_outside_indices(part) for part in children(term)))


def _affine(index: Term) -> bool:
    try:
        affine_index(index, Context())
    except OutOfFragment:
        return False
    return True


def _window(name: str, hypothesis: Hypothesis, members: list[Family], point: Point) -> list[int] | None:
    """The values of a quantified name at which a drawn member is met, and the first at which none is."""
    others = set(hypothesis.forall) - {name}
    hits: set[int] = set()
    for member in (m for m in members if name in free_names(m.index)):
        if others & free_names(member.index) or not _affine(member.index):
            return None
        start, after = (rational_at(member.index, _with(point, {name: Fraction(k)})) for k in (0, 1))
        if start == after or start.denominator * after.denominator != 1:
            return None
        places = [place - start for family, place in point.families if family == member.name]
        hits |= {int(d / (after - start)) for d in places if (d / (after - start)).denominator == 1}
    if hypothesis.kind != "equal":
        hits = {k for k in hits if k >= 0}  # an inequality is said of the values that an index takes
    return [*sorted(hits), next(k for k in range(len(hits) + 1) if k not in hits)]


def _polynomial(draw: Random) -> Replacement:
    """At a point an uninterpreted function is a small polynomial, whose derivatives are known."""
    t = Symbol("t")
    first: list[Term] = [number(draw.randint(-2, 3))]
    rest = [Multiply((number(draw.randint(-2, 3)), Power(t, number(degree)))) for degree in range(1, 4)]
    return Replacement(("t",), Add((*first, *rest)))


def _drawn(statement: Statement, seed: int) -> Point:
    draw = Random(seed)
    names = statement.used
    nodes = [node for side in statement.terms() for node in walk(side)]
    integral = any(isinstance(node, MatrixFamily) for node in nodes)
    positive = _positive_names(statement, nodes)
    symbols: dict[str, Fraction] = {}
    for name in sorted(n for n in statement.names() if names.roles[n] == SYMBOL):
        if name in statement.counts() | names.sizes:
            symbols[name] = Fraction(1 + draw.randrange(1 + min(seed, 2)) + (seed > 0))
        elif name in positive:
            denominator = 1 if seed < 24 or integral or name in names.indexed else draw.randint(1, 3)
            symbols[name] = Fraction(draw.randint(1, 6), denominator)
        elif integral or name in names.indexed:
            symbols[name] = Fraction(draw.randint(-3, 3))
        else:
            symbols[name] = small_rational(draw, seed)
    for index in statement.ranges:
        count = index.count
        bound = symbols[count.name] if isinstance(count, Symbol) else rational_at(count, Point({}, {}, {}))
        symbols[index.index] = Fraction(draw.randrange(int(bound)))
    return Point(symbols, {}, {}, seed)


def _positive_names(statement: Statement, nodes: list[Term]) -> set[str]:
    """Names that the sides need positive, or that are said to be; anything else may be drawn and is checked."""
    wanted: list[Term] = [h.left for h in statement.hypotheses if h.kind == "positive"]
    wanted += [n.base for n in nodes if isinstance(n, Power) and not _integer(n.exponent)]
    wanted += [n.argument for n in nodes if isinstance(n, Apply) and n.operator == "log"]
    return {term.name for term in wanted if isinstance(term, Symbol)}


def _integer(exponent: Term) -> bool:
    return isinstance(exponent, Number) and exponent.im == 0 and exponent.re.denominator == 1
