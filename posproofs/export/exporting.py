"""`export`: entries of the catalogue as files, one format at a time, all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from posproofs.errors import BadInput, UnknownName
from posproofs.export import ipynb, latex, markdown, steps
from posproofs.export.document import Document, document, selected
from posproofs.export.writing import write_all

STANDALONE = "posproofs.tex"


def export(ids: str | Iterable[str], fmt: str, directory: str | Path) -> tuple[Path, ...]:
    """Write entries as documents and return the paths.

    ids: ids of the catalogue, or `all`; a string is split at commas. fmt: latex, markdown, ipynb or json. For latex
    the macros and a stand-alone document, posproofs.tex, are written as well. Raises UnknownName, BadInput,
    CannotWrite.
    """
    return write_all(Path(directory), exported(ids, fmt))


def exported(ids: str | Iterable[str], fmt: str) -> dict[str, str]:
    """The texts by file name. Raises UnknownName for an id or a format, BadInput for what can be no ids."""
    if fmt not in FORMATS:
        raise UnknownName("format", fmt, FORMATS)
    if not isinstance(ids, Iterable):
        raise BadInput(f"export: ids: wanted ids of the catalogue, saw {ids!r}, {type(ids).__name__}")
    wanted = [part.strip() for part in ids.split(",")] if isinstance(ids, str) else list(ids)
    return FORMATS[fmt]([document(entry) for entry in selected(wanted)])


def _latex(documents: Sequence[Document]) -> dict[str, str]:
    files = {f"{one.id}.tex": latex.fragment(one) for one in documents}
    return files | {latex.MACRO_FILE: latex.MACRO_TEXT, STANDALONE: latex.standalone(documents)}


def _each(suffix: str, write: Callable[[Document], str]) -> Callable[[Sequence[Document]], dict[str, str]]:
    return lambda documents: {f"{one.id}.{suffix}": write(one) for one in documents}


FORMATS: Mapping[str, Callable[[Sequence[Document]], dict[str, str]]] = {
    "latex": _latex,
    "markdown": _each("md", markdown.markdown),
    "ipynb": _each("ipynb", ipynb.exported),
    "json": _each("json", steps.steps),
}
