"""A second evaluator of terms, by mpmath at 200 digits: it shares no code with the kernel, and rounds.

So many digits, because cosines of imaginary angles cancel: cosh 200 - sinh 200 is 1e-87.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import mpmath

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
)

DIGITS = 200
Rows = tuple[tuple[int | Fraction, ...], ...]


@dataclass(frozen=True)
class Env:
    """Values of names; what is missing is a KeyError, so that a wrong point cannot pass."""

    symbols: Mapping[str, Fraction | int] = field(default_factory=dict)
    families: Mapping[tuple[str, int], Fraction | int] = field(default_factory=dict)
    functions: Mapping[str, Callable[[mpmath.mpc], mpmath.mpc]] = field(default_factory=dict)
    matrices: Mapping[tuple[str, int | None], Rows] = field(default_factory=dict)


def value(term: Term, env: Env) -> mpmath.mpc:
    """A scalar."""
    with mpmath.workdps(DIGITS):
        return mpmath.mpmathify(_scalar(term, env))


def rows(term: Term, env: Env) -> list[list[mpmath.mpc]]:
    """A matrix, or a scalar as 1 x 1."""
    with mpmath.workdps(DIGITS):
        return _matrix(term, env).tolist()  # type: ignore[no-any-return]


def _rational(x: Fraction | int | mpmath.mpc) -> mpmath.mpc:
    """A rational in 40 digits; the complex points of `_slope` stay as they are."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction | int) else x


def _scalar(term: Term, env: Env) -> mpmath.mpc:
    match term:
        case Number(re, im):
            return mpmath.mpc(_rational(re), _rational(im))
        case Pi():
            return mpmath.pi()
        case Symbol(name):
            return _rational(env.symbols[name])
        case Family(name, index):
            return _rational(env.families[name, int(mpmath.nint(_scalar(index, env).real))])
        case Function(name, argument):
            return env.functions[name](_scalar(argument, env))
        case Power(base, exponent):
            return mpmath.power(_scalar(base, env), _scalar(exponent, env))
        case Apply(operator, argument):
            return _applied(operator, _scalar(argument, env))
        case Derivative(body, by):
            return _slope(body, by, env)
        case IndexedSum(index, count, body):
            upto = int(_scalar(count, env).real)
            return sum((_scalar(body, _at(env, index, k)) for k in range(upto)), mpmath.mpc(0))
        case _:
            return _matrix(term, env)[0, 0]


def _applied(operator: str, z: mpmath.mpc) -> mpmath.mpc:
    named = {"exp": mpmath.exp, "log": mpmath.log, "cos": mpmath.cos, "sin": mpmath.sin}
    named |= {"conjugate": mpmath.conj, "re": mpmath.re, "im": mpmath.im}
    return named[operator](z)


def _slope(body: Term, by: str, env: Env) -> mpmath.mpc:
    """Cauchy's integral over a circle of radius 1/8: the trapezium rule errs by less than 8^-60 on entire functions."""
    points, radius = 64, mpmath.mpf(1) / 8
    centre = _rational(env.symbols[by])
    total = mpmath.mpc(0)
    for k in range(points):
        turn = mpmath.expjpi(mpmath.mpf(2 * k) / points)
        moved: Mapping[str, Any] = {**env.symbols, by: centre + radius * turn}
        total += _scalar(body, replace(env, symbols=moved)) / turn
    return total / (points * radius)


def _at(env: Env, index: str, k: int) -> Env:
    return replace(env, symbols={**env.symbols, index: k})


def _size(size: Size, env: Env) -> int:
    return size.multiple * (int(env.symbols[size.name]) if size.name else 1)


def _matrix(term: Term, env: Env) -> mpmath.matrix:
    match term:
        case Matrix(entries):
            return mpmath.matrix([[_scalar(entry, env) for entry in row] for row in entries])
        case Block():
            return _block(term, env)
        case MatrixSymbol(name):
            return mpmath.matrix([[_rational(x) for x in row] for row in env.matrices[name, None]])
        case MatrixFamily(name, argument, size, kind):
            at = int(mpmath.nint(_scalar(argument, env).real))
            if kind == "rotation":
                return _rotation(_size(size, env), at)
            return mpmath.matrix([[_rational(x) for x in row] for row in env.matrices[name, at]])
        case Identity(size):
            return mpmath.eye(_size(size, env))
        case Transpose(argument):
            return _matrix(argument, env).T
        case Determinant(argument):
            return mpmath.matrix([[mpmath.det(_matrix(argument, env))]])
        case Multiply(parts):
            return _product([_matrix(part, env) for part in parts])
        case Add(parts):
            result = _matrix(parts[0], env)
            for part in parts[1:]:
                result = result + _matrix(part, env)
            return result
        case _:
            return mpmath.matrix([[_scalar(term, env)]])


def _product(factors: list[mpmath.matrix]) -> mpmath.matrix:
    result = factors[0]
    for factor in factors[1:]:
        if (result.rows, result.cols) == (1, 1):
            result = result[0, 0] * factor
        elif (factor.rows, factor.cols) == (1, 1):
            result = result * factor[0, 0]
        else:
            result = result * factor
    return result


def _block(term: Block, env: Env) -> mpmath.matrix:
    count = int(_scalar(term.count, env).real)
    columns = len(term.columns.slots) * count if term.columns else 1
    result = mpmath.zeros(len(term.rows.slots) * count, columns)
    for k in range(count):
        down = [s.stride * k + s.counts * count + s.offset for s in term.rows.slots]
        across = [s.stride * k + s.counts * count + s.offset for s in term.columns.slots] if term.columns else [0]
        for r, entries in zip(down, term.entries, strict=True):
            for column, entry in zip(across, entries, strict=True):
                result[r, column] = _scalar(entry, _at(env, term.index, k))
    return result


def _rotation(size: int, at: int) -> mpmath.matrix:
    """Powers of turns by (3/5, 4/5), (5/13, 12/13), (8/17, 15/17): a definite family that is rational."""
    result = mpmath.eye(size)
    for pair in range(size // 2):
        c, s, n = ((3, 4, 5), (5, 12, 13), (8, 15, 17))[pair % 3]
        z = mpmath.mpc(mpmath.mpf(c) / n, mpmath.mpf(s) / n) ** at
        p = 2 * pair
        result[p, p], result[p, p + 1], result[p + 1, p], result[p + 1, p + 1] = z.real, -z.imag, z.imag, z.real
    return result
