"""Calling a foreign rotation: the matrix of the map at each position, and the first sign that there is no such matrix.

At one position a rotation is linear in x, so its matrix is read off basis vectors, all of them and all positions in one
call. What stands in a batch, head and row is rolled by one with every head and row, and no two axes have one size: code
that takes one axis for another, or reads another row, must not look right by accident.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from posproofs.laws.calling import pattern
from posproofs.laws.precision import UNIT
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

Rotate = Callable[["Tensor", "Tensor"], "Tensor"]
"""(x of shape (batch, head, row, coordinate), positions of shape (row,) or (batch, row)) -> the rotated x."""
Positions = Sequence[int] | Sequence[float]

SHAPES = tuple(f"positions {shape}{kind}" for kind in ("", " of float32") for shape in ("(rows,)", "(batch, rows)"))
HEADS = 3
_EXTRA = 4  # zero, two dense vectors, and one of them times 64
_HALF = 2.0**-11
UNITS = {"bfloat16": UNIT["bfloat16"], "float16": _HALF, "float32": UNIT["float32"], "float64": UNIT["float64"]}
"""Unit roundoff of the dtypes, from the fewest bits to the most."""


class NotRotary(Exception):
    """What was seen is no rotation: the first thing that failed, and the position at which it did."""

    def __init__(self, reason: str, position: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


@dataclass(slots=True)
class Probe:
    """A function under question. `calls` counts how often it was called, `notes` what it did besides its answer."""

    rotate: Rotate
    dim: int
    dtype: torch.dtype
    shape: str = SHAPES[0]
    calls: int = 0
    notes: list[str] = field(default_factory=list)

    def outputs(self, positions: Positions) -> Tensor:
        """float64 of shape (vector, head, row, coordinate): what the basis vectors and the extra vectors become."""
        vectors = probes(self.dim, self.dtype)
        rows = len(positions)
        order = (torch.arange(len(vectors))[:, None, None] + rolled(rows)) % len(vectors)
        y = self._called(vectors[order], positions).double()
        back = (torch.arange(len(vectors))[:, None, None] - rolled(rows)) % len(vectors)
        heads, places = torch.arange(HEADS)[None, :, None], torch.arange(rows)[None, None, :]
        return y[back, heads, places]

    def called(self, x: Tensor, positions: Positions) -> Tensor:
        """The output for x (batch, head, row, coordinate), cast to its dtype; NotRotary where it gives no such."""
        return self._called(x, positions)

    def _called(self, x: Tensor, positions: Positions) -> Tensor:
        given, at = x.clone(), self._at(positions, len(x))
        untouched = at.clone()
        self.calls += 1
        try:
            with torch.no_grad():
                y = self.rotate(given, at)
        except Exception as raised:  # code of others may raise anything, and all of it is a finding
            raise NotRotary(_raised(raised), positions[0] if len(positions) == 1 else None) from raised
        if not isinstance(y, torch.Tensor) or y.shape != x.shape or not y.is_floating_point():
            seen = f"{tuple(y.shape)} {y.dtype}" if isinstance(y, torch.Tensor) else type(y).__name__
            raise NotRotary(f"x is {tuple(x.shape)} {x.dtype}, the output is {seen}")
        self._watch(y.dtype == x.dtype, f"the output is in {_name(y.dtype)} where x is in {_name(x.dtype)}")
        self._watch(bool((given == x).all()), "it writes into its input")
        self._watch(bool((at == untouched).all()), "it writes into the caller's positions")
        return y.detach().clone().to(x.dtype)

    def _at(self, positions: Positions, batch: int) -> Tensor:
        """As integers where they are, unless the function wants them floating."""
        whole = all(isinstance(p, int) for p in positions) and "float32" not in self.shape
        at = torch.tensor(positions, dtype=torch.int64 if whole else torch.float32)
        return at[None].repeat(batch, 1) if "batch" in self.shape else at

    def _watch(self, kept: object, note: str) -> None:
        if not kept and note not in self.notes:
            self.notes.append(note)


def probes(dim: int, dtype: torch.dtype) -> Tensor:
    """(vector, coordinate): the basis, zero, two dense vectors, and the first of them times 64."""
    dense = pattern(2, dim, dtype=torch.float64)
    extra = torch.cat((torch.zeros(1, dim, dtype=torch.float64), dense, 64 * dense[:1]))
    return torch.cat((torch.eye(dim, dtype=torch.float64), extra)).to(dtype)


def rolled(rows: int) -> Tensor:
    """(1, head, row): by how much the vectors are rolled there."""
    return (torch.arange(HEADS)[:, None] + torch.arange(rows)[None, :])[None]


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _raised(raised: Exception) -> str:
    first = str(raised).splitlines()[0] if str(raised) else "no message"
    return f"it raises {type(raised).__name__}: {first}"


def narrowest(values: Tensor) -> str:
    """The dtype with the fewest bits that holds every one of these numbers exactly."""
    values = values[values != 0]  # a few entries of each column
    for name in UNITS:
        if bool((values.to(getattr(torch, name)).double() == values).all()):
            return name
    return "float64"


def matrices(outputs: Tensor, dim: int) -> Tensor:
    """(row, output coordinate, input coordinate), read in the first head."""
    return outputs[:dim, 0].permute(1, 2, 0)


def check_map(outputs: Tensor, positions: Positions, dim: int) -> str:
    """The dtype of the table entries of a map that is finite, linear and equal in all heads; NotRotary otherwise.

    A basis vector picks entries of the table, c*1 - s*0, without rounding.
    """
    _first(~outputs.isfinite().flatten(0, 1).all(dim=-1).all(dim=0), positions, "the output is not finite")
    table = narrowest(outputs[:dim])
    entries = matrices(outputs, dim)
    size = float(entries.abs().max())
    apart = (outputs[:dim] - outputs[:dim, :1]).abs().amax(dim=(0, 1, 3))
    _first(apart > 2 * entry_error(table) * size, positions, "heads are not turned alike")
    _first((outputs[dim] != 0).any(dim=0).any(dim=-1), positions, "zero does not stay zero")
    vectors = probes(dim, torch.float64)[dim:]  # the patterns are exact in every dtype
    wanted = torch.einsum("tij,bj->bti", entries, vectors)
    weight = torch.einsum("tij,bj->bti", entries.abs(), vectors.abs())
    error = (outputs[dim:] - wanted[:, None]).abs().amax(dim=1)
    allowed = linear_error(max(UNITS[table], UNITS[narrowest(outputs[dim:])])) * weight
    _first((error > allowed).any(dim=-1).any(dim=0), positions, "the map is not linear in x")
    return table


def entry_error(table: str) -> float:
    """|computed entry - m cos| / m: cosine 1 ulp, at most u, one product with m, one cast, at most u each."""
    return 3 * UNITS[table] * (1 + 4 * UNITS[table])


def linear_error(unit: float) -> float:
    """Rounding of x_a c - x_b s relative to |x_a c| + |x_b s|: two products and their sum, and a cast of entry and sum.

    The last term is for the reference itself, which sums in float64.
    """
    return 4 * unit * (1 + 4 * unit) + 256 * UNITS["float64"]


def _first(wrong: Tensor, positions: Positions, reason: str) -> None:
    """Raise for the smallest position that is wrong."""
    if bool(wrong.any()):
        raise NotRotary(reason, min(p for p, bad in zip(positions, wrong.tolist(), strict=True) if bad))
