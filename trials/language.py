"""The language in which trials state identities: small frozen trees with names of their own, not terms of the kernel.

Scalars are complex; symbols, members of sequences and functions are real. A power with an exponent that is not an
integer, and a logarithm, are defined where the base is positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

OpName = Literal["exp", "log", "cos", "sin", "conj", "re", "im"]


@dataclass(frozen=True, slots=True)
class Num:
    """The Gaussian rational re + im*i."""

    re: Fraction
    im: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Circle:
    """The number pi."""


@dataclass(frozen=True, slots=True)
class Var:
    name: str


@dataclass(frozen=True, slots=True)
class Member:
    """The member of a real sequence at an integer index."""

    sequence: str
    index: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A smooth real function of one real argument."""

    function: str
    argument: Node


@dataclass(frozen=True, slots=True)
class Sum:
    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Product:
    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Raised:
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Op:
    name: OpName
    argument: Node


@dataclass(frozen=True, slots=True)
class Slope:
    """The derivative of the body by a real symbol, at the value of that symbol."""

    body: Node
    by: str


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the body over index = 0..count-1."""

    index: str
    count: Node
    body: Node


# Nodes of the language of matrices stand inside these too, so a node is any frozen dataclass of a trial's language.
Node: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Lambda:
    """A term with parameters: a function, a sequence by its formula, or with no parameter a number."""

    parameters: tuple[str, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Demand:
    """A hypothesis; `forall` are integers 0, 1, 2, ... in an inequality, and in an equation all that fits."""

    kind: Literal["equal", "nonzero", "positive", "nonnegative"]
    left: Node
    right: Node = Num(Fraction(0))
    forall: tuple[str, ...] = ()

    def text(self) -> str:
        sign = {"equal": "=", "nonzero": "!=", "positive": ">", "nonnegative": ">="}[self.kind]
        quantified = f" for all {', '.join(self.forall)}" if self.forall else ""
        return f"{plain(self.left)} {sign} {plain(self.right)}{quantified}"


@dataclass(frozen=True, slots=True)
class Reach:
    """An index that runs over 0..count-1, for each value of which an equation is claimed."""

    index: str
    count: Node


@dataclass(frozen=True, slots=True)
class Equation:
    """left = right wherever the demands hold."""

    left: Node
    right: Node
    demands: tuple[Demand, ...] = ()
    reaches: tuple[Reach, ...] = ()

    def text(self) -> str:
        lines = [f"{plain(self.left)} = {plain(self.right)}"]
        lines += [f"  where {demand.text()}" for demand in self.demands]
        lines += [f"  for {reach.index} = 0..{plain(reach.count)} - 1" for reach in self.reaches]
        return "\n".join(lines)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below, in the order of the fields; rows of rows are read row by row."""
    found: list[Node] = []
    for name in node.__dataclass_fields__:
        _collect(getattr(node, name), found)
    return tuple(found)


def _collect(value: object, found: list[Node]) -> None:
    if isinstance(value, tuple):
        for part in value:
            _collect(part, found)
    elif is_dataclass(value):
        found.append(value)


def rebuilt(node: Node, parts: tuple[Node, ...]) -> Node:
    """The same node over other nodes; takes what `children` gives."""
    rest = iter(parts)
    changed = {name: _filled(getattr(node, name), rest) for name in node.__dataclass_fields__}
    return replace(node, **changed) if changed else node


def _filled(value: Any, rest: Iterator[Node]) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(part, rest) for part in value)
    return next(rest) if is_dataclass(value) else value


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, outermost first."""
    yield node
    for part in children(node):
        yield from walk(part)


def num(value: int | Fraction, imaginary: int | Fraction = 0) -> Num:
    return Num(Fraction(value), Fraction(imaginary))


ZERO, ONE, TWO, MINUS, HALF, IMAGINARY = num(0), num(1), num(2), num(-1), num(Fraction(1, 2)), num(0, 1)


def plus(*terms: Node) -> Sum:
    return Sum(terms)


def times(*factors: Node) -> Product:
    return Product(factors)


def negative(node: Node) -> Product:
    return Product((MINUS, node))


def minus(left: Node, right: Node) -> Sum:
    return Sum((left, negative(right)))


def raised(base: Node, exponent: Node | int) -> Raised:
    return Raised(base, num(exponent) if isinstance(exponent, int) else exponent)


def over(above: Node, below: Node) -> Product:
    return Product((above, Raised(below, MINUS)))


def exp(node: Node) -> Op:
    return Op("exp", node)


def turned(node: Node) -> Op:
    """e to i times the node."""
    return Op("exp", Product((IMAGINARY, node)))


def plain(node: Node) -> str:
    """The node for people; every composite stands in brackets, so that nothing is left to precedence."""
    match node:
        case Num(re, im):
            return _number_text(re, im)
        case Circle():
            return "pi"
        case Var(name):
            return name
        case Member(name, index):
            return f"{name}[{plain(index)}]"
        case Call(name, argument) | Op(name, argument):
            return f"{name}({plain(argument)})"
        case Sum(parts):
            return "(" + " + ".join(map(plain, parts)) + ")"
        case Product(parts):
            return "(" + "*".join(map(plain, parts)) + ")"
        case Raised(base, exponent):
            return f"({plain(base)})^({plain(exponent)})"
        case Slope(body, by):
            return f"d/d{by} ({plain(body)})"
        case Total(index, count, body):
            return f"sum[{index} < {plain(count)}] ({plain(body)})"
        case _:
            told = getattr(node, "told", None)  # nodes of another module print themselves
            return str(told(plain)) if told else f"{type(node).__name__}({', '.join(map(plain, children(node)))})"


def _number_text(re: Fraction, im: Fraction) -> str:
    if not im:
        return str(re) if re >= 0 and re.denominator == 1 else f"({re})"
    return f"({re} + {im}i)" if re else ("i" if im == 1 else f"({im}i)")
