"""Proofs about the rows that code makes for offsets: the graph of its table is executed with symbols for frequencies.

Offsets are whole numbers, and what code does with one is done; an offset times a frequency stays exact. So the rows of
past and future are sines and cosines of the same symbols, and are compared as such.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from posproofs.errors import Refused
from posproofs.laws import score_index
from posproofs.laws.score_calls import base_case
from posproofs.laws.score_formula import Table
from posproofs.laws.scored import ScoreSubject, Size
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import frequencies, slots
from posproofs.symbolic.abstractions import Frequencies, Sinusoids
from posproofs.symbolic.comparing import Answer, compared
from posproofs.symbolic.execution import Execution, execute
from posproofs.symbolic.program import Program
from posproofs.symbolic.proof import Proof, certificate, together
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.tracing import Traced, trace

if TYPE_CHECKING:
    from torch import Tensor


def prove_rows(subject: ScoreSubject, asked: Iterable[tuple[Size, int]]) -> Proof:
    """Rows o and -o differ by those of the formula: in the sines, which are odd, and in no cosine, which are even.

    asked: sizes, and how many tokens there are. The first that is refuted or undecided decides.
    """
    shown = []
    for size, queries in asked:
        try:
            found = _at(subject, size, queries)
        except Refused as refusal:
            return Proof("undecided", str(refusal))
        if found.status != "proved" or found.certificate is None:
            return found
        shown.append(found.certificate)
    return Proof("proved", "", together(shown))


def _at(subject: ScoreSubject, size: Size, queries: int) -> Proof:
    program = Program()
    rows, theta, values, run = _rows(subject, program, size, queries)
    if not _names_of(program, rows):
        raise Refused("the rows are a table of numbers, and their law compares numbers")
    sines, cosines = slots(subject.convention.table or "half-split", rows.shape[1])
    formula, first = Table(theta, tuple(sines), tuple(cosines)), queries - (subject.convention.first == "K-1")
    if len(rows) != first + queries:
        raise Refused(f"a table of {first + queries} offsets was declared, saw {len(rows)} rows")
    pairs = []
    for offset in range(1, queries):
        code = (rows[first - offset].tolist(), rows[first + offset].tolist())
        wanted = (formula.row(program, offset), formula.row(program, -offset))
        pairs += list(zip(_difference(program, *code), _difference(program, *wanted), strict=True))
    answer = compared(program, pairs, draw=lambda name, _chance: Fraction(values[name.index[0]]))
    shown = certificate("all frequencies", f"{size}, {queries} tokens", [run], conditions=answer.conditions)
    return _proof(subject, answer, shown=Proof("proved", "", shown), case=_case(size, queries))


def _names_of(program: Program, rows: Tensor) -> bool:
    """Whether a symbol stands in the rows."""
    return any(program.nodes[k].operation == "symbol" for k in program.needed(rows.flatten().tolist()))


def _proof(subject: ScoreSubject, answer: Answer, *, shown: Proof, case: dict[str, object]) -> Proof:
    if answer.status == "proved":
        return shown
    if answer.status == "refuted" and not score_index.negative(subject, case).broken:
        answer = Answer("undecided", "the table is not read, and the code is right there")
    return Proof(answer.status, answer.reason, shown.certificate, case if answer.status == "refuted" else {})


def _case(size: Size, queries: int) -> dict[str, object]:
    return {**base_case(size, "float32"), "queries": queries}


def _difference(program: Program, one: list[int], other: list[int]) -> list[int]:
    return [program.subtract(a, b) for a, b in zip(one, other, strict=True)]


def _rows(
    subject: ScoreSubject, program: Program, size: Size, queries: int
) -> tuple[Tensor, tuple[int, ...], list[float], tuple[Traced, Execution]]:
    """The nodes of the rows, those of the frequencies and their declared values, and the run that made the rows."""
    try:
        return _executed(subject, program, _traced(subject, size, queries, "called"))
    except Refused:  # an operator without a rule, which may be written with others that have one
        return _executed(subject, program, _traced(subject, size, queries, "core"))


def _executed(
    subject: ScoreSubject, program: Program, traced: tuple[Traced, int, int]
) -> tuple[Tensor, tuple[int, ...], list[float], tuple[Traced, Execution]]:
    graph, width, reach = traced
    theta = tuple(program.symbol("theta", (i,)) for i in range(width // 2))
    values = frequencies(width, subject.convention.base).tolist()
    waves = Sinusoids(program, values, theta, range(reach + 1))
    reader = Reader(program, (waves,), (Frequencies(values, theta),))
    (made,), execution = execute(graph, program, [], reader=reader)
    return execution.lifted(made).nodes.reshape(-1, width), theta, values, (graph, execution)


def _traced(
    subject: ScoreSubject, size: Size, queries: int, level: Literal["called", "core"]
) -> tuple[Traced, int, int]:
    """The graph of the table for that many queries and keys, how wide it is, and the furthest offset."""
    kind = torch.float64  # where a table is read as sines of a frequency beyond doubt
    table = subject.make(size, kind).table
    if table is None or subject.convention.table is None:
        raise Refused("the library makes no rows for keys after the query")
    width = int(table(queries, queries, kind).shape[-1])
    made = subject.make(size, kind).table
    assert made is not None
    return trace(lambda: made(queries, queries, kind), (), level=level), width, queries
