"""The part of the trials' language for towers: square roots, softmax probabilities, and cuts, over real terms alone.

Everything here is real: there is no imaginary unit, and a function of unknown meaning takes and gives real numbers. A
cut is its body; only the kernel is asked to forget that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from trials.language import Node, Op, Raised, num

Telling: TypeAlias = Callable[[Any], str]  # a node for people


@dataclass(frozen=True, slots=True)
class Root:
    """The square root that is not negative."""

    radicand: Node

    def told(self, inner: Telling) -> str:
        return f"sqrt({inner(self.radicand)})"


@dataclass(frozen=True, slots=True)
class Share:
    """e^mine divided by the sum of e^score over the scores, which need not hold mine."""

    mine: Node
    scores: tuple[Node, ...]

    def told(self, inner: Telling) -> str:
        return f"share({inner(self.mine)}; {', '.join(map(inner, self.scores))})"


@dataclass(frozen=True, slots=True)
class Cut:
    """The body, under a name of its own."""

    body: Node

    def told(self, inner: Telling) -> str:
        return f"cut({inner(self.body)})"


def inverse(node: Node) -> Raised:
    return Raised(node, num(-1))


def cos(angle: Node) -> Op:
    return Op("cos", angle)


def sin(angle: Node) -> Op:
    return Op("sin", angle)


def log(node: Node) -> Op:
    return Op("log", node)
