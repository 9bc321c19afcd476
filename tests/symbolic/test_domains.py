"""Enclosures enclose, residues are of proved primes, and the exact domain splits no logarithm that it may not."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derivations.kernel.balls import Interval
from posproofs.errors import Refused
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.enclosures import FUNCTIONS, Enclosures
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.domains.field import checked
from posproofs.symbolic.domains.floats import FUNCTIONS as FLOAT_FUNCTIONS
from posproofs.symbolic.domains.primes import factors, is_prime, root_modulo, tower
from posproofs.symbolic.program import Name, Program

ORACLES = {
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "tanh": mpmath.tanh,
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "abs": abs,
    "erf": mpmath.erf,
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "gelu": lambda x: x * mpmath.ncdf(x),
    "gelu_approximate=tanh": lambda x: (
        x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)))
    ),
    "log": mpmath.log,
}
small = st.fractions(min_value=-12, max_value=12, max_denominator=64)


def test_every_function_has_an_oracle_and_a_float() -> None:
    assert set(FUNCTIONS) == set(ORACLES)
    assert set(FLOAT_FUNCTIONS) == set(FUNCTIONS) - {"log"} | {"maximum"}


@given(small, st.sampled_from(sorted(FUNCTIONS)), st.sampled_from([32, 128, 300]))
def test_an_enclosure_holds_the_value_and_is_thin(x: Fraction, name: str, bits: int) -> None:
    if name == "log" and x <= 0:
        return
    found = FUNCTIONS[name](Interval.from_fraction(x, bits))
    with mpmath.workprec(bits + 200):
        value = ORACLES[name](mpmath.mpf(x.numerator) / x.denominator)
        low, high = (mpmath.mpf(end) / mpmath.mpf(2) ** bits for end in (found.lo, found.hi))
        assert low <= value <= high
    # A logarithm of a thin interval is as much wider as the argument is smaller than 1.
    assert found.hi - found.lo <= 2**13


@given(small, small, st.sampled_from(sorted(set(FUNCTIONS) - {"log"})))
def test_a_wide_enclosure_holds_both_ends(x: Fraction, y: Fraction, name: str) -> None:
    wide = FUNCTIONS[name](Interval.between(min(x, y), max(x, y), bits=128))
    for end in (x, y):
        thin = FUNCTIONS[name](Interval.from_fraction(end, 128))
        assert wide.lo <= thin.hi
        assert thin.lo <= wide.hi


def enclosed(program: Program, node: int, **values: Fraction) -> Interval:
    point = {Name(name): value for name, value in values.items()}
    return evaluated(program, [node], Enclosures(point))[node]


def test_a_share_is_enclosed_however_large_its_scores_are() -> None:
    program = Program()
    a, b = program.symbol("a"), program.symbol("b")
    share = program.shares([a, b])[0]
    found = enclosed(program, share, a=Fraction(10**6), b=Fraction(10**6 + 1))
    assert abs(float(found.lower) - 1 / (1 + math.e)) < 1e-15


def test_enclosures_refuse_what_they_do_not_know() -> None:
    program = Program()
    a = program.symbol("a")
    for node, reason in (
        (program.call("gelu_approximate=sign", [a]), "do not know the function"),
        (program.invert(a), "may be zero"),
        (program.root(a), "may not be positive"),
        (program.log(a), "zero or negative"),
        (program.exp(program.exp(program.add(a, program.constant_of(100)))), "above"),
    ):
        with pytest.raises(Refused, match=reason):
            enclosed(program, node, a=Fraction(0))
    with pytest.raises(Refused, match="no value for b"):
        enclosed(program, program.symbol("b"), a=Fraction(0))


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_a_tower_is_a_chain_of_primes(levels: int) -> None:
    chain = tower(levels, frozenset({2, 3, 5, 7}), 3)
    assert chain == tower(levels, frozenset({2, 3, 5, 7}), 3)
    assert chain != tower(levels, frozenset({2, 3, 5, 7}), 4)
    for level, below in zip(chain, [*chain[1:], None], strict=True):
        p = level.prime
        assert p.bit_length() >= 61
        assert level.unit**2 % p == p - 1
        assert level.half * 2 % p == 1
        assert all(root**2 % p == r for r, root in level.roots.items())
        if below is not None:
            assert (p - 1) % below.prime == 0
            assert level.generator != 1
            assert pow(level.generator, below.prime, p) == 1
        if p < 3 * 10**24:
            assert is_prime(p)


def test_primes_are_told_from_others() -> None:
    sieve = [n for n in range(2, 2000) if all(n % k for k in range(2, math.isqrt(n) + 1))]
    assert [n for n in range(2000) if is_prime(n)] == sieve
    for pseudoprime in (3215031751, 341550071728321, 3825123056546413051, 318665857834031151167461):
        assert not is_prime(pseudoprime)
    with pytest.raises(ValueError, match="do not decide"):
        is_prime(2**89 - 1)
    assert factors(2 * 3 * 101) == (2, 3, 101)
    assert factors(1) == ()


@given(st.integers(0, 10**6), st.sampled_from([5, 13, 97, 1_000_033, 786433]))
def test_roots_modulo_a_prime(a: int, p: int) -> None:
    root = root_modulo(a, p)
    squares = pow(a % p, (p - 1) // 2, p) in (0, 1)
    assert (root is not None) == squares
    if root is not None:
        assert root * root % p == a % p
        assert root <= p - root


def test_roots_of_rationals_have_one_sign() -> None:
    program = Program()
    root = [program.root(program.constant(Fraction(n))) for n in (2, 3, 6)]
    half = program.root(program.constant(Fraction(1, 2)))
    pairs = [
        (program.multiply(root[0], root[1]), root[2]),
        (program.invert(root[0]), half),
        (program.multiply(half, program.constant_of(2)), root[0]),
        (program.power(root[2], 2), program.constant_of(6)),
    ]
    found = checked(program, pairs)
    assert found.differing == ()
    assert found.levels == 1


def test_a_root_is_a_root_where_there_are_few() -> None:
    program = Program()
    a, b = program.symbol("a"), program.symbol("b")
    root = program.root(program.add(a, b))
    right, wrong = (program.power(root, 2), program.add(a, b)), (program.power(root, 3), program.add(a, b))
    found = checked(program, [right, wrong])
    assert (found.differing, found.roots) == ((1,), "exact")


def test_many_roots_are_unknown_functions_and_said_to_be() -> None:
    program = Program()
    names = [program.symbol("a", (k,)) for k in range(30)]
    roots = [program.root(a) for a in names]
    found = checked(program, [(program.total(roots), program.total(reversed(roots)))])
    assert (found.differing, found.roots) == ((), "unknown")
    assert "which is no proof" in found.words()
    assert str(found.modulus) in found.words()


def test_a_divisor_that_vanishes_is_refused_and_one_that_may_is_drawn_again() -> None:
    program = Program()
    a, b = program.symbol("a"), program.symbol("b")
    nothing = program.subtract(program.multiply(a, b), program.multiply(b, a))
    assert nothing != program.zero
    with pytest.raises(Refused, match="a divisor vanishes at each"):
        checked(program, [(program.invert(program.add(nothing, program.subtract(a, a))), a)])
    with pytest.raises(Refused, match="a logarithm has no residue"):
        checked(program, [(program.log(a), a)])


def test_unknown_functions_are_functions_at_every_level() -> None:
    """cos^2 + sin^2 has lost a level that 1 still has; the function must not see it."""
    program = Program()
    a, b = program.symbol("a"), program.symbol("b")
    one = program.add(program.power(program.cos(a), 2), program.power(program.sin(a), 2))
    pairs = [
        (program.call("f", [one]), program.call("f", [program.one])),
        (program.exp(program.call("f", [one])), program.exp(program.call("f", [program.one]))),
        (program.call("f", [one]), program.call("g", [one])),
        (
            program.call("maximum", [a, program.multiply(b, one)]),
            program.call("maximum", [b, program.multiply(a, one)]),
        ),
    ]
    assert checked(program, pairs).differing == (2,)


def test_softmax_by_shares_and_by_exponentials_agree() -> None:
    program = Program()
    row = [program.symbol("s", (k,)) for k in range(4)]
    total = program.total(program.exp(a) for a in row)
    pairs = [(share, program.divide(program.exp(a), total)) for share, a in zip(program.shares(row), row, strict=True)]
    shifted = [program.add(a, program.symbol("c")) for a in row]
    pairs += list(zip(program.shares(row), program.shares(shifted), strict=True))
    assert checked(program, pairs).differing == ()
    assert checked(program, [(pairs[0][0], pairs[1][0])]).differing == (0,)


def test_logarithms_are_split_only_where_they_may_be() -> None:
    program, exact = Program(), Exact()
    x, y = program.symbol("x"), program.symbol("y")
    two = program.constant_of(2)
    log = program.log

    def equal(a: int, b: int) -> bool:
        found = evaluated(program, [a, b], exact)
        return exact.tower.equal(found[a], found[b])

    assert equal(log(program.exp(x)), x)
    assert equal(program.exp(log(x)), x)
    assert equal(log(program.multiply(two, x)), program.add(log(two), log(x)))
    assert equal(program.exp(program.multiply(two, log(x))), program.power(x, 2))
    squared = log(program.power(x, 2))
    assert not equal(squared, program.multiply(two, log(x))), "it is 2 log|x|, and x may be negative"
    assert not equal(log(program.multiply(x, y)), program.add(log(x), log(y)))
    assert equal(log(program.add(x, y)), log(program.add(y, x)))


def test_logarithmic_shares_do_not_see_a_shift() -> None:
    program, exact = Program(), Exact()
    row = [program.symbol("s", (k,)) for k in range(3)]
    shifted = [program.add(a, program.symbol("c")) for a in row]
    one, other = (program.log(program.shares(scores)[0]) for scores in (row, shifted))
    found = evaluated(program, [one, other], exact)
    assert exact.tower.equal(found[one], found[other])
