"""Somebody's attention of q, k and v as a subject of the laws of whole attention.

The laws speak of a module that maps rows to rows, with weights. So q, k and v are made here from one x by three
matrices, which a proof takes as symbols: what holds for all of them holds for all q, k and v.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal

from posproofs.engine.kinds.attention_calls import Attend, bound, by_mask, left_alone, named, paths_of
from posproofs.engine.kinds.attention_fitting import SIZES, Fitting, at, fits, inputs, plain
from posproofs.engine.kinds.attention_reading import Read
from posproofs.engine.kinds.attention_schemes import declared, has_formula, in_words, scheme_of, waves
from posproofs.engine.kinds.introduced import Introduced, Kind, resolve_once
from posproofs.engine.kinds.making import made, signature_of
from posproofs.engine.queries import Query
from posproofs.engine.targets import Target
from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import Heads, attention
from posproofs.laws.subject import dtype_of
from posproofs.mutants.backend import torch
from posproofs.production.attending import in_parts

if TYPE_CHECKING:
    from torch import Tensor, dtype
    from torch.nn import Module

DTYPES: tuple[Literal["float32", "float64"], ...] = ("float32", "float64")


def introduce(text: str, query: Query, target: Target, fit: Fitting) -> Introduced:
    """What the code does, found by calling it."""
    width = max(fit.widths)
    built = made(target.again(), width, heads=SIZES[1], key_heads=SIZES[1])
    scheme, reason = _read(built, fit, width)
    schemes = {width: scheme, **{one: _read_in(target, fit, one) for one in fit.widths if one != width}}
    ends = _ends(built, fit, width)
    function = signature_of(built)
    convention = AttentionConvention(in_words(scheme, width), _positions(built, fit, scheme), fit.sees)
    known = {one: read for one, read in schemes.items() if read is not None and has_formula(read)}
    whole = len(known) == len(fit.widths)
    subject = AttentionSubject(
        name=text,
        package=target.package,
        convention=convention,
        sizes=_sizes(fit),
        make=partial(_made, query.target, fit, ends, convention.positions),
        paths=paths_of(function, fit.shape),
        formula=partial(_formula, fit, known) if whole else None,
        waves=waves(known, convention.positions) if whole else None,
        dtypes=tuple(name for name in DTYPES if _keeps(built, fit, width, name)),
    )
    said = f"attention, {convention.scheme}, {'sees the past' if fit.sees == 'past' else 'sees all rows'}"
    shared = f", query heads share key heads {fit.shared}" if fit.shared else ""
    last = ", causal from the start" if ends == "start" else ""
    return Introduced(
        subject=subject,
        kind="attention",
        shape=str(fit.shape),
        code=fit.shape.code,
        identified=f"{said}{last}{shared}" if scheme is not None else f"unidentified: {reason}",
        named=scheme is not None,
        declared=False,
        digest=target.digest,
        warnings=_warnings(built, fit, ends, subject),
    )


def _float(built: Callable[..., Any], fit: Fitting) -> Attend:
    """In float64 where it takes that, else in float32; positions as they come."""
    attend = plain(built, fit.shape, fit.sees)

    def wide(q: Tensor, k: Tensor, v: Tensor, positions: Tensor | None = None, *, hidden: int = 0) -> Tensor:
        try:
            out = attend(q, k, v, positions, hidden=hidden)
        except Exception:  # noqa: BLE001 - it may refuse float64
            out = attend(q.float(), k.float(), v.float(), positions, hidden=hidden)
        return out.detach().double()

    if fit.shape.axes != "td":
        return wide

    def one_by_one(q: Tensor, k: Tensor, v: Tensor, positions: Tensor | None = None, *, hidden: int = 0) -> Tensor:
        return torch.cat(
            [wide(q[n : n + 1], k[n : n + 1], v[n : n + 1], positions, hidden=hidden) for n in range(len(q))]
        )

    return one_by_one


def _read(built: Callable[..., Any], fit: Fitting, width: int) -> tuple[Read | None, str]:
    heads = 1 if fit.shape.axes == "td" else SIZES[1]

    def places(rows: int) -> Tensor | None:
        return torch.arange(rows) if fit.shape.positions else None

    return scheme_of(_float(built, fit), heads=heads, key_heads=heads, width=width, places=places)


def _read_in(target: Target, fit: Fitting, width: int) -> Read | None:
    return _read(made(target.again(), width, heads=SIZES[1], key_heads=SIZES[1]), fit, width)[0]


def _positions(
    built: Callable[..., Any], fit: Fitting, scheme: Read | None
) -> Literal["real", "whole", "counted", "none"]:
    if fit.shape.positions:
        q, k, v = inputs(fit.widths[0], (1, 1))
        try:
            plain(built, fit.shape, fit.sees)(q, k, v, torch.arange(SIZES[2]) + 0.5)
        except Exception:  # noqa: BLE001 - positions that look up a table
            return "whole"
        return "real"
    return "counted" if scheme is None or scheme.bias or scheme.turned is not None else "none"


def _ends(built: Callable[..., Any], fit: Fitting, width: int) -> Literal["end", "start", "refused"]:
    """Where fewer queries than keys stand: in the last rows, in the first, or whether that is refused."""
    if fit.sees == "all" or fit.shape.positions:
        return "refused" if fit.shape.positions else "end"
    heads = 1 if fit.shape.axes == "td" else SIZES[1]
    q, k, v = inputs(width, (heads, heads))
    attend = plain(built, fit.shape, fit.sees)
    whole = attend(q, k, v).detach()
    try:
        last = attend(q[:, :, -2:], k, v).detach()
    except Exception:  # noqa: BLE001 - as many queries as keys
        return "refused"
    return "end" if torch.allclose(last, whole[:, :, -2:], atol=1e-4) else "start"


def _keeps(built: Callable[..., Any], fit: Fitting, width: int, name: str) -> bool:
    heads = 1 if fit.shape.axes == "td" else SIZES[1]
    given = [one.to(dtype_of(name)) for one in inputs(width, (heads, heads))]
    try:
        out = plain(built, fit.shape, fit.sees)(*given, at(fit.shape, SIZES[2]))
    except Exception:  # noqa: BLE001 - a dtype that the code refuses
        return False
    return out.dtype is given[0].dtype


def _sizes(fit: Fitting) -> tuple[AttentionSize, ...]:
    first, *others = fit.widths
    if fit.shape.axes == "td":
        return tuple(AttentionSize(3, 1, 1, width) for width in fit.widths)
    keys = (4, 2) if fit.shared else (2, 2)
    small = [AttentionSize(3, *keys, min(fit.widths))]
    return (*small, AttentionSize(4, 3, 3, max(first, *others) if others else first))


def _holding(built: Callable[..., Any], size: AttentionSize, kind: dtype) -> Module:
    """A module with the three matrices, and with the code where it is a module that has parameters of its own."""
    held = torch.nn.Module()
    if isinstance(built, torch.nn.Module):
        held.add_module("own", built.to(kind))
    for name, heads in (("query", size.heads), ("key", size.key_heads), ("value", size.key_heads)):
        weight = torch.zeros(heads * size.width, size.model, dtype=kind)
        held.register_parameter(name, torch.nn.Parameter(weight))
    return held


def _by_head(held: Module, x: Tensor, name: str, width: int) -> Tensor:
    """(1, row, model) -> (1, head, row, d)."""
    flat = torch.nn.functional.linear(x, getattr(held, name))
    return flat.reshape(1, x.shape[1], -1, width).transpose(1, 2)


def _made(
    target: str, fit: Fitting, ends: str, placed: str, size: AttentionSize, path: str, kind: dtype
) -> AttentionInstance:
    built = made(resolve_once(target).again(), size.width, heads=size.heads, key_heads=size.key_heads)
    held = _holding(built, size, kind)
    attend = bound(built, fit.shape, path, sees=fit.sees)
    # With fewer queries than keys the flag may mean the first rows, and then a cache needs the mask.
    stepping = attend if ends == "end" else bound(built, fit.shape, by_mask(fit.shape, path), sees=fit.sees)

    def joined(y: Tensor) -> Tensor:
        return y.transpose(1, 2).flatten(2)

    def call(x: Tensor, positions: Tensor | None, *, hidden: int = 0) -> Tensor:
        q, k, v = (_by_head(held, x, name, size.width) for name in ("query", "key", "value"))
        return joined(attend(q, k, v, positions, hidden=hidden))

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        def part(rows: Tensor, _positions: Tensor | None, end: int) -> Tensor:
            q = _by_head(held, rows, "query", size.width)
            k, v = (_by_head(held, x[:, :end], name, size.width) for name in ("key", "value"))
            return joined(stepping(q, k, v))

        return in_parts(part, x, positions, lengths)

    def behind(x: Tensor, hidden: int) -> Tensor:
        return call(x, None, hidden=hidden)[:, hidden:]

    decodes = (ends == "end" or bool(fit.shape.mask)) and fit.sees == "past" and not fit.shape.positions
    padded = bool(fit.shape.mask) and placed == "counted"
    return AttentionInstance(held, call, (), steps if decodes else None, behind if padded else None)


def _formula(fit: Fitting, schemes: Mapping[int, Read], size: AttentionSize) -> Formula:
    scheme = schemes[size.width]

    def formula(w: Mapping[str, Tensor], x: Tensor, positions: Tensor | None) -> Tensor:
        order = torch.arange(size.heads)
        if fit.shared == "in turns":  # query head h reads key head h mod g: put those of a key head in a row
            order = order.reshape(-1, size.key_heads).transpose(0, 1).flatten()
        query = w["query"].reshape(size.heads, size.width, -1)
        keys, values = (w[name].reshape(size.key_heads, size.width, -1) for name in ("key", "value"))
        where = torch.arange(x.shape[1]).to(x.dtype) if positions is None else positions.to(x.dtype)
        y = attention(x, Heads(query[order], keys, values), declared(scheme, size, fit.sees, where))
        back = torch.argsort(order)
        return y.reshape(1, x.shape[1], size.heads, size.width)[:, :, back].flatten(2)

    return formula


def _warnings(built: Callable[..., Any], fit: Fitting, ends: str, subject: AttentionSubject) -> tuple[str, ...]:
    lines = [f"one-width: asked in width {fit.widths[0]} alone; --dims names others"] if len(fit.widths) == 1 else []
    lines += left_alone(signature_of(built), fit.shape)
    lines += ["arguments: a call writes into q, k or v"] if _writes(built, fit) else []
    if subject.formula is None:
        lines.append("formula: none is written for this scheme, so that what is named is not held against the code")
    if ends == "start" and not fit.shape.mask:
        lines.append("causal: with fewer queries than keys it takes them for the first rows; decoding needs a mask")
    if fit.sees == "past" and ends == "refused" and not fit.shape.positions:
        lines.append("decoding: it wants as many queries as keys, so that a cache was not asked for")
    missing = [name for name in DTYPES if name not in subject.dtypes]
    return (
        *lines,
        *([f"one-dtype: {', '.join(missing)} is refused, or comes out in another dtype"] if missing else []),
    )


def _writes(built: Callable[..., Any], fit: Fitting) -> bool:
    """Whether a call leaves its arguments as they were: each call here is given copies."""
    changed: list[bool] = []

    def watched(*given: Any, **named_: Any) -> Any:
        tensors = [one for one in (*given, *named_.values()) if isinstance(one, torch.Tensor)]
        before = [one.clone() for one in tensors]
        out = built(*given, **named_)
        changed.extend(not torch.equal(one, was) for one, was in zip(tensors, before, strict=True))
        return out

    heads = 1 if fit.shape.axes == "td" else SIZES[1]
    like = wraps(signature_of(built))(watched)
    plain(like, fit.shape, fit.sees)(*inputs(fit.widths[0], (heads, heads)), at(fit.shape, SIZES[2]))
    return any(changed)


_WITHOUT = tuple(f"attention.{name}" for name in ("causal", "paths", "shift", "decoding", "permutation"))
ATTENTION = Kind("attention", "attention", named, fits, introduce, _WITHOUT)
