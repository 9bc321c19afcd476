"""Kernel terms and statements as plain text, one line each: what commands, reports and emitted headers print.

This is the only printer of kernel terms. It drops nothing that changes the meaning: factors of matrices keep their
order, sums and blocks name their index and count, and parentheses stand wherever another reading was possible.
"""

from __future__ import annotations

from fractions import Fraction

from derivations.kernel.cells import Cell, Reading
from derivations.kernel.statement import Hypothesis, Statement
from derivations.kernel.terms import (
    Add,
    Apply,
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
    Multiply,
    Number,
    Pi,
    Power,
    Size,
    Symbol,
    Term,
    Transpose,
    free_names,
    walk,
)

# How tightly an expression holds together; a part that holds less tightly than its place wants parentheses.
_SUM, _TERM, _SIGNED, _FACTOR, _ATOM = range(5)
_MATRICES = (Matrix, Block, MatrixSymbol, MatrixFamily, Identity, Transpose)
_Printed = tuple[str, int]


def term_text(term: Term) -> str:
    """A term on one line, in ASCII: `I` is the imaginary unit, `Id(2h)` the identity matrix, `^T` the transpose.

    >>> from derivations.kernel.terms import Symbol, Transpose, MatrixFamily, Multiply, Size
    >>> R = lambda name: MatrixFamily("R", Symbol(name), Size(1, "d"), "rotation")
    >>> term_text(Multiply((Transpose(R("m")), R("n"))))
    'R(m)^T R(n)'
    """
    return _printed(term)[0]


def _at_least(term: Term, level: int) -> str:
    text, own = _printed(term)
    return text if own >= level else f"({text})"


def _printed(term: Term) -> _Printed:
    match term:
        case Number(re, im):
            return _number(re, im)
        case Add(parts):
            return _added(parts)
        case Multiply(parts):
            return _multiplied(parts)
        case Power(base, exponent):
            return _power(base, exponent)
        case IndexedSum(index, count, body):
            return f"sum_{{{index}<{term_text(count)}}} {_at_least(body, _SIGNED)}", _TERM
        case Derivative(body, by):
            return f"d/d{by} {_at_least(body, _ATOM)}", _TERM
        case Transpose(argument):
            return f"{_at_least(argument, _ATOM)}^T", _FACTOR
        case _:
            return _atom(term), _ATOM


def _atom(term: Term) -> str:
    match term:
        case Pi():
            return "pi"
        case Symbol(name) | MatrixSymbol(name):
            return name
        case Family(name, index):
            return f"{name}[{term_text(index)}]"
        case Cell(name, row, column):
            return f"{name}[{term_text(row)}, {term_text(column)}]"
        case Reading(name, flat, width):
            return f"{name}.flat[{term_text(flat)}; rows of {term_text(width)}]"
        case Function(name, argument) | MatrixFamily(name, argument):
            return f"{name}({term_text(argument)})"
        case Apply(operator, argument):
            return f"{operator}({term_text(argument)})"
        case Determinant(argument):
            return f"det({term_text(argument)})"
        case Identity(size):
            return f"Id({size_text(size)})"
        case Matrix(rows):
            return "[" + ", ".join(f"[{', '.join(map(term_text, row))}]" for row in rows) + "]"
        case Block():
            return _block(term)
        case _:
            raise TypeError(f"no plain text for {type(term).__name__}; a new kind of term needs a case here")


def _number(re: Fraction, im: Fraction) -> _Printed:
    if im == 0:
        level = _SIGNED if re < 0 else _ATOM if re.denominator == 1 else _FACTOR
        return str(re), _SIGNED if level == _FACTOR else level
    turn = {Fraction(1): "I", Fraction(-1): "-I"}.get(im) or f"{im}*I"
    if re == 0:
        return turn, _ATOM if im == 1 else _SIGNED
    sign = "-" if im < 0 else "+"
    return f"{re} {sign} {turn.removeprefix('-')}", _SUM


def _added(parts: tuple[Term, ...]) -> _Printed:
    if len(parts) == 1:
        return _printed(parts[0])
    text = ""
    for k, part in enumerate(parts):
        # An indexed sum reaches as far right as it can, so it stands free at the end only.
        piece = _at_least(part, _TERM if k == len(parts) - 1 else _SIGNED)
        if k == 0:
            text = piece
        elif piece.startswith("-"):
            text += f" - {piece[1:]}"
        else:
            text += f" + {piece}"
    return text, _SUM


def _flat(parts: tuple[Term, ...]) -> list[Term]:
    """The factors with nested products opened: (a b) c is a b c."""
    return [leaf for part in parts for leaf in (_flat(part.factors) if isinstance(part, Multiply) else [part])]


def _multiplied(parts: tuple[Term, ...]) -> _Printed:
    factors = _flat(parts)
    sign = ""
    while len(factors) > 1 and factors[0] == Number(Fraction(-1)):
        sign, factors = "" if sign else "-", factors[1:]
    below = [x for f in factors if (x := _reciprocal(f)) is not None]
    above = [f for f in factors if _reciprocal(f) is None]
    if len(factors) == 1 and not below:
        return (f"-{_at_least(factors[0], _FACTOR)}", _SIGNED) if sign else _printed(factors[0])
    text = sign + (_side_by_side(above) or "1")
    for factor in below:
        text += f"/{_at_least(factor, _FACTOR)}"
    return text, _SIGNED


def _side_by_side(factors: list[Term]) -> str:
    """Scalars joined by *, a matrix set off by a space; a negative or fractional number may lead."""
    text = ""
    for k, factor in enumerate(factors):
        leads = k == 0 and isinstance(factor, Number) and factor.im == 0 and factor.re.denominator == 1
        piece = _at_least(factor, _SIGNED if leads else _FACTOR)
        gap = " " if is_matrix(factor) or (k and is_matrix(factors[k - 1])) else "*"
        text = f"{text}{gap}{piece}" if k else piece
    return text


def _reciprocal(term: Term) -> Term | None:
    """x where the term is 1/x, written as a power with a negative number; else None."""
    match term:
        case Power(base, Number(re, Fraction(numerator=0))) if re < 0:
            return base if re == -1 else Power(base, Number(-re))
        case _:
            return None


def _power(base: Term, exponent: Term) -> _Printed:
    below = _reciprocal(Power(base, exponent))
    if below is not None:
        return f"1/{_at_least(below, _FACTOR)}", _SIGNED
    above = _at_least(exponent, _ATOM)
    return f"{_at_least(base, _ATOM)}^{f'({above})' if above == 'T' else above}", _FACTOR  # x^T is a transpose


def is_matrix(term: Term) -> bool:
    """Whether a term is written as a matrix or a vector."""
    match term:
        case Add(parts) | Multiply(parts):
            return any(is_matrix(part) for part in parts)
        case _:
            return isinstance(term, _MATRICES)


def _block(term: Block) -> str:
    """`block` maps groups of coordinates to groups of coordinates; `vector` is a column of groups."""
    rows = layout_text(term.rows)
    where = rows if term.columns in (None, term.rows) else f"{rows} from {layout_text(term.columns)}"
    index = f"{term.index}<{term_text(term.count)}"
    if term.columns is None:
        return f"vector[{index}, {where}]({', '.join(term_text(row[0]) for row in term.entries)})"
    body = ", ".join(f"({', '.join(map(term_text, row))})" for row in term.entries)
    return f"block[{index}, {where}]({body})"


def layout_text(layout: Layout | None) -> str:
    """`interleaved` or `half-split`; slots out of order are listed by the place that each takes in its group."""
    if layout is None or len(layout.slots) == 1:
        return "one by one"
    size = len(layout.slots)
    strided = all((slot.stride, slot.counts) == (size, 0) for slot in layout.slots)
    order = [slot.offset if strided else slot.counts for slot in layout.slots]
    name = "interleaved" if strided else "half-split" if size == 2 else "split"
    return name if order == sorted(order) else f"{name} {'-'.join(map(str, order))}"


def size_text(size: Size) -> str:
    """A size for people: 3, d, 2h."""
    if not size.name:
        return str(size.multiple)
    return size.name if size.multiple == 1 else f"{size.multiple}{size.name}"


def hypothesis_text(hypothesis: Hypothesis) -> str:
    """`c^2 + s^2 = 1`, `a != 0`, `base > 0`, with the names over which it is quantified."""
    sign = {"equal": "=", "nonzero": "!=", "positive": ">", "nonnegative": ">="}[hypothesis.kind]
    text = f"{term_text(hypothesis.left)} {sign} {term_text(hypothesis.right)}"
    return f"{text} for every {', '.join(hypothesis.forall)}" if hypothesis.forall else text


def statement_text(statement: Statement) -> str:
    """The equation on one line, with its hypotheses behind `if`."""
    equation = f"{term_text(statement.left)} = {term_text(statement.right)}"
    conditions = " and ".join(hypothesis_text(h) for h in statement.hypotheses)
    return f"{equation} if {conditions}" if conditions else equation


def scope_text(statement: Statement) -> str:
    """For which values the equation is claimed: counts, indices, reals, sequences, functions and matrices."""
    nodes = [node for side in statement.terms() for node in walk(side)]
    quantified = frozenset[str]().union(*(h.forall for h in statement.hypotheses))
    sides = free_names(statement.left) | free_names(statement.right)
    free, counts = statement.names() - (quantified - sides), statement.counts()
    bound = counts | statement.indices() | _size_names(nodes)
    reals = sorted({n.name for n in nodes if isinstance(n, Symbol)} & free - bound)
    sequences = sorted({n.name for n in nodes if isinstance(n, Family)} & free)
    functions = sorted({n.name for n in nodes if isinstance(n, Function)} & free)
    stored = sorted({n.name for n in nodes if isinstance(n, (Cell, Reading))} & free)
    ranges = [f"{r.index} = 0..{term_text(r.count)}-1" for r in statement.ranges]
    parts = [*(f"{name} >= 1" for name in sorted(counts | _size_names(nodes))), *ranges]
    parts += [f"real {', '.join(reals)}"] if reals else []
    parts += [f"real sequences {', '.join(sequences)}"] if sequences else []
    parts += [f"smooth functions {', '.join(functions)}"] if functions else []
    parts += [f"real matrices {', '.join(stored)}"] if stored else []
    parts += sorted({_matrix_scope(n) for n in nodes if isinstance(n, (MatrixSymbol, MatrixFamily))})
    return "for all " + "; ".join(parts) if parts else "no variables"


def _size_names(nodes: list[Term]) -> frozenset[str]:
    sizes: list[Size] = []
    for node in nodes:
        match node:
            case MatrixSymbol(_, rows, columns):
                sizes += [rows, columns]
            case MatrixFamily(_, _, size) | Identity(size):
                sizes.append(size)
            case _:
                pass
    return frozenset(size.name for size in sizes if size.name)


def _matrix_scope(term: MatrixSymbol | MatrixFamily) -> str:
    if isinstance(term, MatrixSymbol):
        return f"real matrices {term.name} ({size_text(term.rows)} x {size_text(term.columns)})"
    extent = size_text(term.size)
    kind = "rotation families" if term.kind == "rotation" else "families of real matrices"
    return f"{kind} {term.name}(.) ({extent} x {extent})"
