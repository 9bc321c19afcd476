"""The emitted file of Transformer-XL's scores: goldens, header, self-containedness, and where its formula is from."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from pathlib import Path

import pytest

from posproofs.emit import emit, source
from posproofs.errors import BadInput, UnknownName

TARGET = "transformer_xl.scores"
GOLDENS = Path(__file__).parents[1] / "golden" / "emit"
UPDATE = os.environ.get("POSPROOFS_UPDATE_GOLDENS") == "1"
LIBRARIES = ("torch", "numpy")


@pytest.mark.parametrize("to", LIBRARIES)
def test_golden(to: str) -> None:
    path, text = GOLDENS / f"transformer_xl_scores_{to}.py", source(TARGET, to=to)
    if UPDATE:
        path.write_text(text)
    assert path.read_text() == text, f"POSPROOFS_UPDATE_GOLDENS=1 rewrites {path.name} once the change is wanted"


@pytest.mark.parametrize("to", LIBRARIES)
def test_the_file_is_self_contained_and_says_what_it_is(to: str) -> None:
    text = source(TARGET, to=to)
    head = text.partition("\n\nimport")[0]
    assert "posproofs" in head.splitlines()[0]
    assert "public domain (CC0 1.0)" in head.splitlines()[0]
    assert "# Proved: transformer_xl.score\n" in head
    assert "# Proved for the shift (rel_shift.bidirectional): X.flat[" in head
    imported = {
        alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for alias in node.names
    }
    assert imported == {"math", to}
    assert max(map(len, text.splitlines())) <= 120
    assert text.isascii()
    assert "$" not in text


@pytest.mark.parametrize("to", LIBRARIES)
def test_the_functions_have_the_promised_signatures(to: str) -> None:
    scores = emit(TARGET, to=to)
    assert str(inspect.signature(scores)) == "(q, k, r, u, v)"
    assert str(inspect.signature(scores.attention)) == "(q, k, v_values, r, u, v, *, scale=None, mask=None)"
    assert scores.source == source(TARGET, to=to)


def test_a_score_has_neither_forms_nor_layouts() -> None:
    with pytest.raises(BadInput, match="leave the form out"):
        source(TARGET, form="real")
    with pytest.raises(BadInput, match="no layout"):
        source(TARGET, layout="interleaved")
    with pytest.raises(UnknownName, match=r"did you mean transformer_xl\.scores"):
        source("transformer_xl.score")


def test_the_emitter_contains_no_formula_of_a_score() -> None:
    """Sums of query and bias, strides and starts reach emitted text from statements alone."""
    package = Path(sys.modules["posproofs.emit"].__file__ or "").parent
    for path in package.glob("*.py"):
        text = path.read_text()
        for formula in ("q + u", "q + v", "u[:", "v[:", "keys + queries", "queries + keys", "queries - first"):
            # One docstring shows what a sum looks like.
            assert formula not in text.replace('"""q + u for arrays', ""), f"{path.name} contains {formula!r}"
