"""Fixtures of the kernel's tests."""

import os

import pytest

from derivations.kernel import search


@pytest.fixture
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds nothing looks at all its points; where the question is what is proved, eight are enough.

    Under the profile `thorough` it looks at all of them here too.
    """
    if os.environ.get("HYPOTHESIS_PROFILE") != "thorough":
        monkeypatch.setattr(search, "TRIALS", 8)
