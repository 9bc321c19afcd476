"""The files speak of the project alone: no path of a machine, no name of a package index, no talk of who wrote them."""

import re
from pathlib import Path

import pytest

from tests.repo.sources import ROOT, files, name_of

# One letter of each word stands in brackets, so that this file does not report itself.
_PATHS = r"(?<![\w.$}~*-])/(?:home|root|tmp|work|farm|mnt|opt|private|Users)/"
_HOSTS = r"\b(?:p[y]pi\.org|pythonh[o]sted\.org|huggingf[a]ce\.co)\b|--(?:extra-)?ind[e]x-url|--find-l[i]nks"
_WORDS = (
    r"\b(?:sub-?)?ag[e]nts?\b|\bcl[a]ude\b|\banthr[o]pic\b|\bchatg[p]t\b|\bcop[i]lot\b"
    r"|\bworkpl[a]ce\b|\b(?:this|previous|earlier|next) s[e]ssion\b|\bthe l[e]ad\b"
)
_FORBIDDEN = re.compile(f"{_PATHS}|{_HOSTS}|{_WORDS}", re.IGNORECASE)


def foreign_words(text: str) -> list[str]:
    """Every forbidden path, host or word, with its line."""
    return [
        f"line {number}: {match[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        for match in _FORBIDDEN.finditer(line)
    ]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""  # not a text


def test_no_file_names_a_machine_or_its_authors() -> None:
    found = {name_of(path): seen for path in files() if (seen := foreign_words(_text(path)))}
    assert found == {}


def test_the_walk_reads_the_repository() -> None:
    names = {name_of(path) for path in files()}
    assert {"pyproject.toml", ".ci/run", "Makefile", "derivations/claims.py", "tests/repo/test_wording.py"} <= names
    assert not any(name.startswith((".venv/", ".git/")) for name in names)
    assert (ROOT / ".gitignore").exists()


@pytest.mark.parametrize(
    "planted",
    [
        "see /ho" + "me/someone/x.py",
        "'/t" + "mp/x'",
        "written by an ag" + "ent",
        "in an earlier s" + "ession",
        "pip install --ind" + "ex-url x",
        "from p" + "ypi.org",
    ],
)
def test_a_planted_word_is_reported(planted: str) -> None:
    assert len(foreign_words(f"clean\n{planted}\n")) == 1


@pytest.mark.parametrize("fine", ["#!/usr/bin/env bash", "a / b", 'scope="session"', "docs/work/x.md", "urgent"])
def test_ordinary_text_is_not_reported(fine: str) -> None:
    assert foreign_words(fine) == []
