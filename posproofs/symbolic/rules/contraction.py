"""Matrix products: sums of products along one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from posproofs.mutants.backend import torch
from posproofs.symbolic.execution import Execution
from posproofs.symbolic.rules import arithmetic
from posproofs.symbolic.tensors import Symbolic, broadcast, of


def product(running: Execution, x: Any, y: Any) -> Symbolic:
    """x (.., n, k) times y (.., k, m), axes before the last two broadcast."""
    one, other = running.lifted(x), running.lifted(y)
    batch = broadcast(*(torch.empty(x.shape[:-2]) for x in (one, other)))[0].shape
    rows = one.nodes.expand(*batch, *one.shape[-2:])
    turned = other.nodes.transpose(-1, -2)
    columns = turned.expand(*batch, *turned.shape[-2:])
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}

    def entry(row: tuple[int, ...], column: tuple[int, ...]) -> int:
        if (row, column) not in known:
            known[row, column] = running.program.dot(row, column)
        return known[row, column]

    pairs = zip(_listed(rows), _listed(columns), strict=True)
    made = [entry(row, column) for some, others in pairs for row in some for column in others]
    return of(made, (*batch, one.shape[-2], other.shape[-1]), torch.promote_types(one.kind, other.kind))


def _listed(matrices: Any) -> list[list[tuple[int, ...]]]:
    """The rows of each matrix; sizes are written out, since one of them may be 0."""
    count = matrices.shape[:-2].numel()
    flat = matrices.reshape(count, *matrices.shape[-2:])
    return [[tuple(row) for row in matrix] for matrix in flat.tolist()]


def matmul(running: Execution, _target: Any, x: Any, y: Any) -> Symbolic:
    """Torch's matmul: a vector counts as one row on the left and as one column on the right."""
    one, other = running.lifted(x), running.lifted(y)
    left = Symbolic(one.nodes[None], one.kind) if one.nodes.dim() == 1 else one
    right = Symbolic(other.nodes[:, None], other.kind) if other.nodes.dim() == 1 else other
    found = product(running, left, right)
    result = found.nodes
    if other.nodes.dim() == 1:
        result = result.squeeze(-1)
    if one.nodes.dim() == 1:
        result = result.squeeze(-1 if other.nodes.dim() == 1 else -2)
    return Symbolic(result, found.kind)


def weighted(running: Execution, _target: Any, x: Any, y: Any) -> Symbolic:
    return product(running, x, y)


def added(running: Execution, _target: Any, bias: Any, x: Any, y: Any, *, beta: Any, alpha: Any) -> Any:
    """beta * bias + alpha * (x @ y). With beta = 0 the bias is not read at all."""
    found = arithmetic.scaled(running, matmul(running, None, x, y), alpha)
    return found if beta == 0 else arithmetic.add(running, None, arithmetic.scaled(running, bias, beta), found)


def linear(running: Execution, _target: Any, x: Any, weight: Any, bias: Any) -> Any:
    lifted = running.lifted(weight)
    found = matmul(running, None, x, Symbolic(lifted.nodes.t(), lifted.kind))
    return found if bias is None else arithmetic.add(running, None, found, bias)


def shared(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, with the nodes of its result marked: where two programs may be compared part by part."""

    def marked(running: Execution, target: Any, *arguments: Any, **named: Any) -> Any:
        found = rule(running, target, *arguments, **named)
        first = found[0] if isinstance(found, list) else found
        running.program.cuts.update(first.nodes.flatten().tolist())
        return found

    return marked


RULES: dict[str, Callable[..., Any]] = {
    # The products with a parameter are written so by the exporter; those of two activations are bmm.
    "mm.default": shared(weighted),
    "addmm.default": shared(added),
    "linear.default": shared(linear),
    "bmm.default": weighted,
    "baddbmm.default": added,
    "addmv.default": added,
    "matmul.default": matmul,
    "mv.default": matmul,
    "dot.default": matmul,
}
