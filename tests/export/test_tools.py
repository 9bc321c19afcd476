"""A missing program skips a test on a machine of one's own, and fails it in CI."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.export import tools


@pytest.mark.parametrize("need", [tools.need_latex, tools.need_katex], ids=["latex", "katex"])
@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_what_is_missing_is_never_passed_over_in_ci(
    need: object, ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(need)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(outcome, match="not installed"):
        need()


def test_katex_is_looked_for_where_it_was_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CI", "")
    monkeypatch.setattr(shutil, "which", lambda program: f"bin/{program}")
    monkeypatch.setattr(tools, "NODE_MODULES", tmp_path)
    with pytest.raises(pytest.skip.Exception, match="katex in"):
        tools.need_katex()
