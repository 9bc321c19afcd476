"""The whole catalogue from a cold start, and one proof for every even width against the same row written out."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
import sympy as sp

from derivations.euler import product, rotation
from derivations.from_sympy import to_term
from derivations.kernel import Statement, Theorem, prove
from derivations.notation import Block, Theta, i, m, n

pytestmark = pytest.mark.bench
COLD = """
import time
from derivations.derivation import catalogue
entries = catalogue()
start = time.perf_counter()
open_entries = [e.id for e in entries.values() if e.check().status in ("undecided", "empirical")]
print(time.perf_counter() - start, *open_entries)
"""


def test_the_catalogue_is_decided_in_three_seconds() -> None:
    ran = subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, check=True, timeout=60)
    seconds, *undecided = ran.stdout.split()
    sys.stdout.write(f"\ncatalogue: {float(seconds):.2f} s after imports\n")
    assert undecided == []
    assert float(seconds) < 3.0


def relative_row(width: int) -> Statement:
    """R_m^T R_n = R_(n-m), written out for one width."""

    def turn(position: sp.Expr) -> sp.ImmutableMatrix:
        blocks = [rotation(position * sp.Symbol(f"t{k}", real=True)) for k in range(width // 2)]
        return sp.diag(*blocks).as_immutable()

    return Statement(to_term(product(sp.Transpose(turn(m)), turn(n))), to_term(turn(n - m)))


def seconds(statement: Statement) -> float:
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        assert isinstance(prove(statement), Theorem)
        best = min(best, time.perf_counter() - start)
    return best


def test_one_proof_serves_every_width() -> None:
    """The general row costs about as much as a few planes written out, and nothing in it grows with the width."""

    def turn(position: sp.Expr) -> object:
        return Block(rotation(position * Theta[i]))

    general = Statement(to_term(product(sp.Transpose(turn(m)), turn(n))), to_term(turn(n - m)))
    of_every_width = seconds(general)
    written_out = {width: seconds(relative_row(width)) for width in (2, 8, 32)}
    times = ", ".join(f"width {width} {1e3 * t:.1f} ms" for width, t in written_out.items())
    sys.stdout.write(f"\nevery width {1e3 * of_every_width:.1f} ms; written out: {times}\n")
    assert of_every_width < written_out[32]
