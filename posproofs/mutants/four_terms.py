"""A correct four-term score, written once in plain torch: every mutant of it is this with one thing wrong.

The row of an offset is looked up by its index, i - j + M counted from K downwards; nothing is shifted or reshaped, so a
law that compares it with shifted code compares two algorithms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout, frequencies, slots

if TYPE_CHECKING:
    from torch import Tensor, dtype


def offsets(queries: int, keys: int) -> Tensor:
    """Position of the query minus position of the key, shape (query, key)."""
    memory = keys - queries
    return torch.arange(queries)[:, None] + memory - torch.arange(keys)


def content(q: Tensor, k: Tensor, u: Tensor) -> Tensor:
    """(q_i + u).k_j: terms (a) and (c)."""
    return torch.einsum("bhid,bhjd->bhij", q + u[:, None], k)


def placed(q: Tensor, v: Tensor, r: Tensor, index: Tensor) -> Tensor:
    """(q_i + v).r[index[i, j]]: terms (b) and (d)."""
    return torch.einsum("bhid,hijd->bhij", q + v[:, None], r[:, index])


def row_of(queries: int, keys: int) -> Tensor:
    """Where the row of each offset stands: row 0 is that of K, the last that of -L + 1."""
    return keys - offsets(queries, keys)


def scores(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """The unscaled score of every query and key."""
    return content(q, k, u) + placed(q, v, r, row_of(q.shape[2], k.shape[2]))


def sinusoids(at: Tensor, width: int, base: float, layout: Layout) -> Tensor:
    """sin(o w_i) and cos(o w_i) for each offset, w_i = base**(-2i/width), float64, shape (row, width)."""
    angle = at.double()[:, None] * frequencies(width, base)
    first, second = slots(layout, width)
    order = torch.argsort(torch.tensor(first + second))
    return torch.cat((angle.sin(), angle.cos()), dim=-1)[:, order]


def table(at: Tensor, width: int, kind: dtype) -> Tensor:
    """The rows of the paper, all sines, then all cosines, in that dtype."""
    return sinusoids(at, width, 10000.0, "half-split").to(kind)
