"""For which numbers of rows the exported graph is the same program: one export with a length that stays open.

A proof at three rows is about three rows. That the graph is the same for every length says that nothing in the code
branches on it, and no more.
"""

from __future__ import annotations

from posproofs.laws.attended import AttentionSubject
from posproofs.laws.attention_runs import given_positions
from posproofs.laws.attention_sides import Side, built
from posproofs.laws.calling import pattern
from posproofs.mutants.backend import torch
from posproofs.symbolic.tracing import open_lengths

LONGEST = 4096


def lengths(subject: AttentionSubject, path: str) -> tuple[int, int]:
    """The least and the greatest number of rows, from 2 to 4096, for which that path is one graph. Raises Refused."""
    size = subject.sizes[0]
    module = built(subject, size, Side(path), torch.float32).module
    x = pattern(1, size.rows, size.model, dtype=torch.float32)
    given = (x, *given_positions(subject, size))
    return open_lengths(module, given, axes=(1, 0)[: len(given)], most=LONGEST)
