"""Graphs inside of a graph: a region without gradients, or without automatic casts, is written where it is called.

What such a region switches off changes no number, so its operators are those of the graph around it. One that casts by
itself is left alone: the exporter's decompositions write its casts out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch.fx import GraphModule, Node


def inlined(module: GraphModule) -> bool:
    """Write out every region that changes no number, in place; whether no graph inside of the graph is left."""
    for node in list(module.graph.nodes):
        held, given = _region(node)
        if held is None or not inlined(inner := getattr(module, str(held.target))):
            continue
        _write_out(node, inner, given)
        if not held.users:
            module.graph.erase_node(held)
    return all(node.op != "get_attr" for node in module.graph.nodes)


def _region(node: Node) -> tuple[Node | None, tuple[Any, ...]]:
    """The node that holds the region, and what it is given; None where it does something of its own."""
    match str(node.target), node.args:
        case "wrap_with_set_grad_enabled", (_, torch.fx.Node() as held, *given):
            return held, tuple(given)
        case "wrap_with_autocast", (_, _, False, _, torch.fx.Node() as held, *given):
            return held, tuple(given)
    return None, ()


def _write_out(node: Node, inner: GraphModule, given: tuple[Any, ...]) -> None:
    inputs = [one for one in inner.graph.nodes if one.op == "placeholder"]
    with node.graph.inserting_before(node):
        made: Any = node.graph.graph_copy(inner.graph, dict(zip(inputs, given, strict=True)))
    for user in list(node.users):  # each takes one of the results
        user.replace_all_uses_with(made[user.args[1]])
        node.graph.erase_node(user)
    node.graph.erase_node(node)
