"""Readings of a list of frequencies: w_i = factor * base**(-2 (i + shift) / over), and every one that fits is kept.

r = 8 of 16 with exponents over 16 and base 10000 is r = 8 with base 100: no measurement tells them apart. A base fits
if one number explains all frequencies, each within what its measurement and its computation cost; the shortest decimal
in that interval is named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from posproofs.identify.probing import UNITS

_OWN = 8 * UNITS["float64"]  # logarithm, division and exponential below
_SCALING = 2  # units of a product with the factor, or of dividing the positions by it


@dataclass(frozen=True, slots=True)
class Reading:
    """w_i = factor * base**(-2 (i + shift) / over); base is the shortest decimal between low and high.

    turns: whole turns added to the angle at position 1, which whole positions do not show; empty where none is.
    """

    base: float
    over: int
    low: float
    high: float
    shift: int = 0
    factor: float = 1.0
    turns: tuple[int, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it is base**(-2i/over), with every turn seen."""
        return not self.shift and self.factor == 1.0 and not self.turns

    def __str__(self) -> str:
        scale = "" if self.factor == 1.0 else f", positions times {number(self.factor)}"
        shift = "" if not self.shift else f", pairs counted from {self.shift}"
        width = (self.high - self.low) / self.base
        spread = f" (within {width:.1g} of itself)" if width > 1e-4 else ""
        aliased = ", whole turns added" if self.turns else ""
        return f"base {number(self.base)}{spread}{scale}{shift}{aliased}"


def power_units(w: float) -> float:
    """By how many units roundoff a computed w = base**-e may be off, whichever way it is computed.

    Power or exponential, and a reciprocal, cost 3. The exponent of e is ln w: logarithm, quotient, product and e itself
    are rounded, each a unit of |ln w|.
    """
    return 3 + 4 * abs(math.log(w))


def number(value: float) -> str:
    """Six digits where they are the number, else as many as it takes."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def shortest(low: float, high: float) -> float:
    """The decimal with the fewest digits in [low, high]; of several with as many, the one nearest to the middle."""
    middle = (low + high) / 2
    for digits in range(17):
        candidate = float(f"{middle:.{digits}e}")
        if low <= candidate <= high:
            return candidate
    return middle


def readings(
    frequencies: Sequence[float], within: float, held: str, *, widths: Sequence[int], modulo: float = math.inf
) -> tuple[Reading, ...]:
    """Every reading that fits the positive frequencies, held in a dtype; the plain one first.

    widths: what the exponents may be over. modulo: 2 pi where only whole positions are taken, which do
    not show whole turns.
    """
    found = _fitting(frequencies, within, held, widths)
    if found or math.isinf(modulo):
        return found
    turns = _missing_turns(frequencies, modulo)
    if not any(turns):
        return ()
    added = [w + modulo * n for w, n in zip(frequencies, turns, strict=True)]
    # float64 sums of two pi: a unit of the turn itself.
    close = within + max(abs(w) for w in added) * _OWN
    return tuple(replace(one, turns=turns) for one in _fitting(added, close, held, widths))


def _fitting(frequencies: Sequence[float], within: float, held: str, widths: Sequence[int]) -> tuple[Reading, ...]:
    """Below float32, frequencies are taken to be rounded after they were computed, or else computed in that dtype."""
    if len(frequencies) < 2 or min(frequencies) <= 0:
        return ()
    unit, wide = UNITS[held], min(UNITS[held], UNITS["float32"])
    seen = [-math.log1p(-within / w) if within < w else math.inf for w in frequencies]  # of ln w
    roundings = [[one + power_units(w) * wide for one, w in zip(seen, frequencies, strict=True)]]
    if unit > wide:
        roundings = [[one + unit for one in roundings[0]]]
        roundings.append([one + power_units(w) * unit for one, w in zip(seen, frequencies, strict=True)])
    for close in roundings:
        if found := tuple(_fits(frequencies, close, within / frequencies[0] + _SCALING * unit, widths)):
            return found
    return ()


def _fits(
    frequencies: Sequence[float], close: Sequence[float], scaling: float, widths: Sequence[int]
) -> Iterator[Reading]:
    """The readings without a factor, then those with one where w_0 is not 1."""
    for shift in (0, 1, -1):
        for over in widths:
            if fit := _fit(frequencies, close, over=over, shift=shift):
                yield fit
    if abs(frequencies[0] - 1) > close[0]:
        first = frequencies[0]
        factor = shortest(first * (1 - scaling), first * (1 + scaling))
        for over in widths:
            if fit := _fit([w / first for w in frequencies], [one + scaling for one in close], over=over, shift=0):
                yield replace(fit, factor=factor)


def _fit(frequencies: Sequence[float], close: Sequence[float], *, over: int, shift: int) -> Reading | None:
    """The interval of bases that explain every frequency, None if it is empty or not above 1."""
    low, high = 0.0, 700.0  # of ln base
    for i, (w, error) in enumerate(zip(frequencies, close, strict=True)):
        exponent = -2 * (i + shift) / over
        own = error + _OWN * (1 + abs(math.log(w)))
        if exponent == 0.0:
            if abs(w - 1) > own:
                return None
            continue
        ends = sorted((math.log(w) + side * own) / exponent for side in (1, -1))
        low, high = max(low, ends[0]), min(high, ends[1])
    if not 0.0 < low <= high < 700.0:
        return None
    low, high = math.exp(low), math.exp(high)
    return Reading(shortest(low, high), over, low, high, shift)


def _missing_turns(frequencies: Sequence[float], modulo: float) -> tuple[int, ...]:
    """How many turns each frequency lacks for a geometric sequence through the last two, which are the smallest."""
    if len(frequencies) < 3 or min(frequencies[-2:]) <= 0:
        return ()
    ratio = frequencies[-2] / frequencies[-1]
    last = len(frequencies) - 1
    expected = [frequencies[-1] * ratio ** (last - i) for i in range(len(frequencies))]
    return tuple(round((e - w) / modulo) for e, w in zip(expected, frequencies, strict=True))
