"""What a fragment or a Markdown block may contain: letters, line lengths, macros, labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

COLUMNS = 100
_MATH = (
    "alpha bigoplus cos det dots exp flat frac ge in lambda langle le left log mathbf mathrm ne omega overline overset "
    "phi pi pm pmatrix qquad quad rangle right sin smallmatrix sum text tfrac theta times to top cdot"
)
SHARED = frozenset(_MATH.split()) | {"begin", "end"}
_PAPER = "raggedright noindent par textbf emph texttt label notag ppvec ppmat ppunit pptop ppRe ppIm ppd"
LATEX = SHARED | frozenset(_PAPER.split())
ENVIRONMENTS = frozenset({"align", "align*", "aligned", "pmatrix", "smallmatrix"})


def bad_letters(text: str) -> list[str]:
    """Anything but printable ASCII and line feeds, and a text that does not end in one."""
    found = sorted({repr(letter) for letter in text if letter != "\n" and not " " <= letter <= "~"})
    return found if text.endswith("\n") else [*found, "no line feed at the end"]


def long_lines(text: str) -> list[int]:
    """Numbers of the lines that are too long."""
    return [k for k, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


def foreign_macros(text: str, allowed: frozenset[str]) -> list[str]:
    """Control words and environments that the target does not promise to know."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    words = set(re.findall(r"\\([A-Za-z]+)", code)) - allowed
    environments = set(re.findall(r"\\begin\{([^}]*)\}", code)) - ENVIRONMENTS
    return sorted(words | environments)


def labels(text: str) -> list[str]:
    """The labels that a text sets."""
    return re.findall(r"\\label\{([^}]*)\}", text)


def broken_references(texts: Iterable[str]) -> list[str]:
    """References to labels that none of the texts sets."""
    known = {label for text in texts for label in labels(text)}
    used = {one for text in texts for one in re.findall(r"\\(?:eq)?ref\{([^}]*)\}", text)}
    return sorted(used - known)


def repeated_labels(texts: Mapping[str, str]) -> list[str]:
    """Labels that are set more than once."""
    every = [label for text in texts.values() for label in labels(text)]
    return sorted({label for label in every if every.count(label) > 1})
