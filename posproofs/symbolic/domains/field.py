"""Programs modulo primes: a fast look before a proof, and a sweep over many shapes. It proves nothing.

A tower of primes p_0, p_1, .. with p_(l+1) dividing p_l - 1. A value is its residues at every level, and e^a at level l
is g^(a at level l+1), with g of order p_(l+1): so e^(a+b) = e^a e^b holds exactly, each nested exponential costs one
level, and cos and sin follow with i^2 = -1. Programs that the laws of exponential rings make equal agree, but where
roots were taken as unknown functions. Programs that differ agree by chance only: symbols are drawn at random, from a
seed, at each level.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from posproofs.errors import Refused
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.primes import Level, factors, root_modulo, tower
from posproofs.symbolic.program import Constant, Name, Program

Residues = tuple[int, ...]  # one for each level that the value still has, from level 0 on
TRIES = 16
NESTING = frozenset({"exp", "cos", "sin", "share"})


class Unlucky(ArithmeticError):
    """A divisor vanishes, or a root does not exist, at these random values: draw others."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check modulo a prime saw: the pairs that differ, by number. roots: how square roots were taken.

    exact: every root at level 0 is one modulo the prime. unknown: some were taken as a function of which only equal
    arguments give equal values, so that a true identity that needs sqrt(a)^2 = a may seem to differ.
    """

    modulus: int
    levels: int
    differing: tuple[int, ...]
    roots: str

    def words(self) -> str:
        outcome = f"{len(self.differing)} pairs differ" if self.differing else "all pairs agree"
        return f"{outcome}; checked modulo the prime {self.modulus}, which is no proof"


@dataclass(frozen=True, slots=True)
class Field:
    """A domain. chain: the levels; draw: what the random values come from; lenient: roots may be unknown functions."""

    chain: tuple[Level, ...]
    draw: str
    lenient: bool = False

    def _random(self, level: int, tag: object) -> int:
        seed = f"{self.draw}|{level}|{tag}".encode()
        return int.from_bytes(hashlib.blake2b(seed, digest_size=32).digest(), "big") % self.chain[level].prime

    def constant(self, value: Constant) -> Residues:
        over, under = value.rational.numerator, value.rational.denominator
        found = []
        for level in self.chain:
            residue = over * pow(under, -1, level.prime)
            for prime in factors(value.radicand):
                residue *= level.roots[prime]
            found.append(residue % level.prime)
        return tuple(found)

    def symbol(self, name: Name) -> Residues:
        return tuple(self._random(level, name) for level in range(len(self.chain)))

    def add(self, a: Residues, b: Residues) -> Residues:
        return tuple([(x + y) % level.prime for x, y, level in zip(a, b, self.chain, strict=False)])

    def negate(self, a: Residues) -> Residues:
        return tuple([-x % level.prime for x, level in zip(a, self.chain, strict=False)])

    def multiply(self, a: Residues, b: Residues) -> Residues:
        return tuple([x * y % level.prime for x, y, level in zip(a, b, self.chain, strict=False)])

    def invert(self, a: Residues) -> Residues:
        if 0 in a:
            raise Unlucky("a divisor vanishes")
        return tuple([pow(x, -1, level.prime) for x, level in zip(a, self.chain, strict=False)])

    def exp(self, a: Residues) -> Residues:
        pairs = zip(a[1:], self.chain, strict=False)
        return tuple([pow(level.generator, x, level.prime) for x, level in pairs])

    def _turned(self, a: Residues) -> tuple[Residues, Residues]:
        """e^(ia) and e^(-ia)."""
        turned = self.exp(self.multiply(a, tuple(level.unit for level in self.chain)))
        return turned, self.invert(turned)

    def cos(self, a: Residues) -> Residues:
        there, back = self._turned(a)
        return self.multiply(self.add(there, back), tuple(level.half for level in self.chain))

    def sin(self, a: Residues) -> Residues:
        there, back = self._turned(a)
        under_i = tuple(-level.unit * level.half for level in self.chain)  # 1/(2i) = -i/2
        return self.multiply(self.add(there, self.negate(back)), under_i)

    def log(self, _a: Residues) -> Residues:
        raise Refused("a logarithm has no residue")

    def root(self, a: Residues) -> Residues:
        """The smaller of the two roots. Where there is none, a random number: below level 0, or anywhere if lenient."""
        found = []
        for k, (x, level) in enumerate(zip(a, self.chain, strict=False)):
            root = root_modulo(x, level.prime)
            if root is None and k == 0 and not self.lenient:
                raise Unlucky("a radicand is not a square")
            found.append(self._random(k, ("root", x)) if root is None else root)
        return tuple(found)

    def share(self, mine: Residues, row: Sequence[Residues]) -> Residues:
        total = self.exp(row[0])
        for score in row[1:]:
            total = self.add(total, self.exp(score))
        return self.multiply(self.exp(mine), self.invert(total))

    def call(self, function: str, arguments: Sequence[Residues]) -> Residues:
        """Level by level, since equal values may have lost different numbers of levels."""
        levels = range(min(len(a) for a in arguments))
        listed = [[a[k] for a in arguments] for k in levels]
        if function == "maximum":
            listed = [sorted(row) for row in listed]
        return tuple(self._random(k, (function, row)) for k, row in zip(levels, listed, strict=True))

    def cut(self, a: Residues) -> Residues:
        return a


def checked(program: Program, pairs: Iterable[tuple[int, int]], *, seed: int = 0) -> Checked:
    """Compare the pairs of nodes modulo the first prime of a tower. Raises Refused where a divisor always vanishes."""
    pairs = list(pairs)
    outputs = [node for pair in pairs for node in pair]
    chain = tower(_levels(program, outputs), _radicands(program, outputs), seed)
    for attempt in range(2 * TRIES):
        lenient = attempt >= TRIES
        try:
            values = evaluated(program, outputs, Field(chain, f"{seed}|{attempt}", lenient))
        except Refused as refusal:
            if isinstance(refusal.__cause__, Unlucky):
                continue
            raise
        differing = tuple(k for k, (a, b) in enumerate(pairs) if values[a][0] != values[b][0])
        return Checked(chain[0].prime, len(chain), differing, "unknown" if lenient else "exact")
    raise Refused(f"a divisor vanishes at each of {2 * TRIES} random points")


def _levels(program: Program, outputs: Iterable[int]) -> int:
    """One more than the greatest number of nested exponentials."""
    height: dict[int, int] = {}
    for number in program.needed(outputs):
        node = program.nodes[number]
        inner = max((height[k] for k in node.arguments), default=0)
        height[number] = inner + (node.operation in NESTING)
    return 1 + max(height.values(), default=0)


def _radicands(program: Program, outputs: Iterable[int]) -> frozenset[int]:
    """The primes whose square roots the program contains."""
    labels = {program.nodes[k].label for k in program.needed(outputs)}
    return frozenset(p for label in labels if isinstance(label, Constant) for p in factors(label.radicand))
