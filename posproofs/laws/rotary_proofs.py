"""Proofs about rotary code: its graph is executed over symbols and compared with the formula that the kernel proved.

Two heads, three rows and two pairs: with one pair the layouts agree, with one row a confused axis is not seen, and two
heads serve as query and key. Inputs, positions and frequencies are symbols. Code that looks its rows up in a table
needs whole positions; there the rows stand for symbolic positions, whichever rows they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Literal

from derivations.kernel.terms import Block, Family, Multiply, Power, Symbol, Term, children, rebuilt
from posproofs.errors import Refused
from posproofs.laws import algebra
from posproofs.laws.calling import pair_slots, pattern, small
from posproofs.laws.subject import Pairs, Subject, Width
from posproofs.laws.theorems import Derivations
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout
from posproofs.symbolic.abstractions import Frequencies, Waves
from posproofs.symbolic.comparing import Answer, Draw, compared, feedable
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.dependencies import Dependencies
from posproofs.symbolic.execution import Execution, execute
from posproofs.symbolic.formula import Formula
from posproofs.symbolic.program import Name, Program
from posproofs.symbolic.proof import Proof, certificate
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.shapes import ROTATION
from posproofs.symbolic.tensors import Symbolic, of, symbols
from posproofs.symbolic.tracing import Traced, trace, trace_vjp

if TYPE_CHECKING:
    from torch import Tensor

    from derivations import rotary
else:
    rotary = Derivations("rotary")

ROWS, HEADS = ROTATION["rows"], ROTATION["heads"]
POSITIONS = (2, 5, 11)  # where code wants whole numbers; no two products with a frequency are near each other
FIRST = 5  # and where it wants the first of consecutive ones
FAR = (2, 67, 131)  # where code that branches on positions is asked: on both sides of the usual ends of tables
Grid = dict[tuple[int, int], list[int]]  # (head, row) -> the nodes of its coordinates


@dataclass(frozen=True, slots=True)
class Run:
    """The graph of a subject on symbols. turns: its rotation of head h, row t; shifted: at positions p + s."""

    width: Width
    program: Program
    x: Grid
    positions: tuple[int, ...]
    frequencies: tuple[int, ...]
    turned: Grid
    traced: Traced
    execution: Execution
    real_positions: bool
    at: tuple[int, ...] = ()  # the positions where they are numbers


def width_of(subject: Subject) -> Width:
    """The smallest width in which two pairs turn."""
    return small(subject)[0]


@cache
def _traced(subject: Subject, width: Width) -> tuple[Traced, bool]:
    """The graph for real positions if the code takes them, else for whole ones; and which of the two."""
    instance = subject.make(width)
    x = pattern(1, HEADS, ROWS, width.head, dtype=torch.float32)
    if subject.takes == "offset":
        return trace(instance.rotate, (x, FIRST)), False
    whole = torch.tensor(POSITIONS)
    try:
        return trace(instance.rotate, (x, whole.float())), True
    except Refused:
        return trace(instance.rotate, (x, whole)), False


def run(
    subject: Subject, *, program: Program | None = None, change: Literal["none", "shifted", "cycled"] = "none"
) -> Run:
    """Execute the subject's graph on symbols. shifted: at positions p + s. cycled: each row is given the next one's.

    The next row is that of the next head too, so that repeating it goes through all rows of all heads; where rows are
    consecutive it is that of the next head alone.
    """
    width = width_of(subject)
    traced, real = _traced(subject, width)
    program = program or Program()
    x = symbols(program, "x", (1, HEADS, ROWS, width.head))
    theta = tuple(program.symbol("theta", (i,)) for i in range(width.rotary // 2))
    positions = tuple(_position(program, t, shifted=change == "shifted") for t in range(ROWS))
    reader = Reader(program, _abstractions(subject, width, program, theta, positions))
    order = [_next(subject, 0, t)[1] if change == "cycled" else t for t in range(ROWS)]
    given = of([positions[t] for t in order], (ROWS,), torch.float32) if real else _whole(subject, order)
    if change == "cycled":
        x = replace(x, nodes=x.nodes.roll(-1, dims=1)[:, :, order])
    (turned,), execution = execute(traced, program, [x, given], reader=reader)
    return Run(width, program, _grid(x), positions, theta, _grid(turned), traced, execution, real)


def _next(subject: Subject, head: int, row: int) -> tuple[int, int]:
    return (head + 1) % HEADS, row if subject.takes == "offset" else (row + 1) % ROWS


def _run_far(subject: Subject) -> Run:
    """Execute the graph at the positions FAR, which stand in it as numbers."""
    width, program = width_of(subject), Program()
    if subject.takes == "offset" or len(subject.within(FAR)) < len(FAR):
        raise Refused("the subject does not take positions that are far apart")
    traced = _traced_far(subject, width)
    x = symbols(program, "x", (1, HEADS, ROWS, width.head))
    theta = tuple(program.symbol("theta", (i,)) for i in range(width.rotary // 2))
    positions = tuple(program.constant_of(p) for p in FAR)
    waves = Waves(program, subject.convention.turning(width.rotary), theta, dict(zip(FAR, positions, strict=True)))
    (turned,), execution = execute(traced, program, [x, torch.tensor(FAR)], reader=Reader(program, (waves,)))
    grids = (_grid(x), positions, theta, _grid(turned))
    return Run(width, program, *grids, traced, execution, real_positions=False, at=FAR)


@cache
def _traced_far(subject: Subject, width: Width) -> Traced:
    x = pattern(1, HEADS, ROWS, width.head, dtype=torch.float32)
    return trace(subject.make(width).rotate, (x, torch.tensor(FAR)))


def _position(program: Program, row: int, *, shifted: bool) -> int:
    plain = program.symbol("p", (row,))
    return program.add(plain, program.symbol("s")) if shifted else plain


def _whole(subject: Subject, order: Sequence[int] = range(ROWS)) -> Tensor | int:
    """The positions in the form in which the subject takes whole ones, those of the rows in that order."""
    return FIRST if subject.takes == "offset" else torch.tensor([POSITIONS[t] for t in order])


def _rows(subject: Subject) -> tuple[int, ...]:
    """The positions of the rows then."""
    return tuple(range(FIRST, FIRST + ROWS)) if subject.takes == "offset" else POSITIONS


def _abstractions(
    subject: Subject, width: Width, program: Program, theta: Sequence[int], positions: Sequence[int]
) -> tuple[Frequencies | Waves, ...]:
    values = subject.convention.turning(width.rotary)
    rows = dict(zip(_rows(subject), positions, strict=True))
    return Frequencies(values, theta), Waves(program, values, theta, rows)


def _grid(x: Symbolic) -> Grid:
    return {(h, t): x.nodes[0, h, t].tolist() for h in range(HEADS) for t in range(ROWS)}


def formula(subject: Subject, found: Run) -> Grid:
    """What the proved rotation gives for the same symbols, in the declared layout, direction and magnitude."""
    declared, width, program = subject.convention, found.width, found.program
    layout = declared.reads if isinstance(declared.reads, str) else "half-split"
    read, written = (_places(layout, own, width) for own in (declared.reads, declared.writes))
    magnitude = found.execution.reader.number(declared.magnitude)  # as the code's own constant is read
    result: Grid = {}
    for (h, t), x in found.x.items():
        position = found.positions[t]
        if declared.first:
            position = program.add(position, program.constant_of(declared.first))
        angle = position if declared.sign > 0 else program.negate(position)
        rows = _rotation(program, layout, found.frequencies, angle)
        matrix = [[program.zero] * width.head for _ in range(width.head)]
        for k in set(range(width.head)) - set(read.values()):
            matrix[k][k] = program.one
        for row in range(width.rotary):
            for column in range(width.rotary):
                matrix[written[row]][read[column]] = program.multiply(magnitude, rows[row][column])
        result[h, t] = [program.dot(entries, x) for entries in matrix]
    return result


def _places(layout: Layout, own: Layout | Pairs, width: Width) -> dict[int, int]:
    """Where the coordinates of the theorem's layout stand in the subject's own."""
    ours, theirs = pair_slots(layout, width), pair_slots(own, width)
    return dict(zip([*ours[0], *ours[1]], [*theirs[0], *theirs[1]], strict=True))


def _rotation(program: Program, layout: str, frequencies: Sequence[int], position: int) -> list[list[int]]:
    """The matrix of the theorem in that layout, base^(-i/h) read as theta_i."""
    entry = rotary.ROTATE_INTERLEAVED if layout == "interleaved" else rotary.ROTATE_HALF_SPLIT
    theorem = entry.check().theorem
    assert theorem is not None, "the catalogue is proved"
    (matrix,) = (node for node in _factors(theorem.statement.right) if isinstance(node, Block) and node.columns)
    given = Formula(program, {"h": len(frequencies)}, {"p": position}, {"theta": lambda i: frequencies[i]}, {})
    entries = given.rows(_with_frequencies(matrix, matrix.index))
    return [[re for re, _ in row] for row in entries]


def _factors(term: Term) -> tuple[Term, ...]:
    return term.factors if isinstance(term, Multiply) else (term,)


def _with_frequencies(term: Term, index: str) -> Term:
    """base^(-i/h) as a member of a sequence: the matrix for any frequencies."""
    if isinstance(term, Power) and term.base == Symbol("base"):
        return Family("theta", Symbol(index))
    return rebuilt(term, tuple(_with_frequencies(part, index) for part in children(term)))


def prove_formula(subject: Subject) -> Proof:
    """The output is the proved rotation of the input.

    Code that branches on positions has no graph for all of them. It is refuted at some; else nothing is said.
    """
    try:
        return _against_formula(subject, run(subject))
    except Refused as refusal:
        undecided = Proof("undecided", str(refusal))
    try:
        found = _against_formula(subject, _run_far(subject))
    except Refused:
        return undecided
    return found if found.status == "refuted" else undecided


def _against_formula(subject: Subject, found: Run) -> Proof:
    pairs = _pairs(found.turned, formula(subject, found))
    answer = compared(found.program, pairs, draw=_feedable(subject, found.width))
    return _proof(found, answer, case=_case(found, answer))


def prove_isometry(subject: Subject) -> Proof:
    """|y|^2 = s^2 |x|^2 on the coordinates that turn, for every input."""
    try:
        found = run(subject)
    except Refused as refusal:
        return Proof("undecided", str(refusal))
    program, turning = found.program, found.width.rotary
    magnitude = program.power(found.execution.reader.number(subject.convention.magnitude), 2)
    pairs = [
        (
            program.dot(found.turned[place][:turning], found.turned[place][:turning]),
            program.multiply(magnitude, program.dot(x[:turning], x[:turning])),
        )
        for place, x in found.x.items()
    ]
    return _proof(found, compared(program, pairs))


def prove_gram(subject: Subject) -> Proof:
    """Scores of every query row with every key row do not change when all positions are shifted by s."""
    try:
        found = run(subject)
        moved = run(subject, program=found.program, change="shifted")
    except Refused as refusal:
        return Proof("undecided", str(refusal))
    pairs = list(zip(_scores(found), _scores(moved), strict=True))
    return _proof(found, compared(found.program, pairs), also="shifts")


def _scores(found: Run) -> list[int]:
    """Head 0 as queries, head 1 as keys."""
    turned, program = found.turned, found.program
    return [program.dot(turned[0, m], turned[1, n]) for m in range(ROWS) for n in range(ROWS)]


def prove_locality(subject: Subject) -> Proof:
    """An output row names its own input row and position alone, and every row is the same function of these.

    Where rows change places, with their positions, the outputs change places.
    """
    try:
        found = run(subject)
        cycled = run(subject, program=found.program, change="cycled")
    except Refused as refusal:
        return Proof("undecided", str(refusal))
    names = evaluated(found.program, (n for row in found.turned.values() for n in row), Dependencies())
    for (h, t), row in found.turned.items():
        strange = {name for node in row for name in names[node] if not _own(name, h, t)}
        if strange:
            return _proof(found, Answer("undecided", f"head {h}, row {t} names {min(map(str, strange))}"))
    moved = {place: found.turned[_next(subject, *place)] for place in found.turned}
    answer = compared(found.program, _pairs(cycled.turned, moved))
    if answer.status == "refuted":
        answer = Answer("undecided", "a row is turned otherwise in another place of the call")
    return _proof(found, answer)


def _own(name: Name, head: int, row: int) -> bool:
    if name.tensor == "x":
        return name.index[1:3] == (head, row)
    return name.tensor != "p" or name.index == (row,)


def prove_vjp(subject: Subject) -> Proof:
    """g . (R x) = (pulled back g) . x for every g and x: the backward graph is the transpose of the forward one."""
    width = width_of(subject)
    example = pattern(1, HEADS, ROWS, width.head, dtype=torch.float32).requires_grad_()
    if not subject.make(width).rotate(example, _whole(subject)).requires_grad:
        return Proof("refuted", "the output has no gradient", case=_at(width, _rows(subject)[:1]))
    try:
        found = run(subject)
        program, real = found.program, found.real_positions
        x = symbols(program, "x", (1, HEADS, ROWS, width.head))
        gradient = symbols(program, "g", (1, HEADS, ROWS, width.head))
        positions = of(found.positions, (ROWS,), torch.float32) if real else _whole(subject)
        reader = Reader(program, _abstractions(subject, width, program, found.frequencies, found.positions))
        traced = _traced_vjp(subject, width, real=real)
        (pulled,), execution = execute(traced, program, [x, positions, gradient], reader=reader)
    except Refused as refusal:
        return Proof("undecided", str(refusal))
    back, g = _grid(pulled), _grid(gradient)
    sides = [(program.dot(g[at], found.turned[at]), program.dot(back[at], found.x[at])) for at in sorted(found.x)]
    one, other = (program.total(side) for side in zip(*sides, strict=True))
    answer = compared(program, [(one, other)], draw=_feedable(subject, width))
    case = _at(width, _positions_of(found, answer))
    if answer.status == "refuted" and not algebra.vjp(subject, case).broken:  # code that keeps a state, for example
        answer = Answer("undecided", "the graphs of two calls differ, and the code agrees with itself at the point")
    return _proof(replace(found, traced=traced, execution=execution), answer, case=case)


def _positions_of(found: Run, answer: Answer) -> tuple[int, ...]:
    """The positions of the rows at the point of a refutation; those where they are numbers otherwise."""
    drawn = {str(name): value for name, value in answer.point.items()}
    return tuple(int(drawn.get(f"p[{t}]", 0)) for t in range(ROWS)) if found.real_positions else POSITIONS


def _at(width: Width, positions: Sequence[int]) -> dict[str, object]:
    return {"width": [width.head, width.rotary], "dtype": "float32", "positions": list(positions)}


@cache
def _traced_vjp(subject: Subject, width: Width, *, real: bool) -> Traced:
    instance = subject.make(width)
    x = pattern(1, HEADS, ROWS, width.head, dtype=torch.float32)
    return trace_vjp(instance.rotate, (x, torch.tensor(POSITIONS).float() if real else _whole(subject)))


def _pairs(one: Grid, other: Grid) -> list[tuple[int, int]]:
    return [pair for place in sorted(one) for pair in zip(one[place], other[place], strict=True)]


def _proof(found: Run, answer: Answer, *, also: str = "", case: dict[str, object] | None = None) -> Proof:
    what = ["inputs", "positions" if found.real_positions else "positions that a table holds", "frequencies"]
    shape = f"{HEADS} heads, {ROWS} rows, {found.width}"
    listed = ", ".join([*what[:-1], *([also] if also else [])])
    runs = [(found.traced, found.execution)]
    shown = certificate(f"all {listed} and {what[-1]}", shape, runs, conditions=answer.conditions)
    if answer.status == "refuted" and case is None:
        return Proof("undecided", "the exact forms differ", shown)
    return Proof(answer.status, answer.reason, shown, case or {})


def _feedable(subject: Subject, width: Width) -> Draw:
    """Points that the code can be called at: whole positions, and the frequencies that it declares."""
    values = subject.convention.turning(width.rotary)

    def draw(name: Name, chance: Random) -> Fraction:
        if name.tensor == "theta":
            return Fraction(values[name.index[0]])
        if name.tensor == "p":
            return Fraction(chance.choice((0, 1, 2, 3, 5, 7)))
        return feedable(name, chance)

    return draw


def _case(found: Run, answer: Answer) -> dict[str, object] | None:
    """The point as a case of the law: the input and the positions at which the code differs from its formula."""
    if answer.status != "refuted":
        return None
    point = {str(name): value for name, value in answer.point.items()}
    x = [
        [[float(point.get(f"x[0,{h},{t},{k}]", 0)) for k in range(found.width.head)] for t in range(ROWS)]
        for h in range(HEADS)
    ]
    positions = list(found.at) or [int(point.get(f"p[{t}]", 0)) for t in range(ROWS)]
    return {
        "width": [found.width.head, found.width.rotary],
        "dtype": "float32",
        "shape": [1, HEADS],
        "positions": positions,
        "x": [x],
    }


def all_proofs(subject: Subject) -> Iterable[tuple[str, Proof]]:
    yield "formula", prove_formula(subject)
    yield "isometry", prove_isometry(subject)
    yield "gram", prove_gram(subject)
    yield "locality", prove_locality(subject)
    yield "vjp", prove_vjp(subject)
