"""Frequencies from angles at growing positions: 1, 2, 4, .. double the resolution with every step.

A computed angle fl(p*w) is exactly p*w where p is a power of two, whatever the dtype of the product, so the stored
frequency itself is found. Angles are known modulo 2 pi. Doubling a position doubles the angle, which says how many
turns were made; at the largest position P the error of the angle is divided by P. The first angle, at position 1,
stands for itself: where only whole positions are accepted, a frequency is known modulo 2 pi, and |w| <= pi is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from posproofs.identify.blocks import Pair
from posproofs.identify.probing import NotRotary, Positions
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

# 40 decimals of 2 pi: at 2**17 the turns add up to 8e5, and float64 frequencies are wanted to the last place.
TWO_PI = Fraction(62831853071795864769252867665590057683943, 10**40)


@dataclass(frozen=True, slots=True)
class Phases:
    """Frequencies in radians per position, signed, each within `within` of the stored one.

    first: the angle at position p is (p + first) * w. reach: the largest p + first that was used.
    """

    frequencies: tuple[float, ...]
    within: float
    first: int
    reach: float


def wrapped(angle: Tensor) -> Tensor:
    """The angle modulo 2 pi, in [-pi, pi]."""
    return torch.remainder(angle + math.pi, 2 * math.pi) - math.pi


def phases(angles: Tensor, positions: Positions, pairs: Sequence[Pair], error: float) -> Phases:
    """Unwrap angles (row, pair), each within `error`; NotRotary where they are not proportional to the position."""
    first = _first(angles, positions, pairs, error)
    powers = sorted((p + first, t) for t, p in enumerate(positions) if _is_power(p + first))
    place, at = powers[0]
    turns = [0] * len(pairs)
    total = angles[at].tolist()
    for (before, _), (place, at) in pairwise(powers):
        seen = angles[at].tolist()
        for i, angle in enumerate(seen):
            expected = total[i] * (place / before)
            turns[i] = round((expected - angle) / (2 * math.pi))
            total[i] = angle + turns[i] * 2 * math.pi
            # Twice one error and once the other; the sums above are in float64.
            allowed = (1 + place / before) * error + 8 * 2.0**-53 * abs(expected)
            if abs(total[i] - expected) > allowed:
                raise NotRotary(_not_proportional(pairs[i], angle, expected), positions[at])
    exact = [
        (Fraction(angle) + n * TWO_PI) / Fraction(place) for angle, n in zip(angles[at].tolist(), turns, strict=True)
    ]
    return Phases(tuple(float(w) for w in exact), error / place, first, place)


def _not_proportional(pair: Pair, angle: float, expected: float) -> str:
    modulo = math.remainder(expected, 2 * math.pi)
    return f"the pair {pair} turns by {angle:.6g}, p*w is {modulo:.6g} modulo 2 pi"


def _is_power(p: float) -> bool:
    return p > 0 and math.frexp(p)[0] == 0.5


def _first(angles: Tensor, positions: Positions, pairs: Sequence[Pair], error: float) -> int:
    """0 where position 0 does not turn, 1 or -1 where it turns by that multiple of the frequency."""
    zero, one = angles[positions.index(0)], angles[positions.index(1)]
    for count in (0, 1, -1):
        if bool((wrapped(zero - count * (one - zero)).abs() <= (1 + 2 * abs(count)) * error).all()):
            return count
    i = int(zero.abs().argmax())
    reason = f"the pair {pairs[i]} turns by {float(zero[i]):.6g} at position 0, which is no multiple of its frequency"
    raise NotRotary(reason, 0)
