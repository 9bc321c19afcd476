"""Integer index algebra: flat = row * width + column with 0 <= column < width, and so the entry at (row, column).

A matrix kept row by row in memory is read at a flat index; `located` finds its row and column. Facts are integer
polynomials known to be at least 0: indices lie in their ranges, counts are at least 1, and hypotheses say more.

Sound: flat = row * width + column is checked as an identity of polynomials; both bounds are shown as nonnegative
combinations of facts and a nonnegative constant, by subtracting multiples of facts. Given both, row and column are the
quotient and remainder of flat by width, which are unique. Not complete: rows are tried among single symbols and their
neighbours, and bounds that need a product of facts are not found. What is not located keeps its flat index, so that
nothing is said of it: with an off-by-one bound, or past the end of a row, the identity stays undecided or is refuted.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derivations.kernel import values as v
from derivations.kernel.budget import spend
from derivations.kernel.values import Key, Value

DEPTH = 8


def is_integer_polynomial(value: Value) -> bool:
    """Integer coefficients, positive powers of symbols, nothing else."""
    return all(
        not phase and not im and d == 1 and all(base[0] == "symbol" and n > 0 for base, n in monomial)
        for (monomial, phase), (_, im, d) in value.items()
    )


def located(flat: Value, width: Value, facts: tuple[Value, ...]) -> tuple[Value, Value] | None:
    """The row and column of a flat index, or None where no candidate row can be shown to be the one."""
    for row in _candidates(flat, facts):
        column = v.subtract(flat, v.multiply(row, width))
        last = v.subtract(v.subtract(width, v.ONE), column)
        if nonnegative(column, facts) and nonnegative(last, facts):
            return row, column
    return None


def _candidates(flat: Value, facts: tuple[Value, ...]) -> Iterator[Value]:
    names = {base for value in (flat, *facts) for (monomial, _) in value for base, _ in monomial}
    for symbol in (v.ZERO, *(v.atom(base) for base in sorted(names, key=repr))):
        for step in (0, -1, 1):
            yield v.add(symbol, v.constant(step))


def nonnegative(target: Value, facts: tuple[Value, ...], depth: int = DEPTH) -> bool:
    """Is target a nonnegative combination of facts plus a constant that is at least 0? True is sound."""
    spend(len(target) + len(facts))
    rest = {key: c for key, c in target.items() if key != v.CONSTANT}
    if not rest:
        return target.get(v.CONSTANT, (0, 0, 1))[0] >= 0
    if depth == 0:
        return False
    key = min(rest, key=repr)
    return any(
        nonnegative(v.subtract(target, v.scale(fact, v.coefficient(factor))), facts, depth - 1)
        for fact in facts
        if (factor := _multiple(target, fact, key)) is not None
    )


def _multiple(target: Value, fact: Value, key: Key) -> Fraction | None:
    """The positive multiple of the fact that removes this monomial from the target, if there is one."""
    if key not in fact:
        return None
    factor = v.parts(target[key])[0] / v.parts(fact[key])[0]
    return factor if factor > 0 else None
