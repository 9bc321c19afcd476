"""`export` writes all files or none, and refuses what it does not know with the closest name."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

import posproofs.export
from derivations.derivation import catalogue
from posproofs.errors import BadInput, CannotWrite, UnknownName
from posproofs.export import FORMATS, export, exported


def test_paths_and_files(tmp_path: Path) -> None:
    written = export("rotary.relative, rotary.score", "latex", tmp_path / "new" / "folder")
    names = {"rotary.relative.tex", "rotary.score.tex", "posproofs-macros.tex", "posproofs.tex"}
    assert {path.name for path in written} == names == {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert all(path.read_bytes().endswith(b"\n") and b"\r" not in path.read_bytes() for path in written)


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_list_of_ids_keeps_the_order_of_the_catalogue(fmt: str) -> None:
    names = [name for name in exported(["rotary.score", "euler.cis"], fmt) if not name.startswith("posproofs")]
    assert [name.rpartition(".")[0] for name in names] == ["euler.cis", "rotary.score"]


def test_the_package_is_callable_as_its_function() -> None:
    assert callable(posproofs.export)


@pytest.mark.parametrize("ids", ["rotary.relativ", ["euler.cis", "rotary.relativ"]])
def test_an_unknown_id_names_the_closest(ids: str | list[str], tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"did you mean rotary\.relative"):
        export(ids, "latex", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ids", ["", []])
def test_nothing_to_export_is_refused(ids: str | list[str], tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        export(ids, "latex", tmp_path)


def test_what_can_be_no_ids_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="wanted ids of the catalogue, saw 3, int"):
        export(3, "latex", tmp_path)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown id 3"):
        export([3], "latex", tmp_path)  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_names_the_closest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean latex"):
        export("all", "latx", tmp_path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(CannotWrite, match="it is a file"):
        export("euler.cis", "json", tmp_path / "taken")
    with pytest.raises(CannotWrite, match="nothing was changed"):
        export("euler.cis", "json", tmp_path / "taken" / "below")
    assert (tmp_path / "taken").read_text() == "mine"


def test_nothing_is_half_written(tmp_path: Path) -> None:
    """The last of the targets is a folder: none of the files before it appears or changes."""
    (tmp_path / "rotary.score.tex").mkdir()
    (tmp_path / "euler.cis.tex").write_text("mine")
    with pytest.raises(CannotWrite, match=r"rotary\.score\.tex"):
        export("euler.cis,rotary.score", "latex", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"rotary.score.tex", "euler.cis.tex"}
    assert (tmp_path / "euler.cis.tex").read_text() == "mine"


def test_notebooks_are_valid_and_their_ids_fixed() -> None:
    for label in ("rotary.relative", "errata.RF-50"):
        first, second = (exported(label, "ipynb")[f"{label}.ipynb"] for _ in range(2))
        assert first == second
        nbformat.validate(json.loads(first))


def test_json_says_what_was_decided() -> None:
    for label, entry in catalogue().items():
        data = json.loads(exported(label, "json")[f"{label}.json"])
        assert data["schema"] == "posproofs.export/1"
        assert (data["id"], data["status"], data["claims"]) == (label, entry.check().status, list(entry.claims))
        verdicts = [row["verdict"].partition(" at ")[0] for row in data["rows"]]
        # A table also lists what a term depends on, which a point shows.
        assert set(verdicts) <= {"given", "proved"} | ({"false"} if entry.kind == "table" else set())


def test_the_digest_changes_with_what_was_checked() -> None:
    digests = {label: json.loads(exported(label, "json")[f"{label}.json"])["digest"] for label in catalogue()}
    assert len(set(digests.values())) == len(digests)
