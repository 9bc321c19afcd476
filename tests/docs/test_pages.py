"""Every code block of the README and of the pages runs, in order, and prints what the page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from posproofs.engine.worker import Worker
from posproofs.vocabulary import Evidence, Exit, Outcome, Verdict
from tests.docs.pages import RUNS, Block, blocks, calls, made, matches, one_worker, printed_by, run_python
from tests.repo.sources import ROOT

DOCS = ROOT / "posproofs" / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
# Installing, and running the tests from within the tests, is left to the checks of the repository. What is printed on
# notebooks is compared where they are run: tests/notebooks/test_notebooks.py.
NOT_RUN = ("pip", "make test", "make notebooks")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: Worker) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, object] = {"__name__": f"page_{page.stem.replace('-', '_')}"}
    # A dataclass looks its module up by name.
    monkeypatch.setitem(sys.modules, str(names["__name__"]), sys.modules[__name__])
    try:
        with one_worker(monkeypatch, worker):
            run_page(page, names, tmp_path)
    finally:
        forget_modules(tmp_path)


def run_page(page: Path, names: dict[str, object], folder: Path) -> None:
    for block in blocks(page.read_text()):
        if block.language == "python":
            run_python(block, names, f"{page.name}:{block.line}")
        elif block.language == "console":
            check_console(block, folder, page.name)


def forget_modules(folder: Path) -> None:
    """A page may import a file that it wrote; no other test shall find that module."""
    for name in [n for n, module in sys.modules.items() if str(folder) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]


def check_console(block: Block, folder: Path, page: str) -> None:
    for call in calls(block.text):
        if call.command.startswith(NOT_RUN):
            continue
        printed = printed_by(call.command, folder)
        place = f"{page}, line {block.line}: {call.command}"
        # `...` would stand for it.
        assert "Traceback (most recent call last)" not in printed, f"{place} ends in\n{printed}"
        assert matches(call.wanted, printed), f"{place} prints\n{printed}\nthe page says\n{call.wanted}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_is_plain_text_for_people(page: Path) -> None:
    text = page.read_text()
    assert text.isascii()
    assert text.startswith("# ")
    assert "![" not in text, "no badges, no pictures"
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text())
    missing = [name for name in targets if not name.startswith("https://") and not (page.parent / name).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_runs_something(page: Path) -> None:
    assert any(block.language in RUNS for block in blocks(page.read_text()))


def test_the_readme_names_every_page() -> None:
    text = (ROOT / "README.md").read_text()
    assert [page.name for page in PAGES[1:] if f"posproofs/docs/{page.name}" not in text] == []


def test_the_readme_knows_the_make_targets_it_names() -> None:
    assert made("verify")[:2] == ["posproofs", "verify"]
    assert made("test")[:3] == ["python", "-m", "pytest"]
    named = set(re.findall(r"make (\w+)", (ROOT / "README.md").read_text()))
    assert {"verify", "test"} <= named
    for target in named:
        made(target)


def test_make_test_is_shown_to_end_with_the_summary_of_pytest() -> None:
    shown = [c for b in blocks((ROOT / "README.md").read_text()) if b.language == "console" for c in calls(b.text)]
    last = next(call.wanted for call in shown if call.command == "make test").splitlines()[-1]
    assert matches(last, "973 passed, 20 deselected in 63.21s (0:01:03)")


def test_the_page_on_proofs_explains_every_word_of_the_vocabularies() -> None:
    text = (DOCS / "what-is-proved.md").read_text()
    words = [*Evidence, *Outcome, *Verdict]
    assert [word for word in words if f"`{word}`" not in text] == []
    assert [int(status) for status in Exit if f"| {int(status)} |" not in text] == []


def test_a_wrong_page_is_noticed(tmp_path: Path) -> None:
    wrong = Block("console", "$ python -c 'print(1)'\n2\n", 1)
    with pytest.raises(AssertionError, match="the page says"):
        check_console(wrong, tmp_path, "x.md")
    check_console(Block("console", "$ python -c 'print(1)'\n1\n", 1), tmp_path, "x.md")
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        check_console(Block("console", "$ python -c 'print(1); 1 / 0'\n1\n...\n", 1), tmp_path, "x.md")
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", ">>> 1 + 1\n3\n", 1), {}, "x.md:1")
    with pytest.raises(ZeroDivisionError):
        run_python(Block("python", "1 / 0\n", 1), {}, "x.md:1")
    with pytest.raises(AssertionError, match="starts with a command"):
        check_console(Block("console", "1\n", 1), tmp_path, "x.md")
    with pytest.raises(AssertionError, match="a page may run"):
        check_console(Block("console", "$ rm x\n", 1), tmp_path, "x.md")


def test_three_dots_stand_for_anything_and_nothing_else_does() -> None:
    assert matches("a ... c\n", "a b b c\n")
    assert matches("...\nend\n", "x\ny\nend\n")
    assert not matches("a ... c\n", "a b d\n")
    assert not matches("a.c\n", "abc\n")
