"""Which call shape fits somebody's attention of q, k and v, found by trial calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from posproofs.engine.kinds.attention_calls import Attend, AttentionShape, attention_shapes, bound, paths_of, shape_of
from posproofs.engine.kinds.attention_schemes import said
from posproofs.engine.kinds.introduced import Fit
from posproofs.engine.kinds.making import made, signature_of
from posproofs.engine.queries import Query
from posproofs.engine.targets import Target
from posproofs.errors import UsageError
from posproofs.laws.calling import pattern
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

SIZES = (2, 3, 5)  # batch, heads, rows of a trial: distinct, so that no axis passes for another one
WIDTHS = (4, 8, 16, 64, 32, 128, 2)
Sees = Literal["past", "all"]
Shared = Literal["in a row", "in turns"]


@dataclass(frozen=True, slots=True)
class Fitting:
    """How it is called, what it is meant to see, in which widths, and whether query heads share key heads."""

    shape: AttentionShape
    sees: Sees
    widths: tuple[int, ...]
    shared: Shared | None


def fits(target: Target, query: Query) -> Fit:
    """The first call shape in which the outputs of a head depend on that head alone."""
    raised = ""
    running: Fitting | None = None
    widths = query.dims or WIDTHS
    for width in widths:
        try:
            built = made(target.again(), width, heads=SIZES[1], key_heads=SIZES[1])
        except UsageError:
            raise
        except Exception as failed:  # noqa: BLE001 - a width that the class refuses
            raised = raised or said(failed)
            continue
        function = signature_of(built)
        shapes = attention_shapes(function)
        for shape in (shape_of(query.shape, shapes),) if query.shape else shapes:
            try:
                sees = _sees(built, shape, width)
                good = _apart(built, shape, sees, width)
            except Exception as failed:  # noqa: BLE001 - a shape that does not fit raises whatever it likes
                raised = raised or said(failed)
                continue
            found = Fitting(shape, sees, (width,), None)
            # A flag that makes it causal is asked, whatever comes out: what is wrong with it is for the laws to say.
            flagged = running is not None and running.shape.causal and not shape.causal
            if good and not flagged:
                return Fit(_widened(target, found, widths), good=True)
            if good and running is not None:
                return Fit(running, good=True)
            running = running or (found if not shape.mask else None)
        if running is not None:
            return Fit(running, raised=raised)
    return Fit(raised=raised)


def plain(built: Callable[..., Any], shape: AttentionShape, sees: Sees) -> Attend:
    """The code on its first path."""
    return bound(built, shape, paths_of(signature_of(built), shape)[0], sees=sees)


def inputs(width: int, heads: tuple[int, int], *, batch: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """q, k and v of a trial."""
    q = pattern(batch, heads[0], SIZES[2], width, dtype=torch.float32)
    k, v = (pattern(batch, heads[1], SIZES[2], width, dtype=torch.float32, shift=n) for n in (1, 2))
    return q, k, v


def at(shape: AttentionShape, rows: int) -> Tensor | None:
    """Positions of that many rows, where it takes them."""
    return torch.arange(rows) + 2 if shape.positions else None


def _sees(built: Callable[..., Any], shape: AttentionShape, width: int) -> Sees:
    """Past keys where a flag or a mask says so, or where the first row does not see the last one."""
    if shape.causal or shape.mask:
        return "past"
    attend = plain(built, shape, "all")
    q, k, v = inputs(width, (1, 1) if shape.axes == "td" else (SIZES[1], SIZES[1]))
    before = attend(q, k, v, at(shape, SIZES[2]))
    v[:, :, -1] += 1
    return "all" if not torch.equal(before[:, :, 0], attend(q, k, v, at(shape, SIZES[2]))[:, :, 0]) else "past"


def _apart(built: Callable[..., Any], shape: AttentionShape, sees: Sees, width: int) -> bool:
    """Whether another key and value change later rows of their own head and sequence alone, and a mask hides keys."""
    attend = plain(built, shape, sees)
    batch, heads, rows = (1, 1, SIZES[2]) if shape.axes == "td" else SIZES
    q, k, v = inputs(width, (heads, heads), batch=batch)
    before = attend(q, k, v, at(shape, rows)).detach()
    if before.shape != q.shape or not bool(before.isfinite().all()):
        return False
    k[-1, -1, 1] += 1
    v[-1, -1, 1] += 1
    changed = (attend(q, k, v, at(shape, rows)).detach() != before).any(dim=-1)
    touched = changed.nonzero()
    own = bool(((touched[:, 0] == batch - 1) & (touched[:, 1] == heads - 1)).all()) and len(touched) > 0
    return own and (not shape.mask or _hides(built, shape, width))


def _hides(built: Callable[..., Any], shape: AttentionShape, width: int) -> bool:
    """Whether no row but the first sees the first key where the mask, and nothing else, says so."""
    attend = bound(built, shape, "mask", sees="past")
    heads = 1 if shape.axes == "td" else SIZES[1]
    q, k, v = inputs(width, (heads, heads))
    before = attend(q, k, v, at(shape, SIZES[2]), hidden=1).detach()
    k[:, :, 0] += 1
    v[:, :, 0] += 1
    changed = (attend(q, k, v, at(shape, SIZES[2]), hidden=1).detach() != before).any(dim=-1)[0, 0]
    shown = attend(q, k, v, at(shape, SIZES[2])).detach()
    return not bool(changed[1:].any()) and bool((shown != before)[0, 0, 1:].any())


def _widened(target: Target, found: Fitting, widths: tuple[int, ...]) -> Fitting:
    """With the other widths that run in this shape, two at most, and with what is known of shared key heads."""
    running = list(found.widths)
    for width in widths:
        if width in running or len(running) == 2:
            continue
        try:
            _apart(made(target.again(), width, heads=SIZES[1], key_heads=SIZES[1]), found.shape, found.sees, width)
        except Exception:  # noqa: BLE001 - a width that the code refuses
            continue
        running.append(width)
    return Fitting(found.shape, found.sees, tuple(running), _shared(target, found))


def _shared(target: Target, found: Fitting) -> Shared | None:
    """Which query heads share a key head, where four of them may share two; None where that is refused."""
    if found.shape.axes in ("btd", "td"):
        return None
    width = found.widths[0]
    try:
        attend = plain(made(target.again(), width, heads=4, key_heads=2), found.shape, found.sees)
        q, k, v = inputs(width, (4, 2))
        before = attend(q, k, v, at(found.shape, SIZES[2]))
        v[:, 0] += 1
        changed = (attend(q, k, v, at(found.shape, SIZES[2])) != before).any(dim=-1).any(dim=-1)[0].tolist()
    except Exception:  # noqa: BLE001 - code that has as many key heads as query heads
        return None
    return {(True, True, False, False): "in a row", (True, False, True, False): "in turns"}.get(tuple(changed))  # type: ignore[return-value]
