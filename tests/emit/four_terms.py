"""Four-term scores computed entry by entry in float64, and how far an emitted function may be from them.

With u the unit roundoff and g(n) = n*u/(1 - n*u): a sum of products in any order, of factors and with results that are
rounded a few more times, n roundings in all on the longest way, is off by at most g(n) times the sum of the absolute
products. Logits off by e make each weight of a softmax wrong by a factor of at most exp(2*e).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import torch
from torch import Tensor

ROUNDOFF = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11}


@dataclass(frozen=True)
class Inputs:
    """q (B, H, L, d), k (B, H, K, d), r (H, rows, d), u and v (H, d), values (B, H, K, e)."""

    q: Tensor
    k: Tensor
    r: Tensor
    u: Tensor
    v: Tensor
    values: Tensor

    @property
    def five(self) -> tuple[Tensor, ...]:
        """What `scores` takes."""
        return self.q, self.k, self.r, self.u, self.v

    @property
    def six(self) -> tuple[Tensor, ...]:
        """What `attention` takes."""
        return self.q, self.k, self.values, self.r, self.u, self.v

    def each(self, change: Callable[[Tensor], Tensor]) -> Inputs:
        return Inputs(*(change(getattr(self, field.name)) for field in fields(self)))


def drawn(
    batch: int,
    heads: int,
    queries: int,
    keys: int,
    width: int,
    *,
    rows: int | None = None,
    dtype: torch.dtype = torch.float64,
    seed: int = 0,
) -> Inputs:
    """Normal entries of size 1/2."""
    generator = torch.Generator().manual_seed(seed)
    shapes = (
        (batch, heads, queries, width),
        (batch, heads, keys, width),
        (heads, keys + queries if rows is None else rows, width),
        (heads, width),
        (heads, width),
        (batch, heads, keys, width + 1),
    )
    return Inputs(*((torch.randn(*shape, generator=generator, dtype=torch.float64) / 2).to(dtype) for shape in shapes))


def reference(given: Inputs) -> Tensor:
    """(q_i + u).k_j + (q_i + v).R of the offset of i and j, whose row is looked up for each i and j."""
    x = given.each(Tensor.double)
    queries, keys = x.q.shape[2], x.k.shape[2]
    result = torch.empty(*x.q.shape[:3], keys, dtype=torch.float64)
    for i in range(queries):
        offsets = i + keys - queries - torch.arange(keys)  # position of the query minus that of the key
        rows = x.r[:, keys - offsets]
        query = x.q[:, :, i, None]
        result[:, :, i] = ((query + x.u[:, None]) * x.k + (query + x.v[:, None]) * rows).sum(dim=-1)
    return result


def size(given: Inputs) -> Tensor:
    """The same sum with every number replaced by its absolute value."""
    return reference(given.each(lambda x: x.double().abs()))


def grown(roundings: float, roundoff: float) -> float:
    """g(n) of the module docstring."""
    return roundings * roundoff / (1 - roundings * roundoff)


def allowed_scores(given: Inputs) -> Tensor:
    """Each product passes through the sum of q and a bias, its own rounding, d - 1 sums and the last sum."""
    dtype = given.q.dtype
    work = torch.promote_types(dtype, torch.float32)
    error = grown(given.q.shape[-1] + 2, ROUNDOFF[work]) * size(given)
    return error if work == dtype else error + ROUNDOFF[dtype] * (reference(given).abs() + error)


def attended(given: Inputs, scale: float, mask: Tensor) -> Tensor:
    """softmax(scale*scores) values; 0 where a query sees nothing."""
    weights = (scale * reference(given)).masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights.nan_to_num() @ given.values.double()


def allowed_attention(given: Inputs, scale: float, mask: Tensor) -> Tensor:
    """In float32 or float64. n: as for scores, and the scale, its product and two roundings of the sum.

    A weight is an exponential (4 roundings) of a difference, itself rounded, and is carried from block to block of
    at least 32 keys by such exponentials; then come at most 2*K + 8 roundings in sums, the quotient and products.
    """
    roundoff, keys = ROUNDOFF[given.q.dtype], given.k.shape[2]
    unseen = ~mask.expand(*given.q.shape[:3], keys)
    logits = scale * reference(given)
    off = grown(given.q.shape[-1] + 6, roundoff) * abs(scale) * size(given)
    off = off.masked_fill(unseen, 0).amax(dim=-1, keepdim=True)
    highest = logits.masked_fill(unseen, -math.inf).amax(dim=-1, keepdim=True)
    lowest = logits.masked_fill(unseen, math.inf).amin(dim=-1, keepdim=True)
    spread = (highest - lowest + 2 * off).clamp(min=0)
    off = off + (keys / 32 + 2) * roundoff * (spread + 4)
    factor = torch.exp(2 * off) * (1 + grown(2 * keys + 8, roundoff)) - 1
    weights = logits.masked_fill(unseen, -math.inf).softmax(dim=-1).nan_to_num()
    return factor * (weights @ given.values.double().abs())


def causal(queries: int, keys: int) -> Tensor:
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
