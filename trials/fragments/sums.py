"""Indexed sums over 0..h-1, for every h: linearity, bound names, products, nested sums, conjugates, derivatives.

Members q[i] are real and arbitrary; h is any positive integer. Some true identities stand outside of what the normal
form decides, where the index itself counts or terms cancel between neighbours: these must not be refuted.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from trials import asking, judging
from trials.case import Case
from trials.drawing import RATIONALS
from trials.fragments.scalars import case_of
from trials.fragments.values import conj, cos, demands, sin
from trials.language import (
    HALF,
    IMAGINARY,
    ONE,
    TWO,
    Call,
    Member,
    Node,
    Op,
    Slope,
    Total,
    Var,
    exp,
    minus,
    negative,
    num,
    over,
    plus,
    raised,
    times,
    turned,
)
from trials.spoiling import at, renamed

NAME = "sums"
H, I, J, X, Y = Var("h"), Var("i"), Var("j"), Var("x"), Var("y")
Sides = tuple[Node, Node]


def of(name: str, index: Node = I) -> Member:
    return Member(name, index)


def total(body: Node, index: str = "i", count: Node = H) -> Total:
    return Total(index, count, body)


def outer(chance: Random) -> Node:
    """A term without an index."""
    return chance.choice((X, X, Y, TWO, IMAGINARY, turned(X), plus(X, Y), H, minus(X, IMAGINARY), times(TWO, X)))


def around(chance: Random) -> Node:
    """A term outside of a sum, where i and j are free names, other things than the bound ones."""
    return chance.choice((I, J, times(TWO, J), plus(I, J), turned(I), outer(chance)))


def body(chance: Random) -> Node:
    """A term that meets i through members."""
    q, k, n = of("q"), of("k"), of("q", plus(I, ONE))
    shapes = (
        q,
        times(q, k),
        plus(q, k),
        times(X, q),
        turned(times(X, q)),
        cos(times(Y, k)),
        exp(q),
        n,
        times(q, n),
        of("q", plus(times(TWO, I), ONE)),
        plus(q, times(IMAGINARY, k)),
        raised(q, 2),
        sin(plus(q, X)),
        Call("f", q),
        Call("f", times(X, k)),
        times(q, chance.choice(RATIONALS)),
    )
    return chance.choice(shapes)


def small_body(chance: Random) -> Node:
    return chance.choice(
        (of("q"), of("k"), times(X, of("q")), turned(of("k")), plus(of("q"), IMAGINARY), of("k", plus(I, ONE)))
    )


def _linear(chance: Random) -> Sides:
    z, w, c = body(chance), body(chance), outer(chance)
    return chance.choice(
        (
            lambda: (total(plus(z, w)), plus(total(z), total(w))),
            lambda: (total(times(c, z)), times(c, total(z))),
            lambda: (total(plus(z, c)), plus(total(z), times(H, c))),
            lambda: (total(c), times(H, c)),
            lambda: (total(ONE), H),
            lambda: (total(minus(z, w)), minus(total(z), total(w))),
            lambda: (total(plus(z, ONE)), plus(total(z), H)),
            lambda: (minus(total(plus(z, w)), total(w)), total(z)),
            lambda: (total(times(turned(plus(X, of("q"))), w)), times(turned(X), total(times(turned(of("q")), w)))),
            lambda: (total(exp(plus(of("k"), c))), times(exp(c), total(exp(of("k"))))),
            lambda: (times(total(z), total(c)), times(c, H, total(z))),
        )
    )()


def _bound(chance: Random) -> Sides:
    """Renaming a bound index, also where the new or the old name is free elsewhere in the term."""
    z, c, free = body(chance), outer(chance), around(chance)
    other = renamed(z, {"i": "j"})
    return chance.choice(
        (
            lambda: (total(z), total(other, "j")),
            lambda: (times(free, total(other, "j")), times(free, total(z))),
            lambda: (total(times(J, z)), times(J, total(z))),
            lambda: (total(times(I, other), "j"), times(I, total(z))),
            lambda: (total(times(c, other), "j"), times(c, total(z))),
            lambda: (plus(free, total(z)), plus(total(other, "j"), free)),
            lambda: (total(plus(of("q"), total(other, "j"))), plus(total(of("q")), times(H, total(z)))),
            lambda: (total(total(z), "j"), times(H, total(z))),
            lambda: (total(total(z)), times(H, total(z))),
            lambda: (total(times(of("k"), total(z))), times(total(of("k")), total(other, "j"))),
        )
    )()


def _nested(chance: Random) -> Sides:
    """Two bound indices that meet in one member, one phase or one argument; the names change places on one side."""
    meet = chance.choice(
        (
            of("q", plus(I, times(TWO, J))),
            of("q", plus(times(TWO, I), J)),
            turned(times(of("q"), of("k", J))),
            Call("f", plus(of("q"), of("k", J))),
            cos(plus(of("q"), times(X, of("q", J)))),
            exp(times(of("q"), of("k", J))),
        )
    )
    z = chance.choice(
        (times(meet, of("k"), of("q", J)), times(meet, of("v", J)), meet, times(meet, of("v")), times(meet, meet))
    )
    swapped = renamed(z, {"i": "j", "j": "i"})
    return chance.choice(
        (
            lambda: (total(total(z, "j")), total(total(swapped), "j")),
            lambda: (total(total(plus(z, of("v")), "j")), plus(total(total(z, "j")), times(H, total(of("v"))))),
            lambda: (total(times(X, total(z, "j"))), times(X, total(total(swapped), "j"))),
            lambda: (conj(total(total(z, "j"))), total(total(conj(swapped)), "j")),
        )
    )()


def _products(chance: Random) -> Sides:
    z, w = small_body(chance), small_body(chance)
    v = renamed(w, {"i": "j"})
    return chance.choice(
        (
            lambda: (times(total(z), total(w)), total(total(times(z, v), "j"))),
            lambda: (raised(total(z), 2), total(times(z, total(renamed(z, {"i": "j"}), "j")))),
            lambda: (times(total(z), total(w)), total(times(z, total(v, "j")))),
            lambda: (raised(plus(total(z), X), 2), plus(raised(total(z), 2), times(TWO, X, total(z)), raised(X, 2))),
            lambda: (times(total(plus(z, w)), total(minus(z, w))), minus(raised(total(z), 2), raised(total(w), 2))),
            lambda: (exp(plus(total(z), total(w))), times(exp(total(z)), exp(total(w)))),
            lambda: (turned(total(of("q"))), plus(cos(total(of("q"))), times(IMAGINARY, sin(total(of("q")))))),
        )
    )()


def _complex(chance: Random) -> Sides:
    z, c = body(chance), outer(chance)
    angle = times(X, of("q"))
    return chance.choice(
        (
            lambda: (conj(total(z)), total(conj(z))),
            lambda: (conj(total(turned(angle))), total(turned(negative(angle)))),
            lambda: (Op("re", total(turned(angle))), total(cos(angle))),
            lambda: (Op("im", total(turned(angle))), total(sin(angle))),
            lambda: (conj(times(c, total(z))), times(conj(c), total(conj(z)))),
            lambda: (
                times(total(turned(angle)), conj(total(turned(angle)))),
                times(total(turned(angle)), total(turned(negative(angle)))),
            ),
            lambda: (Op("re", total(times(IMAGINARY, of("q")))), num(0)),
            lambda: (conj(exp(total(turned(of("q"))))), exp(total(turned(negative(of("q")))))),
        )
    )()


def _derivative(chance: Random) -> Sides:
    q, k = of("q"), of("k")
    z = chance.choice(
        (
            times(X, q),
            turned(times(X, q)),
            times(raised(X, 2), k),
            sin(plus(X, q)),
            exp(times(X, q, k)),
            Call("f", times(Y, q)),
        )
    )
    by = "y" if isinstance(z, Call) else "x"
    return chance.choice(
        (
            lambda: (Slope(total(z), by), total(Slope(z, by))),
            lambda: (Slope(total(turned(times(X, q))), "x"), times(IMAGINARY, total(times(q, turned(times(X, q)))))),
            lambda: (Slope(raised(total(z), 2), by), times(TWO, total(z), total(Slope(z, by)))),
            lambda: (Slope(exp(total(times(X, q))), "x"), times(total(q), exp(total(times(X, q))))),
            lambda: (Slope(times(X, total(z)), "x"), plus(total(z), times(X, Slope(total(z), "x")))),
            lambda: (
                Slope(total(total(turned(times(X, q, of("k", J))), "j")), "x"),
                total(total(Slope(turned(times(X, q, of("k", J))), "x"), "j")),
            ),
            lambda: (Slope(total(k), "x"), num(0)),
        )
    )()


def _definite(chance: Random) -> Sides:
    """Counts that are numbers: the sum is written out, with an inner sum whose index has the same name at times."""
    z = body(chance)
    n = chance.choice((1, 1, 2, 3))
    terms = [at(z, "i", num(k)) for k in range(n)]
    inner = total(of("q"))
    return chance.choice(
        (
            lambda: (total(z, count=num(n)), plus(*terms)),
            lambda: (total(times(I, z), count=num(n)), plus(*(times(num(k), term) for k, term in enumerate(terms)))),
            lambda: (total(plus(I, inner), count=num(n)), plus(num(n * (n - 1) // 2), times(num(n), inner))),
            lambda: (total(times(z, inner), count=num(n)), times(inner, plus(*terms))),
            lambda: (total(inner, count=num(1)), inner),
            lambda: (total(plus(inner, X), count=num(1)), plus(inner, X)),
            lambda: (
                total(total(times(of("q"), of("k", J)), "j", num(2)), count=num(2)),
                times(total(of("q"), count=num(2)), total(of("k"), count=num(2))),
            ),
        )
    )()


def _quotients(chance: Random) -> Sides:
    """Divisors that are sums: of exponentials, which never vanish, and of others, which can."""
    q, k = of("q"), of("k")
    weights, s = total(exp(of("q", J)), "j"), total(k)
    return chance.choice(
        (
            lambda: (total(over(exp(q), weights)), ONE),
            lambda: (
                over(total(times(exp(plus(q, X)), k)), total(exp(plus(q, X)))),
                over(total(times(exp(q), k)), total(exp(q))),
            ),
            lambda: (over(total(times(X, k)), s), X),
            lambda: (over(times(s, X), s), X),
            lambda: (over(H, total(ONE)), ONE),
            lambda: (total(over(k, H)), over(s, H)),
            lambda: (total(over(times(k, q), q)), s),
            lambda: (over(total(plus(k, X)), H), plus(over(s, H), X)),
            lambda: (total(over(k, raised(X, 2))), over(s, raised(X, 2))),
            lambda: (
                total(over(k, plus(raised(q, 2), chance.choice((ONE, X))))),
                total(over(k, plus(chance.choice((ONE, X)), times(q, q)))),
            ),
            lambda: (over(X, plus(total(raised(q, 2)), ONE)), times(X, raised(plus(ONE, total(times(q, q))), -1))),
            lambda: (over(plus(s, X), plus(s, X)), ONE),
        )
    )()


def _outside(chance: Random) -> Sides:
    q = of("q")
    both = times(of("v", plus(I, times(TWO, J))), q, of("k", J))
    return chance.choice(
        (
            lambda: (total(minus(times(TWO, I), minus(H, ONE))), num(0)),
            lambda: (total(I), times(HALF, H, minus(H, ONE))),
            lambda: (total(minus(of("q", plus(I, ONE)), q)), minus(of("q", H), of("q", num(0)))),
            lambda: (total(of("q", minus(minus(H, ONE), I))), total(q)),
            lambda: (total(raised(I, 2)), times(num(Fraction(1, 6)), H, minus(H, ONE), minus(times(TWO, H), ONE))),
            lambda: (total(total(both, "j")), total(total(both), "j")),
        )
    )()


GROUPS = (
    _linear,
    _linear,
    _bound,
    _bound,
    _nested,
    _products,
    _complex,
    _complex,
    _derivative,
    _definite,
    _definite,
    _quotients,
    _quotients,
)


def draw(chance: Random) -> Case:
    """One case of eighty stands outside the normal form: there the kernel tries every point before it gives up."""
    group = _outside if chance.randrange(80) == 0 else chance.choice(GROUPS)
    return case_of(NAME, chance, group(chance), demands(chance))


answer = asking.answer
opinion = judging.judged
