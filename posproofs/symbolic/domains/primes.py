"""Towers of primes, each dividing the one before it less 1; found from a seed, the same ones every time.

Every prime is proved one: the last by Miller and Rabin with bases that suffice below 3.3 * 10^24, each before it by
Pocklington's criterion, for which the next prime is the large factor of p - 1 that it needs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import gcd, isqrt

BITS = 61  # of the last prime
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
ENOUGH = 3_317_044_064_679_887_385_961_981  # the bases decide below this (Sorenson and Webster, 2015)


@dataclass(frozen=True, slots=True)
class Level:
    """A prime, an i with i^2 = -1, 1/2, roots of small primes, and an element whose order is the next prime.

    A root is the smaller of the two; that of a rational is the product of those of its primes, so sqrt(6) is
    sqrt(2) sqrt(3), and 1/sqrt(2) and sqrt(1/2) are one number. generator is 1 at the last level, where e^a is not
    defined.
    """

    prime: int
    unit: int
    half: int
    roots: Mapping[int, int]
    generator: int


@cache
def tower(levels: int, radicands: frozenset[int], seed: int) -> tuple[Level, ...]:
    """That many levels, the largest prime first; every radicand, a prime, is a square at each of them."""
    chance = random.Random(seed)
    primes = [_last(chance, radicands)]
    while len(primes) < levels:
        primes.insert(0, _above(primes[0], radicands))
    return tuple(_level(p, below, radicands) for p, below in zip(primes, [*primes[1:], None], strict=True))


def _last(chance: random.Random, radicands: frozenset[int]) -> int:
    p = chance.getrandbits(BITS) | 1 << (BITS - 1) | 1
    while not (_wanted(p, radicands) and is_prime(p)):
        p += 2
    return p


def _above(q: int, radicands: frozenset[int]) -> int:
    k = 4
    while not (_wanted(k * q + 1, radicands) and _pocklington(k * q + 1, q)):
        k += 4
    return k * q + 1


def _wanted(p: int, radicands: frozenset[int]) -> bool:
    """p = 1 mod 4, and the radicands are squares if p is a prime (Euler's criterion)."""
    return p % 4 == 1 and all(pow(r, (p - 1) // 2, p) == 1 for r in radicands)


def is_prime(n: int) -> bool:
    """Whether n, below 3.3 * 10^24, is a prime."""
    if n >= ENOUGH:
        raise ValueError(f"the bases do not decide {n}")
    if n < 2 or any(n % p == 0 for p in BASES):
        return n in BASES
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(pow(base, odd, n), twos, n) for base in BASES)


def _passes(x: int, twos: int, n: int) -> bool:
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


def _pocklington(p: int, q: int) -> bool:
    """Whether p is a prime, for a prime q > sqrt(p) that divides p - 1: 2^(p-1) = 1 and 2^((p-1)/q) - 1 is a unit."""
    return q > isqrt(p) and pow(2, p - 1, p) == 1 and gcd(pow(2, (p - 1) // q, p) - 1, p) == 1


def _level(p: int, below: int | None, radicands: frozenset[int]) -> Level:
    unit = root_modulo(p - 1, p)
    roots = {r: root_modulo(r, p) for r in sorted(radicands)}
    known = {r: root for r, root in roots.items() if root is not None}
    assert unit is not None, "p = 1 mod 4"
    assert len(known) == len(roots), "the radicands were made squares"
    generator = 1 if below is None else pow(2, (p - 1) // below, p)
    return Level(p, unit, (p + 1) // 2, known, generator)


def root_modulo(a: int, p: int) -> int | None:
    """The smaller square root of a modulo an odd prime, if there is one (Tonelli and Shanks)."""
    a %= p
    if a == 0:
        return 0
    if pow(a, (p - 1) // 2, p) != 1:
        return None
    odd, twos = p - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    turn, rest, root = pow(_no_square(p), odd, p), pow(a, odd, p), pow(a, (odd + 1) // 2, p)
    while rest != 1:
        order, power = 0, rest
        while power != 1:
            power, order = power * power % p, order + 1
        step = pow(turn, 1 << (twos - order - 1), p)
        twos, turn = order, step * step % p
        rest, root = rest * turn % p, root * step % p
    return min(root, p - root)


@cache
def _no_square(p: int) -> int:
    z = 2
    while pow(z, (p - 1) // 2, p) != p - 1:
        z += 1
    return z


def factors(n: int) -> tuple[int, ...]:
    """The primes of a small number without square factors."""
    found, p = [], 2
    while n > 1:
        if p * p > n:
            p = n
        if n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return tuple(found)
