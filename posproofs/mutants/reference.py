"""A correct rotary rotation, written once in plain torch: every mutant is this with one thing wrong.

It is written here and not taken from `posproofs.emit`, so that a law that compares with emitted code compares two
texts. The sign "+" is y_a = x_a cos(p w) - x_b sin(p w), y_b = x_b cos(p w) + x_a sin(p w), w_i = base**(-2i/d).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

Layout = Literal["interleaved", "half-split"]
Rotate = Callable[["Tensor", "Tensor"], "Tensor"]
"""(x of shape (batch, head, row, coordinate), integer positions of shape (row,)) -> the rotated x."""


@dataclass(frozen=True, slots=True)
class Style:
    """The convention of a rotation: how coordinates pair up, where they are written, which way and how fast they turn.

    frequencies: w_i where they are not base**(-2i/d); they belong to one width.
    """

    reads: Layout = "interleaved"
    writes: Layout = "interleaved"
    sign: Literal[1, -1] = 1
    base: float = 10000.0
    magnitude: float = 1.0
    frequencies: tuple[float, ...] = ()


def slots(layout: Layout, rotary: int) -> tuple[list[int], list[int]]:
    """The coordinates of the first and of the second member of each pair."""
    half = rotary // 2
    if layout == "interleaved":
        return list(range(0, rotary, 2)), list(range(1, rotary, 2))
    return list(range(half)), list(range(half, rotary))


def frequencies(rotary: int, base: float) -> Tensor:
    """w_i for i = 0..rotary/2-1, float64."""
    return base ** (-torch.arange(0, rotary, 2, dtype=torch.float64) / rotary)


def declared(rotary: int, style: Style) -> Tensor:
    """The frequencies of a style: those that it lists, else those of its base."""
    listed = torch.tensor(style.frequencies, dtype=torch.float64)
    return listed if style.frequencies else frequencies(rotary, style.base)


def angles(positions: Tensor, turned: Tensor) -> Tensor:
    """p * w_i, float64, shape (row, pair)."""
    return positions.double()[:, None] * turned


def turn(x: Tensor, angle: Tensor, style: Style) -> Tensor:
    """Rotate the first 2 * angle.shape[-1] coordinates of x (..., row, coordinate); the others pass.

    Cosine and sine are cast to at least float32, and the product is rounded to the dtype of x at the end.
    """
    rotary = 2 * angle.shape[-1]
    wide = torch.promote_types(x.dtype, torch.float32)
    cos = (angle.cos() * style.magnitude).to(wide)
    sin = (angle.sin() * style.magnitude * style.sign).to(wide)
    first, second = slots(style.reads, rotary)
    a, b = x[..., first].to(wide), x[..., second].to(wide)
    out_first, out_second = slots(style.writes, rotary)
    order = torch.argsort(torch.tensor(out_first + out_second))
    rotated = torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)[..., order]
    return torch.cat((rotated.to(x.dtype), x[..., rotary:]), dim=-1)


def rotation(head: int, rotary: int, style: Style) -> Rotate:
    """The correct rotation of the first `rotary` of `head` coordinates."""
    turned = declared(rotary, style)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        if x.shape[-1] != head:
            raise ValueError(f"the width is {head}, saw {x.shape[-1]}")
        return turn(x, angles(positions, turned), style)

    return rotate
