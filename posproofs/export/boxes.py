"""Typeset pieces with their widths, so that a formula can be broken into rows before TeX ever sees it.

Widths are in points of ten-point Computer Modern, rounded up; they only have to be safe, and the tests compile every
document and fail on a line that is too wide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SCRIPT = 0.72  # size of an index or exponent
# How gladly a row ends: at a sign, between factors; in brackets less gladly than outside, at any place of theirs.
SIGN, BETWEEN, BRACKET = 6, 5, 3
# Advance widths of ten-point Computer Modern Roman; what is not listed is as wide as a capital.
_ROMAN = {
    **dict.fromkeys(" ijl'.,:;!|", 3.4),
    **dict.fromkeys("frst()[]/-", 4.2),
    **dict.fromkeys("aceghknopqbduvxyz", 5.4),
    **dict.fromkeys("0123456789", 5.1),
    **dict.fromkeys("mMwW", 10.0),
}


def roman(text: str) -> float:
    """The width of a piece of text."""
    return sum(_ROMAN.get(letter, 7.9) for letter in text)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch that is never broken. `ahead` says how gladly a row ends before it; at 0 it does not."""

    text: str
    width: float
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Box:
    """Pieces side by side. `tall` boxes want brackets that grow, `level` is how tightly the whole holds together."""

    pieces: tuple[Piece, ...]
    level: int
    tall: bool = False

    @property
    def text(self) -> str:
        """The whole on one row."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def width(self) -> float:
        """Of the whole on one row, in points."""
        return sum(piece.width for piece in self.pieces)


def solid(text: str, width: float, level: int, *, tall: bool = False) -> Box:
    """A box of one piece."""
    return Box((Piece(text, width),), level, tall)


def row(boxes: Iterable[Box], level: int) -> Box:
    """Boxes side by side, broken where they may be."""
    several = tuple(boxes)
    return Box(tuple(piece for box in several for piece in box.pieces), level, any(box.tall for box in several))


def breakable(box: Box, ahead: int) -> Box:
    """The same box, before which a row may end."""
    first, *rest = box.pieces
    return Box((Piece(first.text, first.width, ahead), *rest), box.level, box.tall)


def broken(pieces: Sequence[Piece], first: float, later: float) -> list[tuple[Piece, ...]]:
    """Rows of at most `first` points, then `later` points, broken where it is best among what fits.

    A single piece that is wider than a row stands alone on it.
    """
    rows: list[tuple[Piece, ...]] = []
    rest = tuple(pieces)
    while rest:
        cut = _cut(rest, later if rows else first)
        rows.append(rest[:cut])
        rest = rest[cut:]
    return rows


def _cut(pieces: tuple[Piece, ...], limit: float) -> int:
    """How many pieces the row takes: all if they fit, else up to the last of the best places to break."""
    if sum(piece.width for piece in pieces) <= limit:
        return len(pieces)
    best, at, used = 0, 0, 0.0
    for k, piece in enumerate(pieces):
        if k and used <= limit and piece.ahead >= max(best, 1):
            best, at = piece.ahead, k
        used += piece.width
    return at or next((k for k, piece in enumerate(pieces) if k and piece.ahead), len(pieces))
