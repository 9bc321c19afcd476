"""Which call shape fits somebody's rotary function, found by trial calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from posproofs.engine.kinds.making import signature_of
from posproofs.engine.kinds.rotary_calls import CallShape
from posproofs.engine.kinds.tables import rotating
from posproofs.errors import UsageError
from posproofs.laws.calling import basis, pattern
from posproofs.laws.subject import Width
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate

if TYPE_CHECKING:
    from torch import Tensor

SIZES = (2, 3, 5)  # batch, heads, rows: distinct, so that no axis passes for another one
FIRST = 2  # the position of the first row of a trial
WIDTHS = (64, 8, 4, 128, 32, 16, 80, 96, 256)  # the first is identified: it shows more than a small one


Shapes = Callable[[Callable[..., Any]], Iterable[CallShape]]
"""The call shapes to try on a function, in order."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What a trial call came to: the shape that fits, or that runs at all, else what the first one raised."""

    shape: CallShape | None
    good: bool = False
    raised: str = ""


def fitting(called: Callable[..., Any], dim: int, shapes: Iterable[CallShape]) -> Tried:
    """The first call shape in which each output row depends on its own row of x alone, else the first that runs.

    Where the caller is asked for a table, the first in which lengths stay as they are: its order is the code's choice.
    """
    first: CallShape | None = None
    raised = ""
    for shape in shapes:
        rotate = rotating(called, shape)
        try:
            y = _output(rotate, shape, dim)
            good = _local(rotate, shape, dim, y) and (not (shape.table or shape.gives) or _keeps_length(rotate, dim))
            good = good and (not shape.gives or _starts_straight(rotate, dim))
        except Exception as failed:  # noqa: BLE001 - a shape that does not fit raises whatever it likes
            raised = raised or f"{type(failed).__name__}: {next(iter(str(failed).splitlines()), '')}"
            continue
        if good:
            return Tried(shape, good=True)
        first = first or shape
    return Tried(first, raised=raised)


def _x(dim: int) -> Tensor:
    return pattern(*SIZES, dim, dtype=torch.float32)


def _at(shape: CallShape, positions: Tensor) -> Any:
    return positions if shape.takes == "positions" else int(positions[0])


def _output(rotate: Rotate, shape: CallShape, dim: int) -> Tensor:
    x = _x(dim)
    y = rotate(x, _at(shape, torch.arange(SIZES[2]) + FIRST))
    if y.shape != x.shape or not y.is_floating_point():
        raise ValueError(f"x is {tuple(x.shape)}, the output is {tuple(y.shape)} {y.dtype}")
    return y.detach()


def _local(rotate: Rotate, shape: CallShape, dim: int, y: Tensor) -> bool:
    """Whether another value, and another position, of one row change that row alone."""
    positions = torch.arange(SIZES[2]) + FIRST
    for place in ((1, 2, 3), (0, 0, 1)):  # the last head, which a causal mask over heads would hide, and the first
        x = _x(dim)
        x[place] = x[place] + 1
        changed = (rotate(x, _at(shape, positions)).detach() != y).any(dim=-1)
        if changed.nonzero().tolist() != [[*place]]:
            return False
    if shape.takes == "offset":
        return True
    moved = positions.clone()
    moved[3] += 7
    rows = (rotate(_x(dim), moved).detach() != y).any(dim=-1).nonzero()[:, 2]
    return bool((rows == 3).all())


def _keeps_length(rotate: Rotate, dim: int) -> bool:
    """Whether the columns of the map at positions 1 and 3 are orthogonal and equally long."""
    columns = rotate(basis(Width(dim, dim), 2, torch.float32), torch.tensor([1, 3])).detach().double()[:, 0]
    for t in range(2):
        gram = columns[:, t] @ columns[:, t].T
        if float((gram - gram[0, 0] * torch.eye(dim, dtype=torch.float64)).abs().max()) > 1e-3 * float(
            gram[0, 0].abs()
        ):
            return False
    return True


def _starts_straight(rotate: Rotate, dim: int) -> bool:
    """Whether position 0 only scales, and 1 turns: with cosine and sine taken for each other, 0 turns by a quarter."""
    columns = rotate(basis(Width(dim, dim), 2, torch.float32), torch.tensor([0, 1])).detach()[:, 0]
    at, beside = columns[:, 0], columns[:, 1]
    straight = torch.allclose(at, torch.eye(dim) * at[0, 0], atol=1e-3 * float(at[0, 0].abs()))
    return straight and not torch.equal(at, beside)


def widths_of(
    make: Callable[[int], Callable[..., Any]], shapes: Shapes, dims: tuple[int, ...] = ()
) -> tuple[tuple[int, Tried], ...]:
    """The widths in which the code can be called, at most three of them, each with the call shape that fits."""
    tried = []
    for dim in dims or WIDTHS:
        try:
            called = make(dim)
            tried.append((dim, fitting(called, dim, shapes(signature_of(called)))))
        except UsageError:
            raise
        except Exception as failed:  # noqa: BLE001 - a width that the code refuses
            tried.append(
                (dim, Tried(None, raised=f"{type(failed).__name__}: {next(iter(str(failed).splitlines()), '')}"))
            )
    fits = tuple(islice(((dim, one) for dim, one in tried if one.shape is not None), 3))
    return fits or tuple(tried[:1])
