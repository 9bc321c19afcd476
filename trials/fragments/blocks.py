"""Block matrices and vectors over groups i = 0..h-1 in their layouts, and explicit matrices with their determinants.

The kernel decides them for every h at once; the oracle writes the blocks out, coordinate by coordinate, for a few h.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from derivations.kernel import Answer
from trials.case import Case, Judgement
from trials.fragments import words
from trials.language import Equation, Member, Node, Product, Sum, Total, Var, negative, num, rebuilt
from trials.language_matrices import Array, Blocks, Det, Flipped, Grid, Layout, Unit, children, coordinates, dims
from trials.reworking import cos, reworked, sin

NAME = "blocks"
I, A, B, M, N = (Var(name) for name in ("i", "a", "b", "m", "n"))
THETA = Member("theta", I)
ANGLES = (Product((M, THETA)), Product((N, THETA)), Product((Sum((M, negative(N))), THETA)), Sum((THETA, Var("phi"))))
answer = words.answer


def draw(chance: Random) -> Case:
    left, right = chance.choice(SHAPES)(chance)
    right = reworked(right, chance, steps=chance.randint(1, 3))
    if chance.random() < 0.3:
        left = reworked(left, chance, steps=1)
    if chance.random() < 0.3:
        left, right = right, left
    return words.spoiled_case(NAME, Equation(left, right), chance)


def opinion(case: Case, answer: Answer, chance: Random) -> Judgement:
    return words.opinion(case, answer, chance)


def entry(chance: Random, *, index: Node = I, depth: int = 1) -> Node:
    """A small scalar that may depend on the group."""
    kind = chance.random()
    if depth and kind < 0.2:
        return Sum((entry(chance, index=index, depth=0), entry(chance, index=index, depth=0)))
    if depth and kind < 0.4:
        return Product((entry(chance, index=index, depth=0), entry(chance, index=index, depth=0)))
    if kind < 0.6:
        return Member(chance.choice("xyz"), index)
    if kind < 0.68 and index == I:
        return chance.choice((cos, sin))(chance.choice(ANGLES))
    return chance.choice((A, B, num(0), num(1), num(2), num(-1), Member("x", Sum((index, num(1)))), index))


def layout(chance: Random, slots: int | None = None) -> Layout:
    slots = slots or chance.choice((1, 2, 2, 2, 2, 3))
    order = tuple(range(slots))
    if chance.random() < 0.3:
        order = tuple(chance.sample(order, slots))
    return chance.choice(("interleaved", "halves")) if slots > 1 else "interleaved", order


def grid(rows: int, columns: int, chance: Random) -> Grid:
    return tuple(tuple(entry(chance) for _ in range(columns)) for _ in range(rows))


def block(down: Layout, across: Layout | None, chance: Random) -> Blocks:
    return Blocks("i", "h", down, across, grid(len(down[1]), len(across[1]) if across else 1, chance))


def product_of(a: Grid, b: Grid) -> Grid:
    columns = list(zip(*b, strict=True))
    return tuple(tuple(_dot(row, column) for column in columns) for row in a)


def _dot(row: tuple[Node, ...], column: tuple[Node, ...]) -> Node:
    terms = tuple(Product((x, y)) for x, y in zip(row, column, strict=True))
    return Sum(terms) if len(terms) > 1 else terms[0]


def rotation(angle: Node, where: Layout) -> Blocks:
    return Blocks("i", "h", where, where, turn(angle))


def turn(angle: Node) -> Grid:
    return ((cos(angle), negative(sin(angle))), (sin(angle), cos(angle)))


Pair = tuple[Node, Node]


def _product(chance: Random) -> Pair:
    one, two, three = layout(chance), layout(chance), layout(chance)
    a, b = block(one, two, chance), block(two, three, chance)
    return Product((a, b)), Blocks("i", "h", one, three, product_of(a.entries, b.entries))


def _vector(chance: Random) -> Pair:
    one, two = layout(chance), layout(chance)
    a, v = block(one, two, chance), block(two, None, chance)
    if chance.random() < 0.3:
        return Product((Flipped(v), Flipped(a))), Flipped(Product((a, v)))
    return Product((a, v)), Blocks("i", "h", one, None, product_of(a.entries, v.entries))


def _transposed(chance: Random) -> Pair:
    a = block(layout(chance), layout(chance), chance)
    assert a.across is not None
    return Flipped(a), Blocks("i", "h", a.across, a.down, tuple(zip(*a.entries, strict=True)))


def _sum(chance: Random) -> Pair:
    a = block(layout(chance), chance.choice((layout(chance), None)), chance)
    b = block(a.down, a.across, chance)
    pairs = (tuple(map(Sum, zip(r, s, strict=True))) for r, s in zip(a.entries, b.entries, strict=True))
    return Sum((a, b)), Blocks("i", "h", a.down, a.across, tuple(pairs))


def _with_unit(chance: Random) -> Pair:
    where = layout(chance)
    a = block(where, where, chance)
    factor = chance.choice((A, num(2), num(-1)))
    cells = tuple(
        tuple(Sum((e, factor)) if r == c else e for c, e in enumerate(row)) for r, row in enumerate(a.entries)
    )
    return Sum((a, Product((factor, Unit((len(where[1]), "h")))))), Blocks("i", "h", where, where, cells)


def _score(chance: Random) -> Pair:
    """v^T A w is a sum over the groups."""
    one, two = layout(chance), layout(chance)
    v, a, w = block(one, None, chance), block(one, two, chance), block(two, None, chance)
    row = product_of(tuple(zip(*v.entries, strict=True)), product_of(a.entries, w.entries))
    return Product((Flipped(v), a, w)), Total("i", Var("h"), row[0][0])


def _inner(chance: Random) -> Pair:
    where = layout(chance)
    v, w = block(where, None, chance), block(where, None, chance)
    return Product((Flipped(v), w)), Total(
        "i", Var("h"), product_of(tuple(zip(*v.entries, strict=True)), w.entries)[0][0]
    )


def _rotations(chance: Random) -> Pair:
    where = layout(chance, 2)
    m, n = Product((M, THETA)), Product((N, THETA))
    match chance.randrange(4):
        case 0:
            return Product((Flipped(rotation(m, where)), rotation(n, where))), rotation(Sum((n, negative(m))), where)
        case 1:
            return Product((rotation(m, where), rotation(n, where))), rotation(Sum((m, n)), where)
        case 2:
            return Product((Flipped(rotation(m, where)), rotation(m, where))), Unit((2, "h"))
        case _:
            v, w = block(where, None, chance), block(where, None, chance)
            turned = (Product((rotation(m, where), v)), Product((rotation(m, where), w)))
            return Product((Flipped(turned[0]), turned[1])), Product((Flipped(v), w))


def _scaled(chance: Random) -> Pair:
    a = block(layout(chance), layout(chance), chance)
    factor = chance.choice((A, num(2), Total("i", Var("h"), Member("y", I))))
    inside = Total("k", Var("h"), Member("y", Var("k"))) if isinstance(factor, Total) else factor
    cells = tuple(tuple(Product((inside, e)) for e in row) for row in a.entries)
    return Product((factor, a)), Blocks("i", "h", a.down, a.across, cells)


def _written_out(chance: Random) -> Pair:
    """Blocks of a definite count as the matrix that they are."""
    groups = chance.randint(1, 3)
    down, across = layout(chance), chance.choice((layout(chance), None))
    a = Blocks("i", groups, down, across, block(down, across, chance).entries)
    (rows, _), (columns, _) = dims(a)
    cells: list[list[Node]] = [[num(0)] * columns for _ in range(rows)]
    for k in range(groups):
        places = coordinates(across, k, groups) if across else [0]
        for r, line in zip(coordinates(down, k, groups), a.entries, strict=True):
            for c, cell in zip(places, line, strict=True):
                cells[r][c] = at_group(cell, k)
    return a, Array(tuple(map(tuple, cells)))


def at_group(node: Node, k: int) -> Node:
    """The node with k put for i."""
    if node == I:
        return num(k)
    parts = children(node)
    return rebuilt(node, tuple(at_group(part, k) for part in parts)) if parts else node


def _array(rows: int, columns: int, chance: Random) -> Array:
    return Array(tuple(tuple(entry(chance, index=num(1)) for _ in range(columns)) for _ in range(rows)))


def _arrays(chance: Random) -> Pair:
    r, k, c = (chance.choice((1, 2, 2, 3)) for _ in range(3))
    a, b = _array(r, k, chance), _array(k, c, chance)
    match chance.randrange(3):
        case 0:
            return Product((a, b)), Array(product_of(a.rows, b.rows))
        case 1:
            return Flipped(a), Array(tuple(zip(*a.rows, strict=True)))
        case _:
            square = _array(r, r, chance)
            cells = tuple(
                tuple(Sum((e, A)) if i == j else e for j, e in enumerate(w)) for i, w in enumerate(square.rows)
            )
            return Sum((square, Product((A, Unit((r, ""))))) if r > 1 else (square, A)), Array(cells)


def _determinants(chance: Random) -> Pair:
    side = chance.choice((2, 2, 3))
    a = _array(side, side, chance)
    match chance.randrange(4):
        case 0:
            b = Array(turn(Product((M, Var("phi"))))) if side == 2 else _array(side, side, chance)
            return Det(Product((a, b))), Product((Det(a), Det(b)))
        case 1:
            return Det(Flipped(a)), Det(a)
        case 2:
            return Det(Product((A, a))), Product((*(A,) * side, Det(a)))
        case _:
            return Det(a), _expanded(a.rows)


def _expanded(rows: Grid) -> Node:
    """A determinant along the first column."""
    if len(rows) == 1:
        return rows[0][0]
    terms = []
    for k, row in enumerate(rows):
        minor = tuple(other[1:] for j, other in enumerate(rows) if j != k)
        sign = (num(-1),) if k % 2 else ()
        terms.append(Product((*sign, row[0], _expanded(minor))))
    return Sum(tuple(terms))


SHAPES: tuple[Callable[[Random], Pair], ...] = (
    _product,
    _vector,
    _transposed,
    _sum,
    _with_unit,
    _score,
    _inner,
    _rotations,
    _rotations,
    _scaled,
    _written_out,
    _arrays,
    _determinants,
    _determinants,
)
