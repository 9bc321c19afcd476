"""The cases that are smaller than a witness of attention: fewer rows, then fewer parts of as many.

A derived bound takes the time, so a witness can be found with one bound that stands for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest
import torch

from posproofs.laws import AttentionSize, AttentionSubject, Case, Finding, Law, attention_cases, examine
from posproofs.laws.attention_cases import output, size_of, values_of
from posproofs.laws.attention_mutants import SIZES
from posproofs.laws.attention_sides import side_of
from posproofs.mutants import AttentionMutant
from posproofs.mutants.attention import NEIGHBOURS
from tests.laws.witnesses import breaks, too_large

GROUPED, PAIRS = SIZES
# One row has no later row and no other order, and is not given in parts.
LEAST = {"attention.causal": 2, "attention.decoding": 2, "attention.permutation": 2}
BETWEEN = 1e-4  # far from what is noise and from what is a defect


def shown_in(mutant: AttentionMutant) -> tuple[AttentionSize, ...]:
    """The size that shows it: two pairs for a layout, grouped heads for all others."""
    return (PAIRS if mutant is NEIGHBOURS else GROUPED,)


@contextmanager
def one_bound() -> Iterator[None]:
    """Two sides may be apart by that much, whatever they are; nothing is exported."""

    def bound(_subject: AttentionSubject, size: AttentionSize, *_asked: Any, dtype: str) -> torch.Tensor:
        assert dtype in {"float32", "float64"}
        return torch.full((size.rows, size.model), BETWEEN / 2, dtype=torch.float64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention_cases, "error", bound)
        yield


def quickly(law: Law, subject: AttentionSubject) -> Finding:
    """What the law finds with one bound."""
    with one_bound():
        return examine(law, subject)


def beyond_need(law: Law, subject: AttentionSubject, finding: Finding) -> Iterator[str]:
    """In words, why the witness is not the smallest: see `too_large`."""
    return too_large(law, subject, finding, smaller, fixed=_fixed, failing=_failing)


def smaller(law: Law, subject: AttentionSubject, _whole: Case | None, witness: Case) -> Iterator[Case]:
    """All cases of the law with fewer rows, in every dtype and of every pair of sides on the paths of the witness.

    Then those with fewer parts of as many rows.
    """
    size, paths = size_of(witness), {side.get("path") for side in witness["sides"]}
    for rows in range(LEAST.get(law.id, 1), size.rows):
        fewer = law.cases(replace(subject, sizes=(replace(size, rows=rows),)))
        yield from (case for case in fewer if {side.get("path") for side in case["sides"]} == paths)
    *_, last = map(side_of, witness["sides"])
    for lengths in parted(size.rows) if last.form == "steps" else ():
        if len(lengths) < len(last.lengths):
            yield {**witness, "sides": [*witness["sides"][:-1], replace(last, lengths=lengths).listed()]}


def parted(rows: int) -> list[tuple[int, ...]]:
    """Two parts or more that make that many rows together: each row but the first begins one or does not."""
    begun = ([row for row, begins in enumerate(chosen, 1) if begins] for chosen in product((0, 1), repeat=rows - 1))
    return [tuple(end - start for start, end in pairwise((0, *cuts, rows))) for cuts in begun if cuts]


def _failing(law: Law, subject: AttentionSubject, case: Case) -> bool:
    """Where both sides give the same floats nothing can fail, and no bound is derived, which takes the time."""
    if law.id != "attention.causal":
        values, size, dtype = values_of(subject, case), size_of(case), case["dtype"]
        one, other = (output(subject, size, side_of(side), values, dtype=dtype) for side in case["sides"])
        if torch.equal(one, other):
            return False
    return breaks(law, subject, case)


def _fixed(case: Case) -> object:
    _rows, *heads = case["size"]
    return heads, case["dtype"]
