"""Identities by rules that everybody knows: a node is changed into an equal one, at places chosen by chance.

The rules are those of rings, of transposition, of rotations and of cos and sin; none is taken from the kernel. They are
applied outside angles and indices, where an expression must keep its form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TypeAlias

from trials.language import (
    HALF,
    Member,
    Node,
    Num,
    Op,
    Product,
    Raised,
    Sum,
    Total,
    Var,
    negative,
    num,
    rebuilt,
    turned,
)
from trials.language_matrices import (
    ONE_DIM,
    SCALAR_DIMS,
    Blocks,
    Dim,
    Entry,
    Flat,
    Flipped,
    Turning,
    Unit,
    children,
    dims,
    fits,
    walk,
)

Change: TypeAlias = Callable[[Node, Random], "Node | None"]
Path: TypeAlias = tuple[int, ...]
KEPT = (Member, Op, Turning, Entry, Flat)  # what stands inside these is an angle or an index


def reworked(
    node: Node,
    chance: Random,
    *,
    steps: int = 3,
    families: dict[Dim, str] | None = None,
    rules: tuple[Change, ...] | None = None,
) -> Node:
    """An equal node, `steps` rules away. `families` names the rotation family of a size."""
    rules = RULES if rules is None else rules
    rules = (*rules, _turned_back(families)) if families else rules
    for _ in range(steps):
        found = paths(node)
        for _ in range(4):
            path = chance.choice(found)
            changed = chance.choice(rules)(at_path(node, path), chance)
            if changed is not None:
                node = put_at(node, path, changed)
                break
    return node


def paths(node: Node, *, inside: tuple[type, ...] = KEPT) -> list[Path]:
    """The places of all nodes that are not inside one of these."""
    found: list[Path] = [()]
    if not isinstance(node, inside):
        kept = {Total: 0, Raised: 1}.get(type(node))  # what a sum runs to stays a name, and an exponent a number
        for k, part in enumerate(children(node)):
            if k != kept:
                found += [(k, *path) for path in paths(part, inside=inside)]
    return found


def at_path(node: Node, path: Path) -> Node:
    for k in path:
        node = children(node)[k]
    return node


def put_at(node: Node, path: Path, new: Node) -> Node:
    """The node with another one at this place."""
    if not path:
        return new
    parts = list(children(node))
    parts[path[0]] = put_at(parts[path[0]], path[1:], new)
    return rebuilt(node, tuple(parts))


def shuffled(node: Node, chance: Random) -> Node | None:
    if isinstance(node, Sum):
        return Sum(tuple(chance.sample(node.terms, len(node.terms))))
    return None


def distributed(node: Node, chance: Random) -> Node | None:
    """(a)(b + c) = ab + ac, at one factor that is a sum."""
    if not isinstance(node, Product):
        return None
    sums = [k for k, factor in enumerate(node.factors) if isinstance(factor, Sum)]
    if not sums:
        return None
    k = chance.choice(sums)
    before, after = node.factors[:k], node.factors[k + 1 :]
    return Sum(tuple(Product((*before, part, *after)) for part in node.factors[k].terms))


def nested(node: Node, chance: Random) -> Node | None:
    """a b c = a (b c)."""
    if not isinstance(node, Product) or len(node.factors) < 3:
        return None
    k = chance.randrange(1, len(node.factors) - 1)
    changed = Product((*node.factors[:k], Product(node.factors[k : k + 2]), *node.factors[k + 2 :]))
    return changed if fits(changed, dims(node)) else None


def halved(node: Node, _: Random) -> Node:
    half = Product((HALF, node))
    return Sum((half, half))


def cancelled(node: Node, chance: Random) -> Node:
    other = Product((num(chance.choice((2, 3, -2))), node))
    return Sum((node, other, negative(other)))


def flipped_twice(node: Node, _: Random) -> Node | None:
    return None if dims(node) == SCALAR_DIMS else Flipped(Flipped(node))


def flip_pushed(node: Node, _: Random) -> Node | None:
    """(A B)^T = B^T A^T, (A + B)^T = A^T + B^T, R(a)^T = R(-a), I^T = I."""
    match node:
        case Flipped(Product(factors)):
            return Product(tuple(Flipped(factor) for factor in reversed(factors))) if _straight(factors) else None
        case Flipped(Sum(parts)):
            return Sum(tuple(map(Flipped, parts)))
        case Flipped(Flipped(inner)):
            return inner
        case Flipped(Turning(name, angle, dim)):
            return Turning(name, negative(angle), dim)
        case Flipped(Unit() as unit):
            return unit
    return None


def _straight(factors: tuple[Node, ...]) -> bool:
    """Reversing keeps the meaning where no product on the way is a number that then scales a matrix."""
    try:
        return all(dims(factor) != SCALAR_DIMS for factor in factors) and bool(
            dims(Product(tuple(Flipped(factor) for factor in reversed(factors))))
        )
    except Exception as refusal:
        if type(refusal).__name__ != "IllTypedError":
            raise
        return False


def scalar_flipped(node: Node, _: Random) -> Node | None:
    """A number is its own transpose."""
    return Flipped(node) if isinstance(node, Product) and dims(node) == SCALAR_DIMS else None


def with_unit(node: Node, chance: Random) -> Node | None:
    rows, columns = dims(node)
    if rows == columns == ONE_DIM:
        return Product((node, num(1)))
    return Product((Unit(rows), node)) if chance.random() < 0.5 else Product((node, Unit(columns)))


def rotation_split(node: Node, chance: Random) -> Node | None:
    """R(a) = R(b) R(a - b)."""
    if not isinstance(node, Turning):
        return None
    other = chance.choice((Var("m"), Var("n"), num(1), num(-2)))
    parts = (Turning(node.name, other, node.dim), Turning(node.name, Sum((node.at, negative(other))), node.dim))
    return Product(parts if chance.random() < 0.5 else parts[::-1])


def _turned_back(families: dict[Dim, str]) -> Change:
    """A = A R(b) R(b)^T."""

    def change(node: Node, chance: Random) -> Node | None:
        columns = dims(node)[1]
        if columns not in families:
            return None
        turning = Turning(families[columns], chance.choice((Var("m"), Var("n"), num(2))), columns)
        return Product((node, turning, Flipped(turning)))

    return change


def scalar_moved(node: Node, chance: Random) -> Node | None:
    """A number commutes with everything."""
    if not isinstance(node, Product):
        return None
    numbers = [k for k, factor in enumerate(node.factors) if dims(factor) == SCALAR_DIMS]
    if not numbers or len(node.factors) < 2:
        return None
    k = chance.choice(numbers)
    rest = [*node.factors[:k], *node.factors[k + 1 :]]
    rest.insert(chance.randrange(len(rest) + 1), node.factors[k])
    changed = Product(tuple(rest))
    return changed if fits(changed, dims(node)) else None


def wave_expanded(node: Node, chance: Random) -> Node | None:
    """Addition theorems, Euler's formula, parity."""
    match node:
        case Op("cos", Sum((x, y))):
            return Sum((Product((cos(x), cos(y))), Product((num(-1), sin(x), sin(y)))))
        case Op("sin", Sum((x, y))):
            return Sum((Product((sin(x), cos(y))), Product((cos(x), sin(y)))))
        case Op("cos", angle):
            other: Node = Product((HALF, Sum((turned(angle), turned(negative(angle))))))
            return other if chance.random() < 0.5 else cos(negative(angle))
        case Op("sin", angle):
            return negative(sin(negative(angle)))
    return None


def square_opened(node: Node, _: Random) -> Node | None:
    match node:
        case Raised(base, Num(Fraction(numerator=2, denominator=1))):
            return Product((base, base))
    return None


def circle_inserted(node: Node, chance: Random) -> Node | None:
    """a = a (cos^2 + sin^2), at an angle that stands below already."""
    angles = [part.argument for part in walk(node) if isinstance(part, Op) and part.name == "cos"]
    if not angles or dims(node) != SCALAR_DIMS or isinstance(node, Op):
        return None
    angle = chance.choice(angles)
    if _bound_below(node) & {part.name for part in walk(angle) if isinstance(part, Var)}:
        return None
    return Product((node, Sum((Raised(cos(angle), num(2)), Raised(sin(angle), num(2))))))


def _bound_below(node: Node) -> frozenset[str]:
    return frozenset(part.index for part in walk(node) if isinstance(part, (Total, Blocks)))


def total_split(node: Node, _: Random) -> Node | None:
    match node:
        case Total(index, count, Sum(parts)):
            return Sum(tuple(Total(index, count, part) for part in parts))
    return None


def index_renamed(node: Node, chance: Random) -> Node | None:
    """A bound index may have any name that is not in use."""
    if not isinstance(node, (Total, Blocks)):
        return None
    used = {part.name for part in walk(node) if isinstance(part, Var)} | _bound_below(node)
    new = chance.choice(("i", "j", "k", "l"))
    if new in used:
        return None
    changed = tuple(renamed(part, node.index, new) for part in children(node))
    return replace(rebuilt(node, changed), index=new)


def renamed(node: Node, old: str, new: str) -> Node:
    """A variable under another name that the node does not use; where it is bound again it stays."""
    if isinstance(node, Var):
        return Var(new) if node.name == old else node
    if isinstance(node, (Total, Blocks)) and node.index == old:
        return node
    parts = children(node)
    return rebuilt(node, tuple(renamed(part, old, new) for part in parts)) if parts else node


def cos(angle: Node) -> Op:
    return Op("cos", angle)


def sin(angle: Node) -> Op:
    return Op("sin", angle)


RULES: tuple[Change, ...] = (
    shuffled,
    distributed,
    distributed,
    nested,
    halved,
    cancelled,
    flipped_twice,
    flip_pushed,
    flip_pushed,
    scalar_flipped,
    with_unit,
    rotation_split,
    scalar_moved,
    wave_expanded,
    square_opened,
    circle_inserted,
    total_split,
    index_renamed,
)
