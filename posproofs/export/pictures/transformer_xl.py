"""Pictures of Transformer-XL's score: its four terms as heat maps, and which offset each query and key read.

All numbers are values of the terms of the derivation at rational points, so they are exact until they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from derivations.from_sympy import to_term
from derivations.kernel import balls
from derivations.kernel.points import Point, RationalRows, at_point, rational_at, rotation_power
from derivations.kernel.terms import MatrixFamily, Term, walk
from derivations.transformer_xl import SCORE, TERMS
from posproofs.export.pictures.svg import Picture, box, cell, picture, words

Grid = list[list[float]]
# Small weights without symmetry: any others draw the same pattern.
MATRICES = {
    "W_q": ((1, 2), (-1, 1)),
    "W_k": ((2, 0), (1, 1)),
    "W_r": ((1, 0), (0, 1)),
    "u": ((1,), (-2,)),
    "v": ((2,), (1,)),
    "first": ((1,), (0,)),
}
CONTENT = ((1, 0), (0, 1), (2, 1), (-1, 2), (1, 1), (0, -2), (-2, 1), (1, -1))


def term_values(term: Term, length: int) -> Grid:
    """A term at queries m (rows) and keys n (columns) from 0 to length - 1; r_o is a sinusoid of a rational angle."""
    return [[_value(term, m, n) for n in range(length)] for m in range(length)]


def _value(term: Term, m: int, n: int) -> float:
    matrices: dict[tuple[str, Fraction | None], RationalRows] = {
        (name, None): _rational(rows) for name, rows in MATRICES.items()
    }
    matrices |= {
        ("x_m", None): _rational([[x] for x in CONTENT[m]]),
        ("x_n", None): _rational([[x] for x in CONTENT[n]]),
    }
    matrices |= {("P", Fraction(m - n)): rotation_power(2, Fraction(m - n))}
    sizes = {"d": Fraction(2), "e": Fraction(2)}
    point = Point({"m": Fraction(m), "n": Fraction(n), **sizes}, {}, matrices)
    return balls.to_complex_midpoint(at_point(term, point)[0][0]).real


def _rational(rows: Sequence[Sequence[int]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(entry) for entry in row) for row in rows)


def terms(length: int = 8) -> dict[str, Grid]:
    """The four terms (a) to (d), by name."""
    return {name: term_values(to_term(term), length) for name, term in TERMS.items()}


def offsets(queries: int, memory: int) -> list[list[int]]:
    """The offset whose vector r each query (row) takes for each key (column); the keys start in the memory.

    The offset is the argument of r in the statement of the theorem, not a formula of this picture.
    """
    statement = SCORE.theorem.statement
    arguments = {node.argument for node in walk(statement.left) if isinstance(node, MatrixFamily)}
    (argument,) = arguments
    keys = range(queries + memory)
    return [[int(_offset(argument, memory + query, key)) for key in keys] for query in range(queries)]


def _offset(argument: Term, m: int, n: int) -> Fraction:
    return rational_at(argument, Point({"m": Fraction(m), "n": Fraction(n)}, {}, {}))


def pattern(grid: Grid) -> str:
    """Along what a grid is constant: rows, columns, diagonals, or none of them."""
    rows = all(len(set(row)) == 1 for row in grid)
    columns = all(len(set(column)) == 1 for column in zip(*grid, strict=True))
    size = len(grid)
    diagonal = all(grid[m][n] == grid[m - 1][n - 1] for m in range(1, size) for n in range(1, size))
    kinds = [name for name, found in (("rows", rows), ("columns", columns), ("diagonals", diagonal)) if found]
    return f"constant along {' and '.join(kinds)}" if kinds else "not constant along rows, columns or diagonals"


def _largest(grid: Grid) -> float:
    return max(abs(value) for row in grid for value in row)


def four_terms(*, length: int = 8) -> Picture:
    """(a) reads both contents, (b) query and offset, (c) the key, (d) the offset: seen as patterns."""
    found = terms(length)
    elements: list[str] = []
    for k, (name, grid) in enumerate(found.items()):
        left, top, side, largest = 48.0 + 150 * k, 30.0, 120.0 / length, _largest(grid)
        elements.append(words((left + 60, 20), f"({name})"))
        elements.append(box((left, top), (120, 120)))
        for m, row in enumerate(grid):
            for n, value in enumerate(row):
                elements.append(cell((left + side * n, top + side * m), side, value / largest))
        elements.append(words((left + 60, 168), "key"))
    elements.append(words((4, 94), "query", "start"))
    said = "; ".join(f"({name}) is {pattern(grid)}, at most {_largest(grid):g}" for name, grid in found.items())
    return picture("The four terms by query and key", said, (638, 180), elements)


def shift(*, queries: int = 4, memory: int = 2) -> Picture:
    """The scores by offset (cells name the key) and by key (cells name the offset): each row moves one place more."""
    found = offsets(queries, memory)
    every = sorted({offset for row in found for offset in row}, reverse=True)
    side, top = 30.0, 50.0
    right = 60.0 + side * len(every)
    elements = [
        words((20 + side * len(every) / 2, 20), "by offset"),
        words((right + side * len(found[0]) / 2, 20), "by key"),
    ]
    elements += [words((20 + side * (k + 0.5), 42), str(offset)) for k, offset in enumerate(every)]
    elements += [words((right + side * (n + 0.5), 42), str(n)) for n in range(len(found[0]))]
    for m, row in enumerate(found):
        for k, offset in enumerate(every):
            elements.append(box((20 + side * k, top + side * m), (side, side), "" if offset in row else "faint"))
            if offset in row:
                elements.append(words((20 + side * (k + 0.5), top + side * (m + 0.65)), str(row.index(offset))))
        for n, offset in enumerate(row):
            elements.append(box((right + side * n, top + side * m), (side, side)))
            elements.append(words((right + side * (n + 0.5), top + side * (m + 0.65)), str(offset)))
    listed = "; ".join(f"query {m}: {', '.join(map(str, row))}" for m, row in enumerate(found))
    size = (int(right + side * len(found[0]) + 20), int(top + side * queries + 20))
    return picture(f"The shift, {queries} queries, memory {memory}", f"offset for each key, {listed}", size, elements)
