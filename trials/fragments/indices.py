"""Entries of a matrix in memory: flat index = row * width + column with 0 <= column < width, in a stated region.

The kernel locates row and column for every size at once; the oracle walks through memory row by row at small sizes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product
from random import Random

from derivations.kernel import Answer
from trials import defects, judging_matrices
from trials import oracles_matrices as oracle
from trials.case import Case, Judgement
from trials.fragments import words
from trials.language import Demand, Equation, Member, Node, Product, Reach, Sum, Total, Var, negative, num
from trials.language_matrices import Entry, Flat
from trials.places import Place
from trials.reworking import cancelled, distributed, nested, reworked, shuffled

NAME = "indices"
I, J, K, L = (Var(name) for name in "ijKL")
ONE, TWO = num(1), num(2)
WIDTHS = (
    K,
    K,
    K,
    K,
    L,
    num(3),
    Sum((K, L)),
    Sum((K, ONE)),
    Sum((L, ONE)),
    Product((TWO, L)),
    Sum((Product((TWO, L)), num(-1))),
    Sum((K, L, num(-1))),
    Product((K, L)),
)
ROWS = (I, I, I, J, Sum((I, ONE)), Sum((I, num(-1))), num(0))
COLUMNS = (
    J,
    J,
    Sum((J, ONE)),
    Sum((J, ONE)),
    Sum((J, TWO)),
    Sum((J, L, negative(I))),
    Sum((J, negative(I))),
    Sum((J, I)),
    Sum((K, num(-1), negative(J))),
    num(0),
    I,
    Product((TWO, J)),
)
REACHES = (Reach("i", L), Reach("j", K))
RULES = (shuffled, distributed, nested, cancelled)
SMALL = range(1, 5)
answer = words.answer


def draw(chance: Random) -> Case:
    kind = chance.random()
    if kind < 0.02:
        return _hidden(chance)
    if kind < 0.65:
        claim = located(chance)
    elif kind < 0.8:
        claim = _same_place(chance)
    else:
        claim = _arithmetic(chance)
    if chance.random() < 0.2:
        return Case(NAME, claim)
    changed = _weakened(claim, chance) if chance.random() < 0.5 else None
    if changed is not None:
        return Case(NAME, changed[0], changed[1])
    found = defects.spoiled(claim.right, chance) if chance.random() < 0.6 else None
    if found:
        return Case(NAME, replace(claim, right=found[0]), found[1])
    found = defects.spoiled(claim.left, chance)
    return Case(NAME, replace(claim, left=found[0]), found[1]) if found else Case(NAME, claim)


def opinion(case: Case, answer: Answer, chance: Random) -> Judgement:
    assert isinstance(case.claim, Equation)
    return judging_matrices.judged(case.claim, case.defect, answer, chance, largest=5, places=24)


def located(chance: Random) -> Equation:
    """An entry at a flat index, with the region in which it stands in that row and column."""
    width, row, column = chance.choice(WIDTHS), chance.choice(ROWS), chance.choice(COLUMNS)
    last = Sum((width, num(-1), negative(column)))
    region = [bound for bound in (column, last) if not _always(bound) or chance.random() < 0.2]
    left = Flat("X", flat(row, width, column, chance), width)
    demands = tuple(Demand("nonnegative", bound) for bound in region)
    return Equation(left, Entry("X", row, column), demands, REACHES)


def flat(row: Node, width: Node, column: Node, chance: Random) -> Node:
    """row * width + column, written in some way."""
    return rewritten(Sum((Product((row, width)), column)), chance)


def rewritten(node: Node, chance: Random) -> Node:
    return reworked(node, chance, steps=chance.randint(0, 2), rules=RULES)


@lru_cache(maxsize=1024)
def _always(bound: Node) -> bool:
    """Is the bound at least 0 for all indices at small counts? The bounds here are linear, so that this decides it."""
    places = (
        {"K": k, "L": rows, "i": i, "j": j} for k, rows in product(SMALL, SMALL) for i in range(rows) for j in range(k)
    )
    return all(oracle.whole(bound, Place(dict(numbers))) >= 0 for numbers in places)


def _same_place(chance: Random) -> Equation:
    """One flat index, written in two ways: true with and without a region."""
    width, at = (
        chance.choice(WIDTHS),
        Sum((Product((chance.choice(ROWS), chance.choice(WIDTHS))), chance.choice(COLUMNS))),
    )
    left, right = (Flat("X", rewritten(at, chance), rewritten(width, chance)) for _ in range(2))
    return Equation(left, right, (), REACHES)


def _arithmetic(chance: Random) -> Equation:
    """Entries and what stands at flat indices, in sums and products."""
    claim = located(chance)
    other = Member("x", chance.choice((I, J, Sum((I, ONE)))))
    sides: tuple[Node, Node]
    match chance.randrange(3):
        case 0:
            sides = (Product((claim.left, other)), Product((other, claim.right)))
        case 1:
            sides = (Sum((claim.left, other, Entry("X", I, J))), Sum((Entry("X", I, J), other, claim.right)))
        case _:
            entry = Entry("X", chance.choice((I, num(0))), Var("k"))
            body = Product((entry, Member("x", Var("k"))))
            sides = (
                Product((claim.left, Total("k", K, body))),
                Total("k", K, Product((Member("x", Var("k")), claim.right, entry))),
            )
    return replace(claim, left=sides[0], right=sides[1])


def _hidden(chance: Random) -> Case:
    """An index of a sum that bears the name of one in a range, and runs further than that."""
    row = chance.choice((I, num(0), Sum((I, ONE))))
    sides = (Flat("X", Sum((Product((row, K)), J)), K), Entry("X", row, J))
    left, right = (Total("j", L, Product((side, Member("x", J)))) for side in sides)
    return Case(NAME, Equation(left, right, (), REACHES), "swapped symbols")


def _weakened(claim: Equation, chance: Random) -> tuple[Equation, str] | None:
    """A bound of the region gone or one too far, or an index that runs too far."""
    kind = chance.randrange(3)
    needed = [k for k, demand in enumerate(claim.demands) if not _always(demand.left)]
    if kind == 0 and needed:
        k = chance.choice(needed)
        return replace(claim, demands=claim.demands[:k] + claim.demands[k + 1 :]), "hypothesis removed"
    if kind == 1 and needed:
        k = chance.choice(needed)
        further = Demand("nonnegative", Sum((claim.demands[k].left, ONE)))
        return replace(claim, demands=(*claim.demands[:k], further, *claim.demands[k + 1 :])), "off-by-one bound"
    if kind == 2:
        longer = chance.choice(((REACHES[0], Reach("j", L)), (Reach("i", K), REACHES[1])))
        return replace(claim, reaches=longer), "off-by-one bound"
    return (replace(claim, reaches=REACHES[:1]), "hypothesis removed") if chance.random() < 0.3 else None
