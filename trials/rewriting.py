"""True rewriting: other forms of a term by rules that hold everywhere, chosen at random.

Terms of a sum and factors of a product change places, a factor is multiplied into a sum, cosines and sines are written
by exponentials or by half angles, something is added and taken away. Indices and counts are left as they are.
"""

from __future__ import annotations

from random import Random

from trials.language import (
    HALF,
    ONE,
    TWO,
    Member,
    Node,
    Num,
    Op,
    Product,
    Raised,
    Slope,
    Sum,
    Total,
    Var,
    children,
    minus,
    negative,
    num,
    plus,
    raised,
    rebuilt,
    times,
    turned,
)


def rewritten(node: Node, chance: Random) -> Node:
    """An equal term."""
    match node:
        case Member() | Num() | Var():
            return node
        case Total(index, count, body):
            return _total(index, count, rewritten(body, chance), chance)
        case Slope(body, by):
            return Slope(rewritten(body, chance), by)
    inner = rebuilt(node, tuple(rewritten(part, chance) for part in children(node)))
    return _one_step(inner, chance) if chance.random() < 0.3 else inner


def _total(index: str, count: Node, body: Node, chance: Random) -> Node:
    if isinstance(body, Sum) and chance.random() < 0.3:
        return Sum(tuple(Total(index, count, part) for part in body.terms))
    return Total(index, count, body)


def _one_step(node: Node, chance: Random) -> Node:
    match node:
        case Sum(parts):
            return Sum(tuple(chance.sample(parts, len(parts))))
        case Product((one, Sum(parts))) | Product((Sum(parts), one)) if chance.random() < 0.7:
            return Sum(tuple(Product((part, one)) for part in parts))
        case Product(parts):
            return Product(tuple(chance.sample(parts, len(parts))))
        case Raised(base, Num(n, im)) if n == 2 and not im:
            return times(base, base)
        case Op("cos", angle) if chance.random() < 0.4:
            return chance.choice((_cosine_by_exponentials, _cosine_by_half_angle))(angle)
        case Op("sin", angle) if chance.random() < 0.4:
            return chance.choice((_sine_by_exponentials, _sine_by_half_angle))(angle)
        case Op("exp", Sum(parts)):
            return Product(tuple(Op("exp", part) for part in parts))
        case Op("conj", Op("conj", inner)):
            return inner
        case _:
            return chance.choice((node, node, minus(plus(node, Var("x")), Var("x")), times(ONE, node)))


def _cosine_by_exponentials(angle: Node) -> Node:
    return times(HALF, plus(turned(angle), turned(negative(angle))))


def _sine_by_exponentials(angle: Node) -> Node:
    return times(num(0, -1), HALF, minus(turned(angle), turned(negative(angle))))


def _cosine_by_half_angle(angle: Node) -> Node:
    return plus(ONE, times(num(-2), raised(Op("sin", times(HALF, angle)), 2)))


def _sine_by_half_angle(angle: Node) -> Node:
    half = times(HALF, angle)
    return times(TWO, Op("sin", half), Op("cos", half))
