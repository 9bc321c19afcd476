"""Generators for classes of values: 1/D, square roots, softmax shares, calls of unknown functions, and cuts.

A tower names a value by a generator, an atom like any other, and keeps what the generator stands for. Two values get
one generator only if the exact zero test says that they are equal; floats merely find candidates.

Sound, for every input at which the divisors are not zero and the radicands are positive: each generator denotes one
real function, its relations (D * 1/D = 1, sqrt(R)^2 = R) are true of it, so a form that reduces to zero is zero. Hence
equal forms are a proof.
Not complete: a share is opaque until it is unfolded, an unknown function and a root always are, and a cut hides what it
stands for. So unequal forms mean nothing by themselves; a refutation needs a point.
"""

from __future__ import annotations

import cmath
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.quotients import Quotient
from derivations.kernel.values import Atom, Phase, Value

Kind = Literal["inverse", "root", "share", "call", "cut"]
Condition = Literal["nonzero", "positive"]
OPAQUE: tuple[Kind, ...] = ("cut", "share")  # what is unfolded where forms differ, in this order
TERM_LIMIT = 100_000
WORK_LIMIT = 500_000
CLOSE = 1e-7
LARGE = 1e100


@dataclass(frozen=True, slots=True)
class Generator:
    """What a generator stands for.

    inverse: 1/of[0]. root: the square root of of[0]. share: 1/(e^of[0] + e^of[1] + ..). cut: of[0].
    call: the function `name` of the values, of which nothing is known but that it is real.
    """

    kind: Kind
    of: tuple[Value, ...]
    name: str = ""


@dataclass(slots=True)
class Tower:
    """The generators of one comparison. Values made by one tower mean nothing in another.

    conditions: the divisors that must not vanish, and the radicands and arguments of logarithms that must be positive,
    where that is not evident; what is proved is proved where they hold. work: products of terms so far.
    """

    made: list[Generator] = field(default_factory=list)
    conditions: dict[tuple[Condition, Phase], None] = field(default_factory=dict)
    work: int = 0
    _known: dict[object, int] = field(default_factory=dict)
    _floats: list[complex] = field(default_factory=list)
    _near: dict[tuple[Kind, str, int], list[int]] = field(default_factory=dict)
    _atom_floats: dict[Atom, complex] = field(default_factory=dict)

    def _atom(self, kind: Kind, of: Sequence[Value], name: str = "") -> Value:
        """The generator of this class: by equal data, else by the zero test on what is numerically near."""
        of = tuple(of)
        key = (kind, name, _frozen(kind, of))
        number = self._known.get(key)
        if number is None:
            number = self._merged(kind, of, name)
            self._known[key] = number
        return v.atom(("generator", number))

    def _merged(self, kind: Kind, of: tuple[Value, ...], name: str) -> int:
        generator = Generator(kind, of, name)
        value = _moderate(self._float_of(generator))
        bin_ = self._near.setdefault((kind, name, len(of)), [])
        for other in bin_:
            if _close(value, self._floats[other]) and self._same(generator, self.made[other]):
                return other
        self.made.append(generator)
        self._floats.append(value)
        bin_.append(len(self.made) - 1)
        return len(self.made) - 1

    def _same(self, one: Generator, other: Generator) -> bool:
        pairs = zip(self._ordered(one), self._ordered(other), strict=True)
        return all(self.is_zero(v.subtract(a, b)) for a, b in pairs)

    def _ordered(self, generator: Generator) -> tuple[Value, ...]:
        """The scores of a share are a multiset, so they are compared in the order of their floats."""
        if generator.kind != "share":
            return generator.of
        return tuple(sorted(generator.of, key=lambda a: (self.float_of(a).real, len(a))))

    # Operations. Everything is real: complex numbers are pairs of values.

    def add(self, a: Value, b: Value) -> Value:
        return v.add(a, b)

    def multiply(self, a: Value, b: Value) -> Value:
        self.work += len(a) * len(b)
        if self.work > WORK_LIMIT:
            raise LimitReached(f"the comparison passes the limit of {WORK_LIMIT} products of terms")
        return self._reduced(_limited(v.multiply(a, b)))

    def invert(self, a: Value) -> Value:
        """1/a. A single term is inverted in place, but for its roots: 1/sqrt(R) = sqrt(R)/R."""
        if not a:
            raise OutOfFragment("division by something that is identically zero")
        self._require("nonzero", a)
        if not v.is_monomial(a):
            primitive, content = _primitive(a)
            return v.scale(self._atom("inverse", (primitive,)), (content.denominator, 0, content.numerator))
        ((monomial, _),) = a
        result = v.reciprocal(a)
        for base, n in monomial:
            definition = self._definition(base)
            if definition is not None and definition.kind == "inverse":
                result = self.multiply(v.multiply(result, v.atom(base, n)), v.power(definition.of[0], n))
            elif definition is not None and definition.kind == "root":
                whole = self.invert(definition.of[0])
                result = v.multiply(v.multiply(result, v.atom(base, 2 * n)), v.power(whole, n))
        return self._reduced(result)

    def exponential(self, a: Value) -> Value:
        return v.exponential(a)

    def logarithm(self, a: Value) -> Value:
        """log of a positive rational times powers of atoms, each of which must be positive: log ab = log a + log b."""
        found = v.logarithm(a)
        for monomial, _ in a:
            for base, _ in monomial:
                self._require("positive", v.atom(base))
        return found

    def root(self, a: Value) -> Value:
        """The square root that is not negative; the rational content of the radicand comes out as roots of primes."""
        if not a:
            return {}
        self._require("positive", a)
        primitive, content = _primitive(a)
        result = v.constant(Fraction(1, content.denominator))
        for prime, n in v.factors(content.numerator * content.denominator).items():
            result = v.scale(result, (prime ** (n // 2), 0, 1))
            if n % 2:
                result = v.multiply(result, self._atom("root", (v.constant(prime),)))
        if primitive == v.ONE:
            return result
        if primitive == v.negate(v.ONE):
            raise OutOfFragment("the square root of a negative number")
        return self.multiply(result, self._atom("root", (primitive,)))

    def share(self, mine: Value, scores: Iterable[Value]) -> Value:
        """e^mine / (sum of e^score), as a generator of the multiset of differences: a shift of all scores cancels."""
        return self._atom("share", [v.subtract(score, mine) for score in scores])

    def call(self, name: str, arguments: Iterable[Value]) -> Value:
        return self._atom("call", tuple(arguments), name)

    def cut(self, a: Value) -> Value:
        """A generator for the value, so that what is built on it does not grow; short values stay as they are."""
        if len(a) <= 1:
            return a
        primitive, content = _primitive(a)
        return v.scale(self._atom("cut", (primitive,)), (content.numerator, 0, content.denominator))

    def quotient(self, a: Quotient) -> Value:
        return a.over if a.under is v.ONE else self.multiply(a.over, self.invert(a.under))

    def _require(self, condition: Condition, a: Value) -> None:
        if not self._evidently_positive(a):
            self.conditions[condition, v.frozen(a)] = None

    def _evidently_positive(self, a: Value) -> bool:
        """A sum of positive multiples of even powers, positive atoms and real exponentials; one without even powers."""
        strict = False
        for (monomial, phase), (re, im, _) in a.items():
            rest = [n for base, n in monomial if not self._is_positive(base)]
            if im or re < 0 or any(n % 2 for n in rest) or not v.is_real(dict(phase)):
                return False
            strict = strict or not rest
        return strict

    def _is_positive(self, base: Atom) -> bool:
        definition = self._definition(base)
        return base == v.PI or (definition is not None and definition.kind in ("root", "share"))

    # Decisions.

    def equal(self, a: Value, b: Value) -> bool:
        """True is a proof; False says that no proof was found, shares and cuts unfolded."""
        difference = v.subtract(a, b)
        if self.is_zero(difference):
            return True
        for kind in OPAQUE:
            if any(generator.kind == kind for generator in self.made):
                difference = self._unfolded(difference, kind)
                if self.is_zero(difference):
                    return True
        return False

    def is_zero(self, a: Value) -> bool:
        """Clear the inverses, from the outermost in; what is left is zero or it is not known to be."""
        while a:
            top = max((n for n in _generators(a) if self.made[n].kind == "inverse"), default=None)
            if top is None:
                return False
            a = self._cleared(a, top)
        return True

    def _cleared(self, a: Value, top: int) -> Value:
        """a times the power of D that leaves no 1/D."""
        mine: Atom = ("generator", top)
        highest = max(_power_of(mine, key) for key in a)
        powers = [v.ONE]
        for _ in range(highest):
            powers.append(self.multiply(powers[-1], self.made[top].of[0]))
        result: Value = {}
        for key, c in a.items():
            n = _power_of(mine, key)
            rest = (frozenset(part for part in key[0] if part[0] != mine), key[1])
            result = v.add(result, self.multiply({rest: c}, powers[highest - n]))
        return _limited(result)

    def _unfolded(self, a: Value, kind: Kind) -> Value:
        """The value with generators of the kind replaced by what they stand for, inside other generators too."""
        result: Value = {}
        for (monomial, phase), c in a.items():
            term: Value = {v.CONSTANT: c}
            for base, n in monomial:
                opened = self._opened(base, kind)
                factor = self.invert(opened) if n < 0 else opened
                for _ in range(abs(n)):
                    term = self.multiply(term, factor)
            if phase:
                term = self.multiply(term, v.exponential(self._unfolded(dict(phase), kind)))
            result = v.add(result, term)
        return _limited(result)

    def _opened(self, base: Atom, kind: Kind) -> Value:
        definition = self._definition(base)
        if definition is None:
            return v.atom(base)
        inner = tuple(self._unfolded(value, kind) for value in definition.of)
        if definition.kind == kind == "cut":
            return inner[0]
        if definition.kind == kind == "share":
            return self.invert(_limited(v.total(v.exponential(score) for score in inner)))
        return v.atom(base) if inner == definition.of else self._again(definition, inner)

    def _again(self, generator: Generator, inner: tuple[Value, ...]) -> Value:
        match generator.kind:
            case "inverse":
                return self.invert(inner[0])
            case "root":
                return self.root(inner[0])
            case kind:
                return self._atom(kind, inner, generator.name)

    def _definition(self, base: Atom) -> Generator | None:
        match base:
            case ("generator", int(number)):
                return self.made[number]
        return None

    def _reduced(self, a: Value) -> Value:
        """sqrt(R)^2 = R, wherever a root stands in a power of two or more."""
        open_ = [key for key in a if any(n > 1 and self._is_root(base) for base, n in key[0])]
        if not open_:
            return a
        result = {key: c for key, c in a.items() if key not in set(open_)}
        for key in open_:
            result = v.add(result, self._without_squares(key, a[key]))
        return self._reduced(_limited(result))

    def _without_squares(self, key: v.Key, c: v.Coefficient) -> Value:
        plain: list[tuple[Atom, int]] = []
        factor = v.ONE
        for base, n in key[0]:
            if n > 1 and self._is_root(base):
                factor = v.multiply(factor, v.power(self._root_of(base), n // 2))
                plain += [(base, 1)] if n % 2 else []
            else:
                plain.append((base, n))
        return v.multiply({(frozenset(plain), key[1]): c}, factor)

    def _is_root(self, base: Atom) -> bool:
        definition = self._definition(base)
        return definition is not None and definition.kind == "root"

    def _root_of(self, base: Atom) -> Value:
        definition = self._definition(base)
        assert definition is not None, "asked of roots"
        return definition.of[0]

    # Floats: only candidates for a merge come from them.

    def float_of(self, a: Value) -> complex:
        """The value at a fixed random point; not a number where floats cannot hold it."""
        try:
            return _moderate(sum((self._float_of_term(key, c) for key, c in a.items()), 0j))
        except (OverflowError, ZeroDivisionError):
            return complex(math.nan)

    def _float_of_term(self, key: v.Key, c: v.Coefficient) -> complex:
        result = complex(c[0], c[1]) / c[2]
        for base, n in key[0]:
            result *= self._float_of_atom(base) ** n
        return result * cmath.exp(self.float_of(dict(key[1]))) if key[1] else result

    def _float_of_atom(self, base: Atom) -> complex:
        match base:
            case ("generator", int(number)):
                return self._floats[number]
        if base not in self._atom_floats:  # not by its text: equal sets may print in different orders
            self._atom_floats[base] = complex(random.Random(len(self._atom_floats)).uniform(0.5, 1.5))
        return self._atom_floats[base]

    def _float_of(self, generator: Generator) -> complex:
        inner = [self.float_of(value) for value in generator.of]
        try:
            match generator.kind:
                case "inverse":
                    return 1 / inner[0]
                case "root":
                    return cmath.sqrt(inner[0])
                case "share":
                    return 1 / sum(cmath.exp(x) for x in inner)
                case "cut":
                    return inner[0]
        except (OverflowError, ZeroDivisionError):
            return complex(math.nan)
        weights = random.Random(generator.name)
        return sum((x * weights.uniform(0.5, 1.5) for x in inner), 0j)


def _frozen(kind: Kind, of: tuple[Value, ...]) -> object:
    listed = tuple(v.frozen(value) for value in of)
    if kind != "share":
        return listed
    return frozenset((score, listed.count(score)) for score in listed)


def _close(a: complex, b: complex) -> bool:
    """Not a number is close to nothing. (abs of a complex that is not a number may raise OverflowError.)"""
    parts = (a.real, a.imag, b.real, b.imag)
    if not all(map(math.isfinite, parts)):
        return False
    return math.dist(parts[:2], parts[2:]) <= CLOSE * max(1.0, *map(abs, parts))


def _moderate(a: complex) -> complex:
    """Floats whose distance is a float; anything else is not a number."""
    return a if abs(a.real) < LARGE and abs(a.imag) < LARGE else complex(math.nan)


def _limited(a: Value) -> Value:
    if len(a) > TERM_LIMIT:
        raise LimitReached(f"a value of {len(a)} terms passes the limit of {TERM_LIMIT}")
    return a


def _primitive(a: Value) -> tuple[Value, Fraction]:
    """The value divided by the largest positive rational that leaves whole coefficients, and that rational."""
    over = math.gcd(*(part for re, im, _ in a.values() for part in (re, im)))
    under = math.lcm(*(d for _, _, d in a.values()))
    return v.scale(a, v.coefficient(Fraction(under, over))), Fraction(over, under)


def _power_of(base: Atom, key: v.Key) -> int:
    return next((n for atom, n in key[0] if atom == base), 0)


def _generators(a: Value) -> set[int]:
    """The generators among the factors of the terms; those inside phases and definitions do not count."""
    return {base[1] for monomial, _ in a for base, _ in monomial if base[0] == "generator" and isinstance(base[1], int)}
