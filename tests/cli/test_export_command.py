"""`posproofs export` writes all documents that were asked for, or none, and says in one line what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from derivations.derivation import catalogue
from posproofs import cli
from posproofs.export import FORMATS
from posproofs.vocabulary import Exit
from tests.cli.commands import HIDE_TORCH, posproofs

SUFFIX = {"latex": "tex", "markdown": "md", "ipynb": "ipynb", "json": "json"}
Capture = pytest.CaptureFixture[str]


def exported(capsys: Capture, folder: Path, ids: str, fmt: str) -> list[str]:
    """The names of the files that a successful call says it wrote, all of them in the folder."""
    assert cli.main(["export", ids, "--format", fmt, "-o", str(folder)]) == Exit.CONFORMS
    out, err = capsys.readouterr()
    assert err == ""
    paths = [Path(line) for line in out.splitlines()]
    assert {path.parent for path in paths} == {folder}
    assert {path.name for path in paths} == {path.name for path in folder.iterdir()}
    return [path.name for path in paths]


@pytest.mark.parametrize("fmt", FORMATS)
def test_all_writes_every_entry(fmt: str, tmp_path: Path, capsys: Capture) -> None:
    names = exported(capsys, tmp_path / "new" / "folder", "all", fmt)
    own = ["posproofs-macros.tex", "posproofs.tex"] if fmt == "latex" else []
    assert names == [*(f"{label}.{SUFFIX[fmt]}" for label in catalogue()), *own]


def test_a_list_of_ids_writes_these(tmp_path: Path, capsys: Capture) -> None:
    assert exported(capsys, tmp_path, "euler.cis, errata.RF-50", "json") == ["euler.cis.json", "errata.RF-50.json"]
    assert json.loads((tmp_path / "errata.RF-50.json").read_text())["status"] == "refuted"


def test_two_runs_write_the_same_bytes_here_if_no_folder_is_named_and_without_torch(tmp_path: Path) -> None:
    call = ("export", "rotary.score", "--format", "latex")
    done = posproofs(*call, cwd=tmp_path, before=HIDE_TORCH)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == ["rotary.score.tex", "posproofs-macros.tex", "posproofs.tex"]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert posproofs(*call, cwd=tmp_path) == done
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("export", "the following arguments are required: ID,...|all, --format"),
        ("export euler.cis", "the following arguments are required: --format"),
        ("export , --format json", "wanted names separated by commas, saw none"),
        ("export euler.cos --format json", "unknown id 'euler.cos'; did you mean euler.cis?"),
        ("export euler.cis,rotary.scor --format json", "unknown id 'rotary.scor'; did you mean rotary.score?"),
        ("export all --format markdwn", "unknown format 'markdwn'; did you mean markdown?"),
        ("export euler.cis --format json -o taken", "cannot write into taken: it is a file; name a folder"),
        ("export euler.cis --format json -o taken/below", "cannot write into taken/below: not a directory"),
        ("export euler.cis,rotary.score --format json -o full", "cannot write full/rotary.score.json: it is a folder"),
    ],
)
def test_a_wrong_call_writes_nothing(
    call: str, line: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "full" / "rotary.score.json").mkdir(parents=True)
    (tmp_path / "full" / "euler.cis.json").write_text("old")
    before = sorted(tmp_path.rglob("*"))
    assert cli.main(call.split()) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("posproofs: error: ")
    assert err.count("\n") == 1
    assert line in err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "taken").read_text() == "mine"
    assert (tmp_path / "full" / "euler.cis.json").read_text() == "old"
