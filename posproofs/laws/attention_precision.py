"""How far a module may be from its exact output: the standard model of rounding, applied to its own graph.

Every operation of the program of a module gives (1 + delta) times its exact result, |delta| <= u. A value carries its
size (what sums up in absolute values) and a count n of roundings, so that it is off by at most gamma(n) * size,
gamma(n) = n u / (1 - n u). A sum counts all its additions for each part, so the bound holds in any order of summation.
Assumed of the library: exp within 2u, cosine, sine and root within u of those of the float, other functions within 4u.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from posproofs.errors import Refused
from posproofs.symbolic.domains.floats import FUNCTIONS
from posproofs.symbolic.program import Constant, Name

# How fast each function changes at most.
STEEPEST = {"sigmoid": 0.25, "tanh": 1.0, "relu": 1.0, "abs": 1.0, "erf": 1.129, "gelu": 1.13, "softplus": 1.0}
STEEPEST["gelu_approximate=tanh"] = 1.13


def grown(error: float) -> float:
    """What an error of an exponent comes to, relatively: e^error - 1."""
    return math.expm1(error) if error < 700 else math.inf


@dataclass(frozen=True, slots=True)
class Rounded:
    """A value as exact arithmetic gives it, its size, and the roundings: of its parts, and of their additions."""

    value: float
    size: float
    parts: float = 0.0
    additions: int = 0

    @property
    def count(self) -> float:
        return self.parts + self.additions


@dataclass(frozen=True, slots=True)
class Rounding:
    """The domain. values: the number that stands for each symbol, exact in the dtype; unit: its unit roundoff.

    rounded: tensors that the code computes itself, in four roundings: frequencies, by a power and a reciprocal.
    """

    values: Mapping[Name, float]
    unit: float
    rounded: frozenset[str] = frozenset()

    def error(self, a: Rounded) -> float:
        """A bound on |computed - exact|."""
        product = a.count * self.unit
        return a.size * product / (1 - product) if product < 1 else math.inf

    def apart(self, a: Rounded, b: Rounded) -> bool:
        """Whether two values differ by more than both can be wrong."""
        return abs(a.value - b.value) > self.error(a) + self.error(b)

    def _of(self, value: float, size: float, error: float) -> Rounded:
        """The value with the count that gives this error."""
        if not error < math.inf:
            return Rounded(value, size, math.inf)
        relative = error / size if size else 0.0
        return Rounded(value, size, relative / (self.unit * (1 + relative)))

    def constant(self, value: Constant) -> Rounded:
        """A number that a dtype does not hold is rounded; a root in it costs another rounding."""
        exact = float(value.rational) * math.sqrt(value.radicand)
        held = value.radicand == 1 and value.rational.denominator & (value.rational.denominator - 1) == 0
        whole = held and abs(value.rational.numerator) < 2**11
        return Rounded(exact, abs(exact), 0.0 if whole else 2.0)

    def symbol(self, name: Name) -> Rounded:
        return Rounded(self.values[name], abs(self.values[name]), 4.0 if name.tensor in self.rounded else 0.0)

    def add(self, a: Rounded, b: Rounded) -> Rounded:
        return Rounded(a.value + b.value, a.size + b.size, max(a.parts, b.parts), a.additions + b.additions + 1)

    def negate(self, a: Rounded) -> Rounded:
        return Rounded(-a.value, a.size, a.parts, a.additions)

    def multiply(self, a: Rounded, b: Rounded) -> Rounded:
        return Rounded(a.value * b.value, a.size * b.size, a.count + b.count + 1)

    def invert(self, a: Rounded) -> Rounded:
        value = 1 / a.value
        relative = self.error(a) / abs(a.value)
        off = relative / (1 - relative) if relative < 1 else math.inf
        return self._of(value, abs(value), abs(value) * (off + self.unit * (1 + off)))

    def exp(self, a: Rounded) -> Rounded:
        value = math.exp(a.value)
        return self._of(value, value, value * grown(self.error(a) + 2 * self.unit))

    def log(self, a: Rounded) -> Rounded:
        value, relative = math.log(a.value), self.error(a) / abs(a.value)
        spread = -math.log1p(-relative) if relative < 1 else math.inf
        return self._of(value, max(abs(value), self.unit), spread + 2 * self.unit * abs(value))

    def cos(self, a: Rounded) -> Rounded:
        return self._of(math.cos(a.value), 1.0, self.error(a) + self.unit)

    def sin(self, a: Rounded) -> Rounded:
        return self._of(math.sin(a.value), 1.0, self.error(a) + self.unit)

    def root(self, a: Rounded) -> Rounded:
        """|sqrt(x + e) - sqrt(x)| <= |e| / sqrt(x)."""
        value = math.sqrt(a.value)
        if not value:
            return self._of(0.0, 1.0, math.sqrt(self.error(a)))
        return self._of(value, value, self.error(a) / value + 2 * self.unit * value)

    def share(self, mine: Rounded, row: Sequence[Rounded]) -> Rounded:
        """e^(s - top) over their sum: each score is off twice (top and bottom), the difference is rounded, exp, the sum
        and the division round; a kernel that rescales in blocks rounds four times more."""
        top = max(a.value for a in row)
        spread = top - min(a.value for a in row)
        value = math.exp(mine.value - top) / math.fsum(math.exp(a.value - top) for a in row)
        worst = max(self.error(a) for a in row) + self.unit * spread
        return self._of(value, value, value * grown(2 * worst + (len(row) + 12) * self.unit))

    def call(self, function: str, arguments: Sequence[Rounded]) -> Rounded:
        known = FUNCTIONS.get(function)
        if known is None:
            raise Refused(f"no bound is known for the function {function}")
        value = known(*(a.value for a in arguments))
        worst = max(self.error(a) for a in arguments)
        if function == "maximum":
            return self._of(value, max(a.size for a in arguments), worst)
        size = abs(value) + abs(arguments[0].value)
        return self._of(value, size, STEEPEST[function] * worst + 4 * self.unit * size)

    def cut(self, a: Rounded) -> Rounded:
        return a
