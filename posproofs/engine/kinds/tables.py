"""How somebody's table of cosines and sines is asked for and read, so that it is held to the laws of what it turns.

A table has no laws of its own: what is wrong with it is wrong with the rotation by it. So x is turned here by the
entries that the code gives, and the rotation is identified and held to its laws; only the arithmetic is ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from posproofs.engine.kinds.rotary_calls import POSITIONS, Axes, CallShape, Role, bound, call_shapes, placed_positions
from posproofs.errors import UnknownName
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout, Rotate, slots

if TYPE_CHECKING:
    from torch import Tensor

GIVES = {
    "cos+sin": "(cos, sin)",
    "sin+cos": "(sin, cos)",
    "complex": "cos + i sin",
    "sin-cos": "sines and cosines in one tensor",
    "cos-sin": "cosines and sines in one tensor",
    "angles": "angles",
}
NAMES: dict[str, Role] = {
    **dict.fromkeys(
        ("positions", "position", "pos", "position_ids", "input_pos", "pos_ids", "p", "t", "ids"), "positions"
    ),
    **dict.fromkeys(
        ("end", "length", "seq_len", "seqlen", "max_len", "max_seq_len", "num_positions", "n", "T"), "length"
    ),
    **dict.fromkeys(("context_length", "max_position_embeddings", "max_position", "block_size", "n_ctx"), "length"),
    **dict.fromkeys(("dim", "head_dim", "d", "d_model", "channels", "embedding_dim", "width", "hidden_size"), "dim"),
    **dict.fromkeys(("x", "like", "hidden_states", "value_states"), "like"),
}
_AXES: tuple[Axes, ...] = ("btd", "bhtd", "bthd")  # of the tensor whose rows are counted
BY_COUNT: dict[int, tuple[tuple[Role, ...], ...]] = {
    1: (("positions",), ("length",), ("like",)),
    2: (("positions", "dim"), ("dim", "length"), ("length", "dim"), ("like", "positions")),
}


def named(function: Callable[..., Any]) -> bool:
    """Whether its arguments are positions, or how many there are, and nothing to turn."""
    roles = _by_name(function)
    return roles is not None and "like" not in roles


def _by_name(function: Callable[..., Any]) -> tuple[Role, ...] | None:
    """The roles of the arguments that must be given; None where a name is not known, or no position is among them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    required = [
        p.name for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    roles = tuple(NAMES[name] for name in required if name in NAMES)
    return (
        roles
        if len(roles) == len(required) and len(set(roles)) == len(roles) and set(roles) not in ({"dim"}, set())
        else None
    )


def table_shapes(function: Callable[..., Any]) -> Iterator[CallShape]:
    """The ways to ask for a table and to read it, in order."""
    roles = _by_name(function)
    try:
        count = sum(p.default is p.empty for p in inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        count = 1
    for one in dict.fromkeys((*((roles,) if roles else ()), *BY_COUNT.get(count, ()))):
        for form, gives in product(POSITIONS if "positions" in one else ("",), GIVES):
            for wide, axes in product(_wides(gives), _AXES if _counted(one) else _AXES[:1]):
                yield CallShape(one, axes, positions=form, wide=wide, gives=gives)


def _counted(roles: tuple[Role, ...]) -> bool:
    """Whether the rows of a tensor say how many positions there are."""
    return "like" in roles and not {"positions", "length"} & set(roles)


def _wides(gives: str) -> tuple[str, ...]:
    """How wide a table can be; one that holds both is as wide as what it turns."""
    if gives in ("complex", "angles"):
        return ("half",)
    return ("half-split", "interleaved") if "-" in gives else ("half-split", "interleaved", "half")


def rotating(function: Callable[..., Any], shape: CallShape, *, of: Literal["queries", "keys"] = "queries") -> Rotate:
    """The function as x (batch, heads, rows, dim), positions (rows,) or a first position -> the rotated x."""
    return bound(function, shape, of=of) if not shape.gives else _by_table(function, shape)


def shape_of(code: str, function: Callable[..., Any]) -> CallShape:
    """The shape of that code, as `check` prints it. Raises UnknownName."""
    known = {shape.code: shape for shapes in (call_shapes, table_shapes) for shape in shapes(function)}
    if code not in known:
        raise UnknownName("call shape", code, known)
    return known[code]


def _by_table(function: Callable[..., Any], shape: CallShape) -> Rotate:
    layout: Layout = "interleaved" if shape.wide == "interleaved" else "half-split"

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        cos, sin = (part.to(x.dtype) for part in _table(function, shape, x, positions))
        wide = cos.shape[-1]
        if wide > x.shape[-1]:
            raise ValueError(f"the table is for {wide} coordinates, x has {x.shape[-1]}")
        first, second = slots(layout, wide)
        order = torch.argsort(torch.tensor(first + second))
        across = torch.cat((-x[..., second], x[..., first]), dim=-1)[..., order]
        return torch.cat((x[..., :wide] * cos + across * sin, x[..., wide:]), dim=-1)

    return rotate


def _table(function: Callable[..., Any], shape: CallShape, x: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines and sines (row, coordinate) of these positions."""
    arguments: list[Any] = []
    for role in shape.roles:
        match role:
            case "positions":
                arguments.append(placed_positions(positions, shape.positions, 1))
            case "length":
                arguments.append(_whole(positions) + 1)
            case "dim":
                arguments.append(x.shape[-1])
            case _:
                arguments.append(_like(x, shape, positions))
    given = function(*arguments)
    parts = given if isinstance(given, (tuple, list)) else [given]
    if "positions" in shape.roles:
        return _read([_rows(part, len(positions)) for part in parts], shape)
    return _read([_rows(part, _whole(positions) + 1)[positions] for part in parts], shape)


def _like(x: Tensor, shape: CallShape, positions: Tensor) -> Tensor:
    """What tells the code a dtype, and where it is the only argument how many rows there are."""
    if not _counted(shape.roles):
        return x[:1, 0]
    rows = x.new_zeros((1, _whole(positions) + 1, x.shape[-1]))
    return rows if shape.axes == "btd" else rows[:, None] if shape.axes == "bhtd" else rows[:, :, None]


def _whole(positions: Tensor) -> int:
    if positions.is_floating_point():
        raise TypeError("rows are counted, so that a position is whole")
    return int(positions.max())


def _rows(part: Any, count: int) -> Tensor:
    if not isinstance(part, torch.Tensor):
        raise TypeError(f"wanted a tensor, saw a {type(part).__name__}")
    flat = part.reshape(-1, part.shape[-1])
    if len(flat) != count:
        raise ValueError(f"wanted {count} rows, saw {tuple(part.shape)}")
    return flat


def _read(rows: list[Tensor], shape: CallShape) -> tuple[Tensor, Tensor]:
    """Each as wide as what turns: a table that holds every entry twice is read whole, as its users do."""
    match shape.gives, rows:
        case ("cos+sin", [cos, sin]) | ("sin+cos", [sin, cos]):
            return (_twice(cos), _twice(sin)) if shape.wide == "half" else (cos, sin)
        case "complex", [one] if one.is_complex():
            return _twice(one.real), _twice(one.imag)
        case "angles", [one] if one.is_floating_point():
            return _twice(one.cos()), _twice(one.sin())
        case (("sin-cos" | "cos-sin"), [one]) if one.is_floating_point():
            places = slots("interleaved" if shape.wide == "interleaved" else "half-split", one.shape[-1])
            sines, cosines = places if shape.gives == "sin-cos" else places[::-1]
            order = torch.argsort(torch.tensor(places[0] + places[1]))
            return _twice(one[:, cosines])[:, order], _twice(one[:, sines])[:, order]
    raise ValueError(f"wanted {GIVES[shape.gives]}, saw {len(rows)} tensors of {rows[0].dtype}")


def _twice(part: Tensor) -> Tensor:
    return torch.cat((part, part), dim=-1)
