"""Are two functions equal for every input? Both are exported for the same example inputs and compared as programs.

Floats among the inputs become symbols; integers and booleans stay data, because they index and decide. A refutation is
run again on the functions themselves before it is reported.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from posproofs.emit import emit
from posproofs.emit.targets import TARGETS
from posproofs.errors import Contradiction, Refused, UnknownName
from posproofs.mutants.backend import torch
from posproofs.symbolic.abstractions import Frequencies
from posproofs.symbolic.comparing import MARGIN, Answer, compared, feedable
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.execution import Execution, execute
from posproofs.symbolic.program import Name, Program
from posproofs.symbolic.proof import Certificate, certificate
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.relations import RELATIONS, Relation
from posproofs.symbolic.tensors import Symbolic, symbols
from posproofs.symbolic.tracing import Traced, trace
from posproofs.symbolic.wording import sentence

if TYPE_CHECKING:
    from torch import Tensor

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Equality:
    """The answer of `prove_equal`; it counts as true only where it is proved.

    text: the answer in words. relation: up to what the functions are equal, in words, where that was asked. point: of a
    refutation, the inputs that are not zero, by name: x[0,1]. certificate: on what a proof rests.
    """

    status: Literal["proved", "refuted", "undecided"]
    text: str
    relation: str = ""
    point: Mapping[str, float] = field(default_factory=dict)
    certificate: Certificate | None = None

    def __bool__(self) -> bool:
        return self.status == "proved"

    def __str__(self) -> str:
        return self.text


def prove_equal(
    first: Function,
    second: Function | str,
    *,
    inputs: Sequence[Any],
    up_to: Literal["permutation", "sign", "scale"] | None = None,
    frequencies: Sequence[float] = (),
) -> Equality:
    """Whether two functions give the same for all inputs of these shapes, over the real numbers.

    first, second: functions or modules of tensors, or in place of the second an id of the catalogue that is emitted,
    such as rotary.rotate. inputs: the example call; its float tensors stand for all of their shape. up_to: the
    outputs may differ by one permutation of their last axis, one sign for each of its places, or one factor, which are
    found and named. frequencies: numbers that both functions hold in tables, taken for symbols, so that the equality is
    for all of them.

    Returns an Equality. Raises UnknownName for another id or relation, Contradiction where a refutation does not repeat
    on the functions.
    """
    if up_to is not None and up_to not in RELATIONS:
        raise UnknownName("relation", up_to, RELATIONS)
    pair = (first, _function(second))
    running = _Comparison(Program(), _named_inputs(first, inputs), tuple(inputs), tuple(frequencies), [])
    try:
        outputs = [running.outputs(function) for function in pair]
    except Refused as refusal:
        return Equality("undecided", f"Undecided: {refusal}.")
    shapes = [[tuple(part.shape) for part in parts] for parts in outputs]
    if shapes[0] != shapes[1]:
        return Equality("refuted", f"Not equal: outputs of shape {shapes[0]} against {shapes[1]}.")
    relation = RELATIONS[up_to](running.program, *outputs) if up_to else Relation("", outputs[1])
    if relation is None:
        return Equality("undecided", f"Undecided: no {up_to} was found that fits at a random point.")
    return running.answered(pair, outputs[0], relation)


def _function(named: Function | str) -> Function:
    """The function itself, or what is emitted for an id: of a target, or of a theorem behind one."""
    if not isinstance(named, str):
        return named
    for target, about in TARGETS.items():
        for layout, proofs in about.proofs.items():
            if named in (target, proofs.statement):
                return emit(target, to="torch", layout=layout or None)
    known = {*TARGETS, *(proofs.statement for about in TARGETS.values() for proofs in about.proofs.values())}
    raise UnknownName("emitted function", named, known)


def _named_inputs(function: Function, inputs: Sequence[Any]) -> tuple[str, ...]:
    """The names of the parameters, so that a point reads like a call."""
    called = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        names = [p.name for p in inspect.signature(called).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        names = []
    return tuple(names[k] if k < len(names) else f"input{k}" for k in range(len(inputs)))


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One program in which both functions are executed. done: their graphs and runs."""

    program: Program
    names: tuple[str, ...]
    inputs: tuple[Any, ...]
    frequencies: tuple[float, ...]
    done: list[tuple[Traced, Execution]]

    def outputs(self, function: Function) -> list[Symbolic]:
        """What the function returns for symbols in place of its float tensors, flat."""
        traced = trace(function, self.inputs)
        given = [
            symbols(self.program, name, value.shape, kind=value.dtype) if _is_symbolic(value) else value
            for name, value in zip(self.names, self.inputs, strict=True)
        ]
        theta = [self.program.symbol("frequency", (k,)) for k in range(len(self.frequencies))]
        readings = (Frequencies(self.frequencies, theta),) if theta else ()
        found, execution = execute(traced, self.program, given, reader=Reader(self.program, readings))
        self.done.append((traced, execution))
        return [execution.lifted(part) for part in found]

    def answered(self, pair: tuple[Function, Function], one: list[Symbolic], relation: Relation) -> Equality:
        """The comparison of all entries, with cuts first, which is faster; then without, which can also refute."""
        pairs = list(zip(_flat(one), _flat(relation.outputs), strict=True))
        answer = compared(self.program, pairs, exact=Exact(cuts=bool(self.program.cuts)), draw=self._draw)
        if answer.status == "undecided" and self.program.cuts:
            answer = compared(self.program, pairs, draw=self._draw)
        if answer.status == "refuted" and not relation.words:
            return self._refuted(pair, answer)
        if answer.status != "proved":
            return Equality("undecided", f"Undecided: {answer.reason or f'{relation.words} does not fit everywhere'}.")
        shown = certificate(self._for_all(), self._shape(), self.done, conditions=answer.conditions)
        words = f"Equal up to {relation.words}" if relation.words else "Equal"
        return Equality("proved", f"{words}, {sentence(shown)}", relation.words, certificate=shown)

    def _draw(self, name: Name, chance: Random) -> Fraction:
        if name.tensor == "frequency":
            return Fraction(self.frequencies[name.index[0]])
        return feedable(name, chance)

    def _for_all(self) -> str:
        listed = [name for name, value in zip(self.names, self.inputs, strict=True) if _is_symbolic(value)]
        listed += ["frequencies"] if self.frequencies else []
        return f"all {', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else f"all {''.join(listed)}"

    def _shape(self) -> str:
        return ", ".join(f"{name} {_told(value)}" for name, value in zip(self.names, self.inputs, strict=True))

    def _refuted(self, pair: tuple[Function, Function], answer: Answer) -> Equality:
        """The point, once the functions themselves differ there."""
        call = self._call(answer.point)
        with torch.no_grad():
            seen = [float(_numbers(function(*call))[answer.place]) for function in pair]
        if not all(map(math.isfinite, seen)):
            return Equality("undecided", f"Undecided: the functions give {seen} at a point where their graphs differ.")
        if not abs(seen[0] - seen[1]) > MARGIN / 2 * max(1.0, *map(abs, seen)):
            raise Contradiction(f"the functions agree at the point that separates their graphs: {call}")
        point = {str(name): float(v) for name, v in answer.point.items() if v and name.tensor != "frequency"}
        told = [f"{name} = {value:g}" for name, value in point.items()]
        where = ", ".join([*told, "the rest 0"]) if told else "0 in every input"
        text = f"Not equal: at {where}, entry {answer.place} of the outputs is {seen[0]:.6g} and {seen[1]:.6g}."
        return Equality("refuted", text, point=point)

    def _call(self, point: Mapping[Name, Fraction]) -> list[Any]:
        """The example call with the values of the point, 0 where it names none; code may write into it."""
        call = []
        for name, value in zip(self.names, self.inputs, strict=True):
            given = torch.zeros_like(value) if _is_symbolic(value) else deepcopy(value)
            for place, number in ((n.index, v) for n, v in point.items() if n.tensor == name):
                given[place] = float(number)
            call.append(given)
        return call


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _told(value: Any) -> str:
    return (
        str(tuple(value.shape)) if _is_symbolic(value) else f"= {value.tolist() if hasattr(value, 'tolist') else value}"
    )


def _flat(outputs: Sequence[Symbolic]) -> Iterator[int]:
    for part in outputs:
        yield from part.nodes.flatten().tolist()


def _numbers(returned: Any) -> Tensor:
    """Every output of a call in one row, in the order of the graph."""
    leaves = torch.utils._pytree.tree_leaves(returned)
    return torch.cat([leaf.detach().double().flatten() for leaf in leaves])
