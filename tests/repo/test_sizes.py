"""Modules stay below 400 lines, functions below 40, nesting at three levels or less."""

import ast
from pathlib import Path

import pytest

from tests.repo.sources import PACKAGES, modules, name_of

MODULE_LINES = 400
FUNCTION_LINES = 40
LEVELS = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)


def functions(source: str) -> list[Function]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, Function)]


def lines_of(function: Function) -> int:
    """Lines from `def` to the end, docstring not counted: what a function promises shall not cost it code."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def depth(node: ast.AST, level: int = 0) -> int:
    """The greatest number of blocks that stand inside one another; `elif` continues its `if`."""
    deepest = level
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            continue  # measured by itself
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        inner = level + 1 if isinstance(child, _BLOCKS) and not is_elif else level
        deepest = max(deepest, depth(child, inner))
    return deepest


def oversized(source: str) -> list[str]:
    """What in this module exceeds a limit, in words."""
    found = []
    length = len(source.splitlines())
    if length > MODULE_LINES:
        found.append(f"module has {length} lines, at most {MODULE_LINES}")
    for function in functions(source):
        if lines_of(function) > FUNCTION_LINES:
            found.append(f"{function.name} has {lines_of(function)} lines, at most {FUNCTION_LINES}")
        if depth(function) > LEVELS:
            found.append(f"{function.name} nests {depth(function)} levels, at most {LEVELS}")
    return found


@pytest.mark.parametrize("path", modules(*PACKAGES, "trials"), ids=name_of)
def test_module_keeps_the_limits(path: Path) -> None:
    assert oversized(path.read_text()) == []


def test_a_long_module_is_reported() -> None:
    assert oversized("x = 1\n" * 400) == []
    assert oversized("x = 1\n" * 401) == ["module has 401 lines, at most 400"]


def test_a_long_function_is_reported_and_its_docstring_is_free() -> None:
    docstring = '    """One.\n\n    Two.\n    """\n'
    assert oversized("def f():\n" + docstring + "    x = 1\n" * 39) == []
    assert oversized("def f():\n" + docstring + "    x = 1\n" * 40) == ["f has 41 lines, at most 40"]


def test_deep_nesting_is_reported_and_elif_is_not_deeper() -> None:
    chain = "def f(a):\n if a == 1:\n  pass\n" + "".join(f" elif a == {i}:\n  pass\n" for i in range(2, 7))
    assert oversized(chain) == []
    deep = "def f(a):\n for b in a:\n  if b:\n   while b:\n    with b:\n     pass\n"
    assert oversized(deep) == ["f nests 4 levels, at most 3"]
