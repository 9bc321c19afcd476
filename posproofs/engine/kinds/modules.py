"""Somebody's attention module, which maps rows to rows with weights of its own, as a subject of the laws of attention.

Its forward is called with hidden states x alone, and with a mask and positions where it takes them. The laws need
nothing else. Where its projections are found by their names, its scheme is read too, and held to its formula.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from posproofs.engine.kinds.attention_calls import (
    AttentionShape,
    further,
    left_alone,
    named_rows,
    output_of,
    paths_of,
    row_shapes,
    shape_of,
)
from posproofs.engine.kinds.attention_fitting import at
from posproofs.engine.kinds.attention_reading import Read
from posproofs.engine.kinds.attention_schemes import declared, has_formula, in_words, said, scheme_of, waves
from posproofs.engine.kinds.introduced import Fit, Introduced, Kind, resolve_once
from posproofs.engine.kinds.making import HEADS, KEY_HEADS, chosen, made, signature_of
from posproofs.engine.kinds.module_weights import (
    LEAST,
    Counts,
    Projections,
    as_attention,
    as_wide,
    heads_of,
    projections,
    sharing,
)
from posproofs.engine.queries import Query
from posproofs.engine.targets import Target
from posproofs.errors import UsageError
from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import attention
from posproofs.laws.calling import pattern
from posproofs.laws.subject import dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor, dtype
    from torch.nn import Module

BATCH, ROWS = 2, 5  # of a trial
WIDTHS = (4, 8, 16, 64, 32)
LENGTH = 1024  # for a class that wants to know how many rows there will be: it may keep a mask of all pairs
DTYPES: tuple[Literal["float32", "float64"], ...] = ("float32", "float64")
_NEAR = 2**-16  # of rows in another order, in float32
Sees = Literal["past", "all"]
Rows = Callable[..., "Tensor"]
"""(x (batch, row, model), positions of the rows or None, hidden=0) -> the same shape."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """How it is called, what it is meant to see, its heads, and whether it can be made with others."""

    shape: AttentionShape
    sees: Sees
    counts: Counts
    made: Literal["for a size", "as it is"]


def fits(target: Target, query: Query) -> Fit:
    """The first call shape in which a row depends on other rows of its own sequence, and of no other."""
    raised = ""
    for width in query.dims or WIDTHS:
        try:
            built = _built(target, width, LEAST, LEAST)
        except UsageError:
            raise
        except Exception as failed:  # noqa: BLE001 - a width that the class refuses
            raised = raised or said(failed)
            continue
        if built is None:
            return Fit()
        made_for: Literal["for a size", "as it is"] = "for a size" if isinstance(target.found, type) else "as it is"
        counts = _counts(built, width, made_for)
        model = counts[0] * counts[2]
        shapes = row_shapes(signature_of(built))
        for shape in (shape_of(query.shape, shapes),) if query.shape else shapes:
            try:
                sees = _sees(built, shape, model)
                good = _mixes(built, shape, sees, model)
            except Exception as failed:  # noqa: BLE001 - a shape that does not fit raises whatever it likes
                raised = raised or said(failed)
                continue
            if good:
                return Fit(Fitting(shape, sees, counts, made_for), good=True)
    return Fit(raised=raised or "it is no module whose rows of one sequence depend on each other")


def has_layers(found: object) -> bool:
    """Whether it is a module with matrices that it multiplies by: whatever it does, it is no rotation."""
    layers = (torch.nn.Linear, torch.nn.MultiheadAttention, torch.nn.Conv1d)
    return isinstance(found, torch.nn.Module) and any(isinstance(one, layers) for one in found.modules())


def _built(target: Target, width: int, heads: int, key_heads: int) -> Module | None:
    """A new module with parameters of its own; None for what is no such module."""
    built = made(target.again(), width, heads=heads, key_heads=key_heads, length=LENGTH)
    if not isinstance(built, torch.nn.Module) or not any(True for _ in built.parameters()):
        return None
    return built.eval()


def _counts(built: Module, width: int, made_for: str) -> Counts:
    """Its heads, those of keys, and their width, as far as its attributes and its matrices tell."""
    told = (getattr(module, name, None) for module in built.modules() for name in HEADS)
    guess = LEAST if made_for == "for a size" else 1
    heads = next((one for one in told if isinstance(one, int) and not isinstance(one, bool)), guess)
    matrices = {name: value for name, value in built.named_parameters() if value.dim() == 2}
    model = next((value.shape[-1] for value in matrices.values()), heads * width)
    if model % heads:
        return 1, 1, model
    of = next(projections(built), None)
    keys = heads if of is None or of.order else len(matrices[of.key]) * heads // model
    return heads, keys, model // heads


def rows_of(built: Module, shape: AttentionShape, path: str, *, sees: Sees) -> Rows:
    """The module in that shape, on that path."""
    more_of = further(shape, path, sees=sees)

    def rows(x: Tensor, positions: Tensor | None = None, *, hidden: int = 0) -> Tensor:
        given = x.clone() if shape.axes == "brd" else x.transpose(0, 1).clone()
        out = output_of(
            built(given, **more_of((len(x), x.shape[1], x.shape[1]), x.dtype, positions, hidden=hidden)), given
        )
        return out if shape.axes == "brd" else out.transpose(0, 1)

    return rows


def _plain(built: Module, shape: AttentionShape, sees: Sees) -> Rows:
    return rows_of(built, shape, paths_of(signature_of(built), shape)[0], sees=sees)


def _sees(built: Module, shape: AttentionShape, model: int) -> Sees:
    if shape.causal or shape.mask:
        return "past"
    call, where = _plain(built, shape, "all"), at(shape, ROWS)
    x = pattern(1, ROWS, model, dtype=torch.float32)
    before = call(x, where)
    x[:, -1, 0] += 1  # a norm takes out what is added to a whole row
    return "past" if torch.equal(before[:, 0], call(x, where)[:, 0]) else "all"


def _mixes(built: Module, shape: AttentionShape, sees: Sees, model: int) -> bool:
    """Whether another row changes rows of its own sequence, not only itself; and a mask hides it."""
    call, where = _plain(built, shape, sees), at(shape, ROWS)
    x = pattern(BATCH, ROWS, model, dtype=torch.float32)
    before = call(x, where).detach()
    if not bool(before.isfinite().all()):
        return False
    x[-1, 1, 0] += 1
    touched = (call(x, where).detach() != before).any(dim=-1).nonzero()
    own = bool((touched[:, 0] == BATCH - 1).all()) and bool((touched[:, 1] > 1).any())
    return own and (not shape.mask or _hides(call, x, where))


def _hides(call: Rows, x: Tensor, where: Tensor | None) -> bool:
    """Whether no other row sees the first one where the mask says so, and they do where it does not."""
    y = x.clone()
    y[:, 0, 0] += 1
    behind, shown = ((call(one, where, hidden=1).detach(), call(one, where).detach()) for one in (x, y))
    return torch.equal(behind[0][:, 1:], shown[0][:, 1:]) and not torch.equal(behind[1][:, 1:], shown[1][:, 1:])


def introduce(text: str, query: Query, target: Target, fit: Fitting) -> Introduced:
    """What the module does, found by calling it."""
    heads, key_heads, width = fit.counts
    built = _built(target, width, heads, key_heads)
    assert built is not None, "fits takes modules alone"
    scheme, reason, of = _read(built, fit)
    formula = None
    if (
        scheme is not None
        and of is not None
        and has_formula(scheme)
        and of.covers(built)
        and _in_a_row(target, fit, of)
    ):
        formula = partial(_formula, fit.sees, scheme, of)
    positions = _positions(built, fit, scheme)
    subject = AttentionSubject(
        name=text,
        package=target.package,
        convention=AttentionConvention(in_words(scheme, width), positions, fit.sees),
        sizes=_sizes(target, fit),
        make=partial(_made, query.target, fit, positions),
        paths=paths_of(signature_of(built), fit.shape),
        formula=formula,
        waves=waves({width: scheme}, positions) if formula is not None and scheme is not None else None,
        dtypes=tuple(name for name in DTYPES if _keeps(built, fit, name)),
    )
    seen = "sees the past" if fit.sees == "past" else "sees all rows"
    named = f"attention module, {subject.convention.scheme}, {seen}"
    return Introduced(
        subject=subject,
        kind="module",
        shape=str(fit.shape),
        code=fit.shape.code,
        identified=named if scheme is not None else f"unidentified: {reason}",
        named=scheme is not None,
        declared=False,
        digest=target.digest,
        warnings=tuple(_warnings(built, fit, subject)),
    )


def _read(built: Module, fit: Fitting) -> tuple[Read | None, str, Projections | None]:
    """Its scheme, or why it is not known, and its projections."""
    heads, _, width = fit.counts
    ways = list(projections(built))
    if not ways:
        return None, "the names of its parameters do not say which make q, k, v and the output", None
    if heads < LEAST:
        return None, f"its scheme is read where it has {LEAST} heads or more, and it has {heads}", None
    weights = dict(built.named_parameters())
    reason = "its heads together are not as wide as its rows"
    for of in (one for one in ways if as_wide(one, weights, fit.counts)):
        attend = as_attention(built, of, fit.counts, _rows_as(fit))
        scheme, refused = scheme_of(
            attend, heads=heads, key_heads=heads, width=width, places=partial(_places, fit.shape)
        )
        if scheme is not None:
            return scheme, "", of
        reason = refused if of == ways[0] else reason
    return None, reason, None


def _places(shape: AttentionShape, rows: int) -> Tensor | None:
    return torch.arange(rows) if shape.positions else None


def _rows_as(fit: Fitting) -> Callable[[Module], Rows]:
    return lambda module: _plain(module, fit.shape, fit.sees)


def _takes(target: Target, names: tuple[str, ...]) -> bool:
    """Whether its constructor is given one of these."""
    return isinstance(target.found, type) and any(one.name.lower() in names for one in chosen(target.found))


def _in_a_row(target: Target, fit: Fitting, of: Projections) -> bool:
    """Whether query heads that stand in a row share a key head, where fewer key heads than query heads can be had."""
    width = fit.counts[2]
    counts = fit.counts if fit.made == "as it is" else (4, 2, width) if _takes(target, KEY_HEADS) else (1, 1, width)
    if counts[0] == counts[1]:
        return True
    built = _built(target, counts[2], counts[0], counts[1])
    assert built is not None, "fits takes modules alone"
    group = counts[0] // counts[1]
    return sharing(built, of, counts, _rows_as(fit), _places(fit.shape, 1)) == tuple(
        head // group for head in range(counts[0])
    )


def _positions(built: Module, fit: Fitting, scheme: Read | None) -> Literal["real", "whole", "counted", "none"]:
    x, call = pattern(1, ROWS, fit.counts[0] * fit.counts[2], dtype=torch.float32), _plain(built, fit.shape, fit.sees)
    if fit.shape.positions:
        try:
            call(x, torch.arange(ROWS) + 0.5)
        except Exception:  # noqa: BLE001 - positions that look up a table
            return "whole"
        return "real"
    if scheme is not None:
        return "counted" if scheme.bias or scheme.turned is not None else "none"
    apart = (call(x).flip(1) - call(x.flip(1))).abs().max()
    return "none" if fit.sees == "all" and float(apart) < _NEAR * float(call(x).abs().max()) else "counted"


def _sizes(target: Target, fit: Fitting) -> tuple[AttentionSize, ...]:
    heads, key_heads, width = fit.counts
    if fit.made == "as it is" or not _takes(target, HEADS):
        return (AttentionSize(3, heads, key_heads, width),)
    shared = (4, 2) if _takes(target, KEY_HEADS) else (2, 2)
    return (AttentionSize(3, *shared, width), AttentionSize(4, 3, 3, width))


def _keeps(built: Module, fit: Fitting, name: str) -> bool:
    x = pattern(1, ROWS, fit.counts[0] * fit.counts[2], dtype=torch.float32).to(dtype_of(name))
    try:
        out = _plain(copy.deepcopy(built).to(x.dtype), fit.shape, fit.sees)(x, at(fit.shape, ROWS))
    except Exception:  # noqa: BLE001 - a dtype that the code refuses
        return False
    return out.dtype is x.dtype


def _made(target: str, fit: Fitting, placed: str, size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    built = _built(resolve_once(target), size.width, size.heads, size.key_heads)
    assert built is not None, "fits takes modules alone"
    held = (built if fit.made == "for a size" else copy.deepcopy(built)).to(kind)
    call = rows_of(held, fit.shape, path, sees=fit.sees)

    def behind(x: Tensor, hidden: int) -> Tensor:
        return call(x, None, hidden=hidden)[:, hidden:]

    return AttentionInstance(held, call, behind=behind if fit.shape.mask and placed == "counted" else None)


def _formula(sees: Sees, scheme: Read, of: Projections, size: AttentionSize) -> Formula:
    def formula(w: Mapping[str, Tensor], x: Tensor, positions: Tensor | None) -> Tensor:
        where = torch.arange(x.shape[1]).to(x.dtype) if positions is None else positions.to(x.dtype)
        return attention(x, heads_of(of, w, size.heads, size.key_heads), declared(scheme, size, sees, where))

    return formula


def _warnings(built: Module, fit: Fitting, subject: AttentionSubject) -> Iterator[str]:
    if len(subject.sizes) == 1:
        yield f"one-size: asked with {subject.sizes[0]} alone"
    yield from left_alone(signature_of(built), fit.shape)
    if subject.formula is None:
        yield "formula: none is written for it, so that its output is not held to one"
    yield "decoding: a cache is not asked of a module"
    missing = [name for name in DTYPES if name not in subject.dtypes]
    if missing:
        yield f"one-dtype: {', '.join(missing)} is refused, or comes out in another dtype"


_WITHOUT = tuple(f"attention.{name}" for name in ("causal", "paths", "shift", "permutation"))
MODULE = Kind("module", "attention", named_rows, fits, introduce, _WITHOUT)
