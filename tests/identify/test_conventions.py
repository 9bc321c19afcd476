from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import Tensor

from posproofs.identify import Identified, Turning, identify
from posproofs.laws import Convention
from posproofs.mutants.reference import Layout, Style, frequencies, rotation, slots
from tests.identify.rotations import counted_from, interleaved, turning, whole

LAYOUTS: tuple[Layout, ...] = ("interleaved", "half-split")
DTYPES = (torch.float32, torch.float64)


def turned(found: Identified) -> Turning:
    assert found.turning is not None, str(found)
    return found.turning


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("reads", "writes"), list(product(LAYOUTS, LAYOUTS)))
@pytest.mark.parametrize(("head", "rotary"), [(12, 12), (16, 4)])
def test_every_style_of_the_reference_is_named(
    dtype: torch.dtype, reads: Layout, writes: Layout, head: int, rotary: int
) -> None:
    for sign, base, magnitude in product((1, -1), (1e4, 5e5, 1e6), (1.0, 1.25)):
        style = Style(reads, writes, 1 if sign > 0 else -1, base, magnitude)
        found = identify(rotation(head, rotary, style), dim=head, dtype=dtype)
        declared = Convention(reads, writes, style.sign, base, magnitude)
        assert found.convention == declared
        assert str(found).startswith(str(declared))
        assert turned(found).rotary_dim == rotary
        assert (found.until, found.limit, found.notes) == (None, None, ())
        assert turned(found).precision.table == str(dtype).removeprefix("torch.")
        assert turned(found).precision.angle == ("float64",)


@pytest.mark.parametrize("base", [17.0, 10007.0, 123456.75, 1e8])
def test_a_base_that_nobody_uses_is_found_to_its_digits(base: float) -> None:
    found = turned(identify(rotation(64, 64, Style(base=base)), dim=64, dtype=torch.float64))
    assert found.base == base


@pytest.mark.parametrize("magnitude", [0.1, 1.3465735902799727, 3.0])
def test_a_magnitude_is_found_to_its_digits(magnitude: float) -> None:
    rotate = rotation(8, 8, Style(magnitude=magnitude))
    exact = turned(identify(rotate, dim=8, dtype=torch.float64)).magnitude
    assert exact == pytest.approx(magnitude, rel=1e-15)
    rounded = turned(identify(rotate, dim=8)).magnitude
    assert rounded == pytest.approx(magnitude, rel=2.0**-21)


def test_magnitudes_of_pairs_are_listed() -> None:
    own = torch.tensor([1.0, 0.5, 2.0, 1.5], dtype=torch.float64)
    found = identify(turning(frequencies(8, 1e4), interleaved(4), magnitudes=own), dim=8)
    assert turned(found).magnitudes == (1.0, 0.5, 2.0, 1.5)
    assert turned(found).magnitude is None
    assert found.convention is None
    assert "magnitudes 1, 0.5, 2, 1.5" in str(found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_any_pairing_and_any_output_order_is_found(seed: int, dtype: torch.dtype) -> None:
    draw = torch.Generator().manual_seed(seed)
    places = torch.randperm(10, generator=draw)[:8].sort().values.tolist()
    order = [places[k] for k in torch.randperm(8, generator=draw).tolist()]
    moved = [order[k] for k in torch.randperm(8, generator=draw).tolist()]
    pairs = [(order[2 * i], order[2 * i + 1]) for i in range(4)]
    written = [(moved[2 * i], moved[2 * i + 1]) for i in range(4)]
    w = frequencies(8, 1e4)
    found = turned(identify(turning(w, pairs, written=written), dim=10, dtype=dtype))
    # A pair read from (b, a) with b > a turns the other way, seen from (a, b), and comes out at (d, c).
    seen = {min(pair): i for i, pair in enumerate(pairs)}
    for (a, b), outs, angle in zip(found.pairs, found.written, found.frequencies, strict=True):
        i = seen[a]
        turns = 1 if pairs[i] == (a, b) else -1
        assert {a, b} == set(pairs[i])
        assert outs == written[i][::turns]
        assert angle * found.sign * turns == pytest.approx(float(w[i]), rel=1e-6)
    assert {j for j, _ in found.passing} == set(range(10)) - set(places)


def test_pairs_two_apart_are_listed_and_a_slice_from_the_end_too() -> None:
    w = frequencies(8, 1e4)
    apart = identify(turning(w, [(0, 2), (1, 3), (4, 6), (5, 7)]), dim=8)
    assert turned(apart).reads == ()
    assert "pairs (0, 2), (1, 3), (4, 6), ..." in str(apart)
    end = identify(turning(frequencies(4, 1e4), [(5, 7), (6, 8)]), dim=9)
    assert turned(end).reads == ("half-split",)
    assert turned(end).left == "slice"
    assert end.convention is not None
    assert end.convention.reads == ((5, 7), (6, 8))


def test_zero_frequencies_are_told_from_a_slice_where_the_layout_shows_it() -> None:
    w = 10000.0 ** (-torch.arange(0, 8, 2, dtype=torch.float64) / 16)
    first, second = slots("half-split", 16)
    spread = turning(torch.cat((w, torch.zeros(4))), list(zip(first, second, strict=True)))
    found = identify(spread, dim=16)
    assert turned(found).left == "zero frequency"
    assert turned(found).reads == ("half-split",)
    assert turned(found).pairs == ((0, 8), (1, 9), (2, 10), (3, 11))
    assert turned(identify(rotation(16, 8, Style("half-split", "half-split")), dim=16)).left == "slice"
    assert turned(identify(rotation(16, 8, Style()), dim=16)).left == "slice or zero frequency"


def test_exponents_over_the_head_are_a_second_reading() -> None:
    w = 10000.0 ** (-torch.arange(0, 8, 2, dtype=torch.float64) / 16)
    found = identify(turning(w, interleaved(4)), dim=16)
    assert [(one.base, one.over) for one in turned(found).readings] == [(100.0, 8), (10000.0, 16)]
    assert "base 100, " in str(found)
    assert "; the same as base 10000 with exponents over 16" in str(found)


def test_one_pair_has_both_layouts_and_no_base() -> None:
    found = identify(rotation(4, 2, Style()), dim=4)
    assert turned(found).reads == ("interleaved", "half-split")
    assert turned(found).base is None
    assert turned(found).frequencies == (1.0,)
    assert "; the same as half-split" in str(found)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_positions_counted_from_one(dtype: torch.dtype) -> None:
    right = rotation(8, 8, Style())
    for origin, words in ((1, "angle +(p+1)*w"), (-1, "angle +(p-1)*w")):
        found = identify(counted_from(right, origin), dim=8, dtype=dtype)
        assert turned(found).first == origin
        assert turned(found).base == 10000.0
        assert words in str(found)


@pytest.mark.parametrize("shift", [1, -1])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pairs_counted_from_elsewhere(shift: int, dtype: torch.dtype) -> None:
    w = 10000.0 ** (-(torch.arange(0, 16, 2, dtype=torch.float64) + 2 * shift) / 16)
    for rotate in (turning(w, interleaved(8)), whole(turning(w, interleaved(8)))):
        found = identify(rotate, dim=16, dtype=dtype)
        reading = turned(found).readings[0]
        assert (reading.base, reading.over, reading.shift) == (10000.0, 16, shift)
        assert f"base 10000, pairs counted from {shift}" in str(found)


def test_whole_positions_leave_whole_turns_open() -> None:
    """base**(2/16) is 3.162, beyond pi: seen at whole positions it is 3.162 - 2 pi."""
    w = 10000.0 ** (-torch.arange(-2, 14, 2, dtype=torch.float64) / 16)
    between = identify(turning(w, interleaved(8)), dim=16)
    assert turned(between).fractional
    assert turned(between).frequencies[0] == pytest.approx(10000 ** (1 / 8), rel=1e-9)
    jumping = identify(whole(turning(w, interleaved(8))), dim=16)
    assert not turned(jumping).fractional
    assert turned(jumping).frequencies[0] == pytest.approx(10000 ** (1 / 8) - 2 * torch.pi, rel=1e-9)
    assert turned(jumping).readings[0].turns == (1, 0, 0, 0, 0, 0, 0, 0)
    assert "w known modulo 2 pi" in str(jumping)
    assert "whole turns added" in str(jumping)


def test_fast_pairs_are_followed_between_whole_positions() -> None:
    w = torch.tensor([1000.0, 40.0, 3.0], dtype=torch.float64)
    found = turned(identify(turning(w, interleaved(3)), dim=6, dtype=torch.float64))
    assert found.frequencies == pytest.approx(w.tolist(), rel=1e-15)


def test_positions_that_are_cut_to_whole_ones_are_no_fractional_positions() -> None:
    right = rotation(8, 8, Style())
    assert not turned(identify(lambda x, p: right(x, p.long()), dim=8)).fractional


def test_positions_for_each_batch_are_found_out() -> None:
    right = rotation(8, 8, Style())

    def by_batch(x: Tensor, positions: Tensor) -> Tensor:
        if positions.shape != (x.shape[0], x.shape[2]):
            raise ValueError("positions are (batch, rows)")
        return torch.cat([right(one[None], at) for one, at in zip(x, positions, strict=True)])

    found = identify(by_batch, dim=8)
    assert found.shape == "positions (batch, rows)"
    assert found.convention == Convention("interleaved", "interleaved")


@pytest.mark.parametrize("end", [5, 100, 1024, 1536, 4097])
def test_the_end_of_a_table_is_found(end: int) -> None:
    right = rotation(8, 8, Style())
    table = torch.arange(end)
    found = identify(lambda x, p: right(x, table[p]), dim=8)
    assert found.limit == end
    assert found.convention == Convention("interleaved", "interleaved")
    assert found.calls <= 40


def test_a_limit_of_rows_is_told_from_a_limit_of_positions() -> None:
    right = rotation(8, 8, Style())

    def short(x: Tensor, positions: Tensor) -> Tensor:
        if len(positions) > 20:
            raise ValueError("at most 20 rows")
        return right(x, positions)

    found = identify(short, dim=8)
    assert (found.limit, found.asked, found.notes) == (None, 131072, ("it refuses 21 rows in one call",))
    assert found.convention == Convention("interleaved", "interleaved")
