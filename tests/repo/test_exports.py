"""The public names are these and no others, each is importable; `emit` and `export` are packages and functions."""

import ast
import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import pytest

import derivations
import posproofs
from posproofs import errors
from tests.export.tools import missing
from tests.repo.sources import ROOT

PUBLIC = [
    "BadInput",
    "CannotWrite",
    "Contradiction",
    "MissingExtra",
    "NotEmittable",
    "PosproofsError",
    "Refused",
    "UnknownName",
    "UsageError",
    "Verdict",
    "__version__",
    "check",
    "conforms",
    "emit",
    "export",
    "identify",
    "prove",
    "prove_equal",
]


def type_checked_names(source: str) -> set[str]:
    """The names that the `if TYPE_CHECKING:` block of a lazy `__init__.py` declares."""
    found: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for inner in ast.walk(node):
                match inner:
                    case ast.ImportFrom(names=names):
                        found |= {alias.asname or alias.name for alias in names}
                    case ast.AnnAssign(target=ast.Name(id=name)):
                        found.add(name)
    return found


def test_the_public_names_are_pinned() -> None:
    assert posproofs.__all__ == PUBLIC
    assert derivations.__all__ == ["Claim", "ClaimStatus", "UnknownClaim", "all_claims"]


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_a_public_name_is_importable(name: str) -> None:
    assert getattr(posproofs, name) is not None


@pytest.mark.parametrize("name", derivations.__all__)
def test_a_public_name_of_derivations_is_importable(name: str) -> None:
    assert getattr(derivations, name).__module__.startswith("derivations.claims")


@pytest.mark.parametrize("package", [posproofs, derivations])
def test_the_type_checker_sees_the_same_names(package: ModuleType) -> None:
    assert type_checked_names(Path(str(package.__file__)).read_text()) == set(package.__all__)


def test_a_name_that_the_type_checker_misses_is_reported() -> None:
    source = "if TYPE_CHECKING:\n    from a import b\n    c: str\nfrom d import e\n"
    assert type_checked_names(source) == {"b", "c"}


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_a_public_name_has_a_docstring(name: str) -> None:
    # A dataclass without a docstring gets its signature as one; a sentence ends with a full stop.
    assert re.search(r"\.(\s|$)", getattr(posproofs, name).__doc__ or "")


def test_every_error_is_public() -> None:
    own = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert own <= set(posproofs.__all__)


@pytest.mark.parametrize("package", [posproofs, derivations])
def test_dir_lists_the_public_names_and_an_unknown_one_is_named(package: ModuleType) -> None:
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match=r"has no attribute 'verdict'; it has "):
        package.verdict  # noqa: B018 - reading it is the test


def test_the_version_is_that_of_pyproject() -> None:
    try:
        installed = version("posproofs")
    except PackageNotFoundError:
        missing("posproofs is on the path but not installed, so it has no metadata; `make test` installs it")
    assert posproofs.__version__ == installed
    assert installed == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


_LAZY_INIT = """
from importlib import import_module

def __getattr__(name):
    if name == "emit":
        return import_module("fakeproofs.emit")
    raise AttributeError(name)
"""
_EMIT_INIT = """
{make_callable}

def emit(theorem, *, to):
    return f"{{theorem}} for {{to}}"
"""
_CALLABLE = "from posproofs._callable import make_callable\nmake_callable(__name__)"


def _write_fake(folder: Path, make_callable: str) -> None:
    package = folder / "fakeproofs" / "emit"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text(_LAZY_INIT)
    (package / "__init__.py").write_text(_EMIT_INIT.format(make_callable=make_callable))
    (package / "numpy.py").write_text("NAME = 'numpy'\n")


def _run(code: str) -> object:
    scope: dict[str, object] = {}
    try:
        exec(code, scope)  # noqa: S102 - the import statement under test is the parameter
        return scope["result"]
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "fakeproofs"]:
            del sys.modules[name]


_ORDERS = [
    "import fakeproofs\nresult = fakeproofs.emit('x', to='numpy')",
    "import fakeproofs.emit\nresult = fakeproofs.emit('x', to='numpy')",
    "import fakeproofs\nfakeproofs.emit\nimport fakeproofs.emit.numpy\nresult = fakeproofs.emit('x', to='numpy')",
    "import fakeproofs.emit.numpy\nimport fakeproofs\nresult = fakeproofs.emit('x', to='numpy')",
    "from fakeproofs import emit\nresult = emit('x', to='numpy')",
    "from fakeproofs.emit import emit\nresult = emit('x', to='numpy')",
]


@pytest.mark.parametrize("code", _ORDERS)
def test_the_package_is_callable_in_every_order_of_imports(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_fake(tmp_path, _CALLABLE)
    monkeypatch.syspath_prepend(tmp_path)
    assert _run(code) == "x for numpy"


def test_without_it_the_call_fails_once_the_package_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_fake(tmp_path, "")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TypeError, match="not callable"):
        _run(_ORDERS[1])


@pytest.mark.parametrize("name", ["emit", "export"])
def test_the_attribute_is_the_package_and_callable(name: str) -> None:
    package = import_module(f"posproofs.{name}")
    assert getattr(posproofs, name) is package  # for a type checker the attribute is the function
    assert callable(package)
    assert callable(getattr(package, name))


def test_ipython_finds_what_its_magic_calls() -> None:
    """`%load_ext posproofs` asks the module for this name; it is not one that people import."""
    assert posproofs.load_ipython_extension is import_module("posproofs.export.jupyter").load_ipython_extension
    assert "load_ipython_extension" not in posproofs.__all__
