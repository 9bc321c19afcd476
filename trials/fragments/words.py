"""Words of matrices of symbolic size: transposes, sums, numbers of size 1 x 1, and rotation families.

The kernel decides them for every size at once; the oracle tries matrices of small integers at small sizes.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from derivations.kernel import Answer, prove
from trials import asking_matrices, defects, judging_matrices
from trials.case import Case, Judgement
from trials.language import Equation, Node, Num, Product, Sum, Var, num
from trials.language_matrices import ONE_DIM, Dim, Flipped, Free, Letter, Turning, Unit
from trials.reworking import reworked

NAME = "words"
D, E, TWO_H, PLANE = (1, "d"), (1, "e"), (2, "h"), (2, "")
LETTERS: dict[tuple[Dim, Dim], str] = {
    (D, D): "AB",
    (D, E): "WV",
    (E, E): "CK",
    (D, ONE_DIM): "up",
    (E, ONE_DIM): "wr",
    (ONE_DIM, ONE_DIM): "c",
    (TWO_H, D): "G",
    (TWO_H, ONE_DIM): "z",
    (PLANE, PLANE): "M",
    (PLANE, D): "N",
}
FAMILIES: dict[Dim, str] = {D: "R", E: "S", TWO_H: "Q"}
SHAPES = ((ONE_DIM, ONE_DIM),) * 4 + ((D, ONE_DIM), (D, D), (D, D), (D, E), (TWO_H, TWO_H), (PLANE, D), (ONE_DIM, E))
INNER = (D, D, E, ONE_DIM, TWO_H, PLANE)
NUMBERS = (num(2), num(-1), num(3), Var("a"), Var("b"), num(0, 1))
ILL_TYPED = "ill typed"


def draw(chance: Random) -> Case:
    left = built(chance.choice(SHAPES), 2, chance)
    right = reworked(left, chance, steps=chance.randint(1, 3), families=FAMILIES)
    if chance.random() < 0.3:
        left = reworked(left, chance, steps=1, families=FAMILIES)
    return spoiled_case(NAME, Equation(left, right), chance)


def spoiled_case(name: str, claim: Equation, chance: Random) -> Case:
    """The true claim in one case of five, else with a defect on one side."""
    if chance.random() < 0.2:
        return Case(name, claim)
    if chance.random() < 0.08:
        wrong = defects.ill_typed(claim.right, chance)
        if wrong is not None:
            return Case(name, Equation(claim.left, wrong, claim.demands, claim.reaches), ILL_TYPED, ("ShapeError",))
    for side in chance.sample(("left", "right"), 2):
        found = defects.spoiled(getattr(claim, side), chance)
        if found is not None:
            changed: Any = {side: found[0]}
            return Case(name, replace(claim, **changed), found[1])
    return Case(name, claim)


def built(shape: tuple[Dim, Dim], depth: int, chance: Random) -> Node:
    """A random expression of this size."""
    kind = chance.random()
    if depth == 0 or kind < 0.15:
        return _leaf(shape, chance)
    if kind < 0.35:
        return Sum((built(shape, depth - 1, chance), built(shape, depth - 1, chance)))
    if kind < 0.5:
        return Flipped(built(shape[::-1], depth - 1, chance))
    if kind < 0.6:
        return Product((chance.choice(NUMBERS), built(shape, depth - 1, chance)))
    inner = chance.choice(INNER)
    left, right = built((shape[0], inner), depth - 1, chance), built((inner, shape[1]), depth - 1, chance)
    return Product((left, right))


def _leaf(shape: tuple[Dim, Dim], chance: Random) -> Node:
    rows, columns = shape
    if rows == columns and rows in FAMILIES and chance.random() < 0.4:
        name = "T" if rows == D and chance.random() < 0.15 else FAMILIES[rows]  # two families of one size
        return Turning(name, _angle(chance), rows)
    if rows == columns and chance.random() < 0.1:
        return Unit(rows)
    if rows == columns == D and chance.random() < 0.15:
        return Free("F", _angle(chance), rows)
    known: list[Node] = [Letter(name, rows, columns) for name in LETTERS.get(shape, "")]
    known += [Flipped(Letter(name, columns, rows)) for name in LETTERS.get((columns, rows), "")]
    if known and (shape != (ONE_DIM, ONE_DIM) or chance.random() < 0.3):
        return chance.choice(known)
    if shape == (ONE_DIM, ONE_DIM):
        return _number(chance)
    between = D if (rows, D) in LETTERS or (D, rows) in LETTERS else ONE_DIM
    return Product((_leaf((rows, between), chance), _leaf((between, columns), chance)))


def _number(chance: Random) -> Node:
    """A 1 x 1 word, such as u^T A p."""
    size = chance.choice((D, D, E))
    left, right = (Letter(chance.choice(LETTERS[size, ONE_DIM]), size, ONE_DIM) for _ in range(2))
    kind = chance.random()
    if kind < 0.3:
        return Product((Flipped(left), right))
    if kind < 0.6:
        return Product((Flipped(left), _leaf((size, size), chance), _leaf((size, size), chance), right))
    return Product((Flipped(left), _leaf((size, size), chance), right))


def _angle(chance: Random) -> Node:
    m, n = Var("m"), Var("n")
    return chance.choice((m, n, Sum((n, Product((num(-1), m)))), Sum((m, n)), Num(num(1).re), Product((num(2), m))))


def answer(case: Case) -> Answer:
    assert isinstance(case.claim, Equation)
    return prove(asking_matrices.statement(case.claim))


def opinion(case: Case, answer: Answer, chance: Random) -> Judgement:
    assert isinstance(case.claim, Equation)
    if case.defect == ILL_TYPED:
        return judging_matrices.ill_typed(case.claim)
    return judging_matrices.judged(case.claim, case.defect, answer, chance)
