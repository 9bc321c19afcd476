"""Small random expressions of three sorts, real, complex and positive, and the schemata of identities over them.

A schema is an equation between two terms over placeholders, true for every choice of terms of the right sorts. That is
what makes a drawn identity true; nothing is computed and compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from trials.language import (
    IMAGINARY,
    MINUS,
    ONE,
    TWO,
    Node,
    Op,
    Raised,
    Var,
    exp,
    minus,
    num,
    plus,
    raised,
    times,
    turned,
)

REALS = ("x", "y", "m")
POSITIVES = ("a", "b")
RATIONALS = tuple(num(Fraction(n, d)) for n, d in ((2, 1), (-1, 1), (3, 1), (1, 2), (-2, 3), (-3, 2)))


@dataclass(frozen=True, slots=True)
class Schema:
    """`sorts` has a letter for each placeholder: r real, z or w complex, p positive, n a small
    number, k a small integer, t a number of quarter turns, d or e a divisor."""

    sorts: str
    build: Callable[..., tuple[Node, Node]]

    def drawn(self, chance: Random) -> tuple[Node, Node]:
        return self.build(*(SORTS[sort](chance) for sort in self.sorts))


def real(chance: Random) -> Node:
    """A real term of one to five nodes."""
    choice = chance.random()
    if choice < 0.6:
        return Var(chance.choice(REALS))
    if choice < 0.7:
        return times(chance.choice(RATIONALS), Var(chance.choice(REALS)))
    if choice < 0.8:
        return plus(Var(chance.choice(REALS)), chance.choice((ONE, TWO, Var(chance.choice(REALS)))))
    if choice < 0.88:
        return times(Var(chance.choice(REALS)), Var(chance.choice(REALS)))
    return chance.choice(
        (raised(Var("x"), 2), chance.choice(RATIONALS), minus(Var("x"), Var("y")), Op("cos", Var("x")))
    )


def complex_term(chance: Random) -> Node:
    """A complex term, not much larger."""
    choice = chance.random()
    if choice < 0.35:
        return real(chance)
    if choice < 0.55:
        return turned(real(chance))
    if choice < 0.7:
        return plus(real(chance), times(IMAGINARY, real(chance)))
    if choice < 0.8:
        return Op(chance.choice(("cos", "sin", "exp")), real(chance))
    if choice < 0.88:
        return times(num(chance.randint(-2, 2), chance.choice((-1, 1, 2))), real(chance))
    return chance.choice((IMAGINARY, MINUS, num(Fraction(3, 2)), exp(plus(Var("y"), times(IMAGINARY, Var("m"))))))


def positive(chance: Random) -> Node:
    """A term that is positive wherever a and b are."""
    choice = chance.random()
    if choice < 0.75:
        return Var(chance.choice(POSITIVES))
    if choice < 0.9:
        return chance.choice((TWO, num(3), num(Fraction(1, 2)), num(Fraction(2, 3)), num(Fraction(12, 5))))
    return times(Var("a"), Var("b"))


def rational(chance: Random) -> Node:
    return chance.choice(RATIONALS)


def integer(chance: Random) -> int:
    return chance.choice((0, 1, 1, 2, 2, 2, 3, 3))


def turns(chance: Random) -> int:
    """A number of quarter turns."""
    return chance.choice((1, 2, 3, 3, 5, -1, -2, 7))


def divisor(chance: Random) -> Node:
    """A term that divides: some never vanish, most can."""
    x, y = chance.sample([Var(name) for name in REALS], 2)
    shapes: tuple[Callable[[], Node], ...] = (
        lambda: x,
        lambda: minus(x, y),
        lambda: plus(x, chance.choice((ONE, MINUS, TWO))),
        lambda: plus(raised(x, 2), ONE),
        lambda: plus(raised(x, 2), raised(y, 2)),
        lambda: plus(exp(x), exp(y)),
        lambda: minus(exp(x), chance.choice((ONE, exp(y)))),
        lambda: plus(x, times(IMAGINARY, y)),
        lambda: plus(raised(x, 3), ONE),
        lambda: plus(ONE, turned(x)),
        lambda: plus(turned(x), y),
        lambda: minus(x, IMAGINARY),
        lambda: times(x, y),
        lambda: turned(x),
        lambda: plus(x, x, chance.choice(RATIONALS)),
    )
    return chance.choice(shapes)()


SORTS: dict[str, Callable[[Random], Node | int]] = {
    "r": real,
    "z": complex_term,
    "w": complex_term,
    "p": positive,
    "n": rational,
    "k": integer,
    "t": turns,
    "d": divisor,
    "e": divisor,
}


def quarter_turns(n: int) -> Node:
    """i to the n, written as a number."""
    re, im = ((1, 0), (0, 1), (-1, 0), (0, -1))[n % 4]
    return num(re, im)


def in_context(chance: Random, sides: tuple[Node, Node]) -> tuple[Node, Node]:
    """Both sides at the same place of a larger term, in one case of five."""
    choice = chance.randrange(40)
    if choice > 7:
        return sides
    other = complex_term(chance)
    around: tuple[Callable[[Node], Node], ...] = (
        lambda hole: plus(hole, other),
        lambda hole: times(other, hole),
        lambda hole: minus(other, hole),
        lambda hole: Op("conj", hole),
        lambda hole: Op("re", hole),
        lambda hole: Raised(hole, TWO),
        lambda hole: plus(times(hole, other), other),
        lambda hole: times(hole, Var("m")),
    )
    return around[choice](sides[0]), around[choice](sides[1])
