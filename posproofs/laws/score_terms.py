"""The score is the sum of its four terms, and computing it changes nothing.

    four_terms   (q_i + u).k_j + (q_i + v).r_(i-j+M), times the declared scale      Dai et al., 2019, section 3.3
The emitted function is printed from proved statements, so this law compares a library with theorems. It comes last:
every other law names a defect more precisely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from posproofs.emit import emit
from posproofs.laws.law import Case, Measure
from posproofs.laws.score_calls import (
    apart,
    base_case,
    built,
    first_above,
    given_rows,
    lengths,
    leveled,
    named,
    point,
    region,
    scored,
    sequence_of,
    size_of,
    tokens,
)
from posproofs.laws.score_narrowing import fewer, narrowing
from posproofs.laws.score_precision import compared_error
from posproofs.laws.scored import ScoreSubject
from posproofs.laws.state import same_bytes
from posproofs.laws.subject import dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from torch import Tensor

_LENGTHS = ((1, 1), (2, 0), (2, 1), (3, 2), (5, 0), (5, 4), (16, 7))


@cache
def emitted() -> Callable[..., Tensor]:
    """The unscaled scores, emitted from the proved four terms, in torch."""
    function: Callable[..., Tensor] = emit("transformer_xl.scores", to="torch")
    return function


def cases(subject: ScoreSubject) -> Iterator[Case]:
    """Every declared size in every dtype, short sequences first."""
    for size in sorted(subject.sizes):
        for queries, remembered in _LENGTHS:
            if remembered and subject.convention.memory == "none":
                continue
            for dtype in subject.dtypes:
                yield {**base_case(size, dtype), "batch": 1, "queries": queries, "memory": remembered, "seed": 0}


def draws(subject: ScoreSubject) -> SearchStrategy[Case]:
    remembered = st.integers(0, 33) if subject.convention.memory == "any" else st.just(0)
    return st.fixed_dictionaries(
        {
            "size": st.sampled_from([[size.heads, size.width] for size in sorted(subject.sizes)]),
            "dtype": st.sampled_from(subject.dtypes),
            "batch": st.integers(1, 3),
            "queries": st.integers(2, 33),
            "memory": remembered,
            "seed": st.integers(0, 99),
        }
    )


@narrowing(fewer(batch=1, queries=1, memory=0))
def measure(subject: ScoreSubject, case: Case) -> Measure:
    """Worst difference from the four terms, over the region that the subject declares."""
    size, dtype = size_of(case), case["dtype"]
    end = case["queries"] + case["memory"]
    sequence = sequence_of(subject, case, end, batch=case["batch"])
    arguments = sequence.part(subject, 0, case["memory"], end)
    given = leveled(subject, scored(built(subject, case), arguments, dtype))
    wanted = declared(subject, case, arguments)
    off, allowed = apart(subject, given, wanted), compared_error(subject, dtype, arguments, size=size)
    beyond = torch.where(off.isnan(), torch.inf, off.abs() - allowed)
    b, h, i, j = first_above(beyond)
    exact = wanted[b, h, i, j]
    broken = bool((beyond > 0).any())
    return Measure(
        float(off[b, h, i, j].abs()),
        float(allowed[b, h, i, j]),
        None,
        saw=f"the score of query {i} and key {j} is {float(exact + off[b, h, i, j]):.6g}",
        expected=f"{float(exact):.6g}",
        likely=_other_form(subject, case, arguments, given, allowed) if broken else None,
    )


def declared(subject: ScoreSubject, case: Case, arguments: tuple[Tensor, ...]) -> Tensor:
    """The emitted scores of these arguments in float64, times the declared scale."""
    q, k, r, u, v = arguments
    rows = given_rows(subject, r, q.shape[2], k.shape[2])
    return emitted()(q, k, rows, u, v) * subject.convention.factor(size_of(case))


def _other_form(
    subject: ScoreSubject, case: Case, arguments: tuple[Tensor, ...], given: Tensor, allowed: Tensor
) -> str | None:
    """What is computed instead, if it is one usual slip with the biases; at a point with few numbers several fit."""
    q, k, r, u, v = arguments
    nothing = torch.zeros_like(u)
    slips = {
        "u and v are exchanged": (q, k, r, v, u),
        "u is left out": (q, k, r, nothing, v),
        "v is left out": (q, k, r, u, nothing),
        "u is added for the offset too": (q, k, r, u, u + v),
        "v is added to the content too": (q, k, r, u + v, v),
    }
    fitting = [
        words
        for words, changed in slips.items()
        if bool((apart(subject, given, declared(subject, case, changed)).abs() <= allowed).all())
    ]
    return fitting[0] if len(fitting) == 1 else None


def describe(case: Case) -> str:
    return f"{named(case)}; {lengths(case)}" + ("" if case["batch"] == 1 else f", batch {case['batch']}") + point(case)


def purity_cases(subject: ScoreSubject) -> Iterator[Case]:
    """More than one of everything, so that any axis that is written to is there."""
    for size in sorted(subject.sizes)[:2]:
        for dtype in subject.dtypes:
            memory = 2 if subject.convention.memory == "any" else 0
            yield {**base_case(size, dtype), "batch": 2, "queries": 3, "memory": memory}


@narrowing(fewer(batch=1, queries=1, memory=0))
def purity(subject: ScoreSubject, case: Case) -> Measure:
    """How many of the arguments, the tables and the second result differ in a bit."""
    end = case["queries"] + case["memory"]
    sequence = tokens(subject, size_of(case), end, batch=case["batch"], seed=2)
    here = dtype_of(case["dtype"])
    arguments = tuple(one.to(here).clone() for one in sequence.part(subject, 0, case["memory"], end))
    instance = built(subject, case)
    watched = (*arguments, *instance.tables)
    before = [one.detach().clone() for one in watched]
    names = ["q", "k", "r", "u", "v", *(f"table {n}" for n in range(len(instance.tables)))]
    kept = scored(instance, arguments, case["dtype"]).clone()
    changed = [name for name, a, b in zip(names, before, watched, strict=True) if not same_bytes(a, b.detach())]
    if not changed and not same_bytes(kept, scored(instance, arguments, case["dtype"])):
        changed = ["the result of the same call"]
    inside = region(subject, kept.shape[-2], kept.shape[-1])
    if bool(kept[..., inside].isnan().any()):
        changed.append("a number into NaN")
    return Measure(
        float(len(changed)), 0.0, None, saw=f"the call changed {', '.join(changed)}", expected="nothing changes"
    )
