"""The first half of what `posproofs verify` prints: theorems, then errata, each beside what holds instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from derivations.derivation import Entry, catalogue
from posproofs.engine.records import TheoremRecord
from posproofs.report.layout import table

_HEAD = ("id", "status", "claims", "what it says")
Entries = Mapping[str, Entry]
SETTLED = frozenset({"proved", "cited"})  # what a theorem, derivation or citation is when nothing is left open
REFUTED = frozenset({"refuted", "ill-typed", "overclaim"})  # what the catalogue expects of an erratum


def is_erratum(record: TheoremRecord) -> bool:
    """Whether the record is about a statement that the sources print and that is wrong."""
    return record.kind == "erratum"


def as_expected(record: TheoremRecord) -> bool:
    """A theorem that is proved or cited, an erratum that is refuted. All else is an open question or worse."""
    return record.status in (REFUTED if is_erratum(record) else SETTLED)


def theorems_text(records: Sequence[TheoremRecord]) -> str:
    """Both tables. Nothing about times: two runs print the same."""
    entries = catalogue()
    errata = [_erratum(record, entries) for record in records if is_erratum(record)]
    rest = [_theorem(record, entries) for record in records if not is_erratum(record)]
    blocks = (_block("theorems", rest), _block("errata", errata))
    return "\n".join(block for block in blocks if block)


def _block(title: str, rows: Sequence[Sequence[str]]) -> str:
    return f"{title}\n{table([_HEAD, *rows])}" if rows else ""


def _row(record: TheoremRecord, text: str) -> tuple[str, str, str, str]:
    return (record.id, record.status, ", ".join(record.claims) or "-", text)


def _theorem(record: TheoremRecord, entries: Entries) -> Sequence[str]:
    if record.id not in entries:
        return _row(record, record.statement)
    entry = entries[record.id]
    lines = [entry.title] if as_expected(record) else [entry.title, _failure(record, entry)]
    return _row(record, "\n".join(lines))


def _erratum(record: TheoremRecord, entries: Entries) -> Sequence[str]:
    if record.id not in entries:
        return _row(record, record.statement)
    entry = entries[record.id]
    printed = f"as printed in {entry.source}: {entry.printed}" if entry.printed else f"printed in {entry.source}"
    corrected = f"corrected: {entry.corrected}{_standing(entry.corrected, entries)}" if entry.corrected else ""
    lines = (entry.title, printed, _failure(record, entry), corrected)
    return _row(record, "\n".join(line for line in lines if line))


def _failure(record: TheoremRecord, entry: Entry) -> str:
    """Where a statement is false, or why it is open."""
    if record.refuted_at:
        return f"false at {record.refuted_at}"
    return entry.check().detail or "no reason was given"


def _standing(corrected: str, entries: Entries) -> str:
    return f" ({entries[corrected].check().status})" if corrected in entries else ""
