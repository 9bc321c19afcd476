"""The value of a real term with roots, probabilities, unknown functions and cuts, straight from its meaning.

A probability is a quotient of exponentials, a cut is its body, and a function whose meaning nobody knows is some
polynomial: what is said of every function must hold for that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from random import Random

from trials import enclosures as e
from trials.enclosures import Exact, Interval, Plain
from trials.language import Call, Demand, Equation, Node, Num, Op, Product, Raised, Sum, Var, plain, walk
from trials.language_towers import Cut, Root, Share
from trials.oracles import small

BITS = 160  # some fifty digits: one part in 10^9 is told apart after the loss of half of them
STEEP = 1500  # an exponential beyond e to this, or to its negative, is left undecided
POSITIVE = frozenset({"a", "b"})  # names that most places make positive


@dataclass(frozen=True, slots=True)
class Place:
    """A value for every name; of a function, the coefficients of its polynomial.

    known: the values of nodes that were asked for, by identity, so the nodes must outlive the place.
    """

    symbols: Mapping[str, Exact]
    functions: Mapping[str, tuple[Fraction, ...]] = field(default_factory=dict)
    bits: int = BITS
    known: dict[int, Plain] = field(default_factory=dict)

    def text(self) -> str:
        names = [f"{name}={e.text(number)}" for name, number in sorted(self.symbols.items())]
        return ", ".join(names + [f"{name}(t)={list(map(str, p))}" for name, p in sorted(self.functions.items())])


def value(node: Node, place: Place) -> Plain:
    """The number that the term denotes. Undefined or Unclear where it has none, or none is certain."""
    found = place.known.get(id(node))
    if found is None:
        found = place.known[id(node)] = _value(node, place)
    return found


def _value(node: Node, place: Place) -> Plain:
    bits = place.bits
    match node:
        case Num(re, im):
            return Exact(re, im)
        case Var(name):
            return place.symbols[name]
        case Sum(parts):
            return _total(tuple(value(part, place) for part in parts), bits)
        case Product(parts):
            return _product(tuple(value(part, place) for part in parts), bits)
        case Raised(base, Num(n)):
            return _plain(e.whole_power(value(base, place), int(n), bits))
        case Op(name, argument):
            return _operated(name, value(argument, place), bits)
        case Root(radicand):
            return root(value(radicand, place), bits)
        case Share(mine, scores):
            above = exponential(value(mine, place), bits)
            below = _total(tuple(exponential(value(score, place), bits) for score in scores), bits)
            return _product((above, _plain(e.reciprocal(below, bits))), bits)
        case Call(name, argument):
            return _polynomial(place.functions[name], value(argument, place), bits)
        case Cut(body):
            return value(body, place)
        case _:
            raise TypeError(f"{type(node).__name__} is no term of this language")


def _plain(number: e.Number) -> Plain:
    assert not isinstance(number, e.Dual), "nothing is differentiated here"
    return number


def _total(parts: tuple[Plain, ...], bits: int) -> Plain:
    total: Plain = e.ZERO
    for part in parts:
        total = _plain(e.add(total, part, bits))
    return total


def _product(parts: tuple[Plain, ...], bits: int) -> Plain:
    result: Plain = e.ONE
    for part in parts:
        result = _plain(e.times(result, part, bits))
    return result


def _operated(name: str, argument: Plain, bits: int) -> Plain:
    return exponential(argument, bits) if name == "exp" else _plain(e.OPERATIONS[name](argument, bits))


def exponential(a: Plain, bits: int) -> Plain:
    """e to a, where floats of any size are not needed for it."""
    low, high = (a.re, a.re) if isinstance(a, Exact) else ends(a.re)
    if low < -STEEP or high > STEEP:
        raise e.Unclear("an exponential that is too steep")
    return _plain(e.exp(a, bits))


def root(a: Plain, bits: int) -> Plain:
    """The square root of a real number: exact where it is rational."""
    if isinstance(a, Exact):
        above, below = isqrt(abs(a.re.numerator)), isqrt(a.re.denominator)
        if a.re >= 0 and not a.im and Fraction(above * above, below * below) == a.re:
            return Exact(Fraction(above, below))
    low, high = ends(e.boxed(a, bits).re)
    if high < 0:
        raise e.Undefined("the square root of what is negative")
    if low < 0:
        raise e.Unclear("the square root of what may be negative")
    return e.from_ends((_scaled_root(low, bits), _scaled_root(high, bits, above=1)), (Fraction(0), Fraction(0)), bits)


def _scaled_root(a: Fraction, bits: int, *, above: int = 0) -> Fraction:
    """The root rounded down to a multiple of 2^-2bits, or beyond it by one."""
    return Fraction(isqrt((a.numerator << 4 * bits) // a.denominator) + above, 1 << 2 * bits)


def ends(a: Interval) -> tuple[Fraction, Fraction]:
    """Both ends of an interval as rationals."""
    low, high = (
        (-1) ** sign * (Fraction(int(man) << power) if power >= 0 else Fraction(int(man), 1 << -power))
        for sign, man, power, _ in a
    )
    return low, high


def _polynomial(coefficients: tuple[Fraction, ...], at: Plain, bits: int) -> Plain:
    result: Plain = e.ZERO
    for c in reversed(coefficients):
        result = _plain(e.add(_plain(e.times(result, at, bits)), Exact(c), bits))
    return result


def holds(demand: Demand, place: Place) -> bool:
    """Whether a condition holds; where it has no value it does not. Unclear where that is not certain."""
    try:
        found = value(demand.left, place)
    except e.Undefined:
        return False
    if demand.kind == "positive":
        return e.certainly_positive(found)
    assert demand.kind == "nonzero", "towers make conditions of two kinds"
    if e.excludes_zero(found):
        return True
    if isinstance(found, Exact):
        return False
    raise e.Unclear("an enclosure around zero")


def differ(said: Equation, place: Place) -> str | None:
    """How the place contradicts what is said of all places, in words; None where it does not, or not certainly."""
    try:
        if not all(holds(demand, place) for demand in said.demands):
            return None
        left, right = (value(side, place) for side in (said.left, said.right))
    except e.Unclear:
        return None
    except e.Undefined as reason:
        return f"a side has no value, {reason}"
    if e.apart(left, right, place.bits):
        return f"left {e.text(left)}, right {e.text(right)}"
    return None


def names_of(claim: Equation) -> tuple[list[str], list[str]]:
    """The symbols and the functions of an equation, each in order."""
    found = [node for side in (claim.left, claim.right) for node in walk(side)]
    symbols = {node.name for node in found if isinstance(node, Var)}
    return sorted(symbols), sorted({node.function for node in found if isinstance(node, Call)})


def drawn_place(names: tuple[list[str], list[str]], draw: Random, *, common: Fraction | None = None) -> Place:
    """Small values for every name; a `common` one for all symbols, where divisors vanish."""
    positive = common is None and draw.randrange(4) > 0
    symbols: dict[str, Exact] = {}
    for name in names[0]:
        number = small(draw) if common is None else common
        symbols[name] = Exact(abs(number) or Fraction(3, 2)) if positive and name in POSITIVE else Exact(number)
    polynomials = {name: tuple(Fraction(draw.randint(-2, 3), 2) for _ in range(4)) for name in names[1]}
    return Place(symbols, polynomials)


def shown(said: Equation, place: Place, found: str) -> str:
    """A contradiction for people."""
    conditions = "".join(f"\n  where {plain(d.left)} is {d.kind}" for d in said.demands)
    return f"{plain(said.left)} = {plain(said.right)}{conditions}\n  at {place.text()}: {found}"
