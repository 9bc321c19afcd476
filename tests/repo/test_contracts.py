"""The import contracts of pyproject.toml report a forbidden import: each contract is broken once, on purpose."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.sources import PACKAGES, ROOT, modules


def _copy(folder: Path) -> None:
    for path in modules(*PACKAGES, "trials"):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    shutil.copyfile(ROOT / "pyproject.toml", folder / "pyproject.toml")


def broken_contracts(folder: Path) -> list[str]:
    """The names of the contracts that the packages below `folder` break."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", program, "--no-cache"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    return [line.removesuffix(" BROKEN") for line in done.stdout.splitlines() if line.endswith(" BROKEN")]


def test_the_contracts_are_kept(tmp_path: Path) -> None:
    _copy(tmp_path)
    assert broken_contracts(tmp_path) == []


@pytest.mark.parametrize(
    ("module", "planted", "contract"),
    [
        ("posproofs/errors.py", "import posproofs.emit", "posproofs: every layer imports only from those below it"),
        (
            "posproofs/emit/planted.py",
            "import posproofs.cli",
            "posproofs: every layer imports only from those below it",
        ),
        ("derivations/planted.py", "import posproofs.errors", "derivations: mathematics alone"),
        ("derivations/planted.py", "import numpy", "derivations: mathematics alone"),
        ("derivations/kernel/planted.py", "import sympy", "derivations.kernel: fed by terms, without SymPy"),
        (
            "derivations/kernel/planted.py",
            "import derivations.claims",
            "derivations.kernel: fed by terms, without SymPy",
        ),
        (
            "trials/oracles.py",
            "import derivations.kernel.balls",
            "trials: the language and the oracles share no code with the kernel",
        ),
        ("posproofs/emit/planted.py", "import trials.oracles", "trials: nothing that is shipped rests on them"),
    ],
)
def test_a_planted_import_breaks_its_contract(tmp_path: Path, module: str, planted: str, contract: str) -> None:
    _copy(tmp_path)
    with (tmp_path / module).open("a") as file:
        file.write(f"\n{planted}\n")
    assert broken_contracts(tmp_path) == [contract]
