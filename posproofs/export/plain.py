"""Documents as plain ASCII text, in the author's order: what a terminal, a diff or a screen reader gets."""

from __future__ import annotations

import textwrap

from derivations.kernel import terms as t
from derivations.kernel.layouts import Size
from derivations.plain import term_text
from posproofs.export.document import Document
from posproofs.export.rows import chain_reason, relation, said_of
from posproofs.export.tree import Defined, Node, read

WIDTH = 100


def node_text(node: Node) -> str:
    """A tree on one line, defined names as they are: R(n - m)."""
    return term_text(_named(node))


def _named(node: Node) -> t.Term:
    """The term of a tree in which a defined name is a name and nothing more. It is printed, never proved."""
    if not isinstance(node, Defined):
        return read(node, _named)
    name, arguments = node.definition.name, tuple(map(_named, node.arguments))
    if not arguments:
        return t.MatrixSymbol(name, Size(1), Size(1))
    match node.definition.style:
        case "map":
            return t.Function(name, arguments[0])
        case "sequence":
            return t.Family(name, arguments[0])
        case _:
            return t.MatrixFamily(name, arguments[0], Size(1), "free")


def text(document: Document) -> str:
    """The whole document."""
    head = [f"{document.id} ({document.kind}, {document.status})", document.title, _source(document)]
    body = [*_conditions(document), *_rows(document), *_erratum(document), *_cited(document)]
    return "\n".join([*head, *body]) + "\n"


def _source(document: Document) -> str:
    return "; ".join((document.source, ", ".join(document.claims))) if document.claims else document.source


def _conditions(document: Document) -> list[str]:
    found = [document.scope] if document.scope and document.kind != "erratum" else []
    found += [f"assume {assumption.text}" for assumption in document.assumptions]
    found += [f"where {node_text(meaning.name)} = {node_text(meaning.body)}" for meaning in document.meanings]
    return [line for text in found for line in textwrap.wrap(text, WIDTH, subsequent_indent="    ")]


def _rows(document: Document) -> list[str]:
    lines = []
    for row in document.rows:
        sign = "  " if not row.number or document.kind == "table" else _SIGNS[relation(row)]
        lines.append(f"  {sign}{node_text(row.node)}")
        if row.number:
            lines.append(f"        {said_of(row) if document.kind == 'table' else chain_reason(row)}")
    return lines


_SIGNS = {"=": "= ", r"\ne": "!= ", r"\overset{?}{=}": "=? "}


def _erratum(document: Document) -> list[str]:
    if document.kind != "erratum":
        return []
    lines = (f"as printed: {document.printed}", f"row 1, {document.status}: {document.fails}")
    return [*lines, f"corrected: {document.corrected}"]


def _cited(document: Document) -> list[str]:
    return [*(f"rests on {one}" for one in document.rests_on), *(f"cites: {lemma}" for lemma in document.lemmas)]
