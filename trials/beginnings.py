"""Where chains of inference begin: claims that are true and simple, some with a first step or a defect of their own."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from trials import suppositions as given
from trials.chains import Chain, Solve, Step, Turn
from trials.language import (
    IMAGINARY,
    Demand,
    Equation,
    Lambda,
    Member,
    Node,
    Product,
    Raised,
    Reach,
    Slope,
    Sum,
    Total,
    Var,
    negative,
    num,
    turned,
)
from trials.language_matrices import (
    ONE_DIM,
    Array,
    Entry,
    Flat,
    Flipped,
    Letter,
    Turning,
    Unit,
    dims,
    put,
)
from trials.reworking import cos, reworked, sin
from trials.suppositions import D, E

X, Y, A, I, M, N = (Var(name) for name in ("x", "y", "a", "i", "m", "n"))
PHI = Var("phi")


Start: TypeAlias = Callable[[Random], Chain]


def _chain(start: Equation, *steps: Step, **more: object) -> Chain:
    return Chain(start, steps, None, **more)  # type: ignore[arg-type]


def _scalars(chance: Random) -> Chain:
    """A polynomial in x, y, a and waves, written in two ways."""
    left = _polynomial(chance)
    return _chain(Equation(left, reworked(left, chance, steps=2)))


def _polynomial(chance: Random, depth: int = 2) -> Node:
    kind = chance.random()
    if depth and kind < 0.4:
        return Sum(tuple(_polynomial(chance, depth - 1) for _ in range(2)))
    if depth and kind < 0.8:
        return Product(tuple(_polynomial(chance, depth - 1) for _ in range(2)))
    return chance.choice((X, X, Y, A, num(2), num(-1), Raised(X, num(2)), cos(PHI), sin(Product((M, PHI)))))


def _divided(chance: Random) -> Chain:
    """x / x = 1 and the like, with the condition that the kernel finds or is told."""
    under = chance.choice((X, Sum((X, A)), Product((X, Y))))
    demands = (Demand("nonzero", under),) if chance.random() < 0.5 else ()
    if chance.random() < 0.3:
        demands = (Demand("positive", under),)
    return _chain(Equation(Product((Y, under, Raised(under, num(-1)))), Y, demands))


def _sequences(chance: Random) -> Chain:
    """Sums over i of members of sequences."""
    body = chance.choice((Product((Member("x", I), A)), Sum((Member("x", I), Product((Var("t"), Member("y", I)))))))
    left = Total("i", Var("h"), body)
    return _chain(Equation(left, reworked(left, chance, steps=2)))


def _arrays(chance: Random) -> Chain:
    """Two-row matrices with the same entries in other words: these are lifted to blocks."""
    columns = chance.choice((1, 2, 2))
    rows = tuple(tuple(_polynomial(chance, 1) for _ in range(columns)) for _ in range(2))
    other = tuple(tuple(reworked(entry, chance, steps=1) for entry in row) for row in rows)
    demands = (Demand("nonzero", X),) if chance.random() < 0.3 else ()
    return _chain(Equation(Array(rows), Array(other), demands))


def _words(chance: Random) -> Chain:
    """Words with letters and one rotation family."""
    u, v = Letter("u", D, ONE_DIM), Letter("v", D, ONE_DIM)
    a, w = Letter("A", D, D), Letter("W", D, E)
    m, n = Turning("R", M, D), Turning("R", N, D)
    moved = Turning("R", Sum((N, negative(M))), D)
    return _chain(
        chance.choice(
            (
                Equation(Product((Flipped(m), n)), moved),
                Equation(Product((Flipped(m), a, n)), Product((Turning("R", negative(M), D), a, n))),
                Equation(Product((Flipped(Product((m, u))), n, v)), Product((Flipped(u), moved, v))),
                Equation(Product((Flipped(u), a, v)), Product((Flipped(v), Flipped(a), u))),
                Equation(Flipped(Product((a, w))), Product((Flipped(w), Flipped(a)))),
                Equation(Product((m, Flipped(m))), Unit(D)),
            )
        )
    )


def _inverse(chance: Random) -> Chain:
    """A one-sided inverse under a hypothesis, square or not, turned."""
    supposed = chance.choice((given.orthogonal, given.shears, given.wide, given.wide, given.gram))()
    (demand,) = supposed.demands
    defect = None if supposed.names in (("Q",), ("A", "B")) and _square(demand.left) else "transposition"
    return _chain(
        Equation(demand.left, demand.right, supposed.demands),
        Turn(),
        recipes=supposed.recipes,
        model=supposed.model,
        defect=defect,
    )


def _square(product: Node) -> bool:
    return all(dims(factor) == (D, D) for factor in product.factors)


def _equations(chance: Random) -> Chain:
    """An equation of a supposition, with a consequence."""
    supposed = chance.choice(given.SCALAR)(quantified=chance.random() < 0.5)
    assert supposed.consequence is not None
    return _chain(Equation(*supposed.consequence, supposed.demands), recipes=supposed.recipes)


def _memory(chance: Random) -> Chain:
    """The entry at a flat index."""
    flat = Sum((Product((I, Var("K"))), Var("j")))
    reaches = (Reach("i", Var(chance.choice("LK"))), Reach("j", Var("K")))
    sides: tuple[Node, Node] = (Flat("X", flat, Var("K")), Entry("X", I, Var("j")))
    if chance.random() < 0.3:
        sides = (Product((sides[0], X)), Product((X, sides[1])))
    return _chain(Equation(*sides, (), reaches))


def _solutions(chance: Random) -> Chain:
    """e^(i phi x) and its real form satisfy one equation with one initial value."""
    factor = Product((IMAGINARY, PHI))
    wave = turned(Product((PHI, X)))
    real: Node = Sum((cos(Product((PHI, X))), Product((IMAGINARY, sin(Product((PHI, X)))))))
    scale = chance.choice((num(1), num(2), A))
    defect = None
    left, right = Product((scale, wave)), Product((scale, real))
    if chance.random() < 0.8:
        defect = chance.choice(("factor", "sign", "swapped symbols", "hypothesis removed"))
    first = _grows(left, factor)
    initial = Equation(*(put(side, {"x": Lambda((), num(0))}) for side in (left, right)))
    match defect:
        case "factor":
            right = Product((num(2), right))
        case "sign":
            turned_back: Node = Sum((cos(Product((PHI, X))), Product((num(0, -1), sin(Product((PHI, X)))))))
            right = Product((scale, turned_back))
            initial = Equation(initial.left, put(right, {"x": Lambda((), num(0))}))
            return _chain(first, Solve(_grows(right, Product((num(0, -1), PHI))), initial), defect=defect)
        case "swapped symbols":
            initial = Equation(initial.left, initial.left)
            right = Product((num(-1), right))
        case "hypothesis removed":
            one = {"x": Lambda((), num(1))}
            initial = Equation(put(left, one), put(right, one))
    return _chain(first, Solve(_grows(right, factor), initial), defect=defect)


def _grows(side: Node, factor: Node) -> Equation:
    return Equation(Slope(side, "x"), Product((factor, side)))


STARTS: tuple[Start, ...] = (
    _scalars,
    _scalars,
    _divided,
    _divided,
    _sequences,
    _arrays,
    _arrays,
    _words,
    _words,
    _words,
    _inverse,
    _equations,
    _memory,
    _solutions,
)
