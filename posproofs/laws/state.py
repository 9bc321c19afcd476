"""Laws of state: a call changes nothing but its result, and its result depends on its own arguments alone.

Purity: input, positions and tables are left as they were, and the same call twice gives the same bytes. Locality:
output row t of a batch element and head is a function of that row of x and of its position. History: earlier calls, on
this instance or another one, do not change a later call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from posproofs.laws.algebra import base_case, named, width_of
from posproofs.laws.calling import pattern, rotated, small, smallest
from posproofs.laws.law import Case, Measure
from posproofs.laws.precision import same_angle_error
from posproofs.laws.subject import Instance, Subject, Width, dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from torch import Tensor

SHAPES = ((1, 1, 1), (1, 1, 2), (1, 2, 3), (2, 1, 3), (2, 3, 5))
_LENGTHS = (1, 4, 70, 300)


def same_bytes(a: Tensor, b: Tensor) -> bool:
    """Equal in every bit; NaN equals itself, and -0 is not 0."""
    width = {2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return a.shape == b.shape and torch.equal(a.contiguous().view(width), b.contiguous().view(width))


def spread(a: Tensor, b: Tensor) -> float:
    """The greatest difference of two outputs; NaN where one of them has a NaN."""
    return float((a.detach().double() - b.detach().double()).abs().max())


def widths(subject: Subject) -> tuple[Width, ...]:
    """The widths that the laws of state are asked in."""
    return tuple(dict.fromkeys((*smallest(subject), *small(subject))))


def _same_angle(subject: Subject, dtype: str) -> float:
    """How far two correct outputs from the same float angles may be apart.

    Each is off by the error of the rotation by a computed angle, relative to |x_a| + |x_b|, which is at most 4 here.
    """
    return 2 * 4 * same_angle_error(subject.convention, subject.recipe, dtype) * subject.convention.magnitude


def purity_cases(subject: Subject) -> Iterator[Case]:
    for width in widths(subject):
        for dtype in subject.dtypes:
            yield base_case(width, dtype)


def purity(subject: Subject, case: Case) -> Measure:
    """How many of input, positions, tables and second result differ in a bit."""
    width = width_of(case)
    instance = subject.make(width)
    x, positions = pattern(2, 3, 5, width.head, dtype=dtype_of(case["dtype"])), torch.arange(2, 7)
    before = (x.clone(), positions.clone(), *(table.clone() for table in instance.tables))
    first = rotated(subject, instance, x, positions)
    kept = first.detach().clone()
    after = (x, positions, *instance.tables)
    names = ["the input", "the positions", *(f"table {k}" for k in range(len(instance.tables)))]
    changed = [n for n, a, b in zip(names, before, after, strict=True) if not same_bytes(a, b)]
    if not changed:
        again = rotated(subject, instance, x, positions)
        changed = [] if same_bytes(kept, again.detach()) else ["the result of the same call"]
    if bool(kept.isnan().any()):
        changed.append("a number into NaN")
    return Measure(
        float(len(changed)), 0.0, None, saw=f"the call changed {', '.join(changed)}", expected="nothing changes"
    )


def locality_cases(subject: Subject) -> Iterator[Case]:
    for width in small(subject)[:1]:
        for dtype in subject.dtypes:
            for shape in SHAPES:
                yield {**base_case(width, dtype), "shape": list(shape), "start": 3}


def locality_draws(subject: Subject) -> SearchStrategy[Case]:
    return st.fixed_dictionaries(
        {
            "width": st.sampled_from([[w.head, w.rotary] for w in small(subject)]),
            "dtype": st.sampled_from(subject.dtypes),
            "shape": st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 5)).map(list),
            "start": st.integers(0, min(subject.limit or 200000, 200000) - 20),
        }
    )


def locality(subject: Subject, case: Case) -> Measure:
    """Each row, against itself among other rows and at other positions of theirs, and against itself alone.

    Among other rows the shapes are the same, so nothing may differ. Alone, cosine and sine may come out of another loop
    of the library, so each of the two may be off by the error of one computed angle's rotation.
    """
    width, dtype = width_of(case), case["dtype"]
    batch, heads, rows = case["shape"]
    x = pattern(batch, heads, rows, width.head, dtype=dtype_of(dtype))
    other = pattern(batch, heads, rows, width.head, dtype=dtype_of(dtype), shift=1)
    positions = torch.arange(rows) + case["start"]
    whole = rotated(subject, subject.make(width), x, positions).detach()
    allowed = _same_angle(subject, dtype)
    for b, h, t in product(range(batch), range(heads), range(rows)):
        row = x[b, h, t][None, None, None]
        alone = rotated(subject, subject.make(width), row, positions[t : t + 1]).detach()
        apart = spread(alone[0, 0, 0], whole[b, h, t])
        if not apart <= allowed:
            return _leak(apart, allowed, (b, h, t), "from the row alone")
    return _among_others(subject, case, x, other, whole, positions)


def _among_others(subject: Subject, case: Case, x: Tensor, other: Tensor, whole: Tensor, positions: Tensor) -> Measure:
    """Keep one row at a time and exchange all the others; where the interface allows it, move their positions too."""
    width = width_of(case)
    batch, heads, rows = case["shape"]
    movable = subject.takes == "positions" and not _beyond(subject, positions)
    for b, h, t in product(range(batch), range(heads), range(rows)):
        moved = positions + 5 if movable else positions.clone()
        moved[t] = positions[t]
        mixed = other.clone()
        mixed[b, h, t] = x[b, h, t]
        y = rotated(subject, subject.make(width), mixed, moved).detach()
        if not same_bytes(y[b, h, t], whole[b, h, t]):
            return _leak(spread(y[b, h, t], whole[b, h, t]), 0.0, (b, h, t), "when the other rows change")
    return Measure(0.0, 0.0)


def _beyond(subject: Subject, positions: Tensor) -> bool:
    return subject.limit is not None and int(positions.max()) + 5 >= subject.limit


def _leak(apart: float, allowed: float, at: tuple[int, int, int], when: str) -> Measure:
    b, h, t = at
    saw = f"row {t} of head {h}, batch element {b}, differs by {apart:.3g} {when}"
    return Measure(apart, allowed, None, saw=saw, expected="the same row")


def describe_shape(case: Case) -> str:
    batch, heads, rows = case["shape"]
    return f"{named(case)}; {batch} x {heads} x {rows} rows from position {case['start']}"


def _call(dtype: str, start: int, rows: int, who: str = "same") -> dict[str, Any]:
    return {"dtype": dtype, "start": start, "rows": rows, "who": who}


def history_cases(subject: Subject) -> Iterator[Case]:
    """One earlier call, the short ones first, then two; the later call is in the first dtype of the subject."""
    width, first = small(subject)[0], subject.dtypes[0]
    ends = [s for s in (0, 3, 255) if subject.within((s + 12,))]
    probes = [_call(first, start, 4) for start in ends]
    earlier = [
        _call(dtype, start, rows, who)
        for rows in _LENGTHS
        for start in (0, 3)
        for who in ("same", "other")
        for dtype in subject.dtypes
        if subject.within((start + rows,))
    ]
    for call in earlier:
        for probe in probes:
            yield {"width": [width.head, width.rotary], "calls": [call], "probe": probe}
    short = [c for c in earlier if c["rows"] in (1, 300) and c["start"] == 0 and c["who"] == "same"]
    for a in short:
        for b in short:
            yield {"width": [width.head, width.rotary], "calls": [a, b], "probe": probes[-1]}


def history_draws(subject: Subject) -> SearchStrategy[Case]:
    top = min(subject.limit or 5000, 5000)
    longest = min(400, top // 2)
    call = st.fixed_dictionaries(
        {
            "dtype": st.sampled_from(subject.dtypes),
            "start": st.integers(0, top - longest),
            "rows": st.integers(1, longest),
            "who": st.sampled_from(["same", "other"]),
        }
    )
    return st.fixed_dictionaries(
        {
            "width": st.sampled_from([[w.head, w.rotary] for w in small(subject)]),
            "calls": st.lists(call, min_size=1, max_size=4),
            "probe": call.map(lambda drawn: {**drawn, "who": "same", "rows": min(drawn["rows"], 16)}),
        }
    )


def _perform(subject: Subject, instance: Instance, call: Case, head: int) -> Tensor:
    x = pattern(1, 2, call["rows"], head, dtype=dtype_of(call["dtype"]))
    positions = torch.arange(call["rows"]) + call["start"]
    return rotated(subject, instance, x, positions).detach()


def _with_and_without(subject: Subject, case: Case) -> tuple[Tensor, Tensor]:
    """The later call on an instance with a past, and the same call on a new one, made before that past."""
    width = width_of(case)
    fresh = _perform(subject, subject.make(width), case["probe"], width.head)
    used, other = subject.make(width), subject.make(width)
    for call in case["calls"]:
        _perform(subject, used if call["who"] == "same" else other, call, width.head)
    return _perform(subject, used, case["probe"], width.head), fresh


def history(subject: Subject, case: Case) -> Measure:
    """The later call on an instance with a past, against the same call on a new instance, made before that past.

    Only how a table entry was reached may differ (another loop of the library), never the angle: each output may be off
    by the error of one computed angle's rotation.
    """
    later, fresh = _with_and_without(subject, case)
    allowed = _same_angle(subject, case["probe"]["dtype"])
    apart = (later.double() - fresh.double()).abs()
    error = float(apart.max())
    if error <= allowed:
        return Measure(error, allowed)
    flat = int(torch.where(apart.isnan(), torch.inf, apart).argmax())
    return Measure(
        error,
        allowed,
        _smaller_history(subject, case),
        saw=f"an output of {float(later.flatten()[flat]):.6g}",
        expected=f"{float(fresh.flatten()[flat]):.6g}, as a new instance gives",
        likely="a table is kept from an earlier call and does not fit the later one",
    )


def _smaller_history(subject: Subject, case: Case) -> Case | None:
    """The next smaller history that fails: one call less, or half the rows, or one less, or an earlier start."""
    allowed = _same_angle(subject, case["probe"]["dtype"])
    for candidate in _candidates(case):
        if not spread(*_with_and_without(subject, candidate)) <= allowed:
            return candidate
    return None


def _candidates(case: Case) -> Iterator[Case]:
    calls: Sequence[Case] = case["calls"]
    for k in range(len(calls)):
        if len(calls) > 1:
            yield {**case, "calls": [*calls[:k], *calls[k + 1 :]]}
    probe = case["probe"]
    if probe["rows"] > 1:  # a table that is found by its length needs both calls to be short
        yield {**case, "calls": [{**call, "rows": 1} for call in calls], "probe": {**probe, "rows": 1}}
    for smaller in _smaller_calls(probe):
        yield {**case, "probe": smaller}
    for k, call in enumerate(calls):
        for smaller in _smaller_calls(call):
            yield {**case, "calls": [*calls[:k], smaller, *calls[k + 1 :]]}


def _smaller_calls(call: Case) -> Iterator[Case]:
    for key, least in (("rows", 1), ("start", 0)):
        value = call[key]
        for step in (value - least, (value - least) // 2, (value - least) // 8, 1):
            if 0 < step <= value - least:
                yield {**call, key: value - step}
    if call["rows"] > 1:  # the same end from a later start
        yield {**call, "start": call["start"] + 1, "rows": call["rows"] - 1}


def describe_history(case: Case) -> str:
    calls = "; ".join(_named_call(call) for call in case["calls"])
    return f"{width_of(case)}; {calls}; then {_named_call(case['probe'])}"


def _named_call(call: Case) -> str:
    last = call["start"] + call["rows"] - 1
    where = f"position {last}" if call["rows"] == 1 else f"positions {call['start']}..{last}"
    return f"{'another instance, ' if call['who'] == 'other' else ''}{call['dtype']} at {where}"
