"""A file is written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from posproofs.errors import CannotWrite
from posproofs.report.files import pending, write


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "one\n")
    assert (tmp_path / "a.txt").read_bytes() == b"one\n"
    assert names(tmp_path) == ["a.txt"]


def test_a_new_file_has_the_mode_of_a_plain_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write(tmp_path / "a.txt", "one\n")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_file_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "a.sh"
    target.write_text("old")
    target.chmod(0o750)
    write(target, "new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


def _half(put: Callable[[str], None]) -> None:
    put("half")
    raise ZeroDivisionError


def test_an_exception_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), pending(target) as put:
        _half(put)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_without_a_text_nothing_appears(tmp_path: Path) -> None:
    with pending(tmp_path / "a.txt"):
        pass
    assert names(tmp_path) == []


def test_a_missing_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    worked = []
    refused = pytest.raises(CannotWrite, match="no such file or directory; choose a folder that exists")
    with refused, pending(tmp_path / "none" / "a.txt"):
        worked.append(1)
    assert worked == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="it is a folder; name a file in it"):
        write(tmp_path, "x")


def test_a_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    # A mode would not do: the superuser may write everywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (target, os.W_OK))
    with pytest.raises(CannotWrite, match="the file is read-only"):
        write(target, "new")
    assert target.read_text() == "old"


def test_a_failing_replacement_is_reported_and_cleaned_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(CannotWrite, match="no space left on device; nothing was changed"):
        write(tmp_path / "a.txt", "x")
    assert names(tmp_path) == []


def test_a_device_or_pipe_is_refused_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(CannotWrite, match="it is no regular file"):
            write(target, "x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(Path("there") / "a.txt")
    for text in ("new", "newer"):
        write(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there" / "a.txt").read_text() == text
    assert names(tmp_path / "there") == ["a.txt"]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(CannotWrite):
        write(tmp_path / "loop", "x")
    assert (tmp_path / "loop").is_symlink()
