"""Markdown: for GitHub with math fences, and for notebook cells with double dollars.

GitHub refuses \\operatorname, \\newcommand and \\label and trips over dollars next to each other, so formulas in
sentences are code spans there; displays use the expanded style and no macro.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from posproofs.export.document import Assumption, Document, conditions
from posproofs.export.formula import formula
from posproofs.export.glyphs import EXPANDED
from posproofs.export.phrases import Wording, parts
from posproofs.export.rows import Line, chain, lines_of

WIDTH = 460.0  # points: what a page of GitHub, or a notebook, shows of ten-point formulas


@dataclass(frozen=True, slots=True)
class Flavour:
    """How a kind of Markdown marks a display and a formula in a sentence."""

    opening: str
    closing: str
    inline: str  # code or dollars


GITHUB = Flavour("```math\n", "\n```", "code")
NOTEBOOK = Flavour("$$\n", "\n$$", "dollars")


def markdown(document: Document, flavour: Flavour = GITHUB) -> str:
    """The whole document under a heading of the third level."""
    words = document.wording(EXPANDED)
    blocks = [f"### {sentence(_capital(document.title), words, flavour)}", _status(document)]
    blocks += _conditions(document, words, flavour)
    blocks += [display(_meanings(document), flavour)] if document.meanings else []
    blocks += [display(lines_of(document, words, width=WIDTH), flavour)] if document.rows else []
    blocks += _erratum(document, words, flavour)
    blocks += _cited(document, words, flavour)
    return "\n\n".join(blocks) + "\n"


def display(lines: Sequence[Line], flavour: Flavour) -> str:
    """An aligned display."""
    body = " \\\\\n".join(f"  {line.text}" for line in lines)
    return f"{flavour.opening}\\begin{{aligned}}\n{body}\n\\end{{aligned}}{flavour.closing}"


def sentence(phrase: str, words: Wording, flavour: Flavour) -> str:
    """A phrase in a sentence."""
    return "".join(_part(part.kind, part.text, words, flavour) for part in parts(phrase, words.names))


def _part(kind: str, text: str, words: Wording, flavour: Flavour) -> str:
    if kind == "words":
        return re.sub(r"([\\`*_{}\[\]<>#|$])", r"\\\1", text)
    return f"`{text}`" if flavour.inline == "code" else f"${words.typeset(text)}$"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].isalpha() and not re.match(r"\w[\W_]*[\^_(=]", text) else text


def _status(document: Document) -> str:
    said = re.sub(r"([*_<>])", r"\\\1", document.source)
    claims = f"; {', '.join(document.claims)}" if document.claims else ""
    return f"`{document.id}`: {document.kind}, **{document.status}**. {said}{claims}."


def _conditions(document: Document, words: Wording, flavour: Flavour) -> list[str]:
    scoped = document.scope and document.scope != "no variables" and document.kind != "erratum"
    found = [document.scope] if scoped else []
    found += document.places
    sentences = [f"{_capital(sentence(one, words, flavour))}." for one in found]
    for said, each in conditions(document):
        sentences.append(f"{said} {' and '.join(_assumption(one, flavour) for one in each)}.")
    return [" ".join(sentences)] if sentences else []


def _assumption(assumption: Assumption, flavour: Flavour) -> str:
    if flavour.inline == "code":
        return f"`{assumption.text}`"
    left, right = formula(assumption.left, EXPANDED).text, formula(assumption.right, EXPANDED).text
    every = f" for every ${', '.join(assumption.forall)}$" if assumption.forall else ""
    return f"${left} {assumption.relation} {right}${every}"


def _meanings(document: Document) -> list[Line]:
    pairs = [(formula(m.name, EXPANDED).text, formula(m.body, EXPANDED).text) for m in document.meanings]
    first = r"\text{where } "
    return [Line(f"{'' if k else first}{name} &= {body}") for k, (name, body) in enumerate(pairs)]


def _erratum(document: Document, words: Wording, flavour: Flavour) -> list[str]:
    if document.kind != "erratum":
        return []
    blocks = [
        f"As printed in {document.source}: {sentence(document.printed, words, flavour)}",
        f"First false row: row 1, {document.status}: {sentence(document.fails, words, flavour)}",
        f"Corrected: `{document.corrected}`",
    ]
    return [
        *blocks,
        *([display(chain(document.correction, words, width=WIDTH), flavour)] if document.correction else []),
    ]


def _cited(document: Document, words: Wording, flavour: Flavour) -> list[str]:
    listed = ", ".join(f"`{one}`" for one in document.rests_on)
    blocks = [f"Cited, not proved here: a conclusion in words from {listed}."] if listed else []
    return [*blocks, *(f"Cited: {sentence(lemma, words, flavour)}" for lemma in document.lemmas)]
