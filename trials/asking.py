"""The one place where trials meet the kernel: claims become statements, and what the kernel answers is read back.

Both directions are one table each, node for node; nothing is simplified on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from derivations.kernel import Answer, Hypothesis, Range, Refuted, Statement, prove, terms
from derivations.kernel.balls import Ball
from derivations.kernel.terms import Replacement, Term
from trials import enclosures as e
from trials.case import Case
from trials.language import (
    Call,
    Circle,
    Demand,
    Equation,
    Lambda,
    Member,
    Node,
    Num,
    Op,
    Product,
    Raised,
    Reach,
    Slope,
    Sum,
    Total,
    Var,
)
from trials.oracles import BITS, Place

Operators = {"exp": "exp", "log": "log", "cos": "cos", "sin": "sin", "conj": "conjugate", "re": "re", "im": "im"}
_NAMED = {told: own for own, told in Operators.items()}


def answer(case: Case) -> Answer:
    """What the kernel says of a scalar equation."""
    assert isinstance(case.claim, Equation), "other claims have other questions"
    return prove(statement(case.claim))


def statement(claim: Equation) -> Statement:
    hypotheses = tuple(Hypothesis(d.kind, term(d.left), term(d.right), d.forall) for d in claim.demands)
    ranges = tuple(Range(reach.index, term(reach.count)) for reach in claim.reaches)
    return Statement(term(claim.left), term(claim.right), hypotheses, ranges)


def term(node: Node) -> Term:
    """The kernel's term for a node."""
    match node:
        case Num(re, im):
            return terms.Number(re, im)
        case Var(name):
            return terms.Symbol(name)
        case Sum(parts):
            return terms.Add(tuple(map(term, parts)))
        case Product(parts):
            return terms.Multiply(tuple(map(term, parts)))
        case Raised(base, exponent):
            return terms.Power(term(base), term(exponent))
        case Op(name, argument):
            return terms.Apply(Operators[name], term(argument))  # type: ignore[arg-type]
        case Member(name, index):
            return terms.Family(name, term(index))
        case Call(name, argument):
            return terms.Function(name, term(argument))
        case Total(index, count, body):
            return terms.IndexedSum(index, term(count), term(body))
        case Slope(body, by):
            return terms.Derivative(term(body), by)
        case Circle():
            return terms.Pi()
        case _:
            raise TypeError(f"no term of the kernel stands for {type(node).__name__}")


def equation(known: Statement) -> Equation:
    """A statement of the kernel, read back: what a theorem says, its added hypotheses included."""
    demands = tuple(Demand(h.kind, node(h.left), node(h.right), h.forall) for h in known.hypotheses)
    reaches = tuple(Reach(r.index, node(r.count)) for r in known.ranges)
    return Equation(node(known.left), node(known.right), demands, reaches)


def node(told: Term) -> Node:
    """The node for a term of the kernel."""
    match told:
        case terms.Number(re, im):
            return Num(re, im)
        case terms.Symbol(name):
            return Var(name)
        case terms.Add(parts):
            return Sum(tuple(map(node, parts)))
        case terms.Multiply(parts):
            return Product(tuple(map(node, parts)))
        case terms.Power(base, exponent):
            return Raised(node(base), node(exponent))
        case terms.Apply(operator, argument):
            return Op(_NAMED[operator], node(argument))  # type: ignore[arg-type]
        case terms.Family(name, index):
            return Member(name, node(index))
        case terms.Function(name, argument):
            return Call(name, node(argument))
        case terms.IndexedSum(index, count, body):
            return Total(index, node(count), node(body))
        case terms.Derivative(body, by):
            return Slope(node(body), by)
        case terms.Pi():
            return Circle()
        case _:
            raise TypeError(f"{type(told).__name__} has no place in a scalar equation")


def place_of(refuted: Refuted) -> Place:
    """The point of a refutation; members that it does not list are 1, and functions are those that it gives."""
    symbols = {name: e.exact(number) for name, number in refuted.point.symbols.items()}
    members = {key: Fraction(number) for key, number in refuted.point.families.items()}
    return given(refuted.given, Place(symbols, members))


def given(model: Mapping[str, Replacement], place: Place) -> Place:
    """The place with the values that a model gives to names: numbers, sequences and functions."""
    lambdas = {name: Lambda(r.parameters, node(r.body)) for name, r in model.items()}
    symbols = dict(place.symbols)
    for name, found in lambdas.items():
        if not found.parameters and isinstance(found.body, Num):
            symbols[name] = e.Exact(found.body.re, found.body.im)
    formulas = {name: found for name, found in lambdas.items() if found.parameters}
    return replace(place, symbols=symbols, functions=formulas, sequences=formulas)


def box(ball: Ball) -> e.Box:
    """The kernel's enclosure of a number as a box of the oracle, a little wider if at all."""
    re, im = ((part.lower, part.upper) for part in (ball.re, ball.im))
    return e.from_ends(re, im, 2 * BITS)
