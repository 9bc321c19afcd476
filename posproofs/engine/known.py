"""Failures that are known: each is listed with its reason, its versions and the digest of its witness.

Those of the shipped subjects stand in known.toml, those of somebody's own code in their pyproject.toml, as
[[tool.posproofs.known]]; there the versions may be left out. The list cannot rot.
An entry that no longer fails, that fails otherwise, or that names nothing, is itself an error with a line that says
what to do.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from posproofs.errors import UsageError

SHORTEST_REASON = 20  # characters; "flaky" and "to do" explain nothing


@dataclass(frozen=True, slots=True)
class Entry:
    """One known failure. `versions` are the exact releases of the subject's package that it was seen in; none: any.

    file: the name of the file that lists it.
    """

    subject: str
    law: str
    digest: str
    reason: str
    versions: tuple[str, ...]
    file: str = "known.toml"


def shipped() -> tuple[Entry, ...]:
    """The list that comes with posproofs."""
    return parsed((files("posproofs.production") / "known.toml").read_text(encoding="utf-8"))


def own(folder: Path) -> tuple[Entry, ...]:
    """The list of somebody's own code, in the pyproject.toml of that folder; raises UsageError for what is no list."""
    path = folder / "pyproject.toml"
    if not path.is_file():
        return ()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("posproofs", {})
    except ValueError as refused:
        raise UsageError(f"{path.name} cannot be read: {refused}") from refused
    if not isinstance(table, dict) or set(table) - {"known"} or not isinstance(table.get("known", []), list):
        raise UsageError(f"{path.name}: wanted [[tool.posproofs.known]] alone in tool.posproofs, saw {table}")
    return tuple(_entry(number, {"versions": None, **row}, path.name) for number, row in _numbered(table))


def parsed(text: str) -> tuple[Entry, ...]:
    """The entries of a list in TOML; raises UsageError for one that is not complete."""
    return tuple(_entry(number, row, "known.toml") for number, row in _numbered(tomllib.loads(text)))


def _numbered(table: dict[str, Any]) -> Iterable[tuple[int, dict[str, object]]]:
    return enumerate(table.get("known", []), 1)


def _entry(number: int, row: dict[str, object], file: str) -> Entry:
    """versions: None where they may be left out, and are."""
    wanted = [f.name for f in fields(Entry) if f.name != "file"]
    if sorted(row) != sorted(wanted):
        raise UsageError(f"known failure {number} has the keys {sorted(row)}; wanted {sorted(wanted)}")
    versions = () if row["versions"] is None else _versions(number, row["versions"])
    texts = {name: str(row[name]) for name in wanted if name != "versions"}
    if len(texts["reason"]) < SHORTEST_REASON:
        raise UsageError(f"known failure {number}: the reason {texts['reason']!r} is too short to explain anything")
    return Entry(**texts, versions=versions, file=file)


def _versions(number: int, versions: object) -> tuple[str, ...]:
    if not isinstance(versions, list) or not versions or not all(isinstance(v, str) for v in versions):
        raise UsageError(f"known failure {number}: versions is a list of exact versions, saw {versions!r}")
    return tuple(versions)


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
                lines.append(f"{entry.file} names the unknown {what} {name!r}{hint}")
        for version in entry.versions or ("in any version",):
            key = (entry.subject, entry.law, version)
            if key in seen:
                lines.append(f"{entry.file} lists {entry.law} on {entry.subject} {version} twice; keep one")
            seen.add(key)
    return tuple(lines)


def of(entries: Iterable[Entry], subject: str) -> tuple[Entry, ...]:
    """The entries of one subject."""
    return tuple(entry for entry in entries if entry.subject == subject)


def astray(entries: Iterable[Entry], subject: str, laws: Iterable[str]) -> tuple[str, ...]:
    """As `unknown`, for a run on one piece of somebody's code: what is listed for other code that there is may stay."""
    listed = tuple(entries)
    others = (e.subject for e in listed if _may_be(e.subject))
    return unknown(listed, (subject, *others), laws)


def _may_be(subject: str) -> bool:
    """Whether it names code: package.module:object, or path/file.py:object with a file that is there."""
    where, colon, _ = subject.partition(":")
    return bool(colon) and (Path(where).is_file() or not where.endswith(".py"))


def lookup(entries: Iterable[Entry], subject: str, law: str, version: str) -> Entry | None:
    """The entry for this law on this release of the subject."""
    for entry in entries:
        if (entry.subject, entry.law) == (subject, law) and (version in entry.versions or not entry.versions):
            return entry
    return None


def fixed(entry: Entry) -> str:
    """The line for an entry whose law is no longer broken."""
    return f"{entry.file} lists {entry.law} on {entry.subject}, but it is not broken; remove the entry"


def changed(entry: Entry, now: str) -> str:
    """The line for an entry that fails with another witness."""
    return (
        f"{entry.file} lists {entry.law} on {entry.subject} with digest {entry.digest}, but it fails with {now}; "
        "look at the witness, then correct the entry"
    )
