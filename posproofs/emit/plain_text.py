"""Terms and statements in plain letters, for the headers of emitted files and for error messages."""

from __future__ import annotations

from derivations.kernel.statement import Hypothesis, Statement
from derivations.kernel.terms import (
    Block,
    Derivative,
    Determinant,
    Family,
    Function,
    Identity,
    IndexedSum,
    Layout,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Slot,
    Symbol,
    Term,
    Transpose,
)
from posproofs.emit.expressions import Dialect, code
from posproofs.errors import NotEmittable


def plain(term: Term) -> str:
    """Any term on one line."""
    return code(term, PLAIN, {})


def described(term: Term) -> str:
    """A node for an error message: its kind and its text."""
    return f"{type(term).__name__} {plain(term)}"


def refuse(term: Term) -> str:
    """The answer of the code dialects to a node that has no executable reading."""
    raise NotEmittable(
        f"the node {described(term)} has no executable reading; wanted numbers, symbols, sums, products, powers, "
        "exp, log, cos and sin"
    )


def coordinate(slot: Slot, index: str, count: str) -> str:
    """The coordinate of a slot: 2*i + 1, or i + h."""
    parts = [(slot.stride, index), (slot.counts, count), (slot.offset, "")]
    shown = [f"{k}*{name}" if name and k != 1 else name or str(k) for k, name in parts if k]
    return " + ".join(shown) or "0"


def rows_of(vector: Block, name: str) -> list[str]:
    """A block vector row by row: name[coordinate] = entry."""
    heads = [f"{name}[{coordinate(slot, vector.index, plain(vector.count))}]" for slot in vector.rows.slots]
    width = max(map(len, heads))
    return [f"{head:<{width}} = {plain(row[0])}" for head, row in zip(heads, vector.entries, strict=True)]


def hypothesis_text(hypothesis: Hypothesis) -> str:
    """A hypothesis on one line: base > 0."""
    sign = {"equal": "=", "nonzero": "!=", "positive": ">"}[hypothesis.kind]
    scope = f" for all {', '.join(hypothesis.forall)}" if hypothesis.forall else ""
    return f"{plain(hypothesis.left)} {sign} {plain(hypothesis.right)}{scope}"


def statement_text(statement: Statement) -> list[str]:
    """The equation, then one line for each hypothesis."""
    equation = f"{plain(statement.left)} = {plain(statement.right)}"
    ranges = [f"for {r.index} = 0..{plain(r.count)}-1" for r in statement.ranges]
    return [equation, *ranges, *(f"provided that {hypothesis_text(h)}" for h in statement.hypotheses)]


def _letters(term: Term) -> str:
    match term:
        case Symbol(name) | MatrixSymbol(name):
            return name
        case Family(name, index):
            return f"{name}[{plain(index)}]"
        case Function(name, argument) | MatrixFamily(name, argument):
            return f"{name}({plain(argument)})"
        case IndexedSum(index, count, body):
            return f"sum({plain(body)}, {index} = 0..{plain(count)}-1)"
        case Derivative(body, by):
            return f"d/d{by} ({plain(body)})"
        case Matrix(rows):
            return f"[{', '.join(_row(row) for row in rows)}]"
        case Block():
            return _block(term)
        case Transpose(argument):
            return f"transpose({plain(argument)})"
        case Determinant(argument):
            return f"det({plain(argument)})"
        case Identity():
            return "identity"
        case _:
            return repr(term)


def _row(row: tuple[Term, ...]) -> str:
    return f"[{', '.join(plain(entry) for entry in row)}]"


def _block(term: Block) -> str:
    count = plain(term.count)
    places = _places(term.rows, term.index, count)
    if term.columns is None:
        return f"vector({places} <- {', '.join(plain(row[0]) for row in term.entries)})"
    if term.columns != term.rows:
        places = f"{places} <- {_places(term.columns, term.index, count)}"
    return f"blocks({places}: [{', '.join(_row(row) for row in term.entries)}])"


def _places(layout: Layout, index: str, count: str) -> str:
    return ", ".join(coordinate(slot, index, count) for slot in layout.slots)


_FUNCTIONS = {name: name for name in ("exp", "log", "cos", "sin", "conjugate", "re", "im", "sqrt")}
PLAIN = Dialect("*", "/", "pi", "I", _FUNCTIONS, _letters)
