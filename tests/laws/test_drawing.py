"""Drawn cases follow from the law and the seed, whatever is imported, and nothing of Hypothesis stays changed."""

from collections.abc import Callable
from contextlib import nullcontext, suppress

import pytest
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from posproofs.laws import drawing
from posproofs.laws.drawing import failing

NUMBERS = st.integers(0, 10**9)


def drawn(seed: int = 0) -> list[int]:
    seen: list[int] = []

    def fails(number: int) -> bool:
        seen.append(number)
        return False

    assert failing(NUMBERS, fails, examples=200, seed=seed) is None
    return seen


def test_the_same_are_drawn_whatever_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200, about ten are numbers that Hypothesis thinks of; those of this project's sources are not among them."""
    first = drawn()
    assert drawn() == first
    monkeypatch.setattr(drawing, "_whatever_is_imported", nullcontext)
    with_sources = drawn()
    assert with_sources != first, "Hypothesis no longer reads sources, or under another name: see drawing.py"
    monkeypatch.undo()
    assert drawn() == first


def test_another_seed_draws_others() -> None:
    assert drawn(1) != drawn(2) != drawn()
    assert drawn(1) == drawn(1)


def test_the_first_that_fails_is_shrunk() -> None:
    assert failing(NUMBERS, lambda number: number >= 1000, examples=40, seed=0) == 1000
    assert failing(NUMBERS, lambda number: number >= 1000, examples=40, seed=3) == 1000


def stop(_number: int) -> bool:
    raise RuntimeError("of the subject")


@pytest.mark.parametrize("fails", [lambda _number: False, stop], ids=["nothing found", "it raises"])
def test_what_is_replaced_is_put_back(fails: Callable[[int], bool]) -> None:
    before = dict(vars(providers))
    with suppress(RuntimeError):
        failing(NUMBERS, fails, examples=5, seed=0)
    assert {name for name, value in vars(providers).items() if before.get(name) is not value} == set()


@pytest.mark.parametrize("gone", ["the module", "a name"])
def test_a_release_without_the_names_draws_all_the_same(gone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        if gone == "the module":
            raise ImportError(name)
        return type("empty", (), {})

    monkeypatch.setattr(drawing, "import_module", missing)
    assert len(drawn()) == 200
