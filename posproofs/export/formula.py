"""Display trees as LaTeX mathematics in a subset that LaTeX, KaTeX (strict) and GitHub all accept.

What the targets write differently is a `Style`: papers get macros that they may redefine, the web gets them expanded.
"""

from __future__ import annotations

from collections.abc import Iterable

from derivations.kernel.layouts import Size
from derivations.plain import term_text
from posproofs.errors import Contradiction
from posproofs.export.boxes import BETWEEN, SCRIPT, SIGN, Box, Piece, breakable, roman, row, solid
from posproofs.export.brackets import (
    ATOM,
    FACTOR,
    PRODUCT,
    SIGNED,
    SUM,
    bare,
    called,
    fraction,
    scripted,
    spaced,
    within,
)
from posproofs.export.glyphs import (
    EXPANDED,
    Style,
    bold,
    indexed_text,
    layout_words,
    letter,
    name_width,
    size_text,
    split_name,
    sub,
)
from posproofs.export.tree import (
    Blocks,
    Call,
    Defined,
    Definition,
    Det,
    FlatEntry,
    Frac,
    Grid,
    Item,
    Letter,
    MatrixAt,
    MatrixEntry,
    MatrixName,
    Minus,
    Name,
    Named,
    Node,
    Num,
    Power,
    Prod,
    Series,
    Slope,
    Sum,
    Turned,
    Unit,
    walk,
)


class AmbiguousGlyph(Contradiction):
    """Two different names of one formula would be printed alike."""


def formula(node: Node, style: Style = EXPANDED) -> Box:
    """The formula as pieces that may be broken into rows."""
    return _box(node, style)


def check_glyphs(nodes: Iterable[Node], style: Style = EXPANDED) -> None:
    """AmbiguousGlyph if two different names of a document are printed alike."""
    seen: dict[str, str] = {}
    for node in (found for top in nodes for found in walk(top)):
        for glyph, owner in _glyphs(node, style):
            if seen.setdefault(glyph, owner) != owner:
                raise AmbiguousGlyph(f"{owner} and {seen[glyph]} would both be printed {glyph}; rename one of them")


def _glyphs(node: Node, style: Style) -> list[tuple[str, str]]:
    """What is printed for the names of one node, with what each stands for."""
    match node:
        case Name(name):
            return [(letter(name), name)]
        case Call(name):
            return [(letter(name), f"the function {name}")]
        case Item(name, index):
            inner = inline(index, style).text
            return [(letter(name), f"the sequence {name}"), (indexed_text(letter(name), inner), f"{name}[{inner}]")]
        case MatrixEntry(name):
            return [(letter(name), f"the matrix in memory {name}")]
        case FlatEntry(name, _, width):
            rows = inline(width, style).text
            return [(letter(name), f"the matrix in memory {name}"), (_flat(name), f"{name} in rows of {rows}")]
        case MatrixName(name) | MatrixAt(name):
            return [(_matrix_name(node, style), f"the matrix {name}")]
        case Defined(definition):
            return [(_glyph(definition, style), f"{definition.name} = {term_text(definition.body)}")]
        case _:
            return []


def _flat(name: str) -> str:
    """A matrix whose rows stand one behind another; a name with an index of its own is put in braces first."""
    glyph = letter(name)
    return rf"{{{glyph}}}^{{\flat}}" if "_" in glyph else rf"{glyph}^{{\flat}}"


def _box(node: Node, style: Style) -> Box:
    match node:
        case Num(value):
            above, below = (solid(str(part), roman(str(part)), ATOM) for part in value.as_integer_ratio())
            return above if value.denominator == 1 else fraction(above, below)
        case Letter(which):
            return solid(style.unit, 3.6, ATOM) if which == "unit" else solid(r"\pi", 6, ATOM)
        case Name(name):
            return solid(letter(name), name_width(name), ATOM)
        case Item() | MatrixEntry() | FlatEntry():
            return _entry(node, style)
        case Call(name, argument):
            return called(solid(letter(name), name_width(name), ATOM), _box(argument, style))
        case Named():
            return _named(node, style)
        case Minus(argument):
            inner = _at_least(argument, PRODUCT, style)
            return row((solid("-", 8, SIGNED), inner), SIGNED)
        case Sum(parts):
            return _sum(parts, style)
        case Prod(factors):
            return _product(factors, style)
        case Frac(above, below):
            return fraction(_box(above, style), _box(below, style))
        case Power(base, exponent):
            return scripted(_at_least(base, ATOM, style), "^", inline(exponent, style), FACTOR)
        case Slope(body, by):
            variable = letter(by)
            sign = solid(rf"\frac{{{style.differential}}}{{{style.differential} {variable}}}", 14, ATOM, tall=True)
            return row((sign, spaced(_at_least(body, FACTOR, style))), FACTOR)
        case Series(index, count, body):
            limits = solid(rf"\sum_{{{letter(index)}=0}}^{{{_last(count, style)}}} ", 22, ATOM, tall=True)
            return row((limits, _at_least(body, SIGNED, style)), SIGNED)
        case _:
            return _matrix(node, style)


def _entry(node: Item | MatrixEntry | FlatEntry, style: Style) -> Box:
    """A member of a sequence x_i, an entry of a matrix X_{i, j}, or the entry that a flat index names."""
    glyph, width = letter(node.name), name_width(node.name)
    match node:
        case Item(_, index):
            return _indexed(glyph, width, index, style)
        case MatrixEntry(_, line, column):
            first, second = inline(line, style), inline(column, style)
            place = rf"{first.text},\,{second.text}"
            return solid(indexed_text(glyph, place), width + SCRIPT * (first.width + second.width + 6) + 1, ATOM)
        case FlatEntry(_, flat, _):
            place = inline(flat, style).text
            return solid(rf"{_flat(node.name)}_{{{place}}}", width + SCRIPT * inline(flat, style).width + 1, ATOM)


def _matrix(node: Node, style: Style) -> Box:
    match node:
        case MatrixName(name):
            return solid(_matrix_name(node, style), name_width(name) + 2, ATOM)
        case MatrixAt(name, argument):
            return _indexed(bold(name, style.matrix), name_width(name) + 2, argument, style)
        case Unit(size):
            return solid(sub(bold("I", style.matrix), size_text(size)), 5 + SCRIPT * roman(size_text(size)), ATOM)
        case Turned(argument):
            return scripted(_at_least(argument, ATOM, style), "^", solid(style.transpose, 8, ATOM), FACTOR)
        case Det(argument):
            return called(solid(r"\det", 15, ATOM), _box(argument, style))
        case Defined():
            return _defined(node, style)
        case Grid(rows):
            return _grid(rows, style)
        case Blocks():
            return _blocks(node, style)
        case _:
            raise TypeError(f"no LaTeX for {type(node).__name__}; a new kind of node needs a case here")


def bold_letters(nodes: Iterable[Node], style: Style) -> dict[str, str]:
    """The letters that stand for a matrix or a vector, and for nothing else, with the way in which they are written."""
    every = [found for node in nodes for found in walk(node)]
    plain = {split_name(node.name)[0] for node in every if isinstance(node, (Name, Item, Call))}
    found = {split_name(name)[0]: glyph for node in every for name, glyph in _bold_names(node, style)}
    found |= {"I": bold("I", style.matrix)} if found else {}
    return {stem: glyph.partition("_")[0] for stem, glyph in found.items() if stem not in plain}


def _bold_names(node: Node, style: Style) -> list[tuple[str, str]]:
    match node:
        case MatrixName(name) | MatrixAt(name):
            return [(name, _matrix_name(node, style))]
        case Defined(definition) if definition.style in ("matrix", "vector"):
            return [(definition.name, _glyph(definition, style))]
        case Unit():
            return [("I", bold("I", style.matrix))]
        case _:
            return []


def _matrix_name(node: MatrixName | MatrixAt, style: Style) -> str:
    is_vector = isinstance(node, MatrixName) and node.columns == Size(1)
    return bold(node.name, style.vector if is_vector else style.matrix)


def _glyph(definition: Definition, style: Style) -> str:
    if definition.style in ("map", "sequence"):
        return letter(definition.name)
    return bold(definition.name, style.vector if definition.style == "vector" else style.matrix)


def _defined(node: Defined, style: Style) -> Box:
    glyph, width = _glyph(node.definition, style), name_width(node.definition.name) + 2
    if not node.arguments:
        return solid(glyph, width, ATOM)
    if node.definition.style == "map":
        return called(solid(glyph, width, ATOM), _box(node.arguments[0], style))
    return _indexed(glyph, width, node.arguments[0], style)


def _indexed(glyph: str, width: float, index: Node, style: Style) -> Box:
    inner = inline(index, style)
    return solid(indexed_text(glyph, inner.text), width + SCRIPT * inner.width + 1, ATOM)


def inline(node: Node, style: Style) -> Box:
    """A box for an index or exponent: fractions are written with a stroke."""
    match node:
        case Frac(above, below):
            top, bottom = inline(above, style), inline(below, style)
            return row((within(top, PRODUCT), solid("/", 5, ATOM), within(bottom, ATOM)), PRODUCT)
        case Minus(argument):
            return row((solid("-", 8, SIGNED), within(inline(argument, style), PRODUCT)), SIGNED)
        case _:
            return _box(node, style)


def _named(node: Named, style: Style) -> Box:
    inner = _box(node.argument, style)
    match node.operator:
        case "exp":
            return scripted(solid("e", 5, ATOM), "^", inline(node.argument, style), FACTOR)
        case "conjugate":
            return solid(rf"\overline{{{inner.text}}}", inner.width, ATOM, tall=inner.tall)
        case "re":
            return called(solid(style.real, 14, ATOM), inner)
        case "im":
            return called(solid(style.imaginary, 13, ATOM), inner)
        case operator:
            head = solid(f"\\{operator}", 18, ATOM)
            if bare(inner):
                return Box((Piece(f"{head.text} {inner.text}", head.width + inner.width + 2),), FACTOR)
            return called(head, inner)


def _at_least(node: Node, level: int, style: Style) -> Box:
    return within(_box(node, style), level)


def _sum(parts: tuple[Node, ...], style: Style) -> Box:
    boxes = []
    for k, part in enumerate(parts):
        negative = isinstance(part, Minus)
        body = part.argument if isinstance(part, Minus) else part
        # A series reaches as far right as it can, so it stands free at the end only.
        level = PRODUCT if negative or (isinstance(body, Series) and k < len(parts) - 1) else SIGNED
        box = _at_least(body, level, style)
        if k == 0 and not negative:
            boxes.append(box)
        else:
            sign = "-" if negative else "+"
            boxes.append(breakable(row((solid(f" {sign} " if k else "-", 13, SUM), box), SUM), SIGN if k else 0))
    return row(boxes, SUM)


def _product(factors: tuple[Node, ...], style: Style) -> Box:
    boxes: list[Box] = []
    for k, factor in enumerate(factors):
        box = _at_least(factor, SIGNED if isinstance(factor, Series) and k == len(factors) - 1 else FACTOR, style)
        if _reaches(factor) and k + 1 < len(factors) and not _reaches(factors[k + 1]):
            box = within(box, ATOM)
        if k and box.text[:1].isdigit():
            box = row((solid(r" \cdot ", 8, ATOM), box), box.level)
        elif k and isinstance(factor, MatrixName) and len(split_name(factor.name)[0]) > 1:
            box = row((solid(r" \,", 2, ATOM), spaced(box)), box.level)  # a word stands apart
        elif k:
            box = spaced(box)
        boxes.append(breakable(box, BETWEEN) if k else box)
    return row(boxes, PRODUCT)


def _reaches(node: Node) -> bool:
    """Whether a factor would seem to take what follows it as its argument: cos x y."""
    return isinstance(node, Slope) or (isinstance(node, Named) and node.operator in ("cos", "sin", "log"))


def _last(count: Node, style: Style) -> str:
    if isinstance(count, Num):
        return str(count.value - 1)
    return f"{_box(count, style).text}-1"


def _grid(rows: tuple[tuple[Node, ...], ...], style: Style) -> Box:
    boxes = [[_box(entry, style) for entry in line] for line in rows]
    widths = [max(box.width for box in column) for column in zip(*boxes, strict=True)]
    body = r" \\ ".join(" & ".join(box.text for box in line) for line in boxes)
    width = sum(widths) + 10 * (len(widths) - 1) + 16
    return solid(rf"\begin{{pmatrix}} {body} \end{{pmatrix}}", width, ATOM, tall=True)


def _blocks(node: Blocks, style: Style) -> Box:
    inner = _grid(node.entries, style)
    place = layout_words(node.rows, node.columns)
    above = f"^{{\\text{{{place}}}}}" if place else ""
    limits = rf"_{{{letter(node.index)}<{_box(node.count, style).text}}}"
    width = max(18.0, SCRIPT * roman(place)) + inner.width
    if node.columns is None:
        return solid(f"{inner.text}{limits}{above}", width, FACTOR, tall=True)
    return solid(rf"\bigoplus{limits}{above} {inner.text}", width, PRODUCT, tall=True)
