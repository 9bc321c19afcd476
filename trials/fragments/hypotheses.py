"""Claims under hypotheses, and chains of inference: what follows from equations, conditions and earlier theorems.

A claim under equations is made by adding multiples of left - right of an equation to one side. In a chain a theorem is
specialised, lifted, put into a context, turned or joined with another; a chain with a defect has a last step that must
be refused, or lead to something true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from derivations.kernel import Answer, Theorem, prove
from trials import asking_matrices, defects, judging_matrices
from trials import suppositions as given
from trials.case import Case, Judgement
from trials.chains import Chain, followed, judged_chain
from trials.language import Demand, Equation, Lambda, Member, Node, Product, Raised, Sum, Total, Var, negative, num
from trials.language_matrices import ONE_DIM, Blocks, Flipped, Free, Letter, Unit
from trials.links import drawn_chain
from trials.places import Place, Recipe, drawn_amount
from trials.reworking import reworked
from trials.suppositions import D, Supposition

NAME = "hypotheses"
REFUSALS = ("RuleError", "ShapeError", "OutOfFragment", "FormsDiffer", "LimitReached")
I, J = Var("i"), Var("j")


@dataclass(frozen=True, slots=True)
class Supposed:
    """An equation under suppositions, a lemma that may be used for it, and a model."""

    equation: Equation
    recipes: Mapping[str, Recipe]
    model: Mapping[str, Lambda] | None = None
    lemma: Equation | None = None

    def text(self) -> str:
        used = f"\n  by the theorem {self.lemma.text()}" if self.lemma else ""
        return self.equation.text() + used


def draw(chance: Random) -> Case:
    kind = chance.random()
    if kind < 0.5:
        return _drawn_chain(chance)
    claim = _scalar(chance) if kind < 0.75 else _word(chance) if kind < 0.9 else _divided(chance)
    if chance.random() < 0.2:
        return Case(NAME, claim)
    if claim.equation.demands and chance.random() < 0.15:
        indexed = claim.equation.demands[0].forall == ("i",)
        return _for_one(claim) if indexed and chance.random() < 0.3 else _without(claim, chance)
    side = chance.choice(("left", "right"))
    found = defects.spoiled(getattr(claim.equation, side), chance)
    if found is None:
        return Case(NAME, claim)
    changed: Any = {side: found[0]}
    return Case(NAME, replace(claim, equation=replace(claim.equation, **changed)), found[1])


def _drawn_chain(chance: Random) -> Case:
    drawn = drawn_chain(chance)
    return Case(NAME, drawn, drawn.defect, REFUSALS)


def _without(claim: Supposed, chance: Random) -> Case:
    """One hypothesis gone, and with it the model and the lemma that need it."""
    demands = list(claim.equation.demands)
    del demands[chance.randrange(len(demands))]
    bare = replace(claim, equation=replace(claim.equation, demands=tuple(demands)), model=None, lemma=None)
    return Case(NAME, replace(bare, model={}) if demands and claim.model is not None else bare, "hypothesis removed")


def _for_one(claim: Supposed) -> Case:
    """The hypotheses said of one index only, which bears the name of a bound one."""
    demands = tuple(replace(demand, forall=()) for demand in claim.equation.demands)
    recipes = {name: _at_one(name, recipe) for name, recipe in claim.recipes.items()}
    bare = replace(claim, equation=replace(claim.equation, demands=demands), recipes=recipes, model=None, lemma=None)
    return Case(NAME, bare, "hypothesis removed")


def _at_one(name: str, recipe: Recipe) -> Recipe:
    """The recipe at the free index i, and anything elsewhere."""

    def drawn(place: Place, at: int | None) -> None:
        if at == place.free("i"):
            recipe(place, at)
        elif at is not None and place.chance is not None:
            place.members[name, at] = drawn_amount(name, place.chance)

    return drawn


def _scalar(chance: Random) -> Supposed:
    """A polynomial and itself plus multiples of left - right, alone, in a sum or in blocks."""
    supposed = chance.choice(given.SCALAR)(quantified=chance.random() < 0.7)
    index = chance.choice((I, I, J)) if supposed.quantified else None
    lemma = _lemma(supposed) if chance.random() < 0.2 else None
    pairs = [(d.left, d.right) for d in supposed.demands]
    if lemma is not None:
        pairs = [(lemma.left, lemma.right)]
    first, second = chance.choice(pairs)
    left = polynomial(supposed, index, chance)
    factor = polynomial(supposed, index, chance, depth=1)
    if chance.random() < 0.3:
        first, second = Product((num(2), first)), Product((num(2), second))
    first, second = (_at(side, index) for side in (first, second))
    right: Node = Sum((left, Product((factor, first)), negative(Product((factor, second)))))
    right = reworked(right, chance, steps=chance.randint(0, 2))
    if index == I:
        left, right = _bound(left, right, chance)
    model = supposed.model if chance.random() < 0.95 else None
    return Supposed(Equation(left, right, supposed.demands), supposed.recipes, model, lemma)


def _lemma(supposed: Supposition) -> Equation | None:
    if supposed.consequence is None:
        return None
    return Equation(*supposed.consequence, supposed.demands)


def _at(node: Node, index: Var | None) -> Node:
    """The node at another index."""
    match node:
        case Member(name):
            return Member(name, index) if index else node
        case Sum(parts) | Product(parts):
            return type(node)(tuple(_at(part, index) for part in parts))
        case Raised(base, exponent):
            return Raised(_at(base, index), exponent)
        case _:
            return node


def _bound(left: Node, right: Node, chance: Random) -> tuple[Node, Node]:
    """Both sides under a sum over i, or in blocks."""
    kind = chance.randrange(3)
    if kind == 0:
        layout = ("interleaved", (0, 1))
        other = Member("w", I)
        sides = [Blocks("i", "h", layout, None, ((side,), (other,))) for side in (left, right)]
        return sides[0], sides[1]
    one, two = (Total("i", Var("h"), side) for side in (left, right))
    return (one, two) if kind == 1 else (Product((one, one)), Product((one, two)))


def polynomial(supposed: Supposition, index: Var | None, chance: Random, *, depth: int = 2) -> Node:
    """In the names of the supposition and one more."""
    kind = chance.random()
    if depth and kind < 0.35:
        return Sum(tuple(polynomial(supposed, index, chance, depth=depth - 1) for _ in range(2)))
    if depth and kind < 0.75:
        return Product(tuple(polynomial(supposed, index, chance, depth=depth - 1) for _ in range(2)))
    if kind < 0.85:
        return chance.choice((num(2), num(-1), Var("a"), num(1)))
    name = chance.choice((*supposed.names, *supposed.names, "w"))
    base = Var(name) if index is None else Member(name, index)
    return Raised(base, num(chance.choice((2, 3)))) if chance.random() < 0.3 else base


def _word(chance: Random) -> Supposed:
    """P and P + U (left - right) V."""
    supposed = chance.choice(given.MATRICES)()
    (demand,) = supposed.demands
    first, second = demand.left, demand.right
    if demand.forall:
        names = {"m": chance.choice((Var("x"), num(2), Var("m"))), "n": chance.choice((Var("y"), Var("x"), num(0)))}
        first, second = (_put(side, names) for side in (first, second))
    letters = [Letter(name, D, D) for name in supposed.names if not demand.forall] + [Letter("K", D, D)]
    before, after = _factor(letters, chance), _factor(letters, chance)
    plain = Product((_factor(letters, chance), _factor(letters, chance)))
    right: Node = Sum((plain, Product((before, first, after)), negative(Product((before, second, after)))))
    left: Node = plain
    if chance.random() < 0.5:
        u, v = Letter("u", D, ONE_DIM), Letter("v", D, ONE_DIM)
        left, right = (Product((Flipped(u), side, v)) for side in (left, right))
    elif chance.random() < 0.3:
        left, right = Flipped(left), Flipped(right)
    right = reworked(right, chance, steps=chance.randint(0, 2))
    return Supposed(Equation(left, right, supposed.demands), supposed.recipes, supposed.model)


def _put(node: Node, names: Mapping[str, Node]) -> Node:
    match node:
        case Var(name):
            return names.get(name, node)
        case Free(name, at, dim):
            return Free(name, _put(at, names), dim)
        case Flipped(of):
            return Flipped(_put(of, names))
        case Sum(parts) | Product(parts):
            return type(node)(tuple(_put(part, names) for part in parts))
        case _:
            return node


def _factor(letters: list[Letter], chance: Random) -> Node:
    chosen = chance.choice(letters)
    return chance.choice((chosen, chosen, Flipped(chosen), Unit(D)))


def _divided(chance: Random) -> Supposed:
    """Divisors that cancel: the kernel must ask that they do not vanish, or be told."""
    x, y, a = Var("x"), Var("y"), Var("a")
    under = chance.choice((x, Sum((x, y)), Sum((Raised(x, num(2)), num(1))), Product((x, y)), Member("t", J)))
    top = chance.choice((y, a, Sum((a, y)), Member("w", J)))
    inverse = Raised(under, num(-1))
    kind = chance.randrange(3)
    if kind == 0:
        sides: tuple[Node, Node] = (Product((top, under, inverse)), top)
    elif kind == 1:
        sides = (Sum((Product((top, inverse)), num(1))), Product((Sum((top, under)), inverse)))
    else:
        letter = Letter("A", D, D)
        sides = (Product((inverse, letter, under)), letter)
    demands = (Demand("nonzero", under),) if chance.random() < 0.5 else ()
    return Supposed(Equation(sides[0], reworked(sides[1], chance, steps=1), demands), {})


def answer(case: Case) -> Answer:
    claim = case.claim
    if isinstance(claim, Chain):
        return followed(claim)
    assert isinstance(claim, Supposed)
    statement = asking_matrices.statement(claim.equation)
    model = None
    if claim.model is not None:
        model = {name: asking_matrices.replacement(by) for name, by in claim.model.items()}
    if claim.lemma is None:
        return prove(statement, model=model)
    lemma = prove(asking_matrices.statement(claim.lemma))
    if not isinstance(lemma, Theorem):
        return lemma
    return prove(statement, using=(lemma,), idle=lemma.hypotheses, model=model)


def opinion(case: Case, answer: Answer, chance: Random) -> Judgement:
    claim = case.claim
    if isinstance(claim, Chain):
        return judged_chain(claim, answer, chance)
    assert isinstance(claim, Supposed)
    if claim.lemma is not None and answer.statement == asking_matrices.statement(claim.lemma):
        return judging_matrices.judged(claim.lemma, None, answer, chance, recipes=claim.recipes)
    return judging_matrices.judged(claim.equation, case.defect, answer, chance, recipes=claim.recipes)
