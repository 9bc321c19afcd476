"""Run the mutants of the kernel: `python -m tests.mutation [MODULE ...] [--alive] [--jobs N] [--record]`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence

from tests.mutation import record as records
from tests.mutation import running
from tests.mutation.mutants import Mutant
from tests.mutation.record import Key

# Loaded once, before any child is made; nothing of the project, whose modules the mutants change.
import hypothesis.strategies  # noqa: F401  # isort: skip
import mpmath  # noqa: F401  # isort: skip


def main(arguments: Sequence[str]) -> int:
    """Run, print the survivors, and with --record write the record. Exit 1 where a survivor has no reason yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Mutation tests of the kernel.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="modules of derivations/kernel; all by default")
    parser.add_argument("--jobs", type=int, default=1, help="children at a time")
    parser.add_argument("--alive", action="store_true", help="only the mutants that the record lists as surviving")
    parser.add_argument("--record", action="store_true", help="write tests/mutation/record.toml")
    options = parser.parse_args(arguments)
    unknown = set(options.modules) - set(records.module_names())
    if unknown:
        parser.error(f"no modules {sorted(unknown)}; wanted some of {', '.join(records.module_names())}")
    started = time.monotonic()
    mutants = records.all_mutants(options.modules or records.module_names())
    known = records.read(records.RECORD.read_text(encoding="utf-8"))
    alive = {s.key for s in known.survivors}
    chosen = [m for found in mutants.values() for m in found if m.key in alive or not options.alive]
    outcome = {m.key: "killed" for found in mutants.values() for m in found} | outcomes(chosen, options.jobs)
    record = records.updated(known, mutants, outcome)
    sys.stdout.write(summary(record, mutants, outcome) + f"{time.monotonic() - started:.0f} s\n")
    if options.record:
        records.RECORD.write_text(records.written(record), encoding="utf-8")
    return int(any(not s.reason for s in record.survivors if s.key[0] in mutants))


def outcomes(mutants: Sequence[Mutant], jobs: int) -> dict[Key, str]:
    """killed, timeout or survived, for each mutant."""
    by_key = {m.key: m for m in mutants}

    def session() -> list[object]:
        ended: dict[Key, str] = {}
        inside = [m for m in mutants if m.in_function]
        left = running.in_one_session(inside, jobs, lambda m, how: _noted(m, how, ended))
        return [list(ended.items()), [m.key for m in left]]

    ended, left = running.in_child(session)
    found: dict[Key, str] = {tuple(key): how for key, how in ended}
    rest = [by_key[tuple(key)] for key in left] + [m for m in mutants if not m.in_function]
    running.afresh(rest, jobs, lambda m, how: _noted(m, how, found))
    return found


def _noted(mutant: Mutant, how: str, ended: dict[Key, str]) -> None:
    """Keep the outcome, and show progress on standard error."""
    ended[mutant.key] = how
    if how == "survived":
        sys.stderr.write(f"alive: {mutant.module}.py:{mutant.lines.start} {mutant.text}  {mutant.change}\n")
    if len(ended) % 100 == 0:
        sys.stderr.write(f"{len(ended)} mutants, now in {mutant.module}\n")


def summary(record: records.Record, mutants: Mapping[str, Sequence[Mutant]], outcome: Mapping[Key, str]) -> str:
    """One line for each module, and one for each survivor that has no reason yet."""
    lines = []
    for name, found in mutants.items():
        total, killed = record.modules[name]
        slow = sum(outcome[m.key] == "timeout" for m in found)
        lines.append(f"{name:12} {total:4} mutants, {killed:4} killed ({slow} by time), {killed / total:.1%}")
        fresh = {s.key for s in record.survivors if not s.reason}
        alive = [m for m in found if m.key in fresh]
        lines += [f"    {name}.py:{m.lines.start} {m.where}  {m.text}\n        {m.change}  #{m.nth}" for m in alive]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
