"""Rotary rotations that are rotations, by another rule than is declared, or whose keys do not go with their queries.

Scaled frequencies are declared as a list that belongs to one width, so these mutants are asked in that width.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate, Style, angles, frequencies, rotation, slots, turn
from posproofs.mutants.rotary import PLAIN, Make, Mutant, around

if TYPE_CHECKING:
    from torch import Tensor

ROTARY = 8
ONE_WIDTH = ((ROTARY, ROTARY),)
FACTOR = 16.0  # of YaRN


def unscaled(base: float) -> tuple[float, ...]:
    """w_i = base**(-2i/8)."""
    return tuple(base ** (-2 * i / ROTARY) for i in range(ROTARY // 2))


def llama3(turned: tuple[float, ...], *, factor: float = 8.0, trained: float = 8192.0) -> tuple[float, ...]:
    """Llama 3.1: w where its wave is shorter than trained/4, w/factor where it is longer than trained, else between."""

    def scaled(w: float) -> float:
        kept = min(1.0, max(0.0, (trained * w / (2 * math.pi) - 1) / (4 - 1)))
        return kept * w + (1 - kept) * w / factor

    return tuple(scaled(w) for w in turned)


def yarn(fast: tuple[float, ...], slow: tuple[float, ...]) -> tuple[float, ...]:
    """YaRN as it is released: `fast` for pairs of 32 turns and more in 4096 positions, slow/16 for one and less.

    Between them the blend is linear in the number of the pair.
    """
    first, last = (ROTARY * math.log(4096 / (2 * math.pi * turns)) / (2 * math.log(PLAIN.base)) for turns in (32, 1))
    low, high = math.floor(first), math.ceil(last)
    ramps = (min(1.0, max(0.0, (i - low) / (high - low))) for i in range(ROTARY // 2))
    return tuple(f * (1 - ramp) + s / FACTOR * ramp for f, s, ramp in zip(fast, slow, ramps, strict=True))


def by_list(turned: tuple[float, ...], magnitude: float = 1.0) -> Make:
    """A rotation by these frequencies."""
    return lambda head, rotary: rotation(head, rotary, Style(magnitude=magnitude, frequencies=turned))


def _crossed(_head: int, rotary: int) -> Rotate:
    """One call turns queries and keys; the second member of a pair is read from the keys.

    The keys of the call are the queries in reverse, as `posproofs check` gives them.
    """
    turned = frequencies(rotary, PLAIN.base)
    _, second = slots("interleaved", rotary)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        mixed = x.clone()
        mixed[..., second] = x.flip(-1)[..., second]
        return turn(mixed, angles(positions, turned), PLAIN)

    return rotate


def _over_head(head: int, rotary: int) -> Rotate:
    exponents = torch.arange(0, rotary, 2, dtype=torch.float64) / head
    return lambda x, positions: turn(x, angles(positions, PLAIN.base**-exponents), PLAIN)


_LLAMA3 = Style(base=500000.0, frequencies=llama3(unscaled(500000.0)))
_YARN = Style(magnitude=0.1 * math.log(FACTOR) + 1, frequencies=yarn(unscaled(PLAIN.base), unscaled(PLAIN.base)))
_STRETCHED = unscaled(PLAIN.base * FACTOR ** (ROTARY / (ROTARY - 2)))
_LINEAR = Style(frequencies=tuple(w / 4 for w in unscaled(PLAIN.base)))

KEYS_BACK = Mutant(
    "keys-back",
    "queries turn by +p*w and keys by -p*w",
    lambda head, rotary: rotation(head, rotary, PLAIN),
    keys=lambda head, rotary: rotation(head, rotary, Style(sign=-1)),
)
CROSSED = Mutant("crossed-members", "the second member of a pair of a query is read from the keys", _crossed)
EXCHANGED_KEYS = Mutant(
    "keys-for-queries", "turned keys are given back as queries", around(lambda right, x, p: right(x.flip(-1), p))
)
OVER_HEAD = Mutant("exponent-over-head", "the exponent is over the whole head", _over_head, widths=((8, 4),))
LLAMA3_DROPPED = Mutant(
    "llama3-dropped",
    "the scaling of slow frequencies of Llama 3.1 is left out",
    by_list(unscaled(500000.0)),
    _LLAMA3,
    widths=ONE_WIDTH,
)
YARN_DROPPED = Mutant(
    "yarn-dropped",
    "the scaling of frequencies of YaRN is left out, its magnitude is not",
    by_list(unscaled(PLAIN.base), _YARN.magnitude),
    _YARN,
    widths=ONE_WIDTH,
)
YARN_STRETCHED = Mutant(
    "yarn-on-scaled-base",
    "the fast pairs of YaRN turn by the base of NTK scaling",
    by_list(yarn(_STRETCHED, unscaled(PLAIN.base)), _YARN.magnitude),
    _YARN,
    widths=ONE_WIDTH,
)
LINEAR_DROPPED = Mutant(
    "interpolation-dropped",
    "the declared division of positions by 4 is left out",
    by_list(unscaled(PLAIN.base)),
    _LINEAR,
    widths=ONE_WIDTH,
)
