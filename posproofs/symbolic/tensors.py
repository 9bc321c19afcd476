"""Symbolic tensors: numbers of program nodes in the shape of the tensor, so that Torch itself moves the data.

A view, a gather or a concatenation of a tensor is the same operation on the integers that name its entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.program import Program

if TYPE_CHECKING:
    from torch import Tensor, dtype


@dataclass(frozen=True, slots=True)
class Symbolic:
    """A real tensor. nodes: int64, one node of the program for each entry; kind: the dtype that the code sees.

    The dtype is one of floats: an integer that may be anything could index or branch, and a boolean decides.
    """

    nodes: Tensor
    kind: dtype

    def __post_init__(self) -> None:
        if not self.kind.is_floating_point:
            raise Refused(f"a symbolic tensor would have the dtype {self.kind}; symbols are real numbers")
        if self.nodes.dtype != torch.int64:
            raise Refused(f"nodes are numbered by int64, saw {self.nodes.dtype}")

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.nodes.shape)


@dataclass(frozen=True, slots=True)
class Complex:
    """A complex tensor, as its real and imaginary parts."""

    re: Symbolic
    im: Symbolic

    def __post_init__(self) -> None:
        if self.re.shape != self.im.shape:
            raise Refused(f"a real part of shape {self.re.shape} beside an imaginary part of shape {self.im.shape}")

    @property
    def shape(self) -> tuple[int, ...]:
        return self.re.shape


@dataclass(frozen=True, slots=True)
class Absent:
    """An output without a symbolic value, such as the place of a maximum. What reads it is refused."""

    what: str


def symbols(program: Program, tensor: str, shape: Sequence[int], *, kind: dtype | None = None) -> Symbolic:
    """A tensor of distinct symbols tensor[i,j,..]."""
    places = product(*(range(n) for n in shape))
    made = [program.symbol(tensor, place) for place in places]
    return of(made, shape, kind or torch.float32)


def of(nodes: Iterable[int], shape: Sequence[int], kind: dtype) -> Symbolic:
    """A tensor of these nodes, listed row by row."""
    return Symbolic(torch.tensor(list(nodes), dtype=torch.int64).reshape(tuple(shape)), kind)


def broadcast(*tensors: Tensor) -> list[Tensor]:
    """The tensors in their common shape."""
    return list(torch.broadcast_tensors(*tensors))  # type: ignore[no-untyped-call]


def elementwise(function: Callable[..., int], *operands: Symbolic, kind: dtype) -> Symbolic:
    """The function of entries, with Torch's broadcasting; equal entries are computed once."""
    spread = broadcast(*(x.nodes for x in operands))
    known: dict[tuple[int, ...], int] = {}
    made = []
    for entries in zip(*(x.flatten().tolist() for x in spread), strict=True):
        if entries not in known:
            known[entries] = function(*entries)
        made.append(known[entries])
    return of(made, spread[0].shape, kind)
