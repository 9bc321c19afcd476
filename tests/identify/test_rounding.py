from __future__ import annotations

import pytest
import torch
from torch import Tensor

from posproofs.identify import Precision, identify
from posproofs.mutants.reference import Rotate, Style, frequencies, rotation
from tests.identify.rotations import in_dtype, interleaved, product, turning

W = frequencies(16, 10000.0)
NAMES = ("bfloat16", "float16", "float32", "float64")


def precision(rotate: Rotate, dtype: torch.dtype = torch.float32, farthest: int = 2**17) -> Precision:
    found = identify(rotate, dim=16, dtype=dtype, farthest=farthest)
    assert found.turning is not None, str(found)
    return found.turning.precision


@pytest.mark.parametrize("name", NAMES)
def test_the_dtype_of_the_table(name: str) -> None:
    rotate = turning(W, interleaved(8), table=getattr(torch, name))
    assert precision(rotate, torch.float64).table == name
    assert f"table in {name}" in str(identify(rotate, dim=16, dtype=torch.float64))


def test_a_bfloat16_table_is_told_from_a_float32_one_in_float32() -> None:
    assert precision(turning(W, interleaved(8), table=torch.bfloat16)).table == "bfloat16"
    assert precision(turning(W, interleaved(8), table=torch.float32)).table == "float32"


@pytest.mark.parametrize("name", NAMES)
def test_the_dtype_of_the_angle(name: str) -> None:
    """A float16 angle overflows from 65536 on, so less is asked of it."""
    dtype = getattr(torch, name)
    rotate = turning(W.to(dtype), interleaved(8), angles=in_dtype(dtype), table=torch.float64)
    found = precision(rotate, torch.float64, farthest=2**15)
    assert (found.angle, found.positions) == ((name,), "exact")


def test_an_angle_that_overflows_ends_the_rotation_and_says_where() -> None:
    rotate = turning(W.half(), interleaved(8), angles=in_dtype(torch.float16), table=torch.float32)
    found = identify(rotate, dim=16)
    assert found.kind == "rotary"
    assert found.until == 65535  # the largest float16 is 65504, and 65535 is infinite
    assert "not finite" in found.departs


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize("wide", ["float32", "float64"])
def test_the_dtype_of_positions(name: str, wide: str) -> None:
    def angles(positions: Tensor, turned: Tensor) -> Tensor:
        return in_dtype(getattr(torch, wide))(positions.to(getattr(torch, name)), turned)

    found = precision(turning(W.to(getattr(torch, wide)), interleaved(8), angles=angles), farthest=2**15)
    assert (found.positions, found.angle) == (name, (wide,))


@pytest.mark.parametrize("name", NAMES)
def test_the_dtype_of_the_frequencies(name: str) -> None:
    held = turning(W.to(getattr(torch, name)), interleaved(8), angles=product)
    assert precision(held, torch.float64).frequency == (name,)


def test_two_dtypes_of_the_angle_are_named_where_nothing_tells_them_apart() -> None:
    """With one pair w is 1 and p*1 is exact; before position 8 a bfloat16 table hides what float32 rounds."""
    one = identify(rotation(2, 2, Style()), dim=2)
    assert one.turning is not None
    assert one.turning.precision.angle == ("float32", "float64")
    assert one.turning.precision.frequency == NAMES
    coarse = precision(turning(W, interleaved(8), table=torch.bfloat16), farthest=8)
    assert coarse.angle[-2:] == ("float32", "float64")
    assert "angle in" in str(identify(turning(W, interleaved(8), table=torch.bfloat16), dim=16))


def test_bfloat16_inputs_still_give_the_convention() -> None:
    found = identify(rotation(16, 16, Style("half-split", "half-split", -1, 500000.0)), dim=16, dtype=torch.bfloat16)
    assert found.turning is not None
    assert (found.turning.reads, found.turning.sign) == (("half-split",), -1)
    low, high = found.turning.readings[0].low, found.turning.readings[0].high
    assert low <= 500000.0 <= high
