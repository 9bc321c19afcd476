"""Straight-line programs over real numbers: what a graph of tensors comes to once its data movement is done.

A program is a list of scalar operations, each on earlier ones, with equal operations written once. Nothing is computed
here beyond exact arithmetic of constants; a value domain (`posproofs.symbolic.domains`) gives the operations a meaning:
normal forms, floats, enclosures, sets of names. One program is read by all of them, so a wrong rule of the interpreter
shows in each.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from posproofs.errors import Refused

Operation = Literal[
    "constant", "symbol", "add", "negate", "multiply", "invert", "exp", "log", "cos", "sin", "root", "call", "share"
]
NODE_LIMIT = 2_000_000
POWER_LIMIT = 1000
FACTOR_LIMIT = 10_000
MINUS_INFINITY = "minus infinity"  # a masked score: sums and softmax may read it
UNSET = "memory that was never written"  # nothing may read it


@dataclass(frozen=True, slots=True)
class Constant:
    """rational * sqrt(radicand), radicand a positive integer without square factors."""

    rational: Fraction
    radicand: int = 1


@dataclass(frozen=True, slots=True)
class Name:
    """One entry of a symbolic tensor."""

    tensor: str
    index: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.tensor}[{','.join(map(str, self.index))}]" if self.index else self.tensor


@dataclass(frozen=True, slots=True)
class Node:
    """An operation on earlier nodes, by number. `label` is a Constant, a Name, or the name of a function.

    share: e^a / (e^a + e^b + ..), the first argument against all of them in a fixed order: one entry of a softmax.
    call: a function of which nothing is known but that equal arguments give equal values.
    """

    operation: Operation
    arguments: tuple[int, ...] = ()
    label: Constant | Name | str = ""


class Program:
    """Nodes in the order in which they were made; a node that exists is not made again."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.cuts: set[int] = set()
        self._known: dict[Node, int] = {}
        self.zero = self.constant(Fraction(0))
        self.one = self.constant(Fraction(1))
        self.masked = self._node(Node("constant", (), MINUS_INFINITY))
        self.unset = self._node(Node("constant", (), UNSET))

    def _node(self, node: Node) -> int:
        found = self._known.get(node)
        if found is None:
            if len(self.nodes) >= NODE_LIMIT:
                raise Refused(f"the program passes the limit of {NODE_LIMIT} operations")
            found = self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def constant(self, rational: Fraction, radicand: int = 1) -> int:
        return self._node(Node("constant", (), Constant(rational, radicand if rational else 1)))

    def constant_of(self, whole: int) -> int:
        return self.constant(Fraction(whole))

    def symbol(self, tensor: str, index: tuple[int, ...] = ()) -> int:
        return self._node(Node("symbol", (), Name(tensor, index)))

    def exact(self, number: int) -> Fraction | None:
        """The rational number that a node is, if it is written as one."""
        label = self.nodes[number].label
        return label.rational if isinstance(label, Constant) and label.radicand == 1 else None

    def add(self, a: int, b: int) -> int:
        self._written(a, b)
        if self.masked in (a, b):
            return self.masked  # a finite number changes nothing about minus infinity
        x, y = self.exact(a), self.exact(b)
        if x is not None and y is not None:
            return self.constant(x + y)
        if x == 0 or y == 0:
            return b if x == 0 else a
        return self._node(Node("add", (a, b) if a < b else (b, a)))

    def negate(self, a: int) -> int:
        self._written(a)
        if a == self.masked:
            raise Refused("minus infinity is negated; only a softmax may read it")
        label = self.nodes[a].label
        if isinstance(label, Constant):
            return self.constant(-label.rational, label.radicand)
        if self.nodes[a].operation == "negate":
            return self.nodes[a].arguments[0]
        return self._node(Node("negate", (a,)))

    def subtract(self, a: int, b: int) -> int:
        return self.add(a, self.negate(b))

    def multiply(self, a: int, b: int) -> int:
        self._written(a, b)
        if self.masked in (a, b):
            return self._masked_times(b if a == self.masked else a)
        x, y = self.exact(a), self.exact(b)
        if x is not None and y is not None:
            return self.constant(x * y)
        if x == 0 or y == 0:
            return self.zero
        if x == 1 or y == 1:
            return b if x == 1 else a
        return self._node(Node("multiply", (a, b) if a < b else (b, a)))

    def _masked_times(self, other: int) -> int:
        label = self.nodes[other].label
        if isinstance(label, Constant) and label.rational > 0:
            return self.masked
        raise Refused("minus infinity is multiplied by what is not a positive constant")

    def invert(self, a: int) -> int:
        self._finite(a)
        label = self.nodes[a].label
        if isinstance(label, Constant):
            if not label.rational:
                raise Refused("the program divides by zero")
            return self.constant(1 / (label.rational * label.radicand), label.radicand)
        return self._node(Node("invert", (a,)))

    def divide(self, a: int, b: int) -> int:
        return self.multiply(a, self.invert(b))

    def power(self, a: int, n: int) -> int:
        """A whole power, by multiplication; a^0 is 1, as in Torch."""
        if abs(n) > POWER_LIMIT:
            raise Refused(f"the power {n} passes the limit of {POWER_LIMIT}")
        result = self.one
        for _ in range(abs(n)):
            result = self.multiply(result, a)
        return self.invert(result) if n < 0 else result

    def exp(self, a: int) -> int:
        self._written(a)
        if a == self.masked:
            return self.zero
        return self.one if self.exact(a) == 0 else self._node(Node("exp", (a,)))

    def log(self, a: int) -> int:
        """The natural logarithm; that of 0, which a masked share has, is minus infinity."""
        self._finite(a)
        label = self.nodes[a].label
        if isinstance(label, Constant) and label.rational < 0:
            raise Refused(f"the program takes the logarithm of {label.rational}")
        if self.exact(a) == 0:
            return self.masked
        return self.zero if self.exact(a) == 1 else self._node(Node("log", (a,)))

    def cos(self, a: int) -> int:
        self._finite(a)
        return self.one if self.exact(a) == 0 else self._node(Node("cos", (a,)))

    def sin(self, a: int) -> int:
        self._finite(a)
        return self.zero if self.exact(a) == 0 else self._node(Node("sin", (a,)))

    def root(self, a: int) -> int:
        """The square root that is not negative."""
        self._finite(a)
        x = self.exact(a)
        if x is None:
            return self._node(Node("root", (a,)))
        if x < 0:
            raise Refused(f"the program takes the square root of {x}")
        split = squarefree(x.numerator * x.denominator) if x else (0, 1)
        if split is None:
            return self._node(Node("root", (a,)))
        outside, inside = split
        return self.constant(Fraction(outside, x.denominator), inside)

    def call(self, function: str, arguments: Iterable[int]) -> int:
        listed = tuple(arguments)
        for a in listed:
            self._finite(a)
        return self._node(Node("call", listed, function))

    def shares(self, scores: Iterable[int]) -> list[int]:
        """A softmax: one node for each score; what is minus infinity has no share."""
        row = list(scores)
        self._written(*row)
        live = sorted(a for a in row if a != self.masked)
        if not live:
            raise Refused("every score of a row is masked; what a softmax gives there differs between implementations")
        if len(live) == 1:
            return [self.zero if a == self.masked else self.one for a in row]
        return [self.zero if a == self.masked else self._node(Node("share", (a, *live))) for a in row]

    def _written(self, *numbers: int) -> None:
        if self.unset in numbers:
            raise Refused(f"the program computes with {UNSET}")

    def _finite(self, a: int) -> None:
        self._written(a)
        if a == self.masked:
            raise Refused("minus infinity reaches an operation that is neither a sum nor a softmax")

    def total(self, parts: Iterable[int]) -> int:
        result = self.zero
        for part in parts:
            result = self.add(result, part)
        return result

    def dot(self, left: Iterable[int], right: Iterable[int]) -> int:
        return self.total(self.multiply(a, b) for a, b in zip(left, right, strict=True))

    def needed(self, outputs: Iterable[int], known: Container[int] = ()) -> list[int]:
        """The nodes on which the outputs rest, in order, without those that are known and what only these rest on."""
        wanted: set[int] = set()
        open_ = list(outputs)
        while open_:
            k = open_.pop()
            if k not in wanted and k not in known:
                wanted.add(k)
                open_.extend(self.nodes[k].arguments)
        return sorted(wanted)


def squarefree(n: int) -> tuple[int, int] | None:
    """(a, b) with n = a^2 b, b without square factors, for a positive n; None where factoring takes too long."""
    outside, inside, p = 1, 1, 2
    while p * p <= n:
        if p > FACTOR_LIMIT:
            return None
        power = 0
        while n % p == 0:
            n //= p
            power += 1
        outside *= p ** (power // 2)
        inside *= p ** (power % 2)
        p += 1
    return outside, inside * n
