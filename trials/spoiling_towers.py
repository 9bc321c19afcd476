"""One defect in an equation between real terms of towers: a realistic slip at one random node of one side.

A changed equation may still be true; whether it is, is for the oracle to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from trials.language import (
    HALF,
    TWO,
    Call,
    Equation,
    Node,
    Num,
    Op,
    Product,
    Raised,
    Sum,
    Var,
    children,
    exp,
    negative,
    num,
    rebuilt,
    times,
)
from trials.language_towers import Root, Share

NEARLY = num(1 + Fraction(1, 10**9))  # closer to 1 than the floats that propose a merge can tell
Path = tuple[int, ...]
Change = tuple[str, Callable[[], Node]]  # the word for a defect, and the node that has it


def spoiled(claim: Equation, chance: Random) -> tuple[Equation, str]:
    """The equation with one defect in a side, four times of five in the right one; and the word for it."""
    left = chance.random() < 0.2
    side, word = _spoiled_side(claim.left if left else claim.right, chance)
    return replace(claim, left=side) if left else replace(claim, right=side), word


def _spoiled_side(side: Node, chance: Random) -> tuple[Node, str]:
    """First the word for the defect is drawn and then the place, so that defects which few nodes can have come too."""
    places: dict[str, list[tuple[Path, Node, Callable[[], Node]]]] = {}
    for path, node in _places(side, ()):
        for word, made in _changes(node, chance):
            places.setdefault(word, []).append((path, node, made))
    while True:
        word = chance.choice(list(places))
        path, node, made = chance.choice(places[word])
        changed = made()
        if changed != node:
            return _put(side, path, changed), word


def _places(node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    """The nodes that a defect may change; an exponent changes with its power."""
    yield path, node
    parts = children(node)[:1] if isinstance(node, Raised) else children(node)
    for k, part in enumerate(parts):
        yield from _places(part, (*path, k))


def _put(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    parts = list(children(node))
    parts[path[0]] = _put(parts[path[0]], path[1:], new)
    return rebuilt(node, tuple(parts))


def _changes(node: Node, chance: Random) -> list[Change]:
    """The defects that this node can have."""
    factor = chance.choice((TWO, HALF, NEARLY))
    found: list[Change] = [("sign", lambda: negative(node)), ("factor", lambda: times(factor, node))]
    match node:
        case Var(name):
            found.append(("swapped symbols", lambda: _other_symbol(name, chance)))
        case Sum(parts) | Product(parts) if len(parts) > 1:
            found.append(("dropped term", lambda: _without_one(type(node), parts, chance)))
        case Raised(base, Num(n)):
            found.append(("exponent", lambda: Raised(base, num(chance.choice((n + 1, n - 1, -n))))))
        case Root(radicand):
            found.append(("exponent", lambda: radicand))
        case Op("exp", argument):
            found.append(("exponent", lambda: exp(times(TWO, argument))))
        case Op("cos" | "sin" as name, argument):
            found.append(("swapped symbols", lambda: Op("sin" if name == "cos" else "cos", argument)))
        case Call(name, argument):
            found.append(("swapped symbols", lambda: Call("g" if name == "f" else "f", argument)))
        case Share(mine, scores):
            found.append(("index", lambda: _other_entry(mine, scores, chance)))
            if len(scores) > 1:
                found.append(("dropped term", lambda: Share(mine, _without(scores, chance.randrange(len(scores))))))
    return found


def _other_symbol(name: str, chance: Random) -> Var:
    pool = ("x", "y", "m") if name in ("x", "y", "m") else ("a", "b", "x")
    return Var(chance.choice([other for other in pool if other != name]))


def _without(parts: tuple[Node, ...], gone: int) -> tuple[Node, ...]:
    return parts[:gone] + parts[gone + 1 :]


def _without_one(kind: type[Sum | Product], parts: tuple[Node, ...], chance: Random) -> Node:
    kept = _without(parts, chance.randrange(len(parts)))
    return kept[0] if len(kept) == 1 else kind(kept)


def _other_entry(mine: Node, scores: tuple[Node, ...], chance: Random) -> Node:
    """The probability of another entry, or one score twice in the place of another."""
    k, j = chance.randrange(len(scores)), chance.randrange(len(scores))
    if chance.random() < 0.5:
        return Share(scores[k], scores)
    return Share(mine, tuple(scores[j] if i == k else score for i, score in enumerate(scores)))
