"""Small trees that the tools of the repository accept, for a defect to be planted in: never the checkout itself.

A tree has the repository's own pyproject.toml and Makefile, so a rule that is taken out of them is missed here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.repo.sources import ROOT

MODULE = '"""A module in which nothing is wrong."""\n'


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and all that it printed."""

    status: int
    text: str


def pyproject() -> dict[str, Any]:
    """The settings of the repository."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def recipe(target: str) -> list[str]:
    """The lines that `make target` runs, continued lines put together."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    assert found is not None, f"the Makefile has no target {target}"
    return [line.strip() for line in found[1].splitlines()]


def targets() -> list[str]:
    """Every target of the Makefile that `make help` lists."""
    return re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def write(folder: Path, name: str, text: str) -> Path:
    """A file below the folder, with the folders on its way."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def tree(folder: Path) -> Path:
    """Empty modules for all that the settings name: the folders of mypy, the layers and modules of the contracts."""
    for name in ("pyproject.toml", "Makefile"):
        shutil.copyfile(ROOT / name, folder / name)
    for name in checked_folders():
        write(folder, f"{name}/__init__.py" if name != "tests" else "tests/test_nothing.py", MODULE)
    for dotted in contracted_modules():
        parts = dotted.split(".")
        for depth in range(1, len(parts) + 1):
            write(folder, f"{'/'.join(parts[:depth])}/__init__.py", MODULE)
    return folder


def checked_folders() -> list[str]:
    """What the recipe of lint gives to mypy."""
    (line,) = [line for line in recipe("lint") if "mypy" in line]
    return [word for word in line.split()[1:] if not word.startswith("-")]


def contracted_modules() -> list[str]:
    """Modules of the root packages that the import contracts name; a star stands for what is there."""
    linter = pyproject()["tool"]["importlinter"]
    named: list[str] = list(linter["root_packages"])
    for contract in linter["contracts"]:
        named += [*contract.get("source_modules", ()), *contract.get("forbidden_modules", ())]
        named += [part.strip(" ()") for layer in contract.get("layers", ()) for part in re.split("[:|]", layer)]
    roots = linter["root_packages"]
    return [name for name in named if name.partition(".")[0] in roots and "*" not in name]


def ran(folder: Path, *command: str, **environment: str) -> Ended:
    """Run a program in the folder."""
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    return Ended(done.returncode, done.stdout + done.stderr)


def make(folder: Path, target: str, *, tools: Path = Path(sys.executable).parent, **environment: str) -> Ended:
    """`make target` in the folder, with the tools of this environment (or others) in place of those of .venv."""
    return ran(folder, "make", "-o", ".venv/.installed", f"BIN={tools}", target, **environment)
