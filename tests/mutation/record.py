"""The record of the last run: how many mutants each module has and how many die, and why the others live.

It is kept in `record.toml`. The numbers are written by `make mutation`; the reasons are written by people, and a run
keeps those of the mutants that it meets again.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant, mutants_of, optional_names
from tests.repo.sources import ROOT

RECORD = ROOT / "tests/mutation/record.toml"
KERNEL = ROOT / "derivations/kernel"
LEAST_SCORE = 0.95
DRIFT = 0.1  # a module may change by so much before its numbers are those of another module
HEADER = """\
# Mutation testing of derivations/kernel by tests/derivations/kernel: `make mutation` writes the numbers and adds
# survivors; each survivor needs a reason, in one line, why no test can or should tell it from the kernel.
"""
Key = tuple[str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that all tests pass, and why."""

    key: Key
    reason: str


@dataclass(frozen=True, slots=True)
class Record:
    """For each module its mutants and those killed; and the survivors of all modules."""

    modules: dict[str, tuple[int, int]]
    survivors: tuple[Survivor, ...]


def module_names() -> list[str]:
    """The modules of the kernel that have something to mutate."""
    return [path.stem for path in _paths() if path.stem not in ("__init__", "errors")]


def _paths() -> list[Path]:
    return sorted(KERNEL.glob("*.py"))


def all_mutants(names: Iterable[str]) -> dict[str, list[Mutant]]:
    """The mutants of some modules."""
    optional = optional_names(_paths())
    return {name: mutants_of(KERNEL / f"{name}.py", optional) for name in names}


def read(text: str) -> Record:
    """The record from its text."""
    data = tomllib.loads(text)
    modules = {name: (row["mutants"], row["killed"]) for name, row in data.get("modules", {}).items()}
    survivors = tuple(
        Survivor((s["module"], s["where"], s["text"], s["change"], s["nth"]), s["reason"])
        for s in data.get("survivor", [])
    )
    return Record(modules, survivors)


def written(record: Record) -> str:
    """The record as text, in one order."""
    lines = [HEADER, "[modules]"]
    lines += [f"{name} = {{ mutants = {m}, killed = {k} }}" for name, (m, k) in sorted(record.modules.items())]
    for survivor in record.survivors:
        module, where, text, change, nth = survivor.key
        fields = {"module": module, "where": where, "text": text, "change": change}
        lines += ["", "[[survivor]]", *(f"{name} = {_quoted(value)}" for name, value in fields.items())]
        lines += [f"nth = {nth}", f"reason = {_quoted(survivor.reason)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(text)


def updated(record: Record, mutants: Mapping[str, Sequence[Mutant]], outcome: Mapping[Key, str]) -> Record:
    """The record after a run of some modules; known reasons are kept."""
    reasons = {s.key: s.reason for s in record.survivors}
    modules, kept = dict(record.modules), [s for s in record.survivors if s.key[0] not in mutants]
    for name, found in mutants.items():
        alive = [m.key for m in found if outcome[m.key] == "survived"]
        modules[name] = (len(found), len(found) - len(alive))
        kept += [Survivor(key, reasons.get(key, "")) for key in alive]
    return Record(modules, tuple(sorted(kept, key=lambda s: s.key[0])))


def complaints(record: Record, mutants: Mapping[str, Sequence[Mutant]]) -> list[str]:
    """What is wrong with a record, given the mutants that the kernel has now."""
    found = [f"{name}: not in the record" for name in sorted(mutants.keys() - record.modules.keys())]
    found += [f"{name}: no such module" for name in sorted(record.modules.keys() - mutants.keys())]
    for name, (total, killed) in sorted(record.modules.items()):
        alive = sum(s.key[0] == name for s in record.survivors)
        now = len(mutants.get(name, ()))
        if total - killed != alive:
            found.append(f"{name}: {total - killed} mutants survive, {alive} are listed")
        if abs(now - total) > DRIFT * total:
            found.append(f"{name}: {total} mutants recorded, {now} today; run make mutation")
    total, killed = (sum(row[k] for row in record.modules.values()) for k in (0, 1))
    if killed < LEAST_SCORE * total:
        found.append(f"{killed} of {total} mutants killed, wanted {LEAST_SCORE:.0%}")
    existing = {m.key for module in mutants.values() for m in module}
    keys = [s.key for s in record.survivors]
    for survivor in record.survivors:
        if keys.count(survivor.key) > 1:
            found.append(f"{survivor.key}: listed twice")
        if survivor.key not in existing:
            found.append(f"{survivor.key}: the line is not there any more")
        if len(survivor.reason.split()) < 2 or "\n" in survivor.reason:
            found.append(f"{survivor.key}: wanted a reason in one line")
    return found
