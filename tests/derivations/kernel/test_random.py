"""Random statements against the second evaluator: theorems hold there, refutations separate, true ones are proved."""

import random
from fractions import Fraction

import mpmath
from hypothesis import given, settings
from hypothesis import strategies as st

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
from tests.derivations.kernel.numeric import DIGITS, Env, value

NAMES = ("x", "y", "m")
HALVES = st.builds(Fraction, st.integers(-3, 3), st.sampled_from([1, 2]))
LEAVES = st.one_of(
    st.builds(number, HALVES),
    st.just(build.I),
    st.sampled_from([Symbol(name) for name in NAMES]),
)
REAL = st.recursive(
    st.one_of(st.builds(number, HALVES), st.sampled_from([Symbol(name) for name in NAMES])),
    lambda inner: st.one_of(st.builds(build.add, inner, inner), st.builds(build.mul, inner, inner)),
    max_leaves=3,
)


def _grown(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(build.add, inner, inner),
        st.builds(build.mul, inner, inner),
        st.builds(build.neg, inner),
        st.builds(build.pw, inner, st.integers(0, 3)),
        st.builds(build.cos, REAL),
        st.builds(build.sin, REAL),
        st.builds(build.cis, REAL),
        st.builds(build.conj, inner),
        st.builds(build.total, st.builds(build.mul, inner, st.sampled_from([build.fam("q"), build.i, build.ONE]))),
        st.builds(lambda angle: build.cos(build.mul(angle, build.fam("q"))), REAL).map(build.total),
    )


TERMS = st.recursive(LEAVES, _grown, max_leaves=6)
DIVIDED = st.builds(lambda over, under: build.mul(over, build.inv(under)), TERMS, TERMS)
SEEDS = st.integers(0, 2**32)


def env_of(seed: int) -> Env:
    draw = random.Random(seed)
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


@given(TERMS, SEEDS)
@settings(max_examples=100)
def test_normal_form_and_enclosure_agree_with_the_second_evaluator(term: Term, seed: int) -> None:
    env = env_of(seed)
    wanted = value(term, env)
    try:
        found = evaluate(term, Context(counts=frozenset("h")))
    except KernelError:
        return
    assert isinstance(found, Quotient)
    assert agree(value_of(found, env), wanted)
    assert inside(ball_at(term, point_of(env)), wanted)


def rewritten(term: Term, draw: random.Random) -> Term:
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


def _by_formula(term: Term, draw: random.Random) -> Term:
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


@given(TERMS, SEEDS)
@settings(max_examples=100)
def test_true_identities_are_proved(term: Term, seed: int) -> None:
    found = prove(Statement(term, rewritten(term, random.Random(seed))))
    assert isinstance(found, Theorem) or (isinstance(found, Undecided) and found.reason != "no point found")


def spoiled(term: Term, draw: random.Random) -> Term:
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


@given(st.one_of(TERMS, DIVIDED), SEEDS)
@settings(max_examples=100)
def test_no_false_proof_and_every_refutation_holds_elsewhere(term: Term, seed: int) -> None:
    draw = random.Random(seed)
    statement = Statement(term, spoiled(rewritten(term, draw), draw))
    answer = prove(statement)
    if isinstance(answer, Refuted):
        env = Env(answer.point.symbols, answer.point.families)
        with mpmath.workdps(DIGITS):
            assert abs(value(statement.left, env) - value(statement.right, env)) > mpmath.mpf(10) ** -60
    elif isinstance(answer, Theorem):
        _holds_numerically(answer, [env_of(draw.randrange(2**32)) for _ in range(4)])


def _holds_numerically(theorem: Theorem, envs: list[Env]) -> None:
    for env in envs:
        try:
            sides = [value(side, env) for side in (theorem.statement.left, theorem.statement.right)]
        except ZeroDivisionError:
            continue  # a point that the hypotheses exclude
        conditions = [h for h in theorem.hypotheses if not h.forall]
        if len(conditions) == len(theorem.hypotheses) and all(abs(value(h.left, env)) > 1e-9 for h in conditions):
            assert agree(*sides)


@given(TERMS, TERMS, TERMS)
@settings(max_examples=60)
def test_the_normal_form_does_not_depend_on_the_order(one: Term, two: Term, three: Term) -> None:
    context = Context(counts=frozenset("h"))
    try:
        sums = [evaluate(Add(order), context) for order in ((one, two, three), (three, one, two), (two, three, one))]
        products = [evaluate(Multiply(order), context) for order in ((one, two, three), (three, two, one))]
    except KernelError:
        return
    assert sums[0] == sums[1] == sums[2]
    assert products[0] == products[1]
