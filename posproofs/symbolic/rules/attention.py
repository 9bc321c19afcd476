"""Softmax, scaled dot-product attention and normalisation, whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.execution import Execution
from posproofs.symbolic.program import Program
from posproofs.symbolic.rules import arithmetic, contraction
from posproofs.symbolic.rules.movement import recast
from posproofs.symbolic.rules.reductions import along, average
from posproofs.symbolic.tensors import Absent, Symbolic, of

Centring = Callable[[Program, list[int]], list[int]]


def softmax(running: Execution, _target: Any, x: Any, dim: int, dtype: Any = None) -> Symbolic:
    """The shares of each row along an axis."""
    return _rowwise(recast(running, running.lifted(x), dtype), dim, running.program.shares)


def aten_softmax(running: Execution, target: Any, x: Any, dim: int, half_to_float: Any) -> Symbolic:
    return softmax(running, target, x, dim, torch.float32 if half_to_float else None)


def log_softmax(running: Execution, target: Any, x: Any, dim: int, dtype: Any = None) -> Symbolic:
    """The logarithms of the shares, so that a shift of all scores cancels as it does in a softmax."""
    found = softmax(running, target, x, dim, dtype)
    return arithmetic.unary(Program.log)(running, target, found)  # type: ignore[no-any-return]


def aten_log_softmax(running: Execution, target: Any, x: Any, dim: int, half_to_float: Any) -> Symbolic:
    return log_softmax(running, target, x, dim, torch.float32 if half_to_float else None)


def log_of_sum(program: Program, row: list[int]) -> int:
    """log(e^a + e^b + ..); of masked scores alone it is minus infinity."""
    return program.log(program.total(program.exp(a) for a in row))


def _rowwise(x: Symbolic, dim: int, function: Callable[[list[int]], list[int]]) -> Symbolic:
    if not x.nodes.dim():
        return of(function([int(x.nodes)]), (), x.kind)
    rows = x.nodes.movedim(dim, -1)
    known: dict[tuple[int, ...], list[int]] = {}
    made = []
    for row in rows.reshape(-1, rows.shape[-1]).tolist():
        key = tuple(row)
        if key not in known:
            known[key] = function(row)
        made += known[key]
    return Symbolic(of(made, rows.shape, x.kind).nodes.movedim(-1, dim), x.kind)


def scaled_dot_product(
    running: Execution,
    _target: Any,
    query: Any,
    key: Any,
    value: Any,
    *options: Any,
    scale: float | None,
    enable_gqa: Any,
) -> Symbolic:
    """softmax(q k^T scale + mask) v; the scale is 1/sqrt(width) if none is given. options: mask, dropout, causality."""
    mask, dropout, is_causal = options
    if dropout:
        raise Refused("attention drops entries at random")
    if is_causal and mask is not None:
        raise Refused("attention is causal and has a mask beside")
    q, k, v = (running.lifted(x) for x in (query, key, value))
    if enable_gqa:
        k, v = (Symbolic(x.nodes.repeat_interleave(q.shape[-3] // x.shape[-3], -3), x.kind) for x in (k, v))
    scores = contraction.product(running, q, Symbolic(k.nodes.transpose(-1, -2), k.kind))
    factor = _factor(running, q.shape[-1], scale)
    scores = of((running.program.multiply(a, factor) for a in scores.nodes.flatten().tolist()), scores.shape, q.kind)
    shown = torch.ones(scores.shape[-2:], dtype=torch.bool).tril() if is_causal else mask
    return contraction.product(running, softmax(running, None, _masked(running, scores, shown), -1), v)


def _factor(running: Execution, width: int, scale: float | None) -> int:
    if scale is not None:
        return running.reader.number(float(scale))
    return running.program.invert(running.program.root(running.program.constant_of(width)))


def _masked(running: Execution, scores: Symbolic, mask: Any) -> Any:
    """A mask of booleans says what is seen, one of floats is added."""
    if mask is None:
        return scores
    if isinstance(mask, torch.Tensor) and mask.dtype == torch.bool:
        return Symbolic(torch.where(mask, scores.nodes, running.program.masked), scores.kind)
    return arithmetic.add(running, None, scores, mask)


def layer_norm(
    running: Execution, target: Any, x: Any, shape: Sequence[int], weight: Any, bias: Any, eps: float, *_cudnn: Any
) -> Any:
    """(x - mean) / sqrt(variance + eps) * weight + bias, over the last axes, which have the given shape."""
    return native_layer_norm(running, target, x, shape, weight, bias, eps)[0]


def native_layer_norm(
    running: Execution, _target: Any, x: Any, shape: Sequence[int], weight: Any, bias: Any, eps: float
) -> list[Any]:
    """As layer_norm. The mean and the inverse deviation, which only a backward pass reads, are not given."""
    found = _normed(running, running.lifted(x), shape, eps, centred=_centred)
    return [_affine(running, found, weight, bias), Absent("the mean of a layer norm"), Absent("its inverse deviation")]


def rms_norm(running: Execution, _target: Any, x: Any, shape: Sequence[int], weight: Any, eps: float | None) -> Any:
    """x / sqrt(mean of x^2 + eps) * weight; without eps, the rounding unit of the dtype."""
    lifted = running.lifted(x)
    small = torch.finfo(lifted.kind).eps if eps is None else eps
    return _affine(running, _normed(running, lifted, shape, small, centred=lambda _, row: row), weight, None)


def fused_rms_norm(running: Execution, target: Any, *arguments: Any) -> list[Any]:
    return [rms_norm(running, target, *arguments), Absent("the inverse root of a fused norm")]


def _affine(running: Execution, x: Any, weight: Any, bias: Any) -> Any:
    if weight is not None:
        x = arithmetic.multiply(running, None, x, weight)
    return x if bias is None else arithmetic.add(running, None, x, bias)


def _normed(running: Execution, x: Symbolic, shape: Sequence[int], eps: float, *, centred: Centring) -> Symbolic:
    program, small = running.program, running.reader.number(float(eps))
    made = []
    for row in x.nodes.reshape(-1, math.prod(shape)).tolist():
        kept = centred(program, row)
        size = average(program, [program.multiply(a, a) for a in kept])
        under = program.invert(program.root(program.add(size, small)))
        made += [program.multiply(a, under) for a in kept]
    return of(made, x.shape, x.kind)


def _centred(program: Program, row: list[int]) -> list[int]:
    centre = average(program, row)
    return [program.subtract(a, centre) for a in row]


def dropout(_running: Execution, _target: Any, x: Any, p: float, train: Any) -> Any:
    """The identity outside training."""
    if train and p:
        raise Refused("dropout in training mode draws at random")
    return x


def native_dropout(running: Execution, target: Any, x: Any, p: float, train: Any) -> list[Any]:
    kept = dropout(running, target, x, p, True if train is None else train)
    return [kept, torch.ones(tuple(x.shape), dtype=torch.bool)]


RULES: dict[str, Callable[..., Any]] = {
    "_softmax.default": aten_softmax,
    "_safe_softmax.default": softmax,
    "softmax.int": softmax,
    "_log_softmax.default": aten_log_softmax,
    "log_softmax.int": log_softmax,
    "logsumexp.default": along(log_of_sum),
    "scaled_dot_product_attention.default": scaled_dot_product,
    "layer_norm.default": contraction.shared(layer_norm),
    "native_layer_norm.default": contraction.shared(native_layer_norm),
    "rms_norm.default": contraction.shared(rms_norm),
    "_fused_rms_norm.default": contraction.shared(fused_rms_norm),
    "dropout.default": dropout,
    "native_dropout.default": native_dropout,
}
