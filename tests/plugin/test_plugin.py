"""`@posproofs.conforms` in a project of its own: what passes, what a failure says, what pytest makes of the tests."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import posproofs
from posproofs.errors import UnknownName, UsageError
from posproofs.laws import ROTARY_LAWS, digest
from tests.cli.commands import posproofs as command
from tests.repo.sources import ROOT
from tests.repo.test_laziness import LARGE

pytest_plugins = ["pytester"]

STALE = """
TABLES = {}

def stale(x, positions):
    key = len(positions)
    if key not in TABLES:
        TABLES[key] = _angles(positions, x.shape[-1])
    return _halves(x, TABLES[key])

def listed(x, positions):
    return stale(x, positions)

def narrow(x, positions):
    return x[..., :2]
"""
DECLARED = """
import mine
import posproofs

@posproofs.conforms(kind="rotary", declare={"base": 10000, "layout": "half-split"}, dims=(8,))
def test_right():
    return mine.rotate
"""
WRONG = """
import mine
import posproofs

@posproofs.conforms(dims=(8,))
def test_stale():
    return mine.stale
"""
LISTED = """
@posproofs.conforms(dims=(8,))
def test_listed():
    return mine.listed
"""
ALL = len(ROTARY_LAWS)
IN_THE_END = f"posproofs: {ALL} laws applied, {ALL} ran, 0 not applicable"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with somebody's code. The plugin is named, so that it is loaded once, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    shutil.copy(ROOT / "tests" / "engine" / "own" / "rotations.py", pytester.path / "mine.py")
    with (pytester.path / "mine.py").open("a") as file:
        file.write(STALE)
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "posproofs.pytest_plugin", "-p", "no:cacheprovider", *arguments)


def properties(path: Path) -> dict[str, dict[str, str]]:
    """Those of each test, as JUnit has them."""
    found = {}
    for case in ET.parse(path).getroot().iter("testcase"):
        pairs = [(one.get("name", ""), one.get("value", "")) for one in case.iter("property")]
        found[case.get("name", "")] = dict(pairs)
    return found


def test_the_file_that_write_gives_passes_law_by_law(project: pytest.Pytester) -> None:
    done = command("write", "mine.py:with_offset", "--dims", "8", "-o", "test_written.py", cwd=project.path)
    assert (done.status, done.out, done.err) == (0, "", "")
    text = (project.path / "test_written.py").read_text()
    assert 'declare={"layout": "half-split", "sign": "+", "base": 10000}' in text
    assert 'shape="x+offset:bhtd"' in text
    ran = run(project, "-v", "-W", "error", "--junitxml=out.xml")
    ran.assert_outcomes(passed=ALL)
    ran.stdout.fnmatch_lines(
        [f"posproofs: 1 implementation, {ALL} laws to ask", "*::test_with_offset?rotary.gram? PASSED*"]
    )
    assert ran.outlines[-2] == IN_THE_END
    seen = properties(project.path / "out.xml")
    assert len(seen) == ALL
    gram = {"law": "rotary.gram", "outcome": "holds", "evidence": "proved", "digest": ""}
    assert seen["test_with_offset[rotary.gram]"] == {f"posproofs.{name}": value for name, value in gram.items()}
    assert not (project.path / ".posproofs").exists()


def test_a_stale_table_fails_with_the_text_of_check_and_can_be_known(project: pytest.Pytester) -> None:
    """Two names of one function, of which one is listed with the witness that `check` stored for the other."""
    printed = command("check", "mine:stale", "--dims", "8", cwd=project.path).out
    replays = [json.loads(path.read_text()) for path in (project.path / ".posproofs" / "replays").glob("*.json")]
    (stored,) = (one for one in replays if one["law"] == "rotary.history")
    project.makepyprojecttoml(known(digest("mine:listed --dims 8", "rotary.history", stored["case"])))
    project.makepyfile(WRONG + LISTED)
    done = run(project, "-k", "rotary.history", "-rs", "--junitxml=out.xml")
    done.assert_outcomes(failed=1, skipped=1, deselected=2 * (ALL - 1))
    start = done.outlines.index("rotary.history broken: result depends on earlier calls")
    text = done.outlines[start : done.outlines.index(next(x for x in done.outlines[start:] if "replay " in x)) + 1]
    assert text[1].startswith("  subject    mine:stale --dims 8 (source ")
    assert "".join(f"  {line}\n" for line in text) in printed
    assert "Traceback" not in done.stdout.str()
    seen = properties(project.path / "out.xml")["test_stale[rotary.history]"]
    assert (seen["posproofs.outcome"], seen["posproofs.digest"]) == ("broken", stored["digest"])
    assert seen["posproofs.digest"].startswith(text[-1].split()[-1])
    done.stdout.fnmatch_lines(["SKIPPED*rotary.history known: the key leaves out where positions start*"])


def known(failure: str) -> str:
    entry = f'subject = "mine:listed --dims 8"\nlaw = "rotary.history"\ndigest = "{failure}"\n'
    return f'[[tool.posproofs.known]]\n{entry}reason = "the key leaves out where positions start; see issue 12"\n'


def test_the_tests_can_be_spread_over_processes(project: pytest.Pytester) -> None:
    project.makepyfile(DECLARED)
    done = run(project, "-p", "xdist.plugin", "-n", "2", "-k", "purity or position")
    done.assert_outcomes(passed=2)
    assert done.outlines[-2] == "posproofs: 2 laws applied, 2 ran, 0 not applicable"


def test_what_cannot_be_called_fails_in_the_words_of_check(project: pytest.Pytester) -> None:
    project.makepyfile(WRONG.replace("mine.stale", "mine.narrow"))
    done = run(project, "-k", "purity or history")
    done.assert_outcomes(failed=2, deselected=ALL - 2)
    done.stdout.fnmatch_lines(["no call shape fits mine:narrow (width 8: ValueError: *", "*check wrapper.py:rotate"])
    assert "During handling" not in done.stdout.str()
    assert done.outlines.count("posproofs: 2 laws applied, 0 ran, 0 not applicable") == 1


def test_without_a_decorated_test_nothing_is_printed_and_nothing_loaded(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import sys

        def test_plain():
            assert not {"torch", "sympy", "numpy", "posproofs.laws"} & set(sys.modules)
        """
    )
    done = run(project)
    done.assert_outcomes(passed=1)
    assert "posproofs" not in done.stdout.str()


def test_without_the_plugin_a_decorated_test_is_an_error(project: pytest.Pytester) -> None:
    project.makepyfile(DECLARED)
    done = project.runpytest_subprocess("-p", "no:cacheprovider")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*fixture 'posproofs_law' not found"])


def test_fixtures_are_given_and_parameters_refused(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import mine
        import posproofs
        import pytest

        @pytest.fixture
        def made():
            return mine.Interleaved(8)

        class TestMade:
            @posproofs.conforms(dims=(8,))
            def test_fixture(self, made, request):
                assert request.node.name == "test_fixture[rotary.purity]"
                return made

        @pytest.mark.parametrize("base", [1, 2])
        @posproofs.conforms(dims=(8,))
        def test_bases(base):
            return mine.rotate
        """
    )
    done = run(project, "-k", "purity")
    done.assert_outcomes(passed=1, failed=2, deselected=3 * (ALL - 1))
    done.stdout.fnmatch_lines(["an implementation is identified once; write a function for each, *"])


def test_what_is_declared_must_be_known() -> None:
    with pytest.raises(UnknownName, match="unknown kind 'rotory'; did you mean rotary"):
        posproofs.conforms(kind="rotory")
    with pytest.raises(UsageError, match="pytest passes over rotate; wanted a name that starts with test"):

        @posproofs.conforms()
        def rotate() -> None: ...


def loaded_with(code: str) -> list[str]:
    """The modules that `code` loads beyond pytest."""
    program = f"import sys, pytest\nbefore = set(sys.modules)\n{code}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_loading_the_plugin_loads_two_modules() -> None:
    """So it takes the time of one small file: under 20 ms."""
    assert loaded_with("import posproofs.pytest_plugin") == ["posproofs", "posproofs.pytest_plugin"]
    assert "numpy" in loaded_with("import posproofs.pytest_plugin, numpy")


def test_declaring_loads_no_torch() -> None:
    declared = loaded_with("import posproofs\n@posproofs.conforms(dims=(8,))\ndef test_x(): ...")
    own = [name for name in declared if name.partition(".")[0] == "posproofs"]
    assert own == ["posproofs", "posproofs.errors", "posproofs.pytest_plugin"]
    assert not LARGE & set(declared)
