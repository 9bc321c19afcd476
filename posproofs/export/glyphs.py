"""Glyphs: how names, sizes and layouts are written in LaTeX, and what the targets write differently."""

from __future__ import annotations

import re
from dataclasses import dataclass

from derivations.kernel.layouts import Layout, Size
from derivations.plain import layout_text
from posproofs.export.boxes import SCRIPT, roman

_GREEK = "alpha beta gamma delta epsilon theta kappa lambda mu nu xi pi rho sigma tau phi psi omega Phi Theta Delta"
GREEK = {name: f"\\{name}" for name in _GREEK.split()} | {"lamda": r"\lambda"}


@dataclass(frozen=True, slots=True)
class Style:
    """How a target writes vectors, matrices, the imaginary unit, the transpose, Re, Im and the d of a derivative."""

    vector: str
    matrix: str
    unit: str
    transpose: str
    real: str
    imaginary: str
    differential: str


EXPANDED = Style(r"\mathbf", r"\mathbf", r"\mathrm{i}", r"\top", r"\mathrm{Re}", r"\mathrm{Im}", r"\mathrm{d}")
MACROS = Style(r"\ppvec", r"\ppmat", r"\ppunit", r"\pptop", r"\ppRe", r"\ppIm", r"\ppd")


def letter(name: str) -> str:
    """A name as a letter with an index: q1 is q_{1}, W_q is W_{q}, theta is \\theta."""
    stem, index = split_name(name)
    glyph = GREEK.get(stem) or (stem if len(stem) == 1 else rf"\mathrm{{{stem}}}")
    return sub(glyph, _index(index)) if index else glyph


def _index(index: str) -> str:
    """The index of a name: a letter or digits as they are, a word upright."""
    return GREEK.get(index) or (rf"\mathrm{{{index}}}" if len(index) > 1 and index.isalpha() else index)


def split_name(name: str) -> tuple[str, str]:
    """The letter and the index of a name; one without an index, or with several, is all letter."""
    found = re.fullmatch(r"([A-Za-z]+?)_?([0-9]+)|([A-Za-z]+)_([A-Za-z0-9]+)", name)
    if found is None:
        return name.replace("_", ""), ""
    return (found[1], found[2]) if found[1] else (found[3], found[4])


def sub(glyph: str, index: str) -> str:
    """A glyph with an index."""
    return f"{glyph}_{{{index}}}" if len(index) > 1 else f"{glyph}_{index}"


def name_width(name: str) -> float:
    """Of a letter with its index, in points."""
    stem, index = split_name(name)
    return (6.5 if stem in GREEK else roman(stem) + 1.5) + SCRIPT * (roman(index) + 1 if index else 0)


def bold(name: str, font: str) -> str:
    """A name in the font of a matrix or of a vector, its index beside it."""
    stem, index = split_name(name)
    glyph = f"{font}{{{GREEK.get(stem, stem)}}}"
    return sub(glyph, _index(index)) if index else glyph


def indexed_text(glyph: str, index: str) -> str:
    """A name with an index; a second index goes behind the first: W_{q,i}."""
    head, mark, first = glyph.partition("_")
    return f"{head}_{{{_unbraced(first)},{index}}}" if mark else sub(glyph, index)


def _unbraced(script: str) -> str:
    return script[1:-1] if script.startswith("{") else script


def size_text(size: Size) -> str:
    """A size in mathematics: 2h."""
    return f"{size.multiple if size.multiple != 1 or not size.name else ''}{letter(size.name) if size.name else ''}"


def layout_words(rows: Layout, columns: Layout | None) -> str:
    """How the slots of a group stand where they are not next to one another; nothing where they are."""
    if columns in (None, rows):
        return "" if _next_to_one_another(rows) else layout_text(rows)
    assert columns is not None
    return f"{layout_text(columns)} to {layout_text(rows)}"


def _next_to_one_another(layout: Layout) -> bool:
    return [(slot.stride, slot.counts, slot.offset) for slot in layout.slots] == [
        (len(layout.slots), 0, k) for k in range(len(layout.slots))
    ]
