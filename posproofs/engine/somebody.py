"""Somebody's rotary code as a subject of the laws: found, called, identified. All of it happens in a worker.

What is sent back is plain data and a Subject whose `make` is a name and a text, so it can be built again by whoever
asks a law of it, in this process or a later one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from posproofs.engine.call_shapes import CallShape, bound, shape_of
from posproofs.engine.fitting import Tried, fitting, made, signature_of, widths_of
from posproofs.engine.queries import Query, declared, parsed
from posproofs.engine.targets import Target, resolve
from posproofs.errors import UsageError
from posproofs.identify import Identified, Parting, Turning, against, identify
from posproofs.laws.calling import rotated
from posproofs.laws.subject import Convention, DType, Instance, Recipe, Subject, Width, dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

COUNTED = 4200  # positions of code that counts rows: it is given as many rows
DTYPES: tuple[DType, ...] = ("float32", "float64", "bfloat16")
UNKNOWN = Convention("half-split", "half-split")  # what the laws that know no convention are given


@dataclass(frozen=True, slots=True)
class Introduced:
    """A subject, the call shape that fits it, what was identified in its first width, and warnings about a thin run.

    digest: of the source that was executed.
    """

    subject: Subject
    shape: str
    code: str
    identified: Identified
    digest: str
    warnings: tuple[str, ...] = ()


@cache
def introduced(text: str) -> Introduced:
    """Find the code, how it is called, and what it does. Raises UsageError where there is nothing to call."""
    query = parsed(text)
    target = resolve_once(query.target)
    fits = _fits(target, query)
    ((dim, first), *_) = fits
    assert first.shape is not None, "_fits raises otherwise"
    shape = first.shape
    rotate = _by_positions(shape, bound(made(target.again(), dim), shape))
    farthest = min(query.below or COUNTED, COUNTED) - 1 if _counted(shape) else (query.below or 131073) - 1
    found = identify(rotate, dim=dim, farthest=farthest)
    dtypes = tuple(name for name in DTYPES if _keeps(rotate, dim, name))
    convention = declared(found.convention or UNKNOWN, query.declare)
    subject = Subject(
        name=text,
        package=target.package,
        convention=convention,
        recipe=_recipe(rotate, found, dim, farthest, dtypes=dtypes),
        widths=_widths(target, fits, found, convention, farthest),
        make=partial(instance, text),
        takes=shape.takes,
        limit=_limit(found, query, shape, rotate, dim=dim),
        dtypes=dtypes or ("float32",),
    )
    return Introduced(subject, str(shape), shape.code, found, target.digest, _warnings(subject, found, dtypes))


def _fits(target: Target, query: Query) -> tuple[tuple[int, Tried], ...]:
    """The widths in which it can be called. Raises UsageError with the wrapper to write where none fits."""

    def make(dim: int) -> Callable[..., Any]:
        return made(target.again(), dim)  # a table that was kept for one width is not met in another

    if query.shape:
        dim = query.dims[0] if query.dims else 8
        only = shape_of(query.shape, signature_of(make(dim)))
        fits = tuple((d, fitting(make(d), d, only=only)) for d in query.dims or (8, 64))
    else:
        fits = widths_of(make, query.dims)
    if all(one.shape is None for _, one in fits):
        raise UsageError(
            f"no call shape fits {query.target}{_said(fits[0])}; write a function that does, and check it:\n{WRAPPER}"
        )
    shape = next(one.shape for _, one in fits if one.shape is not None)
    return tuple((dim, one) for dim, one in fits if one.shape == shape)


def _said(first: tuple[int, Tried]) -> str:
    dim, tried = first
    return f" (width {dim}: {tried.raised})" if tried.raised else ""


WRAPPER = """
    # wrapper.py
    import mymodule

    def rotate(x, positions):
        \"\"\"x of shape (batch, heads, rows, dim), positions of shape (rows,) -> the rotated x.\"\"\"
        return mymodule.rotate(x, positions)

    posproofs check wrapper.py:rotate
"""


def _counted(shape: CallShape) -> bool:
    return shape.takes == "offset" and "offset" not in shape.roles


def _by_positions(shape: CallShape, rotate: Callable[[Tensor, Any], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Rows at any positions, where the code takes a first position alone: row by row."""
    return rotate if shape.takes == "positions" else _row_by_row(rotate)


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


def _keeps(rotate: Callable[[Tensor, Tensor], Tensor], dim: int, dtype: str) -> bool:
    """Whether numbers of that dtype come out in it."""
    x = torch.ones(1, 1, 3, dim, dtype=dtype_of(dtype))
    try:
        return rotate(x, torch.arange(3)).dtype == x.dtype
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
    return Recipe("power", angle, ("input",), "float32" if narrowed else "input")


def _rounds_input(rotate: Callable[[Tensor, Tensor], Tensor], dim: int) -> bool:
    """Whether two inputs in float64 that are one number in float32 come out alike."""
    x = torch.ones(1, 1, 2, dim, dtype=torch.float64)
    return torch.equal(rotate(x, torch.arange(2)), rotate(x * (1 + 2.0**-40), torch.arange(2)))


def _widths(
    target: Target,
    fits: tuple[tuple[int, Tried], ...],
    found: Identified,
    convention: Convention,
    farthest: int,
) -> tuple[Width, ...]:
    """The widths of the same convention; listed frequencies and pairs belong to the first alone."""
    ((first, _), *others) = fits
    if found.turning is None:
        return tuple(sorted(Width(dim, dim) for dim, _ in fits))
    widths = [Width(first, found.turning.rotary_dim)]
    if convention.frequencies or not isinstance(convention.reads, str):
        return tuple(widths)
    for dim, tried in others:
        assert tried.shape is not None, "only what fits is here"
        rotate = _by_positions(tried.shape, bound(made(target.again(), dim), tried.shape))
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


def _warnings(subject: Subject, found: Identified, dtypes: tuple[DType, ...]) -> tuple[str, ...]:
    """What makes this run say less than another one would."""
    lines = [f"one-width: asked in {subject.widths[0]} alone; --dims names others"] if len(subject.widths) == 1 else []
    missing = [name for name in DTYPES if name not in dtypes]
    lines += [f"one-dtype: {', '.join(missing)} is refused, or comes out in another dtype"] if missing else []
    if subject.limit is not None and subject.limit < 4097:
        lines.append(f"thin-positions: positions end at {subject.limit - 1}")
    if subject.takes == "offset":
        lines.append("one-offset: rows are consecutive, so that a row of any position stands in a call of its own")
    return (*lines, *found.notes)


def parted(one: str, other: str) -> Parting:
    """Where two pieces of somebody's code part, in the first width that both can be called in. Raises UsageError."""
    first, second = introduced(one), introduced(other)
    shared = [w.head for w in first.subject.widths if w.head in {v.head for v in second.subject.widths}]
    if not shared:
        theirs = [", ".join(str(w.head) for w in found.subject.widths) for found in (first, second)]
        raise UsageError(f"{one} is called in widths {theirs[0]}, {other} in {theirs[1]}; name one of both with --dims")
    a, b = (_rotate(name, found, shared[0]) for name, found in ((one, first), (other, second)))
    ends = [found.subject.limit for found in (first, second) if found.subject.limit is not None]
    return against(a, b, dim=shared[0], farthest=min([131073, *ends]) - 1)


def _rotate(text: str, found: Introduced, dim: int) -> Callable[[Tensor, Tensor], Tensor]:
    """The code at any positions, from a new copy."""
    built = instance(text, Width(dim, dim))
    return built.rotate if found.subject.takes == "positions" else _row_by_row(built.rotate)


def instance(text: str, width: Width) -> Instance:
    """The code built anew, as a subject's `make` does it."""
    target = resolve_once(parsed(text).target)
    built = made(target.again(), width.head)
    tables: tuple[Tensor, ...] = ()
    if isinstance(built, torch.nn.Module):
        tables = (*built.buffers(), *(parameter.detach() for parameter in built.parameters()))
    shape = _shape(text, width.head)
    keys = bound(built, shape, of="keys") if "k" in shape.roles else None
    return Instance(bound(built, shape), tables, keys)


def resolve_once(target: str) -> Target:
    """The target, imported once in this process; or the object that was given under its name."""
    return _GIVEN.get(target) or _resolved(target)


_GIVEN: dict[str, Target] = {}
_resolved = cache(resolve)


def introduced_here(target: Target, query: Query) -> Introduced:
    """An object of this process as a subject: from here on the target's name means this object."""
    if target.text in _GIVEN and _GIVEN[target.text].found is not target.found:
        introduced.cache_clear()
        _shape.cache_clear()
    _GIVEN[target.text] = target
    return introduced(str(replace(query, target=target.text)))


@cache
def _shape(text: str, dim: int) -> CallShape:
    """The call shape that was chosen when the code was introduced."""
    query = parsed(text)
    return shape_of(introduced(text).code, signature_of(made(resolve_once(query.target).found, dim)))
