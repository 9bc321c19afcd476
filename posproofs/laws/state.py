"""Laws of state: a call changes nothing but its result, and its result depends on its own arguments alone.

Purity: input, positions and tables are left as they were, and the same call twice gives the same bytes. Locality:
output row t of a batch element and head is a function of that row of x and of its position. History: earlier calls, on
this instance or another one of this or another width, do not change a later call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from posproofs.laws.algebra import base_case, named, width_of
from posproofs.laws.calling import has_keys, keys_of, of_both, pattern, rotated, small, smallest
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


@of_both
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
            if subject.within((65,)):  # rows on both sides of the length that small models are trained with
                yield {**base_case(width, dtype), "shape": [1, 1, 3], "start": 63}
        if has_keys(subject):
            for shape in SHAPES:
                yield {**base_case(width, subject.dtypes[0]), "shape": list(shape), "start": 3, "of": "keys"}


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
    of the library, so each of the two may be off by the error of one computed angle's rotation. of: "keys" for the map
    of keys, where it is another one.
    """
    if case.get("of") == "keys":
        subject = keys_of(subject)
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
    rows_of = f"rows of {case['of']}" if "of" in case else "rows"
    return f"{named(case)}; {batch} x {heads} x {rows} {rows_of} from position {case['start']}"


def _call(dtype: str, start: int, rows: int, who: str = "same") -> dict[str, Any]:
    return {"dtype": dtype, "start": start, "rows": rows, "who": who}


def history_cases(subject: Subject) -> Iterator[Case]:
    """One earlier call, the short ones first; one on an instance of another width, made later or before; then two.

    The later call is in the first dtype of the subject.
    """
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
    yield from _beside(subject, width, probes)
    short = [c for c in earlier if c["rows"] in (1, 300) and c["start"] == 0 and c["who"] == "same"]
    for a in short:
        for b in short:
            yield {"width": [width.head, width.rotary], "calls": [a, b], "probe": probes[-1]}


def _beside(subject: Subject, width: Width, probes: Sequence[Case]) -> Iterator[Case]:
    """A class may keep what the first of its instances made, or the last: the widths show it, there and back."""
    others = [w for w in widths(subject) if w != width]
    for other, who, probe in product(others, ("other", "earlier"), probes):
        call = {**_call(subject.dtypes[0], 0, 1, who), "width": [other.head, other.rotary]}
        yield {"width": [width.head, width.rotary], "calls": [call], "probe": probe}


def history_draws(subject: Subject) -> SearchStrategy[Case]:
    top = min(subject.limit or 5000, 5000)
    longest = min(400, top // 2)
    call = st.fixed_dictionaries(
        {
            "dtype": st.sampled_from(subject.dtypes),
            "start": st.integers(0, top - longest),
            "rows": st.integers(1, longest),
            "who": st.sampled_from(["same", "other", "earlier"]),
        }
    )
    return st.fixed_dictionaries(
        {
            "width": st.sampled_from([[w.head, w.rotary] for w in small(subject)]),
            "calls": st.lists(call, min_size=1, max_size=4),
            "probe": call.map(lambda drawn: {**drawn, "who": "same", "rows": min(drawn["rows"], 16)}),
        }
    )


def _perform(subject: Subject, instance: Instance, call: Case, width: Width) -> Tensor:
    x = pattern(1, 2, call["rows"], width.head, dtype=dtype_of(call["dtype"]))
    positions = torch.arange(call["rows"]) + call["start"]
    return rotated(subject, instance, x, positions).detach()


def _with_and_without(subject: Subject, case: Case) -> tuple[Tensor, Tensor]:
    """The later call on an instance with a past, and the same call on a new one, made before that past."""
    width, probe = width_of(case), case["probe"]
    fresh = _perform(subject, subject.make(width), probe, width)
    before = [call for call in case["calls"] if call["who"] == "earlier"]
    after = [call for call in case["calls"] if call["who"] != "earlier"]
    first: Instance | None = None
    for call in before:
        built = _another(subject, first, _own_width(call, width))
        _perform(subject, built, call, _own_width(call, width))
        first = first or built
    used = _another(subject, first, width)
    others: dict[Width, Instance] = {}
    for call in after:
        own = _own_width(call, width)
        if call["who"] == "other" and own not in others:
            others[own] = _another(subject, used, own)
        _perform(subject, used if call["who"] == "same" else others[own], call, own)
    return _perform(subject, used, probe, width), fresh


def _own_width(call: Case, width: Width) -> Width:
    """That of the instance that is called."""
    return Width(*call["width"]) if "width" in call else width


def _another(subject: Subject, one: Instance | None, width: Width) -> Instance:
    """An instance of the same execution as this one, where the subject can make it; else a new one."""
    return subject.make(width) if one is None or one.beside is None else one.beside(width)


def history(subject: Subject, case: Case) -> Measure:
    """The later call on an instance with a past, against the same call on a new instance, made before that past.

    Only how a table entry was reached may differ (another loop of the library), never the angle: each output may be off
    by the error of one computed angle's rotation. What raises with a past alone is a finding too.
    """
    allowed = _same_angle(subject, case["probe"]["dtype"])
    compared = _compared(subject, case)
    if isinstance(compared, str):
        return _dependent(subject, case, float("inf"), compared, "a result, as a new instance gives")
    later, fresh = compared
    apart = (later.double() - fresh.double()).abs()
    error = float(apart.max())
    if error <= allowed:
        return Measure(error, allowed)
    flat = int(torch.where(apart.isnan(), torch.inf, apart).argmax())
    saw = f"an output of {float(later.flatten()[flat]):.6g}"
    return _dependent(subject, case, error, saw, f"{float(fresh.flatten()[flat]):.6g}, as a new instance gives")


def _dependent(subject: Subject, case: Case, error: float, saw: str, expected: str) -> Measure:
    return Measure(
        error,
        _same_angle(subject, case["probe"]["dtype"]),
        _smaller_history(subject, case),
        saw=saw,
        expected=expected,
        likely="a table is kept from an earlier call and does not fit the later one",
    )


def _compared(subject: Subject, case: Case) -> tuple[Tensor, Tensor] | str:
    """The outputs with and without the past; or what was raised, where each call can be made on a new instance."""
    try:
        return _with_and_without(subject, case)
    except Exception as raised:  # noqa: BLE001 - code of others may raise anything
        width = width_of(case)
        for call in (case["probe"], *case["calls"]):
            own = _own_width(call, width)
            _perform(subject, subject.make(own), call, own)  # raises where the call is at fault, and not the past
        return f"{type(raised).__name__}: {next(iter(str(raised).splitlines()), 'no message')}"


def _smaller_history(subject: Subject, case: Case) -> Case | None:
    """The next smaller history that fails: one call less, or half the rows, or one less, or an earlier start."""
    return next((candidate for candidate in _candidates(case) if _depends(subject, candidate)), None)


def _depends(subject: Subject, case: Case) -> bool:
    compared = _compared(subject, case)
    return isinstance(compared, str) or not spread(*compared) <= _same_angle(subject, case["probe"]["dtype"])


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
    whose = {"same": "", "other": "another instance", "earlier": "an instance made before"}[call["who"]]
    if "width" in call:
        whose += f" of {Width(*call['width'])}"
    return f"{whose}{', ' if whose else ''}{call['dtype']} at {where}"
