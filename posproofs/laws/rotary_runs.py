"""Runs of rotary code on symbols: at which sizes and positions it is asked, and its graph executed there.

Inputs, positions and frequencies are symbols. Code that looks its rows up in a table needs whole positions; there the
rows stand for symbolic positions, whichever rows they are. A call has whole positions, though, so the graph of that
call is executed too, at positions on both sides of the ends of tables and of formats: there they are numbers, and what
code does with a number is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from posproofs.errors import Refused
from posproofs.laws.calling import pattern, small
from posproofs.laws.subject import Instance, Subject, Width
from posproofs.mutants.backend import torch
from posproofs.symbolic.abstractions import ANGLE, Frequencies, Waves
from posproofs.symbolic.execution import Execution, execute
from posproofs.symbolic.program import Program
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.shapes import ROTATION
from posproofs.symbolic.tensors import Symbolic, of, symbols
from posproofs.symbolic.tracing import Traced, trace, trace_vjp

if TYPE_CHECKING:
    from torch import Tensor

Place = tuple[int, int, int]  # batch, head, row
Grid = dict[Place, list[int]]  # the nodes of the coordinates
Level = Literal["called", "core"]
LEVELS: tuple[Level, ...] = ("called", "core")  # the first takes a fifth of the time, the second has fewer operators


@dataclass(frozen=True, slots=True)
class Call:
    """The sizes of a call."""

    batch: int
    heads: int
    rows: int

    def __str__(self) -> str:
        batch = "" if self.batch == 1 else f"batch {self.batch}, "
        heads, rows = (f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((self.heads, "head"), (self.rows, "row")))
        return f"{batch}{heads}, {rows}"


TOGETHER = Call(1, ROTATION["heads"], ROTATION["rows"])
ALONE = Call(1, ROTATION["heads alone"], ROTATION["rows alone"])
MORE = Call(ROTATION["batch of more"], ROTATION["heads of more"], ROTATION["rows of more"])
CALLS = (TOGETHER, ALONE, MORE)
POSITIONS = (2, 5, 11)  # where code wants whole numbers; no two products with a frequency are near each other
FIRST = 5  # and where it wants the first of consecutive ones
# Where the graph of whole positions is executed: at 0, around the usual ends of tables, the last integers that a format
# holds (256 in bfloat16, 2048 in float16, 32767 in int16, 65535 in uint16), and the greatest number of float16.
APART = (0, 67, 131)
FIRSTS = (255, 2047, 4095, 32766, 65503, 65535, 131071)


@dataclass(frozen=True, slots=True)
class Run:
    """The graph of a subject on symbols. turned: its rotation of each row; at: the positions where they are numbers."""

    width: Width
    call: Call
    program: Program
    x: Grid
    positions: tuple[int, ...]
    frequencies: tuple[int, ...]
    turned: Grid
    traced: Traced
    execution: Execution
    real_positions: bool
    at: tuple[int, ...] = ()


def width_of(subject: Subject) -> Width:
    """The smallest width in which two pairs turn."""
    return small(subject)[0]


@cache
def graph(subject: Subject, call: Call, at: Literal["real", "whole"] | int, which: Level | Literal["vjp"]) -> Traced:
    """The graph for real positions, for whole ones, or from a first one on; or that of its backward pass."""
    width = width_of(subject)
    x = pattern(call.batch, call.heads, call.rows, width.head, dtype=torch.float32)
    given, rotate = at if isinstance(at, int) else _example(call, at), _of_both(subject.make(width))
    return trace_vjp(rotate, (x, given)) if which == "vjp" else trace(rotate, (x, given), level=which)


def _of_both(instance: Instance) -> Callable[[Tensor, Any], Tensor]:
    """The map of queries; where keys have one of their own, heads of odd number are keys, as in the law's cases."""
    queries, keys = instance.rotate, instance.keys
    if keys is None:
        return queries

    def both(x: Tensor, positions: Any) -> Tensor:
        even = torch.arange(x.shape[1])[:, None, None] % 2 == 0
        return torch.where(even, queries(x, positions), keys(x, positions))

    return both


def _example(call: Call, kind: Literal["real", "whole"]) -> Tensor:
    whole = torch.tensor(POSITIONS[: call.rows])
    return whole.float() if kind == "real" else whole


@cache
def taken(subject: Subject) -> Literal["real", "whole"] | int:
    """Which positions stand in the graph: real ones if the code takes them."""
    if subject.takes == "offset":
        return FIRST
    try:
        graph(subject, TOGETHER, "real", LEVELS[0])
    except Refused:
        return "whole"
    return "real"


def at_some_level(run_at: Callable[[Level], Run]) -> Run:
    """The run at the first level at which no operator lacks a rule."""
    *shorter, last = LEVELS
    for level in shorter:
        try:
            return run_at(level)
        except Refused:
            continue
    return run_at(last)


def run(
    subject: Subject,
    call: Call = TOGETHER,
    *,
    program: Program | None = None,
    change: Literal["none", "shifted", "cycled"] = "none",
) -> Run:
    """Execute the subject's graph on symbols. shifted: at positions p + s. cycled: each row is given the next one's.

    The next row is that of the next head too, so that repeating it goes through all rows of all heads; where rows are
    consecutive it is that of the next head alone.
    """
    made = program or Program()
    return at_some_level(lambda level: _run(subject, call, program=made, change=change, level=level))


def _run(
    subject: Subject, call: Call, *, program: Program, change: Literal["none", "shifted", "cycled"], level: Level
) -> Run:
    width, kind = width_of(subject), taken(subject)
    traced = graph(subject, call, kind, level)
    x = symbols(program, "x", (call.batch, call.heads, call.rows, width.head))
    theta = frequencies_of(program, width)
    positions = tuple(_position(program, t, shifted=change == "shifted") for t in range(call.rows))
    order = [following(subject, 0, t)[1] if change == "cycled" else t for t in range(call.rows)]
    given = of([positions[t] for t in order], (call.rows,), torch.float32) if kind == "real" else whole(subject, order)
    if change == "cycled":
        x = replace(x, nodes=x.nodes.roll(-1, dims=1)[:, :, order])
    reader = Reader(program, abstractions(subject, program, theta, positions))
    (turned,), execution = execute(traced, program, [x, given], reader=reader)
    return Run(width, call, program, grid(x), positions, theta, grid_like(x, turned), traced, execution, kind == "real")


def frequencies_of(program: Program, width: Width) -> tuple[int, ...]:
    """The symbols of the frequencies."""
    return tuple(program.symbol("theta", (i,)) for i in range(width.rotary // 2))


def following(subject: Subject, head: int, row: int) -> tuple[int, int]:
    """The head and row whose place a row takes where rows are cycled."""
    return (head + 1) % TOGETHER.heads, row if subject.takes == "offset" else (row + 1) % TOGETHER.rows


def whole_positions(subject: Subject) -> Iterable[tuple[int, ...]]:
    """The positions, three at a time, at which the graph of whole positions is executed."""
    last = () if subject.limit is None else (max(0, subject.limit - TOGETHER.rows),)
    begun = [tuple(range(first, first + TOGETHER.rows)) for first in dict.fromkeys((*FIRSTS, *last))]
    asked = begun if subject.takes == "offset" else [APART, *begun]
    return [at for at in asked if subject.within(at) == at]


def run_whole(subject: Subject, at: tuple[int, ...], *, frequencies: Literal["symbols", "numbers"]) -> Run:
    """Execute the graph of whole positions at these, which stand in it as numbers.

    frequencies: as symbols, wherever the graph holds or makes them, what it computes is exact, for all frequencies.
    Code that branches on an angle needs them as numbers; tables of cosines that it makes of these are then read as
    cosines, as far as the rounding of an angle in float32 allows.
    """
    return at_some_level(lambda level: _run_whole(subject, at, frequencies, level))


def _run_whole(subject: Subject, at: tuple[int, ...], frequencies: Literal["symbols", "numbers"], level: Level) -> Run:
    width, program, offset = width_of(subject), Program(), subject.takes == "offset"
    traced = graph(subject, TOGETHER, at[0] if offset else "whole", level)
    x = symbols(program, "x", (TOGETHER.batch, TOGETHER.heads, TOGETHER.rows, width.head))
    theta, positions = frequencies_of(program, width), tuple(program.constant_of(p) for p in at)
    values = subject.convention.turning(width.rotary)
    waves = Waves(program, values, theta, dict(zip(at, positions, strict=True)), ANGLE)
    standing = (Frequencies(values, theta),) if frequencies == "symbols" else ()
    reader = Reader(program, (waves,), standing)
    given = at[0] if offset else torch.tensor(at)
    (turned,), execution = execute(traced, program, [x, given], reader=reader)
    grids = (grid(x), positions, theta, grid_like(x, turned))
    return Run(width, TOGETHER, program, *grids, traced, execution, real_positions=False, at=at)


def _position(program: Program, row: int, *, shifted: bool) -> int:
    plain = program.symbol("p", (row,))
    return program.add(plain, program.symbol("s")) if shifted else plain


def whole(subject: Subject, order: Sequence[int]) -> Tensor | int:
    """The positions in the form in which the subject takes whole ones, those of the rows in that order."""
    return FIRST if subject.takes == "offset" else torch.tensor([POSITIONS[t] for t in order])


def rows_at(subject: Subject) -> tuple[int, ...]:
    """The positions of the rows then."""
    return tuple(range(FIRST, FIRST + TOGETHER.rows)) if subject.takes == "offset" else POSITIONS


def abstractions(
    subject: Subject, program: Program, theta: Sequence[int], positions: Sequence[int]
) -> tuple[Frequencies | Waves, ...]:
    """What tables of the graph stand for: frequencies, and sines and cosines at the positions of the rows."""
    values = subject.convention.turning(width_of(subject).rotary)
    rows = dict(zip(rows_at(subject), positions, strict=False))
    return Frequencies(values, theta), Waves(program, values, theta, rows)


def grid_like(x: Symbolic, turned: object) -> Grid:
    """The rows of what the graph returns for x."""
    if not isinstance(turned, Symbolic) or turned.shape != x.shape:
        raise Refused(f"the graph does not return a tensor of symbols in the shape {x.shape} of its input")
    return grid(turned)


def grid(x: Symbolic) -> Grid:
    """The rows of a tensor (batch, head, row, coordinate)."""
    batch, heads, rows, _ = x.shape
    return {(b, h, t): x.nodes[b, h, t].tolist() for b in range(batch) for h in range(heads) for t in range(rows)}
