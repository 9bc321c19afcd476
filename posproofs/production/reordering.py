"""Putting heads, queries and keys where a library's module expects them: nothing here changes a number.

A whole attention module takes hidden states and projects them. So that it scores given queries and keys, both stand
side by side in a hidden state, and the projections are set to pick one of them: matrices of zeros and ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor, dtype
    from torch.nn import Module


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


def offsets_before(r: Tensor, keys: int) -> Tensor:
    """Of rows for the offsets K, K - 1, .., -L + 1 those down to 0."""
    return r[:, : keys + 1]


def set_weights(module: Module, **weights: Tensor) -> None:
    """Put these tensors in place of the named parameters; ValueError where the shape is another.

    The tensor itself takes the place, as in `torch.func.functional_call`, so that a tracer sees where it comes from.
    """
    for name, value in weights.items():
        *path, last = name.split("__")
        owner = module.get_submodule(".".join(path))
        parameter = owner._parameters[last]
        if parameter is None or parameter.shape != value.shape:
            shape = None if parameter is None else tuple(parameter.shape)
            raise ValueError(f"{name} has the shape {shape}, saw {tuple(value.shape)}")
        owner._parameters[last] = value  # type: ignore[assignment]
