"""Rotary rotations that are wrong on purpose, one defect each; most are found in the field.

Each is built for a width, like the implementations that the laws are meant for, so that defects of state have a place
to live. They declare the plain convention (base 10000, angle +p*w) unless they say otherwise. More of them stand in
`rotary_calls`, which depend on other calls or rows, and in `rotary_turns`, which turn one row wrongly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate, Style, angles, frequencies, rotation, slots, turn

if TYPE_CHECKING:
    from torch import Tensor

PLAIN = Style()
HALVES = Style(reads="half-split", writes="half-split")


Make = Callable[[int, int], Rotate]
"""(head, rotary) -> the rotation, built for that width."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong implementation: its name, what is wrong, how to build it, and what it declares.

    keys: how keys are turned, where it is not as queries are. widths: (head, rotary) in which the defect shows.
    shared: executes the source, where the instances of one execution share a state; `make` does so for each instance.
    """

    name: str
    defect: str
    make: Make
    style: Style = PLAIN
    keys: Make | None = None
    widths: tuple[tuple[int, int], ...] = ((4, 4), (8, 8))
    shared: Callable[[], Make] | None = None

    def execute(self) -> Make:
        """How instances of one new execution are built."""
        return self.make if self.shared is None else self.shared()


def sharing(name: str, defect: str, shared: Callable[[], Make]) -> Mutant:
    """A mutant whose instances share what their class keeps."""

    def make(head: int, rotary: int) -> Rotate:
        return shared()(head, rotary)

    return Mutant(name, defect, make, shared=shared)


def of_angles(change: Callable[[Tensor, Tensor], Tensor]) -> Callable[[int, int], Rotate]:
    """A rotation whose angles come from `change(positions, frequencies)`."""

    def make(_head: int, rotary: int) -> Rotate:
        turned = frequencies(rotary, PLAIN.base)
        return lambda x, positions: turn(x, change(positions, turned), PLAIN)

    return make


def of_frequencies(change: Callable[[int], Tensor]) -> Callable[[int, int], Rotate]:
    """A rotation whose frequencies come from `change(rotary)`."""

    def make(_head: int, rotary: int) -> Rotate:
        turned = change(rotary)
        return lambda x, positions: turn(x, angles(positions, turned), PLAIN)

    return make


def around(change: Callable[[Rotate, Tensor, Tensor], Tensor]) -> Callable[[int, int], Rotate]:
    """The correct rotation, called in a wrong way."""

    def make(head: int, rotary: int) -> Rotate:
        right = rotation(head, rotary, PLAIN)
        return lambda x, positions: change(right, x, positions)

    return make


def _lost_minus(_head: int, rotary: int) -> Rotate:
    """y_a = x_a cos + x_b sin, y_b = x_b cos + x_a sin."""
    turned = frequencies(rotary, PLAIN.base)
    first, second = slots("interleaved", rotary)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle = angles(positions, turned).to(torch.promote_types(x.dtype, torch.float32))
        a, b = x[..., first], x[..., second]
        y = x.clone()
        y[..., first] = (a * angle.cos() + b * angle.sin()).to(x.dtype)
        y[..., second] = (b * angle.cos() + a * angle.sin()).to(x.dtype)
        return y

    return rotate


def _tiled(_head: int, rotary: int) -> Rotate:
    """Tables laid out w_0..w_k, w_0..w_k as for halves, on interleaved pairs (the defect of V-JEPA 2)."""
    turned = frequencies(rotary, PLAIN.base)
    first, second = slots("interleaved", rotary)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        half = angles(positions, turned).to(torch.promote_types(x.dtype, torch.float32))
        angle = torch.cat((half, half), dim=-1)
        turned_x = torch.stack((-x[..., second], x[..., first]), dim=-1).flatten(-2)
        y = x[..., :rotary] * angle.cos() + turned_x * angle.sin()
        return torch.cat((y.to(x.dtype), x[..., rotary:]), dim=-1)

    return rotate


def _aliased(_head: int, rotary: int) -> Rotate:
    """The first half is overwritten before the second half reads it."""
    turned = frequencies(rotary, PLAIN.base)
    half = rotary // 2

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle = angles(positions, turned).to(torch.promote_types(x.dtype, torch.float32))
        a = (x[..., :half] * angle.cos() - x[..., half:rotary] * angle.sin()).to(x.dtype)
        b = (x[..., half:rotary] * angle.cos() + a * angle.sin()).to(x.dtype)
        return torch.cat((a, b, x[..., rotary:]), dim=-1)

    return rotate


def _in_place(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    with torch.no_grad():
        x.copy_(right(x, positions))
    return x


def _shifts_positions(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    y = right(x, positions)
    positions.add_(1)
    return y


def _row_leak(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return right(torch.cat((x[..., :1, :], x[..., :-1, :]), dim=-2), positions)


def _along_heads(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    heads = torch.arange(x.shape[-3], device=positions.device)
    return right(x.transpose(-2, -3), heads).transpose(-2, -3)


def _scaled_by_position(right: Rotate, x: Tensor, positions: Tensor) -> Tensor:
    return right(x, positions) * (1 + positions[:, None] / 8).to(x.dtype)


def _stale_cache(head: int, rotary: int) -> Rotate:
    """The table is kept and found again by its length alone."""
    turned = frequencies(rotary, PLAIN.base)
    kept: dict[int, Tensor] = {}

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle = kept.setdefault(positions.shape[0], angles(positions, turned))
        return turn(x[..., :head], angle, PLAIN)

    return rotate


def _poisoned_cache(_head: int, rotary: int) -> Rotate:
    """A table of the first `longest` positions is kept in the dtype of the call that made it."""
    turned = frequencies(rotary, PLAIN.base)
    kept: list[Tensor] = [torch.zeros(0, rotary // 2)]

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        needed = int(positions.max()) + 1
        if kept[0].shape[0] < needed:
            kept[0] = angles(torch.arange(needed), turned).to(x.dtype)
        return turn(x, kept[0][positions].double(), PLAIN)

    return rotate


def _growing_base(_head: int, rotary: int) -> Rotate:
    """Dynamic NTK scaling that keeps the base of the longest call so far."""
    longest = [64]

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        longest[0] = max(longest[0], positions.shape[0])
        base = PLAIN.base * (longest[0] / 64) ** (rotary / max(rotary - 2, 1))
        return turn(x, angles(positions, frequencies(rotary, base)), PLAIN)

    return rotate


def _rounded_positions(positions: Tensor, turned: Tensor) -> Tensor:
    return angles(positions.to(torch.bfloat16), turned)


def _shifted_exponent(rotary: int) -> Tensor:
    return PLAIN.base ** (-torch.arange(-2, rotary - 2, 2, dtype=torch.float64) / rotary)


LOST_MINUS = Mutant("lost-minus", "the minus sign of x_b sin is lost, so pairs are not rotated", _lost_minus)
TILED = Mutant("tiled-table", "tables laid out for halves are put on interleaved pairs", _tiled)
ALIASED = Mutant("aliased-halves", "the second half reads the first after it was overwritten", _aliased, HALVES)
SCALED = Mutant("scale-by-position", "the length of the output grows with the position", around(_scaled_by_position))
IDENTITY = Mutant("identity", "nothing is rotated", around(lambda _right, x, _positions: x.clone()))
ALONG_HEADS = Mutant("head-axis", "the index of the head is taken for the position", around(_along_heads))
ROUNDED = Mutant("bfloat16-positions", "positions are held in bfloat16, exact up to 256", of_angles(_rounded_positions))
WRAPPED = Mutant("wrap-at-64", "positions are taken modulo 64", of_angles(lambda p, w: angles(p % 64, w)))
CLAMPED = Mutant("clamp-at-63", "positions end at 63", of_angles(lambda p, w: angles(p.clamp(max=63), w)))
COMPRESSED = Mutant(
    "compressed-beyond-64",
    "positions beyond 64 count half, within one table",
    of_angles(lambda p, w: angles(torch.where(p < 64, p.double(), 32 + p / 2), w)),
)
SHIFTED = Mutant("shifted-exponent", "the pairs are counted from -1", of_frequencies(_shifted_exponent))
WRONG_BASE = Mutant("ignored-base", "the base is 500000", of_frequencies(lambda r: frequencies(r, 500000.0)))
ROUNDED_FREQUENCIES = Mutant(
    "bfloat16-frequencies",
    "the frequencies are rounded to bfloat16",
    of_frequencies(lambda r: frequencies(r, PLAIN.base).to(torch.bfloat16).double()),
)
OTHER_SIGN = Mutant("opposite-angle", "the pairs turn by -p*w", of_angles(lambda p, w: -angles(p, w)))
DETACHED = Mutant("dropped-backward", "the gradient is lost", around(lambda right, x, p: right(x.detach(), p)))
IN_PLACE = Mutant("in-place", "the input is overwritten", around(_in_place))
MOVED_POSITIONS = Mutant(
    "moved-positions", "the positions are counted on in the caller's tensor", around(_shifts_positions)
)
ROW_LEAK = Mutant("row-leak", "a row is rotated out of the row before it", around(_row_leak))
STALE = Mutant("stale-cache", "the table is found again by its length alone", _stale_cache)
POISONED = Mutant("poisoned-cache", "the table is kept in the dtype of the call that made it", _poisoned_cache)
GROWING = Mutant("history-dependent-base", "the base of the longest call so far is kept", _growing_base)
