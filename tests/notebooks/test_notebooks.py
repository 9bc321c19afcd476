"""The committed notebooks are, byte for byte, what their cells give when they are run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from posproofs.errors import UnknownName
from posproofs.export import notebooks
from posproofs.export.ipynb import Cell, notebook
from tests.docs.pages import blocks, calls, made, matches
from tests.repo.sources import ROOT

FOLDER = ROOT / "notebooks"
NAMES = sorted(notebooks.NOTEBOOKS)


def cells(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return found


def test_every_notebook_is_committed_and_no_other() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_new_run_gives_the_committed_bytes(name: str) -> None:
    """It was built by another process, so this is also the test that two builds give the same bytes."""
    assert notebooks.run(name) == (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"), (
        "read the difference, then: python -m posproofs.export.notebooks build notebooks"
    )


def test_make_notebooks_prints_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bytes that it writes are those of the test above."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(notebooks, "run", lambda name: (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    consoles = [block.text for block in blocks((ROOT / "README.md").read_text()) if block.language == "console"]
    (wanted,) = (call.wanted for text in consoles for call in calls(text) if call.command == "make notebooks")
    program = made("notebooks")
    assert program[:3] == ["python", "-m", "posproofs.export.notebooks"]
    assert notebooks.main(program[3:]) == 0
    assert matches(wanted, capsys.readouterr().out)
    assert notebooks.main(["check", str(tmp_path / "notebooks")]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_cells_have_fixed_ids_and_outputs_without_errors(name: str) -> None:
    found = cells(name)
    assert [cell["id"] for cell in found] == [
        f"{name}-{cell.name}".replace(".", "-") for cell in notebooks.NOTEBOOKS[name]()
    ]
    outputs = [output for cell in found for output in cell.get("outputs", [])]
    assert outputs
    assert all(output["output_type"] == "execute_result" for output in outputs)
    assert all(cell["metadata"] == {} for cell in found)


def test_every_erratum_is_in_the_notebook_of_errata() -> None:
    text = (FOLDER / "errata.ipynb").read_text(encoding="utf-8")
    from derivations.derivation import catalogue

    assert all(f'get(\\"{label}\\")' in text for label, entry in catalogue().items() if entry.kind == "erratum")


def test_a_stale_a_missing_and_a_foreign_notebook_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "NOTEBOOKS", dict.fromkeys(["fresh", "stale", "missing"], list))
    monkeypatch.setattr(notebooks, "run", lambda name: f"{name}\n")
    for name, text in {"fresh": "fresh\n", "stale": "old\n", "foreign": "x\n"}.items():
        (tmp_path / f"{name}.ipynb").write_text(text)
    problems = notebooks.check(tmp_path)
    assert [problem.partition(":")[0] for problem in problems] == ["foreign.ipynb", "stale.ipynb", "missing.ipynb"]
    assert notebooks.main(["check", str(tmp_path)]) == 1
    assert notebooks.main(["build", str(tmp_path)]) == 0
    (tmp_path / "foreign.ipynb").unlink()
    assert notebooks.main(["check", str(tmp_path)]) == 0


def test_a_wrong_call_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert notebooks.main(["tidy"]) == 2
    assert "build|check DIR" in capsys.readouterr().err
    with pytest.raises(UnknownName, match="did you mean euler"):
        notebooks.run("eular")


def test_a_cell_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from nbclient.exceptions import CellExecutionError

    monkeypatch.setattr(notebooks, "NOTEBOOKS", {"broken": lambda: [Cell("code", "x", "1 / 0")]})
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        notebooks.run("broken")


def test_a_run_leaves_nothing_in_the_folder_in_which_it_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sockets of a kernel are files, and a cell may write where it runs."""
    monkeypatch.chdir(tmp_path)
    writes = "from pathlib import Path\n\nimport posproofs\n\nPath('written').write_text('x')"
    monkeypatch.setattr(notebooks, "NOTEBOOKS", {"tiny": lambda: [Cell("code", "x", writes)]})
    assert '"text/plain": [\n       "1"' in notebooks.run("tiny")
    assert list(tmp_path.iterdir()) == []


def test_two_cells_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="give each cell a name of its own"):
        notebook("x", [Cell("code", "same", "1"), Cell("code", "same", "2")])


def test_a_notebook_that_was_not_run_is_valid() -> None:
    nbformat.validate(notebook("x", [Cell("markdown", "a", "text"), Cell("code", "b", "1")]))
