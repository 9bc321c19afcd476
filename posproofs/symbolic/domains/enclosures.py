"""Enclosing intervals at a rational point: what separates two programs. Overlapping intervals say nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from derivations.kernel import balls
from derivations.kernel.balls import Indeterminate, Interval
from posproofs.errors import Refused
from posproofs.symbolic.program import Constant, Name


@dataclass(frozen=True, slots=True)
class Enclosures:
    """values: the rational number that stands for each symbol. bits: the absolute precision of intervals."""

    values: Mapping[Name, Fraction]
    bits: int = balls.DEFAULT_BITS

    def constant(self, value: Constant) -> Interval:
        rational = self._of(value.rational)
        return rational if value.radicand == 1 else rational * balls.sqrt(self._of(value.radicand))

    def _of(self, number: Fraction | int) -> Interval:
        return Interval.from_fraction(number, self.bits)

    def symbol(self, name: Name) -> Interval:
        if name not in self.values:
            raise Refused(f"the point has no value for {name}")
        return self._of(self.values[name])

    def add(self, a: Interval, b: Interval) -> Interval:
        return a + b

    def negate(self, a: Interval) -> Interval:
        return -a

    def multiply(self, a: Interval, b: Interval) -> Interval:
        return a * b

    def invert(self, a: Interval) -> Interval:
        return 1 / a

    def exp(self, a: Interval) -> Interval:
        return balls.exp(a)

    def log(self, a: Interval) -> Interval:
        return balls.log(a)

    def cos(self, a: Interval) -> Interval:
        return balls.cos(a)

    def sin(self, a: Interval) -> Interval:
        return balls.sin(a)

    def root(self, a: Interval) -> Interval:
        """Of a positive number: the exact domain proves equalities of programs there, so a point must lie there too."""
        if not a.is_positive():
            raise Indeterminate(f"square root of {a!r}, which may not be positive")
        return balls.sqrt(a)

    def share(self, mine: Interval, row: Sequence[Interval]) -> Interval:
        """By differences: 1 / (sum of e^(score - mine)), which no common shift makes overflow."""
        total = balls.exp(row[0] - mine)
        for score in row[1:]:
            total = total + balls.exp(score - mine)
        return 1 / total

    def call(self, function: str, arguments: Sequence[Interval]) -> Interval:
        if function == "maximum":
            return Interval(max(x.lo for x in arguments), max(x.hi for x in arguments), self.bits)
        known = FUNCTIONS.get(function)
        if known is None:
            raise Refused(f"enclosures do not know the function {function}")
        (argument,) = arguments
        return known(argument)

    def cut(self, a: Interval) -> Interval:
        return a


def sigmoid(x: Interval) -> Interval:
    """1 / (1 + e^-x)."""
    return 1 / (1 + balls.exp(-x))


def tanh(x: Interval) -> Interval:
    """1 - 2 / (e^(2x) + 1): x occurs once, so thin intervals stay thin."""
    return 1 - 2 / (balls.exp(2 * x) + 1)


def relu(x: Interval) -> Interval:
    return Interval(max(x.lo, 0), max(x.hi, 0), x.bits)


def softplus(x: Interval) -> Interval:
    """log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)."""
    return relu(x) + balls.log(1 + balls.exp(-abs(x)))


def gelu(x: Interval) -> Interval:
    """x/2 (1 + erf(x / sqrt 2))."""
    return x / 2 * (1 + erf(x / balls.sqrt(Interval.from_fraction(2, x.bits))))


def gelu_by_tanh(x: Interval) -> Interval:
    """x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
    inner = balls.sqrt(2 / balls.pi(x.bits)) * (x + Fraction(44715, 10**6) * x**3)
    return x / 2 * (1 + tanh(inner))


def erf(x: Interval) -> Interval:
    """Increasing and odd, so the ends are enough."""
    return Interval(_erf_at(x.lo, x.bits).lo, _erf_at(x.hi, x.bits).hi, x.bits)


def _erf_at(m: int, bits: int) -> Interval:
    """erf of m / 2**bits.

    erf x = 2/sqrt(pi) e^(-x^2) sum over n of 2^n x^(2n+1) / (2n+1)!!, all of one sign. The ratio of two terms falls and
    is q = 2 x^2 / (2n+3); once q <= 1/2 what follows a term is at most that term. For x >= 1, 1 - erf x <= e^(-x^2).
    """
    if m < 0:
        return -_erf_at(-m, bits)
    whole = m >> bits
    if whole**2 >= bits:
        return Interval(((1 << bits) - 1), 1 << bits, bits)
    # The sum is as large as e^(x^2) is small: 3 x^2 more bits outweigh both.
    x = Interval(m, m, bits).at_bits(bits + 3 * (whole + 1) ** 2 + 8)
    square, unit = x * x, 1 << (x.bits - bits)
    term, total, ratio, n = x, x, square, 0
    while ratio.hi > 1 << (x.bits - 1) or term.hi > unit >> 8:
        ratio = 2 * square / (2 * n + 3)
        term, n = term * ratio, n + 1
        total = total + term
    tail = Interval(0, term.hi, x.bits)
    return (2 / balls.sqrt(balls.pi(x.bits)) * balls.exp(-square) * (total + tail)).at_bits(bits)


FUNCTIONS: Mapping[str, Callable[[Interval], Interval]] = {
    "sigmoid": sigmoid,
    "tanh": tanh,
    "relu": relu,
    "abs": abs,
    "erf": erf,
    "softplus": softplus,
    "gelu": gelu,
    "gelu_approximate=tanh": gelu_by_tanh,
    # What the exact domain keeps closed: the logarithm of a sum or of a product.
    "log": balls.log,
}
