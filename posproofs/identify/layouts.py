"""Names for pairings: interleaved, half-split, or the list itself, and how the part that does not turn is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from posproofs.identify.blocks import Pair

Left = Literal["nothing", "slice", "zero frequency", "slice or zero frequency", "listed"]


def layouts(pairs: Sequence[Pair], dim: int) -> tuple[str, ...]:
    """The names that fit these pairs, in their order; empty where none does. One pair of neighbours has both names.

    The pairs stand in a slice of the coordinates, or among all dim coordinates with zero frequencies between them.
    """
    starts = min(min(pair) for pair in pairs)
    half = len(pairs)
    sliced = {
        "interleaved": tuple((starts + 2 * i, starts + 2 * i + 1) for i in range(half)),
        "half-split": tuple((starts + i, starts + half + i) for i in range(half)),
    }
    names = [name for name, expected in sliced.items() if tuple(pairs) == expected]
    if tuple(pairs) == tuple(sorted(pairs)):
        spread = {
            "interleaved": all(a % 2 == 0 and b == a + 1 for a, b in pairs),
            "half-split": dim % 2 == 0 and all(a < dim // 2 and b == a + dim // 2 for a, b in pairs),
        }
        names += [name for name, fits in spread.items() if fits and name not in names]
    return tuple(sorted(names, reverse=True)) if len(names) > 1 and half == 1 else tuple(names)


def left_out(pairs: Sequence[Pair], dim: int) -> Left:
    """How the coordinates that do not turn are left out, as far as the pairs show it."""
    turned = sorted(k for pair in pairs for k in pair)
    if len(turned) == dim:
        return "nothing"
    together = turned == list(range(turned[0], turned[0] + len(turned)))
    names = layouts(pairs, dim)
    if not names:
        return "slice" if together else "listed"
    whole = any(_spread(name, pairs, dim) for name in names)
    if not together:
        return "zero frequency"
    return "slice or zero frequency" if whole else "slice"


def _spread(name: str, pairs: Sequence[Pair], dim: int) -> bool:
    if name == "interleaved":
        return dim % 2 == 0 and all(a % 2 == 0 and b == a + 1 for a, b in pairs)
    return dim % 2 == 0 and all(b == a + dim // 2 for a, b in pairs)
