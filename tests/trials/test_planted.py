"""Bugs planted in a copy of the kernel are found: the trials see what they are meant to see."""

import sys
from pathlib import Path

import pytest

from trials import planted
from trials.fragments import FRAGMENTS
from trials.planted import Bug

BUGS = planted.bugs()
FOUND = planted.found()


def test_every_bug_is_found_within_the_limit() -> None:
    assert FOUND.keys() == BUGS.keys()
    assert max(FOUND.values()) <= planted.LIMIT == 10_000


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str) -> None:
    """At the case that is recorded; those before it, which it does not depend on, are left out."""
    cases = FOUND.get(name, planted.LIMIT)
    found = planted.hunted(BUGS[name], cases, first=cases - 1)
    assert found is not None, "hunt it again: python -m trials.planted"
    assert found.cases == cases
    assert found.fragment in BUGS[name].fragments


def test_a_hunt_comes_to_what_is_recorded() -> None:
    name = min(FOUND, key=FOUND.__getitem__)
    found = planted.hunted(BUGS[name])
    assert found is not None
    assert found.cases == FOUND[name]


def test_the_bugs_are_spread_over_the_kernel() -> None:
    assert len(BUGS) >= 30
    assert {bug.file for bug in BUGS.values()} >= {
        *("values.py", "quotients.py", "sums.py", "evaluate.py"),
        *("balls.py", "points.py", "search.py", "models.py", "inference.py", "towers.py"),
    }
    assert all(set(bug.fragments) <= set(FRAGMENTS) for bug in BUGS.values())


def test_a_sound_kernel_is_not_accused() -> None:
    """The same hunt, with an edit that changes nothing: what it finds elsewhere is the bug's doing."""
    idle = Bug(
        "idle", "values.py", "ZERO: Value = {}", "ZERO: Value = dict()", "nothing", ("values", "quotients", "sums")
    )
    assert planted.hunted(idle, 600) is None


def test_the_copy_is_what_is_tried(tmp_path: Path) -> None:
    bug = Bug("x", "values.py", "ZERO: Value = {}", "ZERO: Value = planted", "everything", ("values",))
    planted.plant(bug, tmp_path)
    assert "Value = planted" in (tmp_path / "derivations/kernel/values.py").read_text()
    assert "planted" not in Path(sys.modules["derivations.kernel.values"].__file__ or "").read_text()


def test_an_edit_that_fits_nowhere_or_twice_is_refused(tmp_path: Path) -> None:
    bug = Bug("x", "values.py", "no such text", "", "nothing", ("values",))
    with pytest.raises(ValueError, match="occurs 0 times in values"):
        planted.plant(bug, tmp_path)
