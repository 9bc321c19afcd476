"""The ways in which rotary code is written: none of them hides the convention, however frequency and table are made."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from posproofs.identify import identify
from posproofs.mutants.reference import Layout, Rotate, Style, rotation, slots
from tests.identify.rotations import interleaved, turning

LAYOUTS: tuple[Layout, ...] = ("interleaved", "half-split")


def steps(r: int) -> Tensor:
    return torch.arange(0, r, 2).float()


WAYS: dict[str, Callable[[float, int], Tensor]] = {
    "reciprocal of a power": lambda b, r: 1.0 / (b ** (steps(r) / r)),
    "exponential": lambda b, r: torch.exp(steps(r) * (-math.log(b) / r)),
    "exponential of a logarithm in float32": lambda b, r: torch.exp(-torch.log(torch.tensor(b)) * steps(r) / r),
    "power of a tensor": lambda b, r: torch.pow(torch.tensor(b), -steps(r) / r),
    "float64": lambda b, r: b ** (-torch.arange(0, r, 2).double() / r),
}


def complex_products(w: Tensor, layout: Layout) -> Rotate:
    first, second = slots(layout, 2 * len(w))

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle = torch.outer(positions.to(w.dtype), w)
        turned = torch.complex(x[..., first], x[..., second]) * torch.complex(angle.cos().float(), angle.sin().float())
        y = x.clone()
        y[..., first], y[..., second] = turned.real, turned.imag
        return y

    return rotate


def rotated_halves(w: Tensor, layout: Layout, limit: int) -> Rotate:
    first, second = slots(layout, 2 * len(w))
    angle = torch.arange(limit).to(w.dtype)[:, None] * w[None]
    cos, sin = angle.cos().float(), angle.sin().float()

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        a, b = x[..., first], x[..., second]
        both = torch.cat((cos, cos), -1)[positions], torch.cat((sin, sin), -1)[positions]
        halves = torch.cat((a, b), -1) * both[0] + torch.cat((-b, a), -1) * both[1]
        y = x.clone()
        y[..., first], y[..., second] = halves.chunk(2, -1)
        return y

    return rotate


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(3))
def test_the_base_is_found_however_it_is_computed(way: str, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    for base in (10000.0, 500000.0, 1000000.0, 150000.0, 256.0, 12345.0):
        rotary = 2 * int(torch.randint(2, 12, (), generator=draw))
        layout = LAYOUTS[int(torch.randint(0, 2, (), generator=draw))]
        w = WAYS[way](base, rotary)
        for rotate, limit in ((complex_products(w, layout), None), (rotated_halves(w, layout, 777), 777)):
            found = identify(rotate, dim=rotary)
            assert found.turning is not None, str(found)
            assert (found.turning.base, found.limit) == (base, limit)
            assert layout in found.turning.reads
            assert ("float64" if way == "float64" else "float32") in found.turning.precision.angle
            error = max(abs(a - b) for a, b in zip(found.turning.frequencies, w.double().tolist(), strict=True))
            assert error <= found.turning.within + 2.0**-53


@pytest.mark.parametrize("limit", [64, 130])
def test_pairs_that_hardly_turn_within_a_short_coarse_table_are_still_pairs(limit: int) -> None:
    """The slowest pair of base 1e6 turns by 1e-4 within 130 positions; a bfloat16 cosine stays 1, the sine shows it."""
    w = 1000000.0 ** (-torch.arange(0, 16, 2).double() / 16)
    table = torch.arange(limit)
    coarse = turning(w, interleaved(8), table=torch.bfloat16, magnitudes=1.25)
    found = identify(lambda x, p: coarse(x, table[p]), dim=18)
    assert found.turning is not None, str(found)
    assert found.turning.pairs == tuple(interleaved(8))
    assert (found.turning.rest, found.turning.magnitude) == ("copied", 1.25)
    reading = found.turning.readings[0]
    assert reading.low <= 1000000.0 <= reading.high


def test_a_matrix_product_leaves_rounding_errors_where_nothing_is_mixed() -> None:
    """Moved to a basis and back, the entries that should be 0 are some units of roundoff."""
    basis, _ = torch.linalg.qr(torch.randn(8, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    plain = rotation(8, 8, Style())

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        eye = torch.eye(8, dtype=torch.float64)[:, None, None].expand(-1, 1, len(positions), -1)
        matrix = basis @ (basis.T @ plain(eye, positions)[:, 0].permute(1, 2, 0))
        return torch.einsum("tij,bhtj->bhti", matrix.float(), x)

    noisy = rotate(torch.eye(8)[:, None, None], torch.tensor([3]))
    assert 0 < int((noisy.abs() < 1e-12).sum()) < 64
    found = identify(rotate, dim=8)
    assert found.turning is not None, str(found)
    assert found.turning.base == 10000.0


@pytest.mark.parametrize(
    ("wanted", "shape"), [("row", "positions (rows,) of float32"), ("batch", "positions (batch, rows) of float32")]
)
def test_floating_positions_are_given_to_who_wants_them(wanted: str, shape: str) -> None:
    w = 10000.0 ** (-steps(8) / 8)
    plain = rotation(8, 8, Style())

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        positions[..., None] @ w[None]  # a matrix product of integers with floats is refused
        if (positions.ndim == 2) != (wanted == "batch"):
            raise ValueError("another shape")
        return plain(x, positions[0] if wanted == "batch" else positions)

    found = identify(rotate, dim=8)
    assert found.shape == shape
    assert found.turning is not None
    assert (found.turning.base, found.turning.fractional) == (10000.0, True)


def test_what_does_not_turn_may_be_scaled_or_moved_and_then_no_declaration_says_it() -> None:
    plain = rotation(8, 4, Style())
    scaled = identify(lambda x, p: 1.5 * plain(x, p), dim=8)
    assert scaled.turning is not None
    assert (scaled.turning.rest, scaled.turning.magnitude, scaled.convention) == ("scaled", 1.5, None)
    assert "4 of 8 turn (slice or zero frequency), the rest is scaled too" in str(scaled)
    moved = identify(lambda x, p: plain(x, p)[..., [0, 1, 2, 3, 5, 4, 6, 7]], dim=8)
    assert moved.turning is not None
    assert moved.turning.passing == ((4, 5), (5, 4), (6, 6), (7, 7))
    assert moved.convention is None
    assert "coordinates that do not turn are moved" in str(moved)
