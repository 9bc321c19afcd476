"""A golden file that no longer says what is printed fails, and so does one that nothing compares."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from derivations.derivation import catalogue
from posproofs.export import notebooks
from posproofs.laws import LAWS
from tests.derivations import test_catalogue
from tests.emit import test_modules, test_scores_module
from tests.export import test_goldens as exported
from tests.notebooks import test_notebooks
from tests.repo.sources import ROOT

GOLDEN = ROOT / "tests" / "golden"
UPDATE = "POSPROOFS_UPDATE_GOLDENS"
STARTED_WITH = dict(os.environ)  # before the fixture below takes the switch away


@pytest.fixture(autouse=True)
def _compares(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the switch set, the tests called below would write."""
    monkeypatch.delenv(UPDATE, raising=False)
    monkeypatch.setattr(test_modules, "UPDATE", False)
    monkeypatch.setattr(test_scores_module, "UPDATE", False)


def copied(kind: str, folder: Path) -> Path:
    """The goldens of one kind, to be compared with in place of those of the checkout."""
    return Path(shutil.copytree(GOLDEN / kind, folder / kind))


def one_letter_changed(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace("e", "E", 1), encoding="utf-8")


def test_the_switch_is_never_set_where_the_goldens_are_the_gate() -> None:
    assert switch_is_a_fault({"CI": "true", UPDATE: "1"})
    assert not switch_is_a_fault({"CI": "true"})
    assert not switch_is_a_fault({UPDATE: "1"})
    assert not switch_is_a_fault(STARTED_WITH)


def switch_is_a_fault(environment: dict[str, str]) -> bool:
    """Whether every golden would be rewritten in place of being compared, in CI."""
    return environment.get("CI") == "true" and bool(environment.get(UPDATE))


@pytest.mark.parametrize("case", [test_modules.CASES[0], test_modules.CASES[-1]], ids=["rotation", "formula"])
def test_an_emitted_file_that_changed_fails(
    case: tuple[str, str | None, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_modules, "GOLDENS", copied("emit", tmp_path))
    test_modules.test_golden(*case)
    one_letter_changed(test_modules.golden(*case))
    with pytest.raises(AssertionError, match=r"rewrites .* once the change is wanted"):
        test_modules.test_golden(*case)


def test_an_emitted_score_that_changed_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_scores_module, "GOLDENS", copied("emit", tmp_path))
    test_scores_module.test_golden("torch")
    one_letter_changed(tmp_path / "emit" / "transformer_xl_scores_torch.py")
    with pytest.raises(AssertionError, match=r"rewrites .* once the change is wanted"):
        test_scores_module.test_golden("torch")


@pytest.mark.parametrize("fmt", exported.PINNED)
def test_a_document_that_changed_fails(fmt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = exported.PINNED[fmt][0]
    monkeypatch.setattr(exported, "FOLDER", copied("export", tmp_path))
    exported.test_document_is_the_golden_one(fmt, name)
    one_letter_changed(tmp_path / "export" / name)
    with pytest.raises(AssertionError):
        exported.test_document_is_the_golden_one(fmt, name)


def test_a_catalogue_that_changed_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that is no longer answered is such a change."""
    test_catalogue.test_catalogue_is_the_golden_one()
    entries = [replace(e, claims=()) if e.id == "rotary.relative" else e for e in catalogue().values()]
    monkeypatch.setattr(test_catalogue, "ENTRIES", entries)
    with pytest.raises(AssertionError, match="RF-48, RF-50"):
        test_catalogue.test_catalogue_is_the_golden_one()


@pytest.mark.parametrize("name", ["euler"])
def test_a_notebook_that_changed_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run again it gives other bytes than those in the repository; here the run gives them with one sign changed."""
    committed = (test_notebooks.FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    monkeypatch.setattr(notebooks, "run", lambda _name: committed)
    test_notebooks.test_a_new_run_gives_the_committed_bytes(name)
    monkeypatch.setattr(notebooks, "run", lambda _name: committed.replace("+", "-", 1))
    with pytest.raises(AssertionError, match="read the difference"):
        test_notebooks.test_a_new_run_gives_the_committed_bytes(name)


COMPARED: dict[str, Callable[[], set[str]]] = {
    "derivations": lambda: {test_catalogue.GOLDEN.name},
    "emit": lambda: {
        *(test_modules.golden(*case).name for case in test_modules.CASES),
        *(f"transformer_xl_scores_{to}.py" for to in test_scores_module.LIBRARIES),
    },
    "export": lambda: {name for _, name in exported.FILES},
    "report": lambda: {
        "run.txt",
        "check.txt",
        "written.txt",
        "failure-only-the-proof.txt",
        *(f"failure-{law.id}.txt" for law in LAWS),
    },
}


def uncompared(folder: Path, kind: str) -> list[str]:
    """Goldens that no test compares, and goldens that a test wants and that are not there."""
    return sorted({path.name for path in (folder / kind).iterdir()} ^ COMPARED[kind]())


def test_every_folder_of_goldens_is_known() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(COMPARED)


@pytest.mark.parametrize("kind", COMPARED)
def test_every_golden_is_compared(kind: str, tmp_path: Path) -> None:
    assert uncompared(GOLDEN, kind) == []
    (copied(kind, tmp_path) / "left-over.txt").write_text("nothing reads this\n")
    assert uncompared(tmp_path, kind) == ["left-over.txt"]
