"""Theorems are made inside derivations/kernel alone: nobody else has the token or calls the constructor."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.sources import ROOT, modules, name_of

KERNEL = "derivations/kernel/"
MAKERS = frozenset({"inference.py", "prove.py", "theorem.py"})
AROUND = frozenset({"__new__", "__setattr__", "__reduce_ex__", "__dict__"})


def broken_seals(source: str) -> list[str]:
    """Each place where a module could make a Theorem of its own, in words."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(names=names) if any(alias.name == "TOKEN" for alias in names):
                found.append((node.lineno, "imports TOKEN"))
            case ast.Attribute(attr="TOKEN") | ast.Name(id="TOKEN") | ast.Constant(value="TOKEN"):
                found.append((node.lineno, "names TOKEN"))
            case ast.Call(func=ast.Name(id="Theorem") | ast.Attribute(attr="Theorem")):
                found.append((node.lineno, "calls Theorem"))
            case ast.Attribute(value=ast.Name(id="object" | "Theorem"), attr=attr) if attr in AROUND:
                found.append((node.lineno, f"goes around the seal with {attr}"))
    return [f"line {line}: {what}" for line, what in sorted(found)]


OUTSIDE = [path for path in modules("derivations", "posproofs") if not name_of(path).startswith(KERNEL)]


@pytest.mark.parametrize("path", OUTSIDE, ids=name_of)
def test_no_theorem_is_made_outside_the_kernel(path: Path) -> None:
    assert broken_seals(path.read_text()) == []


@pytest.mark.parametrize("path", modules(KERNEL), ids=name_of)
def test_inside_only_the_makers_have_the_token(path: Path) -> None:
    found = [line.partition(": ")[2] for line in broken_seals(path.read_text())]
    assert any("TOKEN" in what or "Theorem" in what for what in found) == (path.name in MAKERS)


@pytest.mark.parametrize(
    ("planted", "seen"),
    [
        ("from derivations.kernel.theorem import TOKEN", "imports TOKEN"),
        ("from derivations.kernel.theorem import TOKEN as key", "imports TOKEN"),
        ("import derivations.kernel.theorem as t\nt.TOKEN", "names TOKEN"),
        ("getattr(t, 'TOKEN')", "names TOKEN"),
        ("t = Theorem(key, statement)", "calls Theorem"),
        ("t = kernel.Theorem(key, statement)", "calls Theorem"),
        ("object.__setattr__(theorem, 'statement', s)", "goes around the seal with __setattr__"),
        ("t = object.__new__(Theorem)", "goes around the seal with __new__"),
    ],
)
def test_a_planted_violation_is_reported(planted: str, seen: str) -> None:
    assert [line.partition(": ")[2] for line in broken_seals(planted)] == [seen]


def test_reading_a_theorem_is_not_reported() -> None:
    reading = "from derivations.kernel import Theorem\ndef f(t: Theorem) -> bool:\n    return isinstance(t, Theorem)\n"
    assert broken_seals(reading) == []


def test_the_kernel_loads_the_standard_library_only() -> None:
    program = (
        "import sys; before = set(sys.modules); import derivations.kernel, derivations.kernel.instantiate\n"
        "top = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(top - set(sys.stdlib_module_names) - {'derivations'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_every_kernel_module_is_listed_as_trusted() -> None:
    """A theorem names the modules that it rests on; those names are modules that exist."""
    program = (
        "from derivations.kernel import Statement, prove\n"
        "from derivations.kernel.terms import Symbol\n"
        "print(*prove(Statement(Symbol('x'), Symbol('x'))).modules())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    present = {path.stem for path in modules(KERNEL)}
    assert set(done.stdout.split()) <= present
