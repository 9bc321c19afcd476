"""The table of the gates: its rows, the page that shows them, and what in the repository needs one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from posproofs.laws import LAWS
from tests.gates.trees import pyproject, recipe, targets
from tests.repo.sources import ROOT

TABLE = ROOT / "tests" / "gates" / "gates.toml"
# Targets of the Makefile that check nothing.
NO_CHECKS = ("help", "clean")
# Settings of pytest that say where and which the tests are, not what makes them fail.
NO_GATES = ("minversion", "pythonpath", "testpaths", "markers")

INTRO = """\
# The gates

A gate that cannot fail holds nothing. Each row is a gate of this repository, what it holds, and the defect that a test
plants to see the gate fail. `tests/gates/gates.toml` has the rows with the check and the test that plants the defect;
this page is written from there, and a test compares the two. The tests plant on copies, never on the checkout.

Every law is a gate, and a mutant is its defect:

```python
>>> from posproofs.laws import examine, law, subject_of
>>> gram = law("rotary.gram")
>>> wrong = gram.mutants[0]
>>> wrong.name, examine(gram, subject_of(wrong)).broken
('compressed-beyond-64', True)
```

`.ci/run` runs the commands below but three: `make bench`, whose times need a quiet machine, and `make mutation` and
`make trials`, which take long. What these two find is recorded, and `make test` holds the records.
"""


@dataclass(frozen=True, slots=True)
class Gate:
    """One row: see the head of gates.toml."""

    id: str
    command: str
    check: str
    holds: str
    planted: str
    test: str
    covers: tuple[str, ...]


def parsed(text: str) -> tuple[Gate, ...]:
    """The rows of a table; TypeError names the key that a row lacks or has too many."""
    rows: list[dict[str, Any]] = tomllib.loads(text)["gate"]
    return tuple(Gate(**{**row, "covers": tuple(row.get("covers", ()))}) for row in rows)


def gates() -> tuple[Gate, ...]:
    """The rows of the repository."""
    return parsed(TABLE.read_text(encoding="utf-8"))


def page(rows: Sequence[Gate]) -> str:
    """The page, its rows by the command that runs the gate."""
    commands = dict.fromkeys(row.command for row in rows)
    parts = [INTRO, *(f"## `{command}`\n\n{_grid([r for r in rows if r.command == command])}" for command in commands)]
    return "\n".join(parts)


def _grid(rows: Sequence[Gate]) -> str:
    cells = [("gate", "holds", "planted defect"), ("---",) * 3]
    cells += [(f"`{row.id}`", row.holds, row.planted) for row in rows]
    return "".join(f"| {' | '.join(each)} |\n" for each in cells)


def inventory() -> list[str]:
    """What the repository has that must have a row, each as `covers` names it."""
    return [
        *(f"tests/repo/{path.name}" for path in sorted((ROOT / "tests" / "repo").glob("test_*.py"))),
        *(f"make {target}" for target in targets() if target not in NO_CHECKS),
        *(f"lint {tool}" for tool in linters()),
        *(f"contract {contract['name']}" for contract in pyproject()["tool"]["importlinter"]["contracts"]),
        *(f"law {law.id}" for law in LAWS),
        *(f"schema {path.stem}" for path in sorted((ROOT / "posproofs").glob("**/schema/*.json"))),
        *(f"golden {path.name}" for path in sorted((ROOT / "tests" / "golden").iterdir())),
        *(f"bench {path.name}" for path in sorted((ROOT / "tests" / "bench").glob("test_*.py"))),
        *(f"setting {key}" for key in pyproject()["tool"]["pytest"] if key not in NO_GATES),
        *(f"stage {stage}" for stage in stages()),
    ]


def linters() -> list[str]:
    """The tools that `make lint` runs, with the subcommand where a tool has several."""
    calls = [line.rpartition("$(BIN)/")[2].split() for line in recipe("lint")]
    return [" ".join(call[:2]) if call[0] == "ruff" else call[0] for call in calls]


def stages() -> list[str]:
    """The targets that `.ci/run` makes, in its order."""
    return re.findall(r"make --no-print-directory (\S+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))


def without_row(rows: Sequence[Gate]) -> list[str]:
    """What needs a row and has none."""
    covered = {name for row in rows for name in row.covers}
    return [name for name in inventory() if name not in covered]


def about_nothing(rows: Sequence[Gate]) -> list[str]:
    """What rows stand for and the repository no longer has."""
    present = set(inventory())
    return [name for row in rows for name in row.covers if name not in present]
