"""The pairs of a rotation from its matrices: which two coordinates turn into which two, and by what angle and scale.

Every column of a block rotation has at most two entries. Two input coordinates a, b that reach the same two outputs c
and d are a pair, and the block is m [[cos, -sin], [sin, cos]] at every position, with c and d in the order in which its
determinant is positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from posproofs.identify.probing import NotRotary, Positions, entry_error
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

Pair = tuple[int, int]
Rest = Literal["copied", "scaled"]


_NEAR = 3.0  # of the logarithm of a scale: far from where it vanishes or overflows
_ENOUGH = 3  # positions at which a scale is seen to follow a law
_SAME = 1e-6  # between factors of pairs that are told as one
_SHOWN = 3
_SCALES: tuple[tuple[float | None, Rest], ...] = ((1.0, "copied"), (None, "scaled"))


@dataclass(frozen=True, slots=True)
class Blocks:
    """The turning pairs by their smaller input coordinate, where each is written, and the coordinates that pass.

    angles, lengths: float64 (row, pair). passing: (input, output) of the coordinates that do not turn; rest: whether
    they are copied, or scaled as the others are.
    """

    pairs: tuple[Pair, ...]
    written: tuple[Pair, ...]
    angles: Tensor
    lengths: Tensor
    passing: tuple[Pair, ...]
    rest: Rest


def blocks(entries: Tensor, positions: Positions, table: str) -> Blocks:
    """Split (row, output, input) into blocks; NotRotary where a coordinate is in no block or a block is no rotation."""
    size = float(entries.abs().max())
    # Products with 0 are 0, so what is not 0 is an entry, however small: slow pairs have small sines. Code that mixes
    # coordinates by a matrix product leaves rounding errors there.
    reached = entries != 0  # (row, output, input)
    if int(reached.any(dim=0).sum(dim=0).max()) > 2:
        reached = entries.abs() > entry_error(table) * size
    grouped: dict[tuple[int, ...], list[int]] = {}
    for j in range(entries.shape[2]):
        outputs = tuple(reached[:, :, j].any(dim=0).nonzero().flatten().tolist())
        _check_reach(reached[:, :, j], outputs, positions, j=j)
        grouped.setdefault(outputs, []).append(j)
    turning = {outs: columns for outs, columns in grouped.items() if len(outs) == 2}
    passing = tuple((j, outs[0]) for outs, columns in grouped.items() if len(outs) == 1 for j in columns)
    rest = _rest(entries, passing, positions, table=table)
    if not turning:
        raise NotRotary(f"no coordinate turns at any position up to {max(positions)}", positions[0])
    chosen = sorted((_pair(entries, outs, columns, positions, reached), outs) for outs, columns in turning.items())
    pairs = tuple(pair for pair, _ in chosen)
    written = tuple(_written(entries, pair, outs) for pair, outs in chosen)
    angles, lengths = turned(entries, positions, pairs, written, table=table)
    return Blocks(pairs, written, angles, lengths, passing, rest)


def turned(
    entries: Tensor, positions: Positions, pairs: tuple[Pair, ...], written: tuple[Pair, ...], *, table: str
) -> tuple[Tensor, Tensor]:
    """Angles and lengths (row, pair) of these blocks; NotRotary where one is no rotation or its length changes."""
    a, b = (torch.tensor(side) for side in zip(*pairs, strict=True))
    c, d = (torch.tensor(side) for side in zip(*written, strict=True))
    block = (entries[:, c, a], entries[:, c, b], entries[:, d, a], entries[:, d, b])  # each (row, pair)
    _check_blocks(block, pairs, positions, table=table)
    cosine, sine = block[0] + block[3], block[2] - block[1]
    lengths = torch.hypot(cosine, sine) / 2
    _check_lengths(lengths, pairs, positions, table=table)
    return torch.atan2(sine, cosine), lengths


def _check_reach(reached: Tensor, outputs: tuple[int, ...], positions: Positions, *, j: int) -> None:
    """One coordinate reaches one or two outputs: the same ones at all positions."""
    if not outputs:
        raise NotRotary(f"coordinate {j} reaches no output", positions[0])
    if len(outputs) > 2:
        seen = torch.zeros(reached.shape[1], dtype=torch.bool)
        for p, row in sorted(zip(positions, reached, strict=True), key=lambda both: both[0]):
            seen |= row
            if int(seen.sum()) > 2:
                raise NotRotary(f"coordinate {j} reaches {int(seen.sum())} outputs, a pair has 2", p)


def _rest(entries: Tensor, passing: tuple[Pair, ...], positions: Positions, *, table: str) -> Rest:
    """Coordinates that do not turn are all copied, or all scaled as the others are, at every position."""
    size = float(entries.abs().max())
    allowed = 2 * entry_error(table) * size
    columns = [(j, entries[:, o, j]) for j, o in passing]
    for scale, name in _SCALES:
        wanted = size if scale is None else scale
        if all(bool(((column - wanted).abs() <= allowed).all()) for _, column in columns):
            return name
    places = [(p, j, value) for j, column in columns for p, value in zip(positions, column.tolist(), strict=True)]
    p, j, value = min(place for place in places if abs(place[2] - 1) > allowed)
    raise NotRotary(f"coordinate {j} does not turn and is multiplied by {value:.6g}", p)


def _pair(entries: Tensor, outs: tuple[int, ...], columns: list[int], positions: Positions, reached: Tensor) -> Pair:
    """The two columns that reach these outputs."""
    if len(columns) == 2:
        return columns[0], columns[1]
    both = reached[:, list(outs)][:, :, columns].any(dim=2).all(dim=1).nonzero().flatten().tolist()
    at = min(positions[t] for t in both) if both else positions[0]
    raise NotRotary(f"outputs {outs[0]} and {outs[1]} are reached by {len(columns)} of {entries.shape[2]} inputs", at)


def _written(entries: Tensor, pair: Pair, outs: tuple[int, ...]) -> Pair:
    """The outputs in the order in which the determinant is positive at the first position."""
    c, d = outs
    first = entries[0][[c, d]][:, list(pair)]
    return (c, d) if float(first[0, 0] * first[1, 1] - first[0, 1] * first[1, 0]) >= 0 else (d, c)


def _check_blocks(block: tuple[Tensor, ...], pairs: tuple[Pair, ...], positions: Positions, *, table: str) -> None:
    """Equal diagonal, opposite off-diagonal: each computed twice, so twice the error of an entry is allowed."""
    upper, right, left, lower = block
    size = torch.stack(block).abs().amax(dim=0)
    error = torch.maximum((upper - lower).abs(), (right + left).abs())
    allowed = 2 * entry_error(table) * size * 2**0.5
    wrong = error > allowed
    t, i = _first_wrong(wrong, positions)
    if t is not None:
        shown = ", ".join(f"{float(part[t, i]):.4g}" for part in block)
        likely = _likely(*(float(part[t, i]) for part in block), allowed=float(allowed[t, i]))
        raise NotRotary(f"the block of coordinates {pairs[i]} is ({shown}), which is no rotation{likely}", positions[t])


def _likely(upper: float, right: float, left: float, lower: float, *, allowed: float) -> str:
    """The usual mistake that gives this block, where it is one of three."""
    if max(abs(upper - lower), abs(right - left)) <= allowed:
        return "; likely a minus sign is lost"
    if max(abs(left + right * upper), abs(lower - upper + right * right)) <= 2 * allowed:
        return "; likely one member is overwritten before the other reads it"
    if abs(upper**2 + right**2 - left**2 - lower**2) <= 4 * allowed:
        return "; likely the table is laid out for another pairing"
    return ""


def _check_lengths(lengths: Tensor, pairs: tuple[Pair, ...], positions: Positions, *, table: str) -> None:
    """The scale of a pair is the same at all positions."""
    wrong = (lengths - lengths[:1]).abs() > 2 * length_error(table) * lengths[:1]
    t, i = _first_wrong(wrong, positions)
    if t is not None:
        seen = f"{float(lengths[t, i]):.6g} where it is {float(lengths[0, i]):.6g} at position {positions[0]}"
        factors = _factors(lengths, positions, length_error(table))
        law = "" if factors is None else _decay(factors, pairs)
        raise NotRotary(f"the scale of the pair {pairs[i]} depends on the position: {seen}{law}", positions[t])


def _factors(lengths: Tensor, positions: Positions, error: float) -> list[float] | None:
    """z for each pair where its scale is that of the first position times z**(p - first); None where one is not so.

    z is read at the farthest position at which every scale is within a factor of e**3, so that its error, that of the
    length over that distance, is no larger at the positions before it.
    """
    steps = torch.tensor(positions, dtype=torch.float64) - positions[0]
    logs = (lengths / lengths[:1]).log()
    near = (logs.abs() < _NEAR).all(dim=1) & (steps > 0)
    if int(near.sum()) < _ENOUGH:
        return None
    steps, logs = steps[near], logs[near]
    far = int(steps.argmax())
    each = logs[far] / steps[far]
    fits = (logs - steps[:, None] * each).abs() <= 4 * error * (1 + 2 * error)
    return each.exp().tolist() if bool(fits.all()) else None


def _decay(factors: list[float], pairs: tuple[Pair, ...]) -> str:
    """What the scales do, in words."""
    same = max(factors) - min(factors) < _SAME
    shown = [f"{factors[0]:.6g}"] if same else [f"{z:.6g} for {pair}" for z, pair in zip(factors, pairs, strict=True)]
    more = ", ..." if len(shown) > _SHOWN else ""
    told = "; with each position the scale changes by a factor of " + ", ".join(shown[:_SHOWN]) + more
    return f"{told}: as in xPos, whose keys change by the inverse"


def length_error(table: str) -> float:
    """|m' - m| / m and, in radians, |angle' - angle|: both entries off by at most e give sqrt(2) e, to second order."""
    e = entry_error(table)
    return 2**0.5 * e * (1 + 2 * e) + 4 * 2.0**-53


def _first_wrong(wrong: Tensor, positions: Positions) -> tuple[int | None, int]:
    """(row, pair) of the smallest position that is wrong."""
    places = wrong.nonzero().tolist()
    if not places:
        return None, 0
    t, i = min(places, key=lambda place: (positions[place[0]], place[1]))
    return t, i
