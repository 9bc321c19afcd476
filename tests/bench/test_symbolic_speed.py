"""Processor time of the proofs about released code, by subject, and the memory of the process that makes them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.bench
# One process, as a run has it; the first trace of all pays for what Torch imports.
PROVE = """
import json, sys, time, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import torch
from posproofs import production
from posproofs.laws import laws_of
from posproofs.symbolic.tracing import trace
torch.set_num_threads(1)
trace(lambda x: x + 1, (torch.ones(2),))
found = []
for subject in production.SUBJECTS:
    laws = [law for law in laws_of(subject) if law.prove is not None]
    start = time.process_time()
    statuses = [law.prove(subject).status for law in laws]
    found.append((subject.kind, subject.name, time.process_time() - start, statuses.count("proved")))
peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(json.dumps({"found": found, "megabytes": int(peak) // 1024}), file=sys.__stdout__)
"""


def test_proofs_of_released_code_take_seconds() -> None:
    ran = subprocess.run([sys.executable, "-c", PROVE], capture_output=True, text=True, check=True, timeout=900)
    data = json.loads(ran.stdout.splitlines()[-1])
    medians = {}
    for kind in ("rotary", "scores", "attention"):
        rows = sorted((seconds, name) for of, name, seconds, proved in data["found"] if of == kind and proved)
        medians[kind] = rows[len(rows) // 2][0]
        slowest = ", ".join(f"{name} {seconds:.1f} s" for seconds, name in rows[-3:])
        sys.stdout.write(f"\n{kind}: {len(rows)} subjects, median {medians[kind]:.2f} s; slowest {slowest}")
    sys.stdout.write(f"\npeak memory {data['megabytes']} MB\n")
    assert medians["rotary"] < 2
    assert medians["attention"] < 10
    assert data["megabytes"] < 2048
