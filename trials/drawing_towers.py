"""Small random real terms for towers: of any sign, positive, divisors, and the scores of a softmax.

One term in four has something inside that a tower names by a generator, so that generators stand in one another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from trials.language import MINUS, ONE, TWO, Call, Node, Num, Var, exp, minus, num, plus, raised, times
from trials.language_towers import Cut, Root, Share, cos, inverse, sin

REALS = ("x", "y", "m")
POSITIVES = ("a", "b")
X, Y, A, B = Var("x"), Var("y"), Var("a"), Var("b")
RATIONALS = tuple(num(Fraction(n, d)) for n, d in ((2, 1), (-1, 1), (3, 1), (1, 2), (-2, 3), (-3, 2)))
RADICANDS = tuple(num(Fraction(n, d)) for n, d in ((2, 1), (3, 1), (1, 2), (2, 3), (12, 5), (6, 1), (4, 9)))


@dataclass(frozen=True, slots=True)
class Law:
    """`sorts` has a letter for each placeholder of an equation that holds for all terms of those sorts: r real, p or q
    positive, d or e a divisor, s two to four scores, n a small number, k a positive one, v a positive variable."""

    sorts: str
    build: Callable[..., tuple[Node, Node]]

    def drawn(self, chance: Random) -> tuple[Node, Node]:
        return self.build(*(SORTS[sort](chance) for sort in self.sorts))


def real(chance: Random) -> Node:
    choice = chance.random()
    x, y = chance.sample([Var(name) for name in REALS], 2)
    if choice < 0.45:
        return x
    if choice < 0.75:
        return chance.choice((times(chance.choice(RATIONALS), x), plus(x, y), minus(x, y), plus(x, ONE), times(x, y)))
    return _inside(chance, x, y)


def _inside(chance: Random, x: Var, y: Var) -> Node:
    shapes: tuple[Callable[[], Node], ...] = (
        lambda: Root(Var(chance.choice(POSITIVES))),
        lambda: inverse(plus(raised(x, 2), ONE)),
        lambda: Share(x, (x, y)),
        lambda: Call(chance.choice("fg"), chance.choice((x, plus(x, y)))),
        lambda: Cut(plus(x, y)),
        lambda: Cut(minus(times(TWO, x), times(TWO, y))),
        lambda: exp(x),
        lambda: cos(x),
        lambda: times(y, sin(x)),
        lambda: inverse(plus(x, y)),
        lambda: Root(plus(raised(x, 2), TWO)),
    )
    return chance.choice(shapes)()


def positive(chance: Random) -> Node:
    """A term that is positive wherever a and b are."""
    choice = chance.random()
    x = Var(chance.choice(REALS))
    if choice < 0.35:
        return Var(chance.choice(POSITIVES))
    if choice < 0.45:
        return chance.choice(RADICANDS)
    shapes: tuple[Callable[[], Node], ...] = (
        lambda: plus(raised(x, 2), ONE),
        lambda: plus(A, B),
        lambda: times(A, B),
        lambda: plus(A, exp(x)),
        lambda: plus(times(TWO, raised(x, 2)), times(TWO, A)),
        lambda: plus(ONE, Share(X, (X, Y))),
        lambda: plus(Root(A), ONE),
        lambda: Cut(plus(A, raised(x, 2))),
    )
    return chance.choice(shapes)()


def divisor(chance: Random) -> Node:
    """A term that divides: some never vanish, most can."""
    x, y = chance.sample([Var(name) for name in REALS], 2)
    shapes: tuple[Callable[[], Node], ...] = (
        lambda: x,
        lambda: minus(x, y),
        lambda: plus(x, chance.choice((ONE, MINUS, TWO))),
        lambda: plus(raised(x, 2), ONE),
        lambda: minus(raised(x, 2), ONE),
        lambda: minus(ONE, raised(x, 2)),
        lambda: plus(exp(x), exp(y)),
        lambda: minus(exp(x), ONE),
        lambda: plus(Root(A), B),
        lambda: minus(Root(A), chance.choice((ONE, Root(B)))),
        lambda: plus(Call("f", x), ONE),
        lambda: Cut(minus(x, y)),
        lambda: times(x, y),
        lambda: plus(times(TWO, x), times(num(4), y)),
        lambda: plus(Share(x, (x, y)), ONE),
        lambda: plus(inverse(plus(raised(x, 2), ONE)), y),
    )
    return chance.choice(shapes)()


def scores(chance: Random) -> tuple[Node, ...]:
    """Two to four scores; now and then two of them are the same."""
    found = tuple(score(chance) for _ in range(chance.choice((2, 2, 3, 3, 4))))
    return (found[0], *found[:-1]) if chance.random() < 0.15 else found


def score(chance: Random) -> Node:
    if chance.random() < 0.7:
        return real(chance)
    x, y = chance.sample([Var(name) for name in REALS], 2)
    return chance.choice(
        (num(0), ONE, times(num(Fraction(1, 2)), x, y), times(x, inverse(Root(TWO))), cos(minus(x, y)))
    )


def _rational(chance: Random) -> Num:
    return chance.choice(RATIONALS)


def _radicand(chance: Random) -> Num:
    return chance.choice(RADICANDS)


def _variable(chance: Random) -> Var:
    return Var(chance.choice(POSITIVES))


SORTS: dict[str, Callable[[Random], object]] = {
    "r": real,
    "p": positive,
    "q": positive,
    "d": divisor,
    "e": divisor,
    "s": scores,
    "n": _rational,
    "k": _radicand,
    "v": _variable,
}
