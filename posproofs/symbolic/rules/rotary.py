"""The rotary operator of ONNX, which Torch exports whole: torch.ops.onnx.RotaryEmbedding, opset 23.

Source: the ONNX operator specification, RotaryEmbedding-23. x is (batch, heads, rows, width), or (batch, rows,
heads * width) with the number of heads beside it; the caches are (rows of a table, pairs), looked up at whole
positions, or (batch, rows, pairs).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.execution import Execution
from posproofs.symbolic.tensors import Symbolic, elementwise


def rotary_embedding(
    running: Execution, _target: Any, x: Any, *tables: Any, interleaved: Any, num_heads: int, rotary_embedding_dim: int
) -> Symbolic:
    """tables: the caches of cos and sin, and the positions at which they are looked up or None."""
    cos_cache, sin_cache, position_ids = tables
    lifted, cos, sin = (running.lifted(value) for value in (x, cos_cache, sin_cache))
    if isinstance(position_ids, Symbolic):
        raise Refused("the positions that look up a table depend on symbols")
    whole = lifted.nodes
    rows = whole.transpose(1, 2) if whole.dim() == 4 else whole.reshape(*whole.shape[:-1], num_heads, -1)
    turning = rotary_embedding_dim or rows.shape[-1]
    first, second = _halves(rows[..., :turning], interleaved)
    waves = [_at(cache.nodes, position_ids).unsqueeze(2) for cache in (cos, sin)]
    parts = [_combined(running, sign, lifted.kind, *waves, first, second) for sign in (-1, 1)]
    joined = torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
    turned = torch.cat((joined, rows[..., turning:]), -1)
    return Symbolic(turned.transpose(1, 2) if whole.dim() == 4 else turned.flatten(-2), lifted.kind)


def _halves(rows: Any, interleaved: Any) -> tuple[Any, Any]:
    if interleaved:
        return rows[..., ::2], rows[..., 1::2]
    middle = rows.shape[-1] // 2
    return rows[..., :middle], rows[..., middle:]


def _at(cache: Any, position_ids: Any) -> Any:
    return cache if position_ids is None else cache[position_ids]


def _combined(running: Execution, sign: int, kind: Any, *operands: Any) -> Any:
    """cos * first - sin * second for sign -1, sin * first + cos * second for sign 1."""
    program = running.program

    def entry(c: int, s: int, a: int, b: int) -> int:
        if sign < 0:
            return program.subtract(program.multiply(c, a), program.multiply(s, b))
        return program.add(program.multiply(s, a), program.multiply(c, b))

    return elementwise(entry, *(Symbolic(nodes, kind) for nodes in operands), kind=kind).nodes


RULES: dict[str, Callable[..., Any]] = {"onnx.RotaryEmbedding.opset23": rotary_embedding}
