"""Kernel bugs planted on purpose: how many cases it takes the trials to find each of them.

`planted.toml` lists them, each as one edit of one kernel file. The kernel is copied with that edit, and the trials run
against the copy in another process. A bug that is not found shows what the trials do not see.

    python -m trials.planted        hunts all of them, and records after how many cases each is found
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "trials" / "planted.toml"
FOUND = ROOT / "trials" / "planted.json"
KERNEL = Path("derivations") / "kernel"
LIMIT = 10_000
TURN = 200  # cases of one fragment before the next has its turn
POINTS = 8  # that a kernel with a bug tries, where it cannot prove what is true: it would try all 96 each time


@dataclass(frozen=True, slots=True)
class Bug:
    """One edit of a kernel file: `old`, which occurs there once, becomes `new`."""

    id: str
    file: str
    old: str
    new: str
    breaks: str
    fragments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Find:
    """The first complaint: after how many cases, and of which."""

    cases: int
    fragment: str
    k: int
    kind: str
    text: str


def bugs(path: Path = LIST) -> dict[str, Bug]:
    entries = tomllib.loads(path.read_text())["bug"]
    found = [Bug(**{**entry, "fragments": tuple(entry["fragments"])}) for entry in entries]
    if len({bug.id for bug in found}) < len(found):
        raise ValueError(f"{path.name} uses one id twice")
    return {bug.id: bug for bug in found}


def plant(bug: Bug, folder: Path) -> None:
    """A copy of the kernel below `folder`, with the bug in it."""
    target = folder / KERNEL
    shutil.copytree(ROOT / KERNEL, target, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "derivations" / "__init__.py", folder / "derivations" / "__init__.py")
    text = (target / bug.file).read_text()
    if text.count(bug.old) != 1:
        raise ValueError(f"{bug.id}: the old text occurs {text.count(bug.old)} times in {bug.file}; wanted once")
    (target / bug.file).write_text(text.replace(bug.old, bug.new))


def hunted(bug: Bug, limit: int = LIMIT, *, first: int = 0) -> Find | None:
    """Run the trials against the kernel with the bug until the first complaint, or None.

    From case `first` on, up to `limit`; a case does not depend on those before it.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plant(bug, folder)
        return _in_other_process(folder, bug.fragments, first, limit)


def _in_other_process(folder: Path, fragments: tuple[str, ...], first: int, limit: int) -> Find | None:
    command = [sys.executable, "-c", "from trials.planted import hunt; hunt()", str(first), str(limit), *fragments]
    path = os.pathsep.join((str(folder), str(ROOT)))
    env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return Find(*found) if found else None


def hunt() -> None:
    """What the other process does: fragments take turns, each from its first case on, until there is a complaint."""
    from derivations.kernel import models, search
    from trials.run import tried

    for module in (models, search):
        vars(module)["TRIALS"] = POINTS
    first, limit, fragments = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for cases in range(first, limit):
        turn, place = divmod(cases, TURN)
        fragment = fragments[turn % len(fragments)]
        k = turn // len(fragments) * TURN + place
        found = tried(fragment, k)[1].complaint
        if found is not None:
            sys.stdout.write(json.dumps([cases + 1, fragment, k, found.kind, found.text]))
            return
    sys.stdout.write("null")


def found(path: Path = FOUND) -> dict[str, int]:
    """How many cases it took to find each bug, as recorded."""
    counts: dict[str, int] = json.loads(path.read_text())
    return counts


def main() -> int:
    """Hunt every bug, and record after how many cases it is found; 1 if one is not."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        finds = dict(zip(bugs(), pool.map(hunted, bugs().values()), strict=True))
    counts = {name: one.cases for name, one in finds.items() if one is not None}
    FOUND.write_text(json.dumps(counts, indent=2) + "\n")
    missed = sorted(finds.keys() - counts.keys())
    sys.stdout.write(f"{len(counts)} of {len(finds)} bugs found within {LIMIT} cases {' '.join(missed)}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
