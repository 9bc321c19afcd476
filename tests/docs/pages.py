"""The code blocks of a Markdown page, and what it takes to run them in order.

```python      runs; with >>> lines it is a doctest. All blocks of a page share one namespace and one folder.
```console     lines `$ command` run; what follows must be what the command prints, `...` standing for anything
other blocks   are text
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from posproofs.cli import main
from posproofs.engine import replay, run
from posproofs.engine import worker as started
from posproofs.engine.worker import Worker
from posproofs.report import proofs, written
from tests.cli.commands import MAIN
from tests.engine.kept import Kept
from tests.repo.sources import ROOT

RUNS = ("python", "console")
# A longer run is in tests/engine/test_run.py; a page shows the shape of what is printed.
FEW = "transformers.llama,rotary-embedding-torch.rotate"
# Commands that start a worker. A page has one for all of them, so that it imports its libraries once.
HERE = ("verify", "check", "write", "replay", "show")
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, its text, and the line of the page on which it starts."""

    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Call:
    """One command of a console block, and what the page says that it prints."""

    command: str
    wanted: str


@contextmanager
def one_worker(patch: pytest.MonkeyPatch, worker: Worker) -> Iterator[None]:
    """What the commands of a page start is one process, in the folder that is the current one."""
    for module in (started, replay, run, proofs, written):
        patch.setattr(module, "Worker", lambda **_options: Kept(worker))
    patch.setattr(run, "lanes", lambda: 1)
    worker.call(os.chdir, str(Path.cwd()))
    try:
        yield
    finally:
        worker.call(os.chdir, str(ROOT))


def blocks(page: str) -> list[Block]:
    """Every fenced block of a page."""
    return [Block(found[1], found[2], page[: found.start()].count("\n") + 1) for found in _FENCE.finditer(page)]


def calls(text: str) -> Iterator[Call]:
    """The commands of a console block; a block that does not start with one is refused."""
    first, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    if first or not parts:
        raise AssertionError(f"a console block starts with a command, saw {text!r}")
    for part in parts:
        command, _, wanted = part.partition("\n")
        yield Call(command, wanted)


def matches(wanted: str, printed: str) -> bool:
    """Whether the page says what was printed; `...` stands for any text."""
    pattern = ".*".join(re.escape(part) for part in wanted.split("..."))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def words(command: str) -> list[str]:
    """A command of a page, with a run over everything made one over a few subjects."""
    name, *arguments = shlex.split(command)
    if name == "make":
        name, *arguments = made(arguments[0])
    whole = [name, *arguments[:1]] == ["posproofs", "verify"] and arguments[1:2] in ([], ["--json"])
    return [name, *(("verify", "--subjects", FEW) if whole else arguments)]


def program(name: str, *arguments: str) -> list[str]:
    """The process behind a command. Only `posproofs` and `python` are run, from this source tree."""
    if name == "posproofs":
        return [sys.executable, "-c", MAIN, *arguments]
    if name == "python":
        return [sys.executable, *arguments]
    raise AssertionError(f"a page may run posproofs, python and make, saw {name!r}")


def made(target: str) -> list[str]:
    """What `make TARGET` prints from: the line of its recipe that is the command, else the last."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None, f"the Makefile has no target {target}"
    lines = recipe[1].strip().splitlines()
    shown = next((line for line in lines if line.strip().startswith("$(BIN)/posproofs")), lines[-1])
    return shlex.split(shown.replace("$(BIN)/", ""))


def printed_by(command: str, folder: Path) -> str:
    """Standard output, then standard error, of a command that is run in `folder`, the current one."""
    name, *arguments = words(command)
    if name == "posproofs" and arguments[0] in HERE and "--help" not in arguments:
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            main(arguments)
        return out.getvalue() + err.getvalue()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        program(name, *arguments), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def run_python(block: Block, names: dict[str, object], where: str) -> None:
    """Run a python block in the namespace of its page; a block with >>> is a doctest."""
    if ">>>" not in block.text:
        code = "\n" * block.line + block.text
        exec(compile(code, where, "exec"), names)  # noqa: S102 - the pages are ours, and running them is the test
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line)
    report: list[str] = []
    # The namespace of the page goes on after this block, so it is neither copied nor cleared.
    test.globs = names
    runner = doctest.DocTestRunner(optionflags=_FLAGS, verbose=False)
    failed = runner.run(test, out=report.append, clear_globs=False).failed
    assert not failed, "".join(report)
