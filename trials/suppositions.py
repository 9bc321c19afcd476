"""Equations that are supposed, each with places at which they hold: what claims under hypotheses are built on.

A supposition says how the names in its equations are drawn together (`recipes`), so that the oracle finds places at
which they hold exactly, and which values the kernel may take as a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from trials import exact as ex
from trials.language import Demand, Lambda, Member, Node, Op, Product, Raised, Sum, Var, negative, num
from trials.language_matrices import Array, Dim, Flipped, Free, Letter, Unit
from trials.oracles_matrices import multiplied
from trials.places import Place, Recipe, Rows

D: Dim = (1, "d")
E: Dim = (1, "e")
I, M, N = Var("i"), Var("m"), Var("n")


@dataclass(frozen=True, slots=True)
class Supposition:
    """Equations; what their names are at a place; a model for the kernel, where it needs one; a consequence."""

    demands: tuple[Demand, ...]
    recipes: Mapping[str, Recipe]
    names: tuple[str, ...]
    model: Mapping[str, Lambda] | None = None
    consequence: tuple[Node, Node] | None = None  # another equation that follows, at the index j where indexed
    quantified: bool = False


def _chance(place: Place) -> Random:
    if place.chance is None:
        raise KeyError("a supposition is drawn")
    return place.chance


def _set(place: Place, name: str, at: int | None, value: ex.Amount) -> None:
    if at is None:
        place.numbers[name] = value
    else:
        place.members[name, at] = value


def _circle(place: Place, at: int | None) -> None:
    c, s = ex.power(_chance(place).randrange(len(ex.TRIANGLES)), _chance(place).choice((1, -1, 2)))
    _set(place, "c", at, c)
    _set(place, "s", at, s)


def _switches(place: Place, at: int | None) -> None:
    e, f = _chance(place).choice(((0, 0), (0, 1), (1, 0)))
    _set(place, "e", at, e)
    _set(place, "f", at, f)


def _one_switch(place: Place, at: int | None) -> None:
    _set(place, "e", at, _chance(place).randint(0, 1))


def _inverses(place: Place, at: int | None) -> None:
    x = Fraction(_chance(place).choice((-3, -2, 2, 3, 5)), _chance(place).choice((1, 1, 2)))
    _set(place, "x", at, x)
    _set(place, "y", at, 1 / x)


def _product(place: Place, at: int | None) -> None:
    x, y = (_chance(place).choice((-3, -2, 2, 3, 5)) for _ in range(2))
    for name, value in (("x", x), ("y", y), ("z", x * y)):
        _set(place, name, at, value)


def _named(name: str, *, quantified: bool) -> Node:
    return Member(name, I) if quantified else Var(name)


def _at_j(node: Node, *, quantified: bool) -> Node:
    """The supposition's equation at the free index j."""
    match node:
        case Member(name):
            return Member(name, Var("j"))
        case Sum(parts) | Product(parts):
            return type(node)(tuple(_at_j(part, quantified=quantified) for part in parts))
        case Raised(base, exponent):
            return Raised(_at_j(base, quantified=quantified), exponent)
        case _:
            return node


def _squared(node: Node) -> Node:
    return Raised(node, num(2))


def circle(*, quantified: bool) -> Supposition:
    """c^2 = 1 - s^2."""
    c, s = (_named(name, quantified=quantified) for name in "cs")
    right = Sum((num(1), negative(_squared(s))))
    fourth = Sum((num(1), Product((num(-2), _squared(s))), Raised(s, num(4))))
    follows = tuple(_at_j(side, quantified=quantified) for side in (Raised(c, num(4)), fourth))
    return _made("cs", ((_squared(c), right),), _circle, follows, quantified=quantified)


def switch(*, quantified: bool) -> Supposition:
    """e^2 = e."""
    e = _named("e", quantified=quantified)
    follows = tuple(_at_j(side, quantified=quantified) for side in (Raised(e, num(3)), e))
    return _made("ex", ((_squared(e), e),), _one_switch, follows, quantified=quantified, recipes="e")


def disjoint(*, quantified: bool) -> Supposition:
    """e^2 = e, f^2 = f, e f = 0."""
    e, f = (_named(name, quantified=quantified) for name in "ef")
    equations = ((_squared(e), e), (_squared(f), f), (Product((e, f)), num(0)))
    follows = tuple(_at_j(side, quantified=quantified) for side in (Product((_squared(e), f)), num(0)))
    return _made("ef", equations, _switches, follows, quantified=quantified)


def inverse(*, quantified: bool) -> Supposition:
    """x y = 1."""
    x, y = (_named(name, quantified=quantified) for name in "xy")
    follows = tuple(_at_j(side, quantified=quantified) for side in (Product((x, x, y)), x))
    return _made("xy", ((Product((x, y)), num(1)),), _inverses, follows, quantified=quantified)


def named_product(*, quantified: bool) -> Supposition:
    """x y = z."""
    x, y, z = (_named(name, quantified=quantified) for name in "xyz")
    follows = tuple(_at_j(side, quantified=quantified) for side in (Product((x, y, y)), Product((z, y))))
    return _made("xyz", ((Product((x, y)), z),), _product, follows, quantified=quantified)


def _made(
    names: str,
    equations: tuple[tuple[Node, Node], ...],
    recipe: Recipe,
    follows: tuple[Node, ...],
    *,
    quantified: bool,
    recipes: str = "",
) -> Supposition:
    forall = ("i",) if quantified else ()
    demands = tuple(Demand("equal", left, right, forall) for left, right in equations)
    known = dict.fromkeys(recipes or names, recipe)
    parameters = ("k",) if quantified else ()
    formulas = VARIED if quantified and names in ("cs", "xy", "xyz") else VALUES
    model = {name: Lambda(parameters, formulas[name]) for name in known}
    return Supposition(demands, known, tuple(names), model, (follows[0], follows[1]), quantified)


# Under these values every supposition about numbers holds: x y = 1 = z, c^2 + s^2 = 1, e and f are 0 or 1.
VALUES: dict[str, Node] = {
    "x": num(2),
    "y": num(Fraction(1, 2)),
    "z": num(1),
    "c": num(Fraction(3, 5)),
    "s": num(Fraction(4, 5)),
    "e": num(1),
    "f": num(0),
}
_K = Var("k")
# And under these, where each member differs from its neighbour.
VARIED: dict[str, Node] = {
    "x": Op("exp", _K),
    "y": Op("exp", negative(_K)),
    "z": num(1),
    "c": Op("cos", _K),
    "s": Op("sin", _K),
}
SCALAR: tuple[Callable[..., Supposition], ...] = (circle, circle, circle, switch, disjoint, inverse, named_product)


def orthogonal_rows(side: int, chance: Random) -> Rows:
    """An orthogonal matrix of fractions: planes turned, then axes exchanged and reflected."""
    rows = [[Fraction(int(r == c)) for c in range(side)] for r in range(side)]
    for _ in range(2 if side > 1 else 0):
        a, b = chance.sample(range(side), 2)
        c, s = ex.power(chance.randrange(len(ex.TRIANGLES)), 1)
        rows[a], rows[b] = (
            [c * x - s * y for x, y in zip(rows[a], rows[b], strict=True)],
            [s * x + c * y for x, y in zip(rows[a], rows[b], strict=True)],
        )
    sign = chance.choice((1, -1))
    return tuple(tuple(sign * x for x in row) for row in rows)


def _side(place: Place, name: str = "d") -> int:
    found = place.number(name)
    assert isinstance(found, int)
    return found


def _random_rows(rows: int, columns: int, chance: Random) -> Rows:
    return tuple(tuple(chance.randint(-3, 4) for _ in range(columns)) for _ in range(rows))


def _as_rows(value: object) -> Rows:
    """A product as a matrix, also where it is 1 x 1."""
    return value if isinstance(value, tuple) else ((value,),)


def _flipped(rows: Rows) -> Rows:
    return tuple(zip(*rows, strict=True))


def _orthogonal(place: Place, _: int | None) -> None:
    place.grids["Q", None] = orthogonal_rows(_side(place), _chance(place))


def _projection(place: Place, _: int | None) -> None:
    side, chance = _side(place), _chance(place)
    turn = orthogonal_rows(side, chance)
    kept = tuple(tuple(int(r == c and r % 2 == 0) for c in range(side)) for r in range(side))
    place.grids["P", None] = _as_rows(multiplied(_as_rows(multiplied(turn, kept)), _flipped(turn)))


def _gram(place: Place, _: int | None) -> None:
    a, b = (_random_rows(_side(place), _side(place), _chance(place)) for _ in range(2))
    place.grids["A", None], place.grids["B", None] = a, b
    place.grids["G", None] = _as_rows(multiplied(_flipped(a), b))


def _commuting(place: Place, _: int | None) -> None:
    a = _random_rows(_side(place), _side(place), _chance(place))
    square = _as_rows(multiplied(a, a))
    place.grids["A", None] = a
    place.grids["B", None] = tuple(
        tuple(x + y for x, y in zip(r, s, strict=True)) for r, s in zip(a, square, strict=True)
    )


def _shears(place: Place, _: int | None) -> None:
    """A unit triangular matrix and its inverse, I - N + N^2 - ..."""
    side, chance = _side(place), _chance(place)
    nilpotent = tuple(tuple(chance.randint(-2, 3) if c > r else 0 for c in range(side)) for r in range(side))
    unit = tuple(tuple(int(r == c) for c in range(side)) for r in range(side))
    inverse_: Rows = unit
    power: Rows = unit
    for k in range(1, side):
        power = _as_rows(multiplied(power, nilpotent))
        inverse_ = _sum(inverse_, power, -1 if k % 2 else 1)
    place.grids["A", None], place.grids["B", None] = _sum(unit, nilpotent, 1), inverse_


def _sum(a: Rows, b: Rows, factor: int) -> Rows:
    return tuple(tuple(x + factor * y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))


def _wide(place: Place, _: int | None) -> None:
    """A = [1 X] with one row or more, B = [1; 0]: a one-sided inverse."""
    rows, columns = _side(place), _side(place, "e")
    chance = _chance(place)
    place.grids["A", None] = tuple(
        tuple(int(r == c) if c < rows else chance.randint(1, 4) for c in range(columns)) for r in range(rows)
    )
    place.grids["B", None] = tuple(tuple(int(r == c) for c in range(rows)) for r in range(columns))


def _wide_sizes(place: Place, _: int | None) -> None:
    place.numbers["d"] = _chance(place).randint(1, 2)
    place.numbers["e"] = place.numbers["d"] + _chance(place).randint(0, 2)


def _turning_gram(place: Place, at: int | None) -> None:
    """A(p) = S R(p) with an orthogonal S, and G(p) = R(p)."""
    side = _side(place)
    if ("turn of A", None) not in place.grids:
        place.grids["turn of A", None] = orthogonal_rows(side, _chance(place))
    rotation = [[int(r == c) for c in range(side)] for r in range(side)]
    rows: list[list[ex.Amount]] = [list(row) for row in rotation]
    for plane in range(side // 2):
        c, s = ex.power(plane, at or 0)
        a, b = 2 * plane, 2 * plane + 1
        rows[a][a], rows[a][b], rows[b][a], rows[b][b] = c, -s, s, c
    turned = tuple(map(tuple, rows))
    place.grids["G", at] = turned
    place.grids["A", at] = _as_rows(multiplied(place.grids["turn of A", None], turned))


def _square(name: str) -> Letter:
    return Letter(name, D, D)


def _words(
    left: Node, right: Node, recipe: Recipe, names: str, model: Mapping[str, Lambda], forall: tuple[str, ...] = ()
) -> Supposition:
    return Supposition((Demand("equal", left, right, forall),), dict.fromkeys(names, recipe), tuple(names), model)


def _definite(*, with_size: bool = True, **rows: tuple[tuple[int | Fraction, ...], ...]) -> dict[str, Lambda]:
    """Definite matrices, under which a false claim seldom holds by luck."""
    found = {name: Lambda((), Array(tuple(tuple(map(num, row)) for row in cells))) for name, cells in rows.items()}
    return {"d": Lambda((), num(2)), **found} if with_size else found


def orthogonal() -> Supposition:
    """Q^T Q = 1."""
    q, c, s = _square("Q"), Fraction(3, 5), Fraction(4, 5)
    return _words(Product((Flipped(q), q)), Unit(D), _orthogonal, "Q", _definite(Q=((c, -s), (s, c))))


def projection() -> Supposition:
    """P P = P."""
    p = _square("P")
    return _words(Product((p, p)), p, _projection, "P", _definite(P=((2, -2), (1, -1))))


def gram() -> Supposition:
    """A^T B = G."""
    model = _definite(A=((1, 2), (3, 5)), B=((2, -1), (1, 4)), G=((5, 11), (9, 18)))
    return _words(Product((Flipped(_square("A")), _square("B"))), _square("G"), _gram, "ABG", model)


def commuting() -> Supposition:
    """A B = B A."""
    a, b = _square("A"), _square("B")
    model = _definite(A=((1, 2), (3, 4)), B=((8, 12), (18, 26)))
    return _words(Product((a, b)), Product((b, a)), _commuting, "AB", model)


def shears() -> Supposition:
    """A B = 1."""
    model = _definite(A=((1, 2), (0, 1)), B=((1, -2), (0, 1)))
    return _words(Product((_square("A"), _square("B"))), Unit(D), _shears, "AB", model)


def wide() -> Supposition:
    """A B = 1 where A need not be square."""
    a, b = Letter("A", D, E), Letter("B", E, D)
    model = {
        "d": Lambda((), num(1)),
        "e": Lambda((), num(2)),
        **_definite(A=((1, 2),), B=((1,), (0,)), with_size=False),
    }
    found = _words(Product((a, b)), Unit(D), _wide, "AB", model)
    sizes = {"d": _wide_sizes, "e": _wide_sizes}
    return Supposition(found.demands, {**found.recipes, **sizes}, found.names, model)


def turning_gram() -> Supposition:
    """A(m)^T A(n) = G(n - m) for all m and n; in the model A(p) is a reflection and a turn."""
    left = Product((Flipped(Free("A", M, D)), Free("A", N, D)))
    right = Free("G", Sum((N, negative(M))), D)
    c, s = (Op(name, Var("p")) for name in ("cos", "sin"))
    model = {
        "d": Lambda((), num(2)),
        "A": Lambda(("p",), Array(((s, c), (c, negative(s))))),
        "G": Lambda(("p",), Array(((c, negative(s)), (s, c)))),
    }
    return _words(left, right, _turning_gram, "AG", model, ("m", "n"))


MATRICES: tuple[Callable[[], Supposition], ...] = (
    orthogonal,
    projection,
    gram,
    commuting,
    shears,
    turning_gram,
)
