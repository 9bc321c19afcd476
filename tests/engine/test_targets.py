"""TARGET: what it names, what is said where it names nothing, and copies that share no state."""

from pathlib import Path

import pytest

from posproofs.engine.targets import RETURNING, given, resolve
from posproofs.errors import UsageError

STATE = """
import functools
KEPT = {}
def kept(n):
    return KEPT.setdefault("first", n)
count = 0
def counted():
    global count
    count += 1
    return count
@functools.lru_cache
def cached(n):
    return [n]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain_code.py").write_text("LIMIT = 3\ndef act(n):\n    return n + LIMIT\nclass C:\n    act = act\n")
    (tmp_path / "state_code.py").write_text(STATE)
    (tmp_path / "leaves_code.py").write_text("raise SystemExit(5)\n")
    (tmp_path / "fails_code.py").write_text("import nowhere_at_all\n")
    return tmp_path


def test_a_file_and_a_module(folder: Path) -> None:
    for text in ("plain_code.py:act", f"{folder}/plain_code.py:act", "plain_code:act", "plain_code:C.act"):
        assert resolve(text).found(1) == 4


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plain_code.act", r"unknown target 'plain_code.act'.*did you mean plain_code:act\?"),
        ("plain_code.py", r"name an object in the file: plain_code.py:NAME"),
        ("plain_cod.py:act", r"there is no file plain_cod.py; did you mean plain_code.py\?"),
        ("plain_cod:act", r"there is no module plain_cod in this environment or folder"),
        ("plain_code:axt", r"unknown object of plain_code 'axt'; did you mean act\?"),
        ("leaves_code.py:act", r"importing leaves_code.py raises SystemExit: 5"),
        ("fails_code:act", r"importing fails_code raises ModuleNotFoundError: No module named 'nowhere_at_all'"),
        (":act", "unknown target"),
    ],
)
def test_what_names_nothing_is_told(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(text)


@pytest.mark.usefixtures("folder")
def test_a_copy_shares_no_state() -> None:
    kept = resolve("state_code.py:kept")
    assert (kept.found(1), kept.found(2), kept.again()(3)) == (1, 1, 3)
    counted = resolve("state_code.py:counted")
    assert (counted.found(), counted.found(), counted.again()()) == (1, 2, 1)
    cached = resolve("state_code.py:cached")
    assert cached.again()(1) is not cached.found(1)


@pytest.mark.usefixtures("folder")
def test_code_without_state_is_executed_once() -> None:
    plain = resolve("plain_code.py:act")
    assert plain.again() is plain.found


def test_a_given_object_has_the_name_that_leads_to_it(folder: Path) -> None:
    act = resolve("plain_code:act").found
    assert given(act, lambda: act).text == "plain_code:act"
    (folder / "src").mkdir()
    (folder / "src" / "deep_code.py").write_text("def act(n):\n    return n\n")
    deep = resolve("src/deep_code.py:act").found
    target = given(deep, lambda: deep)
    assert target.text == "src/deep_code.py:act"
    assert (target.found, target.again()) == (deep, deep)


def test_a_given_object_without_a_name_is_made_again_or_copied(folder: Path) -> None:
    (folder / "made_code.py").write_text("KEPT = []\ndef new():\n    return list(KEPT)\ndef same():\n    return KEPT\n")
    for name in ("new", "same"):
        function = resolve(f"made_code:{name}").found
        target = given(function, function)
        assert target.text == f"made_code:{name}"
        assert target.again() == []
        assert target.again() is not target.found


def test_a_function_that_is_declared_to_return_the_code_leads_to_it(folder: Path) -> None:
    marked = f"def test_it(): ...\ndef it():\n    return [7]\nsetattr(test_it, {RETURNING!r}, it)\n"
    (folder / "marked_code.py").write_text(marked)
    assert resolve("marked_code:test_it").found == [7]
