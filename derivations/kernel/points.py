"""A statement at a point, by enclosing balls on the sides as they were written: what a refutation rests on.

This reads terms and shares no code with the normal forms. A sequence, a function or a matrix gets definite values at a
point: rationals for sequences, polynomials for functions, rational matrices, and for a rotation family powers of fixed
rational rotations (so its arguments must be integers there).

Sound: a ball contains the value of the term as it was written, and a term that has none at the point (a divisor that
may be zero, a logarithm of what may not be positive) has no ball: Indeterminate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from derivations.kernel import balls
from derivations.kernel.balls import Ball
from derivations.kernel.budget import spend
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.nodes import NUMBER_BITS
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Identity,
    IndexedSum,
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
    number,
)

Rows = tuple[tuple[Ball, ...], ...]
RationalRows = tuple[tuple[Fraction, ...], ...]
# cos and sin of the angles of a rational rotation family; integer powers of these stay rational.
TURN_LIMIT = 512
TURNS = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(12, 13)), (Fraction(8, 17), Fraction(15, 17)))


@dataclass(frozen=True, slots=True)
class Point:
    """Definite values: symbols (counts, sizes and indices are integers), members of families, and matrices.

    With a seed, what is missing is drawn when it is first asked for, and kept; the draw depends on seed and name only.
    """

    symbols: dict[str, Fraction]
    families: dict[tuple[str, int], Fraction]
    matrices: dict[tuple[str, Fraction | None], RationalRows]
    seed: int | None = None

    def member(self, name: str, index: int) -> Fraction:
        key = (name, index)
        if key not in self.families and self.seed is not None:
            self.families[key] = small_rational(Random(f"{self.seed}/{name}/{index}"), self.seed)
        return self.families[key]

    def matrix(self, name: str, at: Fraction | None, size: tuple[int, int]) -> RationalRows:
        key = (name, at)
        if key not in self.matrices and self.seed is not None:
            draw = Random(f"{self.seed}/{name}/{at}")
            rows, columns = size
            spend(rows * columns)
            self.matrices[key] = tuple(
                tuple(Fraction(draw.randint(-2, 3)) for _ in range(columns)) for _ in range(rows)
            )
        return self.matrices[key]

    def text(self) -> str:
        """One line for people: m=1, x[0]=2/3, W=[[1, 0]]."""
        parts = [f"{name}={value}" for name, value in sorted(self.symbols.items())]
        parts += [f"{name}[{i}]={value}" for (name, i), value in sorted(self.families.items())]
        for (name, at), rows in sorted(self.matrices.items(), key=repr):
            shown = ", ".join("[" + ", ".join(str(x) for x in row) + "]" for row in rows)
            parts.append(f"{name}{'' if at is None else f'({at})'}=[{shown}]")
        return ", ".join(parts)


def small_rational(draw: Random, seed: int) -> Fraction:
    """A small integer for the first seeds, so that a point reads well; a small rational later."""
    return Fraction(draw.randint(-2, 3), 1 if seed < 24 else draw.choice((1, 2, 3, 5)))


def at_point(term: Term, point: Point, bits: int = balls.DEFAULT_BITS) -> Rows:
    """Enclose the term at the point; a scalar is a 1 x 1 matrix."""
    spend(4)
    match term:
        case Add(parts):
            total = at_point(parts[0], point, bits)
            for part in parts[1:]:
                total = _sum(total, at_point(part, point, bits))
            return total
        case Multiply(parts):
            product = at_point(parts[0], point, bits)
            for part in parts[1:]:
                product = _product(product, at_point(part, point, bits))
            return product
        case Matrix(rows):
            return tuple(tuple(ball_at(entry, point, bits) for entry in row) for row in rows)
        case Block():
            return _block(term, point, bits)
        case MatrixSymbol(name, rows_, columns_):
            size = (size_at(rows_, point), size_at(columns_, point))
            return _exact_rows(point.matrix(name, None, size), bits)
        case MatrixFamily(name, argument, extent, kind):
            at, side = rational_at(argument, point), size_at(extent, point)
            drawn = rotation_power(side, at) if kind == "rotation" else point.matrix(name, at, (side, side))
            return _exact_rows(drawn, bits)
        case Identity(extent):
            return _exact_rows(_unit(size_at(extent, point)), bits)
        case Transpose(argument):
            return tuple(zip(*at_point(argument, point, bits), strict=True))
        case Determinant(argument):
            return ((_determinant(at_point(argument, point, bits)),),)
        case _:
            return ((_scalar(term, point, bits),),)


def ball_at(term: Term, point: Point, bits: int = balls.DEFAULT_BITS) -> Ball:
    return at_point(term, point, bits)[0][0]


def _scalar(term: Term, point: Point, bits: int) -> Ball:
    match term:
        case Number(re, im):
            return Ball.from_fraction(re, im, bits=bits)
        case Pi():
            return Ball.from_fraction(0, bits=bits) + balls.pi(bits)
        case Symbol(name):
            return Ball.from_fraction(point.symbols[name], bits=bits)
        case Cell() | Reading():
            row, column = _place(term, point)
            return Ball.from_fraction(point.member(f"{term.name}[{row}]", column), bits=bits)
        case Family(name, index):
            return Ball.from_fraction(point.member(name, _integer(index, point)), bits=bits)
        case Power(base, Number(n, im)) if im == 0 and n.denominator == 1:
            return ball_at(base, point, bits) ** int(n)
        case Power(base, exponent):
            return balls.exp(ball_at(exponent, point, bits) * _log(ball_at(base, point, bits)))
        case Apply(operator, argument):
            return _apply(operator, ball_at(argument, point, bits))
        case Derivative(body, by):
            return ball_at(differentiated(body, by), point, bits)
        case IndexedSum(index, count, body):
            total = Ball.from_fraction(0, bits=bits)
            for k in range(_integer(count, point)):
                spend(len(point.symbols))
                total = total + ball_at(body, _with_index(point, index, k), bits)
            return total
        case _:
            raise OutOfFragment(f"no value at a point for {type(term).__name__}")


def _apply(operator: str, z: Ball) -> Ball:
    zero = z.im - z.im
    match operator:
        case "exp":
            return balls.exp(z)
        case "cos":
            return balls.cos(z)
        case "sin":
            return balls.sin(z)
        case "conjugate":
            return z.conjugate()
        case "re":
            return Ball(z.re, zero)
        case "im":
            return Ball(z.im, zero)
        case _:
            return _log(z)


def _log(z: Ball) -> Ball:
    if not z.is_positive():
        raise balls.Indeterminate("a logarithm is taken of positive reals only")
    return Ball(balls.log(z.re), z.im)


def _with_index(point: Point, index: str, k: int) -> Point:
    return Point({**point.symbols, index: Fraction(k)}, point.families, point.matrices, point.seed)


def _block(term: Block, point: Point, bits: int) -> Rows:
    count = _integer(term.count, point)
    width = len(term.columns.slots) * count if term.columns else 1
    zero = Ball.from_fraction(0, bits=bits)
    spend(len(term.rows.slots) * count * width)
    cells = [[zero] * width for _ in range(len(term.rows.slots) * count)]
    for k in range(count):
        here = _with_index(point, term.index, k)
        for s, row in enumerate(term.rows.coordinates(k, count)):
            columns = term.columns.coordinates(k, count) if term.columns else (0,)
            for t, column in enumerate(columns):
                cells[row][column] = ball_at(term.entries[s][t], here, bits)
    return tuple(tuple(row) for row in cells)


def _sum(a: Rows, b: Rows) -> Rows:
    return tuple(tuple(x + y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))


def _product(a: Rows, b: Rows) -> Rows:
    if _is_scalar(a) or _is_scalar(b):
        factor, rows = (a[0][0], b) if _is_scalar(a) else (b[0][0], a)
        return tuple(tuple(factor * x for x in row) for row in rows)
    columns = list(zip(*b, strict=True))
    spend(len(a) * len(b) * len(columns))
    return tuple(tuple(_dot(row, column) for column in columns) for row in a)


def _is_scalar(rows: Rows) -> bool:
    return len(rows) == len(rows[0]) == 1


def _dot(row: tuple[Ball, ...], column: tuple[Ball, ...]) -> Ball:
    total = row[0] * column[0]
    for x, y in zip(row[1:], column[1:], strict=True):
        total = total + x * y
    return total


def _determinant(rows: Rows) -> Ball:
    spend(4 * len(rows))
    if len(rows) == 1:
        return rows[0][0]
    total = rows[0][0] - rows[0][0]
    for j, head in enumerate(rows[0]):
        minor = tuple(row[:j] + row[j + 1 :] for row in rows[1:])
        term = head * _determinant(minor)
        total = total - term if j % 2 else total + term
    return total


def rational_at(term: Term, point: Point) -> Fraction:
    """The exact value of a rational expression; indices, counts, family arguments and many equations are such."""
    spend(1)
    match term:
        case Number(re, im) if im == 0:
            return re
        case Symbol(name):
            return point.symbols[name]
        case Family(name, index):
            return point.member(name, _integer(index, point))
        case Add(parts):
            total = Fraction(0)
            for part in parts:
                total = _short(total + rational_at(part, point))
            return total
        case Multiply(parts):
            product = Fraction(1)
            for part in parts:
                product = _short(product * rational_at(part, point))
            return product
        case Power(base, Number(n, im)) if im == 0 and n.denominator == 1:
            below = rational_at(base, point)
            _short(below, times=abs(int(n)))
            return Fraction(below ** int(n))
        case _:
            raise OutOfFragment(f"{type(term).__name__} is not a rational expression")


def _short(value: Fraction, times: int = 1) -> Fraction:
    """The value, if its power would still be short enough to compute with."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length()) - 1
    if bits * times > NUMBER_BITS:
        raise LimitReached(f"an exact value at a point passes the limit of {NUMBER_BITS} bits")
    return value


def _integer(term: Term, point: Point) -> int:
    value = rational_at(term, point)
    if value.denominator != 1:
        raise OutOfFragment(f"an index or count is an integer, saw {value}")
    return int(value)


def _place(term: Cell | Reading, point: Point) -> tuple[int, int]:
    """Row and column; those of a flat index are its quotient and remainder by the length of a row."""
    if isinstance(term, Cell):
        return _integer(term.row, point), _integer(term.column, point)
    width = _integer(term.width, point)
    if width < 1:
        raise OutOfFragment(f"a row in memory has at least one entry, saw {width}")
    return divmod(_integer(term.flat, point), width)


def size_at(size: Size, point: Point) -> int:
    return size.multiple * (int(point.symbols[size.name]) if size.name else 1)


def _exact_rows(rows: RationalRows, bits: int) -> Rows:
    return tuple(tuple(Ball.from_fraction(x, bits=bits) for x in row) for row in rows)


def _unit(size: int) -> RationalRows:
    spend(size * size)
    return tuple(tuple(Fraction(int(r == c)) for c in range(size)) for r in range(size))


def rotation_power(size: int, exponent: Fraction) -> RationalRows:
    """The exponent-th power of the fixed rational rotation of this size; an odd size leaves its last axis."""
    if exponent.denominator != 1:
        raise OutOfFragment(f"a rotation family is evaluated at integers, saw {exponent}")
    cells = [list(row) for row in _unit(size)]
    for pair in range(size // 2):
        c, s = turn_power(TURNS[pair % len(TURNS)], int(exponent))
        a, b = 2 * pair, 2 * pair + 1
        cells[a][a], cells[a][b], cells[b][a], cells[b][b] = c, -s, s, c
    return tuple(tuple(row) for row in cells)


def turn_power(turn: tuple[Fraction, Fraction], n: int) -> tuple[Fraction, Fraction]:
    """(c + i s)^n; for a negative n the conjugate, since c^2 + s^2 = 1."""
    if abs(n) > TURN_LIMIT:
        raise LimitReached(f"a rotation is turned {n} times at a point, which passes the limit of {TURN_LIMIT}")
    c, s = Fraction(1), Fraction(0)
    for _ in range(abs(n)):
        c, s = c * turn[0] - s * turn[1], c * turn[1] + s * turn[0]
    return (c, s) if n >= 0 else (c, -s)


def differentiated(term: Term, by: str) -> Term:
    """The derivative of a scalar term by a real symbol, by the rules of calculus on the tree."""
    spend(4)
    match term:
        case Symbol(name):
            return number(int(name == by))
        case Number() | Pi():
            return number(0)
        case Family(_, index) if by not in free_names(index):
            return number(0)
        case Add(parts):
            return Add(tuple(differentiated(part, by) for part in parts))
        case Multiply(parts):
            return Add(
                tuple(Multiply((*parts[:k], differentiated(p, by), *parts[k + 1 :])) for k, p in enumerate(parts))
            )
        case Power(base, Number(n, im)):
            return Multiply((Number(n, im), Power(base, Number(n - 1, im)), differentiated(base, by)))
        case Apply(operator, argument):
            return _chain(operator, argument, by)
        case IndexedSum(index, count, body) if by not in free_names(count):
            return IndexedSum(index, count, differentiated(body, by))
        case Derivative(body, inner):
            return differentiated(differentiated(body, inner), by)
        case _:
            raise OutOfFragment(f"no derivative at a point for {type(term).__name__}")


def _chain(operator: str, argument: Term, by: str) -> Term:
    inner = differentiated(argument, by)
    outer: dict[str, Term] = {
        "exp": Apply("exp", argument),
        "log": Power(argument, number(-1)),
        "cos": Multiply((number(-1), Apply("sin", argument))),
        "sin": Apply("cos", argument),
    }
    if operator in outer:
        return Multiply((outer[operator], inner))
    return Apply("conjugate" if operator == "conjugate" else "re" if operator == "re" else "im", inner)
