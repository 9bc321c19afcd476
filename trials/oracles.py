"""The value of an expression at a place, straight from its meaning: sums are written out, derivatives are dual numbers.

A place gives every symbol, member and function a definite value. Two sides are said to differ only where their values
are exact and unequal or lie in disjoint boxes; whether a demand holds is answered by True, False, or Unclear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from random import Random

from trials import enclosures as e
from trials.enclosures import Exact, Number, Plain
from trials.language import (
    Call,
    Circle,
    Demand,
    Equation,
    Lambda,
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
    walk,
)

BITS = 200  # more than the kernel's balls have, so that a box can lie inside one
DEEP = 700  # 200 digits, where 200 bits do not tell
WINDOW = range(24)  # the values at which a quantified name of an inequality is tried


@dataclass(frozen=True, slots=True)
class Place:
    """Definite values. What `members` lacks comes from `sequences`, or is drawn, or is `rest`."""

    symbols: Mapping[str, Number]
    members: dict[tuple[str, int], Fraction] = field(default_factory=dict)
    functions: Mapping[str, Lambda] = field(default_factory=dict)
    sequences: Mapping[str, Lambda] = field(default_factory=dict)
    draw: Random | None = None
    rest: Fraction = Fraction(1)
    bits: int = BITS

    def put(self, name: str, number: Number) -> Place:
        return replace(self, symbols={**self.symbols, name: number})

    def member(self, sequence: str, index: int) -> Number:
        known = self.members.get((sequence, index))
        if known is None and sequence in self.sequences:
            given = self.sequences[sequence]
            return value(given.body, self.put(given.parameters[0], e.exact(index)))
        if known is None:
            known = self.rest if self.draw is None else small(self.draw)
            self.members[sequence, index] = known
        return Exact(known)


def small(draw: Random) -> Fraction:
    """A small rational, often 0, 1 or -1, where many expressions have no value or coincide."""
    return Fraction(draw.randint(-3, 3), draw.choice((1, 1, 1, 2, 3)))


def value(node: Node, place: Place) -> Number:
    """The number that the expression denotes. Undefined or Unclear where it has none, or none is certain."""
    bits = place.bits
    match node:
        case Num(re, im):
            return Exact(re, im)
        case Var(name):
            return place.symbols[name]
        case Sum(parts):
            total: Number = e.ZERO
            for part in parts:
                total = e.add(total, value(part, place), bits)
            return total
        case Product(parts):
            return _product(parts, place)
        case Op(name, argument):
            return e.OPERATIONS[name](value(argument, place), bits)
        case Raised(base, exponent):
            return _raised(value(base, place), value(exponent, place), bits)
        case Member(sequence, index):
            return place.member(sequence, whole(index, place))
        case Total(index, count, body):
            return _total(index, whole(count, place), body, place)
        case Call(name, argument):
            return _called(place.functions[name], value(argument, place), place)
        case Slope(body, by):
            return _slope(body, by, place)
        case Circle():
            return e.circle(bits)
        case _:
            raise TypeError(f"{type(node).__name__} is no scalar of this language")


def _product(parts: tuple[Node, ...], place: Place) -> Number:
    """Every factor is evaluated, so that one without a value is not hidden by a zero."""
    result: Number = e.ONE
    for part in parts:
        result = e.times(result, value(part, place), place.bits)
    return result


def _called(given: Lambda, argument: Number, place: Place) -> Number:
    """Functions take real arguments alone."""
    if e.certainly_not_real(argument):
        raise e.Undefined("a function of an argument that is not real")
    return value(given.body, replace(place, symbols={given.parameters[0]: argument}))


def _raised(base: Number, exponent: Number, bits: int) -> Number:
    if isinstance(exponent, Exact) and not exponent.im and exponent.re.denominator == 1:
        return e.whole_power(base, int(exponent.re), bits)
    return e.exp(e.times(exponent, e.log(base, bits), bits), bits)


def _total(index: str, count: int, body: Node, place: Place) -> Number:
    total: Number = e.ZERO
    for k in range(count):
        total = e.add(total, value(body, place.put(index, e.exact(k))), place.bits)
    return total


def _slope(body: Node, by: str, place: Place) -> Number:
    at = place.symbols[by]
    tag = 1 + max((_depth(number) for number in place.symbols.values()), default=0)
    result = value(body, place.put(by, e.Dual(at, e.ONE, tag)))
    return result.slope if isinstance(result, e.Dual) and result.tag == tag else e.ZERO


def _depth(number: Number) -> int:
    return number.tag if isinstance(number, e.Dual) else 0


def whole(node: Node, place: Place) -> int:
    """An index or a count."""
    found = value(node, place)
    if isinstance(found, Exact) and not found.im and found.re.denominator == 1:
        return int(found.re)
    raise e.Undefined("an index or count that is not an integer")


def plain_value(node: Node, place: Place) -> Plain:
    found = value(node, place)
    assert not isinstance(found, e.Dual), "outside a derivative nothing varies"
    return found


def holds(demand: Demand, place: Place) -> bool:
    """Does the demand hold here, for the quantified values that are tried? Unclear where that is not certain."""
    if not demand.forall:
        return _holds(demand, place)
    _only_in_indices(demand)
    choices = product(WINDOW, repeat=len(demand.forall))
    return all(_holds(demand, _at(place, demand.forall, choice)) for choice in choices)


def _at(place: Place, names: tuple[str, ...], choice: tuple[int, ...]) -> Place:
    return replace(place, symbols={**place.symbols, **{n: e.exact(k) for n, k in zip(names, choice, strict=True)}})


def _only_in_indices(demand: Demand) -> None:
    """A quantified name that stands for every real number, or too many of them, is not tried out."""
    outside = _outside(demand.left) | _outside(demand.right)
    if len(demand.forall) > 2 or (demand.kind == "equal" and outside & set(demand.forall)):
        raise e.Unclear("a quantified name ranges over more than can be tried")


def _outside(node: Node) -> frozenset[str]:
    match node:
        case Member():
            return frozenset()
        case Var(name):
            return frozenset([name])
        case _:
            return frozenset[str]().union(*map(_outside, children(node)))


def _holds(demand: Demand, place: Place) -> bool:
    left = plain_value(demand.left, place)
    match demand.kind:
        case "positive":
            return e.certainly_positive(left)
        case "nonzero":
            return _nonzero(left)
        case "nonnegative":
            return left == e.ZERO or e.certainly_positive(left)
    right = plain_value(demand.right, place)
    if e.exactly_equal(left, right):
        return True
    if e.apart(left, right, place.bits):
        return False
    raise e.Unclear("an equation between enclosures")


def _nonzero(number: Plain) -> bool:
    if e.excludes_zero(number):
        return True
    if isinstance(number, Exact):
        return False
    raise e.Unclear("an enclosure around zero")


@dataclass(frozen=True, slots=True)
class Names:
    """What the free names of an equation stand for."""

    symbols: frozenset[str]
    counts: frozenset[str]
    integers: frozenset[str]
    positive: frozenset[str]
    functions: frozenset[str]


def names_of(claim: Equation) -> Names:
    """Sort the free names of an equation."""
    nodes = list(_free_nodes(claim))
    counted = [node.count for node in nodes if isinstance(node, Total)] + [reach.count for reach in claim.reaches]
    members = [node.index for node in nodes if isinstance(node, Member)]
    symbols = {node.name for node in nodes if _is_var(node)} | {node.by for node in nodes if isinstance(node, Slope)}
    return Names(
        frozenset(symbols),
        frozenset(count.name for count in counted if _is_var(count)),
        frozenset(node.name for index in members for node in walk(index) if _is_var(node)) & symbols,
        frozenset(node.name for node in _logged(nodes) if _is_var(node)),
        frozenset(node.function for node in nodes if isinstance(node, Call)),
    )


def _free_nodes(claim: Equation) -> Iterator[Node]:
    for side in (claim.left, claim.right, *(reach.count for reach in claim.reaches)):
        yield from _free(side, frozenset())
    for demand in claim.demands:
        for side in (demand.left, demand.right):
            yield from _free(side, frozenset(demand.forall))


def _free(node: Node, bound: frozenset[str]) -> Iterator[Node]:
    """The node and all below it, but for variables that a sum or a quantifier binds."""
    if isinstance(node, Var) and node.name in bound:
        return
    yield node
    if isinstance(node, Total):
        yield from _free(node.count, bound)
        yield from _free(node.body, bound | {node.index})
        return
    for part in children(node):
        yield from _free(part, bound)


def _is_var(node: Node) -> bool:
    return isinstance(node, Var)


def _logged(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, Op) and node.name == "log":
            yield node.argument
        elif isinstance(node, Raised) and not _is_integer(node.exponent):
            yield node.base


def _is_integer(node: Node) -> bool:
    return isinstance(node, Num) and not node.im and node.re.denominator == 1


def drawn_place(claim: Equation, draw: Random, names: Names | None = None, *, common: Fraction | None = None) -> Place:
    """Small values for every name: counts 1 to 4, indices in their ranges, integers where indices need them.

    Three places of four make positive what a logarithm is taken of. A `common` value is given to all symbols that are
    no integers and to all members: where they coincide, a divisor vanishes that nobody thought of.
    """
    known = names or names_of(claim)
    positive = known.positive if common is None and draw.randrange(4) else frozenset[str]()
    symbols: dict[str, Number] = {}
    for name in sorted(known.symbols | known.counts):
        symbols[name] = _drawn(name, known, draw, common, positive=name in positive)
    functions = {name: _polynomial(draw) for name in sorted(known.functions)}
    if common is None:
        place = Place(symbols, functions=functions, draw=draw)
    else:
        place = Place(symbols, functions=functions, rest=common)
    for reach in claim.reaches:
        symbols[reach.index] = e.exact(draw.randrange(whole(reach.count, place)))
    return place


def _drawn(name: str, known: Names, draw: Random, common: Fraction | None, *, positive: bool) -> Number:
    if name in known.counts:
        return e.exact(draw.randint(1, 4))
    if name in known.integers:
        return e.exact(draw.randint(-2, 4))
    found = small(draw) if common is None else common
    return Exact(abs(found) or Fraction(1, 2)) if positive else Exact(found)


def _polynomial(draw: Random) -> Lambda:
    t = Var("t")
    terms = (Product((Num(Fraction(draw.randint(-2, 3))), Raised(t, Num(Fraction(k))))) for k in range(4))
    return Lambda(("t",), Sum(tuple(terms)))
