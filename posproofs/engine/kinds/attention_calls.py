"""How somebody's attention of q, k and v is called: axes, a flag that makes it causal, the form of a mask, positions.

Arguments are known by their names. What a flag of another name does is not guessed: it stays as it is by default.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from posproofs.engine.kinds.rotary_calls import AXES, POSITIONS, Axes, placed_positions
from posproofs.errors import UnknownName
from posproofs.mutants.backend import torch
from posproofs.production.attending import mask_of, shown, shown_to_all

if TYPE_CHECKING:
    from torch import Tensor, dtype

QUERY = ("q", "query", "queries", "xq", "query_states", "Q")
KEY = ("k", "key", "keys", "xk", "key_states", "K")
VALUE = ("v", "value", "values", "xv", "value_states", "V")
CAUSAL = ("causal", "is_causal", "use_causal_mask", "causal_mask")
MASK = ("mask", "attn_mask", "attention_mask", "attn_bias")
PLACES = ("positions", "position_ids", "input_pos", "pos", "position")
# Flags that choose how the same is computed.
FLAGS = (
    *("flash", "use_flash", "flash_attn", "use_flash_attn", "sdpa", "use_sdpa", "fused", "use_fused", "fast"),
    *("eager", "naive", "slow", "math", "compiled", "optimized", "memory_efficient", "chunked", "need_weights"),
)
ROWS = ("x", "X", "hidden_states", "hidden", "inputs", "input", "src", "embeddings", "states", "h", "xs", "tokens")
RowAxes = Literal["brd", "rbd"]
ROW_AXES: dict[RowAxes, str] = {"brd": "(batch, rows, dim)", "rbd": "(rows, batch, dim)"}
_AXES: dict[Axes | RowAxes, str] = {**dict(AXES.items()), **dict(ROW_AXES.items())}
Form = Literal["shown", "blocked", "added"]
FORMS: dict[Form, str] = {
    "shown": "True where a key is seen",
    "blocked": "True where a key is not seen",
    "added": "added to the scores",
}
MASK_AXES = {"lk": "(queries, keys)", "1lk": "(1, queries, keys)", "11lk": "(1, 1, queries, keys)"}


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """One way to call it: with q, k and v, or with the rows x of which a module makes them.

    causal, mask, positions: the names of those arguments, "" where it has none or they are left out. form, mask_axes:
    of the mask. places: the form of positions.
    """

    axes: Axes | RowAxes
    causal: str = ""
    mask: str = ""
    form: Form = "shown"
    mask_axes: str = ""
    positions: str = ""
    places: str = ""
    takes: Literal["q+k+v", "x"] = "q+k+v"

    @property
    def code(self) -> str:
        """What --shape takes: q+k+v:bhtd:causal:mask=shown,lk:positions=t."""
        parts = [self.takes, self.axes, *([self.causal] if self.causal else [])]
        parts += [f"{self.mask}={self.form},{self.mask_axes}"] if self.mask else []
        return ":".join([*parts, *([f"{self.positions}={self.places}"] if self.positions else [])])

    def __str__(self) -> str:
        more = f", {self.causal}" if self.causal else ""
        mask = f", {self.mask} {MASK_AXES[self.mask_axes]}, {FORMS[self.form]}" if self.mask else ""
        at = f", {self.positions} {POSITIONS[self.places]}" if self.positions else ""
        first = f"(x{more}), x" if self.takes == "x" else f"(q, k, v{more}), each"
        return f"{first} {_AXES[self.axes]}{mask}{at}"


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _name(function: Callable[..., Any], known: tuple[str, ...]) -> str:
    return next((p.name for p in _parameters(function) if p.name in known), "")


def named(function: Callable[..., Any]) -> bool:
    """Whether its arguments have the names of a query, a key and a value."""
    return all(_name(function, known) for known in (QUERY, KEY, VALUE)) and not _more(function)


def _more(function: Callable[..., Any]) -> list[str]:
    """The arguments that must be given and are none of those known here."""
    known = (*QUERY, *KEY, *VALUE, *CAUSAL, *MASK, *PLACES)
    return [p.name for p in _parameters(function) if p.default is p.empty and p.name not in known]


def attention_shapes(function: Callable[..., Any]) -> Iterator[AttentionShape]:
    """The ways to call it, in order: all that it takes first, heads before rows first."""
    yield from _shapes(function, ("bhtd", "bthd", "btd", "td"), "q+k+v")


def row_shapes(function: Callable[..., Any]) -> Iterator[AttentionShape]:
    """The ways to call a module with its rows."""
    yield from _shapes(function, tuple(ROW_AXES), "x")


def _shapes(
    function: Callable[..., Any], axes: tuple[Axes | RowAxes, ...], takes: Literal["q+k+v", "x"]
) -> Iterator[AttentionShape]:
    causal, mask, at = (_name(function, known) for known in (CAUSAL, MASK, PLACES))
    masks: list[tuple[str, Form, str]] = [(mask, form, a) for form, a in product(FORMS, MASK_AXES)] if mask else []
    for a, flag, (m, form, m_axes), p in product(
        axes, dict.fromkeys((causal, "")), (*masks, ("", "shown", "")), POSITIONS if at else ("",)
    ):
        yield AttentionShape(a, flag, m, form, m_axes, at if p else "", p, takes)


def shape_of(code: str, shapes: Iterable[AttentionShape]) -> AttentionShape:
    """The shape of that code, as `check` prints it. Raises UnknownName."""
    known = {shape.code: shape for shape in shapes}
    if code not in known:
        raise UnknownName("call shape", code, known)
    return known[code]


def paths_of(function: Callable[..., Any], shape: AttentionShape) -> tuple[str, ...]:
    """The ways through it that must agree, the plain one first: the flag, the mask in its place, each flag of a path.

    A path is written as the arguments that are set: `is_causal=True, flash=True`; `mask` is the mask of what is seen.
    """
    ways = [f"{shape.causal}=True"] if shape.causal else []
    ways += ["mask"] if shape.mask else []
    flags = list(_flags(function))
    if not ways:
        return ("plain", *flags)
    return (*ways, *(f"{way}, {flag}" for way in ways for flag in flags))


def by_mask(shape: AttentionShape, path: str) -> str:
    """The path that hides by a mask what this one hides by a flag; the path itself where there is no mask."""
    return path.replace(f"{shape.causal}=True", "mask") if shape.mask and shape.causal else path


def _flags(function: Callable[..., Any]) -> Iterator[str]:
    """Each setting but the default of the flags that choose a path: known names, and literal texts."""
    try:
        hints = get_type_hints(function)
    except Exception:  # noqa: BLE001 - an annotation that means nothing here
        hints = {}
    for p in _parameters(function):
        if p.name in FLAGS and isinstance(p.default, bool):
            yield f"{p.name}={not p.default}"
        elif isinstance(p.default, str) and get_origin(hints.get(p.name)) is Literal:
            yield from (f"{p.name}={value!r}" for value in get_args(hints[p.name]) if value != p.default)


def named_rows(function: Callable[..., Any]) -> bool:
    """Whether all that must be given is rows."""
    required = [p.name for p in _parameters(function) if p.default is p.empty and p.name not in (*MASK, *PLACES)]
    return len(required) == 1 and required[0] in ROWS


def _ignored(function: Callable[..., Any], shape: AttentionShape) -> list[str]:
    """Arguments with a default that are left as they are."""
    known = (*QUERY, *KEY, *VALUE, *ROWS)
    set_here = {shape.causal, shape.mask, shape.positions, *(flag.partition("=")[0] for flag in _flags(function))}
    return [p.name for p in _parameters(function) if p.name not in known and p.name not in set_here]


def _no_effect(function: Callable[..., Any], shape: AttentionShape) -> list[str]:
    """A mask that it takes, and that hides nothing in any form."""
    return [name for name in (_name(function, MASK),) if name and not shape.mask]


def left_alone(function: Callable[..., Any], shape: AttentionShape) -> Iterator[str]:
    """What a run says of the arguments that it does not set, and of a mask that hides nothing."""
    hides_nothing = _no_effect(function, shape)
    left = [name for name in _ignored(function, shape) if name not in hides_nothing]
    if left:
        yield f"defaults: {', '.join(left)} {'is' if len(left) == 1 else 'are'} left as by default"
    yield from (f"{name}: it hides no key, in whatever form it is given" for name in hides_nothing)


Attend = Callable[..., "Tensor"]
"""(q (batch, heads, queries, d), k, v (batch, key heads, keys, d), positions of the rows or None, hidden=0) -> output
like q. The last query is in the row of the last key; the first `hidden` keys are padding."""


def bound(function: Callable[..., Any], shape: AttentionShape, path: str, *, sees: Literal["past", "all"]) -> Attend:
    """The function in that shape, on that path."""
    order = [p.name for p in _parameters(function)]
    by_name = {name: k for k, names in enumerate((QUERY, KEY, VALUE)) for name in names if name in order}
    more_of = further(shape, path, sees=sees)

    def attend(q: Tensor, k: Tensor, v: Tensor, positions: Tensor | None = None, *, hidden: int = 0) -> Tensor:
        # A copy, as code that writes into its arguments would change what is asked of it next.
        given = [_to(one, shape.axes).clone() for one in (q, k, v)]
        more = more_of((q.shape[0], q.shape[2], k.shape[2]), q.dtype, positions, hidden=hidden)
        if len(by_name) == 3:
            returned = function(**{name: given[k] for name, k in by_name.items()}, **more)
        else:
            returned = function(*given, **more)
        return _back(output_of(returned, given[0]), shape.axes, q)

    return attend


def output_of(returned: Any, given: Tensor) -> Tensor:
    """The tensor that was returned, alone or first of several, in the shape of what was given."""
    out = returned[0] if isinstance(returned, (tuple, list)) else returned
    if not isinstance(out, torch.Tensor):
        raise TypeError(f"wanted a tensor, saw a {type(out).__name__}")
    if out.shape != given.shape:
        raise ValueError(f"{tuple(given.shape)} was given, the output is {tuple(out.shape)}")
    return out


def further(shape: AttentionShape, path: str, *, sees: Literal["past", "all"]) -> Callable[..., dict[str, Any]]:
    """((batch, queries, keys), dtype, positions, hidden=) -> the flags, the mask and the positions of that path."""
    words = [word for word in path.split(", ") if "=" in word]
    flags = {name: ast.literal_eval(value) for name, _, value in (word.partition("=") for word in words)}
    masked = shape.mask and "mask" in path.split(", ")

    def more(sizes: tuple[int, int, int], kind: dtype, positions: Tensor | None, *, hidden: int = 0) -> dict[str, Any]:
        batch, queries, keys = sizes
        given: dict[str, Any] = dict(flags)
        if masked or (hidden and shape.mask):
            past = sees == "past"
            seen = shown(queries, keys, hidden=hidden) if past else shown_to_all(keys, hidden=hidden)[:, :, -queries:]
            given[shape.mask] = _mask(seen, shape, kind)
        if shape.positions and positions is not None:
            given[shape.positions] = placed_positions(positions, shape.places, batch)
        return given

    return more


def _mask(seen: Tensor, shape: AttentionShape, kind: dtype) -> Tensor:
    mask = mask_of(seen, shape.form)
    mask = mask.to(kind) if shape.form == "added" else mask
    return {"lk": mask[0, 0], "1lk": mask[0], "11lk": mask}[shape.mask_axes]


def _to(x: Tensor, axes: str) -> Tensor:
    match axes:
        case "bthd":
            return x.transpose(1, 2)
        case "btd":
            return x.flatten(0, 1)
        case "td":
            if x.shape[0] * x.shape[1] != 1:
                raise ValueError("it takes one head of one sequence")
            return x[0, 0]
    return x


def _back(y: Tensor, axes: str, q: Tensor) -> Tensor:
    return y.transpose(1, 2) if axes == "bthd" else y.reshape(q.shape)
