"""Calling a subject: arbitrary positions whatever its interface takes, and its rotation as a matrix.

A rotation is linear in x, so R(p) is read off column by column from basis vectors, which stand on the batch axis and
never on the head or row axis: an implementation that confuses axes must not look right by accident.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, wraps
from typing import TYPE_CHECKING

from posproofs.laws.subject import Instance, Pairs, Subject, Width
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout, slots

if TYPE_CHECKING:
    from torch import Tensor

    from posproofs.laws.law import Case, Measure

    Asked = Callable[[Subject, Case], Measure]


def pattern(*shape: int, dtype: torch.dtype, shift: int = 0) -> Tensor:
    """A dense tensor without symmetry, multiples of 1/8 in [-2, 2]: exact in every dtype, the same in every run."""
    count = torch.arange(torch.Size(shape).numel(), dtype=torch.int64)
    return (((count * 37 + 11 * shift) % 33 - 16).double() / 8).reshape(shape).to(dtype)


def rotated(subject: Subject, instance: Instance, x: Tensor, positions: Tensor) -> Tensor:
    """The output for x (batch, head, row, coordinate) at integer positions (row,), in the dtype of x.

    An output in another dtype is cast: `rotary.output` names that, and the other laws are about the numbers. Raises
    ValueError for one of another shape.
    """
    y = called(subject, instance, x, positions)
    if y.shape != x.shape or not torch.can_cast(y.dtype, x.dtype):
        raise ValueError(f"x is {tuple(x.shape)} {x.dtype}, the output is {tuple(y.shape)} {y.dtype}")
    return y.to(x.dtype)


def called(subject: Subject, instance: Instance, x: Tensor, positions: Tensor) -> Tensor:
    """The same, as it comes out.

    An interface that takes a first position is called once where the positions are consecutive, and else row by row.
    """
    if subject.takes == "positions":
        return instance.rotate(x, positions)
    wanted = positions.tolist()
    if wanted == list(range(wanted[0], wanted[0] + len(wanted))):
        return instance.rotate(x, wanted[0])
    return torch.cat([instance.rotate(x[..., t : t + 1, :], p) for t, p in enumerate(wanted)], dim=-2)


def of_both(measure: Asked) -> Asked:
    """A measurement of the map of queries as one of both maps, where a call turns keys by one of their own."""

    @wraps(measure)
    def both(subject: Subject, case: Case) -> Measure:
        queries = measure(subject, case)
        if queries.broken or not has_keys(subject):
            return queries
        keys = measure(keys_of(subject), case)
        return replace(keys, saw=f"of keys: {keys.saw}") if keys.broken else queries

    return both


def keys_of(subject: Subject) -> Subject:
    """The subject with its map of keys as the map."""
    return replace(subject, make=lambda width: subject.make(width).of_keys())


@cache
def has_keys(subject: Subject) -> bool:
    """Whether keys are turned by a map of their own; not where it cannot be built, which its laws say."""
    try:
        return subject.make(min(subject.widths)).keys is not None
    except Exception:  # noqa: BLE001 - code of others may raise anything
        return False


def basis(width: Width, rows: int, dtype: torch.dtype) -> Tensor:
    """x of shape (coordinate, 1, row, coordinate) with x[j, 0, t] = e_j."""
    eye = torch.eye(width.head, dtype=dtype)
    return eye[:, None, None, :].expand(-1, 1, rows, -1).clone()


def matrices(subject: Subject, width: Width, positions: Sequence[int], dtype: torch.dtype) -> Tensor:
    """R(p) for each position as float64, shape (position, output coordinate, input coordinate), from a new instance."""
    return matrices_of(subject, subject.make(width), width, positions, dtype=dtype)


def matrices_of(
    subject: Subject, instance: Instance, width: Width, positions: Sequence[int], *, dtype: torch.dtype
) -> Tensor:
    """The same from this instance."""
    x = basis(width, len(positions), dtype)
    y = rotated(subject, instance, x, torch.tensor(positions, dtype=torch.int64))
    return y.detach().double()[:, 0].permute(1, 2, 0)


def pair_slots(layout: Layout | Pairs, width: Width) -> tuple[list[int], list[int]]:
    """The coordinates of the first and of the second member of each pair."""
    if isinstance(layout, str):
        return slots(layout, width.rotary)
    return [a for a, _ in layout], [b for _, b in layout]


def small(subject: Subject) -> tuple[Width, ...]:
    """The two smallest widths in which two pairs turn; a single pair cannot show a table that is laid out wrongly."""
    wide = tuple(w for w in sorted(subject.widths) if w.rotary >= 4)
    return (wide or tuple(sorted(subject.widths)))[:2]


def smallest(subject: Subject) -> tuple[Width, ...]:
    """The smallest width, and the smallest in which two pairs turn."""
    return tuple(dict.fromkeys((min(subject.widths), small(subject)[0])))


def at_worst(excess: Tensor) -> tuple[int, ...]:
    """The indices of the greatest entry, the first of several."""
    flat = int(excess.argmax())
    return tuple(int(k) for k in torch.unravel_index(torch.tensor(flat), excess.shape))
