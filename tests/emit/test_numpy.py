"""NumPy and Torch are translations of one statement: they agree, and NumPy keeps dtypes too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posproofs.emit import emit
from tests.emit.compare import allowed

LAYOUTS, FORMS = ("interleaved", "half-split"), ("table", "complex", "real")


@settings(max_examples=40)
@given(
    layout=st.sampled_from(LAYOUTS),
    form=st.sampled_from(FORMS),
    shape=st.lists(st.integers(0, 3), max_size=3),
    dtype=st.sampled_from([np.float64, np.float32]),
    partial=st.booleans(),
    base=st.sampled_from([10000.0, 37.5]),
)
def test_numpy_agrees_with_torch(
    layout: str, form: str, shape: list[int], dtype: type, partial: bool, base: float
) -> None:
    positions = np.arange(4) * 31
    x: np.ndarray[Any, Any] = np.random.default_rng(len(shape)).standard_normal((*shape, 4, 10)).astype(dtype)
    before = x.copy()
    options = {"base": base, "rotary_dim": 6 if partial else None}
    by_numpy = emit("rotary.rotate", to="numpy", layout=layout, form=form)(x, positions, **options)
    by_torch = emit("rotary.rotate", layout=layout, form=form)(
        torch.from_numpy(x), torch.from_numpy(positions), **options
    )
    assert by_numpy.dtype == dtype
    assert by_numpy.shape == x.shape
    assert np.array_equal(x, before)
    roundoff = 2.0**-53 if dtype is np.float64 else 2.0**-24
    # Each of the two may be off by the bound.
    flat = x.reshape(int(np.prod(shape)) * 4, 10)
    bound = 2 * allowed(flat, np.tile(positions, len(flat) // 4).tolist(), roundoff=roundoff)
    assert np.all(np.abs(by_numpy - by_torch.numpy()).reshape(flat.shape) <= bound)


@pytest.mark.parametrize("form", FORMS)
def test_half_precision_is_computed_in_float32(form: str) -> None:
    rotate = emit("rotary.rotate", to="numpy", form=form)
    x = np.random.default_rng(0).standard_normal((5, 8)).astype(np.float16)
    got = rotate(x, np.arange(5))
    assert got.dtype == np.float16
    exact = emit("rotary.rotate", to="numpy")(x.astype(np.float64), np.arange(5))
    assert np.all(np.abs(got - exact) <= 2.0**-11 * np.abs(exact) + 1e-6)


def test_lists_are_arrays() -> None:
    assert np.array_equal(emit("rotary.rotate", to="numpy")([[1.0, 0.0]], [0]), [[1.0, 0.0]])


def test_table_and_apply() -> None:
    rotate = emit("rotary.rotate", to="numpy", layout="half-split")
    cos, sin = rotate.table(np.arange(3), dim=4, dtype=np.float64)
    x = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(rotate.apply(x, cos, sin), rotate(x, np.arange(3)))
