"""LaTeX for papers: a fragment for each entry, one file of macros, and a document that includes them all.

A fragment needs amsmath and posproofs-macros.tex; it sets no theorem environment, no section, no counter.
"""

from __future__ import annotations

from collections.abc import Sequence

from posproofs.export.document import Assumption, Document, Meaning, conditions, package_version
from posproofs.export.formula import formula
from posproofs.export.glyphs import MACROS
from posproofs.export.phrases import escaped
from posproofs.export.rows import Line, chain, lines_of

COLUMNS = 100
MACRO_FILE = "posproofs-macros.tex"
MACRO_TEXT = r"""% posproofs-macros.tex: every macro that the fragments use. Your own definition of any of them wins.
\providecommand{\ppvec}[1]{\mathbf{#1}}
\providecommand{\ppmat}[1]{\mathbf{#1}}
\providecommand{\ppunit}{\mathrm{i}}
\providecommand{\pptop}{\top}
\providecommand{\ppRe}{\mathrm{Re}}
\providecommand{\ppIm}{\mathrm{Im}}
\providecommand{\ppd}{\mathrm{d}}
"""


def fragment(document: Document) -> str:
    """One entry: title, assumptions, definitions, rows; of an erratum what was printed and where it fails."""
    # One group, so that the style of its paragraphs ends with it; displays belong to the paragraph before them, as a
    # paragraph that starts with a display has an empty line in front.
    body = ["{\\raggedright", *_paragraphs([_head(document), *_assumed(document)])]
    body += [*_definitions(document.meanings), *_display(document)]
    body += [*_paragraphs(_afterwards(document)), *_corrected(document), "\\par}"]
    return "\n".join([*_header(document), *body]) + "\n"


def label(document: Document, number: int) -> str:
    """The label of a row."""
    return f"pp:{document.id}:{number}"


def _header(document: Document) -> list[str]:
    return [
        f"% id: {document.id} ({document.kind})",
        f"% posproofs: {package_version()}; status: {document.status}; digest: {document.digest}",
        f"% needs: amsmath, {MACRO_FILE}",
    ]


def _head(document: Document) -> str:
    words = document.wording(MACROS)
    title = words.sentence(document.title)
    claims = f"; {', '.join(document.claims)}" if document.claims else ""
    source = escaped(f"{document.source}{claims}")
    if document.kind == "erratum":
        return rf"\textbf{{Erratum.}} {_capital(title)}."
    return rf"\textbf{{{_capital(title)}.}} \emph{{({source}; {document.status}.)}}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].isalpha() else text


def _assumed(document: Document) -> list[str]:
    words = document.wording(MACROS)
    sentences = []
    if document.scope and document.scope != "no variables":
        sentences.append(f"{_capital(words.sentence(document.scope))}.")
    sentences += [f"{_capital(words.sentence(place))}." for place in document.places]
    sentences += [f"{said} {_enumerated([*map(_assumption, each)])}." for said, each in conditions(document)]
    return [" ".join(sentences)] if document.kind != "erratum" and sentences else []


def _assumption(assumption: Assumption) -> str:
    left, right = formula(assumption.left, MACROS).text, formula(assumption.right, MACROS).text
    every = f" for every ${', '.join(assumption.forall)}$" if assumption.forall else ""
    return f"${left} {assumption.relation} {right}${every}"


def _enumerated(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _definitions(meanings: Sequence[Meaning]) -> list[str]:
    if not meanings:
        return []
    lines = []
    for k, meaning in enumerate(meanings):
        name, body = formula(meaning.name, MACROS).text, formula(meaning.body, MACROS).text
        head = r"\text{where } " if k == 0 else ""
        lines.append(Line(f"{head}{name} &= {body}"))
    return ["\\begin{align*}", *_lines(lines, {}), "\\end{align*}"]


def _display(document: Document) -> list[str]:
    if not document.rows:
        return []
    lines = lines_of(document, document.wording(MACROS))
    labels = {row.number: label(document, row.number) for row in document.rows if row.number}
    return ["\\begin{align}", *_lines(lines, labels), "\\end{align}"]


def _corrected(document: Document) -> list[str]:
    """The corrected form of an erratum, without a number: it has one where it is derived."""
    if not document.correction:
        return []
    return ["\\begin{align*}", *_lines(chain(document.correction, document.wording(MACROS)), {}), "\\end{align*}"]


def _lines(lines: Sequence[Line], labels: dict[int, str]) -> list[str]:
    """Source lines of an aligned display, at most COLUMNS wide: every row but the last ends in two backslashes."""
    written: list[str] = []
    for k, line in enumerate(lines):
        mark = rf" \label{{{labels[line.number]}}}" if line.number in labels else r" \notag" if labels else ""
        end = r" \\" if k < len(lines) - 1 else ""
        written += _folded(f"{line.text}{mark}{end}")
    return written


def _paragraphs(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in (r"\par\noindent", *_folded(text, indent=""))]


def _folded(text: str, indent: str = "  ") -> list[str]:
    """Source lines of at most COLUMNS letters, broken at spaces; TeX reads the break as a space."""
    lines = [indent]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) + 1 > COLUMNS and lines[-1].strip():
            lines.append(f"{indent}  ")
        lines[-1] += word if lines[-1].strip() == "" else f" {word}"
    return lines


def _afterwards(document: Document) -> list[str]:
    words = document.wording(MACROS)
    found = []
    if document.kind == "erratum":
        found.append(_erratum(document))
    if document.rests_on:
        listed = ", ".join(rf"\texttt{{{_code(one)}}}" for one in document.rests_on)
        found.append(f"Cited, not proved here: a conclusion in words from {listed}.")
    if document.lemmas:
        sentences = " ".join(words.sentence(lemma) for lemma in document.lemmas)
        found.append(rf"\emph{{Cited:}} {sentences}")
    return found


def _erratum(document: Document) -> str:
    words = document.wording(MACROS)
    printed = words.sentence(document.printed)
    source = escaped(document.source)
    fails = words.sentence(document.fails)
    return (
        rf"As printed in {source}: {printed}. \emph{{First false row:}} row 1, {document.status}: {fails}. "
        rf"\emph{{Corrected:}} see \texttt{{{_code(document.corrected)}}}."
    )


def _code(name: str) -> str:
    return name.replace("_", r"\_")


def standalone(documents: Sequence[Document]) -> str:
    """A document of its own that includes every fragment, and compiles without a warning."""
    includes = [rf"\input{{{document.id}.tex}}\bigskip" for document in documents]
    return "\n".join([*_PREAMBLE, *includes, r"\end{document}"]) + "\n"


_PREAMBLE = (
    r"\documentclass{article}",
    r"\usepackage[T1]{fontenc}",
    r"\usepackage{lmodern}",
    r"\usepackage{amsmath}",
    rf"\input{{{MACRO_FILE}}}",
    r"\pagestyle{plain}",
    r"\begin{document}",
)
