"""Seconds from behind `import torch` to the verdict of `check`, as whoever waits for it counts them."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from posproofs.engine.check import check
from posproofs.engine.worker import Worker
from posproofs.vocabulary import Verdict
from tests.repo.sources import ROOT

pytestmark = pytest.mark.bench
ROUNDS = 3
# Each in the shape that the code has: positions, tables, an offset, a class; then functions of q, k, v, and a module.
LIMITS = {
    "rotations.py:rotate": 5.0,
    "rotations.py:with_table": 5.0,
    "rotations.py:with_complex": 5.0,
    "rotations.py:with_offset": 5.0,
    "rotations.py:Interleaved": 5.0,
    "attentions.py:grouped": 15.0,
    "attentions.py:turned": 15.0,
    "attentions.py:two_paths": 15.0,
    "modules.py:Grouped": 15.0,
}


def seconds(target: str, folder: Path) -> float:
    """One check, with everything that it imports beside Torch, in a process that has done nothing else."""
    with Worker() as worker:
        worker.begin("torch")
        worker.call(os.getpid)  # answered when Torch is there
        start = time.perf_counter()
        found = check(f"{ROOT}/tests/engine/own/{target}", worker=worker, folder=folder)
        taken = time.perf_counter() - start
    assert found.verdict is Verdict.CONFORMS
    return taken


@pytest.mark.parametrize("target", LIMITS)
def test_a_verdict_takes_seconds(target: str, tmp_path: Path) -> None:
    taken = sorted(seconds(target, tmp_path) for _ in range(ROUNDS))
    sys.stdout.write(f"\n{target}: {' '.join(f'{one:.1f}' for one in taken)} s\n")
    assert taken[0] < LIMITS[target]
