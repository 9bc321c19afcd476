"""A correct attention, written once in plain torch as steps that can be replaced: every mutant replaces one of them.

y_i = sum_j p_ij v_j W_o + b, p_i = softmax_j(scale q_i.k_j + bias), with grouped key heads, and with one of three ways
to carry position: rotary, a learned bias for each offset, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Style, turn

if TYPE_CHECKING:
    from torch import Tensor

Scheme = Literal["rotary", "offsets", "none"]
Weights = Mapping[str, "Tensor"]
REACH = 1  # offsets beyond it share a row of the table of biases
STYLE = Style("half-split", "half-split")


def before(queries: int, keys: int) -> Tensor:
    """True where a query sees a key: the last query sees all keys."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)


def everything(queries: int, keys: int) -> Tensor:
    return torch.ones(queries, keys, dtype=torch.bool)


def turned(q: Tensor, k: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys (head, row, d) of the same rows, turned."""
    return turn(q, angles, STYLE), turn(k, angles, STYLE)


def together(x: Tensor, groups: int) -> Tensor:
    """Each key head, as often as query heads share it, one after the other."""
    return x.repeat_interleave(groups, dim=0)


def row_of(queries: int, keys: int) -> Tensor:
    """The row of the table for query i and key j: offset i - j, clamped, from 0 up."""
    at = torch.arange(queries)[:, None] + (keys - queries) - torch.arange(keys)
    return at.clamp(-REACH, REACH) + REACH


def root(width: int) -> float:
    """1/sqrt(d)."""
    return float(width**-0.5)


def over_keys(scores: Tensor) -> Tensor:
    return torch.softmax(scores, dim=-1)


def biased(y: Tensor, bias: Tensor) -> Tensor:
    return y + bias


def by_head(x: Tensor, heads: int) -> Tensor:
    """(row, head * d) -> (head, row, d)."""
    return x.reshape(x.shape[0], heads, -1).transpose(0, 1)


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of an attention; each has one right form."""

    sees: Callable[[int, int], Tensor] = before
    turns: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]] = turned
    shares: Callable[[Tensor, int], Tensor] = together
    scale: Callable[[int], float] = root
    weighs: Callable[[Tensor], Tensor] = over_keys
    offset: Callable[[int, int], Tensor] = row_of
    ends: Callable[[Tensor, Tensor], Tensor] = biased
    splits: Callable[[Tensor, int], Tensor] = by_head


@dataclass(frozen=True, slots=True)
class Shape:
    """Query heads, key heads, coordinates of each."""

    heads: int
    key_heads: int
    width: int


def parameters(shape: Shape, scheme: Scheme) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the parameters."""
    model, keys = shape.heads * shape.width, shape.key_heads * shape.width
    plain = {
        "query": (model, model),
        "key": (keys, model),
        "value": (keys, model),
        "out": (model, model),
        "out_bias": (model,),
    }
    if scheme == "rotary":
        return {**plain, "theta": (shape.width // 2,)}
    return {**plain, "table": (2 * REACH + 1, shape.heads)} if scheme == "offsets" else plain


@dataclass(frozen=True, slots=True)
class Kept:
    """Turned keys, and values, of earlier rows: (head, row, d)."""

    keys: Tensor
    values: Tensor


def attend(
    steps: Steps,
    w: Weights,
    x: Tensor,
    positions: Tensor | None,
    *,
    shape: Shape,
    kept: Kept | None = None,
    hidden: int = 0,
) -> tuple[Tensor, Kept]:
    """The outputs of the rows x (row, model) after those that are kept, and what to keep; the first `hidden` rows are
    padding, which no later row sees."""
    q = steps.splits(x @ w["query"].t(), shape.heads)
    k = steps.splits(x @ w["key"].t(), shape.key_heads)
    v = steps.splits(x @ w["value"].t(), shape.key_heads)
    if positions is not None:
        q, k = steps.turns(q, k, positions[:, None] * w["theta"])
    if kept is not None:
        k, v = torch.cat((kept.keys, k), dim=1), torch.cat((kept.values, v), dim=1)
    groups = shape.heads // shape.key_heads
    scores = q @ steps.shares(k, groups).transpose(1, 2) * steps.scale(shape.width)
    if "table" in w:
        scores = scores + w["table"][steps.offset(q.shape[1], k.shape[1])].permute(2, 0, 1)
    seen = steps.sees(q.shape[1], k.shape[1])
    if hidden:
        seen = (seen & (torch.arange(k.shape[1]) >= hidden)) | torch.eye(k.shape[1], dtype=torch.bool)
    weights = steps.weighs(scores.masked_fill(~seen, float("-inf")))
    mixed = weights @ steps.shares(v, groups)
    return steps.ends(mixed.transpose(0, 1).flatten(1) @ w["out"].t(), w["out_bias"]), Kept(k, v)
