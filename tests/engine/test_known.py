"""The list of known failures: what it must contain, and that each way in which it can rot is reported."""

from pathlib import Path

import pytest

from posproofs.engine import known
from posproofs.errors import UsageError
from posproofs.laws import LAWS
from posproofs.production import SUBJECTS

COMPLETE = """
[[known]]
subject = "a.b"
law = "rotary.gram"
digest = "0123456789ab"
reason = "the library rounds positions to bfloat16"
versions = ["1.0", "1.1"]
"""


def test_an_entry_is_read() -> None:
    (entry,) = known.parsed(COMPLETE)
    assert entry == known.Entry(
        "a.b", "rotary.gram", "0123456789ab", "the library rounds positions to bfloat16", ("1.0", "1.1")
    )
    assert known.parsed("") == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("law = ", "lwa = "), "has the keys"),
        (('"the library rounds positions to bfloat16"', '"flaky"'), "too short to explain"),
        (('["1.0", "1.1"]', '"1.0"'), "list of exact versions"),
        (('["1.0", "1.1"]', "[]"), "list of exact versions"),
        (('["1.0", "1.1"]', '["1.0"]\nissue = "x"'), "has the keys"),
    ],
)
def test_an_incomplete_entry_is_refused(change: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        known.parsed(COMPLETE.replace(*change))


def test_an_entry_is_for_its_versions_only() -> None:
    entries = known.parsed(COMPLETE)
    assert known.lookup(entries, "a.b", "rotary.gram", "1.1") is entries[0]
    assert known.lookup(entries, "a.b", "rotary.gram", "1.2") is None
    assert known.lookup(entries, "a.b", "rotary.vjp", "1.0") is None


def test_unknown_names_and_doubles_are_reported() -> None:
    entries = known.parsed(COMPLETE)
    assert known.unknown(entries, ["a.b"], ["rotary.gram"]) == ()
    assert known.unknown(entries, ["a.bb"], ["rotary.gram"]) == (
        "known.toml names the unknown subject 'a.b'; did you mean a.bb?",
    )
    assert known.unknown(entries, ["a.b"], ["x"]) == ("known.toml names the unknown law 'rotary.gram'",)
    assert "twice" in known.unknown(known.parsed(COMPLETE + COMPLETE), ["a.b"], ["rotary.gram"])[0]


def test_the_shipped_list_names_what_exists() -> None:
    entries = known.shipped()
    assert known.unknown(entries, (s.name for s in SUBJECTS), (one.id for one in LAWS)) == ()
    assert {(e.subject, e.law) for e in entries} == {
        ("transformers.vjepa2", "rotary.isometry"),
        ("transformers.bloom.attention", "attention.paths"),
        ("transformers.falcon.model", "attention.paths"),
        ("rotary-embedding-torch.rotate", "rotary.history"),
        ("rotary-embedding-torch.rotate", "rotary.position"),
        ("transformers.wav2vec2_conformer", "transformer_xl.history"),
        ("espnet.conformer", "transformer_xl.history"),
    }


OWN = """
[tool.other]
key = 1

[[tool.posproofs.known]]
subject = "mine.py:rotate --dims 8"
law = "rotary.gram"
digest = "0123456789ab"
reason = "positions are rounded on purpose here"
"""


def test_the_list_of_ones_own_code_is_read_from_pyproject(tmp_path: Path) -> None:
    assert known.own(tmp_path) == ()
    (tmp_path / "pyproject.toml").write_text(OWN)
    (entry,) = known.own(tmp_path)
    assert (entry.subject, entry.versions, entry.file) == ("mine.py:rotate --dims 8", (), "pyproject.toml")
    assert known.lookup([entry], entry.subject, "rotary.gram", "whatever source") is entry
    assert known.fixed(entry).startswith("pyproject.toml lists rotary.gram on mine.py:rotate --dims 8, but")
    (tmp_path / "pyproject.toml").write_text(f'{OWN}versions = ["1.0"]\n')
    assert known.own(tmp_path)[0].versions == ("1.0",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[tool.posproofs.knwon]]\nlaw = 'x'\n", r"wanted \[\[tool.posproofs.known\]\] alone in tool.posproofs"),
        ("[tool.posproofs.known]\nlaw = 'x'\n", r"wanted \[\[tool.posproofs.known\]\] alone in tool.posproofs"),
        ("[tool\n", "pyproject.toml cannot be read"),
        (OWN.replace("positions are rounded on purpose here", "flaky"), "too short to explain"),
        (OWN.replace("digest =", "digets ="), "has the keys"),
        (f"{OWN}versions = []\n", "list of exact versions"),
    ],
)
def test_what_is_no_list_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        known.own(tmp_path)


def test_entries_for_other_code_that_there_is_may_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(OWN)
    entries = known.own(tmp_path)
    assert known.astray(entries, "mine.py:rotate --dims 8", ["rotary.gram"]) == ()
    (line,) = known.astray(entries, "mine.py:rotate --dims 4", ["rotary.gram"])
    assert line.startswith("pyproject.toml names the unknown subject 'mine.py:rotate --dims 8'; did you mean")
    (tmp_path / "mine.py").touch()
    assert known.astray(entries, "mine.py:rotate --dims 4", ["rotary.gram"]) == ()
    doubled = known.astray((*entries, *entries), "mine.py:other", ["rotary.gram"])
    assert doubled == ("pyproject.toml lists rotary.gram on mine.py:rotate --dims 8 in any version twice; keep one",)
