"""One defect in a matrix expression: the slips that people make when they copy a formula, each at one node."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, TypeAlias

from trials.language import Member, Node, Num, Op, Product, Raised, Sum, Total, Var, negative, num, rebuilt
from trials.language_matrices import (
    ANGLES,
    SCALAR_DIMS,
    Array,
    Blocks,
    Entry,
    Flat,
    Flipped,
    Free,
    IllTypedError,
    Letter,
    Turning,
    children,
    dims,
    fits,
    walk,
)
from trials.reworking import Path, at_path, paths, put_at, renamed

Spoiled: TypeAlias = "tuple[Node, str] | None"
TRIES = 24
STRUCTURE = (Product, Flipped, Blocks, Array, Letter, Turning, Total)  # what single numbers would crowd out


def spoiled(node: Node, chance: Random) -> Spoiled:
    """The node with one defect, of the same size, and what was done to it; None where no try changed it."""
    wanted, found = dims(node), paths(node, inside=())
    large = [path for path in found if isinstance(at_path(node, path), STRUCTURE)]
    if chance.random() < 0.15:
        exchanged = _exchanged(node, large, chance)
        if exchanged is not None and exchanged != node:
            return exchanged, "order of factors"
    for _ in range(TRIES):
        path = chance.choice(large if large and chance.random() < 0.5 else found)
        changed = slip(at_path(node, path), node, chance)
        if changed is None:
            continue
        whole = put_at(node, path, changed[0])
        if whole != node and fits(whole, wanted):
            return whole, changed[1]
    return None


def _exchanged(node: Node, large: list[Path], chance: Random) -> Node | None:
    """Two neighbours in a product of square matrices exchanged, or a product transposed without being turned."""
    places = []
    for path in large:
        match at_path(node, path):
            case Product(factors):
                sizes = [dims(factor) for factor in factors]
                places += [(path, k) for k in range(len(factors) - 1) if sizes[k] == sizes[k + 1] != SCALAR_DIMS]
            case Flipped(Product(factors)) if len({dims(factor) for factor in factors}) == 1:
                places.append((path, -1))
    if not places:
        return None
    path, k = chance.choice(places)
    inner = at_path(node, path)
    if isinstance(inner, Flipped):
        return put_at(node, path, Product(tuple(map(Flipped, inner.of.factors))))
    factors = inner.factors
    return put_at(node, path, Product((*factors[:k], factors[k + 1], factors[k], *factors[k + 2 :])))


def ill_typed(node: Node, chance: Random) -> Node | None:
    """The node with sizes that do not agree, by a forgotten transposition or factors in the wrong order."""
    found = paths(node)
    for _ in range(TRIES):
        path = chance.choice(found)
        inner = at_path(node, path)
        match inner:
            case Flipped(of):
                changed = of
            case Letter(name, rows, (multiple, of)) if chance.random() < 0.5:
                changed = Letter(f"{name}2", rows, (multiple + 1, of))  # wider, in units of the same size
            case Letter():
                changed = Flipped(inner)
            case Product(factors):
                changed = Product(factors[::-1])
            case _:
                continue
        whole = put_at(node, path, changed)
        try:
            if dims(whole) != dims(node):
                return whole
        except IllTypedError:
            return whole
    return None


def slip(inner: Node, whole: Node, chance: Random) -> Spoiled:  # noqa: C901 - one case for each node
    match inner:
        case Sum(parts):
            return _in_sum(parts, chance)
        case Product(factors):
            return _in_product(factors, chance)
        case Num(re, im) if im:
            return Num(-re, -im), "sign"
        case Num(re, im):
            return chance.choice(((Num(-re, -im), "sign"), (Num(re + 1, im), "factor")))
        case Var(name):
            return _another(inner, name, whole, chance)
        case Member():
            return _in_member(inner, whole, chance)
        case Letter():
            return _in_letter(inner, whole, chance)
        case Flipped(Product(factors)) if chance.random() < 0.6:
            return Product(tuple(map(Flipped, factors))), "order of factors"
        case Flipped(of):
            return None if dims(of) == SCALAR_DIMS else (of, "transposition")
        case Turning() | Free():
            return _in_family(inner, chance)
        case Op("cos", angle):
            return Op("sin", angle), "swapped symbols"
        case Op("sin", angle):
            return Op("sin", negative(angle)), "sign"
        case Raised(base, Num(n)):
            return Raised(base, num(n + 1)), "exponent"
        case Total(index, _, body):
            return Sum((inner, negative(_first(body, index)))), "off-by-one bound"
        case Entry(name, row, column):
            return chance.choice(((Entry(name, column, row), "swapped symbols"), _neighbour(inner, chance)))
        case Flat():
            return _neighbour(inner, chance)
        case Array() | Blocks():
            return _in_grid(inner, chance)
    return None


def _in_sum(parts: tuple[Node, ...], chance: Random) -> Spoiled:
    k = chance.randrange(len(parts))
    if chance.random() < 0.5 and len(parts) > 1:
        return Sum((*parts[:k], *parts[k + 1 :])), "dropped term"
    return Sum((*parts[:k], negative(parts[k]), *parts[k + 1 :])), "sign"


def _in_product(factors: tuple[Node, ...], chance: Random) -> Spoiled:
    if any(isinstance(factor, Num) and factor.im for factor in factors):
        return None  # i times an angle must keep its form
    sizes = [dims(factor) for factor in factors]
    pairs = [k for k in range(len(factors) - 1) if sizes[k] == sizes[k + 1] != SCALAR_DIMS]
    if pairs and chance.random() < 0.6:
        k = chance.choice(pairs)
        return Product((*factors[:k], factors[k + 1], factors[k], *factors[k + 2 :])), "order of factors"
    if len(factors) == 1 or chance.random() < 0.5:
        return None
    k = chance.randrange(len(factors))
    return Product((*factors[:k], *factors[k + 1 :])), "factor"


def _in_member(inner: Member, whole: Node, chance: Random) -> tuple[Node, str]:
    known = {n.sequence for n in walk(whole) if isinstance(n, Member)} - ANGLES - {inner.sequence}
    if known and inner.sequence not in ANGLES and chance.random() < 0.5:
        return Member(chance.choice(sorted(known)), inner.index), "swapped symbols"
    return Member(inner.sequence, Sum((inner.index, num(chance.choice((1, -1)))))), "index"


def _in_family(inner: Turning | Free, chance: Random) -> tuple[Node, str]:
    """Another angle; seldom another family, since all turn alike at the points of the kernel and none refutes it."""
    if isinstance(inner, Turning) and inner.name in "RT" and chance.random() < 0.03:
        return replace(inner, name="T" if inner.name == "R" else "R"), "swapped symbols"
    moved = ((negative(inner.at), "sign"), (Sum((inner.at, num(1))), "index"))
    at, word = chance.choice(moved)
    return replace(inner, at=at), word


def _another(inner: Var, name: str, whole: Node, chance: Random) -> Spoiled:
    if name in ANGLES:
        return negative(inner), "sign"
    others = sorted({n.name for n in walk(whole) if isinstance(n, Var)} - {name} - ANGLES)
    if not others or chance.random() < 0.3:
        return Sum((inner, num(1))), "index"
    return Var(chance.choice(others)), "swapped symbols"


def _in_letter(inner: Letter, whole: Node, chance: Random) -> Spoiled:
    alike = (inner.rows, inner.columns)
    others = [n for n in walk(whole) if isinstance(n, Letter) and (n.rows, n.columns) == alike and n != inner]
    if others and chance.random() < 0.5:
        return chance.choice(others), "swapped symbols"
    return None if alike == SCALAR_DIMS else (Flipped(inner), "transposition")


def _first(body: Node, index: str) -> Node:
    """The body at 0, by renaming its index to a name and putting 0 for it."""
    if isinstance(body, Var) and body.name == index:
        return num(0)
    if isinstance(body, (Total, Blocks)) and body.index == index:
        return body
    parts = children(body)
    return rebuilt(body, tuple(_first(part, index) for part in parts)) if parts else body


def _neighbour(inner: Entry | Flat, chance: Random) -> tuple[Node, str]:
    field: str = chance.choice(("row", "column") if isinstance(inner, Entry) else ("at", "at", "width"))
    moved: Any = {field: Sum((getattr(inner, field), num(chance.choice((1, -1)))))}
    return replace(inner, **moved), "index"


def _in_grid(inner: Array | Blocks, chance: Random) -> Spoiled:
    """Two entries exchanged, or for blocks another layout on one side."""
    grid = inner.rows if isinstance(inner, Array) else inner.entries
    if isinstance(inner, Blocks) and chance.random() < 0.5:
        changed = _other_layout(inner, chance)
        return (changed, "layout") if changed else None
    places = [(r, c) for r, row in enumerate(grid) for c in range(len(row))]
    if len(places) < 2:
        return None
    (a, b), (c, d) = chance.sample(places, 2)
    cells = [list(row) for row in grid]
    cells[a][b], cells[c][d] = cells[c][d], cells[a][b]
    rows = tuple(map(tuple, cells))
    return (Array(rows) if isinstance(inner, Array) else replace(inner, entries=rows)), "index"


def _other_layout(inner: Blocks, chance: Random) -> Blocks | None:
    side = "across" if inner.across is not None and chance.random() < 0.5 else "down"
    exchange = inner.across not in (None, inner.down) and dims(inner) == dims(Flipped(inner))
    if exchange and chance.random() < 0.5:
        assert inner.across is not None
        return replace(inner, down=inner.across, across=inner.down)
    kind, order = getattr(inner, side)
    if len(order) == 1:
        return None  # both kinds are one
    if chance.random() < 0.5:
        order = tuple(chance.sample(order, len(order)))
    else:
        kind = "halves" if kind == "interleaved" else "interleaved"
    changed: Any = {side: (kind, order)}
    return replace(inner, **changed)


__all__ = ["ill_typed", "renamed", "spoiled"]
