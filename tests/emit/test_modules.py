"""The emitted text as a file: goldens, header, self-containedness, tracebacks, and what is imported when."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
import torch

from derivations.kernel.layouts import strided
from posproofs.emit import emit, source
from posproofs.errors import MissingExtra
from tests.emit.theorems import Plan, angles, built

GOLDENS = Path(__file__).parents[1] / "golden" / "emit"
UPDATE = os.environ.get("POSPROOFS_UPDATE_GOLDENS") == "1"
ROTATIONS = [
    ("rotary.rotate", layout, form, to)
    for layout in ("interleaved", "half-split")
    for form in ("table", "complex", "real")
    for to in ("torch", "numpy")
]
FORMULAS = [
    (target, None, "table", to) for target in ("euler.cis", "euler.rotation_matrix") for to in ("torch", "numpy")
]
CASES = [*ROTATIONS, *FORMULAS]


def golden(target: str, layout: str | None, form: str, to: str) -> Path:
    words = [target, *([layout, form] if layout else []), to]
    return GOLDENS / ("_".join(words).replace(".", "_").replace("-", "_") + ".py")


@pytest.mark.parametrize(("target", "layout", "form", "to"), CASES)
def test_golden(target: str, layout: str | None, form: str, to: str) -> None:
    path, text = golden(target, layout, form, to), source(target, to=to, layout=layout, form=form)
    if UPDATE:
        path.write_text(text)
    assert path.read_text() == text, f"POSPROOFS_UPDATE_GOLDENS=1 rewrites {path.name} once the change is wanted"


def test_there_are_no_other_goldens_of_these_targets() -> None:
    found = {path.name for target in ("rotary", "euler") for path in GOLDENS.glob(f"{target}_*.py")}
    assert found == {golden(*case).name for case in CASES}


@pytest.mark.parametrize(("target", "layout", "form", "to"), CASES)
def test_the_file_is_self_contained_and_says_what_it_is(target: str, layout: str | None, form: str, to: str) -> None:
    text = source(target, to=to, layout=layout, form=form)
    comment = [line for line in text.splitlines() if line.startswith("# ")]
    assert "posproofs" in comment[0]
    assert "public domain (CC0 1.0)" in comment[0]
    identity = target if layout is None else f"{target}.{layout.replace('-', '_')}"
    assert f"# Proved: {identity}" in text
    imported = {
        alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for alias in node.names
    }
    assert imported <= {"math", to}
    assert max(map(len, text.splitlines())) <= 120
    assert text.isascii()
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    assert all(node.end_lineno is not None and node.end_lineno - node.lineno < 50 for node in functions)


def test_the_header_names_what_licenses_the_fast_code() -> None:
    text = source("rotary.rotate")
    assert "y[2*i + 1] = " in text
    assert "provided that base > 0" in text
    assert "complex product (rotary.complex.interleaved)" in text
    assert "gradient (rotary.vjp)" in text
    plain = source("rotary.rotate", form="real")
    assert "complex product" not in plain
    assert "gradient" not in plain


def test_a_theorem_object_says_its_statement() -> None:
    theorem = built(strided(2), strided(2), (Plan((0, 1), (0, 1), -1, None, angles(2)[1]),)).theorem
    assert "= x[2*i]*cos(p*theta[i]) - " in source(theorem)


def test_tracebacks_show_the_emitted_line() -> None:
    rotate = emit("rotary.rotate")
    try:
        rotate(torch.zeros(2, 3), torch.arange(2))
    except ValueError as refusal:
        shown = "".join(traceback.format_exception(refusal))
    assert 'raise ValueError(f"the width that turns is' in shown
    assert "<posproofs emitted_rotate " in shown


def python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_importing_the_emitter_loads_neither_torch_nor_sympy() -> None:
    done = python("import sys, posproofs.emit; print({'torch', 'sympy', 'numpy'} & set(sys.modules))")
    assert done.stdout.strip() == "set()", done.stderr


def test_source_does_not_load_the_library_it_is_for() -> None:
    done = python(
        "import sys; from posproofs.emit import source; source('rotary.rotate'); source('rotary.rotate', to='numpy');"
        "print({'torch', 'numpy'} & set(sys.modules))"
    )
    assert done.stdout.strip() == "set()", done.stderr


def test_without_torch_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"posproofs\[torch\]"):
        emit(built(strided(2), strided(2), (Plan((0, 1), (0, 1), 1, None, angles(2)[0]),)).theorem)


def test_the_package_is_the_function() -> None:
    import posproofs

    assert posproofs.emit("rotary.rotate") is emit("rotary.rotate")


def test_the_emitter_contains_no_formula_of_rotary() -> None:
    """Cosines reach emitted text from statements alone: no template multiplies anything by one."""
    package = Path(sys.modules["posproofs.emit"].__file__ or "").parent
    for path in package.glob("*.py"):
        text = path.read_text()
        for formula in ("* cos", "* sin", "cos *", "sin *", "10000 **", "base **"):
            assert formula not in text, f"{path.name} contains {formula!r}"
