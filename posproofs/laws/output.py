"""From numbers come numbers: a call gives finite numbers, as many as it was given, in the dtype of x.

NaN is above every bound, so every other law would fail on it and none would say what is wrong. Positions are those at
which tables, formats and quotients end, 0 first of all; x is of ordinary size, and a row of zeros is among its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from posproofs.laws.algebra import EDGES, base_case, named, width_of
from posproofs.laws.calling import called, pattern, smallest
from posproofs.laws.law import Case, Measure
from posproofs.laws.subject import Subject, Width, dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

BATCH, HEADS = 2, 3  # the second element of the batch is zeros
_FAR = (65536, 131072)  # beyond 65504, the greatest number of float16


def positions_of(subject: Subject) -> list[int]:
    """The positions that are asked: edges of tables and formats to 2**17, and the last that the subject takes."""
    last = () if subject.limit is None else (subject.limit - 1,)
    return sorted({*subject.within((*EDGES, *_FAR)), *last})


def widths(subject: Subject) -> tuple[Width, ...]:
    """The smallest width, the smallest in which two pairs turn, and the largest."""
    return tuple(dict.fromkeys((*smallest(subject), max(subject.widths))))


def cases(subject: Subject) -> Iterator[Case]:
    for width in widths(subject):
        for dtype in subject.dtypes:
            yield {**base_case(width, dtype), "positions": positions_of(subject)}


def measure(subject: Subject, case: Case) -> Measure:
    """How many numbers of the output are not finite; infinity where it is of another shape or dtype than x."""
    wrong = _wrong(subject, case)
    if wrong is None:
        return Measure(0.0, 0.0)
    observed, saw, expected = wrong
    alone = ({**case, "positions": [p]} for p in case["positions"])
    smaller = next((one for one in alone if _wrong(subject, one) is not None), None)
    return Measure(observed, 0.0, smaller, saw=saw, expected=expected)


def _wrong(subject: Subject, case: Case) -> tuple[float, str, str] | None:
    """What is wrong with the outputs of the case: how much, what was seen, what was expected."""
    width, positions = width_of(case), torch.tensor(case["positions"], dtype=torch.int64)
    x = pattern(BATCH, HEADS, len(case["positions"]), width.head, dtype=dtype_of(case["dtype"]))
    x[1] = 0
    instance = subject.make(width)
    maps = [("", instance)] if instance.keys is None else [("queries: ", instance), ("keys: ", instance.of_keys())]
    for whose, one in maps:
        y = called(subject, one, x.clone(), positions).detach()
        found = _other_form(x, y) or _not_finite(y, case["positions"])
        if found is not None:
            observed, saw, expected = found
            return observed, f"{whose}{saw}", expected
    return None


def _other_form(x: Tensor, y: Tensor) -> tuple[float, str, str] | None:
    if y.shape != x.shape:
        return float("inf"), f"x is {tuple(x.shape)}, the output is {tuple(y.shape)}", "an output of the shape of x"
    if y.dtype != x.dtype:
        return float("inf"), f"x is in {_name(x)}, the output in {_name(y)}", "an output in the dtype of x"
    return None


def _name(x: Tensor) -> str:
    return str(x.dtype).removeprefix("torch.")


def _not_finite(y: Tensor, positions: list[int]) -> tuple[float, str, str] | None:
    """The first number that is none, in the order of positions; ordinary rows before the rows of zeros."""
    strange = ~y.isfinite()
    count = int(strange.sum())
    if not count:
        return None
    t, b, h, k = strange.permute(2, 0, 1, 3).nonzero()[0].tolist()
    row = "coordinate" if b == 0 else "of a row of zeros, coordinate"
    saw = f"{row} {k} is {float(y[b, h, t, k])} at position {positions[t]}"
    return float(count), saw, "finite numbers"


def describe(case: Case) -> str:
    at = case["positions"]
    return f"{named(case)}; position {at[0]}" if len(at) == 1 else f"{named(case)}; {len(at)} positions to {at[-1]}"
