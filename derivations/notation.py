"""Symbols and their names, and the few matrix expressions that SymPy lacks: block matrices and matrix families.

A block matrix acts on pairs i = 0..h-1, so one expression speaks of every even dimension d = 2h; its layout says which
coordinates a pair occupies. Products and transposes are built unevaluated, so that they stay as the author wrote them.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str

LAYOUTS = ("interleaved", "half-split")

# positions, angles and frequencies
m, n, s, p = sp.symbols("m n s p", real=True)  # query position, key position, shift, any position
theta, phi = sp.symbols("theta phi", real=True)
base = sp.Symbol("base", positive=True)
# pairs
i = sp.Symbol("i", integer=True)
h = sp.Symbol("h", integer=True, positive=True)  # number of pairs: the width is d = 2h
Theta = sp.IndexedBase("theta", real=True)  # Theta[i] is the frequency of pair i
# magnitude of a rotation with scale
scale = sp.Symbol("lamda", real=True)


class Block(sp.MatrixExpr):  # type: ignore[misc]  # SymPy ships no types
    """A matrix over pairs i = 0..h-1: entry [a, b] takes slot b of a pair to slot a of the same pair.

    entries: a (rows x columns) matrix of scalars in the index; layouts: where the slots stand, 'vector' for one column.
    """

    def __new__(
        cls, entries: Any, index: Any = i, count: Any = h, rows: Any = "interleaved", columns: Any = None
    ) -> Any:
        matrix = sp.ImmutableMatrix(entries)
        column_layout = columns or ("vector" if matrix.shape[1] == 1 else rows)
        return super().__new__(cls, matrix, index, count, Str(str(rows)), Str(str(column_layout)))

    entries = property(lambda self: self.args[0])
    index = property(lambda self: self.args[1])
    count = property(lambda self: self.args[2])
    rows_layout = property(lambda self: str(self.args[3]))
    columns_layout = property(lambda self: str(self.args[4]))

    @property
    def shape(self) -> tuple[Any, Any]:
        rows, columns = self.entries.shape
        return (rows * self.count, sp.Integer(1) if self.columns_layout == "vector" else columns * self.count)

    def _entry(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a block matrix is read pair by pair, through .entries")

    def _sympystr(self, printer: Any) -> str:
        rows = ", ".join("[" + ", ".join(printer._print(x) for x in row) + "]" for row in self.entries.tolist())
        return f"blocks[{self.index} < {self.count}, {self.rows_layout}]({rows})"

    def _latex(self, printer: Any) -> str:
        limits = rf"_{{{printer._print(self.index)}=0}}^{{{printer._print(self.count - 1)}}}"
        return rf"\bigoplus{limits} {printer._print(self.entries)}"


class Family(sp.MatrixExpr):  # type: ignore[misc]
    """A square matrix that depends on one real argument; in `rotation` families R(a)R(b) = R(a+b), R(a)^T = R(-a)."""

    def __new__(cls, name: Any, argument: Any, size: Any, kind: Any = "rotation") -> Any:
        return super().__new__(
            cls, Str(str(name)), sp.Integer(argument) if isinstance(argument, int) else argument, size, Str(str(kind))
        )

    name = property(lambda self: str(self.args[0]))
    argument = property(lambda self: self.args[1])
    kind = property(lambda self: str(self.args[3]))

    @property
    def shape(self) -> tuple[Any, Any]:
        return (self.args[2], self.args[2])

    def _entry(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a matrix family has no entries of its own")

    def _sympystr(self, printer: Any) -> str:
        return f"{self.name}({printer._print(self.argument)})"

    def _latex(self, printer: Any) -> str:
        return rf"{self.name}_{{{printer._print(self.argument)}}}"


class Flat(sp.Expr):  # type: ignore[misc]
    """The entry of a matrix at a flat index, where it is kept row by row with `width` entries in a row."""

    def __new__(cls, name: Any, flat: Any, width: Any) -> Any:
        return super().__new__(cls, Str(str(name)), flat, width)

    name = property(lambda self: str(self.args[0]))

    def _sympystr(self, printer: Any) -> str:
        return f"{self.name}.flat[{printer._print(self.args[1])}; rows of {printer._print(self.args[2])}]"

    def _latex(self, printer: Any) -> str:
        return rf"{self.name}^{{({printer._print(self.args[2])})}}_{{{printer._print(self.args[1])}}}"
