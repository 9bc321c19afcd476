"""Documents go to regular files only, and through symbolic links."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from posproofs.errors import CannotWrite
from posproofs.export.writing import write_all


def test_a_pipe_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "b.tex")
    with pytest.raises(CannotWrite, match="it is no regular file"):
        write_all(tmp_path, {"a.tex": "one", "b.tex": "two"})
    assert [path.name for path in tmp_path.iterdir()] == ["b.tex"]
    assert stat.S_ISFIFO((tmp_path / "b.tex").stat().st_mode)


def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "a.tex").symlink_to(Path("there") / "a.tex")
    assert write_all(tmp_path, {"a.tex": "one"}) == (tmp_path / "a.tex",)
    assert (tmp_path / "a.tex").is_symlink()
    assert (tmp_path / "there" / "a.tex").read_text() == "one"
