"""Putting boxes together: brackets, functions, exponents, fractions. Tall boxes get brackets that grow with them."""

from __future__ import annotations

import re

from posproofs.export.boxes import BRACKET, SCRIPT, Box, Piece, row, solid

# How tightly an expression holds together; a part that holds less tightly than its place wants stands in brackets.
SUM, SIGNED, PRODUCT, FACTOR, ATOM = range(5)


def bare(box: Box) -> bool:
    """Whether a box may follow the name of a function without brackets: cos m theta."""
    ambiguous = re.search(r"^(\\cos|\\sin|\\log|e\^)|\(|\\cdot", box.text)
    return box.level >= PRODUCT and not box.tall and ambiguous is None


def called(head: Box, argument: Box) -> Box:
    if argument.tall:
        text = rf"{head.text}\left({argument.text}\right)"
        return solid(text, head.width + argument.width + 14, ATOM, tall=True)
    return row((_joined(head, "(", 4), *_inside(argument), solid(")", 4, ATOM)), ATOM)


def _joined(head: Box, text: str, width: float) -> Box:
    return solid(head.text + text, head.width + width, ATOM, tall=head.tall)


def _inside(box: Box) -> tuple[Box, ...]:
    """A box in brackets: rows may still end in it, though less gladly."""
    pieces = (Piece(p.text, p.width, max(p.ahead - BRACKET, 1) if p.ahead else 0) for p in box.pieces)
    return (Box(tuple(pieces), box.level, box.tall),)


def within(box: Box, level: int) -> Box:
    if box.level >= level:
        return box
    if box.tall:
        return solid(rf"\left({box.text}\right)", box.width + 14, ATOM, tall=True)
    return row((solid("(", 4, ATOM), *_inside(box), solid(")", 4, ATOM)), ATOM)


def scripted(base: Box, mark: str, script: Box, level: int) -> Box:
    """A box with an exponent; a box that has one already, or a function's, is put in brackets first."""
    if mark in base.text.partition("_")[0] and base.level < ATOM:
        base = within(base, ATOM)
    *front, last = base.pieces
    braced = script.text if len(script.text) == 1 or re.fullmatch(r"\\[A-Za-z]+", script.text) else f"{{{script.text}}}"
    end = Piece(f"{last.text}{mark}{braced}", last.width + SCRIPT * script.width + 1, last.ahead)
    return Box((*front, end), level, base.tall)


def spaced(box: Box) -> Box:
    """The box behind a space in the source, which a control word needs; functions also get a thin space."""
    first, *rest = box.pieces
    return Box((Piece(f" {first.text}", first.width + 1.7, first.ahead), *rest), box.level, box.tall)


def fraction(above: Box, below: Box) -> Box:
    width = max(above.width, below.width) + 3
    return solid(rf"\frac{{{above.text}}}{{{below.text}}}", width, FACTOR, tall=True)
