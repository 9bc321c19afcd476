"""Somebody's four-term scores, as Transformer-XL has them, as a subject of the laws of scores.

The score of query i and key j is (q_i + u).k_j + (q_i + v).r_(i-j+M). What is tried: the order of axes, how many rows r
has, and whether scores or probabilities come out; what is read: the scale, and whether keys after the query count.
(Dai et al., Transformer-XL, 2019, section 3.3.)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from posproofs.engine.kinds.introduced import Fit, Introduced, Kind, resolve_once
from posproofs.engine.kinds.making import made, signature_of
from posproofs.engine.queries import Query
from posproofs.engine.targets import Target
from posproofs.errors import UnknownName, UsageError
from posproofs.laws.score_calls import scattered
from posproofs.laws.scored import ScoreConvention, ScoreInstance, ScoreRecipe, Scores, ScoreSubject, Size
from posproofs.laws.subject import dtype_of
from posproofs.mutants import four_terms
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor, dtype

Axes = Literal["bhtd", "bthd", "tbhd"]
Rows = Literal["K+L", "K+L-1", "K"]
Scale = Literal["none", "1/sqrt(d)", "1/sqrt(2d)"]
AXES: dict[Axes, str] = {
    "bhtd": "q and k (batch, heads, rows, d), r (heads, offsets, d)",
    "bthd": "q and k (batch, rows, heads, d), r (offsets, heads, d)",
    "tbhd": "q and k (rows, batch, heads, d), r (offsets, heads, d)",
}
GIVES: dict[Literal["bhij", "ijbh"], str] = {
    "bhij": "(batch, heads, queries, keys)",
    "ijbh": "(queries, keys, batch, heads)",
}
ROWS: dict[Rows, str] = {"K+L": "K..-L+1", "K+L-1": "K-1..-L+1", "K": "K-1..0"}
NAMES = (
    ("q", "query", "queries", "w_head_q", "q_head"),
    ("k", "key", "keys", "w_head_k", "k_head"),
    ("r", "rel", "p", "pos", "pos_emb", "rel_k", "r_head_k", "k_r", "relative"),
    ("u", "r_w_bias", "bias_u", "pos_bias_u", "content_bias"),
    ("v", "r_r_bias", "bias_v", "pos_bias_v", "position_bias"),
)
TRIAL = (2, 3, 4, 8)  # batch, heads, rows, coordinates: distinct
DTYPES: tuple[Literal["float32", "float64"], ...] = ("float32", "float64")
NEAR = 1e-3  # relative: of what is told apart here the least is 2**0.5


@dataclass(frozen=True, slots=True)
class ScoreShape:
    """One way to call it: axes of q and k, which rows r has, axes of the scores: i and j are query and key."""

    axes: Axes
    rows: Rows
    gives: Literal["bhij", "ijbh"] = "bhij"

    @property
    def code(self) -> str:
        """What --shape takes."""
        return f"q+k+r+u+v:{self.axes}:{self.rows}:{self.gives}"

    def __str__(self) -> str:
        rows = f"rows of the offsets {ROWS[self.rows]}"
        return f"(q, k, r, u, v), {AXES[self.axes]}, {rows}, u and v (heads, d) -> {GIVES[self.gives]}"


SHAPES = tuple(ScoreShape(a, r, g) for a, r, g in product(AXES, ROWS, GIVES))


@dataclass(frozen=True, slots=True)
class OwnRows:
    """What is read where code makes its rows itself: r is the weights (head, entries, d) that map its table to rows.

    rows: (those weights, queries, keys) -> the rows of the offsets K, .., -L + 1, shape (head, K + L, d).
    """

    entries: int
    rows: Callable[[Tensor, int, int], Tensor]


@dataclass(frozen=True, slots=True)
class Fitting:
    """How it is called, and what comes out."""

    shape: ScoreShape
    convention: ScoreConvention
    sizes: tuple[Size, ...]


def _order(function: Callable[..., Any]) -> tuple[int, ...] | None:
    """Which of q, k, r, u, v each argument is, by their names; None where one has another name."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    required = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    found = tuple(n for name in required for n, known in enumerate(NAMES) if name in known)
    return found if sorted(found) == [0, 1, 2, 3, 4] and len(required) == len(NAMES) else None


def named(function: Callable[..., Any]) -> bool:
    """Whether its arguments have the names of q, k, r, u and v."""
    return _order(function) is not None


def bound(function: Callable[..., Any], shape: ScoreShape) -> Scores:
    """The function as q, k (batch, head, row, d), r (head, K + L, d), u, v (head, d) -> (batch, head, query, key)."""
    order = _order(signature_of(function)) or tuple(range(len(NAMES)))

    def scores(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        queries, keys = q.shape[2], k.shape[2]
        first, last = {"K+L": (0, keys + queries), "K+L-1": (1, keys + queries), "K": (1, keys + 1)}[shape.rows]
        rows = r[:, first:last]
        given = (_to(q, shape.axes), _to(k, shape.axes), rows if shape.axes == "bhtd" else rows.transpose(0, 1), u, v)
        out = function(*(given[n] for n in order))
        if not isinstance(out, torch.Tensor):
            raise TypeError(f"wanted a tensor, saw a {type(out).__name__}")
        return _placed(out, shape, (q.shape[0], q.shape[1], queries, keys))

    return scores


def _to(x: Tensor, axes: Axes) -> Tensor:
    return {"bhtd": x, "bthd": x.transpose(1, 2), "tbhd": x.permute(2, 0, 1, 3)}[axes]


def _placed(out: Tensor, shape: ScoreShape, wanted: tuple[int, int, int, int]) -> Tensor:
    """(batch, head, query, key), from that order, or (query, key, batch, head) as Transformer-XL has it."""
    placed = out if shape.gives == "bhij" else out.permute(2, 3, 0, 1)
    if tuple(placed.shape) != wanted:
        raise ValueError(f"scores {GIVES[shape.gives]} of {wanted} were wanted, saw {tuple(out.shape)}")
    return placed


def fits(target: Target, query: Query) -> Fit:
    """The first shape in which it is four-term scores; else the first in which contents alone are scores."""
    raised, running = "", None
    batch, heads, rows, width = TRIAL
    width = query.dims[0] if query.dims else width
    try:
        scores_of = made(target.again(), width, heads=heads)
    except UsageError:
        raise
    except Exception as failed:  # noqa: BLE001 - a class that refuses this width
        return Fit(raised=f"{type(failed).__name__}: {next(iter(str(failed).splitlines()), '')}")
    for shape in _asked(query):
        try:
            found = read(bound(scores_of, shape), (batch, heads, rows, width))
        except Exception as failed:  # noqa: BLE001 - a shape that does not fit raises whatever it likes
            raised = raised or f"{type(failed).__name__}: {next(iter(str(failed).splitlines()), '')}"
            continue
        sizes = (Size(1, width), Size(2, width)) if query.dims else (Size(1, 2), Size(2, 4))
        if found is not None:
            return Fit(Fitting(shape, found, sizes), good=True)
        size = (batch, heads, rows, width)
        bare = read(bound(scores_of, shape), size, (0, 1, 2)) or read(bound(scores_of, shape), size, (0, 1))
        running = running or (None if bare is None else Fitting(shape, bare, sizes))
    return Fit(running, raised=raised or "no scale makes it q.k where u, v and r are 0")


def _asked(query: Query) -> Iterator[ScoreShape]:
    if query.shape and query.shape not in {shape.code for shape in SHAPES}:
        raise UnknownName("call shape", query.shape, (shape.code for shape in SHAPES))
    yield from (shape for shape in SHAPES if query.shape in ("", shape.code))


def read(
    scores: Scores,
    size: tuple[int, int, int, int],
    only: tuple[int, ...] = (0, 1, 2, 3, 4),
    *,
    own: OwnRows | None = None,
) -> ScoreConvention | None:
    """The convention in which these are four-term scores; None where they are none in any.

    only: of q, k, r, u, v those that are not 0. own: how the rows come out of r, where r is not the rows.
    """
    batch, heads, rows, width = size
    drawn = _inputs(batch, heads, (rows, rows), width, own=own)
    given = [one if n in only else 0 * one for n, one in enumerate(drawn)]
    out = scores(*given).detach().double()
    gives: Literal["scores", "probabilities"] = "scores"
    if bool(torch.allclose(out.sum(dim=-1), torch.ones(()).double(), atol=NEAR)) and bool((out >= 0).all()):
        gives = "probabilities"
    memory: Literal["any", "none"] = "any" if _takes_memory(scores, size, own) else "none"
    source: Literal["given", "own"] = "given" if own is None else "own"
    q, k, r, u, v = (one.double() for one in given)
    right = four_terms.scores(q, k, r if own is None else own.rows(r, rows, rows), u, v)
    scales: tuple[Scale, ...] = ("none", "1/sqrt(d)", "1/sqrt(2d)")
    regions: tuple[Literal["all", "past"], ...] = ("all", "past")
    for scale, region in product(scales, regions):
        convention = ScoreConvention(gives=gives, scale=scale, region=region, memory=memory, rows=source)
        if _agrees(out, right * convention.factor(Size(heads, width)), convention):
            return convention
    return None


def _inputs(
    batch: int, heads: int, rows: tuple[int, int], width: int, *, own: OwnRows | None = None
) -> tuple[Tensor, ...]:
    queries, keys = rows
    shapes = (
        (batch, heads, queries, width),
        (batch, heads, keys, width),
        (heads, keys + queries if own is None else own.entries, width),
        (heads, width),
        (heads, width),
    )
    return tuple(scattered(*shape, seed=n + 1).float() for n, shape in enumerate(shapes))


def _agrees(out: Tensor, right: Tensor, convention: ScoreConvention) -> bool:
    """Probabilities show scores up to one constant for each query: they are compared with that of its own key."""
    rows = out.shape[2]
    seen = torch.ones(rows, rows, dtype=torch.bool)
    seen = seen if convention.region == "all" else seen.tril()
    if convention.gives == "probabilities":
        out, right = (one - one.diagonal(dim1=2, dim2=3)[..., None] for one in (out.log(), right))
    apart = (out - right).abs()[..., seen]
    return bool((apart <= NEAR * right.abs()[..., seen].max()).all())


def _takes_memory(scores: Scores, size: tuple[int, int, int, int], own: OwnRows | None) -> bool:
    batch, heads, rows, width = size
    try:
        scores(*_inputs(batch, heads, (rows, rows + 2), width, own=own))
    except Exception:  # noqa: BLE001 - as many keys as queries
        return False
    return True


def introduce(text: str, query: Query, target: Target, fit: Fitting) -> Introduced:
    """The code as a subject in the convention that was read."""
    width = query.dims[0] if query.dims else TRIAL[3]
    scores = bound(made(target.again(), width, heads=TRIAL[1]), fit.shape)
    dtypes = tuple(name for name in DTYPES if _keeps(scores, name, width))
    subject = ScoreSubject(
        name=text,
        package=target.package,
        convention=fit.convention,
        recipe=ScoreRecipe(through="float32" if "float64" not in dtypes else "input"),
        sizes=fit.sizes,
        make=partial(_made, query.target, fit.shape),
        dtypes=dtypes or ("float32",),
    )
    lines = ["memory: it wants as many queries as keys"] if fit.convention.memory == "none" else []
    return Introduced(
        subject=subject,
        kind="scores",
        shape=str(fit.shape),
        code=fit.shape.code,
        identified=str(fit.convention),
        named=True,
        declared=False,
        digest=target.digest,
        warnings=tuple(lines),
    )


def _keeps(scores: Scores, name: str, width: int) -> bool:
    given = [one.to(dtype_of(name)) for one in _inputs(1, TRIAL[1], (3, 3), width)]
    try:
        return scores(*given).dtype is given[0].dtype
    except Exception:  # noqa: BLE001 - a dtype that the code refuses
        return False


def _made(target: str, shape: ScoreShape, size: Size, kind: dtype) -> ScoreInstance:
    built = made(resolve_once(target).again(), size.width, heads=size.heads)
    if isinstance(built, torch.nn.Module):
        built = built.to(kind)
    return ScoreInstance(bound(built, shape), None, _tables(built))


def _tables(built: Any) -> tuple[Tensor, ...]:
    return tuple(built.buffers()) if isinstance(built, torch.nn.Module) else ()


SCORES = Kind("scores", "scores", named, fits, introduce, ())
