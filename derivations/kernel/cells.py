"""Terms for the entries of a matrix in memory: by row and column, or by flat index and the length of a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derivations.kernel.layouts import checked_name
from derivations.kernel.sealed import Inside, measured, node

if TYPE_CHECKING:
    from derivations.kernel.terms import Term


@node
@dataclass(frozen=True, slots=True)
class Cell:
    """The real entry of an uninterpreted matrix at an integer row and column."""

    name: str
    row: Term
    column: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.name)
        measured(self, (self.row, self.column))


@node
@dataclass(frozen=True, slots=True)
class Reading:
    """What stands at a flat index where the matrix is kept row by row: its entry (flat div width, flat mod width)."""

    name: str
    flat: Term
    width: Term
    inside: Inside = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name(self.name)
        measured(self, (self.flat, self.width))
