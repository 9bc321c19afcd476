"""What the catalogue says a score is, at a definite size: four terms and the gather of the shift, read off theorems.

The statement is about matrices of any size. Here x_m is the query and x_n the key, the projections are the identity,
so they fall out of products, and P(o) times its fixed vector is the row of the offset o: the theorem holds for these as
for all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from derivations.kernel.cells import Cell
from derivations.kernel.terms import MatrixFamily, MatrixSymbol, Multiply, Term, Transpose, children, rebuilt
from posproofs.errors import Refused
from posproofs.laws.score_calls import Tokens
from posproofs.laws.theorems import Derivations
from posproofs.mutants.backend import torch
from posproofs.symbolic.formula import Formula
from posproofs.symbolic.program import Program

if TYPE_CHECKING:
    from torch import Tensor

    from derivations import rel_shift, transformer_xl
else:
    rel_shift, transformer_xl = Derivations("rel_shift"), Derivations("transformer_xl")

PROJECTIONS = ("W_q", "W_k", "W_r")
Column = list[list[int]]
Row = Callable[[int, int], list[int]]
"""(head, offset) -> the nodes of the row of that offset."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that code makes itself: sin(o w_i) and cos(o w_i) in these columns, then mapped by weights (head, D, d)."""

    frequencies: tuple[int, ...]
    sines: tuple[int, ...]
    cosines: tuple[int, ...]

    def row(self, program: Program, offset: int) -> list[int]:
        """The D entries of one offset."""
        entries = [program.zero] * (2 * len(self.frequencies))
        for omega, sine, cosine in zip(self.frequencies, self.sines, self.cosines, strict=True):
            angle = program.multiply(program.constant_of(offset), omega)
            entries[sine], entries[cosine] = program.sin(angle), program.cos(angle)
        return entries


def four_terms(program: Program, sequence: Tokens, memory: int, table: Table | None, scale: str) -> Tensor:
    """The nodes (batch, head, query, key) of the four terms; the first `memory` tokens are no queries."""
    row = _rows(program, sequence, table)
    term = _score_term()

    def score(b: int, h: int, i: int, j: int) -> int:
        given = {
            "x_m": sequence.q[b, h, i],
            "x_n": sequence.k[b, h, j],
            "u": sequence.u[h],
            "v": sequence.v[h],
        }
        columns = {name: [[node] for node in nodes.tolist()] for name, nodes in given.items()}
        return _value(program, term, columns, {"m": i, "n": j}, lambda offset: row(h, offset))

    return _each(program, sequence, memory, scale, score)


def gathered(program: Program, sequence: Tokens, table: Table | None, scale: str) -> Tensor:
    """The nodes of q_i . r_t, with the column t that the theorem of the relative shift names; there is no memory."""
    row = _rows(program, sequence, table)
    count, column = sequence.count, _column_term()

    def score(b: int, h: int, i: int, j: int) -> int:
        t = Formula(program, {"i": i, "j": j, "L": count, "K": count}, {}, {}, {}).index(column)
        return program.dot(sequence.q[b, h, i].tolist(), row(h, count - t))  # column t holds the offset K - t

    return _each(program, sequence, 0, scale, score)


def _each(
    program: Program, sequence: Tokens, memory: int, scale: str, score: Callable[[int, int, int, int], int]
) -> Tensor:
    batch, heads, count, width = sequence.q.shape
    factor = _factor(program, scale, width)
    made = [
        program.multiply(factor, score(b, h, i, j))
        for b in range(batch)
        for h in range(heads)
        for i in range(memory, count)
        for j in range(count)
    ]
    return torch.tensor(made).reshape(batch, heads, count - memory, count)


def _factor(program: Program, scale: str, width: int) -> int:
    """The declared scale as an exact number."""
    under = {"none": 1, "1/sqrt(d)": width, "1/sqrt(2d)": 2 * width}[scale]
    return program.invert(program.root(program.constant_of(under)))


def _rows(program: Program, sequence: Tokens, table: Table | None) -> Row:
    """Given rows stand in the sequence, that of offset o in place T - o; own rows are the table times the weights."""
    if table is None:
        return lambda h, offset: sequence.r[h, sequence.count - offset].tolist()

    @cache
    def own(h: int, offset: int) -> list[int]:
        entries = table.row(program, offset)
        return [program.dot(entries, column) for column in sequence.r[h].t().tolist()]

    return own


@cache
def _score_term() -> Term:
    """The sum of the four terms (a) to (d), as the theorem states it."""
    theorem = transformer_xl.SCORE.check().theorem
    assert theorem is not None, "the catalogue is proved"
    return theorem.statement.left


@cache
def _column_term() -> Term:
    """The column of X that stands at (i, j) after the shift."""
    theorem = rel_shift.BIDIRECTIONAL.check().theorem
    assert theorem is not None, "the catalogue is proved"
    cells = (theorem.statement.left, theorem.statement.right)
    (cell,) = (side for side in cells if isinstance(side, Cell))
    return cell.column


def _value(
    program: Program, term: Term, columns: dict[str, Column], whole: dict[str, int], row: Callable[[int], list[int]]
) -> int:
    """The node of a scalar term: its vectors are these columns, a family times its vector the row of its offset."""
    placing = Formula(program, whole, {}, {}, {})
    known = dict(columns)

    def placed(part: Term) -> Term:
        if not isinstance(part, Multiply):
            return rebuilt(part, tuple(placed(inner) for inner in children(part)))
        factors = tuple(factor for factor in part.factors if not _is_projection(factor))
        match factors:
            case (MatrixFamily(name, argument, size), MatrixSymbol(_, _, one)):
                offset = placing.index(argument)
                letter = MatrixSymbol(f"{name}_{'back' if offset < 0 else 'at'}_{abs(offset)}", size, one)
                known[letter.name] = [[entry] for entry in row(offset)]
                return letter
            case (only,):
                return placed(only)
        return Multiply(tuple(placed(factor) for factor in factors))

    value, imaginary = Formula(program, whole, {}, {}, known).scalar(placed(term))
    if imaginary != program.zero:
        raise Refused("a score is real")
    return value


def _is_projection(factor: Term) -> bool:
    letter = factor.argument if isinstance(factor, Transpose) else factor
    return isinstance(letter, MatrixSymbol) and letter.name in PROJECTIONS
