"""Which call shape fits somebody's rotary function, found by trial calls; and how their class is made for a width."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from posproofs.engine.call_shapes import CallShape, bound, call_shapes
from posproofs.errors import UsageError
from posproofs.laws.calling import basis, pattern
from posproofs.laws.subject import Width
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate

if TYPE_CHECKING:
    from torch import Tensor

SIZES = (2, 3, 5)  # batch, heads, rows: distinct, so that no axis passes for another one
FIRST = 2  # the position of the first row of a trial
LENGTH = 8192  # for a class that wants to know how many positions there will be
WIDTHS = (64, 8, 4, 128, 32, 16, 80, 96, 256)  # the first is identified: it shows more than a small one


@dataclass(frozen=True, slots=True)
class Tried:
    """What a trial call came to: the shape that fits, else what the first one raised."""

    shape: CallShape | None
    raised: str = ""


def made(found: Any, dim: int) -> Callable[..., Any]:
    """The callable for heads of that width: a class is constructed, everything else is taken as it is.

    Raises UsageError for a class whose arguments cannot be guessed, and for what cannot be called.
    """
    if not callable(found):
        raise UsageError(f"wanted a function, module or class, saw a {type(found).__name__}")
    if not inspect.isclass(found):
        return found  # type: ignore[no-any-return]  # somebody's object: callable, as was just seen
    arguments = []
    for parameter in inspect.signature(found).parameters.values():
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_KEYWORD,
            parameter.VAR_POSITIONAL,
        ):
            continue
        arguments.append(_argument(found, parameter.name, dim))
    return cast("Callable[..., Any]", found(*arguments))


def _argument(cls: type, name: str, dim: int) -> Any:
    lower = name.lower()
    if any(word in lower for word in ("max", "len", "ctx", "context", "positions")):
        return LENGTH
    if any(word in lower for word in ("base", "theta")):
        return 10000.0
    if any(word in lower for word in ("dim", "width", "size", "head", "d_")) or lower == "d":
        return dim
    raise UsageError(f"{cls.__name__} wants {name!r}, which cannot be guessed; wrap it in a function that makes it")


def signature_of(called: Callable[..., Any]) -> Callable[..., Any]:
    """What has the names of the arguments: `forward` of a module."""
    forward = getattr(called, "forward", None)
    return forward if isinstance(called, torch.nn.Module) and forward is not None else called


def fitting(called: Callable[..., Any], dim: int, *, only: CallShape | None = None) -> Tried:
    """The first call shape in which each output row depends on its own row of x alone, else the first that runs.

    Where the caller is asked for a table, the first in which lengths stay as they are: its order is the code's choice.
    """
    first: CallShape | None = None
    raised = ""
    for shape in [only] if only else call_shapes(signature_of(called)):
        rotate = bound(called, shape)
        try:
            y = _output(rotate, shape, dim)
            good = _local(rotate, shape, dim, y) and (not shape.table or _keeps_length(rotate, dim))
        except Exception as failed:  # noqa: BLE001 - a shape that does not fit raises whatever it likes
            raised = raised or f"{type(failed).__name__}: {next(iter(str(failed).splitlines()), '')}"
            continue
        if good:
            return Tried(shape)
        first = first or shape
    return Tried(first, raised)


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
    x = _x(dim)
    x[1, 2, 3] = x[1, 2, 3] + 1
    changed = (rotate(x, _at(shape, positions)).detach() != y).any(dim=-1)
    places = [[1, 2, 3]]
    if changed.nonzero().tolist() != places:
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


def widths_of(make: Callable[[int], Callable[..., Any]], dims: tuple[int, ...] = ()) -> tuple[tuple[int, Tried], ...]:
    """The widths in which the code can be called, at most three of them, each with the call shape that fits."""
    tried = []
    for dim in dims or WIDTHS:
        try:
            tried.append((dim, fitting(make(dim), dim)))
        except UsageError:
            raise
        except Exception as failed:  # noqa: BLE001 - a width that the code refuses
            tried.append((dim, Tried(None, f"{type(failed).__name__}: {next(iter(str(failed).splitlines()), '')}")))
    fits = tuple(islice(((dim, one) for dim, one in tried if one.shape is not None), 3))
    return fits or tuple(tried[:1])
