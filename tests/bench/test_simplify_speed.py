"""The named score and rotation rows against SymPy's simplify at widths 2 and 8, conversion included."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest
import sympy as sp

from derivations.from_sympy import to_term
from derivations.kernel import Statement, Theorem, prove

pytestmark = pytest.mark.bench
m, n = sp.symbols("m n", real=True)


def rotation_matrix(position: sp.Expr, pairs: int) -> sp.ImmutableMatrix:
    """The rotary matrix of width 2 * pairs, written out."""
    blocks = []
    for k in range(pairs):
        angle = position * sp.Symbol(f"t{k}", real=True)
        blocks.append(sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]]))
    return sp.diag(*blocks).as_immutable()


def score_row(width: int) -> tuple[sp.Expr, sp.Expr]:
    """(R_m q)^T (R_n k) and q^T R_(n-m) k as scalars."""
    q = sp.Matrix(sp.symbols(f"q0:{width}", real=True))
    k = sp.Matrix(sp.symbols(f"k0:{width}", real=True))
    left = ((rotation_matrix(m, width // 2) * q).T * (rotation_matrix(n, width // 2) * k))[0]
    return left, (q.T * rotation_matrix(n - m, width // 2) * k)[0]


def rotation_row(width: int) -> tuple[sp.Expr, sp.Expr]:
    """R_m^T R_n and R_(n-m), entry by entry."""
    left = rotation_matrix(m, width // 2).T * rotation_matrix(n, width // 2)
    return left.as_immutable(), rotation_matrix(n - m, width // 2)


def seconds(work: Callable[[], object], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def by_kernel(left: sp.Expr, right: sp.Expr) -> Theorem:
    answer = prove(Statement(to_term(left), to_term(right)))
    assert isinstance(answer, Theorem)
    return answer


def by_simplify(left: sp.Expr, right: sp.Expr) -> None:
    sp.core.cache.clear_cache()
    difference = sp.simplify(left - right)
    assert difference == (sp.zeros(*difference.shape) if hasattr(difference, "shape") else 0)


@pytest.mark.parametrize("row", [score_row, rotation_row])
@pytest.mark.parametrize(("width", "wanted"), [(2, 30), (8, 100)])
def test_faster_than_simplify(row: Callable[[int], tuple[sp.Expr, sp.Expr]], width: int, wanted: int) -> None:
    left, right = row(width)
    ours = seconds(lambda: by_kernel(left, right), 5)
    theirs = seconds(lambda: by_simplify(left, right), 1 if width == 8 else 3)
    times = f"kernel {1e3 * ours:.2f} ms, simplify {1e3 * theirs:.0f} ms, {theirs / ours:.0f} times faster"
    sys.stdout.write(f"\n{row.__name__} width {width}: {times}\n")
    assert theirs / ours >= wanted
