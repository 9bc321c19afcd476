"""Four-term scores that are wrong on purpose, one defect each; all are found in the field or in print.

A Transformer-XL score is (q_i + u).k_j + (q_i + v).r_(i-j+M). Each mutant gets the rows of the offsets K..-L+1, as the
right one does, and has a table of sinusoids of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.mutants.four_terms import content, offsets, placed, row_of, scores, table

if TYPE_CHECKING:
    from torch import Tensor, dtype


Table = Callable[["Tensor", int, "dtype"], "Tensor"]
"""(offsets, width, dtype of the call) -> rows of sinusoids."""


@dataclass(frozen=True, slots=True)
class ScoreMutant:
    """A wrong implementation: its name, what is wrong, how it scores, and how to build what makes rows for offsets."""

    name: str
    defect: str
    scores: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor] = scores
    make_table: Callable[[], Table] = lambda: table


def _indexed(change: Callable[[int, int], Tensor]) -> Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]:
    """Scores that look the row up at `change(queries, keys)`."""

    def wrong(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        return content(q, k, u) + placed(q, v, r, change(q.shape[2], k.shape[2]))

    return wrong


def _unshifted(queries: int, keys: int) -> Tensor:
    return torch.arange(keys).expand(queries, -1)


def _from_the_queries(queries: int, keys: int) -> Tensor:
    """Positions are counted from the first query for queries and keys; the last row stands for what is beyond."""
    return (keys - torch.arange(queries)[:, None] + torch.arange(keys)).clamp(max=keys + queries - 1)


def _of_key_minus_query(queries: int, keys: int) -> Tensor:
    """Where the row of j - i - M stands, the last row for what is beyond."""
    return (keys + offsets(queries, keys)).clamp(max=keys + queries - 1)


def _transposed(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """The reshape before the dropped row is a transpose instead."""
    products = torch.einsum("bhid,htd->bhit", q + v[:, None], r)
    dropped = products.transpose(2, 3)[:, :, 1:].reshape(*products.shape[:3], -1)
    return content(q, k, u) + dropped[..., : k.shape[2]]


def _cyclic(queries: int, keys: int) -> Tensor:
    """Each row is rolled by its index within the K columns of the past."""
    return 1 + (keys - 1 - offsets(queries, keys)) % keys


def _in_place(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    right = scores(q, k, r, u, v)
    q += u[:, None]
    return right


def _query_position_kept(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """(c) as in the absolute score: u grows with the position of the query."""
    position = offsets(q.shape[2], k.shape[2])[:, 0].to(q.dtype)
    return scores(q, k, r, u, v) + torch.einsum("hd,bhjd->bhj", u, k)[:, :, None] * position[:, None] / 4


def _from_the_end(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """u grows with the distance of the key from the end of the sequence."""
    left = (k.shape[2] - torch.arange(k.shape[2])).to(q.dtype)
    return scores(q, k, r, u, v) + torch.einsum("hd,bhjd->bhj", u, k)[:, :, None] * left / 4


def _symmetric(at: Tensor, width: int, kind: dtype) -> Tensor:
    return table(at.abs(), width, kind)


def _poisoned() -> Table:
    """The rows of a longest reach are kept, and cast in their place where a call has another dtype."""
    kept: dict[int, Tensor] = {}

    def rows(at: Tensor, width: int, kind: dtype) -> Tensor:
        reach = int(at.abs().max())
        if width not in kept or len(kept[width]) < 2 * reach + 1:
            kept[width] = table(torch.arange(-reach, reach + 1), width, kind)
        kept[width] = kept[width].to(kind)
        return kept[width][at + len(kept[width]) // 2]

    return rows


IN_PLACE = ScoreMutant("xl-in-place", "u is added to the caller's queries", _in_place)
MEMORY_IGNORED = ScoreMutant(
    "xl-memory-ignored",
    "positions are counted from the first query",
    _indexed(_from_the_queries),
)
OFF_BY_ONE = ScoreMutant("xl-off-by-one", "the shift is one row too far", _indexed(lambda n, m: row_of(n, m) - 1))
UNSHIFTED = ScoreMutant("xl-unshifted", "the shift is left out", _indexed(_unshifted))
TRANSPOSED = ScoreMutant("xl-transposed", "the shift transposes where it should reshape", _transposed)
REVERSED = ScoreMutant("xl-reversed", "the row of j - i is read", _indexed(_of_key_minus_query))
CYCLIC = ScoreMutant("xl-cyclic", "rows are rolled, so the future reads the past", _indexed(_cyclic))
SYMMETRIC = ScoreMutant("xl-symmetric-table", "the row of -o is that of o", make_table=lambda: _symmetric)
POISONED = ScoreMutant("xl-poisoned-table", "the rows are kept in the dtype of the last call", make_table=_poisoned)
QUERY_POSITION = ScoreMutant("xl-query-position", "(c) keeps the position of the query", _query_position_kept)
FROM_THE_END = ScoreMutant("xl-from-the-end", "a term counts from the end of the sequence", _from_the_end)
EXCHANGED = ScoreMutant("xl-exchanged-biases", "u and v are exchanged", lambda q, k, r, u, v: scores(q, k, r, v, u))
NO_U = ScoreMutant("xl-no-u", "u is left out", lambda q, k, r, u, v: scores(q, k, r, torch.zeros_like(u), v))
V_IN_CONTENT = ScoreMutant(
    "xl-v-in-content", "v is added to the content term as well", lambda q, k, r, u, v: scores(q, k, r, u + v, v)
)
