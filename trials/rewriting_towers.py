"""True rewriting of real terms for towers: other forms by rules that hold wherever both forms have values.

Scores change places and their common zero, a probability is written as a quotient of exponentials, sums are cut or cuts
opened, something is inverted twice, or added and taken away.
"""

from __future__ import annotations

from random import Random

from trials.language import (
    MINUS,
    Node,
    Num,
    Op,
    Product,
    Raised,
    Sum,
    Var,
    children,
    exp,
    minus,
    negative,
    plus,
    rebuilt,
    times,
)
from trials.language_towers import Cut, Root, Share, inverse


def rewritten(node: Node, chance: Random) -> Node:
    """An equal term."""
    if isinstance(node, Num):
        return node
    inner = rebuilt(node, tuple(rewritten(part, chance) for part in children(node)))
    return _one_step(inner, chance) if chance.random() < 0.25 else inner


def _one_step(node: Node, chance: Random) -> Node:
    match node:
        case Share(mine, scores):
            return _other_share(mine, scores, chance)
        case Sum(parts):
            moved = Sum(tuple(chance.sample(parts, len(parts))))
            return Cut(moved) if chance.random() < 0.3 else moved
        case Product((one, Sum(parts))) | Product((Sum(parts), one)) if chance.random() < 0.6:
            return Sum(tuple(Product((part, one)) for part in parts))
        case Product(parts):
            return Product(tuple(chance.sample(parts, len(parts))))
        case Raised(base, Num(n)) if n == 2:
            return times(base, base)
        case Op("exp", Sum(parts)):
            return Product(tuple(exp(part) for part in parts))
        case Cut(body):
            return body
        case _:
            y = Var("y")
            detours = (minus(plus(node, y), y), minus(Cut(plus(node, y)), y), inverse(inverse(node)))
            return chance.choice((node, node, *detours))


def _other_share(mine: Node, scores: tuple[Node, ...], chance: Random) -> Node:
    """Another order, another zero of all scores, or the quotient of exponentials that it is."""
    order = tuple(chance.sample(scores, len(scores)))
    shift = chance.choice((Var("m"), times(Var("x"), Var("y")), MINUS, negative(mine), Root(Var("a"))))
    moved = Share(plus(mine, shift), tuple(plus(score, shift) for score in order))
    return chance.choice((Share(mine, order), moved, times(exp(mine), inverse(plus(*map(exp, scores))))))
