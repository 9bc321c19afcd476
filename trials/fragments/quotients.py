"""Quotients: fractions of exponential polynomials, where every divisor may vanish somewhere.

The kernel adds what it divides by to the hypotheses, unless it cannot vanish. So a theorem of this fragment is judged
by places at which divisors do vanish: there one of its hypotheses must fail.
"""

from __future__ import annotations

from random import Random

from trials import asking, judging
from trials.case import Case
from trials.drawing import Schema
from trials.fragments.scalars import case_of
from trials.fragments.values import conj, cos, demands, sin
from trials.language import (
    HALF,
    IMAGINARY,
    MINUS,
    ONE,
    TWO,
    ZERO,
    Node,
    Op,
    Slope,
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

NAME = "quotients"
X, Y, M = Var("x"), Var("y"), Var("m")


def inverse(node: Node) -> Node:
    return raised(node, -1)


FRACTIONS = (
    Schema(
        "zdzd", lambda z, d, w, e: (plus(over(z, d), over(w, e)), over(plus(times(z, e), times(w, d)), times(d, e)))
    ),
    Schema("zdw", lambda z, d, w: (plus(over(z, d), over(w, d)), over(plus(z, w), d))),
    Schema("zdw", lambda z, d, w: (plus(over(z, d), w), over(plus(z, times(w, d)), d))),
    Schema("zd", lambda z, d: (times(d, over(z, d)), z)),
    Schema("d", lambda d: (over(d, d), ONE)),
    Schema("zdw", lambda z, d, w: (times(over(z, d), over(w, d)), over(times(z, w), raised(d, 2)))),
    Schema("zde", lambda z, d, e: (over(over(z, d), e), over(z, times(d, e)))),
    Schema("zde", lambda z, d, e: (over(z, over(d, e)), over(times(z, e), d))),
    Schema("zdk", lambda z, d, k: (raised(over(z, d), k), over(raised(z, k), raised(d, k)))),
    Schema("dek", lambda d, e, k: (raised(over(d, e), -k), over(raised(e, k), raised(d, k)))),
    Schema("zd", lambda z, d: (over(negative(z), d), negative(over(z, d)))),
    Schema("zd", lambda z, d: (over(z, negative(d)), negative(over(z, d)))),
    Schema("de", lambda d, e: (minus(inverse(d), inverse(e)), over(minus(e, d), times(d, e)))),
    Schema("dd", lambda d, e: (over(minus(times(d, d), times(e, e)), minus(d, e)), plus(d, e))),
    Schema("d", lambda d: (inverse(plus(inverse(d), ONE)), over(d, plus(ONE, d)))),
    Schema("rd", lambda a, d: (exp(over(a, d)), exp(times(a, inverse(d))))),
    Schema("zzd", lambda z, w, d: (minus(over(z, d), over(w, d)), over(minus(z, w), d))),
)
COMPLEX = (
    Schema("zd", lambda z, d: (conj(over(z, d)), over(conj(z), conj(d)))),
    Schema("rr", lambda a, b: (inverse(_point(a, b)), over(minus(a, times(IMAGINARY, b)), _square(a, b)))),
    Schema("rr", lambda a, b: (Op("re", inverse(_point(a, b))), over(a, _square(a, b)))),
    Schema("rr", lambda a, b: (Op("im", inverse(_point(a, b))), over(negative(b), _square(a, b)))),
    Schema("zd", lambda z, d: (Op("re", over(z, d)), times(HALF, plus(over(z, d), over(conj(z), conj(d)))))),
    Schema("zd", lambda z, d: (over(z, d), over(times(z, conj(d)), times(d, conj(d))))),
    Schema("r", lambda a: (inverse(turned(a)), turned(negative(a)))),
    Schema("zz", lambda z, w: (over(exp(z), exp(w)), exp(minus(z, w)))),
    Schema(
        "r", lambda a: (over(minus(ONE, turned(a)), plus(ONE, turned(a))), over(_tangent_top(a), cos(times(HALF, a))))
    ),
    Schema("rr", lambda a, b: (over(sin(a), cos(b)), over(times(sin(a), cos(b)), raised(cos(b), 2)))),
)
SHARES = (
    Schema("rrr", lambda a, b, c: (_share(plus(a, c), plus(b, c)), _share(a, b))),
    Schema("rr", lambda a, b: (plus(_share(a, b), _share(b, a)), ONE)),
    Schema("rr", lambda a, b: (_share(a, b), inverse(plus(ONE, exp(minus(b, a)))))),
    Schema(
        "rr", lambda a, b: (_tanh(plus(a, b)), over(plus(_tanh(a), _tanh(b)), plus(ONE, times(_tanh(a), _tanh(b)))))
    ),
    Schema("r", lambda a: (minus(ONE, _sigmoid(a)), _sigmoid(negative(a)))),
    Schema("r", lambda a: (minus(times(TWO, _sigmoid(times(TWO, a))), ONE), _tanh(a))),
)


def _point(a: Node, b: Node) -> Node:
    return plus(a, times(IMAGINARY, b))


def _square(a: Node, b: Node) -> Node:
    return plus(raised(a, 2), raised(b, 2))


def _tangent_top(a: Node) -> Node:
    return times(num(0, -1), sin(times(HALF, a)))


def _share(a: Node, b: Node) -> Node:
    """The share of a in the softmax of a and b."""
    return over(exp(a), plus(exp(a), exp(b)))


def _sigmoid(a: Node) -> Node:
    return inverse(plus(ONE, exp(negative(a))))


def _tanh(a: Node) -> Node:
    return over(minus(exp(a), exp(negative(a))), plus(exp(a), exp(negative(a))))


def _derivative(chance: Random) -> tuple[Node, Node]:
    """The quotient rule by x, over divisors that vanish somewhere or nowhere."""
    d = chance.choice((plus(X, Y), plus(raised(X, 2), ONE), plus(ONE, exp(X)), minus(X, M), X, plus(turned(X), TWO)))
    u = chance.choice((X, plus(times(TWO, X), Y), exp(X), sin(X), ONE, raised(X, 2)))
    du, dd = Slope(u, "x"), Slope(d, "x")
    return chance.choice(
        (
            lambda: (Slope(over(u, d), "x"), over(minus(times(du, d), times(u, dd)), raised(d, 2))),
            lambda: (Slope(inverse(d), "x"), negative(over(dd, raised(d, 2)))),
            lambda: (Slope(_share(X, Y), "x"), times(_share(X, Y), minus(ONE, _share(X, Y)))),
            lambda: (Slope(_sigmoid(X), "x"), times(_sigmoid(X), _sigmoid(negative(X)))),
            lambda: (Slope(raised(d, -2), "x"), times(num(-2), dd, raised(d, -3))),
            lambda: (Slope(over(exp(X), Y), "y"), negative(over(exp(X), raised(Y, 2)))),
        )
    )()


def _partial(chance: Random) -> tuple[Node, Node]:
    """Partial fractions and cancelled factors, with small numbers."""
    n = num(chance.choice((1, 2, -3)))
    return chance.choice(
        (
            lambda: (over(n, times(X, plus(X, n))), minus(inverse(X), inverse(plus(X, n)))),
            lambda: (over(minus(raised(X, 2), times(n, n)), minus(X, n)), plus(X, n)),
            lambda: (over(times(X, Y), X), Y),
            lambda: (over(ZERO, plus(X, n)), ZERO),
            lambda: (over(minus(raised(X, 3), ONE), minus(X, ONE)), plus(raised(X, 2), X, ONE)),
            lambda: (inverse(times(n, X)), times(inverse(n), inverse(X))),
            lambda: (raised(plus(X, MINUS), -2), inverse(minus(raised(X, 2), minus(times(TWO, X), ONE)))),
        )
    )()


GROUPS = (FRACTIONS, FRACTIONS, FRACTIONS, COMPLEX, COMPLEX, SHARES)


def draw(chance: Random) -> Case:
    choice = chance.randrange(10)
    if choice == 0:
        sides = _derivative(chance)
    elif choice == 1:
        sides = _partial(chance)
    else:
        sides = chance.choice(chance.choice(GROUPS)).drawn(chance)
    return case_of(NAME, chance, sides, demands(chance))


answer = asking.answer
opinion = judging.judged
