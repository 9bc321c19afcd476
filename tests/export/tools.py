"""Outside programs that some tests need: a missing one skips the test here and fails it where CI is set to true."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.repo.sources import ROOT

LATEX = ("latexmk", "pdflatex")
NODE_MODULES = Path(os.environ.get("POSPROOFS_NODE_MODULES", ROOT / "build" / "node" / "node_modules"))
COMPLAINTS = ("Overfull", "Underfull", "Warning", "! ")
SECONDS = 180


def missing(reason: str) -> None:
    """Skip with the reason; fail where every program has to be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}; CI installs it")
    pytest.skip(reason)


def need_latex() -> None:
    """latexmk, pdflatex and the Latin Modern fonts."""
    absent = [program for program in LATEX if shutil.which(program) is None]
    if absent:
        missing(f"not installed: {', '.join(absent)}")


def need_katex() -> None:
    """node, and KaTeX in the folder of node modules."""
    if shutil.which("node") is None:
        missing("not installed: node")
    if not (NODE_MODULES / "katex").is_dir():
        missing(f"not installed: katex in {NODE_MODULES}")


def compiled(folder: Path, name: str) -> list[str]:
    """Complaints of a strict run of latexmk on a file of the folder: of its log, or that it failed."""
    command = ["latexmk", "-pdf", "-Werror", "-halt-on-error", "-interaction=nonstopmode", name]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    log = folder / f"{Path(name).stem}.log"
    lines = log.read_text(encoding="latin-1").splitlines() if log.exists() else []
    found = [line for line in lines if any(word in line for word in COMPLAINTS)]
    return found if ran.returncode == 0 else [*found, f"latexmk ended with {ran.returncode}"]


_CHECK = """
const katex = require(process.argv[1] + '/katex');
const blocks = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const refused = {};
for (const [name, text] of Object.entries(blocks)) {
  try { katex.renderToString(text, {displayMode: true, strict: 'error', throwOnError: true}); }
  catch (error) { refused[name] = String(error.message); }
}
process.stdout.write(JSON.stringify(refused));
"""


def refused_by_katex(blocks: Mapping[str, str]) -> dict[str, str]:
    """The blocks that strict KaTeX refuses, with what it says."""
    command: Sequence[str] = ("node", "-e", _CHECK, str(NODE_MODULES))
    ran = subprocess.run(
        command, input=json.dumps(dict(blocks)), capture_output=True, text=True, timeout=SECONDS, check=True
    )
    found: dict[str, str] = json.loads(ran.stdout)
    return found
