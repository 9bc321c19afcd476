"""Tables that code reads as data, taken for what they hold: frequencies, and sines and cosines of position * frequency.

Each entry must be, to the precision of a table, the declared number; which symbol it stands for must be beyond doubt.
Then the proof is for all frequencies, or for all tables that hold sine and cosine of one angle, and says so. That the
table at hand holds those numbers is what other laws check.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch
from posproofs.symbolic.program import Program

if TYPE_CHECKING:
    from torch import Tensor

CLOSE = 4e-6  # of a table: float32 angles below 16, and float32 itself
EXACT = 1e-13  # of a table in float64
# Of an angle p*w in float32, relative: half a unit of 2^-23 each for w and for the product, and for a power whose
# exponent is rounded log(base) times 2i/d more, below 7 for bases to a million.
ANGLE = 8 * 2.0**-23


def read(
    value: Tensor, known: Mapping[float, int], *, close: float = CLOSE, off: Mapping[float, float] | None = None
) -> Tensor | None:
    """The nodes of the entries of a table whose every entry is close to one known number; None where one is not.

    A number that is close to two nodes at once is none of them. off: how far an entry may be from a number beside.
    """
    numbers = {number: close * max(abs(number), close) + (off or {}).get(number, 0.0) for number in sorted(known)}
    flat = value.detach().double().flatten().tolist()
    nodes = []
    for entry in flat:
        near = {known[number] for number, within in numbers.items() if abs(number - entry) <= within}
        if len(near) != 1:
            return None
        nodes.append(near.pop())
    return torch.tensor(nodes, dtype=torch.int64).reshape(value.shape)


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Tables of frequencies w_0, w_1, ..: every one of them occurs, and nothing else. symbols: their nodes."""

    values: Sequence[float]
    symbols: Sequence[int]

    def __call__(self, table: Tensor) -> tuple[Tensor, str] | None:
        nodes = read(table, dict(zip(self.values, self.symbols, strict=True)))
        if nodes is None or len(self.values) < 2 or set(nodes.flatten().tolist()) != set(self.symbols):
            return None
        return nodes, "a table of the declared frequencies read as symbols"


@dataclass(frozen=True, slots=True)
class Waves:
    """Tables of cos and sin of position * frequency, for the frequencies and the positions at which they are asked.

    positions: the node that stands for a position, by the position itself. Position 0 is left out: cos 0 is 1 for
    every frequency. rounded: how much of an angle rounding may take, beyond what is close at small angles.
    """

    program: Program
    values: Sequence[float]
    symbols: Sequence[int]
    positions: Mapping[int, int]
    rounded: float = 0.0

    def __call__(self, table: Tensor) -> tuple[Tensor, str] | None:
        program, known, off = self.program, dict[float, int](), dict[float, float]()
        for at, position in self.positions.items():
            for value, symbol in zip(self.values, self.symbols, strict=True):
                angle = program.multiply(position, symbol)
                known[math.cos(at * value)] = program.cos(angle)
                known[math.sin(at * value)] = program.sin(angle)
                off |= dict.fromkeys((math.cos(at * value), math.sin(at * value)), abs(at * value) * self.rounded)
        nodes = read(table, known, off=off)
        if nodes is None or len(set(nodes.flatten().tolist())) < len(self.values):
            return None
        return nodes, "a table of sines and cosines read as those of position * frequency"


@dataclass(frozen=True, slots=True)
class Sinusoids:
    """Tables of cos, sin and -sin of position * frequency in float64, position 0 among them: there they are 1 and 0."""

    program: Program
    values: Sequence[float]
    symbols: Sequence[int]
    positions: Sequence[int]

    def __call__(self, table: Tensor) -> tuple[Tensor, str] | None:
        if table.dtype != torch.float64:
            return None
        program, known = self.program, {0.0: self.program.zero, 1.0: self.program.one}
        for at in self.positions:
            for value, symbol in zip(self.values, self.symbols, strict=True):
                angle = program.multiply(program.constant_of(at), symbol)
                cosine, sine = program.cos(angle), program.sin(angle)
                known |= {math.cos(at * value): cosine, math.sin(at * value): sine}
                known[-math.sin(at * value)] = program.negate(sine)
        nodes = read(table, known, close=EXACT)
        if nodes is None or len(set(nodes.flatten().tolist()) - {program.zero, program.one}) < len(self.values):
            return None
        return nodes, "a table of sines and cosines read as those of position * frequency"
