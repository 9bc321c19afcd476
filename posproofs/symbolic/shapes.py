"""The sizes at which code is proved, and the defects that justify each: at another size they are not refuted.

Every arithmetic mutant of the suite is refuted at the sizes that are chosen. Where one more than the size at which a
mutant survives would do for the suite, a defect that is planted by a test, or another reason, says why it does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Axis:
    """One number of a shape: what it counts, and which defects are not refuted at a lesser size.

    also: what else it is for. more: the defects that are not refuted at a greater size, where that is less.
    """

    of: str
    chosen: int
    survive: dict[int, tuple[str, ...]] = field(default_factory=dict)
    also: str = ""
    more: dict[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shape:
    """The axes of a shape, and how it is written."""

    axes: Mapping[str, Axis]

    def __getitem__(self, axis: str) -> int:
        return self.axes[axis].chosen


# What is no mutant of the suite: it is planted where the sizes are tested.
PLANTED = {
    "first-head-alone": "only the first head turns",
    "evenly-spaced": "the positions between the first and the last are guessed",
    "single-row-left": "a single row is not turned",
    "first-entry-alone": "only the first entry of a batch turns",
    "two-heads-alone": "only the first two heads turn",
    "wrap-at-65536": "positions are taken modulo 65536",
    "clamp-at-131071": "positions end at 131071",
    "single-head-without-v": "a single head has no bias v",
    "single-query-one-off": "a single query reads the row of the next offset",
    "first-bias-for-all": "every head has the bias of the first",
}

ROTATION = Shape(
    {
        "heads": Axis("heads", 2, {1: ("first-head-alone",)}, "one is the query, one the key"),
        "rows": Axis("rows", 3, {1: ("row-leak",), 2: ("evenly-spaced",)}),
        "pairs": Axis("pairs", 2, {1: ("tiled-table", "ignored-base")}, "with one, no base is seen"),
        "heads alone": Axis("heads of a further call", 1, more={2: ("single-head-left",)}),
        "rows alone": Axis("rows of that call", 1, more={3: ("single-row-left",)}),
        "batch of more": Axis("entries of a batch in a third call", 2, {1: ("first-entry-alone",)}),
        "heads of more": Axis("heads of that call", 3, {2: ("two-heads-alone",)}),
        "rows of more": Axis("rows of that call", 2, {}, "more than one"),
        "furthest": Axis(
            "the furthest whole position",
            131073,
            {
                11: ("wrap-at-64", "clamp-at-63"),
                131: ("bfloat16-positions",),
                257: ("float16-positions",),
                2049: ("clamp-at-4095",),
                4097: ("int16-positions",),
                32768: ("overflow-at-65504",),
                65505: ("wrap-at-65536",),
                65537: ("clamp-at-131071",),
            },
        ),
    }
)
SCORES = Shape(
    {
        "heads": Axis("heads", 2, {1: ("first-bias-for-all",)}),
        "width": Axis("coordinates of a head", 4, {}, "a table of two frequencies"),
        "queries": Axis("queries", 3, {1: ("xl-transposed", "xl-cyclic")}, "a row, one before it and one behind"),
        "memory": Axis("rows of memory", 2, {0: ("xl-memory-ignored",)}),
        "heads alone": Axis("heads of a third size", 1, more={2: ("single-head-without-v",)}),
        "queries alone": Axis("queries of that size", 1, more={3: ("single-query-one-off",)}, also="as in decoding"),
    }
)
ATTENTION = Shape(
    {
        "rows": Axis("rows", 3, {1: ("attention-unscaled",), 2: ("attention-without-newest",)}),
        "shared": Axis("query heads for each key head, in one size", 2, {1: ("attention-heads-in-turns",)}),
        "key_heads": Axis("key heads", 2, {1: ("attention-heads-in-turns",)}),
        "width": Axis("coordinates of a head, in one size", 4, {2: ("attention-neighbours",)}, "two pairs"),
    }
)
KINDS: Mapping[str, Shape] = {"rotation": ROTATION, "scores": SCORES, "attention": ATTENTION}
