"""How somebody's rotary function is called: the shapes of call that are tried, in a fixed order.

A trial call has distinct sizes in every axis, so that an axis that is taken for another one shows as an error or as a
row that depends on other rows. Names and annotations choose which shapes are tried at all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Rotate, angles, frequencies

if TYPE_CHECKING:
    from torch import Tensor

Role = Literal["x", "q", "k", "positions", "offset", "cos", "sin", "angles", "complex", "length", "dim", "like"]
Axes = Literal["bhtd", "bthd", "btd", "td"]
AXES: dict[Axes, str] = {
    "bhtd": "(batch, heads, rows, dim)",
    "bthd": "(batch, rows, heads, dim)",
    "btd": "(batch, rows, dim)",
    "td": "(rows, dim)",
}
# A position for each row, in the forms in which code takes them.
POSITIONS = {"t": "(rows,)", "bt": "(batch, rows)", "1t": "(1, rows)", "t1": "(rows, 1)"}
# A table of cosines and sines: how wide it is and in which order, and its axes.
WIDE = ("half-split", "interleaved", "half")
TABLES = {"tn": "(rows, n)", "btn": "(batch, rows, n)", "11tn": "(1, 1, rows, n)", "1t1n": "(1, rows, 1, n)"}
NAMES: dict[str, Role] = {
    **dict.fromkeys(("x", "t", "xs", "hidden", "hidden_states", "tensor", "input", "inputs", "states", "X"), "x"),
    **dict.fromkeys(("q", "query", "queries", "xq", "query_states", "q_embed"), "q"),
    **dict.fromkeys(("k", "key", "keys", "xk", "key_states"), "k"),
    **dict.fromkeys(("positions", "position", "pos", "position_ids", "input_pos", "pos_ids", "p", "ids"), "positions"),
    **dict.fromkeys(("offset", "start", "start_pos", "start_index", "seqlen_offset", "seqlen_offsets"), "offset"),
    **dict.fromkeys(("cos", "cos_cached", "cosine", "cosines", "rotary_cos"), "cos"),
    **dict.fromkeys(("sin", "sin_cached", "sine", "sines", "rotary_sin"), "sin"),
    **dict.fromkeys(("freqs", "angles", "theta", "thetas", "rotary_emb", "rope"), "angles"),
    **dict.fromkeys(("freqs_cis", "cis", "freqs_complex"), "complex"),
}
BY_COUNT: dict[int, tuple[tuple[Role, ...], ...]] = {
    1: (("x",),),
    2: (("x", "positions"), ("q", "k"), ("x", "angles"), ("x", "complex"), ("x", "offset")),
    3: (("q", "k", "positions"), ("x", "cos", "sin"), ("q", "k", "complex"), ("q", "k", "angles")),
    4: (("q", "k", "cos", "sin"),),
}


@dataclass(frozen=True, slots=True)
class CallShape:
    """One way to call a rotary function. `positions`, `table` and `wide` are of the tables above, "" where unused.

    Without positions, offset or table it knows the length of x alone: rows are put in front to reach a position.
    gives: what a function that makes a table gives (`posproofs.engine.kinds.tables`), "" for one that turns x.
    """

    roles: tuple[Role, ...]
    axes: Axes
    positions: str = ""
    wide: str = ""
    table: str = ""
    gives: str = ""

    @property
    def code(self) -> str:
        """What --shape takes: q+k+cos+sin:bhtd:btn:half-split."""
        axes = self.axes if not self.gives or self.roles == ("like",) else ""
        parts = ("+".join(self.roles), axes, self.positions or self.table, self.gives, self.wide)
        return ":".join(part for part in parts if part)

    def __str__(self) -> str:
        rows = " and ".join(role for role in self.roles if role in ("x", "q", "k"))
        given = f", positions {POSITIONS[self.positions]}" if self.positions else ""
        wide = "n = dim / 2" if self.wide == "half" else f"n = dim, {self.wide}"
        table = f", table {TABLES[self.table]} with {wide}" if self.table else ""
        if self.gives:
            given += f", x {AXES[self.axes]}" if self.roles == ("like",) else ""
            return f"({', '.join(self.roles)}){given} -> {self.gives.replace('+', ', ')} (rows, n), {wide}"
        return f"({', '.join(self.roles)}), {rows} {AXES[self.axes]}{given}{table}"

    @property
    def takes(self) -> Literal["positions", "offset"]:
        """Whether every row can be given a position of its own."""
        return "positions" if self.positions or self.table or self.gives else "offset"


def roles_of(function: Callable[..., Any]) -> tuple[tuple[Role, ...], ...]:
    """What the arguments may be: from the names of those that must be given, else from how many there are."""
    plain = _plain(function)
    if plain is None:
        return tuple(roles for known in BY_COUNT.values() for roles in known)
    required = [p.name for p in plain if p.default is p.empty]
    return tuple(dict.fromkeys((*_by_name(function), *BY_COUNT.get(len(required), ()))))


def _plain(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The arguments that a call can give by their place; None where the code does not tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _by_name(function: Callable[..., Any]) -> list[tuple[Role, ...]]:
    """The roles of the arguments that must be given, with one more that may be, where all their names are known."""
    plain = _plain(function) or []
    required = [p.name for p in plain if p.default is p.empty]
    more = [p.name for p in plain if p.default is not p.empty and NAMES.get(p.name) in ("positions", "offset", "k")]
    found = []
    for names in ([*required, *more[:1]], required) if more else (required,):
        known = tuple(NAMES[name] for name in names if name in NAMES)
        if len(known) == len(names):
            found.append(known)
    return found


def call_shapes(function: Callable[..., Any]) -> Iterator[CallShape]:
    """The shapes to try, in order."""
    axes: tuple[Axes, ...] = ("bhtd", "bthd", "btd", "td")
    for roles in roles_of(function):
        if "positions" in roles:
            yield from (CallShape(roles, a, positions=p) for a, p in product(axes, POSITIONS))
        elif {"cos", "angles", "complex"} & set(roles):
            wides = WIDE if "complex" not in roles else ("half",)
            yield from (CallShape(roles, a, wide=w, table=t) for a, w, t in product(axes, wides, TABLES))
        else:
            yield from (CallShape(roles, a) for a in axes)


def named(function: Callable[..., Any]) -> bool:
    """Whether the names of its arguments say what is turned."""
    return any({"x", "q"} & set(roles) for roles in _by_name(function))


def bound(function: Callable[..., Any], shape: CallShape, *, of: Literal["queries", "keys"] = "queries") -> Rotate:
    """The function as x (batch, heads, rows, dim), positions (rows,) or a first position -> the rotated x.

    Where it takes q and k, x is the one that `of` names, and the other is x with its coordinates in reverse.
    """
    counted = not (shape.positions or shape.table or "offset" in shape.roles)
    both = "x" not in shape.roles

    def rotate(x: Tensor, positions: Any) -> Tensor:
        if counted and positions:
            behind = x.new_zeros((*x.shape[:2], positions, x.shape[3]))
            return rotate(torch.cat((behind, x), dim=2), 0)[:, :, positions:]
        if shape.axes == "td" and x.shape[0] * x.shape[1] > 1:
            rows = [rotate(one[None, None], positions) for one in x.flatten(0, 1)]
            return torch.cat(rows).reshape(x.shape)
        if not both:
            return _called(function, shape, {"x": x}, positions)[0]
        q, k = (x, x.flip(-1)) if of == "queries" else (x.flip(-1), x)
        turned = _called(function, shape, {"q": q, "k": k}, positions)
        return turned[0] if of == "queries" else turned[1]

    return rotate


def _called(function: Callable[..., Any], shape: CallShape, given: dict[str, Tensor], positions: Any) -> list[Tensor]:
    """The outputs as (batch, heads, rows, dim)."""
    x = next(iter(given.values()))
    (batch, heads, rows, dim) = x.shape
    angle = angles(positions, frequencies(dim, base=10000.0)) if shape.table else None
    arguments: list[Any] = []
    for role in shape.roles:
        match role:
            case "x" | "q" | "k":
                arguments.append(_to(given[role], shape.axes))
            case "positions":
                arguments.append(placed_positions(positions, shape.positions, batch))
            case "offset":
                arguments.append(positions if isinstance(positions, int) else int(positions[0]))
            case _:
                assert angle is not None, "a shape with a table has its place"
                arguments.append(_table(role, shape, angle, batch=batch, dtype=x.dtype))
    returned = function(*arguments)
    found = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    return [_back(y, shape.axes, (batch, heads, rows, dim)) for y in found]


def _to(x: Tensor, axes: Axes) -> Tensor:
    batch, heads, rows, dim = x.shape
    match axes:
        case "bhtd":
            return x
        case "bthd":
            return x.transpose(1, 2)
        case "btd":
            return x.reshape(batch * heads, rows, dim)
    return x.reshape(rows, dim)


def _back(y: Tensor, axes: Axes, size: tuple[int, ...]) -> Tensor:
    if not isinstance(y, torch.Tensor):
        raise TypeError(f"wanted a tensor, saw a {type(y).__name__}")
    if axes == "bthd":
        return y.transpose(1, 2)
    return y if axes == "bhtd" else y.reshape(size)


def placed_positions(positions: Tensor, form: str, batch: int) -> Tensor:
    """Positions (rows,) in the form that the code takes."""
    match form:
        case "bt":
            return positions[None].expand(batch, -1)
        case "1t":
            return positions[None]
        case "t1":
            return positions[:, None]
    return positions


def _table(role: Role, shape: CallShape, angle: Tensor, *, batch: int, dtype: torch.dtype) -> Tensor:
    """As models make it: computed exactly, then cast to the dtype of x."""
    table = angle.cos() if role == "cos" else angle.sin() if role == "sin" else angle
    if role == "complex":
        wide = torch.promote_types(dtype, torch.float32)
        return _placed(torch.polar(torch.ones_like(angle), angle).to(wide.to_complex()), shape, batch)
    table = table.to(dtype if role != "angles" else torch.promote_types(dtype, torch.float32))
    if shape.wide == "half-split":
        table = torch.cat((table, table), dim=-1)
    if shape.wide == "interleaved":
        table = table.repeat_interleave(2, dim=-1)
    return _placed(table, shape, batch)


def _placed(table: Tensor, shape: CallShape, batch: int) -> Tensor:
    """A table (rows, n) with the axes that the shape wants."""
    match shape.table:
        case "btn":
            return table[None].expand(batch, -1, -1)
        case "11tn":
            return table[None, None]
        case "1t1n":
            return table[None, :, None]
    return table
