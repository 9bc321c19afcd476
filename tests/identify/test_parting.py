from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import Tensor

from posproofs.errors import BadInput
from posproofs.identify import against, reordered
from posproofs.mutants import Mutant
from posproofs.mutants.reference import Layout, Rotate, Style, frequencies, rotation
from posproofs.mutants.rotary import CLAMPED, COMPRESSED, LOST_MINUS, ROUNDED, ROUNDED_FREQUENCIES, WRAPPED, WRONG_BASE
from tests.identify.rotations import in_dtype, interleaved, turning

LAYOUTS: tuple[Layout, ...] = ("interleaved", "half-split")
PLAIN = rotation(16, 16, Style())


def scores(rotate: Rotate, q: Tensor, k: Tensor) -> Tensor:
    """(batch, head, row, row) of grouped heads: q has twice the heads of k."""
    at = torch.arange(q.shape[2])
    return rotate(q, at) @ rotate(k.repeat_interleave(2, dim=1), at).transpose(-1, -2)


def projected(x: Tensor, weight: Tensor, bias: Tensor, dim: int) -> Tensor:
    y = x @ weight.T + bias
    return y.reshape(*y.shape[:2], -1, dim).transpose(1, 2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("head", "rotary"), [(8, 8), (12, 8)])
def test_reordered_weights_give_the_scores_of_the_other_convention(seed: int, head: int, rotary: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    x, q_weight, k_weight, q_bias, k_bias = (
        torch.randn(shape, generator=draw, dtype=torch.float64)
        for shape in ((2, 9, 6), (4 * head, 6), (2 * head, 6), (4 * head,), (2 * head,))
    )
    for reads, writes, sign in product(LAYOUTS, LAYOUTS, (1, -1)):
        a = rotation(head, rotary, Style())
        b = rotation(head, rotary, Style(reads, writes, 1 if sign > 0 else -1))
        rows = against(a, b, dim=head, dtype=torch.float64, farthest=64).rows
        assert rows is not None
        wanted = scores(a, projected(x, q_weight, q_bias, head), projected(x, k_weight, k_bias, head))
        q = projected(x, reordered(q_weight, rows), reordered(q_bias, rows), head)
        k = projected(x, reordered(k_weight, rows), reordered(k_bias, rows), head)
        assert torch.allclose(scores(b, q, k), wanted, rtol=0, atol=1e-12 * float(wanted.abs().max()))


@pytest.mark.parametrize(
    ("style", "position", "explained"),
    [
        (Style("half-split", "half-split"), 1, ("permutation",)),
        (Style("interleaved", "half-split"), 0, ("permutation",)),
        (Style(sign=-1), 1, ("sign",)),
        (Style(magnitude=1.5), 0, ("scale",)),
        (Style("half-split", "half-split", -1, 10000.0, 1.5), 0, ("permutation", "sign", "scale")),
    ],
)
def test_conventions_explain_where_two_functions_part(style: Style, position: int, explained: tuple[str, ...]) -> None:
    parting = against(PLAIN, rotation(16, 16, style), dim=16)
    assert (parting.position, parting.explained, parting.scale) == (position, explained, style.magnitude)
    text = str(parting)
    assert text.startswith(f"they part at position {position}: coordinate {parting.coordinate} is ")
    assert f"; explained by {' and '.join(explained)}; " in text
    assert ("scores times 2.25" in text) == (style.magnitude == 1.5)
    moves = style.reads != "interleaved" or style.sign < 0  # where outputs stand is nothing to scores
    assert ("give it the weight rows [" in text) == moves
    assert ("weights stay as they are" in text) != moves


def test_another_origin_is_no_difference_of_scores() -> None:
    parting = against(PLAIN, lambda x, p: PLAIN(x, p + 1), dim=16)
    assert (parting.position, parting.explained, parting.rows) == (0, ("origin",), tuple(range(16)))
    assert "weights stay as they are" in str(parting)


@pytest.mark.parametrize(
    ("mutant", "position"),
    [
        (ROUNDED, 257),
        (CLAMPED, 64),
        (WRAPPED, 64),
        (COMPRESSED, 65),
        (LOST_MINUS, 1),
        (ROUNDED_FREQUENCIES, 1),
        (WRONG_BASE, 1),
    ],
    ids=lambda value: value.name if isinstance(value, Mutant) else "",
)
def test_a_defect_is_found_at_its_first_position_and_not_explained_away(mutant: Mutant, position: int) -> None:
    parting = against(PLAIN, mutant.make(16, 16), dim=16)
    assert (parting.position, parting.explained, parting.rows) == (position, (), None)
    assert "\n  a  rotary, interleaved, base 10000, " in str(parting)
    assert "\n  b  " in str(parting)
    assert abs(parting.left - parting.right) > parting.allowed


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("base", [10000.0, 1000000.0])
def test_float32_angles_are_allowed_and_bfloat16_ones_are_not(dtype: torch.dtype, base: float) -> None:
    w = frequencies(16, base)
    plain = rotation(16, 16, Style(base=base))
    rounded = turning(w.float(), interleaved(8), angles=in_dtype(torch.float32))
    agreeing = against(plain, rounded, dim=16, dtype=dtype)
    assert agreeing.position is None
    assert str(agreeing) == "they agree at 4112 positions to 131072"
    coarse = turning(w, interleaved(8), angles=lambda p, turned: in_dtype(torch.bfloat16)(p, turned).float())
    assert against(plain, coarse, dim=16, dtype=dtype).position == 1


def test_a_bfloat16_table_is_allowed_what_it_costs() -> None:
    coarse = turning(frequencies(16, 10000.0), interleaved(8), table=torch.bfloat16)
    assert against(PLAIN, coarse, dim=16).position is None


def test_positions_beyond_either_table_are_not_asked() -> None:
    table = torch.arange(100)
    parting = against(PLAIN, lambda x, p: PLAIN(x, table[p]), dim=16)
    assert (parting.position, parting.positions, parting.farthest) == (None, 100, 99)


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(BadInput, match="cannot be compared at positions 0 to 4097: x is"):
        against(PLAIN, lambda x, _p: x[..., :4], dim=16)


def test_weights_of_another_width_are_refused() -> None:
    with pytest.raises(BadInput, match="heads of 4 has a multiple of that many rows, saw 6"):
        reordered(torch.zeros(6, 2), (0, 2, 1, 3))
