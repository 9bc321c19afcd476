"""An evaluator of kernel terms that shares nothing with the emitter: mpmath numbers and dense matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mpmath

from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Family,
    Matrix,
    Multiply,
    Number,
    Pi,
    Power,
    Symbol,
    Term,
    Transpose,
)

Dense = list[list[Any]]
FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "cos": mpmath.cos,
    "sin": mpmath.sin,
}


@dataclass(frozen=True, slots=True)
class Env:
    """Values of the symbols, and of the families as sequences."""

    symbols: Mapping[str, Any]
    families: Mapping[str, Sequence[Any]]

    def at(self, name: str, value: Any) -> Env:
        return replace(self, symbols={**self.symbols, name: value})


def scalar(term: Term, env: Env) -> Any:
    match term:
        case Number(re, im):
            real = mpmath.mpf(re.numerator) / re.denominator
            return real if im == 0 else mpmath.mpc(real, mpmath.mpf(im.numerator) / im.denominator)
        case Pi():
            return +mpmath.pi
        case Symbol(name):
            return mpmath.mpf(env.symbols[name])
        case Family(name, index):
            return mpmath.mpf(float(env.families[name][int(scalar(index, env))]))
        case Add(parts):
            return mpmath.fsum(scalar(part, env) for part in parts)
        case Multiply(factors):
            return mpmath.fprod(scalar(factor, env) for factor in factors)
        case Power(base, exponent):
            return mpmath.power(scalar(base, env), scalar(exponent, env))
        case Apply(operator, argument):
            return FUNCTIONS[operator](scalar(argument, env))
        case _:
            raise TypeError(term)


def dense(term: Term, env: Env) -> Dense:
    """A matrix term written out."""
    match term:
        case Block():
            return _block(term, env)
        case Transpose(argument):
            return [list(column) for column in zip(*dense(argument, env), strict=True)]
        case Multiply((first, *rest)):
            result = dense(first, env)
            for factor in rest:
                result = _product(result, dense(factor, env))
            return result
        case Matrix(rows):
            return [[scalar(entry, env) for entry in row] for row in rows]
        case _:
            raise TypeError(term)


def _product(left: Dense, right: Dense) -> Dense:
    columns = list(zip(*right, strict=True))
    nonzero = [[k for k, value in enumerate(row) if value != 0] for row in left]
    return [
        [mpmath.fsum(row[k] * column[k] for k in used) for column in columns]
        for row, used in zip(left, nonzero, strict=True)
    ]


def _block(term: Block, env: Env) -> Dense:
    count = int(scalar(term.count, env))
    width = count * len(term.columns.slots) if term.columns else 1
    result: Dense = [[mpmath.mpf(0)] * width for _ in range(count * len(term.rows.slots))]
    for index in range(count):
        inner = env.at(term.index, index)
        columns = term.columns.coordinates(index, count) if term.columns else (0,)
        for row, entries in zip(term.rows.coordinates(index, count), term.entries, strict=True):
            for column, entry in zip(columns, entries, strict=True):
                result[row][column] = scalar(entry, inner)
    return result
