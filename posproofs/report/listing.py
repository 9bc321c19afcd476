"""`posproofs list`: what there is, with its status, as aligned text or as JSON (`posproofs.list/1`).

The status of a theorem is decided anew each time, never remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from derivations.claims import all_claims
from derivations.derivation import catalogue
from posproofs.laws import LAWS
from posproofs.production import SUBJECTS, installed
from posproofs.report.document import as_text
from posproofs.report.layout import counted, table

LIST = "posproofs.list/1"
Rows = list[dict[str, Any]]


def listing(sections: Sequence[str]) -> str:
    """The sections one after the other, each with a line that counts it."""
    return "\n".join(_section(name, _ROWS[name]()) for name in sections)


def listing_json(sections: Sequence[str]) -> str:
    """The same rows as JSON."""
    return as_text({"schema": LIST, **{name: _ROWS[name]() for name in sections}})


def _section(name: str, rows: Rows) -> str:
    cells = [[_cell(value) for value in row.values()] for row in rows]
    heads = [[head.replace("_", " ") for head in rows[0]]] if rows else []
    return f"{name}\n{table([*heads, *cells])}  {_SUMMARY[name](rows)}\n"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return (", ".join(map(str, value)) or "-") if isinstance(value, list) else str(value)


def theorem_rows() -> Rows:
    """Every entry of the catalogue."""
    return [
        {
            "id": entry.id,
            "kind": entry.kind,
            "status": entry.check().status,
            "claims": list(entry.claims),
            "title": entry.title,
        }
        for entry in catalogue().values()
    ]


def claim_rows() -> Rows:
    """Every claim of the sources; `answered_by` names entries of the catalogue and laws."""
    answered: dict[str, list[str]] = {}
    named = [(one.id, one.claims) for one in catalogue().values()] + [(law.id, law.claims) for law in LAWS]
    for answer, answers in named:
        for claim in answers:
            answered.setdefault(claim, []).append(answer)
    claims = (claim for whole in all_claims() for claim in (whole, *whole.parts))
    return [
        {
            "id": claim.id,
            "as_written": claim.status.value,
            "title": claim.title,
            "answered_by": list(dict.fromkeys(answered.get(claim.id, []))),
        }
        for claim in claims
    ]


def law_rows() -> Rows:
    """Every law, in the order in which a failure explains later ones."""
    rows: Rows = []
    for law in LAWS:
        theorem = law.theorem() if law.theorem is not None else None
        rows.append(
            {
                "id": law.id,
                "family": law.family,
                "theorem": theorem.id if theorem else None,
                "formula_status": theorem.check().status if theorem else "empirical",
                "mutants": len(law.mutants),
                "statement": law.statement,
            }
        )
    return rows


def subject_rows() -> Rows:
    """Every subject; its version is None where the package is not installed."""
    return [
        {
            "name": subject.name,
            "package": subject.package,
            "version": installed(subject),
            "kind": subject.kind,
            "declares": str(subject.convention),
        }
        for subject in SUBJECTS
    ]


def _count_theorems(rows: Rows) -> str:
    kinds = dict.fromkeys(row["kind"] for row in rows)
    each = (f"{sum(1 for row in rows if row['kind'] == kind)} {kind}" for kind in kinds)
    return f"{counted(len(rows), 'entry', 'entries')}: {', '.join(each)}"


def _count_claims(rows: Rows) -> str:
    whole = len(all_claims())
    answered = sum(1 for row in rows if row["answered_by"])
    parts = counted(len(rows) - whole, "lettered part")
    return f"{counted(whole, 'claim')} and {parts}: {answered} answered, {len(rows) - answered} not yet"


def _count_laws(rows: Rows) -> str:
    empirical = sum(1 for row in rows if row["theorem"] is None)
    return f"{counted(len(rows), 'law')}: {len(rows) - empirical} rest on a theorem, {empirical} empirical"


def _count_subjects(rows: Rows) -> str:
    missing = sum(1 for row in rows if row["version"] is None)
    return f"{counted(len(rows), 'subject')}: {len(rows) - missing} installed, {missing} not"


_ROWS: dict[str, Callable[[], Rows]] = {
    "theorems": theorem_rows,
    "claims": claim_rows,
    "laws": law_rows,
    "subjects": subject_rows,
}
_SUMMARY: dict[str, Callable[[Rows], str]] = {
    "theorems": _count_theorems,
    "claims": _count_claims,
    "laws": _count_laws,
    "subjects": _count_subjects,
}
