from __future__ import annotations

import pytest
import torch
from torch import Tensor

from posproofs.errors import BadInput
from posproofs.identify import identify
from posproofs.mutants import Mutant
from posproofs.mutants.reference import Rotate, Style, rotation
from posproofs.mutants.rotary import (
    ALIASED,
    ALONG_HEADS,
    CLAMPED,
    COMPRESSED,
    IDENTITY,
    IN_PLACE,
    LOST_MINUS,
    MOVED_POSITIONS,
    OTHER_SIGN,
    ROUNDED,
    ROUNDED_FREQUENCIES,
    ROW_LEAK,
    SCALED,
    SHIFTED,
    TILED,
    WRAPPED,
    WRONG_BASE,
)
from posproofs.mutants.rotary_turns import DECAYING

RIGHT = rotation(8, 8, Style())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize(
    ("mutant", "position", "reason"),
    [
        (LOST_MINUS, 1, "the block of coordinates (0, 1) is (0.5403, 0.8415, 0.8415, 0.5403), which is no rotation"),
        (LOST_MINUS, 1, "; likely a minus sign is lost"),
        (TILED, 1, "which is no rotation; likely the table is laid out for another pairing"),
        (ALIASED, 1, "which is no rotation; likely one member is overwritten before the other reads it"),
        (SCALED, 1, "the scale of the pair (0, 1) depends on the position: 1.125 where it is 1 at position 0"),
        (IDENTITY, 0, "no coordinate turns at any position up to 131072"),
        (ALONG_HEADS, 0, "heads are not turned alike"),
        (ROW_LEAK, 3, "a row alone is turned otherwise than among other rows"),
    ],
    ids=lambda value: value.name if isinstance(value, Mutant) else "",
)
def test_what_is_no_rotation_is_unidentified(mutant: Mutant, position: int, reason: str, dtype: torch.dtype) -> None:
    found = identify(mutant.make(8, 8), dim=8, dtype=dtype)
    assert found.kind == "unidentified"
    assert found.turning is None
    assert found.convention is None
    assert found.position == position
    assert reason in found.reason
    assert str(found) == f"unidentified: position {position}: {found.reason}"


@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        (WRONG_BASE, "base 500000"),
        (OTHER_SIGN, "angle -p*w"),
        (SHIFTED, "pairs counted from -1"),
        (ROUNDED_FREQUENCIES, "frequencies in bfloat16"),
        (ROUNDED, "positions in bfloat16"),
        (WRAPPED, "before position 64 only, where the pair (0, 1) turns by 0, p*w is 1.16815 modulo 2 pi"),
        (CLAMPED, "before position 64 only, where the pair (0, 1) turns by 0.168147, p*w is 1.16815 modulo 2 pi"),
        (COMPRESSED, "before position 65 only"),
    ],
    ids=lambda value: value.name if isinstance(value, Mutant) else "",
)
def test_a_rotation_of_another_kind_is_named_as_what_it_is(mutant: Mutant, said: str) -> None:
    found = identify(mutant.make(8, 8), dim=8)
    assert found.kind == "rotary"
    assert said in str(found)
    assert said not in str(identify(RIGHT, dim=8))


def test_what_a_call_does_besides_is_noted() -> None:
    assert identify(IN_PLACE.make(8, 8), dim=8).notes == ("it writes into its input",)
    assert identify(MOVED_POSITIONS.make(8, 8), dim=8).notes == ("it writes into the caller's positions",)


def _raising(_x: Tensor, _positions: Tensor) -> Tensor:
    raise KeyError("cos")


def _random(x: Tensor, _positions: Tensor) -> Tensor:
    return torch.randn(x.shape)


def _nan(x: Tensor, positions: Tensor) -> Tensor:
    return RIGHT(x, positions).masked_fill((positions == 2)[:, None], torch.nan)


def _normed(x: Tensor, positions: Tensor) -> Tensor:
    return RIGHT(x / x.norm(dim=-1, keepdim=True).clamp(min=1.0), positions)


def _with_bias(x: Tensor, positions: Tensor) -> Tensor:
    return RIGHT(x, positions) + 1


def _dense(x: Tensor, positions: Tensor) -> Tensor:
    mixing = torch.linspace(0, 1, 64).reshape(8, 8)
    return RIGHT(x, positions) @ mixing


def _sheared(x: Tensor, positions: Tensor) -> Tensor:
    y = RIGHT(x, positions)
    y[..., 0] += positions[:, None].T * y[..., 1] / 8
    return y


def _turned_at_zero(x: Tensor, positions: Tensor) -> Tensor:
    return RIGHT(RIGHT(x, positions), torch.full_like(positions, 7))


def _scaled_rest(x: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((rotation(4, 4, Style())(x[..., :4], positions), x[..., 4:] / 3), dim=-1)


def _lost(x: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((rotation(4, 4, Style())(x[..., :4], positions), 0 * x[..., 4:]), dim=-1)


def _squared_positions(x: Tensor, positions: Tensor) -> Tensor:
    return RIGHT(x, positions**2)


@pytest.mark.parametrize(
    ("rotate", "position", "reason"),
    [
        (_raising, None, "it raises KeyError: 'cos'"),
        (lambda x, _p: x[..., :4], None, "x is (12, 3, 5, 8) torch.float32, the output is (12, 3, 5, 4) torch.float32"),
        (lambda x, p: RIGHT(x, p).long(), None, "the output is (12, 3, 5, 8) torch.int64"),
        (lambda _x, _p: None, None, "the output is NoneType"),
        (_random, 0, "two equal calls, one after the other, give different outputs"),
        (_nan, 2, "the output is not finite"),
        (_normed, 0, "the map is not linear in x"),
        (_with_bias, 0, "zero does not stay zero"),
        (_dense, 0, "outputs, a pair has 2"),
        (_sheared, 1, "(0.6455, -0.7739, 0.8415, 0.5403), which is no rotation"),
        (_turned_at_zero, 0, "at position 0, which is no multiple of its frequency"),
        (_scaled_rest, 0, "coordinate 4 does not turn and is multiplied by 0.333333"),
        (_lost, 0, "coordinate 4 reaches no output"),
        (_squared_positions, 2, "turns by -2.28319, p*w is 2 modulo 2 pi"),
    ],
)
def test_the_first_thing_that_failed_is_said(rotate: Rotate, position: int | None, reason: str) -> None:
    torch.manual_seed(0)
    found = identify(rotate, dim=8)
    assert (found.kind, found.position) == ("unidentified", position)
    assert reason in found.reason


def test_an_output_in_another_dtype_is_identified_and_noted() -> None:
    found = identify(lambda x, p: RIGHT(x, p).double(), dim=8)
    assert found.convention == identify(RIGHT, dim=8).convention
    assert found.notes == ("the output is in float64 where x is in float32",)


def xpos(head: int, power: int) -> Rotate:
    """Sun et al. 2212.10554, equation 11: pair i is scaled by ((2i/d + 0.4)/1.4)**(p/512), keys by the inverse."""
    right = rotation(head, head, Style())
    each = (torch.arange(0, head, 2).double() / head + 0.4) / 1.4

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        scale = each ** (power * positions.double()[:, None] / 512)
        return right(x, positions) * scale.repeat_interleave(2, dim=-1).to(x.dtype)

    return rotate


def test_scales_that_follow_a_law_are_told() -> None:
    found, keys = identify(xpos(8, 1), dim=8), identify(xpos(8, -1), dim=8)
    assert found.reason == (
        "the scale of the pair (0, 1) depends on the position: 0.997556 where it is 1 at position 0; "
        "with each position the scale changes by a factor of 0.997556 for (0, 1), 0.998503 for (2, 3), 0.999137 for "
        "(4, 5), ...: "
        "as in xPos, whose keys change by the inverse"
    )
    assert "a factor of 1.00245 for (0, 1), 1.0015 for (2, 3)" in keys.reason
    decaying = identify(DECAYING.make(8, 8), dim=8)
    assert decaying.reason.endswith("by a factor of 0.99: as in xPos, whose keys change by the inverse")
    assert "xPos" not in identify(SCALED.make(8, 8), dim=8).reason


def axial(last: int) -> Rotate:
    """The first half of the head turns with the row of a grid, the second with the column; frequencies restart."""
    right = rotation(8, 8, Style())

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        if positions.ndim != 2 or positions.shape[last] != 2:
            raise ValueError(f"wanted two positions a row, saw {tuple(positions.shape)}")
        vertical, horizontal = positions.unbind(dim=last)
        return torch.cat((right(x[..., :8], vertical), right(x[..., 8:], horizontal)), dim=-1)

    return rotate


@pytest.mark.parametrize("last", [0, 1])
def test_two_axes_of_positions_are_told(last: int) -> None:
    found = identify(axial(last), dim=16)
    assert (found.kind, found.convention) == ("unidentified", None)
    vertical, horizontal = (one.turning for one in found.axes)
    assert vertical is not None
    assert horizontal is not None
    assert vertical.pairs == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert horizontal.pairs == ((8, 9), (10, 11), (12, 13), (14, 15))
    assert vertical.frequencies == horizontal.frequencies
    assert str(found).startswith(
        "unidentified: positions have two axes, and other pairs turn on each: on axis 0, rotary"
    )
    assert found.calls > sum(one.calls for one in found.axes) > 0


def test_one_axis_is_not_two() -> None:
    """It reads one of two positions, or turns one pair with both."""
    one = RIGHT
    assert identify(lambda x, p: one(x, p[:, 0]), dim=8).axes == ()
    assert identify(lambda x, p: one(x, p.sum(dim=1)), dim=8).axes == ()
    assert identify(_raising, dim=8).axes == ()


def test_an_unknown_mistake_is_given_no_cause() -> None:
    assert identify(_sheared, dim=8).reason.endswith("which is no rotation")


def test_another_answer_after_other_calls_is_noted() -> None:
    calls = []

    def tiring(x: Tensor, positions: Tensor) -> Tensor:
        calls.append(1)
        return RIGHT(x, positions) * (1 if len(calls) < 4 else 2)

    assert "after other calls the first one has another answer" in identify(tiring, dim=8).notes


@pytest.mark.parametrize(("dim", "dtype", "farthest"), [(1, torch.float32, 64), (8, torch.int64, 64), (8, None, 3)])
def test_a_question_without_an_answer_is_refused(dim: int, dtype: torch.dtype | None, farthest: int) -> None:
    with pytest.raises(BadInput, match=f"saw {dim}, "):
        identify(RIGHT, dim=dim, dtype=dtype, farthest=farthest)
