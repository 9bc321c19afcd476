"""The emitted rotary map against the dense matrix of its statement: layouts, forms, widths, shapes and dtypes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from derivations.derivation import theorem
from posproofs.emit import Emitted, emit
from tests.emit.compare import ROUNDOFF, allowed, reference

LAYOUTS = ("interleaved", "half-split")
FORMS = ("table", "complex", "real")
POSITIONS = [0, 1, 2, 63, 257, 4096]


def statement(layout: str) -> Any:
    return theorem(f"rotary.rotate.{layout.replace('-', '_')}").statement


def drawn(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("width", [2, 4, 64, 96, 128])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_equals_the_dense_matrix_of_the_statement(layout: str, width: int, form: str) -> None:
    x, positions = drawn(len(POSITIONS), width), torch.tensor(POSITIONS)
    expected = reference(statement(layout), x.numpy(), POSITIONS, groups=width // 2)
    got = emit("rotary.rotate", layout=layout, form=form)(x, positions)
    assert np.all(np.abs(got.numpy() - expected) <= allowed(x.numpy(), POSITIONS, roundoff=2.0**-53))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_narrow_dtypes_use_float32_angles_and_round_once(layout: str, form: str, dtype: torch.dtype) -> None:
    x = drawn(len(POSITIONS), 64, dtype=dtype)
    exact = x.double().numpy()
    expected = reference(statement(layout), exact, POSITIONS, groups=32)
    got = emit("rotary.rotate", layout=layout, form=form)(x, torch.tensor(POSITIONS))
    assert got.dtype == dtype
    bound = allowed(exact, POSITIONS, roundoff=2.0**-24) + ROUNDOFF[dtype] * np.abs(expected)
    # Values below the smallest normal number of float16 are spaced evenly.
    bound += float(torch.finfo(dtype).smallest_normal) * ROUNDOFF[dtype]
    assert np.all(np.abs(got.double().numpy() - expected) <= bound)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("width", [64, 65])
def test_partial_width_turns_the_first_coordinates_and_passes_the_rest(layout: str, form: str, width: int) -> None:
    x, positions = drawn(len(POSITIONS), width), torch.tensor(POSITIONS)
    rotate = emit("rotary.rotate", layout=layout, form=form)
    got = rotate(x, positions, rotary_dim=16)
    expected = reference(statement(layout), x[:, :16].numpy(), POSITIONS, groups=8)
    assert torch.equal(got[:, 16:], x[:, 16:])
    assert np.all(np.abs(got[:, :16].numpy() - expected) <= allowed(x[:, :16].numpy(), POSITIONS, roundoff=2.0**-53))


@given(
    layout=st.sampled_from(LAYOUTS),
    form=st.sampled_from(FORMS),
    batch=st.lists(st.integers(0, 3), max_size=3),
    length=st.integers(0, 4),
    pairs=st.integers(1, 5),
    base=st.sampled_from([2.0, 500.0, 10000.0, 1e6]),
)
def test_batches_are_rows(layout: str, form: str, batch: list[int], length: int, pairs: int, base: float) -> None:
    rotate = emit("rotary.rotate", layout=layout, form=form)
    x, positions = drawn(*batch, length, 2 * pairs), torch.arange(length) * 7
    got = rotate(x, positions, base=base)
    assert got.shape == x.shape
    rows = (math.prod(batch), length, 2 * pairs)
    for flat, turned in zip(x.reshape(rows), got.reshape(rows), strict=True):
        assert torch.allclose(turned, rotate(flat, positions, base=base), rtol=0, atol=1e-13)


def test_positions_of_each_batch() -> None:
    rotate = emit("rotary.rotate")
    x, positions = drawn(2, 3, 4, 6), torch.tensor([[0, 1, 2, 3], [5, 6, 7, 8]])
    got = rotate(x, positions[:, None, :])
    for batch in range(2):
        assert torch.equal(got[batch], rotate(x[batch], positions[batch]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_forms_agree_also_in_float32(layout: str) -> None:
    x, positions = drawn(2, 3, 300, 32, dtype=torch.float32), torch.arange(300)
    table, *others = (emit("rotary.rotate", layout=layout, form=form)(x, positions) for form in FORMS)
    for other in others:
        # Same tables; two products and a sum may be rounded in another order: 3 roundings of at most |x0| + |x1|.
        assert float((table - other).abs().max()) <= 3 * 2.0**-24 * 2 * float(x.abs().max())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_layout_of_x_does_not_matter(layout: str, form: str) -> None:
    rotate, positions = emit("rotary.rotate", layout=layout, form=form), torch.arange(5)
    storage = drawn(2, 5, 3, 9)
    views = [
        storage[..., 1:].transpose(1, 2),
        storage[..., :8].transpose(1, 2),
        storage[..., :8][:, :, :1].transpose(1, 2),
    ]
    views += [drawn(9)[1:].expand(5, 8), drawn(8, 5).T, drawn(6, 5, 8)[::2], drawn(5, 16)[:, ::2]]
    for x in views:
        before = x.clone()
        expected = rotate(x.contiguous().clone(), positions)
        assert torch.allclose(rotate(x, positions), expected, rtol=0, atol=1e-15)
        assert torch.equal(x, before)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tables_in_any_memory(layout: str) -> None:
    rotate = emit("rotary.rotate", layout=layout)
    x = drawn(3, 5, 8)
    cos, sin = rotate.table(torch.arange(5), dim=8, dtype=torch.float64)
    expected = rotate.apply(x, cos.contiguous(), sin.contiguous())
    waves = torch.complex(cos.contiguous(), sin.contiguous())
    turned_back = waves.conj()
    spellings = [
        (cos, sin),
        (waves.real, waves.imag),
        (cos.expand(3, 5, 4), sin.expand(3, 5, 4)),
        (cos, sin.contiguous()),
    ]
    for c, s in spellings:
        assert torch.allclose(rotate.apply(x, c, s), expected, rtol=0, atol=1e-15)
    # The imaginary part of a lazy conjugate shares its memory with the table and is negated on reading only.
    back = rotate.apply(expected, turned_back.real, turned_back.imag)
    assert torch.allclose(back, x, rtol=0, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_apply_of_table_is_rotate(layout: str) -> None:
    rotate = emit("rotary.rotate", layout=layout)
    x, positions = drawn(4, 7, 12, dtype=torch.float32), torch.arange(7)
    cos, sin = rotate.table(positions, dim=12)
    assert cos.shape == sin.shape == (7, 6)
    assert cos.dtype == torch.float32
    assert torch.equal(rotate.apply(x, cos, sin), rotate(x, positions))


def test_wider_tables_widen_the_computation_but_not_the_result() -> None:
    rotate = emit("rotary.rotate")
    x, positions = drawn(6, 64, dtype=torch.float32), torch.tensor(POSITIONS)
    cos, sin = rotate.table(positions, dim=64, dtype=torch.float64)
    got = rotate.apply(x, cos, sin)
    expected = rotate(x.double(), positions).float()
    assert got.dtype == torch.float32
    assert torch.equal(got, expected)


def test_fractional_positions_and_devices() -> None:
    rotate = emit("rotary.rotate")
    x = drawn(2, 4)
    expected = reference(statement("interleaved"), x.numpy(), [0.5, -2.25], groups=2)
    assert np.allclose(rotate(x, torch.tensor([0.5, -2.25])).numpy(), expected, rtol=0, atol=1e-14)
    # The meta device computes shapes alone: nothing may fall back to the processor.
    on_meta = rotate(torch.empty(2, 4, device="meta"), torch.arange(2, device="meta"))
    assert on_meta.device.type == "meta"


def test_rounding_positions_to_bfloat16_would_be_seen() -> None:
    # 257 is no bfloat16: a table that types positions as x gives row 256 twice.
    rotate = emit("rotary.rotate")
    x = torch.ones(2, 64, dtype=torch.bfloat16)
    first, second = rotate(x, torch.tensor([256, 257]))
    assert not torch.equal(first, second)


def same(first: Emitted, second: Emitted) -> bool:
    return first is second


def test_each_distinct_program_is_built_once() -> None:
    assert same(emit("rotary.rotate"), emit("rotary.rotate"))
    assert not same(emit("rotary.rotate"), emit("rotary.rotate", layout="half-split"))
