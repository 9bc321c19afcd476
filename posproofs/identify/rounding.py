"""In which dtypes positions, frequencies and angles are held: each rounds in its own way, and each way is tried.

The frequencies are known from powers of two, where nothing is rounded. At the other positions the angle is off by what
the dtype of positions and of the product p*w costs. A dtype that would look the same at every position asked is named
too: what is found is a tuple of those that cannot be told apart, from the fewest bits to the most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posproofs.identify.blocks import Pair
from posproofs.identify.phases import Phases, wrapped
from posproofs.identify.probing import UNITS, NotRotary, Positions
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

_BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
_WIDE = ("float64", "float32")
_NARROW = ("bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Precision:
    """The dtypes that table entries pass through, and in which angles, frequencies and positions are computed or held.

    table is the narrowest that holds the entries seen. The others are tuples of the dtypes that cannot be told apart;
    positions is "exact" where none of them was seen to be rounded.
    """

    table: str
    angle: tuple[str, ...]
    frequency: tuple[str, ...]
    positions: str


def rounded(value: Tensor, name: str) -> Tensor:
    """float64 values rounded to a dtype."""
    return value.to(getattr(torch, name)).double()


def angle_dtypes(
    angles: Tensor, positions: Positions, found: Phases, *, error: float, pairs: Sequence[Pair]
) -> tuple[tuple[str, ...], str]:
    """The dtypes in which p*w may be computed, and the dtype of positions; NotRotary where none explains the angles.

    With unit roundoff u the product costs u, and rounding of what enters it another: 2u p w in all.
    """
    w = torch.tensor(found.frequencies, dtype=torch.float64)
    counted = torch.tensor(positions, dtype=torch.float64) + found.first
    # The frequency is within error/reach, and float64 sums of this module cost 4 units of the angle.
    known = error + counted.abs() * found.within
    known = known[:, None] + 4 * UNITS["float64"] * (counted[:, None] * w).abs()
    hypotheses = [("exact", dtype) for dtype in _WIDE]
    hypotheses += [(held, dtype) for held in _NARROW for dtype in _WIDE]
    hypotheses += [("exact", dtype) for dtype in reversed(_NARROW)]
    for held, dtype in hypotheses:
        p = counted if held == "exact" else rounded(counted, held)
        off = wrapped(angles - p[:, None] * w).abs()
        if bool((off <= known + 2 * UNITS[dtype] * (p[:, None] * w).abs()).all()):
            return _alike(p, w, dtype, known=known), held
    off = wrapped(angles - counted[:, None] * w).abs()
    wrong = off > known + 2 * UNITS["float32"] * (counted[:, None] * w).abs()
    t, i = min(wrong.nonzero().tolist(), key=lambda place: positions[place[0]])
    expected = float(wrapped(counted[t] * w[i]))
    reason = f"the pair {pairs[i]} turns by {float(angles[t, i]):.6g}, p*w is {expected:.6g} modulo 2 pi"
    raise NotRotary(reason, positions[t])


def _alike(p: Tensor, w: Tensor, dtype: str, *, known: Tensor) -> tuple[str, ...]:
    """The dtype and those with fewer bits whose rounding would not have been seen."""
    names = list(UNITS)
    narrower = names[: names.index(dtype)]
    exact = p[:, None] * w
    return (*(name for name in narrower if _hidden(p, w, exact, name, known)), dtype)


def _hidden(p: Tensor, w: Tensor, exact: Tensor, name: str, known: Tensor) -> bool:
    product = rounded(rounded(p, name)[:, None] * rounded(w, name), name)
    return bool((wrapped(product - exact).abs() <= known).all())  # not finite is seen


def frequency_dtypes(found: Phases) -> tuple[str, ...]:
    """The dtypes that may hold the frequencies: every frequency is within its error of a number of that dtype.

    Numbers of a wider dtype come that close to a narrower one by chance: 2 * within / spacing for each frequency. Where
    all of them together would do so in one of 1000 cases, the wider dtypes are out. A frequency with half the bits of
    the dtype, as 1 or 1/4, is no chance and says nothing.
    """
    w = torch.tensor(found.frequencies, dtype=torch.float64)
    possible = []
    for name in UNITS:
        near = rounded(w, name)
        if not bool(((near - w).abs() <= found.within + 2 * UNITS["float64"] * w.abs()).all()):
            continue
        possible.append(name)
        spacing = 2 * UNITS[name] * torch.exp2(w.abs().log2().floor())
        telling = (_with_bits(w, _BITS[name] // 2) - w).abs() > found.within
        chances = (2 * found.within / spacing).clamp(max=1.0)[telling]
        if name != "float64" and float(chances.prod()) < 1e-3:
            break
    return tuple(possible)


def _with_bits(values: Tensor, bits: int) -> Tensor:
    """Each value rounded to so many significant bits."""
    fraction, exponent = torch.frexp(values)
    return torch.ldexp((fraction * 2.0**bits).round() / 2.0**bits, exponent)


def snapped(found: Phases, held: tuple[str, ...]) -> Phases:
    """The frequencies as numbers of the dtype that holds them, where it is certain and only one number is near.

    If that is so for all of them, they are known exactly. A frequency within its error of 1 is given as 1, which is
    base**0 in every dtype.
    """
    w = torch.tensor(found.frequencies, dtype=torch.float64)
    w = torch.where((w.abs() - 1).abs() <= found.within, w.sign(), w)
    if len(held) > 1 or held[0] == "float64":
        return Phases(tuple(w.tolist()), found.within, found.first, found.reach)
    spacing = 2 * UNITS[held[0]] * torch.exp2(w.abs().log2().floor())
    sure = found.within < spacing / 4
    within = 0.0 if bool(sure.all()) else found.within
    return Phases(tuple(torch.where(sure, rounded(w, held[0]), w).tolist()), within, found.first, found.reach)
