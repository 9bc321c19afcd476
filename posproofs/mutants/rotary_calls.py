"""Rotary rotations that depend on more than the row and its position: on earlier calls, or on the rest of the call.

What each of them gets right is one call alone, often of one row alone, which is what a test with one input sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakSet

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate, angles, frequencies, rotation, turn
from posproofs.mutants.rotary import PLAIN, Mutant, around

if TYPE_CHECKING:
    from torch import Tensor

LONGEST = 64  # the length that a model was trained with, where scaling sets in


@dataclass(eq=False, slots=True, weakref_slot=True)
class _Seen:
    """How long the last call of one instance was."""

    rows: int = LONGEST


# What an attribute of a class is to its instances. Weak, so that the past of one test is gone in the next.
_ALIVE: WeakSet[_Seen] = WeakSet()


def _stretched(rotary: int, rows: int) -> Tensor:
    """The frequencies of dynamic NTK scaling for a call of that many rows."""
    return frequencies(rotary, PLAIN.base * (max(rows, LONGEST) / LONGEST) ** (rotary / max(rotary - 2, 1)))


def _shared_base(_head: int, rotary: int) -> Rotate:
    """Dynamic NTK scaling; the length is looked up among the other instances."""
    own = _Seen()
    _ALIVE.add(own)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        own.rows = max(LONGEST, positions.shape[0])
        longest = max((other.rows for other in _ALIVE if other is not own), default=LONGEST)
        return turn(x, angles(positions, _stretched(rotary, longest)), PLAIN)

    return rotate


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


def _odd_heads_left(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    heads = torch.arange(x.shape[-3]) % 2 == 0
    return torch.where(heads[:, None, None], right(x, positions), x)


def _first_row_left(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((x[..., :1, :], right(x, positions)[..., 1:, :]), dim=-2)


def _one_position(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return right(x, positions[:1].expand(positions.shape[0]))


HALF_IN_PLACE = Mutant("in-place-half", "every second coordinate of the input is overwritten", around(_half_in_place))
COUNTS_ON = Mutant("counted-on", "the rows of earlier calls are added to the positions", _counts_on)
SHARED = Mutant("shared-between-instances", "the base grows with the calls of other instances", _shared_base)
SHORT_TABLE = Mutant("table-of-longest-call", "the table ends with the rows of the longest call", _short_table)
CAST = Mutant("cast-frequencies", "the frequencies stay in the dtype of the narrowest call", _cast_frequencies)
FIRST_START = Mutant("first-start", "every call begins where the first one began", _first_start)
BASE_OF_CALL = Mutant(
    "base-of-the-call", "the base grows with the furthest position of the call beyond 64", _base_of_the_call
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
