"""Any id as text: a theorem, derivation, erratum, claim, law, subject or lemma. One id may name several things.

A theorem and the law that rests on it often share their id; both are shown, the theorem first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from derivations.claims import Claim, UnknownClaim, all_claims
from derivations.claims import get as claim_of
from derivations.derivation import Entry, Report, catalogue
from derivations.from_sympy import to_term
from derivations.kernel import KernelError
from derivations.lemmas import LEMMAS, Lemma
from derivations.plain import hypothesis_text, scope_text, term_text
from posproofs.errors import UnknownName
from posproofs.laws import LAWS, AnySubject, AttentionSubject, Law, ScoreSubject, Subject, laws_of
from posproofs.production import SUBJECTS, installed
from posproofs.report.layout import labelled
from posproofs.report.proofs import proofs_text
from posproofs.report.trust import trust


def show(name: str) -> str:
    """Everything that the id names, as text. Raises UnknownName with the closest id."""
    return _shown(name, entry_text, subject_text)


def show_trust(name: str) -> str:
    """As `show`; behind each theorem, and behind the proofs about an implementation, stands on what it rests."""
    return _shown(name, _entry_with_trust, _subject_with_proofs)


def _shown(name: str, entry: Callable[[Entry], str], implementation: Callable[[AnySubject], str]) -> str:
    entries = catalogue()
    laws, subjects = {law.id: law for law in LAWS}, {subject.name: subject for subject in SUBJECTS}
    found = [entry(entries[name])] if name in entries else []
    found += [claim_text(claim)] if (claim := _claim(name)) else []
    found += [law_text(laws[name])] if name in laws else []
    found += [implementation(subjects[name])] if name in subjects else []
    found += [lemma_text(LEMMAS[name])] if name in LEMMAS else []
    if not found:
        claims = (c.id for whole in all_claims() for c in (whole, *whole.parts))
        raise UnknownName("id", name, (*entries, *claims, *laws, *subjects, *LEMMAS))
    return "\n".join(found)


def _claim(name: str) -> Claim | None:
    try:
        return claim_of(name)
    except UnknownClaim:
        return None


def _entry_with_trust(entry: Entry) -> str:
    return entry_text(entry) + trust(entry.check(), catalogue())


def _subject_with_proofs(subject: AnySubject) -> str:
    return subject_text(subject) + proofs_text(subject)


def entry_text(entry: Entry) -> str:
    """An entry of the catalogue: what it says, how it stands, and its rows in the author's order."""
    report = entry.check()
    head = labelled(
        (
            ("title", entry.title),
            ("source", entry.source),
            ("claims", ", ".join(entry.claims)),
            ("status", report.status),
            *_said(report),
            ("as printed", entry.printed),
            *_why(entry, report),
            ("corrected", entry.corrected),
            ("cites", ", ".join(report.lemmas)),
        )
    )
    return f"{entry.id} ({entry.kind})\n{head}{_rows(entry, report)}"


def _said(report: Report) -> tuple[tuple[str, str], ...]:
    """Both sides of a theorem on lines of their own, as they are often long."""
    if report.theorem is None:
        return ()
    statement = report.theorem.statement
    return (
        ("states", f"{term_text(statement.left)}\n= {term_text(statement.right)}"),
        ("if", "\n".join(map(hypothesis_text, statement.hypotheses)) or "no hypothesis"),
        ("scope", scope_text(statement)),
    )


def _why(entry: Entry, report: Report) -> tuple[tuple[str, str], ...]:
    """Where the statement fails, with both values there, or why it is not proved."""
    detail = "" if report.detail == entry.title else report.detail
    if detail.startswith("false at "):
        return (("false at", detail.removeprefix("false at ")),)
    return (("because", detail), ("false at", report.refuted_at or ""))


def _rows(entry: Entry, report: Report) -> str:
    """The chain of a derivation; of a citation the entries that it rests on, which are no chain."""
    if not report.steps:
        return ""
    if entry.kind == "citation":
        return "with these entries\n" + labelled(
            (step.verdict, f"{step.expression}\n{step.reason}") for step in report.steps
        )
    pairs = []
    for k, step in enumerate(report.steps):
        pairs.append((f"row {k}", f"{'= ' if k else ''}{expression_text(step.expression)}"))
        pairs.append((" ", f"{step.reason}: {step.verdict}" if k else step.reason))
    return "rows\n" + labelled(pairs)


def expression_text(expression: object) -> str:
    """A row as the term that the kernel saw, or as SymPy prints it where there is no such term."""
    try:
        return term_text(to_term(expression))
    except KernelError:
        return str(expression)


def claim_text(claim: Claim) -> str:
    """A claim of the source documents, how it stands as written, and who answers it."""
    answered = [*answers(claim.id), *(f"{law.id} (law)" for law in LAWS if claim.id in law.claims)]
    head = labelled(
        (
            ("title", claim.title),
            ("source", claim.source),
            ("as written", ", ".join(status.value for status in (claim.status, *claim.also))),
            ("says", claim.statement),
            ("holds", claim.correction),
            ("conditions", claim.conditions),
            ("parts", ", ".join(part.id for part in claim.parts)),
            ("answered", ", ".join(answered) or "by nothing yet"),
        )
    )
    return f"{claim.id} (claim)\n{head}"


def answers(claim: str) -> list[str]:
    """The entries of the catalogue that answer a claim."""
    return [entry.id for entry in catalogue().values() if claim in entry.claims]


def law_text(law: Law) -> str:
    """A law: what code must satisfy, the theorem on which it rests, and the mutants that it kills."""
    theorem = law.theorem() if law.theorem is not None else None
    rests = f"{theorem.id} ({theorem.check().status})" if theorem is not None else "no theorem: the law is empirical"
    head = labelled(
        (
            ("family", law.family),
            ("law", law.statement),
            ("broken", law.consequence),
            ("rests on", rests),
            ("claims", ", ".join(law.claims)),
            ("needs", ", ".join(one.id for one in law.needs) or "no other law"),
            ("kills", "\n".join(f"{mutant.name}: {mutant.defect}" for mutant in law.mutants)),
        )
    )
    return f"{law.id} (law)\n{head}"


def subject_text(subject: AnySubject) -> str:
    """A subject: the released code that is called, and what it declares."""
    head = labelled(
        (
            ("package", subject.package),
            ("installed", installed(subject) or "no"),
            ("kind", subject.kind),
            ("declares", str(subject.convention)),
            *_of(subject),
            ("laws", ", ".join(law.id for law in laws_of(subject))),
        )
    )
    return f"{subject.name} (subject)\n{head}"


def _of(subject: AnySubject) -> tuple[tuple[str, str], ...]:
    match subject:
        case Subject():
            return _of_rotation(subject)
        case ScoreSubject():
            return _of_scores(subject)
    return _of_attention(subject)


def _of_attention(subject: AttentionSubject) -> tuple[tuple[str, str], ...]:
    return (
        ("sizes", "; ".join(map(str, subject.sizes))),
        ("dtypes", ", ".join(subject.dtypes)),
        ("takes", _takes_beside(subject.convention.positions)),
        ("paths", ", ".join(subject.paths)),
    )


def _takes_beside(positions: str) -> str:
    return "hidden states" if positions in ("counted", "none") else "hidden states, positions"


def _of_rotation(subject: Subject) -> tuple[tuple[str, str], ...]:
    return (
        ("widths", ", ".join(map(str, subject.widths))),
        ("dtypes", ", ".join(subject.dtypes)),
        ("takes", _takes(subject)),
        ("gradient", subject.gradient),
    )


def _of_scores(subject: ScoreSubject) -> tuple[tuple[str, str], ...]:
    rows = "a row for each offset" if subject.convention.rows == "given" else "weights for the rows it makes itself"
    return (
        ("sizes", ", ".join(map(str, subject.sizes))),
        ("dtypes", ", ".join(subject.dtypes)),
        ("takes", f"queries, keys, u, v, {rows}"),
    )


def _takes(subject: Subject) -> str:
    rows = "a position for each row" if subject.takes == "positions" else "consecutive rows from a first position"
    return rows if subject.limit is None else f"{rows}, below {subject.limit}"


def lemma_text(lemma: Lemma) -> str:
    """A cited lemma, its source, and the entries that rest on it."""
    users = (entry.id for entry in catalogue().values() if lemma.id in entry.check().lemmas)
    head = labelled((("states", lemma.statement), ("source", lemma.source), ("used by", names(users) or "no entry")))
    return f"{lemma.id} (lemma, cited)\n{head}"


def names(found: Iterable[str]) -> str:
    """Names in the order given, separated by commas."""
    return ", ".join(found)
