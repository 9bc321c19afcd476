"""The ledger: which seeds of which fragment have been tried, and what came of them, kept between runs.

A ledger belongs to one kernel, known by a digest of its source: what was tried of another kernel says nothing. Ranges
of seeds are half-open, and no seed is counted twice.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trials.case import COMPLAINTS, UNDECIDED
from trials.run import Counts

SCHEMA = "posproofs.trials/1"
KERNEL = Path(__file__).resolve().parents[1] / "derivations" / "kernel"
Range = tuple[int, int]


class LedgerError(Exception):
    """Two ledgers, or a ledger and a kernel, that do not belong together. The message says what to do."""


@dataclass(slots=True)
class Entry:
    """What has been tried of one fragment. Complaints are kept as (seed, kind, text)."""

    ranges: list[Range] = field(default_factory=list)
    near: int = 0
    true: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    complaints: list[tuple[int, str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Ledger:
    kernel: str
    fragments: dict[str, Entry] = field(default_factory=dict)


def digest(folder: Path = KERNEL) -> str:
    """Twelve hexadecimal digits of the source of the kernel: of each file its name and text, by name."""
    found = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        found.update(f"{path.name}\0{path.read_text(encoding='utf-8')}\0".encode())
    return found.hexdigest()[:12]


def add(ledger: Ledger, fragment: str, seeds: Range, counts: Counts) -> None:
    """Enter what came of a range of seeds; LedgerError where some of them have been entered before."""
    entry = ledger.fragments.setdefault(fragment, Entry())
    told = [(k, str(complaint.kind), complaint.text) for k, complaint in counts.complaints]
    _enter(entry, Entry([seeds], counts.near, counts.true, counts.outcomes, told), fragment)


def _enter(entry: Entry, more: Entry, fragment: str) -> None:
    entry.ranges = _joined(entry.ranges + more.ranges, fragment)
    entry.near += more.near
    entry.true += more.true
    entry.outcomes.update(more.outcomes)
    entry.complaints = sorted(entry.complaints + more.complaints)


def _joined(ranges: list[Range], fragment: str) -> list[Range]:
    """Ranges in order, neighbours made one."""
    result: list[Range] = []
    for start, stop in sorted(ranges):
        if result and start < result[-1][1]:
            raise LedgerError(f"the seeds {fragment}/{start} to {min(stop, result[-1][1]) - 1} would be counted twice")
        if result and start == result[-1][1]:
            result[-1] = (result[-1][0], stop)
        else:
            result.append((start, stop))
    return result


def merged(one: Ledger, other: Ledger) -> Ledger:
    """Both ledgers as one, which they must be of one kernel and of different seeds for."""
    if one.kernel != other.kernel:
        raise LedgerError(f"one ledger is of kernel {one.kernel}, the other of {other.kernel}; they do not add up")
    result = Ledger(one.kernel)
    for ledger in (one, other):
        for fragment, entry in ledger.fragments.items():
            _enter(result.fragments.setdefault(fragment, Entry()), entry, fragment)
    return result


def untried(entry: Entry, chunk: int) -> Iterator[Range]:
    """Ranges of at most so many seeds that have not been tried, the lowest first, without end."""
    start = 0
    for low, high in entry.ranges:
        while start < low:
            yield start, min(start + chunk, low)
            start = min(start + chunk, low)
        start = high
    while True:
        yield start, start + chunk
        start += chunk


def opened(path: Path, kernel: str) -> Ledger:
    """The ledger of that file, or a new one; LedgerError where it is of another kernel."""
    if not path.exists():
        return Ledger(kernel)
    data = json.loads(path.read_text(encoding="utf-8"))
    if data["schema"] != SCHEMA or data["kernel"] != kernel:
        raise LedgerError(
            f"{path} is the ledger of kernel {data['kernel']}, and this kernel is {kernel}: "
            "what was tried before does not count for it. Move the file away, or name another with --ledger"
        )
    return Ledger(kernel, {name: _entry(entry) for name, entry in data["fragments"].items()})


def _entry(data: dict[str, Any]) -> Entry:
    ranges = [(start, stop) for start, stop in data["ranges"]]
    complaints = [(k, kind, text) for k, kind, text in data["complaints"]]
    return Entry(ranges, data["near"], data["true"], Counter(data["outcomes"]), complaints)


def saved(ledger: Ledger, path: Path) -> None:
    """Write the ledger; the old file stays whole until the new one is."""
    fragments = {
        name: {
            "ranges": entry.ranges,
            "near": entry.near,
            "true": entry.true,
            "outcomes": dict(sorted(entry.outcomes.items())),
            "complaints": entry.complaints,
        }
        for name, entry in ledger.fragments.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    _write(part, {"schema": SCHEMA, "kernel": ledger.kernel, "fragments": fragments})
    part.replace(path)


def recorded(ledger: Ledger, path: Path) -> None:
    """Write the record of a completed run: counts alone, without a date, so that one run has one record."""
    fragments = {name: record(entry, name) for name, entry in ledger.fragments.items()}
    _write(path, {"schema": SCHEMA, "kernel": ledger.kernel, "fragments": fragments})


def record(entry: Entry, fragment: str) -> dict[str, Any]:
    """The counts of one fragment, all seeds of which from the first to the last have been tried."""
    if len(entry.ranges) != 1:
        raise LedgerError(f"the seeds of {fragment} have gaps, {entry.ranges}; let the run end before it is recorded")
    ((first, after),) = entry.ranges
    complaints = Counter(kind for _, kind, _ in entry.complaints)
    return {
        "near": entry.near,
        "true": entry.true,
        "proved": entry.outcomes["proved"],
        "refuted": entry.outcomes["refuted"],
        "undecided": {name: entry.outcomes[name] for name in UNDECIDED if entry.outcomes[name]},
        "true by accident": entry.outcomes["true by accident"],
        **{name: complaints[kind] for kind, name in COMPLAINTS.items()},
        "first seed": first,
        "last seed": after - 1,
    }


def _write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
