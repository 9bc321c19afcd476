"""What was found of a function: every part of its convention, or the first thing that showed it to be no rotation.

`str` gives the words of a declared convention, then what only a measurement knows, then the readings that no
measurement tells apart from the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from posproofs.identify.bases import Reading, number
from posproofs.identify.blocks import Pair, Rest
from posproofs.identify.layouts import Left
from posproofs.identify.rounding import Precision
from posproofs.laws.subject import Convention
from posproofs.mutants.reference import Layout, slots

_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Turning:
    """A rotation of pairs by (p + first) * sign * w_i radians, scaled.

    pairs, written: the coordinates that pair i is read from and written to.
    reads, writes: the layouts that these pairs have, none if they are only a list, two if there is one pair.
    frequencies: w_i, each within `within` of the one the code holds, which is 0 where its dtype leaves one number only;
    negative where a pair turns against the sign.
    magnitudes: the scale of each pair; magnitude: the one scale of all, None if they differ.
    passing: (input, output) of the coordinates that do not turn; left: how they are left out; rest: their scale.
    readings: formulas that give the frequencies, none if they are only a list.
    fractional: whether positions between the whole ones turn in between. Where not, w is known modulo 2 pi.
    """

    pairs: tuple[Pair, ...]
    written: tuple[Pair, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    sign: Literal[1, -1]
    frequencies: tuple[float, ...]
    within: float
    first: int
    magnitudes: tuple[float, ...]
    magnitude: float | None
    passing: tuple[Pair, ...]
    left: Left
    rest: Rest
    readings: tuple[Reading, ...]
    precision: Precision
    fractional: bool

    @property
    def rotary_dim(self) -> int:
        """How many coordinates turn."""
        return 2 * len(self.pairs)

    @property
    def base(self) -> float | None:
        """The base of the first reading."""
        return self.readings[0].base if self.readings else None

    @property
    def declared(self) -> Convention:
        """The convention as a declaration, with a scale of 1 where the pairs have several.

        Frequencies are listed unless the plain formula base**(-2i/rotary_dim) gives them; pairs are listed unless they
        are the first coordinates in a layout with a name. One pair has both names, and interleaved is taken.
        """
        first = self.readings[0] if self.readings else None
        plain = first is not None and first.over == self.rotary_dim and first.plain
        return Convention(
            reads=_declared(self.pairs),
            writes=_declared(self.written),
            sign=self.sign,
            base=first.base if first is not None else Convention("interleaved", "interleaved").base,
            magnitude=1.0 if self.magnitude is None else self.magnitude,
            frequencies=() if plain else self.frequencies,
            within=0.0 if plain else self.within,
            first=self.first,
        )

    def __str__(self) -> str:
        return ", ".join((str(self.declared), *self._further())) + self._alternatives()

    def _further(self) -> tuple[str, ...]:
        """What a declaration does not say."""
        words = []
        if self.declared.frequencies:
            shown = ", ".join(f"{w:.9g}" for w in self.frequencies[:_SHOWN])
            words.append(f"w = {shown}" + (", .." if len(self.frequencies) > _SHOWN else ""))
        if self.magnitude is None:
            shown = ", ".join(number(m) for m in self.magnitudes[:_SHOWN])
            words.append(f"magnitudes {shown}" + (", .." if len(self.magnitudes) > _SHOWN else ""))
        if self.left != "nothing":
            scaled = ", the rest is scaled too" if self.rest == "scaled" else ""
            words.append(f"{self.rotary_dim} of {self.rotary_dim + len(self.passing)} turn ({self.left}){scaled}")
        if any(j != o for j, o in self.passing):
            words.append("coordinates that do not turn are moved")
        modulo = () if self.fractional else ("w known modulo 2 pi",)
        return (*words, *_precision_words(self.precision), *modulo)

    def _alternatives(self) -> str:
        """What no measurement tells apart: other layouts of the same pairs, other formulas of the same frequencies."""
        others = [name for name in self.reads if name != self.declared.reads and isinstance(self.declared.reads, str)]
        formulas = self.readings if self.declared.frequencies else self.readings[1:]
        others += [f"{one} with exponents over {one.over}" for one in formulas]
        return "".join(f"; the same as {other}" for other in others)


def _declared(pairs: tuple[Pair, ...]) -> Layout | tuple[Pair, ...]:
    """The layout that has these pairs from the first coordinate on, else the pairs."""
    layouts: tuple[Layout, ...] = ("interleaved", "half-split")
    for layout in layouts:
        if pairs == tuple(zip(*slots(layout, 2 * len(pairs)), strict=True)):
            return layout
    return pairs


def _precision_words(precision: Precision) -> tuple[str, ...]:
    """The table always; angles, frequencies and positions where they were seen to be something else than the table."""
    words = [f"table in {precision.table}"]
    if precision.table not in precision.angle:
        words.append(f"angle in {' or '.join(precision.angle)}")
    if not set(precision.frequency) & set(precision.angle):
        words.append(f"frequencies in {' or '.join(precision.frequency)}")
    if precision.positions != "exact":
        words.append(f"positions in {precision.positions}")
    return tuple(words)


@dataclass(frozen=True, slots=True)
class Identified:
    """A rotation with its convention, or unidentified with the first thing that failed and the position of it.

    turning: what turns, None if unidentified. reason, position: why it is unidentified, and at which position.
    until: a rotation at the positions before this one; from there on `departs` holds. None: at all that were asked.
    asked: the largest position asked. limit: the smallest position asked that the function refuses, None if it takes
    all. shape: the shape of positions that it takes. calls: how often it was called. notes: what it did besides.
    axes: what turns along each of two axes of positions, where a row has two, and other pairs turn on each.
    """

    kind: Literal["rotary", "unidentified"]
    dim: int
    dtype: str
    turning: Turning | None = None
    reason: str = ""
    position: float | None = None
    until: int | None = None
    departs: str = ""
    asked: int = 0
    limit: int | None = None
    shape: str = ""
    calls: int = 0
    notes: tuple[str, ...] = ()
    axes: tuple[Identified, ...] = ()

    def __str__(self) -> str:
        if self.axes:
            told = "; ".join(f"on axis {k}, {one}" for k, one in enumerate(self.axes))
            return f"unidentified: positions have two axes, and other pairs turn on each: {told}"
        if self.turning is None:
            at = "" if self.position is None else f"position {self.position:g}: "
            return f"unidentified: {at}{self.reason}"
        before = "" if self.until is None else f"; before position {self.until} only, where {self.departs}"
        return f"{self.turning}{before}"

    @property
    def convention(self) -> Convention | None:
        """The convention as a declaration; None where nothing was identified, or a declaration has no word for it.

        That is so where pairs have several scales, and where what does not turn is scaled or moved.
        """
        turning = self.turning
        if turning is None or turning.magnitude is None or turning.rest == "scaled":
            return None
        return turning.declared if all(j == o for j, o in turning.passing) else None
