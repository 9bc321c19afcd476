"""`make lint` fails on a defect for each of its tools: ruff for each family of rules, mypy for each rule relied on."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.gates.trees import MODULE, checked_folders, make, pyproject, ran, recipe, tree, write
from tests.repo.sources import ROOT

DEEP = (
    "def f(a: int) -> int:\n" + "".join(f"    if a == {k}:\n        a += {k}\n" for k in range(16)) + "    return a\n"
)
# For each family: the rule that the defect breaks, the file, and its text. "" before the text: no docstring.
PLANTED: dict[str, tuple[str, str, str]] = {
    "A": ("A001", "a.py", "def id() -> int:\n    return 1\n"),
    "ARG": ("ARG001", "arg.py", "def f(x: int) -> int:\n    return 1\n"),
    "B": ("B006", "b.py", "def f(x: list[int] = []) -> list[int]:\n    return x\n"),
    "BLE": (
        "BLE001",
        "ble.py",
        "def f() -> int:\n    try:\n        return 1\n    except Exception:\n        return 2\n",
    ),
    "C4": ("C408", "c4.py", "X = dict(a=1)\n"),
    "C90": ("C901", "c90.py", DEEP),
    "D100": ("D100", "d100.py", ""),
    "D104": ("D104", "d104/__init__.py", ""),
    "E": ("E501", "e.py", f"X = '{'x' * 120}'\n"),
    "ERA": ("ERA001", "era.py", "# x = f(1)\n"),
    "F": ("F401", "f.py", "import os\n"),
    "FBT": ("FBT001", "fbt.py", "def f(x: bool) -> bool:\n    return x\n"),
    "FIX": ("FIX002", "fix.py", "# TO" + "DO: later\n"),
    "FLY": ("FLY002", "fly.py", "def f(a: str, b: str) -> str:\n    return ' '.join([a, b])\n"),
    "FURB": ("FURB136", "furb.py", "def f(a: int, b: int) -> int:\n    return a if a < b else b\n"),
    "I": ("I001", "i.py", "import sys\nimport os\n\nX = (os, sys)\n"),
    "ICN": ("ICN001", "icn.py", "import numpy as n\n\nX = n\n"),
    "ISC": ("ISC001", "isc.py", "X = 'a' 'b'\n"),
    "NPY": ("NPY002", "npy.py", "import numpy as np\n\nX = np.random.rand(1)\n"),
    "PERF": (
        "PERF401",
        "perf.py",
        "def f() -> list[int]:\n    x = []\n    for k in 'ab':\n        x.append(ord(k))\n    return x\n",
    ),
    "PGH": ("PGH003", "pgh.py", "X = 1  # type: ignore\n"),
    "PIE": ("PIE790", "pie.py", 'def f() -> None:\n    """Do nothing."""\n    pass\n'),
    "PL": ("PLR0913", "pl.py", "def f(a, b, c, d, e, f, g, h):\n    return a + b + c + d + e + f + g + h\n"),
    "PT": (
        "PT011",
        "pt.py",
        "import pytest\n\n\ndef test_x() -> None:\n    with pytest.raises(ValueError):\n        int('x')\n",
    ),
    "PTH": ("PTH123", "pth.py", "X = open('x')\n"),
    "RET": ("RET504", "ret.py", "def f() -> int:\n    x = int('1')\n    return x\n"),
    "RSE": ("RSE102", "rse.py", "def f() -> None:\n    raise ValueError()\n"),
    "RUF": ("RUF100", "ruf.py", "X = 1  # noqa: F401\n"),
    "S102": ("S102", "s102.py", "exec('1')\n"),
    "S301": ("S301", "s301.py", "import pickle\n\nX = pickle.loads(b'')\n"),
    "S307": ("S307", "s307.py", "X = eval('1')\n"),
    "SIM": ("SIM118", "sim.py", "X = {1: 2}\nY = 1 in X.keys()\n"),
    "SLOT": ("SLOT000", "slot.py", "class A(str):\n    pass\n"),
    "T10": ("T100", "t10.py", "breakpoint()\n"),
    "T20": ("T201", "t20.py", "print(1)\n"),
    "TID": ("TID252", "tid.py", "from . import a\n\nX = a\n"),
    "UP": ("UP006", "up.py", "import typing\n\nX: typing.List[int] = []\n"),
    "W": ("W291", "w.py", "X = 1 \n"),
}
# One defect for each rule of mypy that the project relies on, spread over the folders that are checked.
TYPES = {
    "no-untyped-def": "def f(x): return x\n",
    "type-arg": "def f(x: list) -> None: ...\n",
    "no-any-return": "from typing import Any\ndef f(x: Any) -> int:\n    return x\n",
    "unused-ignore": "X = 1  # type: ignore[assignment]\n",
    "ignore-without-code": "X: int = 'a'  # type: ignore\n",
    "assignment": "X: int = 'a'\n",
    "arg-type": "def f(x: int) -> None: ...\nf('a')\n",
    "comparison-overlap": "def f(x: int) -> bool:\n    return x == 'a'\n",
    "redundant-cast": "from typing import cast\nX = cast(int, int(1))\n",
    "import-not-found": "import no_such_package\n",
    "attr-defined": "X = [].no_such_name\n",
    "misc": "from no_types import Base  # type: ignore[import-not-found]\nclass A(Base): ...\n",
}


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The rules that ruff reports, by file: one run over all defects of PLANTED, with the project's settings."""
    folder = tree(tmp_path_factory.mktemp("ruff"))
    for rule, name, text in PLANTED.values():
        bare = rule in {"D100", "D104"}
        write(folder, f"derivations/{name}", text or "X = 1\n" if bare else f"{MODULE}\n{text}")
    done = ran(folder, sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "json", "derivations")
    assert done.status == 1, done.text
    found: dict[str, set[str]] = {}
    for one in json.loads(done.text):
        name = Path(one["filename"]).relative_to((folder / "derivations").resolve()).as_posix()
        found.setdefault(name, set()).add(one["code"])
    return found


@pytest.mark.parametrize("family", pyproject()["tool"]["ruff"]["lint"]["select"])
def test_each_family_of_rules_reports_its_defect(family: str, reported: dict[str, set[str]]) -> None:
    assert family in PLANTED, f"no defect is planted for the family {family}; add one to PLANTED"
    rule, name, _ = PLANTED[family]
    assert re.match(rf"{family}[A-Z]*\d*$", rule)
    assert rule in reported.get(name, ())


def test_no_defect_is_planted_for_a_family_that_is_gone() -> None:
    assert set(PLANTED) == set(pyproject()["tool"]["ruff"]["lint"]["select"])


def test_ruff_passes_where_nothing_is_wrong(tmp_path: Path) -> None:
    assert ran(tree(tmp_path), sys.executable, "-m", "ruff", "check", "--no-cache", ".").status == 0


@pytest.fixture(scope="module")
def mistyped(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What mypy prints on all defects of TYPES, with the project's settings: one run over every folder it checks."""
    folder = tree(tmp_path_factory.mktemp("mypy"))
    folders = checked_folders()
    for place, (rule, text) in enumerate(TYPES.items()):
        write(folder, f"{folders[place % len(folders)]}/planted_{rule.replace('-', '_')}.py", text)
    done = ran(folder, sys.executable, "-m", "mypy", "--cache-dir=cache", "--strict", *folders)
    assert done.status == 1, done.text
    return done.text


@pytest.mark.parametrize("rule", TYPES)
def test_each_rule_of_mypy_reports_its_defect(rule: str, mistyped: str) -> None:
    assert re.search(rf"planted_{rule.replace('-', '_')}\.py:\d+: error: .*\[{rule}\]", mistyped), mistyped


@pytest.fixture(scope="module")
def linted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree in which `make lint` finds nothing."""
    folder = tree(tmp_path_factory.mktemp("lint"))
    done = make(folder, "lint")
    assert done.status == 0, done.text
    return folder


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("derivations/planted.py", f"{MODULE}\nimport os\n", "F401"),
        ("posproofs/planted.py", f"{MODULE}\nX = [1,\n     2]\n", "1 file would be reformatted"),
        ("tests/test_planted.py", "X: int = 'a'\n".replace("'", '"'), "error: Incompatible types in assignment"),
        (
            "derivations/planted.py",
            f"{MODULE}\nimport posproofs\n\nX = posproofs\n",
            "derivations: mathematics alone BROKEN",
        ),
    ],
    ids=["ruff check", "ruff format", "mypy", "lint-imports"],
)
def test_make_lint_fails_on_a_defect_for_each_tool(linted: Path, name: str, text: str, message: str) -> None:
    planted = write(linted, name, text)
    done = make(linted, "lint")
    planted.unlink()
    assert done.status != 0
    assert message in done.text, done.text


def hooks(text: str) -> list[str]:
    """What the hooks of a .pre-commit-config.yaml run."""
    return re.findall(r"^ +entry: (.+)$", text, re.MULTILINE)


def of_make_lint() -> list[str]:
    """The same from the recipe; a hook is given the files that ruff takes a folder for."""
    return [line.replace("$(BIN)", ".venv/bin").removesuffix(" .") for line in recipe("lint")]


def test_the_hooks_run_what_make_lint_runs() -> None:
    own = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert hooks(own) == of_make_lint()
    assert hooks(own.replace("mypy --strict ", "mypy ")) != of_make_lint()
