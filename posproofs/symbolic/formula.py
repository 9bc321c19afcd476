"""Terms of the kernel as programs: the formula that a theorem states, at a definite size, in the operations of code.

A program that was exported and the formula that was proved are then two sets of nodes of one program. Complex scalars
are pairs of nodes. This reads terms by their definition; a test holds it to the kernel's evaluation of the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Family,
    Function,
    Identity,
    IndexedSum,
    Layout,
    Matrix,
    Multiply,
    Number,
    Power,
    Symbol,
    Term,
    Transpose,
)
from derivations.plain import term_text
from posproofs.errors import Refused
from posproofs.symbolic.program import Program

Scalar = tuple[int, int]  # real and imaginary part
Rows = list[list[Scalar]]


@dataclass(frozen=True, slots=True)
class Formula:
    """What the free names of a term stand for: whole numbers for counts and indices, nodes for everything else.

    families: the node of an entry of a sequence, by its index. matrices: the nodes of a matrix, row by row.
    """

    program: Program
    whole: Mapping[str, int]
    symbols: Mapping[str, int]
    families: Mapping[str, Callable[[int], int]]
    matrices: Mapping[str, list[list[int]]]

    def rows(self, term: Term) -> Rows:
        """The entries of the term; a scalar is 1 x 1. Refused names a node that has no reading at a definite size."""
        match term:
            case Matrix(rows):
                return [[self.scalar(entry) for entry in row] for row in rows]
            case Block():
                return self._block(term)
            case Transpose(argument):
                return [list(column) for column in zip(*self.rows(argument), strict=True)]
            case Identity(size):
                n = size.multiple * (self.whole[size.name] if size.name else 1)
                return [[self._real(self.program.constant_of(int(r == c))) for c in range(n)] for r in range(n)]
            case Add(parts):
                first, *rest = (self.rows(part) for part in parts)
                for other in rest:
                    first = [
                        [self._add(a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(first, other, strict=True)
                    ]
                return first
            case Multiply(parts):
                first, *rest = (self.rows(part) for part in parts)
                for other in rest:
                    first = self._product(first, other)
                return first
        name = getattr(term, "name", "")
        if name in self.matrices:
            return [[self._real(entry) for entry in row] for row in self.matrices[name]]
        return [[self.scalar(term)]]

    def scalar(self, term: Term) -> Scalar:
        """The nodes of a scalar term."""
        match term:
            case Number(re, im):
                return self.program.constant(re), self.program.constant(im)
            case Symbol(name) if name in self.whole:
                return self._real(self.program.constant_of(self.whole[name]))
            case Symbol(name) if name in self.symbols:
                return self._real(self.symbols[name])
            case Family(name, index) if name in self.families:
                return self._real(self.families[name](self.index(index)))
            case Function(name, argument):
                return self._real(self.program.call(name, (self._node(argument),)))
            case Power(base, exponent):
                return self._power(base, exponent)
            case Apply():
                return self._applied(term)
            case IndexedSum(index, count, body):
                return self._total([self._with(index, k).scalar(body) for k in range(self.index(count))])
            case Add() | Multiply() | Transpose() | Matrix() | Block():
                ((value,),) = self.rows(term)
                return value
        raise Refused(f"the formula holds {term_text(term)}, which has no value here")

    def index(self, term: Term) -> int:
        """The whole number that an index or a count comes to."""
        value = self.program.exact(self._node(term))
        if value is None or value.denominator != 1:
            raise Refused(f"the index {term_text(term)} is no whole number here")
        return int(value)

    def _node(self, term: Term) -> int:
        re, im = self.scalar(term)
        if im != self.program.zero:
            raise Refused(f"{term_text(term)} must be real here")
        return re

    def _real(self, node: int) -> Scalar:
        return node, self.program.zero

    def _with(self, index: str, value: int) -> Formula:
        return Formula(self.program, {**self.whole, index: value}, self.symbols, self.families, self.matrices)

    def _add(self, a: Scalar, b: Scalar) -> Scalar:
        return self.program.add(a[0], b[0]), self.program.add(a[1], b[1])

    def _total(self, parts: list[Scalar]) -> Scalar:
        result = self._real(self.program.zero)
        for part in parts:
            result = self._add(result, part)
        return result

    def _times(self, a: Scalar, b: Scalar) -> Scalar:
        p = self.program
        if a[1] == b[1] == p.zero:
            return p.multiply(a[0], b[0]), p.zero
        re = p.subtract(p.multiply(a[0], b[0]), p.multiply(a[1], b[1]))
        return re, p.add(p.multiply(a[0], b[1]), p.multiply(a[1], b[0]))

    def _product(self, left: Rows, right: Rows) -> Rows:
        if len(left) == len(left[0]) == 1 or len(right) == len(right[0]) == 1:
            (factor,), other = (left[0], right) if len(left) == len(left[0]) == 1 else (right[0], left)
            return [[self._times(factor, entry) for entry in row] for row in other]
        columns = list(zip(*right, strict=True))
        return [
            [self._total([self._times(a, b) for a, b in zip(row, column, strict=True)]) for column in columns]
            for row in left
        ]

    def _power(self, base: Term, exponent: Term) -> Scalar:
        n = exponent.re if isinstance(exponent, Number) and exponent.im == 0 else None
        if n is not None and n.denominator == 1:
            return self._whole_power(self.scalar(base), int(n))
        under = self._node(base)
        if n is not None and n.denominator == 2:
            return self._real(self.program.power(self.program.root(under), n.numerator))
        return self._real(self.program.exp(self.program.multiply(self._node(exponent), self.program.log(under))))

    def _whole_power(self, base: Scalar, n: int) -> Scalar:
        if base[1] == self.program.zero:
            return self._real(self.program.power(base[0], n))
        result = self._real(self.program.one)
        for _ in range(abs(n)):
            result = self._times(result, base)
        if n >= 0:
            return result
        size = self.program.add(self.program.power(result[0], 2), self.program.power(result[1], 2))
        return self.program.divide(result[0], size), self.program.negate(self.program.divide(result[1], size))

    def _applied(self, term: Apply) -> Scalar:
        p = self.program
        re, im = self.scalar(term.argument)
        match term.operator:
            case "conjugate":
                return re, p.negate(im)
            case "re":
                return self._real(re)
            case "im":
                return self._real(im)
            case "exp":
                size = p.exp(re)
                return p.multiply(size, p.cos(im)), p.multiply(size, p.sin(im))
        if im != p.zero:
            raise Refused(f"{term.operator} of a complex number has no reading here")
        return self._real({"log": p.log, "cos": p.cos, "sin": p.sin}[term.operator](re))

    def _block(self, term: Block) -> Rows:
        count = self.index(term.count)
        width = len(term.columns.slots) * count if term.columns else 1
        rows = [[self._real(self.program.zero)] * width for _ in range(len(term.rows.slots) * count)]
        for k in range(count):
            inner = self._with(term.index, k)
            across = _coordinates(term.columns, k, count)
            for down, entries in zip(_coordinates(term.rows, k, count), term.entries, strict=True):
                for column, entry in zip(across, entries, strict=True):
                    rows[down][column] = inner.scalar(entry)
        return rows


def _coordinates(layout: Layout | None, k: int, count: int) -> tuple[int, ...]:
    return tuple(layout.coordinates(k, count)) if layout else (0,)
