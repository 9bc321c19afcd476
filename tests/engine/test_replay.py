"""Failures are stored once, found by id, and measured again elsewhere; the file beside each shows it alone."""

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from posproofs.engine import replay
from posproofs.engine.worker import Worker
from posproofs.errors import CannotWrite, UnknownName, UsageError
from tests.repo.sources import ROOT

SUBJECT, LAW = "rotary-embedding-torch.rotate", "rotary.position"
BROKEN = {"width": [4, 4], "dtype": "bfloat16", "positions": [256, 257]}
SOUND = {"width": [4, 4], "dtype": "bfloat16", "positions": [255, 256]}
NO_SUCH_WIDTH = {"width": [2, 2], "dtype": "bfloat16", "positions": [255, 256]}


def stored(folder: Path, case: dict[str, Any] = BROKEN) -> replay.Stored:
    return replay.store(SUBJECT, LAW, case, version="0.9.1", folder=folder)


def test_the_same_failure_has_the_same_id(tmp_path: Path) -> None:
    first, second = stored(tmp_path), stored(tmp_path)
    assert first == second
    assert len(first.id) == 6
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".py"]
    assert replay.load(first.id, folder=tmp_path) == first
    assert replay.load(first.id[:3], folder=tmp_path) == first


def test_two_failures_that_share_six_digits_get_eight(tmp_path: Path) -> None:
    first = stored(tmp_path)
    other = json.loads((tmp_path / f"{first.id}.json").read_text())
    (tmp_path / f"{first.id}.json").write_text(json.dumps({**other, "digest": "0" * 12}))
    assert stored(tmp_path).id == first.digest[:8]


def test_an_id_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no failure is stored in .*; run posproofs check or verify here first$"):
        replay.load("abc", folder=tmp_path / "none")
    one, two = stored(tmp_path), stored(tmp_path, SOUND)
    with pytest.raises(UnknownName, match="unknown replay"):
        replay.load("zzz", folder=tmp_path)
    with pytest.raises(UnknownName):
        replay.load("", folder=tmp_path)
    assert one.id != two.id
    (tmp_path / f"{one.id[:1]}zz.json").write_text("{}")
    with pytest.raises(UsageError, match="begins several ids"):
        replay.load(one.id[:1], folder=tmp_path)


def test_a_file_of_another_schema_is_refused(tmp_path: Path) -> None:
    kept = stored(tmp_path)
    path = tmp_path / f"{kept.id}.json"
    path.write_text(path.read_text().replace(replay.SCHEMA, "posproofs.replay/0"))
    with pytest.raises(UsageError, match=r"is not of posproofs\.replay/1"):
        replay.load(kept.id, folder=tmp_path)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="cannot write"):
        stored(tmp_path / "file")


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch, worker: Worker) -> None:
    """Cases are measured in one other process, in place of a new one each."""
    monkeypatch.setattr(replay, "Worker", lambda **_: nullcontext(worker))


@pytest.mark.usefixtures("one_process")
def test_repeating_says_failed_fixed_or_error(tmp_path: Path) -> None:
    """A case that never failed stands for one that is fixed, a width that cannot be built for one that is in error."""
    failed = replay.replay(stored(tmp_path).id, folder=tmp_path)
    assert (failed.status, failed.version) == ("FAILED", "0.9.1")
    assert failed.measure is not None
    assert failed.measure.saw == "positions 256 and 257 give the same rotation"
    assert failed.witness == "width 4; bfloat16; positions 256 and 257"
    assert replay.replay(stored(tmp_path, SOUND).id, folder=tmp_path).status == "FIXED"
    error = replay.replay(stored(tmp_path, NO_SUCH_WIDTH).id, folder=tmp_path)
    assert (error.status, error.error[:17]) == ("ERROR", "ZeroDivisionError")


@pytest.mark.parametrize(("case", "status"), [(BROKEN, 1), (SOUND, 0)], ids=["broken", "sound"])
def test_the_file_shows_the_failure_alone(tmp_path: Path, case: dict[str, Any], status: int) -> None:
    kept = stored(tmp_path, case)
    done = subprocess.run(
        [sys.executable, tmp_path / f"{kept.id}.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith("observed  ")


@pytest.mark.usefixtures("one_process")
def test_a_failure_of_scores_is_repeated_too(tmp_path: Path) -> None:
    case = {
        "size": [2, 4],
        "dtype": "float32",
        "calls": [{"dtype": "bfloat16", "tokens": 2}],
        "probe": {"dtype": "float32", "tokens": 2},
    }
    name, law = "transformers.wav2vec2_conformer", "transformer_xl.history"
    kept = replay.store(name, law, case, version="5.24.0", folder=tmp_path)
    failed = replay.replay(kept.id, folder=tmp_path)
    assert failed.status == "FAILED"
    assert failed.witness == "2 heads of width 4; bfloat16 for 2 tokens; then float32 for 2"
    sound = {**case, "calls": [{"dtype": "float32", "tokens": 2}]}
    fixed = replay.store(name, law, sound, version="5.24.0", folder=tmp_path)
    assert replay.replay(fixed.id, folder=tmp_path).status == "FIXED"
    assert "subject('transformers.wav2vec2_conformer')" in replay.snippet(kept)


@pytest.mark.parametrize(
    "text",
    ["{", "", "[]", "{}", '{"schema": "posproofs.replay/1"}', "no case", "no text"],
)
def test_a_torn_or_foreign_file_is_refused_and_written_anew(tmp_path: Path, text: str) -> None:
    kept = stored(tmp_path)
    path = tmp_path / f"{kept.id}.json"
    whole = path.read_text()
    changes: dict[str, dict[str, Any]] = {"no case": {"case": {}}, "no text": {"subject": 1}}
    changed = changes.get(text)
    path.write_text(json.dumps({**json.loads(whole), **changed}) if changed else text)
    with pytest.raises(UsageError, match=r"is not of posproofs\.replay/1, or was changed; run posproofs verify"):
        replay.load(kept.id, folder=tmp_path)
    assert stored(tmp_path) == kept
    assert path.read_text() == whole
