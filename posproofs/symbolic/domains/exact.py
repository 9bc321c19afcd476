"""The kernel's values: the only domain in which an equality is a proof. Every decision is the kernel's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from derivations.kernel import values as v
from derivations.kernel.towers import Tower
from derivations.kernel.values import Value
from posproofs.symbolic.program import Constant, Name


def named(name: Name) -> Value:
    """A symbol of the program as a real symbol of the kernel."""
    return v.atom(("symbol", str(name)))


@dataclass(frozen=True, slots=True)
class Exact:
    """symbols: what stands for a symbol of the program. cutting: whether the marked nodes become generators."""

    symbols: Callable[[Name], Value] = named
    tower: Tower = field(default_factory=Tower)
    cuts: bool = False

    def constant(self, value: Constant) -> Value:
        rational = v.constant(value.rational)
        return rational if value.radicand == 1 else v.multiply(rational, self.tower.root(v.constant(value.radicand)))

    def symbol(self, name: Name) -> Value:
        return self.symbols(name)

    def add(self, a: Value, b: Value) -> Value:
        return v.add(a, b)

    def negate(self, a: Value) -> Value:
        return v.negate(a)

    def multiply(self, a: Value, b: Value) -> Value:
        return self.tower.multiply(a, b)

    def invert(self, a: Value) -> Value:
        return self.tower.invert(a)

    def exp(self, a: Value) -> Value:
        return self.tower.exponential(a)

    def log(self, a: Value) -> Value:
        """log(e^p q x) = p + log q + log x for a rational q > 0 and one real atom x; else an unknown function.

        The logarithm of two atoms is not split: log(x y) = log x + log y wants both positive, and log(x^2) = 2 log x
        one that need not be.
        """
        if v.is_monomial(a):
            ((monomial, phase), (re, im, d)), *_ = a.items()
            exponent, powers = dict(phase), [n for _, n in monomial]
            if re > 0 and not im and powers in ([], [1]) and v.is_real(exponent):
                return v.add(exponent, self.tower.logarithm({(monomial, v.NO_PHASE): (re, im, d)}))
        return self.tower.call("log", [a])

    def cos(self, a: Value) -> Value:
        return v.cosine(a)

    def sin(self, a: Value) -> Value:
        return v.sine(a)

    def root(self, a: Value) -> Value:
        return self.tower.root(a)

    def share(self, mine: Value, row: Sequence[Value]) -> Value:
        return self.tower.share(mine, row)

    def call(self, function: str, arguments: Sequence[Value]) -> Value:
        return self.tower.call(function, arguments)

    def cut(self, a: Value) -> Value:
        return self.tower.cut(a) if self.cuts else a
