"""The libraries that install without their dependencies: exact, apart from the rest, and enough to be imported."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from posproofs.production import SUBJECTS
from tests.repo.sources import ROOT

LIST = "requirements-no-deps.txt"
MODULES = {
    "espnet": "espnet.nets.pytorch_backend.transformer.attention",
    "pytorch-transformers": "pytorch_transformers.modeling_transfo_xl",
}


def pins(text: str) -> dict[str, str]:
    """The exact version of each line; anything else is an error."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, exact = line.partition("==")
            assert re.fullmatch(r"[0-9][0-9a-z.]*", exact), f"not an exact version: {line!r}"
            found[canonicalize_name(name)] = exact
    return found


PINNED = pins((ROOT / LIST).read_text(encoding="utf-8"))


def test_every_line_is_exact_and_installed() -> None:
    assert {name: version(name) for name in PINNED} == PINNED
    with pytest.raises(AssertionError, match="not an exact version"):
        pins("a>=1\n")


def test_each_package_of_a_subject_stands_in_one_place() -> None:
    """In the extra `production`, with its dependencies, or in this list, without them."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    extra = {canonicalize_name(Requirement(text).name) for text in (*extras["production"], *extras["torch"])}
    packages = {canonicalize_name(one.package) for one in SUBJECTS}
    assert packages <= extra | set(PINNED)
    assert not extra & set(PINNED)
    assert packages & set(PINNED) == set(MODULES)


@pytest.mark.parametrize("package", MODULES)
def test_nothing_is_imported_that_nobody_installs(package: str) -> None:
    """With every declared dependency hidden that neither list installs, the module still imports."""
    constrained = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    installed = {*PINNED, *map(canonicalize_name, constrained)}
    declared = {canonicalize_name(Requirement(text).name) for name in PINNED for text in requires(name) or ()}
    hidden = sorted(name.replace("-", "_") for name in declared - installed)
    assert hidden, "every dependency is installed; the libraries can move to pyproject.toml"
    code = f"import sys\nfor name in {hidden}: sys.modules[name] = None\nimport {MODULES[package]}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_make_installs_the_list_and_watches_it() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(rf"^\$\(STAMP\):.* {LIST}$", makefile, re.MULTILINE)
    assert f"--no-deps -r {LIST}" in makefile
