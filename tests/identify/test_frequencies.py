"""Frequencies to the last place that can be resolved: the angle of a table entry is known to 3 sqrt(2) units u of the
table, at position 2**17 that is 3 sqrt(2) u / 2**17 for a frequency; where it is below a quarter of the spacing of the
dtype that holds the frequency, one number is left and the frequency is known exactly."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from posproofs.identify import Turning, identify
from posproofs.identify.bases import shortest
from posproofs.mutants.reference import Rotate, frequencies
from tests.identify.rotations import in_dtype, interleaved, turning

PLAIN = frequencies(64, 500000.0)


def linear() -> Tensor:
    return PLAIN / 3


def yarn() -> Tensor:
    """By parts: fast pairs stay, slow pairs are divided by 16, with a ramp over the index between them."""
    ramp = ((torch.arange(32, dtype=torch.float64) - 8) / 10).clamp(0, 1)
    return PLAIN * (1 - ramp) + PLAIN / 16 * ramp


def llama3() -> Tensor:
    """Three bands of the wavelength, with a blend that is linear in its inverse."""
    turns = 8192 * PLAIN / (2 * math.pi)
    blend = ((turns - 1) / (4 - 1)).clamp(0, 1)
    return PLAIN * blend + PLAIN / 8 * (1 - blend)


SCALED = (linear, yarn, llama3)
UNIT = {torch.float32: 2.0**-24, torch.float64: 2.0**-53}


def resolution(table: torch.dtype) -> float:
    return 3 * 2**0.5 * UNIT[table] / 2**17 * (1 + 2.0**-10)


def found(rotate: Rotate, dtype: torch.dtype) -> Turning:
    seen = identify(rotate, dim=64, dtype=dtype)
    assert seen.turning is not None, str(seen)
    return seen.turning


@pytest.mark.parametrize("scaled", SCALED)
def test_float64_frequencies_in_float64_are_exact_to_the_last_place(scaled: Callable[[], Tensor]) -> None:
    w = scaled()
    seen = found(turning(w, interleaved(32)), torch.float64)
    for own, true in zip(seen.frequencies, w.tolist(), strict=True):
        # float64 itself rounds what is reported by half a unit
        assert abs(own - true) <= resolution(torch.float64) + math.ulp(true) / 2
    assert seen.precision.frequency == ("float64",)


@pytest.mark.parametrize("scaled", SCALED)
def test_float64_frequencies_seen_in_float32_are_within_the_resolution(scaled: Callable[[], Tensor]) -> None:
    w = scaled()
    seen = found(turning(w, interleaved(32)), torch.float32)
    assert seen.within == pytest.approx(resolution(torch.float32), rel=1e-3)
    assert max(abs(own - true) for own, true in zip(seen.frequencies, w.tolist(), strict=True)) <= seen.within
    assert seen.precision.frequency == ("float64",)


@pytest.mark.parametrize("scaled", SCALED)
def test_float32_frequencies_are_the_very_numbers_where_the_spacing_allows_it(scaled: Callable[[], Tensor]) -> None:
    w = scaled().float()
    seen = found(turning(w, interleaved(32), angles=in_dtype(torch.float32)), torch.float32)
    assert seen.precision.frequency == ("float32",)
    assert seen.precision.angle == ("float32",)
    exact = 0
    for own, true in zip(seen.frequencies, w.double().tolist(), strict=True):
        spacing = 2.0 ** (math.floor(math.log2(true)) - 23)
        resolved = resolution(torch.float32) < spacing / 4
        exact += resolved
        assert own == true if resolved else abs(own - true) <= resolution(torch.float32)
    assert 16 <= exact < 32  # the slowest pairs of base 500000 are finer than the resolution


def test_scaled_frequencies_have_no_base_unless_a_factor_explains_them() -> None:
    assert found(turning(yarn(), interleaved(32)), torch.float64).readings == ()
    assert found(turning(llama3(), interleaved(32)), torch.float64).readings == ()
    (reading,) = found(turning(linear(), interleaved(32)), torch.float64).readings
    assert reading.base == 500000.0
    assert reading.factor == pytest.approx(1 / 3, rel=1e-15)


def test_scaled_frequencies_are_listed_in_words() -> None:
    seen = identify(turning(yarn(), interleaved(32)), dim=64)
    assert "32 listed frequencies" in str(seen)
    assert ", w = 1, 0.663" in str(seen)
    assert seen.convention is not None
    assert len(seen.convention.frequencies) == 32


@pytest.mark.parametrize("seed", range(3))
def test_one_frequency_off_by_more_than_a_unit_is_no_base(seed: int) -> None:
    """8 units in float64 are outside the error of a power; seen in float32 the base still stands, as it must."""
    w = frequencies(64, 10000.0)
    at = int(torch.randint(1, 31, (), generator=torch.Generator().manual_seed(seed)))
    w[at] *= 1 + 2.0**-45
    assert found(turning(w, interleaved(32)), torch.float64).base is None
    assert found(turning(w, interleaved(32)), torch.float32).base == 10000.0


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [(9999.9, 10000.2, 10000.0), (0.9, 1.1, 1.0), (1.2343, 1.2347, 1.2345), (3.0, 3.0, 3.0), (0.3, 0.36, 0.3)],
)
def test_the_shortest_decimal_of_an_interval(low: float, high: float, wanted: float) -> None:
    assert shortest(low, high) == wanted
