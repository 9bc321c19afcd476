"""The command `python -m trials`: run, replay one case, hunt planted bugs, write the record of a completed run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TextIO

from trials import ledger as books
from trials.case import COMPLAINTS, UNDECIDED
from trials.fragments import FRAGMENTS
from trials.ledger import Entry, Ledger, LedgerError, Range
from trials.planted import LIMIT, bugs, hunted
from trials.run import Counts, drawn, judgement, run

ROOT = Path(__file__).resolve().parents[1]
LEDGER = ROOT / "build" / "trials.json"
RECORD = ROOT / "posproofs" / "docs" / "trials.json"
CASES = 1_000_000
CHUNK = 1000
PROCESSES = 2


def main(arguments: list[str] | None = None) -> int:
    """0: nothing to complain of; 1: a complaint, or a planted bug that was not found; 2: a usage error."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.does(options))
    except LedgerError as error:
        return _wrong(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trials", description="Random trials of the kernel.")
    parser.set_defaults(does=_run)
    parser.add_argument("--cases", type=int, default=CASES, help="near-identities to reach in all, default %(default)s")
    parser.add_argument("--fragment", action="append", choices=sorted(FRAGMENTS), help="only this one; may be repeated")
    parser.add_argument("--ledger", type=Path, default=LEDGER, help="where the counts are kept between runs")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    commands = parser.add_subparsers(title="commands")
    replay = commands.add_parser("replay", help="one case in plain text, the answer, and what the oracle says of it")
    replay.add_argument("case", metavar="FRAGMENT/K")
    replay.set_defaults(does=_replay)
    planted = commands.add_parser("planted", help="how many cases it takes to find bugs that were planted")
    planted.add_argument("ids", nargs="*", metavar="ID")
    planted.set_defaults(does=_planted)
    merge = commands.add_parser("merge", help="add the ledgers of other runs, of other seeds, to this one")
    merge.add_argument("others", nargs="+", type=Path, metavar="LEDGER")
    merge.set_defaults(does=_merge)
    record = commands.add_parser("record", help="write the counts of a completed run beside the documents")
    record.add_argument("--to", type=Path, default=RECORD)
    record.set_defaults(does=_record)
    return parser


def _say(line: str, to: TextIO | None = None) -> None:
    stream = to or sys.stdout
    stream.write(line + "\n")
    stream.flush()


def _wrong(line: str) -> int:
    _say(f"error: {line}", sys.stderr)
    return 2


def _run(options: argparse.Namespace) -> int:
    names = options.fragment or list(FRAGMENTS)
    ledger = books.opened(options.ledger, books.digest())
    wanted = -(-options.cases // len(names))
    _say(f"kernel {ledger.kernel}, {wanted} near-identities of each fragment, ledger {options.ledger}")
    started = monotonic()
    with ProcessPoolExecutor(options.processes) as pool:
        for name in names:
            entry = ledger.fragments.setdefault(name, Entry())
            while entry.near < wanted:
                _enter(ledger, name, options.ledger, _round(pool, name, entry, wanted))
                _say(f"{_line(name, entry)}   {monotonic() - started:.0f} s")
    return _summary(ledger, names)


def _enter(ledger: Ledger, name: str, path: Path, found: Iterator[tuple[Range, Counts]]) -> None:
    for seeds, counts in found:
        books.add(ledger, name, seeds, counts)
        books.saved(ledger, path)


def _round(pool: ProcessPoolExecutor, name: str, entry: Entry, wanted: int) -> Iterator[tuple[Range, Counts]]:
    """The results of ten chunks of seeds at most, and of few more seeds than are wanted, four of five being near."""
    seeds = (wanted - entry.near) * 5 // 4 + 20
    size = min(CHUNK, -(-seeds // PROCESSES))
    todo = list(islice(books.untried(entry, size), max(1, min(10, seeds // size))))
    return zip(todo, pool.map(run, [name] * len(todo), [range(*chunk) for chunk in todo]), strict=True)


def _line(name: str, entry: Entry) -> str:
    seeds = ", ".join(f"{name}/{start}..{stop - 1}" for start, stop in entry.ranges)
    undecided = sum(entry.outcomes[reason] for reason in UNDECIDED)
    return (
        f"{seeds}: {entry.near} near, {entry.true} true; {entry.outcomes['proved']} proved, "
        f"{entry.outcomes['refuted']} refuted, {undecided} undecided, "
        f"{entry.outcomes['true by accident']} true by accident, {len(entry.complaints)} complaints"
    )


def _summary(ledger: Ledger, names: list[str]) -> int:
    _say("")
    for name in names:
        entry = ledger.fragments[name]
        _say(_line(name, entry))
        for reason in UNDECIDED:
            if entry.outcomes[reason]:
                _say(f"    {entry.outcomes[reason]} undecided: {reason}")
        for k, kind, text in entry.complaints:
            _say(f"  {kind} in {name}/{k}\n    " + text.replace("\n", "\n    "))
    near = sum(ledger.fragments[name].near for name in names)
    kinds = [kind for name in names for _, kind, _ in ledger.fragments[name].complaints]
    told = ", ".join(f"{kinds.count(kind)} {plural}" for kind, plural in COMPLAINTS.items())
    _say(f"{near} near-identities: {told}")
    return 1 if kinds else 0


def _replay(options: argparse.Namespace) -> int:
    name, _, number = options.case.partition("/")
    if name not in FRAGMENTS or not number.isdigit():
        return _wrong(f"no case {options.case!r}; wanted one of {', '.join(FRAGMENTS)}, then / and a number")
    case, chance = drawn(name, int(number))
    _say(f"{options.case}: {'true by construction' if case.defect is None else f'one defect, {case.defect}'}")
    _say(case.claim.text())
    found = judgement(case, chance)
    _say(f"the kernel: {found.outcome}")
    if found.complaint is None:
        _say("the oracle: nothing to complain of")
        return 0
    _say(f"the oracle: {found.complaint.kind}\n{found.complaint.text}")
    return 1


def _planted(options: argparse.Namespace) -> int:
    known = bugs()
    missed = 0
    for name in options.ids or known:
        if name not in known:
            return _wrong(f"no planted bug {name!r}; trials/planted.toml lists them")
        found = hunted(known[name])
        missed += found is None
        told = f"{found.cases} cases, {found.kind} in {found.fragment}/{found.k}" if found else f"not in {LIMIT} cases"
        _say(f"{name}: {told}")
    _say(f"{missed} not found")
    return 1 if missed else 0


def _merge(options: argparse.Namespace) -> int:
    ledger = books.opened(options.ledger, books.digest())
    for path in options.others:
        ledger = books.merged(ledger, books.opened(path, ledger.kernel))
    books.saved(ledger, options.ledger)
    return _summary(ledger, list(ledger.fragments))


def _record(options: argparse.Namespace) -> int:
    ledger = books.opened(options.ledger, books.digest())
    if set(ledger.fragments) != set(FRAGMENTS) or any(entry.complaints for entry in ledger.fragments.values()):
        raise LedgerError("a record is written of a run over all fragments without a complaint; let it end first")
    books.recorded(ledger, options.to)
    _say(f"written: {options.to}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
