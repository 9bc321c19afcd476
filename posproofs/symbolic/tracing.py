"""From a callable to the graph of ATen operators that Torch exports for it, with the facts a certificate names.

What is executed is the exported program: Torch may run another one (fused kernels, for example) for the same call.
`scaled_dot_product_attention`, `layer_norm`, `logsumexp` and `softplus` stay whole, because their decompositions branch
on the numbers themselves or hide the mathematics.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.regions import inlined

if TYPE_CHECKING:
    from torch import Tensor
    from torch.export import ExportedProgram
    from torch.fx import Graph, Node


@dataclass(frozen=True, slots=True)
class Traced:
    """A graph of ATen operators.

    inputs: its nodes for the arguments of the call, in order. held: what it holds beside them, parameters, buffers and
    constants, by node: the name under which the module holds it, and its value. outputs: what the call returns, flat.
    digest names the graph; guards are the conditions under which Torch made it.
    """

    graph: Graph
    inputs: tuple[Node, ...]
    held: Mapping[Node, tuple[str, Tensor]]
    outputs: tuple[Any, ...]
    digest: str
    guards: tuple[str, ...] = ()


def trace(
    function: Callable[..., Any], arguments: Sequence[Tensor | int], /, *, level: Literal["core", "called"] = "core"
) -> Traced:
    """Export a module or function for these example arguments, which fix every shape; each is an input of its own.

    level: "called" leaves composite operators as the code calls them, which takes a fifth of the time; a graph that
    writes into tensors is decomposed all the same. Raises Refused where Torch cannot export it, with what Torch said in
    its first line.
    """
    module = function if isinstance(function, torch.nn.Module) else _wrapped(function)
    with _quiet(), _evaluating(module):
        try:
            exported = torch.export.export(module, _apart(arguments), strict=False)
            graphs = [part.graph for part in exported.graph_module.modules() if isinstance(part, torch.fx.GraphModule)]
            for graph in graphs:
                _detach_copies(graph)
            if level == "core" or any(map(_writes, graphs)) or not inlined(exported.graph_module):
                exported = exported.run_decompositions(_decompositions())
            else:
                _drop_unread(exported.graph)
        except Exception as failure:  # whatever a library or the tracer raises, there is no graph
            raise Refused(f"torch.export refuses: {_first_line(failure)}") from failure
    return _traced(exported)


def open_lengths(
    module: torch.nn.Module, arguments: Sequence[Tensor], /, *, axes: Sequence[int], most: int
) -> tuple[int, int]:
    """For which lengths from 2 to `most`, along one axis of each argument, the export is one and the same graph.

    Raises Refused where the graph of one length is not that of another, with what Torch said in its first line.
    """
    rows = torch.export.Dim("rows", min=2, max=most)
    open_ = tuple({axis: rows} for axis in axes)
    with _quiet(), _evaluating(module):
        try:
            exported = torch.export.export(module, _apart(arguments), dynamic_shapes=(open_,), strict=False)
        except Exception as failure:  # whatever a library or the tracer raises, there is no graph
            raise Refused(f"no export for every length: {_first_line(failure)}") from failure
    (first, *_) = (node for node in exported.graph.nodes if node.name == exported.graph_signature.user_inputs[0])
    limits = exported.range_constraints[first.meta["val"].shape[axes[0]].node.expr]
    return int(limits.lower), int(limits.upper)


def trace_vjp(function: Callable[..., Tensor], arguments: Sequence[Tensor | int], /, *, by: int = 0) -> Traced:
    """The graph of (arguments.., g) -> the product of g with the derivative of the function by argument `by`.

    It is the backward pass that autograd records, traced by make_fx. g has the shape of the function's result.
    """

    def pulled(*given: Tensor) -> Tensor:
        *inputs, cotangent = given
        inputs[by] = inputs[by].detach().requires_grad_()
        (gradient,) = torch.autograd.grad(function(*inputs), inputs[by], cotangent)
        return gradient

    with _quiet():
        try:
            return _recorded(pulled, _apart((*arguments, torch.ones_like(function(*arguments)))))
        except Exception as failure:  # whatever a library or the tracer raises, there is no graph
            raise Refused(f"the backward pass is not traced: {_first_line(failure)}") from failure


def trace_run(function: Callable[..., Tensor], arguments: Sequence[Tensor | int], /) -> Traced:
    """The graph of what Torch runs for the call without gradients, recorded by make_fx.

    Code that asks whether it is being compiled is told yes by an export and no here, so this is its other way.
    """
    with _quiet(), torch.no_grad():
        try:
            return _recorded(function, _apart(arguments))
        except Exception as failure:  # whatever a library or the tracer raises, there is no graph
            raise Refused(f"the call is not traced: {_first_line(failure)}") from failure


def _recorded(function: Callable[..., Tensor], arguments: Sequence[Tensor | int]) -> Traced:
    from torch.fx.experimental.proxy_tensor import make_fx

    module = make_fx(function, decomposition_table=_decompositions())(*arguments)
    if _writes(module.graph):
        # The record, not the function: Torch does not functionalise what defines its own gradient.
        module = make_fx(torch.func.functionalize(module, remove="mutations"))(*arguments)
    graph = module.graph
    inputs = tuple(node for node in graph.nodes if node.op == "placeholder")
    held = {node: (str(node.target), getattr(module, node.target)) for node in graph.nodes if node.op == "get_attr"}
    (output,) = (node for node in graph.nodes if node.op == "output")
    return Traced(graph, inputs, held, (output.args[0],), digest(graph))


def _apart(arguments: Sequence[Tensor | int]) -> tuple[Any, ...]:
    """The arguments, each a tensor of its own.

    Tracers know a tensor by its identity: one that is given twice would become one input, read for both, and one that
    the code also holds would be read as the input.
    """
    return tuple(x.detach().clone() if isinstance(x, torch.Tensor) else x for x in arguments)


def _traced(exported: ExportedProgram) -> Traced:
    signature = exported.graph_signature
    nodes = [node for node in exported.graph.nodes if node.op == "placeholder"]
    inputs, held = [], {}
    values = {**exported.state_dict, **exported.constants}
    for node, spec in zip(nodes, signature.input_specs, strict=True):
        if spec.kind.name == "USER_INPUT":
            inputs.append(node)
        elif spec.target in values:
            held[node] = (str(spec.target), values[spec.target])
    (output,) = (node for node in exported.graph.nodes if node.op == "output")
    returned = zip(output.args[0], signature.output_specs, strict=True)
    outputs = tuple(value for value, spec in returned if spec.kind.name == "USER_OUTPUT")
    guards = tuple(f"{symbol}: {limits}" for symbol, limits in exported.range_constraints.items())
    return Traced(exported.graph, tuple(inputs), held, outputs, digest(exported.graph), guards)


def _detach_copies(graph: Graph) -> None:
    """A tensor that the code makes is detached in place, which changes no number: the same, written as a function."""
    for node in graph.nodes:
        if node.target is torch.ops.aten.detach_.default:
            node.target = torch.ops.aten.detach.default


def _drop_unread(graph: Graph) -> None:
    """Results that nothing reads, as decomposing drops them; what is asserted of numbers stays."""
    for node in reversed(graph.nodes):
        asserted = "_assert" in str(node.target) and str(node.target) != "aten._assert_tensor_metadata.default"
        if node.op == "call_function" and not node.users and not asserted:
            graph.erase_node(node)


def _writes(graph: Graph) -> bool:
    """Whether an operator changes one of its arguments."""
    targets = {node.target for node in graph.nodes if isinstance(node.target, torch._ops.OpOverload)}
    return any(target._schema.is_mutable for target in targets)


def _wrapped(function: Callable[..., Any]) -> torch.nn.Module:
    """A module whose forward is the function. What the function closes over becomes a constant of the graph.

    Torch keeps the lines of `forward` alone; where it lets one, it is asked to keep those of the function too.
    """
    keep_lines = getattr(torch.fx.proxy, "_register_stack_trace_anchor", lambda _function: None)
    keep_lines(function)

    class Called(torch.nn.Module):
        def forward(self, *arguments: Tensor) -> Any:
            return function(*arguments)

    return Called()


def _decompositions() -> Any:
    """The table of an export without the operators that stay whole."""
    return _decompositions_of(len(sys.modules))


@lru_cache(maxsize=1)
def _decompositions_of(_modules: int) -> Any:
    """Made anew where a further module may have brought operators; it takes longer than tracing a small graph."""
    table = torch.export.default_decompositions()
    for kept in ("scaled_dot_product_attention", "layer_norm", "logsumexp", "softplus"):
        table.pop(getattr(torch.ops.aten, kept).default, None)  # type: ignore[no-untyped-call]
    return table


@contextmanager
def _evaluating(module: torch.nn.Module) -> Iterator[None]:
    """Without dropout; afterwards the module is as it was given."""
    training = [part for part in module.modules() if part.training]
    module.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True


@contextmanager
def _quiet() -> Iterator[None]:
    """What the tracer tells the authors of a library is not the business of whoever asks for a proof."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), _unwritten():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _unwritten() -> AbstractContextManager[Any]:
    """Graphs are read here, not called: where Torch lets one, it writes no Python for each pass over one."""
    try:
        module = import_module("torch.fx._lazy_graph_module")
        lazily: AbstractContextManager[Any] = module._use_lazy_graph_module(True)  # noqa: FBT003 - as it is called
    except (ImportError, AttributeError):
        return nullcontext()
    return lazily


def _first_line(failure: Exception) -> str:
    lines = str(failure).strip().splitlines()
    return f"{type(failure).__name__}: {lines[0][:200]}" if lines else type(failure).__name__


def digest(graph: Graph) -> str:
    """Twelve hexadecimal digits of a graph: operators, constants, shapes and dtypes, not the names of nodes."""
    numbers: dict[str, int] = {}
    lines = []
    for node in graph.nodes:
        numbers[node.name] = len(numbers)
        lines.append(f"{node.op} {node.target if node.op == 'call_function' else ''} {_told(node, numbers)}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def _told(node: Node, numbers: dict[str, int]) -> str:
    inside = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: f"%{numbers[n.name]}")
    value = node.meta.get("val")
    shape = f"{tuple(value.shape)} {value.dtype}" if isinstance(value, torch.Tensor) else ""
    return f"{inside} {shape}"


def place(node: Node) -> str:
    """The node and the line of source it came from, without the folders that differ from machine to machine."""
    for line in reversed(str(node.meta.get("stack_trace", "")).splitlines()):
        words = line.strip().split('"')
        if line.strip().startswith("File") and len(words) == 3 and words[1] != __file__:
            number = words[2].split("line ")[-1].split(",")[0]
            return f"{node.name}, {PurePath(words[1]).name}:{number}"
    return str(node.name)
