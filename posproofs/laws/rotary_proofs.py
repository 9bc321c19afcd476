"""Proofs about rotary code: its graph is executed over symbols and compared with the formula that the kernel proved.

Two heads, three rows and two pairs: with one pair the layouts agree, with one row a confused axis is not seen, and two
heads serve as query and key. The formula is asked at further sizes too, and at far positions (`rotary_runs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from derivations.kernel.terms import Block, Family, Multiply, Power, Symbol, Term, children, rebuilt
from posproofs.errors import Refused
from posproofs.laws import algebra, declaration
from posproofs.laws.calling import pair_slots, pattern
from posproofs.laws.rotary_runs import (
    CALLS,
    FIRST,
    POSITIONS,
    TOGETHER,
    Call,
    Grid,
    Run,
    abstractions,
    following,
    graph,
    grid,
    rows_at,
    run,
    run_whole,
    taken,
    whole,
    whole_positions,
    width_of,
)
from posproofs.laws.subject import Pairs, Subject, Width
from posproofs.laws.theorems import Derivations
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout
from posproofs.symbolic.comparing import Answer, Draw, compared, feedable
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.dependencies import Dependencies
from posproofs.symbolic.execution import execute
from posproofs.symbolic.formula import Formula
from posproofs.symbolic.program import Name, Program
from posproofs.symbolic.proof import Certificate, Proof, certificate, together
from posproofs.symbolic.readings import NotANumber, Reader
from posproofs.symbolic.tensors import of, symbols

if TYPE_CHECKING:
    from derivations import rotary
else:
    rotary = Derivations("rotary")


def formula(subject: Subject, found: Run) -> Grid:
    """What the proved rotation gives for the same symbols, in the declared layout, direction and magnitude."""
    declared, width, program = subject.convention, found.width, found.program
    layout = declared.reads if isinstance(declared.reads, str) else "half-split"
    read, written = (_places(layout, own, width) for own in (declared.reads, declared.writes))
    magnitude = found.execution.reader.number(declared.magnitude)  # as the code's own constant is read
    matrices = []
    for position in found.positions:
        at = program.add(position, program.constant_of(declared.first))
        angle = at if declared.sign > 0 else program.negate(at)
        rows = _rotation(program, layout, found.frequencies, angle)
        matrix = [[program.zero] * width.head for _ in range(width.head)]
        for k in set(range(width.head)) - set(read.values()):
            matrix[k][k] = program.one
        for row in range(width.rotary):
            for column in range(width.rotary):
                matrix[written[row]][read[column]] = program.multiply(magnitude, rows[row][column])
        matrices.append(matrix)
    return {place: [program.dot(entries, x) for entries in matrices[place[2]]] for place, x in found.x.items()}


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
    """The output is the proved rotation of the input: in calls of several sizes, and of far positions.

    Code that branches on positions has no graph for all of them. It is refuted at some; else nothing is said.
    """
    shown: list[Certificate] = []
    undecided = ""
    for found in _asked(subject):
        if found.status == "refuted":
            return found
        if found.status == "undecided":
            undecided = undecided or found.reason
        elif found.certificate is not None:
            shown.append(found.certificate)
    if undecided:
        return Proof("undecided", undecided)
    far = [p for at in whole_positions(subject) for p in at]
    return Proof("proved", "", together(shown, f"{len(far)} whole positions to {max(far)}" if far else ""))


def _asked(subject: Subject) -> Iterator[Proof]:
    """The formula at each size, and, if nothing refutes it there, at each set of whole positions."""
    for call in CALLS:
        try:
            ran = run(subject, call)
            found = _against_formula(subject, ran)
        except Refused as refusal:
            yield Proof("undecided", str(refusal))
            break
        # Where rows are counted, or look up a table, angles may be numbers, rounded as the code rounds them.
        yield found if ran.real_positions else _confirmed(subject, found)
    for at in whole_positions(subject):
        try:
            found = _against_formula(subject, run_whole(subject, at, frequencies="symbols"))
        except Refused:
            found = _with_numbers(subject, at)
        yield _confirmed(subject, found)


def _with_numbers(subject: Subject, at: tuple[int, ...]) -> Proof:
    """At positions where frequencies are numbers too. A call that gives NaN is wrong for every input."""
    try:
        return _against_formula(subject, run_whole(subject, at, frequencies="numbers"))
    except NotANumber as refusal:
        width = width_of(subject)
        x = torch.ones(TOGETHER.batch, TOGETHER.heads, TOGETHER.rows, width.head)
        case = {**_at(width, at), "shape": [TOGETHER.batch, TOGETHER.heads], "x": x.tolist()}
        return Proof("refuted", str(refusal), case=case)
    except Refused as refusal:
        return Proof("undecided", f"at the positions {', '.join(map(str, at))}: {refusal}")


def _confirmed(subject: Subject, found: Proof) -> Proof:
    """At numbers, forms may differ by what rounding made of a table: a refutation is one if the code differs too."""
    try:
        right = found.status == "refuted" and not declaration.measure(subject, found.case).broken
    except Exception as failure:  # noqa: BLE001 - code of others may raise anything; its cases report it
        return Proof("undecided", f"the code fails at the point: {type(failure).__name__}")
    reason = "a table of numbers is not read as sines and cosines, and the code is right at the point"
    return Proof("undecided", reason) if right else found


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
    rows = range(TOGETHER.rows)
    return [program.dot(turned[0, 0, m], turned[0, 1, n]) for m in rows for n in rows]


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
    for (_, h, t), row in found.turned.items():
        strange = {name for node in row for name in names[node] if not _own(name, h, t)}
        if strange:
            return _proof(found, Answer("undecided", f"head {h}, row {t} names {min(map(str, strange))}"))
    moved = {(b, h, t): found.turned[b, *following(subject, h, t)] for b, h, t in found.turned}
    answer = compared(found.program, _pairs(cycled.turned, moved))
    if answer.status == "refuted":
        answer = Answer("undecided", "a row is turned otherwise in another place of the call")
    return _proof(found, answer)


def _own(name: Name, head: int, row: int) -> bool:
    if name.tensor == "x":
        return name.index[1:3] == (head, row)
    return name.tensor != "p" or name.index == (row,)


def prove_vjp(subject: Subject) -> Proof:
    """g . (R x) = (pulled back g) . x for every g and x: the backward graph is the transpose of the forward one.

    In a call of several heads and rows, and in one of a single row.
    """
    shown: list[Certificate] = []
    for call in CALLS[:2]:
        found = _transposed(subject, call)
        if found.status != "proved" or found.certificate is None:
            return found
        shown.append(found.certificate)
    return Proof("proved", "", together(shown))


def _transposed(subject: Subject, call: Call) -> Proof:
    width, order = width_of(subject), range(call.rows)
    shape = (call.batch, call.heads, call.rows, width.head)
    example = pattern(*shape, dtype=torch.float32).requires_grad_()
    if not subject.make(width).rotate(example, whole(subject, order)).requires_grad:
        return Proof("refuted", "the output has no gradient", case=_at(width, rows_at(subject)[:1]))
    try:
        found = run(subject, call)
        program, real = found.program, found.real_positions
        x, gradient = symbols(program, "x", shape), symbols(program, "g", shape)
        given = of(found.positions, (call.rows,), torch.float32) if real else whole(subject, order)
        reader = Reader(program, abstractions(subject, program, found.frequencies, found.positions))
        traced = graph(subject, call, taken(subject), "vjp")
        (pulled,), execution = execute(traced, program, [x, given, gradient], reader=reader)
    except Refused as refusal:
        return Proof("undecided", str(refusal))
    back, g = grid(pulled), grid(gradient)
    sides = [(program.dot(g[at], found.turned[at]), program.dot(back[at], found.x[at])) for at in sorted(found.x)]
    one, other = (program.total(side) for side in zip(*sides, strict=True))
    answer = compared(program, [(one, other)], draw=_feedable(subject, width))
    case = _at(width, _positions_of(found, answer))
    if answer.status == "refuted" and not algebra.vjp(subject, case).broken:  # code that keeps a state, for example
        answer = Answer("undecided", "the graphs of two calls differ, and the code agrees with itself at the point")
    return _proof(replace(found, traced=traced, execution=execution), answer, case=case)


def _positions_of(found: Run, answer: Answer) -> tuple[int, ...]:
    """The positions of the rows at the point of a refutation; those where they are numbers otherwise."""
    rows, drawn = range(found.call.rows), {str(name): value for name, value in answer.point.items()}
    return tuple(int(drawn.get(f"p[{t}]", 0)) if found.real_positions else POSITIONS[t] for t in rows)


def _at(width: Width, positions: Sequence[int]) -> dict[str, object]:
    return {"width": [width.head, width.rotary], "dtype": "float32", "positions": list(positions)}


def _pairs(one: Grid, other: Grid) -> list[tuple[int, int]]:
    return [pair for place in sorted(one) for pair in zip(one[place], other[place], strict=True)]


def _proof(found: Run, answer: Answer, *, also: str = "", case: dict[str, object] | None = None) -> Proof:
    what = ["inputs", "positions" if found.real_positions else "positions that a table holds", "frequencies"]
    shape = "" if found.at else f"{found.call}, {found.width}"
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
    x = torch.zeros(found.call.batch, found.call.heads, found.call.rows, found.width.head, dtype=torch.float64)
    for b, h, t in found.x:
        x[b, h, t] = torch.tensor([float(point.get(f"x[{b},{h},{t},{k}]", 0)) for k in range(found.width.head)])
    given = [int(point.get(f"p[{t}]", 0)) for t in range(found.call.rows)]
    at = list(found.at) or (given if found.real_positions or any(given) else _consecutive(found))
    return {**_at(found.width, at), "shape": [found.call.batch, found.call.heads], "x": x.tolist()}


def _consecutive(found: Run) -> list[int]:
    """The positions of rows that the graph does not name: it holds those at which it was made."""
    return list(range(FIRST, FIRST + found.call.rows))
