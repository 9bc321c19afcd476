"""A small set of documents, byte for byte; POSPROOFS_UPDATE_GOLDENS=1 rewrites them on purpose."""

from __future__ import annotations

import os

import pytest

from tests.export.texts import texts, unversioned
from tests.repo.sources import ROOT

FOLDER = ROOT / "tests" / "golden" / "export"
UPDATE = "POSPROOFS_UPDATE_GOLDENS"
PINNED = {
    "latex": (
        "rotary.relative.tex",
        "rotary.complex_score.tex",
        "errata.RF-50.tex",
        "euler.circular.tex",
        "transformer_xl.score.tex",
        "rel_shift.causal.tex",
    ),
    "markdown": (
        "rotary.relative.md",
        "rotary.rotate.half_split.md",
        "errata.RF-42.md",
        "rotary.normal_form.md",
        "rel_shift.causal.md",
        "transformer_xl.roles.md",
    ),
    "json": ("rotary.score.json", "transformer_xl.substitution.json"),
    "ipynb": ("rotary.relative.ipynb",),
}
FILES = [(fmt, name) for fmt, names in PINNED.items() for name in names]


@pytest.mark.parametrize(("fmt", "name"), FILES, ids=[name for _, name in FILES])
def test_document_is_the_golden_one(fmt: str, name: str) -> None:
    path, text = FOLDER / name, unversioned(texts(fmt)[name])
    if os.environ.get(UPDATE):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"there is no golden {name}; read this text, then set {UPDATE}=1:\n{text}"
    assert text == path.read_text(encoding="utf-8")


def test_there_is_no_golden_that_nothing_compares() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {name for _, name in FILES}
