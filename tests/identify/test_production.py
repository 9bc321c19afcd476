"""Every released rotation is found to be what its adapter declares, from calls alone."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest
import torch

from posproofs.identify import Identified, identify
from posproofs.laws import Convention, Subject, Width
from posproofs.laws.calling import rotated
from posproofs.mutants.reference import Style, rotation
from posproofs.production import SUBJECTS

ROTARY = [one for one in SUBJECTS if isinstance(one, Subject)]
TURNING = [one for one in ROTARY if one.name != "transformers.vjepa2"]
DTYPES = {"float32": torch.float32, "float64": torch.float64}


def seen(subject: Subject, width: Width, dtype: torch.dtype) -> Identified:
    instance = subject.make(width)
    return identify(lambda x, positions: rotated(subject, instance, x, positions), dim=width.head, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("subject", TURNING, ids=lambda one: one.name)
def test_a_released_rotation_is_what_it_declares(subject: Subject, dtype: str) -> None:
    for width in [width for width in subject.widths if width.rotary > 2 and width.head <= 128][:3]:
        found = seen(subject, width, DTYPES[dtype])
        assert found.turning is not None, str(found)
        assert found.convention == subject.convention
        assert str(found).startswith(str(subject.convention))
        assert found.turning.rotary_dim == width.rotary
        assert found.limit == subject.limit
        assert (found.until, found.notes) == (None, ())
        assert (subject.recipe.angle if subject.recipe.angle != "input" else dtype) in found.turning.precision.angle
        assert found.calls <= 40


@pytest.mark.parametrize("subject", TURNING, ids=lambda one: one.name)
def test_one_pair_fits_the_declaration_in_everything_but_the_base(subject: Subject) -> None:
    for width in [width for width in subject.widths if width.rotary == 2]:
        found = seen(subject, width, torch.float32)
        assert found.convention == replace(
            subject.convention,
            reads="interleaved",
            writes="interleaved",
            base=10000.0,
            frequencies=(1.0,),
            within=found.convention.within if found.convention else 0.0,
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [Width(4, 4), Width(20, 20)], ids=str)
def test_a_released_function_that_is_no_rotation_is_unidentified(width: Width, dtype: str) -> None:
    (subject,) = [one for one in ROTARY if one.name == "transformers.vjepa2"]
    found = seen(subject, width, DTYPES[dtype])
    assert (found.kind, found.position) == ("unidentified", 1)
    assert "the block of coordinates (0, 1) is (0.5403, -0.8415, " in found.reason


def test_a_head_of_64_takes_less_than_a_second_and_few_calls() -> None:
    rotate = rotation(64, 64, Style())
    identify(rotation(4, 4, Style()), dim=4)
    before = process_time()
    found = identify(rotate, dim=64)
    assert process_time() - before < 1
    assert found.calls <= 10
    assert found.convention == Convention("interleaved", "interleaved")
