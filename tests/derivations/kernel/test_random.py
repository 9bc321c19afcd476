"""Random statements against the second evaluator: theorems hold there, refutations separate, true ones are proved."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import mpmath
import pytest

from derivations.kernel import Refuted, Statement, Theorem, Undecided, prove
from derivations.kernel.balls import Ball
from derivations.kernel.errors import KernelError
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.points import Point, ball_at
from derivations.kernel.quotients import Quotient
from derivations.kernel.terms import (
    Add,
    Apply,
    Family,
    IndexedSum,
    Multiply,
    Number,
    Power,
    Symbol,
    Term,
    children,
    number,
    rebuilt,
    walk,
)
from tests.derivations.kernel import building as build
from tests.derivations.kernel.drawing import draws
from tests.derivations.kernel.numeric import DIGITS, Env, value

NAMES = ("x", "y", "m")


def real_term(draw: Random, leaves: int) -> Term:
    """A sum or product of at most so many real leaves."""
    if leaves > 1 and draw.random() < 0.7:
        first = draw.randrange(1, leaves)
        node = draw.choice((build.add, build.mul))
        return node(real_term(draw, first), real_term(draw, leaves - first))
    half = number(Fraction(draw.randint(-3, 3), draw.choice((1, 2))))
    return draw.choice((half, Symbol(draw.choice(NAMES))))


def term_of(draw: Random, leaves: int = 6) -> Term:
    """A scalar term of at most so many leaves: arithmetic, powers, trigonometry, conjugates and indexed sums."""
    if leaves <= 1 or draw.random() < 0.1:
        return draw.choice((real_term(draw, 1), build.I))
    first = draw.randrange(1, leaves)
    angle = real_term(draw, min(leaves, 3))
    grown: tuple[Callable[[], Term], ...] = (
        lambda: build.add(term_of(draw, first), term_of(draw, leaves - first)),
        lambda: build.mul(term_of(draw, first), term_of(draw, leaves - first)),
        lambda: build.neg(term_of(draw, leaves - 1)),
        lambda: build.pw(term_of(draw, leaves - 2), draw.randint(0, 3)),
        lambda: draw.choice((build.cos, build.sin, build.cis))(angle),
        lambda: build.conj(term_of(draw, leaves - 1)),
        lambda: build.total(build.mul(term_of(draw, leaves - 1), draw.choice((build.fam("q"), build.i, build.ONE)))),
        lambda: build.total(build.cos(build.mul(angle, build.fam("q")))),
    )
    return draw.choice(grown)()


def divided(draw: Random) -> Term:
    return build.mul(term_of(draw, 4), build.inv(term_of(draw, 3)))


def env_of(draw: Random) -> Env:
    small = {name: Fraction(draw.randint(-4, 4), draw.choice((1, 2, 3))) for name in NAMES}
    members = {("q", k): Fraction(draw.randint(-4, 4), draw.choice((1, 2))) for k in range(4)}
    return Env({**small, "h": draw.randint(1, 3), "i": 0}, members)


def point_of(env: Env) -> Point:
    return Point(
        {name: Fraction(x) for name, x in env.symbols.items()},
        {key: Fraction(x) for key, x in env.families.items()},
        {},
    )


def agree(one: mpmath.mpc, other: mpmath.mpc) -> bool:
    with mpmath.workdps(DIGITS):
        return bool(abs(one - other) <= mpmath.mpf(10) ** -20 * (1 + abs(one)))


def inside(ball: Ball, z: mpmath.mpc) -> bool:
    """z, known to more digits than a ball has, lies in the ball widened by 1e-25 of its size."""
    with mpmath.workdps(DIGITS):
        slack = Fraction(2 + int(abs(z)), 10**25)
        exact = [Fraction(int(mpmath.nint(part * 2**200)), 2**200) for part in (z.real, z.imag)]
    return all(part.lower - slack <= x <= part.upper + slack for part, x in zip((ball.re, ball.im), exact, strict=True))


def value_of(found: Quotient, env: Env) -> mpmath.mpc:
    """A normal form as a number: its own tiny evaluator, over the data structure and nothing else."""
    with mpmath.workdps(DIGITS):
        return _of(found.over, env) / _of(found.under, env)


def _of(data: object, env: Env) -> mpmath.mpc:
    total = mpmath.mpc(0)
    for (monomial, phase), (re, im, d) in dict(data).items():  # type: ignore[call-overload]
        term = mpmath.mpc(re, im) / d * mpmath.exp(_of(phase, env))
        for base, n in monomial:
            term *= _atom(base, env) ** n
        total += term
    return total


def _atom(base: tuple[object, ...], env: Env) -> mpmath.mpc:
    match base:
        case ("symbol", name):
            return mpmath.mpmathify(Fraction(env.symbols[str(name)]))
        case ("family", name, index):
            return mpmath.mpmathify(Fraction(env.families[str(name), int(_of(index, env).real)]))
        case ("sum", ("symbol", count), monomial, phase):
            bound = next(f"#{k}" for k in range(8, -1, -1) if k == 0 or f"'#{k}'" in repr((monomial, phase)))
            upto = int(env.symbols[str(count)])
            body = {(monomial, phase): (1, 0, 1)}
            values = (_of(body, Env({**env.symbols, bound: k}, env.families)) for k in range(upto))
            return sum(values, mpmath.mpc(0))
        case _:
            raise AssertionError(base)


def test_normal_form_and_enclosure_agree_with_the_second_evaluator() -> None:
    compared = 0
    for draw in draws("evaluators", 40):
        term, env = term_of(draw), env_of(draw)
        try:
            found = evaluate(term, Context(counts=frozenset("h")))
        except KernelError:
            continue
        wanted = value(term, env)
        assert isinstance(found, Quotient)
        assert agree(value_of(found, env), wanted), term
        assert inside(ball_at(term, point_of(env)), wanted), term
        compared += 1
    assert compared > 25


def rewritten(term: Term, draw: Random) -> Term:
    """A term that is equal for reasons known beforehand: commuting, distributing, Euler, doubling, splitting."""
    choice = draw.randrange(8)
    match term:
        case Add(parts):
            shuffled = draw.sample(parts, len(parts))
            return Add(tuple(rewritten(part, draw) for part in shuffled))
        case Multiply((one, Add(parts))) if choice < 5:
            return Add(tuple(Multiply((rewritten(part, draw), one)) for part in parts))
        case Multiply(parts):
            return Multiply(tuple(rewritten(part, draw) for part in draw.sample(parts, len(parts))))
        case Power(base, Number(n)) if n == 2 and choice < 5:
            return Multiply((rewritten(base, draw), base))
        case IndexedSum(index, count, Add(parts)) if choice < 6:
            return Add(tuple(IndexedSum(index, count, rewritten(part, draw)) for part in parts))
        case IndexedSum(index, count, body):
            return IndexedSum(index, count, rewritten(body, draw))
        case _:
            return _by_formula(term, draw)


def _by_formula(term: Term, draw: Random) -> Term:
    match term:
        case Apply("cos", angle):
            half = build.mul(build.q("1/2"), angle)
            return draw.choice(
                (
                    build.mul(build.q("1/2"), build.add(build.cis(angle), build.cis(build.neg(angle)))),
                    build.sub(build.ONE, build.mul(build.TWO, build.pw(build.sin(half), 2))),
                    Apply("re", build.cis(angle)),
                )
            )
        case Apply("sin", angle):
            half = build.mul(build.q("1/2"), angle)
            return build.mul(build.TWO, build.sin(half), build.cos(half))
        case Apply("exp", Multiply((_, angle))):
            return build.add(build.cos(angle), build.mul(build.I, build.sin(angle)))
        case _:
            return draw.choice((term, build.sub(build.add(term, build.x), build.x)))


def test_true_identities_are_proved() -> None:
    for draw in draws("true", 30):
        term = term_of(draw)
        found = prove(Statement(term, rewritten(term, draw)))
        assert isinstance(found, Theorem) or (isinstance(found, Undecided) and found.reason != "no point found"), term


def spoiled(term: Term, draw: Random) -> Term:
    """The term with one leaf or sign changed."""
    leaves = [node for node in walk(term) if isinstance(node, Symbol | Number) and node != build.h]
    victim = draw.choice(leaves) if leaves else None
    instead = draw.choice((build.x, build.y, build.ONE, build.I, number(Fraction(1, 10**9)), build.neg(build.m)))

    def change(node: Term) -> Term:
        if node is victim:
            return instead
        kept = isinstance(node, Family)  # an index stays an index
        return node if kept else rebuilt(node, tuple(change(part) for part in children(node)))

    return change(term)


@pytest.mark.usefixtures("few_points")
def test_no_false_proof_and_every_refutation_holds_elsewhere() -> None:
    kinds = set()
    for draw in draws("near", 30):
        term = draw.choice((term_of, divided))(draw)
        statement = Statement(term, spoiled(rewritten(term, draw), draw))
        answer = prove(statement)
        kinds.add(type(answer))
        if isinstance(answer, Refuted):
            env = Env(answer.point.symbols, answer.point.families)
            with mpmath.workdps(DIGITS):
                assert abs(value(statement.left, env) - value(statement.right, env)) > mpmath.mpf(10) ** -60, statement
        elif isinstance(answer, Theorem):
            _holds_numerically(answer, [env_of(draw) for _ in range(4)])
    assert {Refuted, Theorem} <= kinds


def _holds_numerically(theorem: Theorem, envs: list[Env]) -> None:
    for env in envs:
        try:
            sides = [value(side, env) for side in (theorem.statement.left, theorem.statement.right)]
        except ZeroDivisionError:
            continue  # a point that the hypotheses exclude
        conditions = [h for h in theorem.hypotheses if not h.forall]
        if len(conditions) == len(theorem.hypotheses) and all(abs(value(h.left, env)) > 1e-9 for h in conditions):
            assert agree(*sides)


def test_the_normal_form_does_not_depend_on_the_order() -> None:
    context = Context(counts=frozenset("h"))
    for draw in draws("order", 12):
        one, two, three = (term_of(draw) for _ in range(3))
        try:
            sums = [evaluate(Add(o), context) for o in ((one, two, three), (three, one, two), (two, three, one))]
            products = [evaluate(Multiply(o), context) for o in ((one, two, three), (three, two, one))]
        except KernelError:
            continue
        assert sums[0] == sums[1] == sums[2]
        assert products[0] == products[1]
