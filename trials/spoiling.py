"""One defect: a realistic slip at one random place of an equation that was true.

What is changed is one node of one side: a sign, a factor, an exponent, one symbol for another, an index, a bound, or a
term that is missing. A changed equation may still be true; whether it is, is for the oracle to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from trials.language import (
    HALF,
    IMAGINARY,
    MINUS,
    ONE,
    TWO,
    Call,
    Equation,
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
    rebuilt,
    times,
    walk,
)

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
    for path, node, bound in _places(side, (), frozenset()):
        for word, made in _changes(node, bound, chance):
            places.setdefault(word, []).append((path, node, made))
    while True:
        word = chance.choice(list(places))
        path, node, made = chance.choice(places[word])
        changed = made()
        if changed != node:
            return _put(side, path, changed), word


def _places(node: Node, path: Path, bound: frozenset[str]) -> Iterator[tuple[Path, Node, frozenset[str]]]:
    """The nodes that a defect may change, with the indices bound there; indices and counts change with their owner."""
    yield path, node, bound
    match node:
        case Member():
            return
        case Total(index):
            yield from _places(node.body, (*path, 1), bound | {index})
        case Raised(base, Num()):
            yield from _places(base, (*path, 0), bound)
        case _:
            for k, part in enumerate(children(node)):
                yield from _places(part, (*path, k), bound)


def _put(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    parts = list(children(node))
    parts[path[0]] = _put(parts[path[0]], path[1:], new)
    return rebuilt(node, tuple(parts))


def _changes(node: Node, bound: frozenset[str], chance: Random) -> list[Change]:
    """The defects that this node can have."""
    found: list[Change] = [("sign", lambda: _opposite(node, chance)), ("factor", lambda: _scaled(node, chance))]
    if len(bound) == 2 and isinstance(node, Op | Call):
        found.append(("index", lambda: _swapped(node, sorted(bound))))
    match node:
        case Var(name):
            found.append(("swapped symbols", lambda: _other_symbol(name, bound, chance)))
        case Sum(parts) if len(parts) > 1:
            found.append(("dropped term", lambda: _without_one(node, parts, chance)))
        case Product(parts) if len(parts) > 1:
            found.append(("dropped term", lambda: _without_one(node, parts, chance)))
        case Raised(base, Num() as exponent):
            found.append(("exponent", lambda: Raised(base, _other_exponent(exponent, chance))))
        case Op():
            found += _changes_of_operator(node, chance)
        case Member(sequence, index):
            found.append(("index", lambda: Member(sequence, _other_index(index, bound, chance))))
        case Total():
            found.append(("off-by-one bound", lambda: _other_bound(node, chance)))
            found.append(("index", lambda: _as_constant(node, chance)))
        case Slope(body, by):
            found.append(("swapped symbols", lambda: Slope(body, _other_symbol(by, frozenset(), chance).name)))
    return found


def _opposite(node: Node, chance: Random) -> Node:
    """The sign of all of it, or of the imaginary part alone."""
    if not isinstance(node, Num):
        return negative(node)
    return num(node.re, -node.im) if node.re and node.im and chance.random() < 0.5 else num(-node.re, -node.im)


def _scaled(node: Node, chance: Random) -> Node:
    if isinstance(node, Num) and chance.random() < 0.6:
        return num(node.re + chance.choice((-1, 1)), node.im)
    return times(chance.choice((TWO, HALF, IMAGINARY)), node)


def _other_symbol(name: str, bound: frozenset[str], chance: Random) -> Var:
    pool = [*sorted(bound), "x", "y", "m"] if name in bound or name in ("x", "y", "m") else ["a", "b", "x"]
    return Var(chance.choice([other for other in pool if other != name]))


def _without_one(node: Sum | Product, parts: tuple[Node, ...], chance: Random) -> Node:
    gone = chance.randrange(len(parts))
    kept = parts[:gone] + parts[gone + 1 :]
    return kept[0] if len(kept) == 1 else type(node)(kept)


def _other_exponent(exponent: Num, chance: Random) -> Num:
    step = Fraction(1) if exponent.re.denominator == 1 else Fraction(1, exponent.re.denominator)
    return num(chance.choice((exponent.re + step, exponent.re - step, -exponent.re)))


def _changes_of_operator(node: Op, chance: Random) -> list[Change]:
    argument = node.argument
    match node.name:
        case "exp":
            factor = chance.choice((MINUS, TWO, HALF))
            return [("exponent", lambda: Op("exp", times(factor, argument)))]
        case "conj":
            return [("dropped term", lambda: argument)]
        case "re" | "im":
            other: Op = Op("im" if node.name == "re" else "re", argument)
            return [("swapped symbols", lambda: other), ("dropped term", lambda: argument)]
        case "cos" | "sin":
            turned: Op = Op("sin" if node.name == "cos" else "cos", argument)
            return [("swapped symbols", lambda: turned), ("sign", lambda: Op(node.name, negative(argument)))]
        case _:
            return [("factor", lambda: Op(node.name, times(TWO, argument)))]


def _other_index(index: Node, bound: frozenset[str], chance: Random) -> Node:
    """One further, one less, at the start, or another bound index in the place of this one."""
    used = sorted({node.name for node in walk(index) if isinstance(node, Var)} & bound)
    choice = chance.randrange(6)
    if len(used) == 2 and choice > 0:
        return _swapped(index, used)
    others = sorted(bound - set(used))
    if used and others and choice > 2:
        return renamed(index, {used[0]: chance.choice(others)})
    return (plus(index, ONE), minus(index, ONE), num(0))[choice % 3]


def _swapped(node: Node, pair: list[str]) -> Node:
    """Two bound indices in each other's place, where no sum below binds one of them."""
    if any(isinstance(below, Total) for below in walk(node)):
        return node
    return renamed(node, {pair[0]: pair[1], pair[1]: pair[0]})


def renamed(node: Node, names: dict[str, str]) -> Node:
    """The term with variables renamed, all at once; it must not bind any of them."""
    if isinstance(node, Var):
        return Var(names.get(node.name, node.name))
    return rebuilt(node, tuple(renamed(part, names) for part in children(node)))


def _other_bound(node: Total, chance: Random) -> Node:
    """One term more or less: by the count where that is a number, else by hand."""
    index, count, body = node.index, node.count, node.body
    if isinstance(count, Num):
        return Total(index, num(count.re + (chance.choice((-1, 1)) if count.re > 1 else 1)), body)
    term = at(body, index, chance.choice((num(0), count, minus(count, ONE))))
    return chance.choice((plus, minus))(node, term)


def _as_constant(node: Total, chance: Random) -> Node:
    """The body taken for a constant, at the first index or at one that nothing binds."""
    return times(node.count, chance.choice((node.body, at(node.body, node.index, num(0)))))


def at(node: Node, name: str, value: Node) -> Node:
    """The term with a value put for a variable where no sum binds that variable."""
    if isinstance(node, Var):
        return value if node.name == name else node
    if isinstance(node, Total) and node.index == name:
        return Total(name, at(node.count, name, value), node.body)
    return rebuilt(node, tuple(at(part, name, value) for part in children(node)))
