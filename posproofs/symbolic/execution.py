"""The interpreter: walks an exported graph, runs what is concrete with Torch, and hands what is symbolic to the rules.

An operator outside the table of rules is refused by name and line of source. Nothing is guessed: a condition that
depends on a symbol is refused too, because the export has taken one of its branches already.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.program import Program
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.tensors import Absent, Complex, Symbolic
from posproofs.symbolic.tracing import Traced, place

if TYPE_CHECKING:
    from torch import dtype
    from torch.fx import Node

    from posproofs.symbolic.rules import Rule

SKIPPED = frozenset({"aten._assert_tensor_metadata.default", "aten._assert_scalar.default"})
HARMLESS = frozenset({"aten.detach_.default"})  # changes the record of gradients, and no number
# Run by Torch these give whatever the memory held before; their rules give entries that nothing may read.
UNINITIALISED = ("aten.empty", "aten.new_empty")


@dataclass(frozen=True, slots=True)
class Execution:
    """One run over a program. operators: those that saw a symbol; casts: the conversions read as the identity."""

    program: Program
    reader: Reader
    operators: Counter[str] = field(default_factory=Counter)
    casts: Counter[str] = field(default_factory=Counter)

    def lifted(self, value: Any, *, beside: dtype | None = None) -> Symbolic:
        """A symbolic tensor of a symbolic or concrete real tensor or number.

        What is not a float, and a bare number, takes the dtype of its partner; float64 if there is none.
        """
        if isinstance(value, Symbolic):
            return value
        if isinstance(value, Complex | complex):
            raise Refused("a complex value stands where this operator has a rule for real ones only")
        if isinstance(value, torch.Tensor):
            kind = value.dtype if value.is_floating_point() else beside or torch.float64
            return Symbolic(self.reader.tensor(value), kind)
        return Symbolic(torch.tensor(self.reader.number(value, beside=beside)), beside or torch.float64)

    def complex(self, value: Any) -> Complex:
        """Any value as a complex tensor."""
        if isinstance(value, Complex):
            return value
        if isinstance(value, complex):
            return Complex(self.lifted(value.real), self.lifted(value.imag))
        if isinstance(value, torch.Tensor) and value.is_complex():
            whole = value.resolve_conj()
            return Complex(self.lifted(whole.real), self.lifted(whole.imag))
        real = self.lifted(value)
        return Complex(real, Symbolic(torch.full_like(real.nodes, self.program.zero), real.kind))

    def standing(self, value: Any) -> Any:
        """The value, or the symbols that it stands for wherever it occurs."""
        nodes = self.reader.stands_for(value) if isinstance(value, torch.Tensor) else None
        return value if nodes is None else Symbolic(nodes, value.dtype)

    def cast(self, x: Symbolic, kind: dtype) -> Symbolic:
        """The tensor in another float dtype: in real arithmetic the same one, and the record says so."""
        if kind == x.kind:
            return x
        if not kind.is_floating_point:
            raise Refused(f"a symbol is cast to {kind}, which rounds it")
        self.casts[f"{x.kind} to {kind}".replace("torch.", "")] += 1
        return Symbolic(x.nodes, kind)


def execute(
    traced: Traced,
    program: Program,
    inputs: Sequence[Any],
    *,
    reader: Reader,
    held: Mapping[str, Symbolic] | None = None,
) -> tuple[list[Any], Execution]:
    """Run the graph on symbolic or concrete inputs; the flat list of its outputs, and the record of the run.

    inputs: the call's tensors in order. held: symbolic tensors in place of parameters, buffers and constants, by the
    name under which the graph holds them. Raises Refused with the node and line of source.
    """
    running = Execution(program, reader)
    values = {node: running.standing(value) for node, value in _given(traced, inputs, held or {}).items()}
    for node in traced.graph.nodes:
        if node.op == "call_function":
            values[node] = running.standing(_run(running, node, values))
        elif node.op != "output" and node not in values:
            raise Refused(f"the graph holds a {node.op}, which has no rule", place=place(node))
    return list(torch.fx.node.map_arg(traced.outputs, lambda n: values[n])), running


def _given(traced: Traced, inputs: Sequence[Any], held: Mapping[str, Symbolic]) -> dict[Node, Any]:
    if len(inputs) != len(traced.inputs):
        raise Refused(f"the graph takes {len(traced.inputs)} inputs, got {len(inputs)}")
    names = {name for name, _ in traced.held.values()}
    if unknown := set(held) - names:
        raise Refused(f"the graph holds no {min(unknown)}; it holds {', '.join(sorted(names)) or 'nothing'}")
    values = {node: _fitting(node, value) for node, value in zip(traced.inputs, inputs, strict=True)}
    for node, (name, value) in traced.held.items():
        values[node] = _fitting(node, held[name]) if name in held else value
    return values


def _fitting(node: Node, value: Any) -> Any:
    """The value, if it can stand for what the graph was traced with: same shape, and a float for a float."""
    example = node.meta.get("val")
    if not isinstance(example, torch.Tensor):
        if "val" in node.meta and example != value:
            raise Refused(f"the graph was traced for the constant {example!r}, got {value!r}", place=place(node))
        return value
    if tuple(value.shape) != tuple(example.shape):
        raise Refused(f"the graph was traced for {tuple(example.shape)}, got {tuple(value.shape)}", place=place(node))
    if isinstance(value, Symbolic):
        return Symbolic(value.nodes, example.dtype)
    if not isinstance(value, Complex) and value.dtype != example.dtype:
        raise Refused(f"the graph was traced for {example.dtype}, got {value.dtype}", place=place(node))
    return value


def _run(running: Execution, node: Node, values: Mapping[Node, Any]) -> Any:
    # A closure over `values`, because torch maps nodes wherever they stand in the arguments.
    arguments = torch.fx.node.map_arg(node.args, lambda n: values[n])
    named = torch.fx.node.map_arg(node.kwargs, lambda n: values[n])
    try:
        if node.target is operator.getitem:
            container: Any = arguments[0]
            return container[arguments[1]]
        return applied(running, node.target, *arguments, **named)
    except Refused as refusal:
        raise refusal.at(place(node)) from None


def applied(running: Execution, target: Any, /, *arguments: Any, **named: Any) -> Any:
    """One operator on symbolic or concrete arguments: by its rule where a symbol is among them, else by Torch."""
    name, given = str(target), leaves((arguments, named))
    for leaf in given:
        if isinstance(leaf, Absent):
            raise Refused(f"{name} reads {leaf.what}")
    symbolic = any(isinstance(leaf, Symbolic | Complex) for leaf in given)
    if symbolic and name in SKIPPED:
        return None
    if not isinstance(target, torch._ops.OpOverload):
        raise Refused(f"no rule for {getattr(target, '__name__', name)}, which is not a single operator")
    if target._schema.is_mutable and name not in HARMLESS:
        raise Refused(f"{name} changes its argument in place")
    if symbolic or name.startswith(UNINITIALISED) or torch.Tag.nondeterministic_seeded in target.tags:
        return _by_rule(running, target, arguments, named)
    try:
        with torch.no_grad():
            return target(*arguments, **named)
    except Exception as failure:
        raise Refused(f"{name} fails on its constants: {failure}") from failure


def _by_rule(running: Execution, target: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    name = str(target)
    rule = _rules().get(name)
    if rule is None:
        raise Refused(f"no rule for {name}")
    running.operators[name] += 1
    positional, keywords = completed(target, arguments, named)
    try:
        return rule(running, target, *positional, **keywords)
    except Refused:
        raise
    except Exception as failure:
        raise Refused(f"the rule for {name} does not take these arguments: {failure!r}") from failure


def completed(target: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments in the order of the operator's schema, defaults filled in; keyword-only ones by name."""
    positional: list[Any] = list(arguments)
    keywords: dict[str, Any] = {}
    for k, argument in enumerate(target._schema.arguments):
        if argument.kwarg_only:
            keywords[argument.name] = named.get(argument.name, argument.default_value)
        elif k >= len(arguments):
            positional.append(named.get(argument.name, argument.default_value))
    return positional, keywords


@cache
def _rules() -> Mapping[str, Rule]:
    from posproofs.symbolic.rules import RULES

    return RULES


def leaves(value: Any) -> list[Any]:
    """What stands inside nested lists, tuples and dictionaries."""
    if isinstance(value, Mapping):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list | tuple):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value]
