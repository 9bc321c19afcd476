"""The strict converter from SymPy expressions to kernel terms: a white list of node types, each with one meaning.

One name is one symbol: two symbols that SymPy tells apart (by assumptions, or as dummies) are not made one.

It stands outside the kernel: a theorem is about the term that comes out, which `show` prints. What is not on the list
is an error that names the node; numbers must be exact and symbols declared real.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from derivations.kernel import LimitReached, OutOfFragment
from derivations.kernel import terms as t
from derivations.kernel.cells import Cell, Reading
from derivations.notation import Block, Family, Flat

MATRIX_POWER_LIMIT = 512
_SEEN: ContextVar[dict[str, Any]] = ContextVar("the symbols of the expression that is converted, by name")


def to_term(expression: Any) -> t.Term:
    """The kernel term that a SymPy expression stands for; OutOfFragment names a node that has none."""
    token = _SEEN.set({})
    try:
        return _term(expression)
    except RecursionError:
        raise LimitReached("the expression is nested too deeply to be converted; split it into steps") from None
    finally:
        _SEEN.reset(token)


def _term(expression: Any) -> t.Term:
    """One node, and what stands below it."""
    for kinds, convert in _TABLE:
        if isinstance(expression, kinds):
            return convert(expression)
    if type(expression) is int:
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
    return t.Symbol(_name(x))


def _name(symbol: Any) -> str:
    """The name by which the kernel knows a symbol; a Dummy or a Wild is not known by its name."""
    if type(symbol) is not sp.Symbol:
        raise OutOfFragment(f"{symbol} is a {type(symbol).__name__}, wanted a Symbol with a name of its own")
    if _SEEN.get({}).setdefault(symbol.name, symbol) != symbol:
        raise OutOfFragment(f"two symbols are called {symbol}, with different assumptions; rename one of them")
    return str(symbol.name)


def _indexed(x: Any) -> t.Term:
    if not x.is_real:
        raise OutOfFragment(f"{x} is not declared real; write IndexedBase({str(x.base.label)!r}, real=True)")
    if len(x.indices) == 2:
        return Cell(str(x.base.label), _term(x.indices[0]), _term(x.indices[1]))
    if len(x.indices) != 1:
        raise OutOfFragment(f"{x} has {len(x.indices)} indices; a family has one, a matrix in memory two")
    return t.Family(str(x.base.label), _term(x.indices[0]))


def _function(x: Any) -> t.Term:
    if len(x.args) != 1:
        raise OutOfFragment(f"{x} has {len(x.args)} arguments; a function has one")
    if not x.is_real:
        raise OutOfFragment(f"{x} is not declared real; write Function({x.func.__name__!r}, real=True)")
    return t.Function(x.func.__name__, _term(x.args[0]))


def _sum(x: Any) -> t.Term:
    if len(x.limits) != 1 or x.limits[0][1] != 0:
        raise OutOfFragment(f"the sum {x} must run from 0 over one index")
    index, _, last = x.limits[0]
    if last.is_Matrix:
        raise OutOfFragment(f"the sum {x} ends at a matrix; wanted an integer")
    return t.IndexedSum(_name(index), _term(last + 1), _term(x.function))


def _derivative(x: Any) -> t.Term:
    body = _term(x.expr)
    for variable, order in x.variable_count:
        if not order.is_Integer:
            raise OutOfFragment(f"{x} is not converted: the order of a derivative is a number, saw {order}")
        for _ in range(int(order)):
            body = t.Derivative(body, _name(variable))
    return body


def _applied(operator: Any) -> Callable[[Any], t.Term]:
    return lambda x: t.Apply(operator, _term(x.args[0]))


def _power(x: Any) -> t.Term:
    if x.base is sp.E:
        return t.Apply("exp", _term(x.exp))
    return t.Power(_term(x.base), _term(x.exp))


def _matrix(x: Any) -> t.Term:
    return t.Matrix(tuple(tuple(_term(entry) for entry in row) for row in x.tolist()))


def _matrix_power(x: Any) -> t.Term:
    if not (x.exp.is_Integer and 0 < x.exp <= MATRIX_POWER_LIMIT):
        raise OutOfFragment(
            f"{x} is not converted: only positive integer powers of matrices up to {MATRIX_POWER_LIMIT} are"
        )
    return t.Multiply((_term(x.base),) * int(x.exp))


def size(x: Any) -> t.Size:
    """A size: a positive integer, a symbol, or an integer multiple of one."""
    whole = sp.Integer(x) if type(x) is int else x
    factor, name = whole.as_coeff_Mul() if isinstance(whole, sp.Expr) else (sp.S.Zero, whole)
    if factor.is_Integer and factor > 0 and name == 1:
        return t.Size(int(factor))
    if factor.is_Integer and factor > 0 and name.is_Symbol:
        return t.Size(int(factor), _name(name))
    raise OutOfFragment(f"the size {x} is not a positive multiple of a name")


def layout(name: str, slots: int) -> t.Layout:
    """The layout of a name; `permuted` layouts list the order of their slots after a colon, as in interleaved:1,0."""
    kind, _, order = name.partition(":")
    plain = {"interleaved": t.strided, "half-split": t.split}.get(kind)
    if plain is None:
        raise OutOfFragment(f"the layout {name!r} is not known; wanted interleaved or half-split")
    if not order:
        return plain(slots)
    places = order.split(",")
    if sorted(places) != sorted(map(str, range(slots))):
        raise OutOfFragment(f"the layout {name!r} lists the places {order}; wanted each of 0..{slots - 1} once")
    return t.Layout(tuple(plain(slots).slots[int(k)] for k in places))


def _block(x: Any) -> t.Term:
    rows, columns = x.entries.shape
    over = None if x.columns_layout == "vector" else layout(x.columns_layout, columns)
    entries = tuple(tuple(_term(e) for e in row) for row in x.entries.tolist())
    return t.Block(_name(x.index), _term(x.count), layout(x.rows_layout, rows), over, entries)


def _family(x: Any) -> t.Term:
    if x.kind not in ("rotation", "free"):
        raise OutOfFragment(f"a matrix family is rotation or free, saw {x.kind}")
    return t.MatrixFamily(x.name, _term(x.argument), size(x.shape[0]), x.kind)


def _all(node: Any) -> Callable[[Any], t.Term]:
    return lambda x: node(tuple(_term(part) for part in x.args))


# First match wins; SymPy's special numbers are subclasses of the general ones.
_TABLE: tuple[tuple[Any, Callable[[Any], t.Term]], ...] = (
    (sp.core.numbers.ImaginaryUnit, lambda _: t.number(0, 1)),
    (sp.core.numbers.Pi, lambda _: t.Pi()),
    (sp.core.numbers.Exp1, lambda _: t.Apply("exp", t.number(1))),
    (sp.Rational, _number),
    (Block, _block),
    (Family, _family),
    (Flat, lambda x: Reading(x.name, _term(x.args[1]), _term(x.args[2]))),
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
    (sp.Transpose, lambda x: t.Transpose(_term(x.arg))),
    (sp.Determinant, lambda x: t.Determinant(_term(x.arg))),
    (sp.MatPow, _matrix_power),
    ((sp.Add, sp.MatAdd), _all(t.Add)),
    ((sp.Mul, sp.MatMul), _all(t.Multiply)),
    (sp.Pow, _power),
    (sp.matrices.MatrixBase, _matrix),
)
