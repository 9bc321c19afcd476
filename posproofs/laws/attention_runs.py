"""The graphs of attention modules on symbols: each is exported once for each path, form and size, and kept.

All sides of one size share a program, in which equal operations are written once: what two sides have in common is one
node, and only what differs is left to the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from posproofs.errors import Refused
from posproofs.laws.attended import AttentionSize, AttentionSubject
from posproofs.laws.attention_sides import GAP, PLACES, WAVES, Built, Side, built, rows_of, shapes_of
from posproofs.laws.calling import pattern
from posproofs.mutants.backend import torch
from posproofs.symbolic.abstractions import Frequencies, Waves
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.dependencies import Dependencies
from posproofs.symbolic.execution import Execution, execute
from posproofs.symbolic.program import Program
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.tensors import Symbolic, of, symbols
from posproofs.symbolic.tracing import Traced, trace

Level = Literal["called", "core"]


@dataclass(frozen=True, slots=True)
class Run:
    """A side on symbols. outputs: nodes in the shape (row, model)."""

    program: Program
    outputs: list[list[int]]
    traced: Traced
    execution: Execution


@lru_cache(maxsize=64)
def program_of(_subject: AttentionSubject, _size: AttentionSize) -> Program:
    """The one program of all sides of that size; as many are kept as runs, so that no kept run outlives its program."""
    return Program()


@lru_cache(maxsize=64)
def traced(subject: AttentionSubject, size: AttentionSize, graph: Side, level: Level) -> tuple[Traced, Built]:
    """The exported graph of a side, and its module."""
    made = built(subject, size, graph, torch.float32)
    x = pattern(1, rows_of(graph, size), size.model, dtype=torch.float32)
    return trace(made.module, (x, *given_positions(subject, size)), level=level), made


def given_positions(subject: AttentionSubject, size: AttentionSize) -> tuple[Any, ...]:
    """The positions argument of an export: none where rows are counted."""
    match subject.convention.positions:
        case "real":
            return (torch.tensor(PLACES[: size.rows]).float(),)
        case "whole":
            return (torch.tensor(PLACES[: size.rows]),)
    return ()


@lru_cache(maxsize=64)
def run(subject: AttentionSubject, size: AttentionSize, side: Side) -> Run:
    """Execute a side on symbols x, p, s and one for each entry of a parameter. Raises Refused."""
    try:
        return _executed(subject, size, side, "called")
    except Refused:
        return _executed(subject, size, side, "core")  # an operator without a rule may be made of others that have one


def _executed(subject: AttentionSubject, size: AttentionSize, side: Side, level: Level) -> Run:
    graph, made = traced(subject, size, side.graph, level)
    program = program_of(subject, size)
    x = symbols(program, "x", (1, size.rows, size.model))
    nodes = x.nodes[:, list(side.order)] if side.order else x.nodes
    if side.form == "behind":
        nodes = torch.cat((symbols(program, "padding", (1, GAP, size.model)).nodes, nodes), dim=1)
    inputs: list[Any] = [Symbolic(nodes, torch.float32)]
    positions = _positions(program, size, side)
    match subject.convention.positions:
        case "real":
            inputs.append(of(positions, (size.rows,), torch.float32))
        case "whole":
            inputs.append(torch.tensor(PLACES[: size.rows]))
    held = _held(program, made, shapes_of(subject, size))
    reader = Reader(program, _tables(subject, size, program, positions))
    (output,), execution = execute(graph, program, inputs, reader=reader, held=held)
    if subject.convention.positions == "whole" and subject.waves is not None and not reads_waves(execution):
        # The rows of the table would stay constants, and a shift of positions would change nothing by itself.
        raise Refused("the table is not read as sines and cosines of the declared frequencies")
    _read_its_parameters(graph, made)
    rows = output.nodes[0].tolist()
    if side.order:
        rows = [rows[side.order.index(row)] for row in range(size.rows)]
    return Run(program, rows, graph, execution)


def _read_its_parameters(graph: Traced, made: Built) -> None:
    """No constant of the graph is a parameter of the module: it would stay the number that it was at the export."""
    own = {value.untyped_storage().data_ptr() for value in made.module.parameters()}
    for name, value in graph.held.values():
        if name not in made.names and value.untyped_storage().data_ptr() in own:
            raise Refused(f"the code reads a parameter as the constant {name}; read it from its module at each call")


def unread(subject: AttentionSubject, size: AttentionSize) -> tuple[str, ...]:
    """The parameters and tables that no output of the plain path names. Raises Refused."""
    found = run(subject, size, Side(subject.paths[0]))
    values = evaluated(found.program, (node for row in found.outputs for node in row), Dependencies())
    named = {name.tensor for row in found.outputs for node in row for name in values[node]}
    return tuple(sorted(set(shapes_of(subject, size)) - named))


def _positions(program: Program, size: AttentionSize, side: Side) -> list[int]:
    plain = [program.symbol("p", (row,)) for row in range(size.rows)]
    return [program.add(p, program.symbol("s")) for p in plain] if side.moved else plain


def reads_waves(execution: Execution) -> bool:
    """Whether its frequencies are symbols: they were read as such, or a table of their sines and cosines was."""
    return any("frequencies" in one or "sines and cosines" in one for one in execution.reader.log)


def _tables(
    subject: AttentionSubject, size: AttentionSize, program: Program, positions: Sequence[int]
) -> tuple[Frequencies | Waves, ...]:
    """Frequencies that meet a position are symbols; rows of a table that is looked up stand for symbolic positions."""
    if subject.waves is None:
        return ()
    values = subject.waves(size)
    theta = [program.symbol(WAVES, (i,)) for i in range(len(values))]
    if subject.convention.positions == "real":
        return (Frequencies(values, theta),)
    return (Waves(program, values, theta, dict(zip(PLACES, positions, strict=False))),)


def _held(program: Program, made: Built, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Symbolic]:
    """Symbols for every parameter; one that the first path does not have is an error of the adapter."""
    strange = sorted(set(made.names.values()) - set(shapes))
    if strange:
        raise ValueError(f"a side holds {', '.join(strange)}, which the plain path does not")
    return {name: symbols(program, outside, shapes[outside]) for name, outside in made.names.items()}
