"""Pictures of rotary embedding. Every number comes from the emitted, proved `rotary.rotate`, or from a theorem.

`planes`, `scores` and `places` are the data, tested by themselves; the other functions draw them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

import numpy as np

from derivations.derivation import theorem
from derivations.kernel.terms import Block, walk
from posproofs.emit import emit
from posproofs.export.pictures.svg import Picture, arrow, box, circle, curve, line, picture, words

Point = tuple[float, float]


def planes(dim: int, base: float, positions: int) -> list[list[Point]]:
    """For each plane, where (1, 0) stands at positions 0, 1, ...: the first coordinates of every pair, interleaved."""
    start = np.tile([1.0, 0.0], dim // 2)
    turned = emit("rotary.rotate", to="numpy")(np.tile(start, (positions, 1)), np.arange(positions), base=base)
    return [[(float(row[2 * i]), float(row[2 * i + 1])) for row in turned] for i in range(dim // 2)]


def scores(dim: int, base: float, offsets: Sequence[int]) -> list[float]:
    """<R_0 q, R_n q> / <q, q> for q = (1, ..., 1): how alike a vector finds itself n positions away."""
    ones = np.ones((len(offsets), dim))
    turned = emit("rotary.rotate", to="numpy")(ones, np.asarray(offsets), base=base)
    return [float(value) for value in turned.sum(axis=-1) / dim]


def places(layout: str, pairs: int) -> list[tuple[int, ...]]:
    """The coordinates of each pair, read from the layout in the statement of the theorem."""
    statement = theorem(f"rotary.rotate.{layout.replace('-', '_')}").statement
    blocks = [node for node in walk(statement.left) if isinstance(node, Block)]
    return [blocks[0].rows.coordinates(index, pairs) for index in range(pairs)]


def rotation_planes(*, dim: int = 6, base: float = 1000.0, positions: int = 8) -> Picture:
    """One arrow for each position in each plane: the first plane turns fast, the last one hardly."""
    found = planes(dim, base, positions)
    elements: list[str] = []
    for i, points in enumerate(found):
        elements += _plane((110.0 + 200 * i, 110.0), points, f"plane {i}", "abc"[i % 3])
    turns = [_turned(points) for points in found]
    listed = ", ".join(f"{turn:.2f} in plane {i}" for i, turn in enumerate(turns))
    said = f"the vector (1, 0) of each plane at positions 0 to {positions - 1}; angle from 0 to 1 in radians: {listed}"
    return picture(f"Rotation planes, width {dim}, base {base:g}", said, (20 + 200 * len(found), 230), elements)


def _plane(centre: Point, points: Sequence[Point], name: str, style: str) -> list[str]:
    elements = [circle(centre, 80, "faint"), words((centre[0], centre[1] + 105), name)]
    labelled: Point | None = None
    for p, (x, y) in enumerate(points):
        elements += arrow(centre, (centre[0] + 80 * x, centre[1] - 80 * y), style)
        at = (centre[0] + 94 * x, centre[1] - 94 * y + 4)
        # A label that would lie on the one before is left out; the first and those with room tell the direction.
        if labelled is None or hypot(at[0] - labelled[0], at[1] - labelled[1]) > 11:
            elements.append(words(at, str(p)))
            labelled = at
    return elements


def _turned(points: Sequence[Point]) -> float:
    """The angle of the second point."""
    x, y = points[1]
    return float(np.arctan2(y, x))


def score_against_offset(*, dim: int = 128, base: float = 10000.0, last: int = 2000, step: int = 10) -> Picture:
    """The score of a vector with itself, by offset: it falls, though not steadily, and goes below zero."""
    offsets = list(range(0, last + 1, step))
    values = scores(dim, base, offsets)
    left, top, width, height = 50.0, 20.0, 500.0, 200.0

    def at(offset: float, value: float) -> Point:
        return left + width * offset / last, top + height * (1 - value) / 1.2

    elements = [line(at(0, tick), at(last, tick), "faint") for tick in (0.0, 0.5, 1.0)]
    elements += [words((left - 8, at(0, tick)[1] + 4), f"{tick:g}", "end") for tick in (0.0, 0.5, 1.0)]
    elements += [words((at(tick, 0)[0], top + height + 18), str(tick)) for tick in range(0, last + 1, last // 4)]
    elements += [
        curve([at(offset, value) for offset, value in zip(offsets, values, strict=True)], "a"),
        words((left + width / 2, top + height + 38), "offset n - m"),
    ]
    rises = sum(after > before for before, after in pairwise(values))
    said = (
        f"normalised score of q with itself, from {values[0]:.2f} at offset 0 to {values[-1]:.2f} at {last}; "
        f"it rises on {rises} of {len(values) - 1} steps of {step}, so it decays as an envelope only"
    )
    return picture(f"Score against offset, width {dim}, base {base:g}", said, (580, 270), elements)


def pairing(*, pairs: int = 4) -> Picture:
    """The two layouts as wirings: which coordinates turn together."""
    elements: list[str] = []
    for k, layout in enumerate(("interleaved", "half-split")):
        y = 60.0 + 120 * k
        elements.append(words((14, y - 34), layout, "start"))
        for c in range(2 * pairs):
            elements += [box((14 + 60 * c, y), (36, 24)), words((32 + 60 * c, y + 16), str(c))]
        for i, (first, second) in enumerate(places(layout, pairs)):
            x1, x2, low = 32.0 + 60 * first, 32.0 + 60 * second, y + 34 + 8 * i
            elements.append(curve([(x1, y + 24), (x1, low), (x2, low), (x2, y + 24)], "abc"[i % 3]))
    listed = "; ".join(
        f"{layout}: " + ", ".join(f"({first}, {second})" for first, second in places(layout, pairs))
        for layout in ("interleaved", "half-split")
    )
    said = f"coordinates that turn together: {listed}"
    return picture(f"Pairs of coordinates, width {2 * pairs}", said, (500, 260), elements)
