"""Somebody's rotary code as a subject of the laws: called, identified. All of it happens in a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from posproofs.engine.kinds import tables
from posproofs.engine.kinds.introduced import Fit, Introduced, Kind, resolve_once
from posproofs.engine.kinds.making import made, signature_of
from posproofs.engine.kinds.rotary_calls import CallShape, call_shapes, named
from posproofs.engine.kinds.rotary_fitting import Shapes, Tried, fitting, widths_of
from posproofs.engine.kinds.tables import GIVES, rotating, shape_of
from posproofs.engine.queries import Query, declared
from posproofs.engine.targets import Target
from posproofs.identify import Identified, Turning, identify
from posproofs.laws.calling import rotated
from posproofs.laws.subject import Convention, DType, Instance, Recipe, Subject, Width, dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

COUNTED = 4200  # positions of code that counts rows: it is given as many rows
NEAR = 1025  # of which those are identified: each takes a call of its own
DTYPES: tuple[DType, ...] = ("float32", "float64", "bfloat16")
UNKNOWN = Convention("half-split", "half-split")  # what the laws that know no convention are given
Fits = tuple[tuple[int, Tried], ...]
"""The widths in which it can be called, all in one call shape."""


def fits(shapes: Shapes, target: Target, query: Query) -> Fit:
    """The widths in which it can be called in the first call shape that fits."""

    def make(dim: int) -> Callable[..., Any]:
        return made(target.again(), dim)  # a table that was kept for one width is not met in another

    if query.shape:
        dim = query.dims[0] if query.dims else 8
        only = shape_of(query.shape, signature_of(make(dim)))
        found = tuple((d, fitting(make(d), d, (only,))) for d in query.dims or (8, 64))
    else:
        found = widths_of(make, shapes, query.dims)
    running = [(dim, one) for dim, one in found if one.shape is not None]
    if not running:
        dim, tried = found[0]
        return Fit(raised=f"width {dim}: {tried.raised}" if tried.raised else "")
    best = next(((dim, one) for dim, one in running if one.good), running[0])
    return Fit(tuple((dim, one) for dim, one in running if one.shape == best[1].shape), best[1].good)


def introduce(text: str, query: Query, target: Target, fit: Fits) -> Introduced:
    """What the code does, found by calling it."""
    ((dim, first), *_) = fit
    shape = first.shape
    assert shape is not None, "fits drops what does not run"
    rotate = by_positions(shape.takes, rotating(made(target.again(), dim), shape))
    farthest = min(query.below or NEAR, NEAR) - 1 if _counted(shape) else (query.below or 131073) - 1
    found = identify(rotate, dim=dim, farthest=farthest)
    dtypes = tuple(name for name in DTYPES if _takes(rotate, dim, name))
    convention = found.convention or UNKNOWN
    subject = Subject(
        name=text,
        package=target.package,
        convention=convention,
        recipe=_recipe(rotate, found, dim, farthest, dtypes=dtypes),
        widths=_widths(target, fit, found, convention, farthest),
        make=partial(instance, query.target, shape),
        takes=shape.takes,
        limit=_limit(found, query, shape, rotate, dim=dim),
        dtypes=dtypes or ("float32",),
    )
    return Introduced(
        subject=subject,
        claimed=replace(subject, convention=declared(convention, query.declare)) if query.declare else None,
        kind="table" if shape.gives else "rotary",
        shape=str(shape),
        code=shape.code,
        identified=f"table of {GIVES[shape.gives]}, {found}" if shape.gives and found.turning else str(found),
        named=found.turning is not None,
        declared=found.convention is not None,
        digest=target.digest,
        warnings=_warnings(subject, found, dtypes, shape),
    )


def _counted(shape: CallShape) -> bool:
    return shape.takes == "offset" and "offset" not in shape.roles


def by_positions(takes: str, rotate: Callable[[Tensor, Any], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Rows at any positions, where the code takes a first position alone: row by row."""
    return rotate if takes == "positions" else _row_by_row(rotate)


def _row_by_row(rotate: Callable[[Tensor, Any], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    anyone = replace(_BLANK, takes="offset")

    def at(x: Tensor, positions: Tensor) -> Tensor:
        if positions.is_floating_point():
            raise TypeError("rows are counted, so that a position is whole")
        return rotated(anyone, Instance(rotate), x, positions)

    return at


def _nobody(_width: Width) -> Instance:
    raise AssertionError("this subject is not built")


_BLANK = Subject("", "", UNKNOWN, Recipe("power", "float32", (), "input"), (Width(2, 2),), _nobody)


def _takes(rotate: Callable[[Tensor, Tensor], Tensor], dim: int, dtype: str) -> bool:
    """Whether it turns numbers of that dtype; that they come out in another one is a finding of rotary.output."""
    x = torch.ones(1, 1, 3, dim, dtype=dtype_of(dtype))
    try:
        return rotate(x, torch.arange(3)).is_floating_point()
    except Exception:  # noqa: BLE001 - a dtype that the code refuses
        return False


def _recipe(
    rotate: Callable[[Tensor, Tensor], Tensor], found: Identified, dim: int, farthest: int, *, dtypes: tuple[DType, ...]
) -> Recipe:
    """The least exact way of computing that is no defect: the bounds of the laws are derived from it.

    Angles in float32, cosine and sine rounded to the dtype of x, products in it. For x in float64 what is found there.
    """
    angle: Literal["float32", "input"] = "float32"
    if "float64" in dtypes and found.turning is not None:
        wide = identify(rotate, dim=dim, dtype=torch.float64, farthest=farthest)
        if wide.turning is not None and wide.turning.precision.table == "float64":
            angle = "input"
    narrowed = "float64" in dtypes and _rounds_input(rotate, dim)
    return Recipe("exponential", angle, ("input",), "float32" if narrowed else "input")


def _rounds_input(rotate: Callable[[Tensor, Tensor], Tensor], dim: int) -> bool:
    """Whether two inputs in float64 that are one number in float32 come out alike."""
    x = torch.ones(1, 1, 2, dim, dtype=torch.float64)
    return torch.equal(rotate(x, torch.arange(2)), rotate(x * (1 + 2.0**-40), torch.arange(2)))


def _widths(
    target: Target,
    fit: Fits,
    found: Identified,
    convention: Convention,
    farthest: int,
) -> tuple[Width, ...]:
    """The widths of the same convention; listed frequencies and pairs belong to the first alone."""
    ((first, _), *others) = fit
    if found.turning is None:
        return tuple(sorted(Width(dim, dim) for dim, _ in fit))
    widths = [Width(first, found.turning.rotary_dim)]
    if convention.frequencies or not isinstance(convention.reads, str):
        return tuple(widths)
    for dim, tried in others:
        assert tried.shape is not None, "only what fits is here"
        rotate = by_positions(tried.shape.takes, rotating(made(target.again(), dim), tried.shape))
        other = identify(rotate, dim=dim, farthest=farthest)
        if other.turning is not None and _agrees(other.turning, found.turning):
            widths.append(Width(dim, other.turning.rotary_dim))
    return tuple(widths)


def _agrees(other: Turning, found: Turning) -> bool:
    """Whether another width has the same convention, as far as one pair tells it."""
    if other.rotary_dim == 2:
        return (other.sign, other.first, other.magnitude) == (found.sign, found.first, found.magnitude)
    return other.declared == found.declared


def _limit(
    found: Identified, query: Query, shape: CallShape, rotate: Callable[[Tensor, Tensor], Tensor], *, dim: int
) -> int | None:
    """Positions are below it: what was asked for, what code that counts rows can be given, or the end of its table."""
    if query.below is not None:
        return query.below
    if found.limit is None:
        return COUNTED if _counted(shape) else None
    refused, taken = found.limit, 0
    x = torch.ones(1, 1, 1, dim)
    while refused - taken > 1:
        middle = (refused + taken) // 2
        try:
            rotate(x, torch.tensor([middle]))
            taken = middle
        except Exception:  # noqa: BLE001 - a position that the code refuses
            refused = middle
    return refused


def _warnings(subject: Subject, found: Identified, dtypes: tuple[DType, ...], shape: CallShape) -> tuple[str, ...]:
    """What makes this run say less than another one would."""
    lines = [f"one-width: asked in {subject.widths[0]} alone; --dims names others"] if len(subject.widths) == 1 else []
    missing = [name for name in DTYPES if name not in dtypes]
    lines += [f"one-dtype: {', '.join(missing)} is refused"] if missing else []
    if subject.limit is not None and subject.limit < 4097:
        lines.append(f"thin-positions: positions end at {subject.limit - 1}")
    if subject.takes == "offset":
        lines.append("one-offset: rows are consecutive, so that a row of any position stands in a call of its own")
    if shape.gives and shape.wide == "half":
        lines.append("pairing: one entry a pair, so that who reads the table decides which coordinates are a pair")
    return (*lines, *found.notes)


def instance(target: str, shape: CallShape, width: Width) -> Instance:
    """The code built anew in that call shape, as a subject's `make` does it."""
    return _of(resolve_once(target).again(), shape, width)


def _of(found: Any, shape: CallShape, width: Width) -> Instance:
    built = made(found, width.head)
    tables: tuple[Tensor, ...] = ()
    if isinstance(built, torch.nn.Module):
        tables = (*built.buffers(), *(parameter.detach() for parameter in built.parameters()))
    return Instance(
        rotating(built, shape),
        tables,
        keys=rotating(built, shape, of="keys") if "k" in shape.roles else None,
        beside=partial(_of, found, shape) if isinstance(found, type) else None,
    )


# What can be asked of code of which no convention is known.
_WITHOUT = ("rotary.output", "rotary.purity", "rotary.history", "rotary.locality", "rotary.isometry", "rotary.position")
ROTARY = Kind("rotary", "rotary", named, partial(fits, call_shapes), introduce, _WITHOUT)
TABLE = Kind("table", "rotary", tables.named, partial(fits, tables.table_shapes), introduce, _WITHOUT)
