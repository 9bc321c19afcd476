"""Rotary rotations whose output is no row of numbers like the input: NaN, infinity, another dtype, another shape.

At most positions, in most dtypes and widths each of them is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate, angles, frequencies, slots, turn
from posproofs.mutants.rotary import PLAIN, Mutant, around, of_frequencies

if TYPE_CHECKING:
    from torch import Tensor


def _sine_over_tangent(_head: int, rotary: int) -> Rotate:
    """The cosine is computed as sine over tangent, 0/0 at position 0."""
    turned = frequencies(rotary, PLAIN.base)
    first, second = slots("interleaved", rotary)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle, wide = angles(positions, turned), torch.promote_types(x.dtype, torch.float32)
        cos, sin = (angle.sin() / angle.tan()).to(wide), angle.sin().to(wide)
        a, b = x[..., first].to(wide), x[..., second].to(wide)
        y = torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)
        return torch.cat((y.to(x.dtype), x[..., rotary:]), dim=-1)

    return rotate


def _negative_base(rotary: int) -> Tensor:
    """A base that went through a formula of scaling beyond its range; its roots are no real numbers."""
    return torch.tensor(-PLAIN.base) ** (-torch.arange(0, rotary, 2, dtype=torch.float64) / rotary)


def _power_of_position(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return right(x, positions) * (positions.double()[:, None] ** -0.5).to(x.dtype)


def _rest_lost(_head: int, rotary: int) -> Rotate:
    turned = frequencies(rotary, PLAIN.base)
    return lambda x, positions: turn(x[..., :rotary], angles(positions, turned), PLAIN)


OVER_TANGENT = Mutant("sine-over-tangent", "the cosine is sine over tangent, 0/0 at position 0", _sine_over_tangent)
NEGATIVE_BASE = Mutant("negative-base", "the base is negative, and its roots are NaN", of_frequencies(_negative_base))
POWER_OF_POSITION = Mutant(
    "power-of-position", "rows are divided by the root of the position", around(_power_of_position)
)
WIDENED = Mutant(
    "float64-output", "the output is in float64 whatever x is", around(lambda right, x, p: right(x, p).double())
)
NARROWED = Mutant(
    "float32-output", "the output is in float32 whatever x is", around(lambda right, x, p: right(x, p).float())
)
REST_LOST = Mutant("rest-lost", "the coordinates that do not turn are left out", _rest_lost, widths=((8, 4),))
