"""The strict converter from SymPy expressions to kernel terms: a white list of node types, each with one meaning.

It stands outside the kernel: a theorem is about the term that comes out, which `show` prints. What is not on the list
is an error that names the node; numbers must be exact and symbols declared real.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from derivations.kernel import OutOfFragment
from derivations.kernel import terms as t
from derivations.kernel.cells import Cell, Reading
from derivations.notation import Block, Family, Flat


def to_term(expression: Any) -> t.Term:
    """The kernel term that a SymPy expression stands for; OutOfFragment names a node that has none."""
    for kinds, convert in _TABLE:
        if isinstance(expression, kinds):
            return convert(expression)
    if isinstance(expression, int):
        return t.number(expression)
    raise OutOfFragment(f"{type(expression).__name__} is not converted: {expression}; {_advice(expression)}")


def _advice(expression: Any) -> str:
    if isinstance(expression, (float, sp.Float)):
        return "write the exact rational, for example Rational(1, 10)"
    return "state the step with the functions that the converter lists"


def _number(x: Any) -> t.Term:
    return t.Number(Fraction(int(x.p), int(x.q)))


def _symbol(x: Any) -> t.Term:
    if not x.is_real:
        raise OutOfFragment(f"the symbol {x} is not declared real; write symbols({str(x)!r}, real=True)")
    return t.Symbol(x.name)


def _indexed(x: Any) -> t.Term:
    if len(x.indices) == 2:
        return Cell(str(x.base.label), to_term(x.indices[0]), to_term(x.indices[1]))
    if len(x.indices) != 1:
        raise OutOfFragment(f"{x} has {len(x.indices)} indices; a family has one, a matrix in memory two")
    return t.Family(str(x.base.label), to_term(x.indices[0]))


def _function(x: Any) -> t.Term:
    if len(x.args) != 1:
        raise OutOfFragment(f"{x} has {len(x.args)} arguments; a function has one")
    return t.Function(x.func.__name__, to_term(x.args[0]))


def _sum(x: Any) -> t.Term:
    if len(x.limits) != 1 or x.limits[0][1] != 0:
        raise OutOfFragment(f"the sum {x} must run from 0 over one index")
    index, _, last = x.limits[0]
    return t.IndexedSum(index.name, to_term(last + 1), to_term(x.function))


def _derivative(x: Any) -> t.Term:
    body = to_term(x.expr)
    for variable, order in x.variable_count:
        for _ in range(int(order)):
            body = t.Derivative(body, variable.name)
    return body


def _applied(operator: Any) -> Callable[[Any], t.Term]:
    return lambda x: t.Apply(operator, to_term(x.args[0]))


def _power(x: Any) -> t.Term:
    if x.base is sp.E:
        return t.Apply("exp", to_term(x.exp))
    return t.Power(to_term(x.base), to_term(x.exp))


def _matrix(x: Any) -> t.Term:
    return t.Matrix(tuple(tuple(to_term(entry) for entry in row) for row in x.tolist()))


def _matrix_power(x: Any) -> t.Term:
    if not (x.exp.is_Integer and x.exp > 0):
        raise OutOfFragment(f"{x} is not converted: only positive integer powers of matrices are")
    return t.Multiply((to_term(x.base),) * int(x.exp))


def size(x: Any) -> t.Size:
    """A size: a positive integer, a symbol, or an integer multiple of one."""
    factor, name = (sp.Integer(x) if isinstance(x, int) else x).as_coeff_Mul()
    if factor.is_Integer and factor > 0 and name == 1:
        return t.Size(int(factor))
    if factor.is_Integer and factor > 0 and name.is_Symbol:
        return t.Size(int(factor), name.name)
    raise OutOfFragment(f"the size {x} is not a positive multiple of a name")


def layout(name: str, slots: int) -> t.Layout:
    """The layout of a name; `permuted` layouts list the order of their slots after a colon, as in interleaved:1,0."""
    kind, _, order = name.partition(":")
    plain = {"interleaved": t.strided, "half-split": t.split}.get(kind)
    if plain is None:
        raise OutOfFragment(f"the layout {name!r} is not known; wanted interleaved or half-split")
    if not order:
        return plain(slots)
    return t.Layout(tuple(plain(slots).slots[int(k)] for k in order.split(",")))


def _block(x: Any) -> t.Term:
    rows, columns = x.entries.shape
    over = None if x.columns_layout == "vector" else layout(x.columns_layout, columns)
    entries = tuple(tuple(to_term(e) for e in row) for row in x.entries.tolist())
    return t.Block(x.index.name, to_term(x.count), layout(x.rows_layout, rows), over, entries)


def _family(x: Any) -> t.Term:
    if x.kind not in ("rotation", "free"):
        raise OutOfFragment(f"a matrix family is rotation or free, saw {x.kind}")
    return t.MatrixFamily(x.name, to_term(x.argument), size(x.shape[0]), x.kind)


def _all(node: Any) -> Callable[[Any], t.Term]:
    return lambda x: node(tuple(to_term(part) for part in x.args))


# First match wins; SymPy's special numbers are subclasses of the general ones.
_TABLE: tuple[tuple[Any, Callable[[Any], t.Term]], ...] = (
    (sp.core.numbers.ImaginaryUnit, lambda _: t.number(0, 1)),
    (sp.core.numbers.Pi, lambda _: t.Pi()),
    (sp.core.numbers.Exp1, lambda _: t.Apply("exp", t.number(1))),
    (sp.Rational, _number),
    (Block, _block),
    (Family, _family),
    (Flat, lambda x: Reading(x.name, to_term(x.args[1]), to_term(x.args[2]))),
    (sp.MatrixSymbol, lambda x: t.MatrixSymbol(x.name, size(x.shape[0]), size(x.shape[1]))),
    (sp.Symbol, _symbol),
    (sp.Indexed, _indexed),
    (sp.Sum, _sum),
    (sp.Derivative, _derivative),
    (sp.exp, _applied("exp")),
    (sp.log, _applied("log")),
    (sp.cos, _applied("cos")),
    (sp.sin, _applied("sin")),
    (sp.conjugate, _applied("conjugate")),
    (sp.re, _applied("re")),
    (sp.im, _applied("im")),
    (AppliedUndef, _function),
    (sp.Identity, lambda x: t.Identity(size(x.shape[0]))),
    (sp.Transpose, lambda x: t.Transpose(to_term(x.arg))),
    (sp.Determinant, lambda x: t.Determinant(to_term(x.arg))),
    (sp.MatPow, _matrix_power),
    ((sp.Add, sp.MatAdd), _all(t.Add)),
    ((sp.Mul, sp.MatMul), _all(t.Multiply)),
    (sp.Pow, _power),
    (sp.matrices.MatrixBase, _matrix),
)
