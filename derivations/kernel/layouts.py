"""Names, sizes and layouts: the parts of terms that are not terms themselves.

A layout says which coordinates of a block vector a group occupies, for every number of groups at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from derivations.kernel.errors import LimitReached, RuleError, ShapeError
from derivations.kernel.sealed import exact, exact_tuple, sealed

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
SLOT_LIMIT = 4096


def checked_name(name: str) -> str:
    """Names are plain identifiers, so that two terms which print alike are the same term."""
    if not _NAME.match(exact(name, str, "a name")):
        raise RuleError(f"the name {name!r} is not an identifier; use letters, digits and _, a letter first")
    return name


@sealed
@dataclass(frozen=True, slots=True)
class Slot:
    """Where one slot of group i stands: coordinate stride*i + counts*count + offset, 0-based."""

    stride: int
    counts: int
    offset: int

    def __post_init__(self) -> None:
        for value in (self.stride, self.counts, self.offset):
            exact(value, int, "Slot: its numbers")


@sealed
@dataclass(frozen=True, slots=True)
class Layout:
    """Which coordinates the slots of group i occupy: `strided` (interleaved) or `split` (half-split), in any order."""

    slots: tuple[Slot, ...]

    def __post_init__(self) -> None:
        size = len(exact_tuple(self.slots, "Layout: its slots", Slot))
        everything = set(range(size))
        interleaved = {s.offset for s in self.slots if (s.stride, s.counts) == (size, 0)} == everything
        halves = {s.counts for s in self.slots if (s.stride, s.offset) == (1, 0)} == everything
        if not (size and (interleaved or halves)):
            raise ShapeError(
                f"the slots {self.slots} do not tile 0..{size}*count-1 for every count; wanted the strided form "
                f"{size}*i + a or the split form i + a*count, with a running once through 0..{size - 1}"
            )

    def coordinates(self, index: int, count: int) -> tuple[int, ...]:
        return tuple(s.stride * index + s.counts * count + s.offset for s in self.slots)


def strided(slots: int) -> Layout:
    """Group i occupies slots*i .. slots*i + slots-1: the interleaved layout when slots is 2."""
    return Layout(tuple(Slot(slots, 0, a) for a in _places(slots)))


def split(slots: int) -> Layout:
    """Group i occupies i, i + count, ...: the half-split layout when slots is 2."""
    return Layout(tuple(Slot(1, a, 0) for a in _places(slots)))


def _places(slots: int) -> range:
    if exact(slots, int, "a layout: its number of slots") > SLOT_LIMIT:
        raise LimitReached(f"a layout of {slots} slots passes the limit of {SLOT_LIMIT}")
    return range(slots)


@sealed
@dataclass(frozen=True, slots=True)
class Size:
    """A number of rows or columns: multiple, or multiple times a named size; at least 1."""

    multiple: int
    name: str = ""

    def __post_init__(self) -> None:
        if type(self.multiple) is not int or self.multiple < 1:
            raise ShapeError(f"a size is a positive integer or a positive multiple of a name, saw {self.multiple!r}")
        if exact(self.name, str, "Size: its name"):
            checked_name(self.name)
