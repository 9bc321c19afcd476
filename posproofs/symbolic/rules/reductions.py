"""Sums, means, variances, products and extremes along axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from posproofs.errors import Refused
from posproofs.symbolic.execution import Execution
from posproofs.symbolic.program import Program
from posproofs.symbolic.rules.arithmetic import largest_of, smallest_of
from posproofs.symbolic.rules.movement import recast
from posproofs.symbolic.tensors import Absent, Complex, Symbolic, of

Reduction = Callable[[list[int]], int]


def reduced(x: Symbolic, dims: Sequence[int] | int | None, function: Reduction, *, keepdim: Any) -> Symbolic:
    """The function of all entries along some axes; no axes named: along all."""
    rank = x.nodes.dim()
    listed = [dims] if isinstance(dims, int) else list(dims or range(rank))
    axes = sorted({axis % rank for axis in listed}) if rank else []
    kept = [axis for axis in range(rank) if axis not in axes]
    shape = [x.shape[axis] for axis in kept]
    length = math.prod(x.shape[axis] for axis in axes)
    rows = x.nodes.permute([*kept, *axes]).reshape(math.prod(shape), length).tolist()
    if keepdim:
        shape = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    return of((function(row) for row in rows), shape, x.kind)


def average(program: Program, row: Iterable[int]) -> int:
    listed = list(row)
    return program.divide(program.total(listed), program.constant_of(len(listed)))


def product(program: Program, row: Iterable[int]) -> int:
    result = program.one
    for a in row:
        result = program.multiply(result, a)
    return result


def spread(program: Program, row: Sequence[int], correction: float) -> int:
    """The sum of squared distances from the mean, divided by the number of entries less the correction."""
    centre = average(program, row)
    squares = (program.power(program.subtract(a, centre), 2) for a in row)
    if not float(correction).is_integer() or len(row) <= correction:
        raise Refused(f"the variance of {len(row)} entries with correction {correction}")
    return program.divide(program.total(squares), program.constant_of(len(row) - int(correction)))


def along(function: Callable[[Program, list[int]], int]) -> Callable[..., Any]:
    """The rule that reduces along the axes that it is given, or along all of them."""

    def rule(
        running: Execution, _target: Any, x: Any, dims: Any = None, keepdim: Any = None, *, dtype: Any = None
    ) -> Symbolic:
        cast = recast(running, running.lifted(x), dtype)
        return reduced(cast, dims, lambda row: function(running.program, row), keepdim=keepdim)

    return rule


def total(running: Execution, target: Any, x: Any, *axes: Any, dtype: Any) -> Any:
    if isinstance(x, Complex):
        if dtype is not None:
            raise Refused("a complex sum in another dtype")
        return Complex(*(_sum(running, target, part, *axes, dtype=None) for part in (x.re, x.im)))
    return _sum(running, target, x, *axes, dtype=dtype)


def variance(running: Execution, _target: Any, x: Any, dims: Any, *, correction: Any, keepdim: Any) -> Symbolic:
    less = 1 if correction is None else correction
    return reduced(running.lifted(x), dims, lambda row: spread(running.program, row, less), keepdim=keepdim)


def variance_and_mean(
    running: Execution, target: Any, x: Any, dims: Any, *, correction: Any, keepdim: Any
) -> list[Symbolic]:
    found = variance(running, target, x, dims, correction=correction, keepdim=keepdim)
    return [found, reduced(running.lifted(x), dims, lambda row: average(running.program, row), keepdim=keepdim)]


def extreme_with_place(function: Callable[[Program, list[int]], int]) -> Callable[..., Any]:
    """max and min along one axis: the value, and a place that depends on symbols and is not given."""

    def rule(running: Execution, target: Any, x: Any, dim: int, keepdim: Any) -> list[Any]:
        found = reduced(running.lifted(x), dim, lambda row: function(running.program, row), keepdim=keepdim)
        return [found, Absent(f"the place of an extreme found by {target}")]

    return rule


_sum = along(Program.total)

RULES: dict[str, Callable[..., Any]] = {
    "sum.dim_IntList": total,
    "sum.default": total,
    "mean.dim": along(average),
    "mean.default": along(average),
    "prod.dim_int": along(product),
    "prod.default": along(product),
    "var.correction": variance,
    "var_mean.correction": variance_and_mean,
    # Of nothing there is no maximum; Torch refuses it, and so nothing reaches these with an empty row.
    "amax.default": along(largest_of),
    "amin.default": along(smallest_of),
    "max.default": along(largest_of),
    "min.default": along(smallest_of),
    "max.dim": extreme_with_place(largest_of),
    "min.dim": extreme_with_place(smallest_of),
}
