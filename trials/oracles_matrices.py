"""Both sides of a claim about matrices at a place, entry by entry: exact wherever the place allows it.

A place gives every name a definite value: whole numbers for sizes, fractions, angles with rational cosines, matrices
of small integers. A rotation family turns planes by rational angles. Blocks are written out by their coordinates for
the count of the place, a flat index walks row by row through memory. Nothing of the kernel is used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from random import Random

from trials import enclosures
from trials import exact as ex
from trials.exact import Amount
from trials.language import Demand, Equation, Member, Node, Num, Op, Product, Raised, Slope, Sum, Total, Var
from trials.language_matrices import (
    Array,
    Blocks,
    Det,
    Dim,
    Entry,
    Flat,
    Flipped,
    Free,
    Letter,
    Turning,
    Unit,
    coordinates,
    walk,
)
from trials.places import NoRow, Place, Planes, Recipe, Rows, Value, at

NAMED = (Var, Member, Letter, Turning, Free)
WINDOW = range(-3, 8)  # values of a quantified index at which an equation is looked at


def value(node: Node, place: Place) -> Value:  # noqa: C901 - one case for each node
    """The value of a node, exact or enclosed."""
    if place.formulas and isinstance(node, NAMED) and _name(node) in place.formulas:
        return _by_formula(node, place)
    match node:
        case Num(re, im):
            return ex.gaussian(re, im)
        case Var(name):
            return place.number(name)
        case Member(name, index):
            return place.member(name, whole(index, place))
        case Sum(parts):
            total = value(parts[0], place)
            for part in parts[1:]:
                total = _added(total, value(part, place))
            return total
        case Product(parts):
            result = value(parts[0], place)
            for part in parts[1:]:
                result = multiplied(result, value(part, place))
            return result
        case Raised(base, Num(n)) if n.denominator == 1:
            return ex.to_the(number(base, place), int(n))
        case Op("cos" | "sin" as kind, angle):
            return ex.wave(kind, number(angle, place))
        case Op("exp", Product((Num(re=Fraction(numerator=0), im=Fraction(numerator=n, denominator=1)), angle))):
            return ex.wave("cis", number(Product((Num(Fraction(n)), angle)), place))
        case Op("exp", argument):
            return ex.exp(number(argument, place))
        case Total(index, count, body):
            return sum((number(body, at) for at in _each(index, whole(count, place), place)), 0)
        case Entry(name, row, column):
            return place.entry(name, whole(row, place), whole(column, place))
        case Flat(name, at, width):
            return _walked(name, whole(at, place), whole(width, place), place)
        case _:
            return _matrix(node, place)


def _name(node: Node) -> str:
    return str(node.sequence if isinstance(node, Member) else node.name)


def _by_formula(node: Node, place: Place) -> Value:
    """A formula has one parameter where its name takes an argument, which need not have a value if it is not used."""
    formula = place.formulas[_name(node)]
    arguments = {}
    if formula.parameters and Var(formula.parameters[0]) in walk(formula.body):
        arguments = {formula.parameters[0]: number(node.index if isinstance(node, Member) else node.at, place)}
    return value(formula.body, at(place, arguments))


def _matrix(node: Node, place: Place) -> Value:
    match node:
        case Letter(name, rows, columns):
            return _reduced(_grid(name, None, (size(rows, place), size(columns, place)), place))
        case Free(name, at, dim):
            side = size(dim, place)
            return _reduced(_grid(name, _argument(at, place), (side, side), place))
        case Turning(name, at, dim):
            return _reduced(_rotation(name, size(dim, place), whole(at, place), place))
        case Unit(dim):
            return _reduced(_unit(size(dim, place)))
        case Flipped(of):
            inner = value(of, place)
            return tuple(zip(*inner, strict=True)) if isinstance(inner, tuple) else inner
        case Det(of):
            return _determinant(value(of, place))
        case Array(grid):
            return _reduced(tuple(tuple(number(entry, place) for entry in row) for row in grid))
        case Blocks():
            return _reduced(_written_out(node, place))
        case Slope():
            raise enclosures.Unclear("a derivative is not judged here")
        case _:
            raise TypeError(f"no value for {type(node).__name__}")


def number(node: Node, place: Place) -> Amount:
    found = value(node, place)
    if isinstance(found, tuple):
        raise TypeError("a matrix stands where a number was wanted")
    return found


def whole(node: Node, place: Place) -> int:
    found = number(node, place)
    if not isinstance(found, (int, Fraction)) or found != int(found):
        raise enclosures.Undefined(f"a whole number was wanted, not {found}")
    return int(found)


def _argument(node: Node, place: Place) -> int | Fraction:
    found = number(node, place)
    assert isinstance(found, (int, Fraction))
    return found


def size(dim: Dim, place: Place) -> int:
    multiple, name = dim
    if not name:
        return multiple
    found = place.number(name)
    assert isinstance(found, (int, Fraction))
    return multiple * int(found)


def _each(index: str, count: int, place: Place) -> list[Place]:
    return [at(place, {index: k}) for k in range(count)]


def _added(a: Value, b: Value) -> Value:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(tuple(x + y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))
    if isinstance(a, tuple) or isinstance(b, tuple):
        raise TypeError("a matrix is added to a number")
    return a + b


def multiplied(a: Value, b: Value) -> Value:
    if not isinstance(a, tuple):
        return tuple(tuple(a * x for x in row) for row in b) if isinstance(b, tuple) else a * b
    if not isinstance(b, tuple):
        return tuple(tuple(x * b for x in row) for row in a)
    columns = list(zip(*b, strict=True))
    return _reduced(tuple(tuple(_dot(row, column) for column in columns) for row in a))


def _dot(row: tuple[Amount, ...], column: tuple[Amount, ...]) -> Amount:
    return sum((x * y for x, y in zip(row, column, strict=True)), 0)


def _reduced(rows: Rows) -> Value:
    return rows[0][0] if len(rows) == len(rows[0]) == 1 else rows


def _unit(side: int) -> Rows:
    return tuple(tuple(int(r == c) for c in range(side)) for r in range(side))


def _determinant(of: Value) -> Amount:
    """Leibniz' sum."""
    if not isinstance(of, tuple):
        return of
    total: Amount = 0
    for columns in permutations(range(len(of))):
        odd = sum(a > b for k, a in enumerate(columns) for b in columns[k + 1 :]) % 2
        term: Amount = -1 if odd else 1
        for row, column in zip(of, columns, strict=True):
            term = term * row[column]
        total = total + term
    return total


def _grid(name: str, key: int | Fraction | None, shape: tuple[int, int], place: Place) -> Rows:
    if (name, key) not in place.grids and name in place.recipes:
        place.recipes[name](place, None if key is None else int(key))
    if (name, key) not in place.grids:
        if place.chance is None:
            raise KeyError((name, key))
        choose = place.chance.randint
        place.grids[name, key] = tuple(tuple(choose(-3, 4) for _ in range(shape[1])) for _ in range(shape[0]))
    found = place.grids[name, key]
    if (len(found), len(found[0])) != shape:
        raise TypeError(f"{name} has another size at this place")
    return found


def _rotation(name: str, side: int, times_: int, place: Place) -> Rows:
    """Planes of two axes turn by the angles of triangles; an odd size leaves its last axis."""
    if name not in place.planes:
        if place.chance is None:
            raise KeyError(name)
        triangles = tuple(place.chance.sample(range(len(ex.TRIANGLES)), 3))
        place.planes[name] = Planes(triangles, place.chance.randrange(1000))
    planes = place.planes[name]
    axes = planes.axes(side)
    rows = [list(row) for row in _unit(side)]
    for plane in range(side // 2):
        c, s = ex.power(planes.triangles[plane % len(planes.triangles)], times_)
        a, b = axes[2 * plane], axes[2 * plane + 1]
        rows[a][a], rows[a][b], rows[b][a], rows[b][b] = c, -s, s, c
    return tuple(map(tuple, rows))


def _written_out(node: Blocks, place: Place) -> Rows:
    groups = size((1, node.count), place) if isinstance(node.count, str) else node.count
    width = len(node.across[1]) * groups if node.across else 1
    cells: list[list[Amount]] = [[0] * width for _ in range(len(node.down[1]) * groups)]
    for k, here in enumerate(_each(node.index, groups, place)):
        columns = coordinates(node.across, k, groups) if node.across else [0]
        for row, entries in zip(coordinates(node.down, k, groups), node.entries, strict=True):
            for column, entry in zip(columns, entries, strict=True):
                cells[row][column] = number(entry, here)
    return tuple(map(tuple, cells))


def _walked(name: str, flat: int, width: int, place: Place) -> Amount:
    """Row by row through memory, forwards or backwards from the first row."""
    if width < 1:
        raise NoRow("a row has at least one entry")
    row = 0
    while flat >= width:
        row, flat = row + 1, flat - width
    while flat < 0:
        row, flat = row - 1, flat + width
    return place.entry(name, row, flat)


def holds(demand: Demand, place: Place) -> bool:
    """Does the condition hold at the place? A quantified one is looked at for all values in a window."""
    choices = product(_window(demand), repeat=len(demand.forall))
    return all(_holds_here(demand, at(place, dict(zip(demand.forall, chosen, strict=True)))) for chosen in choices)


def _window(demand: Demand) -> range:
    """Fewer values where two names are quantified: what the sides read lies among them or is drawn like them."""
    if demand.kind != "equal":
        return range(WINDOW.stop)
    return WINDOW if len(demand.forall) == 1 else range(-1, 3)


def _holds_here(demand: Demand, place: Place) -> bool:
    left = value(demand.left, place)
    if demand.kind == "equal":
        return not differing(left, value(demand.right, place)) and _decided(left)
    assert not isinstance(left, tuple)
    if demand.kind == "nonzero":
        return ex.apart(left, 0)
    if demand.kind == "nonnegative" and ex.same(left, 0):
        return True
    return enclosures.certainly_positive(ex.plain(left))


def may_hold(demand: Demand, place: Place) -> bool:
    """`holds`, where an equation between enclosures that meet is given the benefit of the doubt."""
    if demand.kind != "equal":
        return holds(demand, place)
    for chosen in product(_window(demand), repeat=len(demand.forall)):
        here = at(place, dict(zip(demand.forall, chosen, strict=True)))
        if differing(value(demand.left, here), value(demand.right, here)):
            return False
    return True


def is_number(node: Node) -> bool:
    return isinstance(node, Num)


def _decided(of: Value) -> bool:
    """Equality is told of exact numbers only."""
    entries = [entry for row in of for entry in row] if isinstance(of, tuple) else [of]
    return not any(isinstance(entry, ex.Hull) and isinstance(entry.of, enclosures.Box) for entry in entries)


def differing(left: Value, right: Value) -> bool:
    """Is some entry certainly different?"""
    if isinstance(left, tuple) and isinstance(right, tuple):
        pairs = [(x, y) for r, s in zip(left, right, strict=True) for x, y in zip(r, s, strict=True)]
        return any(ex.apart(x, y) for x, y in pairs)
    if isinstance(left, tuple) or isinstance(right, tuple):
        raise TypeError("a matrix is compared with a number")
    return ex.apart(left, right)


@lru_cache(maxsize=8)
def names_counted(claim: Equation) -> frozenset[str]:
    """The names that are sizes or count something: positive whole numbers."""
    found: set[str] = {reach.count.name for reach in claim.reaches if isinstance(reach.count, Var)}
    sides = [claim.left, claim.right, *(side for d in claim.demands for side in (d.left, d.right))]
    for node in (node for side in sides for node in walk(side)):
        match node:
            case Letter(_, (_, rows), (_, columns)):
                found |= {rows, columns}
            case Turning(_, _, (_, name)) | Free(_, _, (_, name)) | Unit((_, name)) | Total(_, Var(name), _):
                found.add(name)
            case Blocks(_, str() as name):
                found.add(name)
    return frozenset(found - {""})


def drawn_place(claim: Equation, chance: Random, *, largest: int, recipes: Mapping[str, Recipe] | None = None) -> Place:
    """A place whose sizes and counts are 1..largest and whose indices lie in their ranges."""
    place = Place(chance=chance, recipes=recipes or {})
    for name in sorted(names_counted(claim)):
        if name in place.recipes:
            place.number(name)
        else:
            place.numbers[name] = chance.randint(1, largest)
    for reach in claim.reaches:
        place.numbers[reach.index] = chance.randrange(whole(reach.count, place))
    return place


def separated(claim: Equation, place: Place) -> bool:
    """Do the sides certainly differ?"""
    return differing(value(claim.left, place), value(claim.right, place))
