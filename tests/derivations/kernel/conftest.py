"""Fixtures of the kernel's tests."""

import gc
import os

import pytest

from derivations.kernel import search


def pytest_collection_finish() -> None:
    """What was collected lives to the end; a sixth of the time went into looking through it for garbage."""
    gc.freeze()


@pytest.fixture
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds nothing looks at all its points; where the question is what is proved, four are enough.

    Under the profile `thorough` it looks at all of them here too.
    """
    if os.environ.get("HYPOTHESIS_PROFILE") != "thorough":
        monkeypatch.setattr(search, "TRIALS", 4)
