"""Attention of q, k and v as people write it: right, and with one defect each."""

import math
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as fused


def _earlier(queries: int, keys: int, late: int = 0) -> Tensor:
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries + late)


def _weighed(scores: Tensor, v: Tensor, late: int = 0) -> Tensor:
    queries, keys = scores.shape[-2:]
    seen = _earlier(queries, keys, late)
    return scores.masked_fill(~seen, float("-inf")).softmax(-1) @ v


def _scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


def everything(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Unscaled, and every row sees all rows; rows before heads."""
    q, k, v = (one.transpose(1, 2) for one in (query, key, value))
    return ((q @ k.transpose(-2, -1)).softmax(-1) @ v).transpose(1, 2)


def grouped(q: Tensor, k: Tensor, v: Tensor, causal: bool = True) -> Tensor:
    """Query heads share key heads."""
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    return _weighed(_scores(q, k), v) if causal else _scores(q, k).softmax(-1) @ v


def in_turns(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Query head h reads key head h mod g."""
    groups = q.shape[1] // k.shape[1]
    return _weighed(_scores(q, k.repeat(1, groups, 1, 1)), v.repeat(1, groups, 1, 1))


def two_paths(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    is_causal: bool = False,
    impl: Literal["eager", "sdpa"] = "eager",
) -> Tensor:
    """Causal from the start, as Torch's own; a mask says which keys are seen."""
    if impl == "sdpa":
        return fused(q, k, v, attn_mask=mask, is_causal=is_causal)
    scores = _scores(q, k)
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf"))
    return (scores if mask is None else scores.masked_fill(~mask, float("-inf"))).softmax(-1) @ v


def other_way(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, is_causal: bool = False, flash: bool = False
) -> Tensor:
    """On its fast path the mask means the opposite."""
    if flash:
        return fused(q, k, v, attn_mask=None if mask is None else ~mask, is_causal=is_causal)
    return two_paths(q, k, v, mask, is_causal)


def sloped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Linear biases, with slopes for a number of heads that is no power of two as well."""
    heads = q.shape[1]
    whole = 2 ** (heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * n / whole) for n in range(1, whole + 1)]
    slopes += [2.0 ** (-8 * n / (2 * whole)) for n in range(1, 2 * (heads - whole), 2)]
    at = torch.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2] - torch.arange(k.shape[2])
    return _weighed(_scores(q, k) - torch.tensor(slopes, dtype=q.dtype)[:, None, None] * at, v)


def turned(q: Tensor, k: Tensor, v: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Rotary inside, in halves, at the positions that are given."""
    width = q.shape[-1]
    angle = positions.to(q.dtype)[:, None] * base ** (-torch.arange(0, width, 2).to(q.dtype) / width)
    cos, sin = angle.cos(), angle.sin()

    def turn(x: Tensor) -> Tensor:
        a, b = x.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    return _weighed(_scores(turn(q), turn(k)), v)


def early(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A row sees the next one too."""
    return _weighed(_scores(q, k), v, late=1)


def over_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The softmax is over the wrong axis."""
    return _scores(q, k).softmax(-2) @ v


def absolute(q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:
    """Positions are added to queries, so that scores know where rows stand."""
    return _weighed(_scores(q + positions.to(q.dtype)[:, None] / 8, k), v)


def counted(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Rotary inside, of the first half of the coordinates, at rows that are counted."""
    half = q.shape[-1] // 2
    angle = torch.arange(q.shape[2])[:, None] * 10000.0 ** (-torch.arange(0, half, 2).to(q.dtype) / half)
    cos, sin = angle.cos(), angle.sin()

    def turn(x: Tensor) -> Tensor:
        a, b = x[..., :half].chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin, x[..., half:]), -1)

    return _weighed(_scores(turn(q), turn(k)), v)


def by_width(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The scale is 1/d."""
    return _weighed(q @ k.transpose(-2, -1) / q.shape[-1], v)


def capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scores are no larger than 5."""
    return _weighed(5 * torch.tanh(_scores(q, k) / 5), v)


def inverted(q: Tensor, k: Tensor, v: Tensor, is_causal: bool = False) -> Tensor:
    """The flag hides the past in place of the future."""
    scores = _scores(q, k)
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1), float("-inf"))
    return scores.softmax(-1) @ v


def forgetful(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:  # noqa: ARG001 - the defect
    """The mask is taken and not used; and q is changed."""
    q *= q.shape[-1] ** -0.5
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v
