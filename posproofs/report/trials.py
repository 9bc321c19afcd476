"""The record of the random trials that the kernel came through: for each fragment how many, and what came out.

`make trials` writes the record beside the pages (`docs/trials.json`); nothing here runs a trial. A fragment is named
for what its statements are about, and stands for the kernel modules that decide such statements.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from posproofs.errors import UsageError

SCHEMA = "posproofs.trials/1"
FRAGMENTS: Mapping[str, tuple[str, ...]] = {
    "values": ("values",),
    "quotients": ("quotients",),
    "sums": ("sums",),
    "words": ("words",),
    "blocks": ("matrices",),
    "indices": ("cells", "indices"),
    "hypotheses": ("inference", "rules"),
    "towers": ("towers",),
}
# What every statement of every fragment goes through, so that no fragment of its own is about it.
THROUGH = frozenset(
    {
        *("errors", "budget", "sealed", "nodes", "terms", "layouts", "roles", "statement", "shapes"),
        *("evaluate", "models"),
        *("points", "balls", "fixed_point", "search", "prove", "theorem"),
    }
)
# What turns terms into values for emitted and for exported code; no theorem of the catalogue rests on it.
BESIDE = frozenset({"instantiate"})
_COUNTS = ("near", "true", "proved", "refuted", "true by accident")
_WRONG = ("false proofs", "false refutations", "crashes", "too slow")


@dataclass(frozen=True, slots=True)
class Survived:
    """What one fragment came through: near-identities and true ones that were asked, and the answers of the kernel."""

    near: int
    true: int
    proved: int
    refuted: int
    by_accident: int  # near-identities that are true all the same, as no oracle tells their sides apart
    undecided: int
    wrong: int  # false proofs, false refutations, crashes, and cases that took too long


@dataclass(frozen=True, slots=True)
class Record:
    """A completed run: the digest of the kernel that was tried, and each fragment."""

    kernel: str
    fragments: Mapping[str, Survived]


def recorded() -> Record | None:
    """The record that is shipped with the package; None before the first completed run."""
    stored = files("posproofs").joinpath("docs", "trials.json")
    return parsed(stored.read_text(encoding="utf-8")) if stored.is_file() else None


def parsed(text: str) -> Record:
    """The record in that JSON. Raises UsageError where it is not what `make trials` writes."""
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema {data['schema']!r}")
        found = {name: _survived(counts) for name, counts in data["fragments"].items()}
        record = Record(str(data["kernel"]), found)
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise UsageError(f"the record of trials is not of {SCHEMA}: {wrong!r}; write it again: make trials") from wrong
    unknown = sorted(found.keys() - FRAGMENTS.keys())
    if unknown:
        known = ", ".join(FRAGMENTS)
        raise UsageError(f"the record of trials has the unknown fragments {', '.join(unknown)}; wanted some of {known}")
    return record


def _survived(counts: Mapping[str, Any]) -> Survived:
    near, true, proved, refuted, by_accident = (int(counts[name]) for name in _COUNTS)
    undecided = sum(map(int, counts["undecided"].values()))
    return Survived(near, true, proved, refuted, by_accident, undecided, sum(int(counts[name]) for name in _WRONG))


def fragments_of(modules: Iterable[str]) -> tuple[str, ...]:
    """The fragments behind a theorem that rests on these modules of the kernel."""
    resting = set(modules)
    return tuple(name for name, own in FRAGMENTS.items() if resting.intersection(own))


def kernel_digest() -> str:
    """Twelve hexadecimal digits of the kernel's source, as the record carries them."""
    found = hashlib.sha256()
    sources = [one for one in files("derivations").joinpath("kernel").iterdir() if one.name.endswith(".py")]
    for one in sorted(sources, key=lambda one: one.name):
        found.update(f"{one.name}\0{one.read_text(encoding='utf-8')}\0".encode())
    return found.hexdigest()[:12]
