"""What Jupyter shows for entries, theorems, refutations and verdicts: `%load_ext posproofs`.

The formatters are registered from outside, so neither the kernel nor the derivations know of Jupyter, and importing
posproofs inside IPython changes nothing by itself. Each object comes as text, LaTeX and Markdown; a front end takes
the form that it likes best.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from derivations.derivation import Entry, Report
from derivations.kernel import Refuted, Theorem, Undecided
from derivations.plain import statement_text, term_text
from posproofs.export.document import Document, document
from posproofs.export.glyphs import EXPANDED
from posproofs.export.markdown import NOTEBOOK, WIDTH, markdown
from posproofs.export.plain import text
from posproofs.export.rows import Line, lines_of
from posproofs.export.theorems import theorem_document

Bundle = dict[str, str]


class LawLike(Protocol):
    """How a law came out, as posproofs.engine records it."""

    id: str
    outcome: str
    reason: str


class SubjectLike(Protocol):
    """What the laws say of an implementation, as posproofs.engine records it."""

    name: str
    package: str
    version: str
    convention: str
    verdict: str
    laws: Sequence[LawLike]


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext` calls."""
    register(shell)


def register(shell: Any = None) -> None:
    """Teach an IPython shell, by default the running one, to show what posproofs returns.

    Raises RuntimeError outside IPython.
    """
    formatter = _formatter(shell)
    formatter.for_type(Entry, entry_bundle)
    formatter.for_type(Report, report_bundle)
    formatter.for_type(Theorem, theorem_bundle)
    formatter.for_type(Refuted, refuted_bundle)
    formatter.for_type(Undecided, undecided_bundle)
    # By name, as the engine stands above this package and is not loaded by everyone who reads a derivation.
    formatter.for_type_by_name("posproofs.engine.records", "SubjectRecord", subject_bundle)


def _formatter(shell: Any) -> Any:
    if shell is None:
        from IPython import get_ipython

        shell = get_ipython()
    if shell is None:
        raise RuntimeError("no IPython shell is running; call register(shell) with the shell that is to be taught")
    return shell.display_formatter.mimebundle_formatter


def entry_bundle(entry: Entry, **_: object) -> Bundle:
    """A derivation, theorem, citation or erratum with all its rows."""
    return _bundle(document(entry))


def report_bundle(report: Report, **_: object) -> Bundle:
    """How an entry was decided: the theorem if there is one, otherwise the status and the row that failed."""
    if report.theorem is not None:
        return theorem_bundle(report.theorem)
    said = f"{report.status}: {report.detail}" if report.detail else report.status
    return {"text/plain": said, "text/markdown": _code(said)}


def theorem_bundle(theorem: Theorem, **_: object) -> Bundle:
    """A theorem as an equation, with its scope and hypotheses."""
    return _bundle(theorem_document(theorem)) | {"text/plain": f"proved: {statement_text(theorem.statement)}"}


def refuted_bundle(refuted: Refuted, **_: object) -> Bundle:
    """A statement that is false, and where."""
    left, right = term_text(refuted.statement.left), term_text(refuted.statement.right)
    said = f"refuted: {left} = {right} is false {refuted.text()}"
    return {"text/plain": said, "text/markdown": _code(said)}


def undecided_bundle(undecided: Undecided, **_: object) -> Bundle:
    """A statement that is open, and why."""
    said = f"undecided: {statement_text(undecided.statement)}: {undecided.reason} ({undecided.detail})"
    return {"text/plain": said, "text/markdown": _code(said)}


def subject_bundle(subject: SubjectLike, **_: object) -> Bundle:
    """An implementation: its verdict, and one line for each law."""
    head = f"{subject.name} ({subject.package} {subject.version}): {subject.verdict}; {subject.convention}"
    rows = [(law.id, str(law.outcome), law.reason) for law in subject.laws]
    plain = "\n".join([head, *(f"  {' '.join(filter(None, row))}" for row in rows)])
    return {"text/plain": plain, "text/markdown": f"**{head}**\n\n{_table(('law', 'outcome', 'reason'), rows)}"}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _code(said: str) -> str:
    return f"```text\n{said}\n```"


def _bundle(shown: Document) -> Bundle:
    found = {"text/plain": text(shown).rstrip("\n"), "text/markdown": markdown(shown, NOTEBOOK)}
    if shown.rows:
        found["text/latex"] = inline_display(lines_of(shown, shown.wording(EXPANDED), width=WIDTH))
    return found


def inline_display(lines: Sequence[Line]) -> str:
    """A display that every front end typesets: `align` inside dollars is refused, `aligned` is not."""
    body = r" \\ ".join(line.text for line in lines)
    return rf"$\displaystyle \begin{{aligned}} {body} \end{{aligned}}$"
