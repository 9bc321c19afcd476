"""The wheel holds every file of both packages, data included, and nothing else; a tree that leaves some out is seen."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.export.tools import missing
from tests.gates.trees import ran, write
from tests.repo.sources import PACKAGES, ROOT, files, name_of


def contained(folder: Path) -> set[str]:
    """The files of the wheel that is built from the tree in this folder, without its metadata."""
    if importlib.util.find_spec("hatchling") is None:
        missing("not installed: hatchling")
    done = ran(folder, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "made")
    assert done.status == 0, done.text
    (wheel,) = (folder / "made").glob("posproofs-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def tree(folder: Path) -> Path:
    """What a build reads: the packages, and beside them what must stay out."""
    for path in (one for package in PACKAGES for one in files(ROOT / package)):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copyfile(ROOT / name, folder / name)
    write(folder, "tests/test_nothing.py", "")
    return folder


WANTED = {name_of(path) for package in PACKAGES for path in files(ROOT / package)}


def test_the_wheel_holds_the_packages_and_nothing_else(tmp_path: Path) -> None:
    assert contained(tree(tmp_path)) == WANTED
    suffixes = {Path(name).suffix for name in WANTED}
    assert {".py", ".toml", ".json", ".md", ".typed"} <= suffixes


@pytest.mark.parametrize(
    ("setting", "lost"),
    [
        ('packages = ["posproofs"]', "derivations/kernel/prove.py"),
        ('packages = ["derivations", "posproofs"]\nexclude = ["*.md"]', "posproofs/docs/what-is-proved.md"),
        ('packages = ["derivations", "posproofs"]\nexclude = ["*.toml"]', "posproofs/production/known.toml"),
    ],
    ids=["a package", "pages", "data"],
)
def test_a_wheel_without_a_part_is_seen(setting: str, lost: str, tmp_path: Path) -> None:
    settings = tree(tmp_path) / "pyproject.toml"
    before = settings.read_text()
    settings.write_text(before.replace('packages = ["derivations", "posproofs"]', setting))
    assert settings.read_text() != before
    assert lost in WANTED - contained(tmp_path)


def test_a_wheel_with_the_tests_is_seen(tmp_path: Path) -> None:
    settings = tree(tmp_path) / "pyproject.toml"
    own = 'packages = ["derivations", "posproofs"]'
    settings.write_text(settings.read_text().replace(own, own.replace("]", ', "tests"]')))
    assert contained(tmp_path) - WANTED == {"tests/test_nothing.py"}
