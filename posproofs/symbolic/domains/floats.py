"""float64: what a program gives at a point, to hold the rules against Torch itself. It proves nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from posproofs.errors import Refused
from posproofs.symbolic.program import Constant, Name

FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "sigmoid": lambda x: (1 + math.tanh(x / 2)) / 2,
    "tanh": math.tanh,
    "relu": lambda x: max(x, 0.0),
    "abs": abs,
    "erf": math.erf,
    "softplus": lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))),
    "gelu": lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))),
    "gelu_approximate=tanh": lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "maximum": lambda *entries: max(entries),
}


@dataclass(frozen=True, slots=True)
class Floats:
    """values: the number that stands for each symbol."""

    values: Mapping[Name, float]

    def constant(self, value: Constant) -> float:
        return float(value.rational) * math.sqrt(value.radicand)

    def symbol(self, name: Name) -> float:
        return self.values[name]

    def add(self, a: float, b: float) -> float:
        return a + b

    def negate(self, a: float) -> float:
        return -a

    def multiply(self, a: float, b: float) -> float:
        return a * b

    def invert(self, a: float) -> float:
        return 1 / a

    def exp(self, a: float) -> float:
        return math.exp(a)

    def log(self, a: float) -> float:
        return math.log(a)

    def cos(self, a: float) -> float:
        return math.cos(a)

    def sin(self, a: float) -> float:
        return math.sin(a)

    def root(self, a: float) -> float:
        return math.sqrt(a)

    def share(self, mine: float, row: Sequence[float]) -> float:
        top = max(row)
        return math.exp(mine - top) / math.fsum(math.exp(score - top) for score in row)

    def call(self, function: str, arguments: Sequence[float]) -> float:
        known = FUNCTIONS.get(function)
        if known is None:
            raise Refused(f"floats do not know the function {function}")
        return known(*arguments)

    def cut(self, a: float) -> float:
        return a
