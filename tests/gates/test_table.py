"""Every gate has a row in gates.toml, every row a test that exists, and the page shows the rows."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import pytest

from posproofs.laws import law
from tests.gates.table import Gate, about_nothing, gates, inventory, linters, page, parsed, without_row
from tests.repo.sources import ROOT
from tests.report.goldens import UPDATE

ROWS = gates()
PAGE = ROOT / "posproofs" / "docs" / "gates.md"


def test_every_gate_has_a_row() -> None:
    assert without_row(ROWS) == []
    assert about_nothing(ROWS) == []


@pytest.mark.parametrize("covered", inventory())
def test_what_has_no_row_is_named(covered: str) -> None:
    rows = [replace(row, covers=tuple(name for name in row.covers if name != covered)) for row in ROWS]
    assert without_row(rows) == [covered]


def test_a_row_about_nothing_is_named() -> None:
    assert about_nothing([*ROWS, replace(ROWS[0], covers=("law rotary.gone",))]) == ["law rotary.gone"]


def test_no_two_rows_have_one_id() -> None:
    ids = [row.id for row in ROWS]
    assert sorted(set(ids)) == sorted(ids)


def test_make_lint_runs_four_tools() -> None:
    assert linters() == ["ruff check", "ruff format", "mypy", "lint-imports"]


@pytest.mark.parametrize(
    "row", [row for row in ROWS if any(name.startswith("law ") for name in row.covers)], ids=lambda r: r.id
)
def test_the_row_of_a_law_plants_a_mutant_of_that_law(row: Gate) -> None:
    assert row.covers == (f"law {row.id}",)
    names = [mutant.name for mutant in law(row.id).mutants]
    assert row.test.rpartition("[")[2].rstrip("]") in names
    assert row.planted.removeprefix("mutant ") in names


@pytest.fixture(scope="module")
def collected(request: pytest.FixtureRequest) -> frozenset[str]:
    """The ids of all tests in the modules that the table names: those of this run, where it has all these modules."""
    ids = [item.nodeid for item in request.session.items]
    if not {row.test.partition("::")[0] for row in ROWS} <= {one.partition("::")[0] for one in ids}:
        ids = collected_anew()
    return frozenset([*ids, *(one.partition("[")[0] for one in ids)])  # a row may name all cases of a test at once


def collected_anew() -> list[str]:
    """The same, as pytest collects them by itself."""
    modules = sorted({row.test.partition("::")[0] for row in ROWS})
    plain = ("-q", "--collect-only", "-p", "no:cacheprovider", "-p", "no:xdist")
    command = [sys.executable, "-m", "pytest", *plain, *modules]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def not_there(rows: Iterable[Gate], tests: frozenset[str]) -> list[str]:
    """The rows whose test is none of these."""
    return [f"{row.id}: {row.test}" for row in rows if row.test not in tests]


def test_every_row_has_a_test_that_exists(collected: frozenset[str]) -> None:
    assert not_there(ROWS, collected) == []
    for gone in (
        "tests/repo/test_sizes.py::test_gone",
        "tests/repo/test_wording.py::test_a_planted_word_is_reported[x]",
    ):
        assert not_there([replace(ROWS[0], test=gone)], collected) == [f"{ROWS[0].id}: {gone}"]


def test_every_check_that_is_a_file_exists() -> None:
    files = {row.check for row in ROWS if "/" in row.check}
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []


def test_a_row_with_another_key_is_refused() -> None:
    row = '[[gate]]\nid = "x"\ncommand = "x"\ncheck = "x"\nholds = "x"\nplanted = "x"\n'
    assert parsed(f'{row}test = "x"\n')[0].covers == ()
    with pytest.raises(TypeError, match="test"):
        parsed(row)
    with pytest.raises(TypeError, match="tset"):
        parsed(f'{row}test = "x"\ntset = "y"\n')


def stale(path: Path, text: str) -> str:
    """The difference between the committed page and its rows; with the switch set, write it."""
    if os.environ.get(UPDATE):
        path.write_text(text, encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    return "\n".join(unified_diff(before.splitlines(), text.splitlines(), path.name, "now", lineterm=""))


def test_the_page_is_the_table() -> None:
    assert stale(PAGE, page(ROWS)) == "", f"read the difference, then set {UPDATE}=1"


def test_a_row_that_changes_makes_the_page_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(UPDATE, raising=False)
    copy = tmp_path / PAGE.name
    copy.write_text(page(ROWS))
    assert stale(copy, page(ROWS)) == ""
    assert "+| `ruff` | planted | one defect for each family |" in stale(
        copy, page([replace(ROWS[0], holds="planted"), *ROWS[1:]])
    )
    assert stale(copy, page(ROWS[1:])) != ""
