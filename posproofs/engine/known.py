"""Failures that are known: each stands in known.toml with its reason, its versions and the digest of its witness.

The list cannot rot. An entry that no longer fails, that fails otherwise, or that names nothing, is itself an error with
a line that says what to do.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib.resources import files

from posproofs.errors import UsageError

SHORTEST_REASON = 20  # characters; "flaky" and "to do" explain nothing


@dataclass(frozen=True, slots=True)
class Entry:
    """One known failure. `versions` are the exact releases of the subject's package that it was seen in."""

    subject: str
    law: str
    digest: str
    reason: str
    versions: tuple[str, ...]


def shipped() -> tuple[Entry, ...]:
    """The list that comes with posproofs."""
    return parsed((files("posproofs.production") / "known.toml").read_text(encoding="utf-8"))


def parsed(text: str) -> tuple[Entry, ...]:
    """The entries of a list in TOML; raises UsageError for one that is not complete."""
    rows = tomllib.loads(text).get("known", [])
    return tuple(_entry(number, row) for number, row in enumerate(rows, 1))


def _entry(number: int, row: dict[str, object]) -> Entry:
    wanted = [f.name for f in fields(Entry)]
    if sorted(row) != sorted(wanted):
        raise UsageError(f"known failure {number} has the keys {sorted(row)}; wanted {sorted(wanted)}")
    versions = row["versions"]
    if not isinstance(versions, list) or not versions or not all(isinstance(v, str) for v in versions):
        raise UsageError(f"known failure {number}: versions is a list of exact versions, saw {versions!r}")
    texts = {name: str(row[name]) for name in wanted if name != "versions"}
    if len(texts["reason"]) < SHORTEST_REASON:
        raise UsageError(f"known failure {number}: the reason {texts['reason']!r} is too short to explain anything")
    return Entry(**texts, versions=tuple(versions))


def unknown(entries: Iterable[Entry], subjects: Iterable[str], laws: Iterable[str]) -> tuple[str, ...]:
    """A line for each entry that names no subject or no law, and for each that stands twice."""
    known = {"subject": sorted(subjects), "law": sorted(laws)}
    lines = []
    seen: set[tuple[str, str, str]] = set()
    for entry in entries:
        for what, name in (("subject", entry.subject), ("law", entry.law)):
            if name not in known[what]:
                close = get_close_matches(name, known[what], n=1)
                hint = f"; did you mean {close[0]}?" if close else ""
                lines.append(f"known.toml names the unknown {what} {name!r}{hint}")
        for version in entry.versions:
            key = (entry.subject, entry.law, version)
            if key in seen:
                lines.append(f"known.toml lists {entry.law} on {entry.subject} {version} twice; keep one")
            seen.add(key)
    return tuple(lines)


def lookup(entries: Iterable[Entry], subject: str, law: str, version: str) -> Entry | None:
    """The entry for this law on this release of the subject."""
    for entry in entries:
        if (entry.subject, entry.law) == (subject, law) and version in entry.versions:
            return entry
    return None


def fixed(entry: Entry) -> str:
    """The line for an entry whose law is no longer broken."""
    return f"known.toml lists {entry.law} on {entry.subject}, but it is not broken; remove the entry"


def changed(entry: Entry, now: str) -> str:
    """The line for an entry that fails with another witness."""
    return (
        f"known.toml lists {entry.law} on {entry.subject} with digest {entry.digest}, but it fails with {now}; "
        "look at the witness, then correct the entry"
    )
