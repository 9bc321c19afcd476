"""Rotary rotations of one row that are wrong: no rotation, merged positions, another angle, a lost gradient.

Each is a function of the row and its position, so one call shows it, given the right position, dtype and width.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate, Style, angles, frequencies, slots, turn
from posproofs.mutants.rotary import PLAIN, Mutant, around, of_angles, of_frequencies

if TYPE_CHECKING:
    from torch import Tensor

SCALED = Style(magnitude=1.2)


def _of_tables(
    change: Callable[[Tensor], tuple[Tensor, Tensor, Tensor, Tensor]],
) -> Callable[[int, int], Rotate]:
    """y_a = x_a c_a - x_b s_a, y_b = x_b c_b + x_a s_b with the four tables `change(angle)` of shape (row, pair)."""

    def make(_head: int, rotary: int) -> Rotate:
        turned = frequencies(rotary, PLAIN.base)
        first, second = slots("interleaved", rotary)

        def rotate(x: Tensor, positions: Tensor) -> Tensor:
            wide = torch.promote_types(x.dtype, torch.float32)
            cos_a, sin_a, cos_b, sin_b = (table.to(wide) for table in change(angles(positions, turned)))
            a, b = x[..., first].to(wide), x[..., second].to(wide)
            y = torch.stack((a * cos_a - b * sin_a, b * cos_b + a * sin_b), dim=-1).flatten(-2)
            return torch.cat((y.to(x.dtype), x[..., rotary:]), dim=-1)

        return rotate

    return make


def _cosine_scaled(angle: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    cos, sin = angle.cos() * SCALED.magnitude, angle.sin()
    return cos, sin, cos, sin


def _first_scaled(angle: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    cos, sin = angle.cos(), angle.sin()
    return cos * SCALED.magnitude, sin * SCALED.magnitude, cos, sin


def _unequal_halves(angle: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The second member reads its cosine and sine one pair further."""
    other = angle.roll(-1, dims=-1)
    return angle.cos(), angle.sin(), other.cos(), other.sin()


def _one_sided_decay(angle: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The scale of xPos on queries, without its inverse on keys; pair 0 at position p has the angle p."""
    scale = 0.99 ** angle[:, :1]
    cos, sin = angle.cos() * scale, angle.sin() * scale
    return cos, sin, cos, sin


def _exchanged(angle: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return angle.sin(), angle.cos(), angle.sin(), angle.cos()


def _scaled_by(magnitude: float) -> Callable[[int, int], Rotate]:
    """The plain rotation with another magnitude."""

    def make(_head: int, rotary: int) -> Rotate:
        turned = frequencies(rotary, PLAIN.base)
        return lambda x, positions: turn(x, angles(positions, turned), Style(magnitude=magnitude))

    return make


def _other_layout(_head: int, rotary: int) -> Rotate:
    turned = frequencies(rotary, PLAIN.base)
    halves = Style(reads="half-split", writes="half-split")
    return lambda x, positions: turn(x, angles(positions, turned), halves)


def _one_head_left(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return x.clone() if x.shape[-3] == 1 else right(x, positions)


def _overflowing(positions: Tensor, turned: Tensor) -> Tensor:
    """Angles beyond the greatest number of float16 are infinite, and have no cosine."""
    angle = angles(positions, turned)
    return torch.where(angle > torch.finfo(torch.float16).max, torch.inf, angle)


def _long_beyond(positions: Tensor, turned: Tensor) -> Tensor:
    """Short and long factors are chosen row by row; the factor of the first pair is 1 in both."""
    long = turned / torch.cat((torch.ones(1), torch.full((turned.shape[0] - 1,), 4.0)))
    return torch.where(positions[:, None] < 64, angles(positions, turned), angles(positions, long))


def _one_ahead(positions: Tensor, turned: Tensor) -> Tensor:
    ahead = torch.arange(turned.shape[0]) >= turned.shape[0] // 2
    return angles(positions, turned) + ahead * turned


def _last_pair(factor: float) -> Callable[[Tensor, Tensor], Tensor]:
    """The angle of the last pair times a factor."""

    def change(positions: Tensor, turned: Tensor) -> Tensor:
        factors = torch.cat((torch.ones(turned.shape[0] - 1), torch.full((1,), factor)))
        return angles(positions, turned) * factors

    return change


def _half_gradient(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return right(x / 2 + x.detach() / 2, positions)


def _second_detached(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    first = torch.arange(x.shape[-1]) % 2 == 0
    return right(torch.where(first, x, x.detach()), positions)


COSINE_SCALED = Mutant(
    "magnitude-on-cosine", "the magnitude is on the cosine alone", _of_tables(_cosine_scaled), SCALED
)
FIRST_SCALED = Mutant(
    "magnitude-on-first", "the magnitude is on the first member of each pair", _of_tables(_first_scaled), SCALED
)
UNEQUAL = Mutant("unequal-halves", "the second member of a pair turns by the next angle", _of_tables(_unequal_halves))
DECAYING = Mutant("one-sided-decay", "rows decay with the position as in xPos, keys too", _of_tables(_one_sided_decay))

HALF_POSITIONS = Mutant(
    "float16-positions",
    "positions are held in float16, exact up to 2048, and end at its greatest number",
    of_angles(lambda p, w: angles(p.clamp(max=65504).half(), w)),
)
SHORT_POSITIONS = Mutant(
    "int16-positions", "positions are held in 16 bits", of_angles(lambda p, w: angles(p.to(torch.int16), w))
)
ENDING = Mutant("clamp-at-4095", "positions end at 4095", of_angles(lambda p, w: angles(p.clamp(max=4095), w)))
EMPTY = Mutant(
    "empty-frequencies", "the frequencies were never filled in", of_frequencies(lambda r: torch.zeros(r // 2).double())
)
ROUNDED_ANGLES = Mutant(
    "bfloat16-angles",
    "the product of position and frequency is in bfloat16",
    of_angles(lambda p, w: angles(p, w).bfloat16().double()),
)
INPUT_POSITIONS = Mutant(
    "positions-like-input",
    "positions are in the dtype of the input",
    around(lambda right, x, p: right(x, p.to(x.dtype))),
)
INTEGER_DIVISION = Mutant(
    "integer-interpolation", "positions are divided by 2 as integers", of_angles(lambda p, w: angles(p // 2, w))
)
EVEN_ONLY = Mutant(
    "odd-positions-left", "rows at odd positions are not turned", of_angles(lambda p, w: angles(p * (1 - p % 2), w))
)
ONE_HEAD = Mutant("single-head-left", "a single head is not turned", around(_one_head_left))
LAST_LEFT = Mutant("last-pair-left", "the last pair is not turned", of_angles(_last_pair(0.0)))
OVERFLOWING = Mutant("overflow-at-65504", "angles beyond 65504 are infinite", of_angles(_overflowing))

SKIPPING = Mutant(
    "skip-at-64", "positions from 64 on are one too far", of_angles(lambda p, w: angles(p + (p >= 64).long(), w))
)
LONG_BEYOND = Mutant(
    "long-factors-beyond-64", "rows beyond 64 turn by long factors, those before by short ones", of_angles(_long_beyond)
)
ROUGH_PI = Mutant(
    "angle-modulo-6.2832", "full turns are taken off as 6.2832", of_angles(lambda p, w: angles(p, w) % 6.2832)
)

HALF_GRADIENT = Mutant("half-gradient", "half of the gradient is lost", around(_half_gradient))
SECOND_DETACHED = Mutant(
    "second-member-detached", "the gradient of the second member of a pair is lost", around(_second_detached)
)

HALF_FREQUENCIES = Mutant(
    "float16-frequencies",
    "the frequencies are rounded to float16",
    of_frequencies(lambda r: frequencies(r, PLAIN.base).half().double()),
)
HALF_EXPONENT = Mutant(
    "half-exponent",
    "the exponent is i/d where 2i/d is meant",
    of_frequencies(lambda r: PLAIN.base ** (-torch.arange(r // 2, dtype=torch.float64) / r)),
)
REVERSED = Mutant(
    "reversed-frequencies",
    "the slowest frequency is that of the first pair",
    of_frequencies(lambda r: frequencies(r, PLAIN.base).flip(0)),
)
DEGREES = Mutant("degrees", "angles are taken for degrees", of_angles(lambda p, w: angles(p, w) * (torch.pi / 180)))
EXCHANGED = Mutant("exchanged-tables", "the sine is taken for the cosine", _of_tables(_exchanged))
LAST_BACK = Mutant("last-pair-back", "the last pair turns by -p*w", of_angles(_last_pair(-1.0)))
AHEAD = Mutant("one-ahead-in-half", "half of the pairs are one position ahead", of_angles(_one_ahead))
ONE_TOO_FAR = Mutant("one-too-far", "positions are one too far", of_angles(lambda p, w: angles(p + 1, w)))
INTERPOLATED = Mutant(
    "undeclared-interpolation", "positions are halved, which is not declared", of_angles(lambda p, w: angles(p, w / 2))
)
OTHER_LAYOUT = Mutant("other-layout", "pairs are (i, i + d/2), not neighbours", _other_layout)
SQUARED = Mutant("magnitude-squared", "the magnitude is applied twice", _scaled_by(SCALED.magnitude**2), SCALED)
UNSCALED = Mutant("magnitude-ignored", "the magnitude is left out", _scaled_by(1.0), SCALED)
