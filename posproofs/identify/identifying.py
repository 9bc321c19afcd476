"""The convention of a rotation from the black box alone: a few calls, then arithmetic on what they gave.

One call asks the neighbourhoods of all powers of two at once: powers of two give the frequencies, their neighbours show
what is rounded. Smaller calls ask whether it answers alone as in company, twice as once, and between whole positions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from posproofs.errors import BadInput
from posproofs.identify.bases import Reading, readings, shortest
from posproofs.identify.blocks import Blocks, blocks, length_error, turned
from posproofs.identify.found import Identified, Turning
from posproofs.identify.layouts import layouts, left_out
from posproofs.identify.phases import Phases, phases
from posproofs.identify.probing import (
    HEADS,
    SHAPES,
    UNITS,
    NotRotary,
    Probe,
    Rotate,
    check_map,
    entry_error,
    matrices,
    narrowest,
)
from posproofs.identify.rounding import Precision, angle_dtypes, frequency_dtypes, snapped
from posproofs.laws.calling import pattern
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

FARTHEST = 2**17
GRID = 1024  # on each of two axes
NEAR = (0, 1, 2, 3, 4)
_ALONE = 3
_FRACTIONS = (*(2.0**-k for k in range(10, -1, -1)), 1.5, 2.5)


@dataclass(frozen=True, slots=True)
class _Seen:
    """Outputs (vector, head, row, coordinate) at positions in ascending order, finite and linear up to `until`."""

    positions: tuple[int, ...]
    outputs: Tensor


@dataclass(frozen=True, slots=True)
class _Read:
    """What the outputs at one list of positions say."""

    table: str
    blocks: Blocks
    phases: Phases
    angle: tuple[str, ...]
    positions: str


def identify(rotate: Rotate, *, dim: int, dtype: torch.dtype | None = None, farthest: int = FARTHEST) -> Identified:
    """What rotate(x, positions) does to x of shape (batch, heads, rows, dim), found by calling it.

    positions have the shape (rows,), or (batch, rows) where it refuses that. dtype is that of x, float32 without any;
    farthest is the largest position asked. Nothing is assumed of pairs, order, direction, frequencies or scale.
    Raises BadInput for a dim below 2, a dtype that is not floating, or a farthest position below 4.
    """
    kind = torch.float32 if dtype is None else dtype
    if dim < 2 or not kind.is_floating_point or farthest < max(NEAR):
        raise BadInput(f"dim is at least 2, dtype floating, farthest at least 4; saw {dim}, {kind}, {farthest}")
    probe = Probe(rotate, dim, kind)
    blank = Identified("unidentified", dim, str(kind).removeprefix("torch."))
    try:
        found = _identified(probe, blank, farthest)
    except NotRotary as failed:
        found = replace(blank, reason=failed.reason, position=failed.position)
        found = replace(found, axes=_two_axes(rotate, dim, dtype=kind, farthest=farthest))
    calls = probe.calls + sum(one.calls for one in found.axes)
    return replace(found, shape=probe.shape, calls=calls, notes=tuple(probe.notes))


def _two_axes(rotate: Rotate, dim: int, *, dtype: torch.dtype, farthest: int) -> tuple[Identified, ...]:
    """What turns along each of two position axes, the other position being 0; nothing where one is no rotation.

    A grid has two positions a row: (rows, 2), or (2, rows).
    """
    for place in (1, 0):
        along = tuple(_along(rotate, axis, place) for axis in (0, 1))
        try:
            taken = [Probe(one, dim, dtype).outputs(NEAR) for one in along]
        except NotRotary:
            continue
        if torch.equal(*taken):  # one position is read, whichever is given
            continue
        found = tuple(identify(one, dim=dim, dtype=dtype, farthest=min(farthest, GRID)) for one in along)
        pairs = [set(one.turning.pairs) if one.turning is not None else set() for one in found]
        if all(pairs) and not pairs[0] & pairs[1]:
            return found
    return ()


def _along(rotate: Rotate, axis: int, place: int) -> Rotate:
    """The function of the positions on one axis; the two positions of a row stand last (1) or first (0)."""

    def at(x: Tensor, positions: Tensor) -> Tensor:
        if positions.ndim > 1:
            raise TypeError("a grid has positions of its own")
        other = torch.zeros_like(positions)
        both = (positions, other) if axis == 0 else (other, positions)
        return rotate(x, torch.stack(both, dim=place))

    return at


def _identified(probe: Probe, blank: Identified, farthest: int) -> Identified:
    near = _near(probe)
    seen, limit = _far(probe, near, farthest)
    read, until, departs = _longest(seen, probe.dim)
    fractions = _fractions(probe, read, seen)
    if _differs(probe.outputs(NEAR), near) is not None:
        probe.notes.append("after other calls the first one has another answer")
    turning = _turning(read, fractions, probe.dim)
    return replace(
        blank,
        kind="rotary",
        turning=turning,
        until=until,
        departs=departs,
        asked=seen.positions[-1],
        limit=limit,
    )


def _near(probe: Probe) -> _Seen:
    """The first positions, in the first shape of positions that is taken; also asked a second time, and one alone."""
    refused: list[NotRotary] = []
    for shape in SHAPES:
        probe.shape = shape
        try:
            outputs = probe.outputs(NEAR)
        except NotRotary as failed:
            refused.append(failed)
            continue
        near = _Seen(NEAR, outputs)
        if (at := _differs(probe.outputs(NEAR), near)) is not None:
            raise NotRotary("two equal calls, one after the other, give different outputs", at)
        _check_alone(probe, near)
        check_map(outputs, NEAR, probe.dim)
        return near
    probe.shape = SHAPES[0]
    raise refused[0]


def _differs(again: Tensor, near: _Seen) -> int | None:
    """The first position at which a bit differs from the first answer."""
    same = torch.isclose(again, near.outputs, rtol=0.0, atol=0.0, equal_nan=True)
    differs = ~same.all(dim=-1).flatten(0, 1).all(dim=0)
    return near.positions[int(differs.int().argmax())] if bool(differs.any()) else None


def _check_alone(probe: Probe, near: _Seen) -> None:
    """A row comes out alone as it does among others. A single row may take another path of the same arithmetic."""
    at = near.positions.index(_ALONE)
    together, alone = near.outputs[:, :, at], probe.outputs((_ALONE,))[:, :, 0]
    # Both are within (3 + 3) units of |x_a| + |x_b|, and that is at most 2 times the larger output of the pair.
    size = together.abs().amax(dim=-1, keepdim=True)
    table = narrowest(near.outputs[: probe.dim])
    if bool(((alone - together).abs() > 8 * entry_error(table) * size).any()):
        raise NotRotary("a row alone is turned otherwise than among other rows", _ALONE)


def asked(farthest: int) -> tuple[int, ...]:
    """0, and each power of two with its neighbours, to the farthest."""
    powers = [2**k for k in range(farthest.bit_length())]
    return tuple(sorted({p for power in powers for p in (power - 1, power, power + 1) if p <= farthest}))


def _far(probe: Probe, near: _Seen, farthest: int) -> tuple[_Seen, int | None]:
    """As many of the positions as are taken in one call, and the first that is refused; a refusal halves the search."""
    wanted = asked(farthest)  # it begins with the first positions
    best, taken, refused, count = near, len(NEAR), len(wanted) + 1, len(wanted)
    while refused - taken > 1:
        try:
            best = _Seen(wanted[:count], probe.outputs(wanted[:count]))
        except NotRotary:
            refused = count
        else:
            taken = count
            if count == len(wanted):
                break
        count = (taken + refused) // 2
    if taken == len(wanted):
        return best, None
    if not _takes(probe, wanted[refused - 1]):
        return best, _limit(probe, wanted[taken - 1], wanted[refused - 1])
    probe.notes.append(f"it refuses {refused} rows in one call")
    parts = [probe.outputs(wanted[start : start + taken]) for start in range(0, len(wanted), taken)]
    return _Seen(wanted, torch.cat(parts, dim=2)), None


def _takes(probe: Probe, position: int) -> bool:
    """Whether a single row at this position is taken."""
    try:
        probe.called(pattern(2, HEADS, 1, probe.dim, dtype=probe.dtype), (position,))
    except NotRotary:
        return False
    return True


def _limit(probe: Probe, taken: int, refused: int) -> int:
    """The first position that is refused alone; tables end anywhere."""
    while refused - taken > 1:
        middle = (taken + refused) // 2
        taken, refused = (middle, refused) if _takes(probe, middle) else (taken, middle)
    return refused


def _longest(seen: _Seen, dim: int) -> tuple[_Read, int | None, str]:
    """What the longest run of positions says that is one rotation; NotRotary where the first few are none."""
    until, departs = None, ""
    positions, outputs = seen.positions, seen.outputs
    while True:
        try:
            return _read(outputs, positions, dim), until, departs
        except NotRotary as failed:
            if failed.position is None or failed.position <= max(NEAR):
                raise
            until, departs = int(failed.position), failed.reason
            positions = tuple(p for p in positions if p < failed.position)
            outputs = outputs[:, :, : len(positions)]


def _read(outputs: Tensor, positions: tuple[int, ...], dim: int) -> _Read:
    table = check_map(outputs, positions, dim)
    found = blocks(matrices(outputs, dim), positions, table)
    error = length_error(table)
    own = phases(found.angles, positions, found.pairs, error)
    angle, held = angle_dtypes(found.angles, positions, own, error=error, pairs=found.pairs)
    return _Read(table, found, own, angle, held)


def _fractions(probe: Probe, read: _Read, seen: _Seen) -> Phases | None:
    """Frequencies from angles between the whole positions, None where those are not taken or not turned in between."""
    own, whole = read.blocks, seen.positions[: len(read.blocks.angles)]
    try:
        outputs = probe.outputs(_FRACTIONS)
        table = check_map(outputs, _FRACTIONS, probe.dim)
        between, _ = turned(matrices(outputs, probe.dim), _FRACTIONS, own.pairs, own.written, table=table)
        kept = [t for t, p in enumerate(whole) if p != 1]
        positions = (*_FRACTIONS, *(float(whole[t]) for t in kept))
        return phases(torch.cat((between, own.angles[kept])), positions, own.pairs, length_error(table))
    except NotRotary:
        return None


def _turning(read: _Read, fractions: Phases | None, dim: int) -> Turning:
    found = read.blocks
    own = read.phases if fractions is None else fractions
    held = frequency_dtypes(own)
    own = snapped(own, held)
    against = sum(1 for w in own.frequencies if w < 0) * 2 > len(found.pairs)
    sign: Literal[1, -1] = -1 if against else 1
    frequencies = tuple(sign * w for w in own.frequencies)
    magnitudes, magnitude = _magnitudes(found, read.table, own.first)
    return Turning(
        pairs=found.pairs,
        written=found.written,
        reads=layouts(found.pairs, dim),
        writes=layouts(found.written, dim),
        sign=sign,
        frequencies=frequencies,
        within=own.within,
        first=own.first,
        magnitudes=magnitudes,
        magnitude=magnitude,
        passing=found.passing,
        left=left_out(found.pairs, dim),
        rest=found.rest,
        readings=_readings(frequencies, own.within, held[0], dim=dim, fractional=fractions is not None),
        precision=Precision(read.table, read.angle, held, read.positions),
        fractional=fractions is not None,
    )


def _readings(
    frequencies: tuple[float, ...], within: float, held: str, *, dim: int, fractional: bool
) -> tuple[Reading, ...]:
    widths = tuple(dict.fromkeys((2 * len(frequencies), dim)))
    return readings(frequencies, within, held, widths=widths, modulo=math.inf if fractional else 2 * math.pi)


def _magnitudes(found: Blocks, table: str, first: int) -> tuple[tuple[float, ...], float | None]:
    """The shortest decimals within the error of the lengths, pair by pair and for all pairs together.

    Where position 0 does not turn, its cosine is 1 exactly, and the length there is the scale rounded once.
    """
    relative = length_error(table) if first else UNITS[table] * (1 + 2.0**-6) + 4 * UNITS["float64"]
    lengths = found.lengths[0].tolist()
    each = tuple(shortest(m * (1 - relative), m * (1 + relative)) for m in lengths)
    low, high = max(lengths) * (1 - relative), min(lengths) * (1 + relative)
    return each, shortest(low, high) if low <= high else None
