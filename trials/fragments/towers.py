"""Towers: inverses, square roots, softmax probabilities, functions of unknown meaning and cuts, each one generator.

The question is that of symbolic execution: are two values of one tower equal, or is that not known? Conditions that a
tower lists are taken at its word, as those of a theorem are.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from trials.asking_towers import answer
from trials.case import Case
from trials.drawing_towers import Law, real
from trials.judging_towers import judged
from trials.language import (
    HALF,
    ONE,
    TWO,
    Call,
    Equation,
    Node,
    exp,
    minus,
    negative,
    num,
    over,
    plus,
    raised,
    times,
)
from trials.language_towers import Cut, Root, Share, cos, inverse, log, sin
from trials.rewriting_towers import rewritten
from trials.spoiling_towers import spoiled

__all__ = ["NAME", "answer", "draw", "opinion"]

NAME = "towers"
TRUE_IN = 5  # one case of so many is left true
opinion = judged


def f(node: Node) -> Call:
    return Call("f", node)


def square(node: Node) -> Node:
    return raised(node, 2)


INVERSES = (
    Law("d", lambda d: (inverse(inverse(d)), d)),
    Law("d", lambda d: (times(d, inverse(d)), ONE)),
    Law("de", lambda d, e: (plus(inverse(d), inverse(e)), over(plus(d, e), times(d, e)))),
    Law("de", lambda d, e: (minus(inverse(d), inverse(e)), over(minus(e, d), times(d, e)))),
    Law("d", lambda d: (inverse(plus(ONE, inverse(d))), over(d, plus(d, ONE)))),
    Law("nd", lambda n, d: (inverse(times(n, d)), times(inverse(n), inverse(d)))),
    Law("de", lambda d, e: (over(minus(square(d), square(e)), minus(d, e)), plus(d, e))),
    Law("rd", lambda r, d: (plus(times(r, inverse(d)), inverse(d)), over(plus(r, ONE), d))),
    Law("d", lambda d: (raised(d, -2), inverse(times(d, d)))),
    Law("r", lambda r: (inverse(exp(r)), exp(negative(r)))),
    Law("de", lambda d, e: (inverse(plus(inverse(d), inverse(e))), over(times(d, e), plus(d, e)))),
    Law("rd", lambda r, d: (times(exp(over(r, d)), exp(inverse(d))), exp(over(plus(r, ONE), d)))),
)
ROOTS = (
    Law("p", lambda p: (square(Root(p)), p)),
    Law("p", lambda p: (raised(Root(p), 3), times(p, Root(p)))),
    Law("p", lambda p: (inverse(Root(p)), over(Root(p), p))),
    Law("p", lambda p: (raised(Root(p), -2), inverse(p))),
    Law("kp", lambda k, p: (Root(times(square(k), p)), times(k, Root(p)))),
    Law("kp", lambda k, p: (Root(times(k, p)), times(Root(k), Root(p)))),
    Law("kk", lambda k, n: (times(Root(k), Root(n)), Root(times(k, n)))),
    Law("k", lambda k: (Root(inverse(k)), inverse(Root(k)))),
    Law("pq", lambda p, q: (inverse(plus(Root(p), Root(q))), over(minus(Root(p), Root(q)), minus(p, q)))),
    Law("p", lambda p: (square(plus(ONE, Root(p))), plus(ONE, times(TWO, Root(p)), p))),
    Law("r", lambda r: (Root(plus(square(plus(r, ONE)), ONE)), Root(plus(square(r), times(TWO, r), TWO)))),
    Law("qd", lambda q, d: (Root(plus(q, inverse(square(d)))), Root(over(plus(times(q, d, d), ONE), square(d))))),
    Law("p", lambda p: (square(exp(Root(p))), exp(Root(times(num(4), p))))),
    Law("vp", lambda v, p: (Root(times(v, v, p)), times(v, Root(p)))),  # where v is positive: no tower says that it is
    Law("pq", lambda p, q: (times(Root(p), Root(q)), Root(times(p, q)))),
)
SHARES = (
    Law("s", lambda s: (Share(s[0], s), Share(s[0], s[::-1]))),
    Law("sr", lambda s, r: (Share(s[0], s), Share(plus(s[0], r), tuple(plus(one, r) for one in s)))),
    Law("s", lambda s: (plus(*(Share(one, s) for one in s)), ONE)),
    Law("s", lambda s: (minus(ONE, Share(s[0], s)), plus(num(0), *(Share(one, s) for one in s[1:])))),
    Law("s", lambda s: (Share(s[0], s), over(exp(s[0]), plus(*map(exp, s))))),
    Law("s", lambda s: (over(Share(s[0], s), Share(s[1], s)), exp(minus(s[0], s[1])))),
    Law("s", lambda s: (times(Share(s[1], s), plus(*(exp(minus(one, s[1])) for one in s))), ONE)),
    Law("rr", lambda r, t: (Share(r, (r, t)), inverse(plus(ONE, exp(minus(t, r)))))),
    Law("rr", lambda r, t: (Share(r, (r, r, t)), inverse(plus(TWO, exp(minus(t, r)))))),
    Law("sr", lambda s, r: (_average(s, r), _average_by_exponentials(s, r))),
    Law("sr", lambda s, r: (times(r, inverse(Share(s[0], s))), times(r, plus(*(exp(minus(one, s[0])) for one in s))))),
    Law("sd", lambda s, d: (Share(over(d, d), (ONE, *s)), Share(num(0), (num(0), *(minus(one, ONE) for one in s))))),
)
CALLS = (
    Law("rr", lambda r, t: (f(plus(r, t)), f(plus(t, r)))),
    Law("de", lambda d, e: (f(over(d, times(d, e))), f(inverse(e)))),
    Law("p", lambda p: (f(square(Root(p))), f(p))),
    Law("sr", lambda s, r: (f(Share(s[0], s)), f(Share(plus(s[0], r), tuple(plus(one, r) for one in s))))),
    Law("s", lambda s: (f(plus(*(Share(one, s) for one in s))), f(ONE))),
    Law("rr", lambda r, t: (times(f(r), f(Cut(plus(r, t)))), times(f(plus(t, r)), f(r)))),
    Law("rd", lambda r, d: (plus(over(f(r), d), f(r)), times(f(r), over(plus(ONE, d), d)))),
    Law("rr", lambda r, t: (minus(f(minus(r, t)), f(negative(minus(t, r)))), num(0))),
)
CUTS = (
    Law("rr", lambda r, t: (Cut(plus(r, t)), plus(r, t))),
    Law("nrr", lambda n, r, t: (Cut(times(n, plus(r, t))), times(n, Cut(plus(r, t))))),
    Law("rr", lambda r, t: (times(Cut(plus(r, t)), Cut(minus(r, t))), minus(square(r), square(t)))),
    Law("rrd", lambda r, t, d: (over(Cut(plus(r, t)), d), plus(over(r, d), over(t, d)))),
    Law("de", lambda d, e: (inverse(Cut(plus(d, e))), inverse(plus(d, e)))),
    Law("pq", lambda p, q: (square(Root(Cut(plus(p, q)))), plus(p, q))),
    Law("s", lambda s: (Share(Cut(s[0]), tuple(map(Cut, s))), Share(s[0], s))),
    Law("rr", lambda r, t: (exp(Cut(plus(r, t))), times(exp(r), exp(t)))),
)
EXPONENTIALS = (
    Law("rr", lambda r, t: (exp(plus(r, t)), times(exp(r), exp(t)))),
    Law("rr", lambda r, t: (cos(minus(r, t)), plus(times(cos(r), cos(t)), times(sin(r), sin(t))))),
    Law("r", lambda r: (plus(square(cos(r)), square(sin(r))), ONE)),
    Law("vv", lambda v, w: (log(times(v, w)), plus(log(v), log(w)))),
    Law("kv", lambda k, v: (log(times(k, square(v))), plus(log(k), times(TWO, log(v))))),
    Law("v", lambda v: (exp(log(v)), v)),
    Law("v", lambda v: (square(exp(times(HALF, log(v)))), v)),
    Law("d", lambda d: (over(minus(exp(d), exp(negative(d))), plus(exp(d), exp(negative(d)))), _tanh(d))),
)
GROUPS = (INVERSES, INVERSES, ROOTS, ROOTS, SHARES, SHARES, SHARES, CALLS, CUTS, EXPONENTIALS)


def _average(scores: tuple[Node, ...], r: Node) -> Node:
    """The mean of r, r + 1, .. with these probabilities."""
    return plus(*(times(Share(one, scores), plus(r, num(k))) for k, one in enumerate(scores)))


def _average_by_exponentials(scores: tuple[Node, ...], r: Node) -> Node:
    above = plus(*(times(exp(one), plus(r, num(k))) for k, one in enumerate(scores)))
    return over(above, plus(*map(exp, scores)))


def _tanh(d: Node) -> Node:
    return minus(ONE, over(TWO, plus(exp(times(TWO, d)), ONE)))


def draw(chance: Random) -> Case:
    """One law, perhaps inside a larger term, one side rewritten, and in four cases of five with one defect."""
    left, right = _in_context(chance, chance.choice(chance.choice(GROUPS)).drawn(chance))
    if chance.random() < 0.2:
        left, right = right, left
    claim = Equation(left, rewritten(right, chance) if chance.random() < 0.6 else right)
    if chance.randrange(TRUE_IN) == 0:
        return Case(NAME, claim)
    return Case(NAME, *spoiled(claim, chance))


def _in_context(chance: Random, sides: tuple[Node, Node]) -> tuple[Node, Node]:
    """Both sides at the same place of a larger term, in three cases of ten: generators of what is equal are equal."""
    other = real(chance)
    around: tuple[Callable[[Node], Node], ...] = (
        lambda hole: plus(hole, other),
        lambda hole: times(other, hole),
        lambda hole: minus(other, hole),
        f,
        lambda hole: Share(hole, (other, hole)),
        lambda hole: Share(other, (hole, other, ONE)),
        lambda hole: Root(plus(square(hole), ONE)),
        lambda hole: inverse(plus(hole, other)),
        lambda hole: Cut(plus(hole, other)),
        lambda hole: exp(times(HALF, hole)),
    )
    if chance.random() > 0.3:
        return sides
    whole = chance.choice(around)
    return whole(sides[0]), whole(sides[1])
