"""Plain ASCII layout: aligned columns and labelled lines, the same bytes for the same input on every machine.

Widths come from the content and from one fixed line length, never from the terminal, so text can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

LINE = 120
_GAP = "  "


def table(rows: Sequence[Sequence[str]], *, indent: str = "  ") -> str:
    """Rows of cells in aligned columns; the last column is wrapped under itself. No row: the empty text."""
    if not rows:
        return ""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)]
    return "".join(_row(row, widths, indent) for row in rows)


def _row(row: Sequence[str], widths: Sequence[int], indent: str) -> str:
    cells = (cell.ljust(width + len(_GAP)) for cell, width in zip(row, widths, strict=False))
    head = indent + "".join(cells)
    body = folded(row[-1], len(head)) or [""]
    following = "".join(f"{' ' * len(head)}{line}\n" for line in body[1:])
    return f"{head}{body[0]}".rstrip() + "\n" + following


def labelled(pairs: Iterable[tuple[str, str]], *, indent: str = "  ", width: int = 11) -> str:
    """Lines `label value`; a long value is wrapped under itself, an empty one leaves its line out."""
    return "".join(_row((label, value), [width - len(_GAP)], indent) for label, value in pairs if value)


def folded(text: str, used: int) -> list[str]:
    """The lines of a text that starts after `used` characters; words longer than a line are kept whole."""
    room = max(LINE - used, 40)
    lines = text.splitlines()
    return [part for line in lines for part in wrap(line, room, break_long_words=False, break_on_hyphens=False)]


def paragraph(text: str, *, indent: str = "") -> str:
    """A text wrapped to the line length."""
    return "".join(f"{indent}{line}\n" for line in folded(text, len(indent)))


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """`1 law`, `3 laws`, `2 entries`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
