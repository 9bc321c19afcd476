"""What the laws are run on: a Subject says how to build an implementation, what it declares, and how it computes.

A Subject is data and functions, there is nothing to inherit from. Building is separate from calling, because laws of
state need two instances, and because most released rotations are a module that is made for a width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout

if TYPE_CHECKING:
    from torch import Tensor

DType = Literal["bfloat16", "float32", "float64"]


@dataclass(frozen=True, slots=True, order=True)
class Width:
    """The first `rotary` of `head` coordinates turn."""

    head: int
    rotary: int

    def __str__(self) -> str:
        return f"width {self.head}" if self.head == self.rotary else f"width {self.head} of which {self.rotary} turn"


Pairs = tuple[tuple[int, int], ...]
"""The coordinates of each pair, first member first, where they stand in no layout that has a name."""


@dataclass(frozen=True, slots=True)
class Convention:
    """Which coordinates pair up, where they are written, which way and how fast they turn. None of it is a fault.

    frequencies: w_i where they are not base**(-2i/d), or () where they are; listed ones belong to one width.
    within: how far a listed frequency may be from that of the code. first: the angle is (p + first) * w.
    """

    reads: Layout | Pairs
    writes: Layout | Pairs
    sign: Literal[1, -1] = 1
    base: float = 10000.0
    magnitude: float = 1.0
    frequencies: tuple[float, ...] = ()
    within: float = 0.0
    first: int = 0

    def turning(self, rotary: int) -> tuple[float, ...]:
        """w_i for i = 0..rotary/2-1."""
        return self.frequencies or tuple(self.base ** (-2 * i / rotary) for i in range(rotary // 2))

    def __str__(self) -> str:
        layout = _named(self.reads)
        if self.reads != self.writes:
            layout = f"reads {layout}, writes {_named(self.writes)}"
        count = len(self.frequencies)
        listed = f"{count} listed {'frequency' if count == 1 else 'frequencies'}"
        turns = listed if count else f"base {self.base:g}"
        position = "p" if not self.first else f"(p{self.first:+d})"
        scale = "" if self.magnitude == 1.0 else f", magnitude {self.magnitude:g}"
        return f"rotary, {layout}, {turns}, angle {'+' if self.sign > 0 else '-'}{position}*w{scale}"


def _named(layout: Layout | Pairs) -> str:
    """The name of a layout, or its first pairs."""
    if isinstance(layout, str):
        return layout
    shown = ", ".join(f"({a}, {b})" for a, b in layout[:3])
    return f"pairs {shown}{', ...' if len(layout) > 3 else ''}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """In which precision an implementation computes; the allowed error is derived from it (`posproofs.laws.precision`).

    frequency: "power" is 1/base**(2i/d) in the dtype of the angle, "exponential" exp(-2i ln(base)/d) in it, "rounded"
    is the float64 value rounded to it.
    angle: the dtype of p*w_i, its cosine and sine: always float32, always float64, or that of x but float32 at least.
    casts: the dtypes that cosine and sine pass through before they are multiplied; "input" is that of x.
    arithmetic: products and sums in the dtype of x, or in the wider one of x and table with one rounding at the end, or
    in float32 whatever x is: x is cast first, and the result is cast back.
    """

    frequency: Literal["power", "exponential", "rounded"]
    angle: Literal["float32", "float64", "input"]
    casts: tuple[Literal["float32", "input"], ...]
    arithmetic: Literal["input", "wide", "float32"]


@dataclass(frozen=True, slots=True)
class Instance:
    """One built implementation.

    rotate: (x of shape (batch, head, row, coordinate), positions (row,) of int64) -> rotated x; where the interface
    takes an offset, the second argument is the first position instead.
    keys: the same for keys, where one call turns queries and keys; else keys are turned as queries are.
    tables: the tensors that the instance holds and that no call may change; none if it makes them anew.
    beside: another instance, of any width, of the same execution of the same code, which shares what a class or module
    keeps; where it is given, the subject's `make` executes the code anew. Else all instances come of one execution.
    """

    rotate: Callable[[Tensor, Any], Tensor]
    tables: tuple[Tensor, ...] = ()
    keys: Callable[[Tensor, Any], Tensor] | None = None
    beside: Callable[[Width], Instance] | None = None

    def of_keys(self) -> Instance:
        """The instance with its map of keys as the map."""
        return self if self.keys is None else replace(self, rotate=self.keys)


@dataclass(frozen=True, slots=True)
class Subject:
    """One callable that laws are run on.

    takes: "positions" if every row can be given its own, "offset" if rows are consecutive from a first position.
    limit: positions are below it; None: no limit is declared.
    gradient: "refused" if the library declares none and Torch says so when it is asked for.
    """

    name: str
    package: str
    convention: Convention
    recipe: Recipe
    widths: tuple[Width, ...]
    make: Callable[[Width], Instance]
    takes: Literal["positions", "offset"] = "positions"
    limit: int | None = None
    dtypes: tuple[DType, ...] = ("float32", "float64", "bfloat16")
    gradient: Literal["defined", "refused"] = "defined"
    kind: str = "rotary"

    def within(self, positions: tuple[int, ...]) -> tuple[int, ...]:
        """The positions that the subject declares to take."""
        return tuple(p for p in positions if self.limit is None or p < self.limit)


def dtype_of(name: str) -> torch.dtype:
    """The torch dtype of that name."""
    found = getattr(torch, name)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"{name} is not a dtype of torch")
    return found
