"""Rotary rotations that depend on more than the row and its position: on earlier calls, or on the rest of the call.

What each of them gets right is one call alone, often of one row alone, which is what a test with one input sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate, angles, frequencies, rotation, turn
from posproofs.mutants.rotary import PLAIN, Make, Mutant, around, sharing

if TYPE_CHECKING:
    from torch import Tensor

LONGEST = 64  # the length that a model was trained with, where scaling sets in


def _stretched(rotary: int, rows: int) -> Tensor:
    """The frequencies of dynamic NTK scaling for a call of that many rows."""
    return frequencies(rotary, PLAIN.base * (max(rows, LONGEST) / LONGEST) ** (rotary / max(rotary - 2, 1)))


def _shared_base() -> Make:
    """Dynamic NTK scaling; the length is looked up among the other instances of the class."""
    rows: list[int] = []

    def make(_head: int, rotary: int) -> Rotate:
        own = len(rows)
        rows.append(LONGEST)

        def rotate(x: Tensor, positions: Tensor) -> Tensor:
            rows[own] = max(LONGEST, positions.shape[0])
            longest = max((*rows[:own], *rows[own + 1 :]), default=LONGEST)
            return turn(x, angles(positions, _stretched(rotary, longest)), PLAIN)

        return rotate

    return make


def _of_the_last() -> Make:
    """The width is a class attribute, set where an instance is made and read where it is called."""
    last = [0]

    def make(_head: int, rotary: int) -> Rotate:
        last[0] = rotary

        def rotate(x: Tensor, positions: Tensor) -> Tensor:
            exponents = torch.arange(0, rotary, 2, dtype=torch.float64) / last[0]
            return turn(x, angles(positions, PLAIN.base**-exponents), PLAIN)

        return rotate

    return make


def _of_the_first() -> Make:
    """The frequencies are a class attribute that the first instance fills; later ones take as many as they need."""
    kept: list[Tensor] = []

    def make(_head: int, rotary: int) -> Rotate:
        if not kept:
            kept.append(frequencies(rotary, PLAIN.base))
        return lambda x, positions: turn(x, angles(positions, kept[0][: rotary // 2]), PLAIN)

    return make


def _counts_on(head: int, rotary: int) -> Rotate:
    """The offset of a decoding cache is kept by the function, though the caller gives positions."""
    right = rotation(head, rotary, PLAIN)
    past = [0]

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        y = right(x, positions + past[0])
        past[0] += positions.shape[0]
        return y

    return rotate


def _half_in_place(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    y = right(x, positions)
    with torch.no_grad():
        x[..., ::2].copy_(y[..., ::2])
    return y


def _short_table(_head: int, rotary: int) -> Rotate:
    """The table has as many rows as the longest call so far, and positions end there."""
    turned = frequencies(rotary, PLAIN.base)
    rows = [0]

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        rows[0] = max(rows[0], positions.shape[0])
        return turn(x, angles(positions.clamp(max=rows[0] - 1), turned), PLAIN)

    return rotate


def _cast_frequencies(_head: int, rotary: int) -> Rotate:
    """The frequencies follow the dtype of the input, and stay there."""
    kept = [frequencies(rotary, PLAIN.base)]

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        kept[0] = kept[0].to(x.dtype)
        return turn(x, angles(positions, kept[0].double()), PLAIN)

    return rotate


def _first_start(head: int, rotary: int) -> Rotate:
    """The position at which the first call began is taken for the start of every call."""
    right = rotation(head, rotary, PLAIN)
    start: list[Tensor] = []

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        if not start:
            start.append(positions[:1].clone())
        return right(x, positions - positions[:1] + start[0])

    return rotate


def _base_of_the_call(_head: int, rotary: int) -> Rotate:
    """Dynamic NTK scaling by the furthest position of the call, though keys of earlier calls are kept turned."""

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        length = (positions.max() + 1).clamp(min=LONGEST).double()
        base = PLAIN.base * (length / LONGEST) ** (rotary / max(rotary - 2, 1))
        turned = base ** (-torch.arange(0, rotary, 2, dtype=torch.float64) / rotary)
        return turn(x, angles(positions, turned), PLAIN)

    return rotate


def _base_of_heads(_head: int, rotary: int) -> Rotate:
    """Dynamic NTK scaling that reads the length from the axis of the heads."""
    return lambda x, positions: turn(x, angles(positions, _stretched(rotary, LONGEST * x.shape[-3])), PLAIN)


def _long_by_start(_head: int, rotary: int) -> Rotate:
    """Long factors where the call begins beyond the trained length; keys of earlier calls were turned by short ones."""
    turned = frequencies(rotary, PLAIN.base)
    long = turned / torch.cat((torch.ones(1), torch.full((rotary // 2 - 1,), 4.0)))

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        return turn(x, angles(positions, torch.where(positions[:1] < LONGEST, turned, long)), PLAIN)

    return rotate


def _along_batch(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    batch = torch.arange(x.shape[0], device=positions.device)
    return right(x.transpose(0, -2), batch).transpose(0, -2)


def _odd_heads_left(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    heads = torch.arange(x.shape[-3]) % 2 == 0
    return torch.where(heads[:, None, None], right(x, positions), x)


def _first_row_left(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((x[..., :1, :], right(x, positions)[..., 1:, :]), dim=-2)


def _one_position(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return right(x, positions[:1].expand(positions.shape[0]))


HALF_IN_PLACE = Mutant("in-place-half", "every second coordinate of the input is overwritten", around(_half_in_place))
COUNTS_ON = Mutant("counted-on", "the rows of earlier calls are added to the positions", _counts_on)
SHARED = sharing("shared-between-instances", "the base grows with the calls of other instances", _shared_base)
LAST_WIDTH = sharing("width-of-the-last", "the exponent is over the width of the instance made last", _of_the_last)
FIRST_WIDTH = sharing("width-of-the-first", "the frequencies are those of the instance made first", _of_the_first)
SHORT_TABLE = Mutant("table-of-longest-call", "the table ends with the rows of the longest call", _short_table)
CAST = Mutant("cast-frequencies", "the frequencies stay in the dtype of the narrowest call", _cast_frequencies)
FIRST_START = Mutant("first-start", "every call begins where the first one began", _first_start)
BASE_OF_CALL = Mutant(
    "base-of-the-call", "the base grows with the furthest position of the call beyond 64", _base_of_the_call
)
HEADS_FOR_ROWS = Mutant("base-of-heads", "the base grows with the number of heads", _base_of_heads)
BATCH_AXIS = Mutant("batch-axis", "the index in the batch is taken for the position", around(_along_batch))
LONG_BY_START = Mutant(
    "long-factors-by-start", "all rows turn by long factors where the call begins beyond 64", _long_by_start
)
ODD_HEADS = Mutant("odd-heads-left", "heads of odd number are not turned", around(_odd_heads_left))
FIRST_ROW = Mutant("first-row-left", "the first row of a call is not turned", around(_first_row_left))
ONE_POSITION = Mutant("one-position-for-all", "all rows have the position of the first", around(_one_position))
REVERSED_ROWS = Mutant(
    "reversed-rows", "positions are given to the rows from the last", around(lambda right, x, p: right(x, p.flip(0)))
)
FROM_ZERO = Mutant(
    "positions-from-0",
    "rows are counted from 0 whatever the positions are",
    around(lambda right, x, p: right(x, torch.arange(p.shape[0]))),
)
TWICE = Mutant(
    "offset-added-twice", "the first position is added once more", around(lambda right, x, p: right(x, p + p[:1]))
)
