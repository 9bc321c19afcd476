"""Strict KaTeX accepts every display of the Markdown documents and of the notebooks; a planted defect is refused."""

from __future__ import annotations

import pytest

from derivations.derivation import catalogue
from posproofs.export.jupyter import entry_bundle
from tests.export.texts import math_blocks, texts
from tests.export.tools import need_katex, refused_by_katex


def test_every_markdown_block_is_accepted() -> None:
    need_katex()
    blocks = {
        f"{name} {k}": block for name, text in texts("markdown").items() for k, block in enumerate(math_blocks(text))
    }
    assert len(blocks) > len(catalogue())
    assert refused_by_katex(blocks) == {}


def test_what_jupyter_shows_is_accepted() -> None:
    need_katex()
    shown = {label: entry_bundle(entry).get("text/latex", "") for label, entry in catalogue().items()}
    blocks = {label: text.removeprefix("$").removesuffix("$") for label, text in shown.items() if text}
    inline = {
        f"{label} {k}": part
        for label, entry in catalogue().items()
        for k, part in enumerate(entry_bundle(entry)["text/markdown"].replace("$$", "").split("$")[1::2])
    }
    assert refused_by_katex(blocks | inline) == {}


@pytest.mark.parametrize(
    "planted", [r"\label{pp:x:1} x", r"\ppvec{x}", r"\begin{aligned} x & y", r"\mbox{x}", "x^{a}^{b}", "\uc744"]
)
def test_a_planted_defect_is_refused(planted: str) -> None:
    need_katex()
    assert list(refused_by_katex({"good": "x", "planted": planted})) == ["planted"]
