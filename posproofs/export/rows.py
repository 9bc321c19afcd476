"""The rows of a display: a chain e0 = e1 = ... with its reasons, broken so that no row is wider than the page.

Reasons stand in a column of their own where they all fit; otherwise each stands on a row below its formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from posproofs.export.boxes import Box, Piece, broken, roman
from posproofs.export.document import Document, Row
from posproofs.export.formula import formula
from posproofs.export.phrases import OPERATORS, Wording, bracketed

WIDTH = 345.0  # points: the column of article at ten points
NUMBER = 24.0  # what an equation number and its gap take
INDENT = 20.0  # of a continued row
GAP = 20.0  # between a formula and its reason
SHORT = 60.0  # a first side that is no wider stands beside the second, however long that is
_BREAK = "\n"  # between the lines of a reason, until they are lines
LONGEST = 200.0  # a first side that is wider than this stands on a row of its own


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an aligned display. `number` is that of the row which ends here; 0 on a line that continues."""

    text: str
    number: int = 0


def lines_of(document: Document, wording: Wording, *, width: float = WIDTH) -> list[Line]:
    """The lines of a document's display: a chain of equal sides, or a table."""
    return (listing if document.kind == "table" else chain)(document.rows, wording, width=width)


def chain(rows: Sequence[Row], wording: Wording, *, width: float = WIDTH) -> list[Line]:
    """The lines of a chain: formulas, and reasons where they all fit beside them. A row that is not proved says so."""
    rows = [replace(row, reason=chain_reason(row)) for row in rows]
    boxes = [formula(row.node, wording.style) for row in rows]
    first, *rest = boxes
    available = width - NUMBER
    if len(boxes) == 1:
        return _stretch(first, "& ", "", 0, available)
    longest = max(roman(row.reason) for row in rows[1:])
    left = _left(boxes, longest, available)
    # A first side on a row of its own stands in the same column as the sides below it.
    column = max(box.width for box in (rest if left else boxes))
    used = left + 12 + column + GAP + longest
    lines = [] if left else _stretch(first, "& ", "", 0, available)
    for k, (row, box) in enumerate(zip(rows[1:], rest, strict=True)):
        before = f"{first.text if left and k == 0 else ''} &{relation(row)} ".lstrip()
        room = available - left - 12
        if used <= available:
            lines += _stretch(box, before, f" && {wording.in_display(row.reason)}", row.number, room)
        else:
            lines += _stretch(box, before, "", 0, room)
            lines += _lines_below(row.reason, row.number, wording, room, around=bracketed)
    return lines


def _left(boxes: Sequence[Box], reason: float, available: float) -> float:
    """The width of a first side that stands beside the second; 0 for one on a row of its own.

    The longest reason decides too: behind the formulas or below them it wants a row that it need not be broken for.
    """
    first, *rest = boxes
    widest = max(box.width for box in rest)
    if first.width <= SHORT:
        return first.width
    if first.width > LONGEST or first.width + widest + 12 > available:
        return 0.0
    behind, below = first.width + 12 + widest + GAP + reason, first.width + 12 + INDENT + 10 + reason
    hopeless = INDENT + 10 + reason > available
    return first.width if hopeless or min(behind, below) <= available else 0.0


def relation(row: Row) -> str:
    """The sign between a row and the row before: equal only where that is proved."""
    if row.verdict == "proved":
        return "="
    return r"\ne" if row.verdict.startswith("false") else r"\overset{?}{=}"


def chain_reason(row: Row) -> str:
    """The author's reason, and behind it what the kernel said where it did not say `proved`."""
    return row.reason if row.verdict in ("given", "proved") else f"{row.reason}: {row.verdict}"


def listing(rows: Sequence[Row], wording: Wording, *, width: float = WIDTH) -> list[Line]:
    """The lines of a table: what each row says of its formula. A formula that stands above already is not repeated."""
    boxes = [formula(row.node, wording.style) for row in rows]
    said = [said_of(row) for row in rows]
    available = width - NUMBER
    beside = max(box.width for box in boxes) + GAP + max(map(roman, said)) <= available
    lines: list[Line] = []
    for k, row in enumerate(rows):
        new = k == 0 or row.node != rows[k - 1].node
        if beside:
            text = f"& {boxes[k].text}" if new else "&"
            lines.append(Line(f"{text} && {wording.in_display(said[k])}", row.number))
        else:
            lines += _stretch(boxes[k], "& ", "", 0, available) if new else []
            lines += _lines_below(said[k], row.number, wording, available)
    return lines


def said_of(row: Row) -> str:
    """What a row of a table says, and on what that rests: a proof, or a point that the JSON document gives in full."""
    return f"{row.reason}: shown by a point" if row.verdict.startswith("false") else f"{row.reason}: {row.verdict}"


def _stretch(box: Box, before: str, after: str, number: int, room: float) -> list[Line]:
    """A formula on as many lines as it needs, the reason behind the first, the number on the last."""
    stretches = broken(box.pieces, room, room - INDENT)
    lines = []
    for k, pieces in enumerate(stretches):
        head = before if k == 0 else rf"&\quad {_continued(pieces)}"
        lines.append(head + _joined(pieces) + (after if k == 0 else ""))
    return [Line(text, number if k == len(lines) - 1 else 0) for k, text in enumerate(lines)]


def _joined(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces).strip()


def _continued(pieces: Sequence[Piece]) -> str:
    """An empty start makes TeX space a leading sign as between two terms; factors are joined by a cross."""
    return "{} " if pieces[0].text.lstrip().startswith(("+", "-")) else r"{} \times "


def _lines_below(
    said: str, number: int, wording: Wording, room: float, *, around: Callable[[str], str] = str
) -> list[Line]:
    """What is said of a row, on lines of its own below it; `around` puts brackets around the typeset whole."""
    wrapped = _wrapped(said, room - INDENT - 10)
    texts = around(_BREAK.join(map(wording.in_display, wrapped))).split(_BREAK)
    return [Line(rf"&\qquad {text}", number if k == len(texts) - 1 else 0) for k, text in enumerate(texts)]


def _units(words: str, limit: float, measure: Callable[[str], float]) -> Iterator[str]:
    """The words, those on both sides of a sign together: 0 <= a < b, unless that is too long for a line."""
    unit: list[str] = []
    for word in [*words.split(" "), ""]:
        if unit and not (word and (word in OPERATORS or unit[-1] in OPERATORS)):
            whole = " ".join(unit)
            yield from [whole] if measure(whole) <= limit else unit
            unit = []
        unit.append(word)


def _wrapped(words: str, limit: float, measure: Callable[[str], float] = roman) -> list[str]:
    """Words on lines of at most `limit` points, broken at spaces outside brackets."""
    lines = [""]
    for word in _units(words, limit, measure):
        longer = f"{lines[-1]} {word}".strip()
        if measure(longer) <= limit or not lines[-1] or lines[-1].count("(") > lines[-1].count(")"):
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
