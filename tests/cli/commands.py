"""Run the command in a process of its own, as a person does."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.repo.sources import ROOT

MAIN = "import sys; from posproofs.cli import main; sys.exit(main(sys.argv[1:]))"
# A finder in front of the others that refuses torch, as on a machine where it was never installed.
HIDE_TORCH = """
import sys

class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hide())
"""
# As on a machine with one processor, where a run starts one process for all subjects.
ONE_PROCESSOR = """
import os

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.cpu_count = lambda: 1
"""


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    err: str


def posproofs(*arguments: str, cwd: Path = ROOT, before: str = "") -> Done:
    """The exit status and both outputs; `before` is Python that runs first in that process."""
    command = [sys.executable, "-c", f"{before}\n{MAIN}", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)
