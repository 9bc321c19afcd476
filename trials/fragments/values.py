"""Exponential polynomials: powers, exponentials, logarithms, conjugates, real and imaginary parts, derivatives.

Beside the part of the language on which the normal form decides, a few identities stand outside of it, where pi or a
power of 2 or 3 hides an algebraic number: these the kernel cannot prove, and must not refute.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from trials import asking, judging
from trials.case import Case
from trials.drawing import REALS, Schema, positive, quarter_turns, real
from trials.fragments.scalars import case_of
from trials.language import (
    HALF,
    IMAGINARY,
    MINUS,
    ONE,
    TWO,
    ZERO,
    Call,
    Circle,
    Demand,
    Node,
    Num,
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

NAME = "values"
A, PI, X, Y = Var("a"), Circle(), Var("x"), Var("y")


def cos(angle: Node) -> Op:
    return Op("cos", angle)


def sin(angle: Node) -> Op:
    return Op("sin", angle)


def conj(node: Node) -> Op:
    return Op("conj", node)


def log(node: Node) -> Op:
    return Op("log", node)


def _quarter(n: Node | int) -> Node:
    """n quarters of a turn, as an angle."""
    return times(num(n) if isinstance(n, int) else n, HALF, PI)


EXPONENTIALS = (
    Schema("zz", lambda z, w: (cos(plus(z, w)), minus(times(cos(z), cos(w)), times(sin(z), sin(w))))),
    Schema("zz", lambda z, w: (sin(plus(z, w)), plus(times(sin(z), cos(w)), times(cos(z), sin(w))))),
    Schema("zz", lambda z, w: (exp(plus(z, w)), times(exp(z), exp(w)))),
    Schema("zk", lambda z, k: (raised(exp(z), k), exp(times(num(k), z)))),
    Schema("r", lambda a: (turned(a), plus(cos(a), times(IMAGINARY, sin(a))))),
    Schema("z", lambda z: (plus(raised(cos(z), 2), raised(sin(z), 2)), ONE)),
    Schema("z", lambda z: (sin(times(IMAGINARY, z)), times(num(0, Fraction(1, 2)), minus(exp(z), exp(negative(z)))))),
    Schema("zt", lambda z, k: (exp(plus(z, times(IMAGINARY, _quarter(k)))), times(quarter_turns(k), exp(z)))),
    Schema("t", lambda k: (exp(times(num(0, -1), _quarter(k))), quarter_turns(-k))),
    Schema("rt", lambda a, k: (cos(plus(a, _quarter(2 * k))), times(num((-1) ** abs(k)), cos(a)))),
    Schema("r", lambda a: (sin(plus(a, _quarter(1))), cos(a))),
    Schema("z", lambda z: (times(exp(z), exp(negative(z))), ONE)),
)
CONJUGATES = (
    Schema("r", lambda a: (conj(turned(a)), turned(negative(a)))),
    Schema("zz", lambda z, w: (conj(times(z, w)), times(conj(z), conj(w)))),
    Schema("zz", lambda z, w: (conj(plus(z, w)), plus(conj(z), conj(w)))),
    Schema("z", lambda z: (conj(exp(z)), exp(conj(z)))),
    Schema("z", lambda z: (Op("re", z), times(HALF, plus(z, conj(z))))),
    Schema("z", lambda z: (Op("im", z), times(num(0, Fraction(-1, 2)), minus(z, conj(z))))),
    Schema("rr", lambda a, b: (conj(plus(a, times(IMAGINARY, b))), minus(a, times(IMAGINARY, b)))),
    Schema("rr", lambda a, b: (Op("re", plus(a, times(IMAGINARY, b))), a)),
    Schema("rr", lambda a, b: (Op("im", plus(a, times(IMAGINARY, b))), b)),
    Schema("r", lambda a: (Op("im", turned(a)), sin(a))),
    Schema("r", lambda a: (times(IMAGINARY, Op("im", turned(a))), minus(turned(a), cos(a)))),
    Schema("zr", lambda z, a: (Op("re", times(z, turned(a))), Op("re", times(conj(z), turned(negative(a)))))),
    Schema("r", lambda a: (times(turned(a), conj(turned(a))), ONE)),
)
POWERS = (
    Schema("zkk", lambda z, n, k: (times(raised(z, n), raised(z, k)), raised(z, n + k))),
    Schema("zk", lambda z, n: (raised(raised(z, n), 2), raised(z, 2 * n))),
    Schema("t", lambda k: (raised(IMAGINARY, -k), quarter_turns(-k))),
    Schema("zzk", lambda z, w, n: (raised(times(z, w), n), times(raised(z, n), raised(w, n)))),
    Schema("zz", lambda z, w: (raised(plus(z, w), 2), plus(times(z, z), times(w, w), times(TWO, z, w)))),
    Schema("zz", lambda z, w: (times(plus(z, w), minus(z, w)), minus(times(z, z), times(w, w)))),
    Schema("rk", lambda a, n: (times(a, raised(a, -n - 1)), raised(a, -n))),
    Schema("zk", lambda z, n: (raised(times(TWO, exp(z)), -n), times(raised(num(2), -n), exp(times(num(-n), z))))),
    Schema("nz", lambda n, z: (times(plus(n, IMAGINARY), z, minus(n, IMAGINARY)), times(plus(times(n, n), ONE), z))),
    Schema(
        "k", lambda k: (raised(plus(ONE, IMAGINARY), -k), times(raised(num(Fraction(1, 2)), k), raised(num(1, -1), k)))
    ),
)
LOGARITHMS = (
    Schema("pp", lambda p, r: (log(times(p, r)), plus(log(p), log(r)))),
    Schema("pp", lambda p, r: (log(over(p, r)), minus(log(p), log(r)))),
    Schema("pk", lambda p, k: (log(raised(p, k + 1)), times(num(k + 1), log(p)))),
    Schema("pr", lambda p, a: (exp(times(a, log(p))), raised(p, a))),
    Schema("prr", lambda p, a, b: (times(raised(p, a), raised(p, b)), raised(p, plus(a, b)))),
    Schema("prr", lambda p, a, b: (raised(raised(p, a), b), raised(p, times(a, b)))),
    Schema("p", lambda p: (times(raised(p, HALF), raised(p, HALF)), p)),
    Schema("pn", lambda p, n: (times(raised(p, n), raised(p, minus(ONE, n))), p)),
    Schema("pk", lambda p, k: (raised(p, plus(num(k), HALF)), times(raised(p, k), raised(p, HALF)))),
    Schema("pr", lambda p, a: (conj(turned(times(a, log(p)))), turned(negative(times(a, log(p)))))),
    Schema("", lambda: (raised(raised(X, 2), HALF), X)),
    Schema("k", lambda k: (log(num(Fraction(k + 2, 5))), minus(log(num(k + 2)), log(num(5))))),
    Schema("k", lambda k: (log(num(Fraction(1, k + 2))), negative(log(num(k + 2))))),
    Schema("", lambda: (log(raised(X, 2)), times(TWO, log(X)))),
    Schema("ppr", lambda p, r, a: (raised(times(p, r), a), times(raised(p, a), raised(r, a)))),
)


def _inside(chance: Random) -> Node:
    """A smooth real term in x, for derivatives."""
    y = Var("y")
    return chance.choice((X, times(TWO, X), plus(X, y), times(X, y), raised(X, 2), plus(times(num(3), X), ONE)))


def _derivative(chance: Random) -> tuple[Node, Node]:
    """A rule of calculus by x; the derivative of what is inside stays written as one."""
    u, v = _inside(chance), _inside(chance)
    k = chance.randint(1, 4)
    du, dv = Slope(u, "x"), Slope(v, "x")
    return chance.choice(
        (
            lambda: (Slope(raised(X, k), "x"), times(num(k), raised(X, k - 1))),
            lambda: (Slope(raised(u, k), "x"), times(num(k), raised(u, k - 1), du)),
            lambda: (Slope(exp(u), "x"), times(du, exp(u))),
            lambda: (Slope(turned(u), "x"), times(IMAGINARY, du, turned(u))),
            lambda: (Slope(sin(u), "x"), times(du, cos(u))),
            lambda: (Slope(cos(u), "x"), negative(times(du, sin(u)))),
            lambda: (Slope(times(u, v), "x"), plus(times(du, v), times(u, dv))),
            lambda: (Slope(times(exp(u), cos(v)), "x"), times(exp(u), minus(times(du, cos(v)), times(dv, sin(v))))),
            lambda: (Slope(conj(turned(u)), "x"), conj(Slope(turned(u), "x"))),
            lambda: (Slope(Slope(sin(u), "x"), "y"), Slope(Slope(sin(u), "y"), "x")),
            lambda: (Slope(Slope(exp(times(TWO, X)), "x"), "x"), times(num(4), exp(times(TWO, X)))),
            lambda: (Slope(log(A), "a"), raised(A, -1)),
            lambda: (Slope(exp(times(Y, log(A))), "a"), times(Y, raised(A, minus(Y, ONE)))),
            lambda: (Slope(exp(times(u, log(A))), "x"), times(log(A), du, raised(A, u))),
            lambda: (Slope(times(Y, exp(u)), "y"), plus(exp(u), times(Y, Slope(exp(u), "y")))),
        )
    )()


def _function(chance: Random) -> tuple[Node, Node]:
    """Rules for any smooth function f: chain, product, and that its argument is compared as a value."""
    n = chance.choice((TWO, num(3), num(Fraction(1, 2)), MINUS))
    inner = plus(times(n, X), Y)
    of = Call("f", inner)
    u = real(chance)
    return chance.choice(
        (
            lambda: (Slope(of, "x"), times(n, Slope(of, "y"))),
            lambda: (Slope(times(of, of), "x"), times(TWO, of, Slope(of, "x"))),
            lambda: (Slope(exp(of), "y"), times(exp(of), Slope(of, "y"))),
            lambda: (Call("f", plus(u, X)), Call("f", plus(X, u))),
            lambda: (Call("f", minus(u, u)), Call("f", ZERO)),
            lambda: (conj(times(IMAGINARY, Call("f", u))), times(num(0, -1), Call("f", u))),
            lambda: (plus(Call("f", u), Call("g", u)), plus(Call("g", u), Call("f", u))),
        )
    )()


OUTSIDE = (
    Schema("z", lambda z: (times(z, cos(times(num(Fraction(1, 3)), PI))), times(HALF, z))),
    Schema("r", lambda a: (plus(a, sin(times(num(Fraction(1, 6)), PI))), plus(a, HALF))),
    Schema("z", lambda z: (times(z, raised(cos(times(num(Fraction(1, 4)), PI)), 2)), times(HALF, z))),
    Schema("", lambda: (times(TWO, sin(times(num(Fraction(1, 3)), PI))), raised(num(3), HALF))),
    Schema(
        "r",
        lambda a: (sin(plus(a, times(num(Fraction(1, 3)), PI))), _third(a)),
    ),
    Schema(
        "",
        lambda: (
            raised(plus(raised(num(2), HALF), raised(num(3), HALF)), 2),
            plus(num(5), times(TWO, raised(num(6), HALF))),
        ),
    ),
)


def _third(a: Node) -> Node:
    root = times(HALF, raised(num(3), HALF))
    return plus(times(HALF, sin(a)), times(root, cos(a)))


GROUPS = (EXPONENTIALS, EXPONENTIALS, CONJUGATES, CONJUGATES, POWERS, LOGARITHMS, LOGARITHMS)


def draw(chance: Random) -> Case:
    """One case of eighty stands outside the normal form: there the kernel tries every point before it gives up."""
    choice = chance.randrange(80)
    if choice == 0:
        sides = chance.choice(OUTSIDE).drawn(chance)
    elif choice < 20:
        sides = _derivative(chance)
    elif choice < 28:
        sides = _function(chance)
    else:
        sides = chance.choice(chance.choice(GROUPS)).drawn(chance)
    return case_of(NAME, chance, sides, demands(chance))


def demands(chance: Random) -> tuple[Demand, ...]:
    """Hypotheses that the identity does not need, in one case of eight: points and witnesses must respect them."""
    if chance.randrange(8):
        return ()
    first, second = chance.sample([Var(name) for name in REALS], 2)
    shapes = (
        Demand("nonzero", minus(first, chance.choice((second, ONE, Num(Fraction(-2)))))),
        Demand("positive", chance.choice((minus(first, second), minus(first, ONE), plus(first, TWO), negative(first)))),
        Demand("nonzero", plus(raised(first, 2), negative(raised(second, 2)))),
        Demand("nonnegative", minus(first, second)),
        Demand("positive", positive(chance)),
        Demand("positive", minus(raised(first, 2), chance.choice((ONE, second)))),
    )
    return tuple(chance.sample(shapes, chance.choice((1, 1, 1, 2))))


answer = asking.answer
opinion = judging.judged
