"""Attention modules that are wrong on purpose, one defect each; all are found in the field.

A mutant has a plain path, a second path that should compute the same, and a way to decode with a cache. What is wrong
stands in one step of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from posproofs.mutants.attended import (
    REACH,
    STYLE,
    Kept,
    Scheme,
    Steps,
    before,
    biased,
    everything,
    root,
    row_of,
)
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import turn

if TYPE_CHECKING:
    from torch import Tensor

RIGHT = Steps()
OPEN = Steps(sees=everything)
Place = Callable[["Tensor", int], "Tensor"]
Keep = Callable[[Kept], Kept]


def _as_given(positions: Tensor, _start: int) -> Tensor:
    return positions


def _all(kept: Kept) -> Kept:
    return kept


@dataclass(frozen=True, slots=True)
class AttentionMutant:
    """A wrong implementation: its name, what is wrong, how it carries position, its steps on each of two paths.

    places: the positions of a part that starts at some row, when it decodes. keeps: what its cache makes of what it is
    given. twin: the steps of the other library that it should agree with, if there is one.
    """

    name: str
    defect: str
    scheme: Scheme = "rotary"
    plain: Steps = RIGHT
    second: Steps | None = None
    places: Place = _as_given
    keeps: Keep = _all
    twin: Steps | None = field(default=None)

    @property
    def paths(self) -> tuple[Steps, Steps]:
        return self.plain, self.plain if self.second is None else self.second


def _one_more(queries: int, keys: int) -> Tensor:
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries + 1)


def _transposed(queries: int, keys: int) -> Tensor:
    """Rows see later rows; a single query sees all keys."""
    return before(queries, keys).T if queries == keys else before(queries, keys)


def _top_left(queries: int, keys: int) -> Tensor:
    """The first query sees the first key, also where keys are kept from earlier calls."""
    return torch.ones(queries, keys, dtype=torch.bool).tril()


def _in_turns(x: Tensor, groups: int) -> Tensor:
    """All key heads in turn, where each should stand next to itself."""
    return x.repeat(groups, 1, 1)


def _only_queries(q: Tensor, k: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    return turn(q, angles, STYLE), k


def _opposite(q: Tensor, k: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    return turn(q, angles, STYLE), turn(k, -angles, STYLE)


def _neighbours(q: Tensor, k: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    """Interleaved pairs where halves are declared."""
    style = replace(STYLE, reads="interleaved", writes="interleaved")
    return turn(q, angles, style), turn(k, angles, style)


def _twice(width: int) -> float:
    return root(width) ** 2


def _over_queries(scores: Tensor) -> Tensor:
    return torch.softmax(scores, dim=-2)


def _backwards(queries: int, keys: int) -> Tensor:
    return 2 * REACH - row_of(queries, keys)


def _from_first_query(queries: int, keys: int) -> Tensor:
    """Offsets as if both were counted from the first key of the call."""
    at = torch.arange(queries)[:, None] - torch.arange(keys)
    return at.clamp(-REACH, REACH) + REACH


def _unbiased(y: Tensor, _bias: Tensor) -> Tensor:
    return y


def _mixed_rows(x: Tensor, heads: int) -> Tensor:
    """A reshape where a transposition is due: a head takes coordinates of several rows."""
    return x.reshape(heads, x.shape[0], -1)


def _counted(y: Tensor, bias: Tensor) -> Tensor:
    """The number of the row is added."""
    return biased(y, bias) + torch.arange(y.shape[0])[:, None].to(y.dtype) / 8


def _one_late(positions: Tensor, start: int) -> Tensor:
    return positions + 1 if start else positions


def _without_newest(kept: Kept) -> Kept:
    """The cache loses the value of the last row: that of the row before it stands there."""
    values = torch.cat((kept.values[:, :-1], kept.values[:, -2:-1]), dim=1) if kept.values.shape[1] > 1 else kept.values
    return Kept(kept.keys, values)


SEES_NEXT = AttentionMutant("attention-sees-next", "a row sees the row after it", plain=Steps(sees=_one_more))
SEES_FUTURE = AttentionMutant("attention-sees-future", "the mask is transposed", plain=Steps(sees=_transposed))
IN_TURNS = AttentionMutant(
    "attention-heads-in-turns", "a fast path repeats key heads in turns", second=Steps(shares=_in_turns)
)
SCALED_TWICE = AttentionMutant(
    "attention-scaled-twice", "a fast path scales queries and scores", second=Steps(scale=_twice)
)
BIAS_DROPPED = AttentionMutant(
    "attention-bias-dropped", "a fast path leaves the bias out", second=Steps(ends=_unbiased)
)
ONLY_QUERIES = AttentionMutant("attention-only-queries", "keys are not turned", plain=Steps(turns=_only_queries))
OPPOSITE = AttentionMutant("attention-opposite", "keys are turned the other way", plain=Steps(turns=_opposite))
ONE_LATE = AttentionMutant("attention-one-late", "a decoded row has the position after its own", places=_one_late)
TOP_LEFT = AttentionMutant(
    "attention-top-left", "a causal mask starts at the first key of the cache", plain=Steps(sees=_top_left)
)
WITHOUT_NEWEST = AttentionMutant("attention-without-newest", "the cache loses a value", keeps=_without_newest)
OFFSETS_FROM_QUERY = AttentionMutant(
    "attention-offsets-from-query",
    "offsets are counted from the first row of a call",
    scheme="offsets",
    plain=Steps(offset=_from_first_query),
)
MIXED_ROWS = AttentionMutant(
    "attention-mixed-rows", "heads are reshaped, not transposed", scheme="none", plain=replace(OPEN, splits=_mixed_rows)
)
COUNTED = AttentionMutant(
    "attention-counted", "the number of a row is added", scheme="none", plain=replace(OPEN, ends=_counted)
)
ANOTHER_LIBRARY = AttentionMutant(
    "attention-another-library",
    "the other library reads offsets backwards",
    scheme="offsets",
    twin=Steps(offset=_backwards),
)
OVER_QUERIES = AttentionMutant(
    "attention-over-queries", "the softmax runs over queries", scheme="none", plain=replace(OPEN, weighs=_over_queries)
)
UNSCALED = AttentionMutant("attention-unscaled", "the scale is left out", plain=Steps(scale=lambda _width: 1.0))
NEIGHBOURS = AttentionMutant(
    "attention-neighbours", "pairs are interleaved, halves are declared", plain=Steps(turns=_neighbours)
)
BACKWARDS = AttentionMutant(
    "attention-backwards", "the bias of j - i is read", scheme="offsets", plain=Steps(offset=_backwards)
)
