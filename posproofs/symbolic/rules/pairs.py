"""Complex numbers as pairs of real nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from posproofs.mutants.backend import torch
from posproofs.symbolic.execution import Execution
from posproofs.symbolic.tensors import Complex, Symbolic, broadcast, elementwise

Part = Callable[[int, int, int, int], int]


def each(function: Callable[[int, int], int], x: Complex, y: Complex) -> Complex:
    """The function of the real parts and of the imaginary parts: sums and differences."""
    kind = torch.promote_types(x.re.kind, y.re.kind)
    return Complex(elementwise(function, x.re, y.re, kind=kind), elementwise(function, x.im, y.im, kind=kind))


def combined(real: Part, imaginary: Part, x: Complex, y: Complex) -> Complex:
    """Two functions of all four parts."""
    kind = torch.promote_types(x.re.kind, y.re.kind)
    entries = (x.re, x.im, y.re, y.im)
    return Complex(elementwise(real, *entries, kind=kind), elementwise(imaginary, *entries, kind=kind))


def add(running: Execution, x: Complex, y: Complex) -> Complex:
    return each(running.program.add, x, y)


def subtract(running: Execution, x: Complex, y: Complex) -> Complex:
    return each(running.program.subtract, x, y)


def multiply(running: Execution, x: Complex, y: Complex) -> Complex:
    """(a + bi)(c + di) = (ac - bd) + (ad + bc)i."""
    program = running.program

    def real(a: int, b: int, c: int, d: int) -> int:
        return program.subtract(program.multiply(a, c), program.multiply(b, d))

    def imaginary(a: int, b: int, c: int, d: int) -> int:
        return program.add(program.multiply(a, d), program.multiply(b, c))

    return combined(real, imaginary, x, y)


def divide(running: Execution, x: Complex, y: Complex) -> Complex:
    """x / y = x conj(y) / |y|^2."""
    program = running.program
    over = multiply(running, x, conjugate(running, None, y))
    size = elementwise(lambda c, d: program.dot((c, d), (c, d)), y.re, y.im, kind=y.re.kind)
    parts = (elementwise(program.divide, part, size, kind=part.kind) for part in (over.re, over.im))
    return Complex(*parts)


def exponential(running: Execution, x: Complex) -> Complex:
    """e^(a + bi) = e^a (cos b + i sin b)."""
    grown = elementwise(running.program.exp, x.re, kind=x.re.kind)
    return polar(running, None, grown, x.im)


def magnitude(running: Execution, x: Complex) -> Symbolic:
    program = running.program
    return elementwise(lambda a, b: program.root(program.dot((a, b), (a, b))), x.re, x.im, kind=x.re.kind)


def view_as_complex(_running: Execution, _target: Any, x: Symbolic) -> Complex:
    return Complex(Symbolic(x.nodes[..., 0], x.kind), Symbolic(x.nodes[..., 1], x.kind))


def view_as_real(_running: Execution, _target: Any, x: Complex) -> Symbolic:
    return Symbolic(torch.stack([x.re.nodes, x.im.nodes], dim=-1), x.re.kind)


def polar(running: Execution, _target: Any, size: Any, angle: Any) -> Complex:
    program = running.program
    radius, turn = running.lifted(size), running.lifted(angle)
    return Complex(
        elementwise(lambda r, a: program.multiply(r, program.cos(a)), radius, turn, kind=turn.kind),
        elementwise(lambda r, a: program.multiply(r, program.sin(a)), radius, turn, kind=turn.kind),
    )


def complex_of(running: Execution, _target: Any, re: Any, im: Any) -> Complex:
    parts = broadcast(running.lifted(re).nodes, running.lifted(im).nodes)
    kind = running.lifted(re).kind
    return Complex(Symbolic(parts[0], kind), Symbolic(parts[1], kind))


def real(_running: Execution, _target: Any, x: Any) -> Any:
    return x.re if isinstance(x, Complex) else x


def imaginary(_running: Execution, _target: Any, x: Complex) -> Symbolic:
    return x.im


def conjugate(running: Execution, _target: Any, x: Any) -> Any:
    if not isinstance(x, Complex):
        return x
    return Complex(x.re, elementwise(running.program.negate, x.im, kind=x.im.kind))


RULES: dict[str, Callable[..., Any]] = {
    "view_as_complex.default": view_as_complex,
    "view_as_real.default": view_as_real,
    "polar.default": polar,
    "complex.default": complex_of,
    "real.default": real,
    "imag.default": imaginary,
    "_conj.default": conjugate,
    "conj_physical.default": conjugate,
}
