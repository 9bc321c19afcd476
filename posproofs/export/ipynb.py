"""Jupyter notebooks as text: cells with fixed ids and fixed metadata, so that two builds give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from posproofs.export.document import Document
from posproofs.export.markdown import NOTEBOOK, markdown

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `name` becomes its id, behind the name of the notebook."""

    kind: Literal["markdown", "code"]
    name: str
    source: str


def notebook(name: str, cells: Sequence[Cell]) -> dict[str, Any]:
    """A notebook that was not run. Ids are name-cell: letters, digits, - and _, at most 64 of them, each once."""
    made = [_cell(name, cell) for cell in cells]
    ids = [cell["id"] for cell in made]
    if len(set(ids)) < len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise ValueError(f"two cells of the notebook {name} have the id {twice}; give each cell a name of its own")
    return {
        "cells": made,
        "metadata": METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(name: str, cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": f"{name}-{cell.name}".replace(".", "-")[:64],
        "metadata": {},
        "source": cell.source,
    }
    return found if cell.kind == "markdown" else found | {"execution_count": None, "outputs": []}


def written(found: dict[str, Any]) -> str:
    """A notebook as the bytes that are stored."""
    return json.dumps(found, indent=1, sort_keys=True, ensure_ascii=True) + "\n"


def exported(document: Document) -> str:
    """The notebook of one entry: what it says, and a cell that proves it again."""
    again = f'from derivations.derivation import get\n\nget("{document.id}").check().status'
    cells = (Cell("markdown", "says", markdown(document, NOTEBOOK).rstrip("\n")), Cell("code", "proves", again))
    return written(notebook(document.id, cells))
