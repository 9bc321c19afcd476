"""Entrywise arithmetic. Real arithmetic: rounding is outside of what is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from posproofs.errors import Refused
from posproofs.symbolic.execution import Execution
from posproofs.symbolic.program import Constant, Program
from posproofs.symbolic.rules import pairs
from posproofs.symbolic.rules.movement import is_complex, promoted
from posproofs.symbolic.tensors import Complex, Symbolic, elementwise

# Functions of which only this is used: equal arguments give equal values.
OPAQUE = ("sigmoid", "tanh", "relu", "gelu", "softplus", "erf")
Binary = Callable[[int, int], int]


def binary(
    running: Execution, function: Binary, x: Any, y: Any, of_complex: Callable[..., Complex] | None = None
) -> Any:
    """Both operands lifted; where one is complex, `of_complex` says how pairs combine."""
    if is_complex(x) or is_complex(y):
        if of_complex is None:
            raise Refused("this operator has no rule for complex numbers")
        return of_complex(running, running.complex(x), running.complex(y))
    kind = promoted([x, y])
    return elementwise(function, running.lifted(x, beside=kind), running.lifted(y, beside=kind), kind=kind)


def add(running: Execution, _target: Any, x: Any, y: Any, *last: Any, alpha: Any = None) -> Any:
    """x + alpha y. The overload for a Python number has alpha in third place, that for tensors by name."""
    return binary(running, running.program.add, x, scaled(running, y, *last, alpha), pairs.add)


def subtract(running: Execution, _target: Any, x: Any, y: Any, *last: Any, alpha: Any = None) -> Any:
    return binary(running, running.program.subtract, x, scaled(running, y, *last, alpha), pairs.subtract)


def reversed_subtract(running: Execution, _target: Any, x: Any, y: Any, *last: Any, alpha: Any = None) -> Any:
    """y - alpha x."""
    return binary(running, running.program.subtract, y, scaled(running, x, *last, alpha), pairs.subtract)


def scaled(running: Execution, x: Any, *factors: Any) -> Any:
    for factor in factors:
        if factor is not None and factor != 1:
            x = multiply(running, None, x, factor)
    return x


def multiply(running: Execution, _target: Any, x: Any, y: Any) -> Any:
    return binary(running, running.program.multiply, x, y, pairs.multiply)


def divide(running: Execution, _target: Any, x: Any, y: Any) -> Any:
    return binary(running, running.program.divide, x, y, pairs.divide)


def power(running: Execution, _target: Any, x: Any, y: Any) -> Symbolic:
    """x^y for a whole or half y, or for a positive rational x."""
    program = running.program
    result: Symbolic = binary(running, lambda a, b: raised(program, a, b), x, y)
    return result


def raised(program: Program, a: int, b: int) -> int:
    """a^b: multiplication and one root for a half-integer b, else e^(b log a) for a positive rational a."""
    exponent, base = program.exact(b), program.exact(a)
    if exponent is not None and (2 * exponent).denominator == 1:
        twice = int(2 * exponent)
        return program.power(a, twice // 2) if twice % 2 == 0 else program.power(program.root(a), twice)
    if base is None or base <= 0:
        raise Refused("a power is neither a half-integer one nor one of a positive constant")
    return program.exp(program.multiply(b, program.log(a)))


def negate(running: Execution, _target: Any, x: Any) -> Any:
    if isinstance(x, Complex):
        return Complex(negate(running, None, x.re), negate(running, None, x.im))
    return elementwise(running.program.negate, x, kind=x.kind)


def exponential(running: Execution, _target: Any, x: Any) -> Any:
    if isinstance(x, Complex):
        return pairs.exponential(running, x)
    return elementwise(running.program.exp, x, kind=x.kind)


def magnitude(running: Execution, _target: Any, x: Any) -> Symbolic:
    """Of a real number an unknown function, of a complex one a root."""
    if isinstance(x, Complex):
        return pairs.magnitude(running, x)
    return elementwise(lambda a: absolute(running.program, a), x, kind=x.kind)


def absolute(program: Program, a: int) -> int:
    label = program.nodes[a].label
    if isinstance(label, Constant):
        return program.constant(abs(label.rational), label.radicand)
    return program.call("abs", (a,))


def unary(function: Callable[[Program, int], int]) -> Callable[..., Any]:
    """The rule for a function of one real entry."""

    def rule(running: Execution, _target: Any, x: Any) -> Symbolic:
        lifted = running.lifted(x)
        return elementwise(lambda a: function(running.program, a), lifted, kind=lifted.kind)

    return rule


def opaque(name: str) -> Callable[..., Any]:
    """The rule for a function of which nothing is known; its parameters are part of its name."""

    def rule(running: Execution, target: Any, x: Any, *arguments: Any, **named: Any) -> Symbolic:
        listed = [a for a in target._schema.arguments[1:] if not a.kwarg_only]
        given = [(a.name, value, a.default_value) for a, value in zip(listed, arguments, strict=True)]
        given += [(a.name, named[a.name], a.default_value) for a in target._schema.arguments[1:] if a.kwarg_only]
        # A parameter that has its default is not named, so that one function has one name.
        function = "_".join([name, *(f"{key}={value}" for key, value, plain in given if value != plain)])
        lifted = running.lifted(x)
        return elementwise(lambda a: running.program.call(function, (a,)), lifted, kind=lifted.kind)

    return rule


def largest_of(program: Program, entries: Iterable[int]) -> int:
    """The maximum as a function of which nothing is known: programs subtract it before a softmax, where it cancels."""
    live = set(entries) - {program.masked}
    numbers = {program.exact(a): a for a in live}
    if None not in numbers:  # all are rational, or nothing is left
        return numbers[max(x for x in numbers if x is not None)] if numbers else program.masked
    return live.pop() if len(live) == 1 else program.call("maximum", sorted(live))


def smallest_of(program: Program, entries: Iterable[int]) -> int:
    return program.negate(largest_of(program, [program.negate(a) for a in entries]))


def maximum(running: Execution, _target: Any, x: Any, y: Any) -> Any:
    return binary(running, lambda a, b: largest_of(running.program, (a, b)), x, y)


def minimum(running: Execution, _target: Any, x: Any, y: Any) -> Any:
    return binary(running, lambda a, b: smallest_of(running.program, (a, b)), x, y)


def _two_to(program: Program, a: int) -> int:
    return program.exp(program.multiply(a, program.log(program.constant_of(2))))


def _less_one(program: Program, a: int) -> int:
    return program.subtract(program.exp(a), program.one)


def _log_of_one_more(program: Program, a: int) -> int:
    return program.log(program.add(program.one, a))


def _square(program: Program, a: int) -> int:
    return program.multiply(a, a)


def _tangent(program: Program, a: int) -> int:
    return program.divide(program.sin(a), program.cos(a))


def _gated(program: Program, a: int) -> int:
    return program.multiply(a, program.call("sigmoid", (a,)))


def _root_below(program: Program, a: int) -> int:
    return program.invert(program.root(a))


RULES: dict[str, Callable[..., Any]] = {
    "add.Tensor": add,
    "add.Scalar": add,
    "sub.Tensor": subtract,
    "sub.Scalar": subtract,
    "rsub.Scalar": reversed_subtract,
    "rsub.Tensor": reversed_subtract,
    "mul.Tensor": multiply,
    "mul.Scalar": multiply,
    "div.Tensor": divide,
    "div.Scalar": divide,
    "pow.Tensor_Scalar": power,
    "pow.Tensor_Tensor": power,
    "pow.Scalar": power,
    "maximum.default": maximum,
    "minimum.default": minimum,
    "neg.default": negate,
    "abs.default": magnitude,
    "exp.default": exponential,
    "exp2.default": unary(_two_to),
    "expm1.default": unary(_less_one),
    "log.default": unary(Program.log),
    "log1p.default": unary(_log_of_one_more),
    "cos.default": unary(Program.cos),
    "sin.default": unary(Program.sin),
    "tan.default": unary(_tangent),
    "sqrt.default": unary(Program.root),
    "rsqrt.default": unary(_root_below),
    "reciprocal.default": unary(Program.invert),
    "square.default": unary(_square),
    # As the exporter decomposes it, so that graphs before and after decomposition are one program.
    "silu.default": unary(_gated),
    **{f"{name}.default": opaque(name) for name in OPAQUE},
}
