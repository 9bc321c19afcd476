"""A check that fails ends `make` and `.ci/run`: no line of a recipe and no stage lets a failure pass."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.gates.table import stages
from tests.gates.trees import Ended, make, ran, recipe, targets, write
from tests.repo.sources import ROOT

RUN = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
STAGES = stages()
LOG = "build/latex/posproofs.log"
# A program that notes its call in $RAN and fails where $BROKEN names it.
STUB = """#!/bin/sh
for last; do :; done
name=$(basename "$0")
echo "$name $last" >> "$RAN"
case "$BROKEN" in *" $name "*) exit 1;; esac
"""
LATEXMK = '#!/bin/sh\nmkdir -p ../latex && { [ -z "$LOGGED" ] || echo "$LOGGED" > posproofs.log; }\n'


def tools_of(target: str) -> list[str]:
    """The programs of the environment that a target runs."""
    return list(dict.fromkeys(re.findall(r"\$\(BIN\)/(\S+)", "\n".join(recipe(target)))))


def stubs(folder: Path, *names: str, text: str = STUB) -> Path:
    for name in names:
        write(folder, f"bin/{name}", text).chmod(0o755)
    return folder / "bin"


CHECKS = [(target, tool) for target in targets() if target not in ("help", "clean") for tool in tools_of(target)]


@pytest.mark.parametrize(("target", "tool"), CHECKS, ids=[f"{target} {tool}" for target, tool in CHECKS])
def test_make_fails_where_a_tool_fails(target: str, tool: str, tmp_path: Path) -> None:
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    (tmp_path / "build" / "latex").mkdir(parents=True)
    tools = stubs(tmp_path, *tools_of(target), "latexmk")
    (tmp_path / LOG).write_text("fine\n")

    def made(broken: str) -> Ended:
        path = f"{tools}:/usr/bin:/bin"
        return make(tmp_path, target, tools=tools, PATH=path, BROKEN=f" {broken} ", RAN=str(tmp_path / "ran"))

    assert made("").status == 0
    assert made(tool).status != 0


@pytest.mark.parametrize(
    ("logged", "passes"),
    [
        ("Output written on posproofs.pdf", True),
        ("Overfull \\hbox (3.0pt too wide)", False),
        ("Underfull \\vbox", False),
        ("LaTeX Warning: Reference undefined", False),
        ("", False),
    ],
    ids=["fine", "overfull", "underfull", "warning", "no log"],
)
def test_make_latex_reads_the_log(logged: str, passes: bool, tmp_path: Path) -> None:
    """latexmk ends with 0 here; the line that is too wide, or a log that is missing, is for the recipe to see."""
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    (tmp_path / "build" / "latex").mkdir(parents=True)
    tools = stubs(tmp_path, "posproofs")
    stubs(tmp_path, "latexmk", text=LATEXMK)
    path = f"{tools}:/usr/bin:/bin"
    done = make(tmp_path, "latex", tools=tools, PATH=path, BROKEN="", RAN=str(tmp_path / "ran"), LOGGED=logged)
    assert (done.status == 0) is passes, done.text


BRANCHES = (
    '"""Two branches."""\n\n\ndef larger(a: int, b: int) -> int:\n    if a > b:\n        return a\n    return b\n'
)
COVERED = """\
from derivations.kernel.branches import larger


def test_larger() -> None:
    assert larger(2, 1) == larger(1, 2)
"""


@pytest.mark.parametrize("covered", [True, False], ids=["covered", "not covered"])
def test_make_coverage_wants_every_branch_of_every_module(covered: bool, tmp_path: Path) -> None:
    """A branch that no test takes, and a module that no test imports, are both named."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    for package in ("derivations", "derivations/kernel"):
        write(tmp_path, f"{package}/__init__.py", "")
    write(tmp_path, "derivations/kernel/branches.py", BRANCHES)
    write(
        tmp_path,
        "tests/derivations/kernel/test_branches.py",
        COVERED if covered else COVERED.replace("(1, 2)", "(2, 0)"),
    )
    write(tmp_path, "derivations/kernel/apart.py", "" if covered else "X = 1\n")
    done = make(tmp_path, "coverage")
    assert (done.status == 0) is covered, done.text
    for name in ("branches.py", "apart.py"):
        assert (f"derivations/kernel/{name}" in done.text) is not covered, done.text


def test_the_stages_are_those_of_the_script() -> None:
    assert {"lint", "verify", "latex", "test"} <= set(STAGES)


def ran_ci(folder: Path, script: str, make_stub: str, **environment: str) -> Ended:
    """`.ci/run` with this text, where make is a stub and what the script would install is there."""
    write(folder, ".ci/run", script)
    (folder / "build" / "node" / "node_modules" / "katex").mkdir(parents=True, exist_ok=True)
    tools = stubs(folder, "make", text=make_stub)
    stubs(folder, "latexmk", "npm", "apt-get", "sudo")
    return ran(folder, "bash", ".ci/run", PATH=f"{tools}:/usr/bin:/bin", RAN=str(folder / "ran"), **environment)


def test_ci_tells_the_tests_that_it_is_ci(tmp_path: Path) -> None:
    """Then they fail where a program is missing in place of being skipped, whoever starts the script."""
    asks = '#!/bin/sh\n[ "$CI" = true ]\n'
    assert ran_ci(tmp_path, RUN, asks, CI="").status == 0
    assert ran_ci(tmp_path, RUN.replace("export CI=true", ""), asks, CI="").status != 0


@pytest.mark.parametrize("stage", ["none", *STAGES])
def test_ci_stops_at_the_first_stage_that_fails(stage: str, tmp_path: Path) -> None:
    fails_on_target = STUB.replace('" $name "*', '" $last "*')
    done = ran_ci(tmp_path, RUN, fails_on_target, BROKEN=f" {stage} ")
    seen = [line.split()[1] for line in (tmp_path / "ran").read_text().splitlines() if line.startswith("make ")]
    if stage == "none":
        assert (done.status, seen) == (0, STAGES), done.text
    else:
        assert done.status != 0
        assert seen == STAGES[: STAGES.index(stage) + 1]
