"""All fragments compile in article and amsart at 345 pt without a warning or a line that is too wide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from posproofs.export import export
from posproofs.export.exporting import STANDALONE
from tests.export.texts import texts
from tests.export.tools import COMPLAINTS, compiled, need_latex
from tests.repo.sources import ROOT

# A page of nothing but displays has no stretch to fill its height; that is the paper's affair, hence raggedbottom.
PAPER = r"""\documentclass{%s}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage{amsmath}
\newcommand{\ppvec}[1]{\boldsymbol{#1}}
\input{posproofs-macros.tex}
\setlength{\textwidth}{345pt}
\raggedbottom
\begin{document}
%s
\end{document}
"""


def paper(folder: Path, kind: str, body: str) -> list[str]:
    """The complaints of a paper of that class with that body, the fragments beside it."""
    (folder / "paper.tex").write_text(PAPER % (kind, body), encoding="utf-8")
    return compiled(folder, "paper.tex")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_latex()
    made = tmp_path_factory.mktemp("latex")
    export("all", "latex", made)
    return made


def test_make_latex_fails_on_the_same_complaints() -> None:
    """latexmk may end with 0 on a line that is too wide, so the target reads the log."""
    (pattern,) = re.findall(r"@! grep -E '([^']+)' build/latex/posproofs\.log", (ROOT / "Makefile").read_text())
    assert set(pattern.split("|")) == set(COMPLAINTS) - {"! "}  # an error ends latexmk itself


def test_the_stand_alone_document_compiles(folder: Path) -> None:
    assert compiled(folder, STANDALONE) == []
    assert (folder / STANDALONE).with_suffix(".pdf").stat().st_size > 50_000


@pytest.mark.parametrize("kind", ["article", "amsart"])
def test_every_fragment_compiles_in_a_paper(folder: Path, kind: str) -> None:
    inputs = [rf"\input{{{name}}}" for name in texts("latex") if name not in (STANDALONE, "posproofs-macros.tex")]
    assert len(inputs) > 60
    references = r"See \eqref{pp:rotary.relative:1} and \eqref{pp:rotary.relative:2}."
    assert paper(folder, kind, "\n".join([*inputs, references])) == []


@pytest.mark.parametrize(
    ("planted", "complaint"),
    [
        (r"\begin{align*} " + "x + " * 60 + r"x \end{align*}", "Overfull"),
        (r"See \eqref{pp:nothing:1}.", "Warning"),
        (r"\ppnothing", "! "),
        (r"\begin{align} x \label{a} \\ y \label{a} \end{align}", "Warning"),
        (r"\noindent\hbox to 300pt{two words}", "Underfull"),
    ],
)
def test_a_planted_defect_is_seen(folder: Path, planted: str, complaint: str) -> None:
    assert any(complaint in line for line in paper(folder, "article", planted))
