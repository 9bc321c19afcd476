"""Settings that every test shares: the Hypothesis profiles, and one thread for each of several processes.

`ci`, the default, draws the same examples in every run and sets no deadline, so a failure seen once is seen again.
`thorough` draws at random and many more: HYPOTHESIS_PROFILE=thorough make test.
"""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from posproofs.engine.worker import Worker

# Side by side, each process has one processor; threads of both would wait for one another at the end of each product.
# Torch, and the processes that tests start, read it when they start.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Golden files are compared as text; importing them for their doctests would run generated code.
collect_ignore_glob = ["golden/*"]

# Python looks through the objects that are young after each 700 new ones, through all of them when a quarter is new. Of
# the million that Torch and the tests themselves bring none goes away, and looking takes an eighth of the time.
gc.set_threshold(50_000, 20, 20)

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What is imported by now stays."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """A process for code that is checked, which imports its libraries once for all tests that ask for it."""
    with Worker() as one:
        yield one
