"""The rows that a library makes are a function of offsets and dtype: earlier calls do not change them.

A table that is kept and cast in its place loses what the narrowest call took from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from posproofs.laws.law import Case, Measure
from posproofs.laws.precision import UNIT
from posproofs.laws.score_calls import base_case, built, named
from posproofs.laws.score_index import sizes
from posproofs.laws.score_narrowing import narrowing
from posproofs.laws.scored import ScoreInstance, ScoreSubject
from posproofs.laws.subject import dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

DTYPES = ("float32", "float64", "bfloat16")
_TOKENS = (2, 5, 90)


def _call(dtype: str, tokens: int) -> dict[str, object]:
    return {"dtype": dtype, "tokens": tokens}


def cases(subject: ScoreSubject) -> Iterator[Case]:
    """One earlier call, then two; the short ones and the dtype of the later call first."""
    for size in sizes(subject):
        for probe in (_call("float32", 2), _call("float32", 5)):
            earlier = [_call(dtype, tokens) for tokens, dtype in product(_TOKENS, DTYPES)]
            for call in earlier:
                yield {**base_case(size, "float32"), "calls": [call], "probe": probe}
            for first, second in product(earlier[:3], earlier[-3:]):
                yield {**base_case(size, "float32"), "calls": [first, second], "probe": probe}


def _shorter(subject: ScoreSubject, case: Case) -> Iterator[Case]:
    """A call less; fewer tokens in the later call or in an earlier one; an earlier call in a dtype listed before."""
    calls, probe, least = case["calls"], case["probe"], fewest(subject)
    for k in range(len(calls) if len(calls) > 1 else 0):
        yield {**case, "calls": [*calls[:k], *calls[k + 1 :]]}
    yield from ({**case, "probe": less} for less in _less(probe, least))
    for k, call in enumerate(calls):
        for less in (*_less(call, least), *_before(call)):
            yield {**case, "calls": [*calls[:k], less, *calls[k + 1 :]]}


def fewest(subject: ScoreSubject) -> int:
    """How many tokens have a row that a dtype may not hold: that of offset 0 is 0 and 1 alone, in every dtype."""
    return 1 if subject.convention.first == "K" else 2


def _less(call: Case, least: int) -> Iterator[Case]:
    return ({**call, "tokens": tokens} for tokens in range(least, call["tokens"]))


def _before(call: Case) -> Iterator[Case]:
    return ({**call, "dtype": dtype} for dtype in DTYPES[: DTYPES.index(call["dtype"])])


@narrowing(_shorter)
def measure(subject: ScoreSubject, case: Case) -> Measure:
    """The rows of a later call against those of a new instance.

    The angles are the same floats, so each entry may be off by the function's 1 ulp alone, at most u.
    """
    used, new = built(subject, case), built(subject, case)
    if used.table is None:
        return Measure(0.0, 0.0, reason="the library makes no rows that it shows")
    wanted = _rows(new, case["probe"])
    for call in case["calls"]:
        _rows(used, call)
    later = _rows(used, case["probe"])
    allowed = 2 * UNIT[case["probe"]["dtype"]]
    off = (later - wanted).abs()
    flat = int(torch.where(off.isnan(), torch.inf, off).argmax())
    return Measure(
        float(off.flatten()[flat]),
        allowed,
        None,
        saw=f"an entry of {float(later.flatten()[flat]):.6g}",
        expected=f"{float(wanted.flatten()[flat]):.6g}, as a new instance gives",
        likely="a table is kept in the dtype of an earlier call",
    )


def _rows(instance: ScoreInstance, call: Case) -> Tensor:
    assert instance.table is not None
    with torch.no_grad():
        return instance.table(call["tokens"], call["tokens"], dtype_of(call["dtype"])).double()


def describe(case: Case) -> str:
    calls = "; ".join(
        f"{call['dtype']} for {call['tokens']} token{'' if call['tokens'] == 1 else 's'}" for call in case["calls"]
    )
    return f"{named(case).partition(';')[0]}; {calls}; then {case['probe']['dtype']} for {case['probe']['tokens']}"
