"""No heuristic simplifier decides anything, and the kernel stands on the standard library alone."""

import ast
import sys
from pathlib import Path

import pytest

from tests.repo.sources import modules, name_of

HEURISTIC = frozenset({"equals", "nsimplify", "radsimp", "simplify", "sympify", "trigsimp"})


def heuristics(source: str) -> list[str]:
    """Every use of a simplifier by name: called, read as an attribute, imported, or fetched with getattr."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in HEURISTIC:
                found.append((node.lineno, name))
            case ast.ImportFrom(names=names):
                found.extend((node.lineno, alias.name) for alias in names if alias.name in HEURISTIC)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]) if (
                name in HEURISTIC
            ):
                found.append((node.lineno, name))
    return [f"line {line}: {name}" for line, name in sorted(found)]


def foreign_imports(source: str) -> list[str]:
    """Imports of a kernel module that are neither the standard library nor the kernel itself."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append("." * node.level + (node.module or ""))
    return sorted(name for name in names if not _allowed(name))


def _allowed(name: str) -> bool:
    own = name == "derivations.kernel" or name.startswith("derivations.kernel.")
    return own or name.partition(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize("path", modules("derivations", "posproofs/emit", "posproofs/symbolic"), ids=name_of)
def test_no_heuristic_simplifier(path: Path) -> None:
    assert heuristics(path.read_text()) == []


@pytest.mark.parametrize("path", modules("derivations/kernel"), ids=name_of)
def test_kernel_imports_the_standard_library_only(path: Path) -> None:
    assert foreign_imports(path.read_text()) == []


@pytest.mark.parametrize(
    "planted",
    [
        "from sympy import simplify",
        "import sympy\nx = sympy.trigsimp(y)",
        "x = a.equals(b)",
        "f = sympify",
        "x = getattr(a, 'radsimp')()",
        "x = nsimplify(a)",
    ],
)
def test_a_planted_simplifier_is_reported(planted: str) -> None:
    assert len(heuristics(planted)) == 1


def test_words_about_simplifiers_are_not_reported() -> None:
    assert heuristics('"""simplify is not used."""\n# trigsimp\nx = cancel(y)') == []


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        ("import sympy", ["sympy"]),
        ("from numpy.linalg import norm", ["numpy.linalg"]),
        ("from derivations.lemmas import LEMMAS", ["derivations.lemmas"]),
        ("from derivations.kernel_extra import x", ["derivations.kernel_extra"]),
        ("from . import terms", ["."]),
        ("def f():\n    import torch", ["torch"]),
    ],
)
def test_a_planted_import_of_the_kernel_is_reported(planted: str, seen: list[str]) -> None:
    assert foreign_imports(planted) == seen


def test_the_standard_library_and_the_kernel_are_allowed() -> None:
    assert foreign_imports("import collections.abc\nfrom derivations.kernel import terms\nimport fractions") == []
