"""The settings of pytest hold: each defect below passes without its setting and fails with that of pyproject.toml."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.gates.table import NO_GATES
from tests.gates.trees import Ended, pyproject, ran, write
from tests.repo.sources import ROOT

WARNS = "import warnings\n\n\ndef test_x() -> None:\n    warnings.warn('look out', DeprecationWarning)\n"
PASSES = "import pytest\n\n\n@pytest.mark.xfail(reason='planted')\ndef test_x() -> None:\n    pass\n"
MARKED = "import pytest\n\n\n@pytest.mark.planted\ndef test_x() -> None:\n    pass\n"
EMPTY = "import pytest\n\n\n@pytest.mark.parametrize('x', [])\ndef test_x(x: int) -> None:\n    pass\n"
DOCTEST = '"""Says something wrong.\n\n>>> 1 + 1\n3\n"""\n'
# The setting: the file of the defect, its text, what pytest says, and the setting as it is where nobody sets it.
PLANTED: dict[str, tuple[str, str, str, str]] = {
    "filterwarnings": ("tests/test_w.py", WARNS, "DeprecationWarning: look out", '["default"]'),
    "xfail_strict": ("tests/test_p.py", PASSES, "[XPASS(strict)] planted", "false"),
    "strict_markers": ("tests/test_m.py", MARKED, "'planted' not found in `markers`", "false"),
    "empty_parameter_set_mark": ("tests/test_e.py", EMPTY, "Empty parameter set in 'test_x'", '"skip"'),
    "addopts": ("derivations/x.py", DOCTEST, "Expected:", '["--import-mode=importlib"]'),
}
MISSPELT = "xfial_strict = true\n"


OWN = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def run(folder: Path, settings: str, planted: Iterable[str]) -> Ended:
    """pytest over the defects of these settings, under the given pyproject.toml."""
    write(folder, "pyproject.toml", settings)
    write(folder, "tests/test_fine.py", "def test_fine() -> None:\n    pass\n")
    write(folder, "derivations/__init__.py", '"""Nothing."""\n')
    for setting in planted:
        name, text, *_ = PLANTED[setting]
        write(folder, name, text)
    # Without the plugins that the defects do not need, which take longer to load than all the rest.
    plain = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
    return ran(folder, sys.executable, *plain, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


@pytest.mark.parametrize("setting", PLANTED)
def test_a_setting_makes_its_defect_fail(setting: str, tmp_path: Path) -> None:
    done = run(tmp_path, OWN, [setting])
    assert done.status in (1, 2), done.text
    assert PLANTED[setting][2] in done.text


def test_without_the_settings_every_defect_passes(tmp_path: Path) -> None:
    """So it is the settings that see them."""
    lax = OWN
    for setting, (*_, without) in PLANTED.items():
        lax, changed = re.subn(rf"(?m)^{setting} = .*$", f"{setting} = {without}", lax)
        assert changed == 1
    done = run(tmp_path, lax, PLANTED)
    assert done.status == 0, done.text
    assert "3 passed, 1 skipped, 1 xpassed" in done.text


def test_a_setting_that_is_misspelt_is_an_error(tmp_path: Path) -> None:
    done = run(tmp_path, OWN.replace("strict_config = true\n", f"strict_config = true\n{MISSPELT}"), [])
    assert done.status != 0
    assert "Unknown config option: xfial_strict" in done.text


def test_every_setting_is_planted_or_is_no_gate() -> None:
    assert set(pyproject()["tool"]["pytest"]) == {*PLANTED, *NO_GATES, "strict_config"}


def with_doctests(folder: Path) -> list[str]:
    """Modules below a folder that hold examples with >>>."""
    return [path.name for path in sorted(folder.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


def test_doctests_stand_only_where_they_run(tmp_path: Path) -> None:
    """Examples of posproofs are on its pages, whose tests run them; those in its modules nobody would run."""
    assert "derivations" in pyproject()["tool"]["pytest"]["testpaths"]
    assert "posproofs" not in pyproject()["tool"]["pytest"]["testpaths"]
    assert with_doctests(ROOT / "posproofs") == []
    write(tmp_path, "deep/planted.py", DOCTEST)
    assert with_doctests(tmp_path) == ["planted.py"]
