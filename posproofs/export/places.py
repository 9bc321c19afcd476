"""What a reader needs to know once of the notation: where groups of coordinates stand, and what a flat index means."""

from __future__ import annotations

from collections.abc import Iterable

from derivations.kernel.layouts import Layout, Slot
from derivations.plain import term_text
from posproofs.export.glyphs import layout_words
from posproofs.export.tree import Blocks, FlatEntry, Name, Node, meaning, walk


def places(nodes: Iterable[Node]) -> tuple[str, ...]:
    """One sentence for each layout of the blocks and each flat matrix in these trees, as they occur."""
    found: dict[str, None] = {}
    for node in (inner for top in nodes for inner in walk(top)):
        if isinstance(node, Blocks) and isinstance(node.count, Name):
            for layout in (node.rows, node.columns or node.rows):
                found[_sentence(layout, node.index, node.count.name)] = None
        if isinstance(node, FlatEntry):
            found[_stored(node)] = None
    return tuple(found)


def _sentence(layout: Layout, index: str, count: str) -> str:
    coordinates = ", ".join(_coordinate(slot, index, count) for slot in layout.slots)
    words = layout_words(layout, layout)
    group = "pair" if len(layout.slots) == 2 else "group"
    where = f"where {words} is written, {group}" if words else group
    return f"{where} {index} stands at coordinates {coordinates}"


def _stored(node: FlatEntry) -> str:
    name, width = node.name, term_text(meaning(node.width))
    return f"{name}^flat_t is the entry of {name} at flat index t, its rows of {width} entries one behind another"


def _coordinate(slot: Slot, index: str, count: str) -> str:
    parts = [_times(slot.stride, index), _times(slot.counts, count), str(slot.offset) if slot.offset else ""]
    return " + ".join(part for part in parts if part)


def _times(factor: int, name: str) -> str:
    return "" if factor == 0 else name if factor == 1 else f"{factor}{name}"
