"""The relative shift: six variants are proved, their regions are needed, and reshaping an array does what they say."""

from __future__ import annotations

import numpy as np
import pytest

from derivations import rel_shift
from derivations.derivation import Entry
from derivations.kernel import Refuted
from derivations.kernel.cells import Cell, Reading

SHIFTS = {entry.id: entry for entry in rel_shift.ENTRIES}


def test_all_six_variants_are_proved() -> None:
    assert len(SHIFTS) == 6
    assert all(entry.check().status == "proved" for entry in SHIFTS.values())


def test_the_region_is_needed() -> None:
    assert isinstance(rel_shift.beyond_the_region(), Refuted)
    assert isinstance(rel_shift.off_by_one(), Refuted)


def reshaped(x: np.ndarray, *, drop: int, width: int) -> np.ndarray:
    """The memory of x from entry `drop` on, cut into rows of `width`, zero at the end."""
    flat = np.concatenate([x.ravel()[drop:], np.zeros(x.size)])
    return flat[: width * (flat.size // width)].reshape(-1, width)


@pytest.mark.parametrize(("queries", "memory"), [(1, 0), (3, 0), (4, 2), (2, 5)])
def test_the_bidirectional_identity_is_what_reshaping_does(queries: int, memory: int) -> None:
    keys = queries + memory
    x = np.arange(1.0, queries * (keys + queries) + 1).reshape(queries, keys + queries)
    y = reshaped(x, drop=queries, width=keys + queries - 1)
    for i in range(queries):
        for j in range(keys):
            assert y[i, j] == x[i, j + queries - i]


@pytest.mark.parametrize("entry", SHIFTS.values(), ids=SHIFTS)
def test_each_statement_names_flat_index_and_place(entry: Entry) -> None:
    statement = entry.theorem.statement
    assert isinstance(statement.left, Reading)
    assert isinstance(statement.right, Cell)
