"""What the operations of a program mean: one small protocol, and one loop that reads a program in a domain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from derivations.kernel.errors import KernelError
from posproofs.errors import Refused
from posproofs.symbolic.program import MINUS_INFINITY, UNSET, Constant, Name, Node, Program

T = TypeVar("T")


class Domain(Protocol[T]):
    """The meaning of each operation. `share` gets the score of the entry, then all scores of its row."""

    def constant(self, value: Constant) -> T: ...
    def symbol(self, name: Name) -> T: ...
    def add(self, a: T, b: T) -> T: ...
    def negate(self, a: T) -> T: ...
    def multiply(self, a: T, b: T) -> T: ...
    def invert(self, a: T) -> T: ...
    def exp(self, a: T) -> T: ...
    def log(self, a: T) -> T: ...
    def cos(self, a: T) -> T: ...
    def sin(self, a: T) -> T: ...
    def root(self, a: T) -> T: ...
    def share(self, mine: T, row: Sequence[T]) -> T: ...
    def call(self, function: str, arguments: Sequence[T]) -> T: ...
    def cut(self, a: T) -> T: ...


def evaluated(
    program: Program, outputs: Iterable[int], domain: Domain[T], *, known: Mapping[int, T] | None = None
) -> dict[int, T]:
    """The values of the outputs, and of every node that they rest on. known: values that need no new evaluation.

    Raises Refused, with the operation, where the domain has no value: a divisor that vanishes, a limit, a function that
    it does not know.
    """
    found: dict[int, T] = dict(known or {})
    for number in program.needed(outputs, found):
        node = program.nodes[number]
        try:
            value = _value(node, found, domain)
            found[number] = domain.cut(value) if number in program.cuts else value
        except (KernelError, ArithmeticError, ValueError) as failure:
            reason = str(failure) or type(failure).__name__
            raise Refused(reason, place=f"operation {number}, {node.operation}") from failure
    return found


def _value(node: Node, found: dict[int, T], domain: Domain[T]) -> T:
    given = [found[k] for k in node.arguments]
    match node.label:
        case Constant():
            return domain.constant(node.label)
        case Name():
            return domain.symbol(node.label)
        case str() if node.label in {MINUS_INFINITY, UNSET}:
            raise Refused(f"{node.label} is an output of the program")
    if node.operation == "call":
        return domain.call(node.label, given)
    if node.operation == "share":
        return domain.share(given[0], given[1:])
    value: T = getattr(domain, node.operation)(*given)
    return value
