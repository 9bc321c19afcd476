"""Golden texts: compared byte for byte, rewritten on purpose with POSPROOFS_UPDATE_GOLDENS=1."""

from __future__ import annotations

import os
import re
from difflib import unified_diff
from importlib.metadata import version

from tests.repo.sources import ROOT

FOLDER = ROOT / "tests" / "golden" / "report"
UPDATE = "POSPROOFS_UPDATE_GOLDENS"


def masked(text: str) -> str:
    """The text without what a machine may change: the version of torch, and digits beyond the fifth."""
    return re.sub(r"-?\d+\.\d{5,}", _shortened, text.replace(f"torch {version('torch')}", "torch X"))


def _shortened(found: re.Match[str]) -> str:
    return f"{float(found[0]):.5g}"


def compare(name: str, text: str) -> None:
    """Fail unless `text` is the golden of that name; with the switch set, make it the golden."""
    path = FOLDER / name
    if os.environ.get(UPDATE):
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"there is no golden {name}; read this text, then set {UPDATE}=1:\n{text}"
    golden = path.read_text(encoding="utf-8")
    lines = unified_diff(golden.splitlines(), text.splitlines(), name, "now", lineterm="")
    assert text == golden, "\n".join(lines)
