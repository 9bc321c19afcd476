"""Operators that move data: Torch performs them on the numbers of the entries, so one rule serves all of them.

Indices, masks and sizes are concrete: only the arguments that the table names hold data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.execution import Execution, leaves
from posproofs.symbolic.tensors import Complex, Symbolic

# Operators whose result consists of entries of their data, chosen by shapes and concrete indices alone; and which of
# their arguments are data. as_strided is not among them: it reads the memory behind a tensor, which is not modelled.
DATA: Mapping[str, tuple[int, ...]] = {
    "cat.default": (0,),
    "index_put.default": (0, 2),
    "select_scatter.default": (0, 1),
    "slice_scatter.default": (0, 1),
    "stack.default": (0,),
    "where.self": (1, 2),
    **dict.fromkeys(
        (
            "alias.default",
            "chunk.default",
            "clone.default",
            "contiguous.default",
            "detach.default",
            "diagonal.default",
            "embedding.default",
            "expand.default",
            "flatten.using_ints",
            "flip.default",
            "gather.default",
            "index.Tensor",
            "index_select.default",
            "mT.default",
            "movedim.int",
            "movedim.intlist",
            "narrow.default",
            "permute.default",
            "repeat.default",
            "repeat_interleave.self_int",
            "roll.default",
            "select.int",
            "slice.Tensor",
            "split.Tensor",
            "split_with_sizes.default",
            "squeeze.default",
            "squeeze.dim",
            "squeeze.dims",
            "swapaxes.default",
            "t.default",
            "transpose.int",
            "unbind.int",
            "unflatten.int",
            "unfold.default",
            "unsqueeze.default",
        ),
        (0,),
    ),
}


def move(running: Execution, target: Any, *arguments: Any, **named: Any) -> Any:
    """Run the operator on the numbers of entries; what is concrete among its data is read first."""
    places = DATA[str(target).removeprefix("aten.")]
    data = [leaf for k in places for leaf in leaves(arguments[k])]
    others = [leaf for k, argument in enumerate(arguments) if k not in places for leaf in leaves(argument)]
    if any(isinstance(leaf, Symbolic | Complex) for leaf in [*others, *leaves(named)]):
        raise Refused("an index or a condition depends on symbols")
    if any(is_complex(leaf) for leaf in data):
        parts = [move(running, target, *_parts(running, arguments, places, which), **named) for which in ("re", "im")]
        return _paired(*parts)
    kind = promoted(data)
    given = [_numbers(running, argument, kind) if k in places else argument for k, argument in enumerate(arguments)]
    result = target(*given, **named)
    if isinstance(result, torch.Tensor):
        return Symbolic(result, kind)
    return [Symbolic(part, kind) for part in result]


def index_put(
    running: Execution,
    target: Any,
    x: Any,
    indices: Any,
    values: Any,
    accumulate: bool = False,  # noqa: FBT001, FBT002 - as in Torch
) -> Any:
    """Entries replaced; where two go to one place, which one stays is not defined. Or added to what is there."""
    if accumulate:
        return _added(running, x, indices, values)
    counted = target(torch.zeros(x.shape), indices, torch.ones(values.shape), accumulate=True)
    if counted.max() > 1:
        raise Refused("index_put writes one place twice")
    return move(running, target, x, indices, values, accumulate)


def _added(running: Execution, x: Any, indices: Sequence[Any], values: Any) -> Any:
    if any(isinstance(leaf, Symbolic | Complex) for leaf in leaves(indices)):
        raise Refused("an index or a condition depends on symbols")
    if is_complex(x) or is_complex(values):
        parts = ((getattr(running.complex(v), which) for v in (x, values)) for which in ("re", "im"))
        return _paired(*(_added(running, into, indices, new) for into, new in parts))
    kind = promoted([x, values])
    sums = running.lifted(x, beside=kind).nodes
    chosen = tuple(slice(None) if index is None else index for index in indices)
    places = torch.arange(sums.numel()).reshape(sums.shape)[chosen]
    new = running.lifted(values, beside=kind).nodes.broadcast_to(places.shape)
    flat = sums.flatten().tolist()
    for place, node in zip(places.flatten().tolist(), new.flatten().tolist(), strict=True):
        flat[place] = running.program.add(flat[place], node)
    return Symbolic(torch.tensor(flat, dtype=sums.dtype).reshape(sums.shape), kind)


def triangle(running: Execution, target: Any, x: Any, diagonal: int) -> Any:
    """tril and triu put zeros, which is the node of 0 here and not the number 0."""
    if isinstance(x, Complex):
        return Complex(triangle(running, target, x.re, diagonal), triangle(running, target, x.im, diagonal))
    kept = target(torch.ones_like(x.nodes), diagonal).bool()
    return Symbolic(torch.where(kept, x.nodes, running.program.zero), x.kind)


def view(running: Execution, target: Any, x: Any, shape: Sequence[int]) -> Any:
    """A tensor of numbers of entries has other strides than the tensor it stands for, so a view is a reshape."""
    if isinstance(x, Complex):
        return Complex(view(running, target, x.re, shape), view(running, target, x.im, shape))
    return Symbolic(x.nodes.reshape(tuple(shape)), x.kind)


def unchanged(_running: Execution, _target: Any, x: Any) -> Any:
    """detach_ in a graph that was not decomposed: it changes the record of gradients alone."""
    return x


def like_shape(running: Execution, target: Any, x: Any, other: Any) -> Any:
    """view_as, reshape_as and expand_as read the shape of their second argument and nothing else."""
    shape = tuple(other.shape)
    if "expand" in str(target):
        return move(running, torch.ops.aten.expand.default, x, list(shape), implicit=False)
    return view(running, target, running.complex(x) if is_complex(x) else running.lifted(x), shape)


def pad(running: Execution, target: Any, x: Any, widths: Sequence[int], value: float) -> Symbolic:
    lifted = running.lifted(x)
    filler = running.reader.number(value, beside=lifted.kind)
    return Symbolic(target(lifted.nodes, list(widths), filler), lifted.kind)


def pad_in_mode(running: Execution, _target: Any, x: Any, widths: Sequence[int], mode: str, value: Any) -> Symbolic:
    """The composite of pads: with a constant it is that one."""
    if mode != "constant":
        raise Refused(f"no rule for a pad in mode {mode!r}")
    return pad(running, torch.ops.aten.constant_pad_nd.default, x, widths, 0.0 if value is None else value)


def masked_fill(running: Execution, _target: Any, x: Any, mask: Any, value: Any) -> Symbolic:
    if isinstance(mask, Symbolic):
        raise Refused("a mask depends on symbols")
    kept = running.lifted(x)
    filler = running.lifted(value, beside=kept.kind)
    return Symbolic(torch.where(mask, filler.nodes, kept.nodes), kept.kind)


def where_scalars(running: Execution, _target: Any, mask: Any, x: Any, y: Any) -> Symbolic:
    """As `where`, for a Python number on either side."""
    if isinstance(mask, Symbolic):
        raise Refused("a condition depends on symbols")
    kind = promoted([x, y])
    one, other = running.lifted(x, beside=kind), running.lifted(y, beside=kind)
    return Symbolic(torch.where(mask, one.nodes, other.nodes), kind)


def copy(running: Execution, _target: Any, into: Any, source: Any, _non_blocking: object) -> Any:
    """The source in the shape and dtype of what it is copied into."""
    if is_complex(into) or is_complex(source):
        raise Refused("copying has a rule for real tensors only")
    kind = into.kind if isinstance(into, Symbolic) else into.dtype
    lifted = running.lifted(source, beside=kind)
    return running.cast(Symbolic(torch.broadcast_to(lifted.nodes, tuple(into.shape)).clone(), lifted.kind), kind)


def to_copy(running: Execution, _target: Any, x: Any, *, dtype: Any, **_layout: Any) -> Any:
    """A cast between floats is the identity of real arithmetic, and is listed; to integers it is refused."""
    return recast(running, x, dtype)


def to_dtype(running: Execution, _target: Any, x: Any, dtype: Any, *_layout: Any) -> Any:
    return recast(running, x, dtype)


def to_device(running: Execution, _target: Any, x: Any, _device: Any, dtype: Any, *_layout: Any) -> Any:
    return recast(running, x, dtype)


def type_as(running: Execution, _target: Any, x: Any, other: Any) -> Any:
    if isinstance(other, Complex):
        raise Refused("a cast to the complex dtype of a symbolic tensor has no rule")
    return recast(running, x, other.kind if isinstance(other, Symbolic) else other.dtype)


def recast(running: Execution, x: Any, kind: Any) -> Any:
    if isinstance(x, torch.Tensor):
        return x.to(kind)
    if isinstance(x, Complex):
        if kind is not None and not kind.is_complex:
            raise Refused(f"a complex tensor is cast to {kind}, which drops its imaginary part")
        real = None if kind is None else kind.to_real()
        return Complex(recast(running, x.re, real), recast(running, x.im, real))
    if kind is not None and kind.is_complex:
        return running.complex(recast(running, x, kind.to_real()))
    return x if kind is None else running.cast(x, kind)


def like(_running: Execution, target: Any, x: Any, *arguments: Any, **named: Any) -> Any:
    """full_like and its kind read the shape and dtype of a tensor and nothing else."""
    return target(stand_in(x), *arguments, **named)


def unset(running: Execution, target: Any, *arguments: Any, **named: Any) -> Any:
    """Memory that is not written yet: nothing may read its entries before something is put there."""
    plain = [stand_in(a) if isinstance(a, Symbolic | Complex) else a for a in arguments]
    made = target(*plain, **named)
    if not made.is_floating_point():
        raise Refused(f"uninitialised memory of dtype {made.dtype}")
    return Symbolic(torch.full_like(made, running.program.unset, dtype=torch.int64), made.dtype)


def stand_in(x: Any) -> Any:
    """A concrete tensor of zeros with the shape and dtype of a symbolic one."""
    if isinstance(x, Complex):
        return torch.zeros(x.shape, dtype=x.re.kind.to_complex())
    return torch.zeros(x.shape, dtype=x.kind) if isinstance(x, Symbolic) else x


def is_complex(x: Any) -> bool:
    return isinstance(x, Complex | complex) or (isinstance(x, torch.Tensor) and x.is_complex())


def promoted(values: Sequence[Any]) -> Any:
    """The float dtype of a result by Torch's rules: tensors with axes before those without, those before numbers."""
    ranked = sorted((_example(x) for x in values), key=_rank)
    total = ranked[0]
    for x in ranked[1:]:
        total = torch.empty((1,) * max(_axes(total), _axes(x)), dtype=torch.result_type(total, x))
    kind = torch.result_type(total, total)
    return kind if kind.is_floating_point or kind.is_complex else torch.get_default_dtype()


def _rank(x: Any) -> int:
    return (0 if x.dim() else 1) if isinstance(x, torch.Tensor) else 2


def _axes(x: Any) -> int:
    return x.dim() if isinstance(x, torch.Tensor) else 0


def _example(x: Any) -> Any:
    if isinstance(x, Symbolic | Complex):
        kind = x.re.kind.to_complex() if isinstance(x, Complex) else x.kind
        return torch.empty((1,) * len(x.shape), dtype=kind)
    return torch.empty((1,) * x.dim(), dtype=x.dtype) if isinstance(x, torch.Tensor) else x


def _numbers(running: Execution, value: Any, kind: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_numbers(running, inner, kind) for inner in value]
    return running.lifted(value, beside=kind).nodes


def _parts(running: Execution, arguments: Sequence[Any], places: Sequence[int], which: str) -> list[Any]:
    def part(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [part(inner) for inner in value]
        return getattr(running.complex(value), which)

    return [part(argument) if k in places else argument for k, argument in enumerate(arguments)]


def _paired(re: Any, im: Any) -> Any:
    if isinstance(re, list):
        return [Complex(a, b) for a, b in zip(re, im, strict=True)]
    return Complex(re, im)


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(DATA, move),
    "index_put.default": index_put,
    **dict.fromkeys(("tril.default", "triu.default"), triangle),
    # Of two tensors with one storage only the numbers of entries matter, so all three are one rule.
    **dict.fromkeys(("view.default", "_unsafe_view.default", "reshape.default"), view),
    "detach_.default": unchanged,
    **dict.fromkeys(("view_as.default", "reshape_as.default", "expand_as.default"), like_shape),
    "_to_copy.default": to_copy,
    "to.dtype": to_dtype,
    "to.dtype_layout": to_copy,
    "to.device": to_device,
    "type_as.default": type_as,
    **dict.fromkeys(("full_like.default", "zeros_like.default", "ones_like.default", "fill.Scalar"), like),
    **dict.fromkeys(("new_zeros.default", "new_ones.default", "new_full.default"), like),
    **dict.fromkeys(
        ("empty.memory_format", "empty_permuted.default", "empty_strided.default", "empty_like.default"), unset
    ),
    **dict.fromkeys(("new_empty.default", "new_empty_strided.default"), unset),
    "constant_pad_nd.default": pad,
    "pad.default": pad_in_mode,
    "masked_fill.Scalar": masked_fill,
    "masked_fill.Tensor": masked_fill,
    "where.ScalarOther": where_scalars,
    "where.ScalarSelf": where_scalars,
    "copy.default": copy,
}
