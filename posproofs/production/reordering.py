"""Putting heads, queries and keys where a library's module expects them: nothing here changes a number.

A whole attention module takes hidden states and projects them. So that it scores given queries and keys, both stand
side by side in a hidden state, and the projections are set to pick one of them: matrices of zeros and ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor, dtype


def heads_together(x: Tensor) -> Tensor:
    """(batch, head, row, d) -> (batch, row, heads * d)."""
    return x.transpose(1, 2).flatten(2)


def rows_together(r: Tensor) -> Tensor:
    """(head, row, d) -> (row, heads * d)."""
    return r.transpose(0, 1).flatten(1)


def side_by_side(x: Tensor, y: Tensor | None = None) -> Tensor:
    """x and y as the halves of the last axis; without y, zeros."""
    return torch.cat((x, torch.zeros_like(x) if y is None else y), dim=-1)


def memory_and_present(k: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    """The keys before the first query, and those that stand at the queries; axis 2 of both counts rows."""
    memory = k.shape[2] - q.shape[2]
    return k[:, :, :memory], k[:, :, memory:]


def first_half(size: int, kind: dtype) -> Tensor:
    """The projection (size, 2 size) that picks the first half."""
    return side_by_side(torch.eye(size, dtype=kind))


def second_half(size: int, kind: dtype) -> Tensor:
    """The projection (size, 2 size) that picks the second half."""
    eye = torch.eye(size, dtype=kind)
    return side_by_side(torch.zeros_like(eye), eye)


def in_every_head(block: Tensor, heads: int) -> Tensor:
    """The projection that does the same in every head, each head's coordinates together."""
    rows, columns = block.shape
    placed = torch.zeros(heads, rows, heads, columns, dtype=block.dtype)
    for head in range(heads):
        placed[head, :, head] = block
    return placed.flatten(2).flatten(0, 1)


def after_the_query(q: Tensor, k: Tensor) -> Tensor:
    """The mask of a causal model, shape (query, key): True where the key stands after the query."""
    memory = k.shape[2] - q.shape[2]
    return torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).triu(memory + 1)


def offsets_before(r: Tensor, keys: int) -> Tensor:
    """Of rows for the offsets K, K - 1, .., -L + 1 those down to 0."""
    return r[:, : keys + 1]


def set_weights(module: object, **weights: Tensor) -> None:
    """Give the named parameters of a module these values; ValueError where the shape is another."""
    for name, value in weights.items():
        owner: object = module
        *path, last = name.split("__")
        for part in path:
            owner = getattr(owner, part)
        parameter = getattr(owner, last)
        if parameter.shape != value.shape:
            raise ValueError(f"{name} has the shape {tuple(parameter.shape)}, saw {tuple(value.shape)}")
        parameter.data = value
