"""Rotations that the tests are about, written pair by pair so that any convention can be planted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from posproofs.mutants.reference import Rotate

Pairs = Sequence[tuple[int, int]]
Angles = Callable[[Tensor, Tensor], Tensor]


def product(positions: Tensor, turned: Tensor) -> Tensor:
    """p * w in float64."""
    return positions.double()[:, None] * turned.double()


def in_dtype(dtype: torch.dtype) -> Angles:
    """p * w with both factors and the product in that dtype."""

    def angles(positions: Tensor, turned: Tensor) -> Tensor:
        return positions.to(dtype)[:, None] * turned.to(dtype)

    return angles


def turning(
    turned: Tensor,
    pairs: Pairs,
    *,
    written: Pairs | None = None,
    angles: Angles = product,
    magnitudes: Tensor | float = 1.0,
    table: torch.dtype | None = None,
) -> Rotate:
    """Pair i turns by p * turned[i]; cosine and sine are rounded to `table` before they are used, or to x's dtype."""
    a, b = (list(side) for side in zip(*pairs, strict=True))
    c, d = (list(side) for side in zip(*(written or pairs), strict=True))

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle = angles(positions, turned)
        held = x.dtype if table is None else table
        cos = (angle.cos() * magnitudes).to(held).to(x.dtype)
        sin = (angle.sin() * magnitudes).to(held).to(x.dtype)
        y = x.clone()
        y[..., c], y[..., d] = x[..., a] * cos - x[..., b] * sin, x[..., b] * cos + x[..., a] * sin
        return y

    return rotate


def interleaved(count: int) -> Pairs:
    return [(2 * i, 2 * i + 1) for i in range(count)]


def whole(rotate: Rotate) -> Rotate:
    """The same, refusing positions that are no integers."""

    def only_whole(x: Tensor, positions: Tensor) -> Tensor:
        if positions.is_floating_point():
            raise TypeError("positions are integers")
        return rotate(x, positions)

    return only_whole


def counted_from(rotate: Rotate, origin: int) -> Rotate:
    """The same with positions counted from there."""
    return lambda x, positions: rotate(x, positions + origin)
