"""Laws are asked here as the worker asks them: on one thread, where small tensors are also many times faster."""

from collections.abc import Iterator

import pytest
import torch

from posproofs.laws import attention_runs, attention_sides, rotary_proofs, rotary_runs, score_proofs, score_tables


@pytest.fixture(autouse=True, scope="module")
def _single_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def _graphs_of_its_own(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that replaces a function of a library neither finds graphs of the right one nor leaves its own behind."""
    replacing = "monkeypatch" in request.fixturenames
    _forget(replacing=replacing)
    yield
    _forget(replacing=replacing)


def _forget(*, replacing: bool) -> None:
    kept = (attention_runs, attention_sides, rotary_proofs, rotary_runs, score_proofs, score_tables)
    for value in [value for module in kept for value in vars(module).values()] if replacing else []:
        if hasattr(value, "cache_clear"):
            value.cache_clear()
