"""The steps of an entry as JSON, for other programs: text, LaTeX, reason and verdict of every row."""

from __future__ import annotations

import json
from typing import Any

from derivations.plain import term_text
from posproofs.export.document import Document, Row, package_version
from posproofs.export.formula import formula
from posproofs.export.glyphs import EXPANDED
from posproofs.export.plain import node_text
from posproofs.export.tree import Node

SCHEMA = "posproofs.export/1"


def steps(document: Document) -> str:
    """One JSON object, keys sorted, ending in a newline."""
    return json.dumps(as_data(document), indent=2, sort_keys=True) + "\n"


def as_data(document: Document) -> dict[str, Any]:
    """The object as dicts, lists and strings."""
    return {
        "schema": SCHEMA,
        "posproofs": package_version(),
        "id": document.id,
        "kind": document.kind,
        "title": document.title,
        "source": document.source,
        "claims": list(document.claims),
        "status": document.status,
        "digest": document.digest,
        "scope": document.scope,
        "assumptions": [assumption.text for assumption in document.assumptions],
        "definitions": [
            {"name": node_text(meaning.name), "text": node_text(meaning.body), "latex": _latex(meaning.body)}
            for meaning in document.meanings
        ],
        "rows": [_row(row) for row in document.rows],
        "cites": list(document.lemmas),
        "rests_on": list(document.rests_on),
        "printed": document.printed,
        "fails": document.fails,
        "corrected": document.corrected,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "number": row.number,
        "text": node_text(row.node),
        "latex": _latex(row.node),
        "term": term_text(row.term),
        "reason": row.reason,
        "verdict": row.verdict,
    }


def _latex(node: Node) -> str:
    return formula(node, EXPANDED).text
