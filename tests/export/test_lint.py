"""Every exported text keeps to ASCII, short lines, its labels and its macros; a planted defect is seen."""

from __future__ import annotations

import pytest

from derivations.derivation import Entry, catalogue
from posproofs.export.latex import MACRO_FILE
from tests.export import lint
from tests.export.texts import math_blocks, texts

ENTRIES = catalogue()
FRAGMENTS = sorted(f"{label}.tex" for label in ENTRIES)


@pytest.mark.parametrize("fmt", ["latex", "markdown", "json", "ipynb"])
def test_texts_are_ascii_and_every_entry_has_one(fmt: str) -> None:
    assert {name: bad for name, text in texts(fmt).items() if (bad := lint.bad_letters(text))} == {}
    assert set(ENTRIES) <= {name.rpartition(".")[0] for name in texts(fmt)}


def test_fragments_have_short_lines_and_known_macros() -> None:
    found = {name: texts("latex")[name] for name in FRAGMENTS}
    assert {name: lines for name, text in found.items() if (lines := lint.long_lines(text))} == {}
    assert {name: bad for name, text in found.items() if (bad := lint.foreign_macros(text, lint.LATEX))} == {}


def test_labels_are_prefixed_and_there_is_one_for_each_step() -> None:
    assert lint.repeated_labels(texts("latex")) == []
    assert lint.broken_references(texts("latex").values()) == []
    for label, entry in ENTRIES.items():
        assert lint.labels(texts("latex")[f"{label}.tex"]) == [f"pp:{label}:{k}" for k in range(1, steps(entry) + 1)]


def steps(entry: Entry) -> int:
    """Rows that say something: all of a table, all but the first of a chain, the equation of a theorem."""
    report = entry.check()
    match entry.kind:
        case "table":
            return len(report.steps)
        case "derivation":
            return len(report.steps) - 1
        case _:
            return int(report.theorem is not None)


def test_markdown_blocks_use_no_macro_that_github_refuses() -> None:
    blocks = {name: "\n".join(math_blocks(text)) for name, text in texts("markdown").items()}
    assert any(blocks.values())
    assert {name: bad for name, text in blocks.items() if (bad := lint.foreign_macros(text, lint.SHARED))} == {}
    assert not any("$" in text for text in blocks.values())


def test_every_macro_is_provided_so_that_a_paper_may_redefine_it() -> None:
    macros = texts("latex")[MACRO_FILE].splitlines()[1:]
    assert all(line.startswith(r"\providecommand{\pp") for line in macros)
    used = {
        word for name in FRAGMENTS for word in lint.LATEX if f"\\{word}" in texts("latex")[name] and word[:2] == "pp"
    }
    assert used == {line.split("}")[0].removeprefix(r"\providecommand{" + "\\") for line in macros}


def test_errata_are_marked() -> None:
    for label, entry in ENTRIES.items():
        text = " ".join(texts("latex")[f"{label}.tex"].split())
        assert ("As printed in" in text) == (entry.kind == "erratum")
        assert (r"\emph{First false row:} row 1" in text) == (entry.kind == "erratum")


def test_planted_defects_are_seen() -> None:
    assert lint.bad_letters("caf\u00e9\n") == ["'\u00e9'"]
    assert lint.bad_letters("a\tb") == ["'\\t'", "no line feed at the end"]
    assert lint.long_lines("x\n" + "y" * 101 + "\n") == [2]
    assert lint.foreign_macros(r"\operatorname{softmax} \begin{array}", lint.SHARED) == ["array", "operatorname"]
    assert lint.foreign_macros(r"\ppvec{x} \label{a}", lint.SHARED) == ["label", "ppvec"]
    assert lint.repeated_labels({"a": r"\label{x}", "b": r"\label{x}\label{y}"}) == ["x"]
    assert lint.broken_references([r"\label{x} \eqref{x} \ref{z}"]) == ["z"]
