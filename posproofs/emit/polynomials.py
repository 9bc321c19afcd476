"""Integer polynomials in counts and indices, as the kernel's normal form: read from a term, taken apart, written again.

Lengths, strides and flat indices of a matrix in memory are such polynomials.
"""

from __future__ import annotations

from derivations.kernel import OutOfFragment, Statement
from derivations.kernel import values as v
from derivations.kernel.evaluate import context_of, scalar
from derivations.kernel.indices import is_integer_polynomial
from derivations.kernel.terms import Add, Multiply, Symbol, Term, number
from derivations.kernel.values import Key, Value
from posproofs.emit.expressions import described
from posproofs.errors import NotEmittable


def polynomial(term: Term, statement: Statement) -> Value:
    """The polynomial that a term of the statement is; NotEmittable for any other term."""
    try:
        quotient = scalar(term, context_of(statement))
    except OutOfFragment as refusal:
        raise NotEmittable(f"the node {described(term)} is not read: {refusal}") from refusal
    if quotient.under != v.ONE or not is_integer_polynomial(quotient.over):
        raise NotEmittable(f"the node {described(term)} is no integer polynomial in indices and counts")
    return quotient.over


def symbol(name: str) -> Value:
    """The polynomial that is one name."""
    return v.atom(("symbol", name))


def names(value: Value) -> frozenset[str]:
    """The names that occur."""
    return frozenset(name for key in value for name, _ in _powers(key))


def coefficient_of(value: Value, name: str) -> Value | None:
    """What multiplies the name, or None where it occurs with another power than the first."""
    found: Value = {}
    for (monomial, phase), c in value.items():
        power = dict(monomial).get(("symbol", name), 0)
        if power > 1:
            return None
        if power == 1:
            found[(monomial - {(("symbol", name), 1)}, phase)] = c
    return found


def without(value: Value, *dropped: str) -> Value:
    """The terms in which none of the names occurs."""
    return {key: c for key, c in value.items() if not {name for name, _ in _powers(key)} & set(dropped)}


def written(value: Value) -> Term:
    """The polynomial as a term: higher powers first, what is added before what is taken away."""
    terms = [
        (not c[0] > 0, -sum(power for _, power in powers), powers, c[0])
        for key, c in value.items()
        for powers in [_powers(key)]
    ]
    parts = [_term(c, powers) for *_, powers, c in sorted(terms)]
    return Add(tuple(parts)) if len(parts) > 1 else parts[0] if parts else number(0)


def _powers(key: Key) -> tuple[tuple[str, int], ...]:
    """The names of a monomial and their powers, in order."""
    return tuple(sorted((base[1], power) for base, power in key[0] if base[0] == "symbol"))


def _term(c: int, powers: tuple[tuple[str, int], ...]) -> Term:
    factors: list[Term] = [Symbol(name) for name, power in powers for _ in range(power)]
    if c != 1 or not factors:
        factors.insert(0, number(c))
    return Multiply(tuple(factors)) if len(factors) > 1 else factors[0]
