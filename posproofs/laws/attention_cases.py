"""The laws of attention on numbers: values for every symbol of a side, the released module called on them, the bound.

The allowed error is derived from the graph of each side (`attention_precision`), for the very numbers of the case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from posproofs.errors import Refused
from posproofs.laws.attended import AttentionSize, AttentionSubject
from posproofs.laws.attention_precision import Rounding
from posproofs.laws.attention_runs import run
from posproofs.laws.attention_sides import GAP, PLACES, WAVES, Side, built, fewer, shapes_of, side_of
from posproofs.laws.law import Case, Measure
from posproofs.laws.precision import UNIT
from posproofs.laws.score_calls import scattered
from posproofs.laws.score_narrowing import narrowed, narrowing
from posproofs.laws.subject import dtype_of
from posproofs.mutants.backend import torch
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.program import Name

if TYPE_CHECKING:
    from torch import Tensor

Sides = Callable[[AttentionSubject, AttentionSize], Iterator[tuple[Side, Side]]]
Values = Mapping[str, "Tensor"]
Runs = Literal["fast", "exported"]
SHIFT = 3.0
_LEAST = 1e-300  # an error of 0 is allowed where nothing is computed
LISTED = 6  # entries of a point that are named in a report


def size_of(case: Case) -> AttentionSize:
    return AttentionSize(*case["size"])


def equal_cases(sides: Sides, idle: str) -> Callable[[AttentionSubject], Iterator[Case]]:
    """Each pair of sides in each size and dtype; one case that says why there is none."""

    def cases(subject: AttentionSubject) -> Iterator[Case]:
        found = False
        for size in subject.sizes:
            for one, other in sides(subject, size):
                for dtype in subject.dtypes:
                    found = True
                    yield {"size": size.listed, "dtype": dtype, "sides": [one.listed(), other.listed()], "seed": 0}
        if not found:
            yield {"idle": idle}

    return cases


def values_of(subject: AttentionSubject, case: Case) -> Values:
    """A number for every symbol, float64: at a point the listed ones and 0 elsewhere, else without pattern."""
    size = size_of(case)
    shapes = {"x": (1, size.rows, size.model), "padding": (1, GAP, size.model), **shapes_of(subject, size)}
    if "point" in case:
        shapes |= {"p": (size.rows,), "s": ()}
        return {name: _listed(case["point"].get(name, {}), shape) for name, shape in shapes.items()}
    # Of the size of trained weights, so that a softmax is neither flat nor one-hot; layer upon layer needs smaller
    # ones, because a bound in the worst case grows with each.
    parts = 2 if subject.convention.extent == "attention" else 8
    drawn = {
        name: scattered(*shape, seed=31 * case["seed"] + n) / parts for n, (name, shape) in enumerate(shapes.items())
    }
    places = torch.tensor(PLACES[: size.rows], dtype=torch.float64)
    waves = {} if subject.waves is None else {WAVES: torch.tensor(subject.waves(size), dtype=torch.float64)}
    return {**drawn, **waves, "p": places, "s": torch.tensor(SHIFT, dtype=torch.float64)}


def _listed(entries: Mapping[str, float], shape: tuple[int, ...]) -> Tensor:
    result = torch.zeros(shape, dtype=torch.float64)
    for index, value in entries.items():
        result[tuple(int(k) for k in index.split(",") if k)] = value
    return result


def output(
    subject: AttentionSubject, size: AttentionSize, side: Side, values: Values, *, dtype: str, runs: Runs = "fast"
) -> Tensor:
    """What the side gives, shape (row, model), in that dtype; a formula computes in float64.

    runs: "exported" as where gradients are wanted, where Torch runs the program that it exports; "fast" as where they
    are not, where it may run a fused kernel.
    """
    kind = torch.float64 if side.form == "formula" else dtype_of(dtype)
    made = built(subject, size, side, kind)
    x = values["x"][:, list(side.order)] if side.order else values["x"]
    if side.form == "behind":
        x = torch.cat((values["padding"], x), dim=1)
    with torch.no_grad():
        for inside, outside in made.names.items():
            _entry(made.module, inside).copy_(values[outside])
    with torch.set_grad_enabled(runs == "exported"):
        given = made.module(x.to(kind), *_positions(subject, values, side)).detach()
    wanted = (1, size.rows, size.model)
    if tuple(given.shape) != wanted:
        raise ValueError(f"an output of shape {wanted} was wanted, saw {tuple(given.shape)}")
    rows: Tensor = given[0].double()
    return rows[[side.order.index(row) for row in range(size.rows)]] if side.order else rows


def _entry(module: Any, name: str) -> Tensor:
    """The parameter or buffer of that name."""
    *path, last = name.split(".")
    owner = module.get_submodule(".".join(path))
    found: Tensor = getattr(owner, last) if hasattr(owner, last) else owner[last]
    return found


def _positions(subject: AttentionSubject, values: Values, side: Side) -> tuple[Tensor, ...]:
    at = values["p"] + values["s"] if side.moved else values["p"]
    match subject.convention.positions:
        case "real":
            return (at.float(),)
        case "whole":
            return (at.long(),)
    return ()


def error(subject: AttentionSubject, size: AttentionSize, side: Side, values: Values, *, dtype: str) -> Tensor:
    """How far the side may be from the exact output at these values, shape (row, model). Raises Refused."""
    inner = UNIT["float32"] if subject.through == "float32" else 0.0
    unit = UNIT["float64"] if side.form == "formula" else max(UNIT[dtype], inner)
    found = run(subject, size, side)
    numbers = {
        Name(tensor, index): float(value[index])
        for tensor, value in values.items()
        for index in product(*(range(n) for n in value.shape))
    }
    domain = Rounding(numbers, unit, rounded=frozenset((WAVES,)))
    given = evaluated(found.program, (node for row in found.outputs for node in row), domain)
    return torch.tensor([[domain.error(given[node]) for node in row] for row in found.outputs], dtype=torch.float64)


def equal(subject: AttentionSubject, case: Case) -> Measure:
    """The worst difference between the two sides, over all rows and coordinates; narrowed to fewer rows or parts."""
    if "idle" in case:
        return Measure(0.0, 0.0, reason=case["idle"])
    shown = _apart(subject, case, *_both(subject, case))
    return narrowed(shown, _fewer_rows(case), measure=_again, subject=subject)


def _again(subject: AttentionSubject, case: Case) -> Measure:
    """The same of a smaller case. Equal floats need no bound, which is what takes the time."""
    here, there = _both(subject, case)
    return Measure(0.0, 0.0) if torch.equal(here, there) else _apart(subject, case, here, there)


def _fewer_rows(case: Case) -> Iterator[Case]:
    """Fewer rows, the fewest first; then fewer parts. Heads are those of the module; a point is about its rows."""
    size, sides = size_of(case), [side_of(listed) for listed in case["sides"]]
    for rows in range(1, size.rows + 1) if "point" not in case else ():
        for pair in product(*(fewer(side, rows, of=size.rows) for side in sides)):
            if rows < size.rows or [*pair] != sides:
                yield {**case, "size": replace(size, rows=rows).listed, "sides": [side.listed() for side in pair]}


def _both(subject: AttentionSubject, case: Case) -> tuple[Tensor, Tensor]:
    """What the two sides of the case give."""
    size, values = size_of(case), values_of(subject, case)
    runs: Runs = "exported" if "point" in case else "fast"  # a refutation is about the exported program
    sides = (side_of(listed) for listed in case["sides"])
    one, other = (output(subject, size, side, values, dtype=case["dtype"], runs=runs) for side in sides)
    return one, other


def _apart(subject: AttentionSubject, case: Case, here: Tensor, there: Tensor) -> Measure:
    size, dtype, values = size_of(case), case["dtype"], values_of(subject, case)
    one, other = (side_of(listed) for listed in case["sides"])
    try:
        allowed = error(subject, size, one, values, dtype=dtype) + error(subject, size, other, values, dtype=dtype)
    except Refused as refusal:
        return _far_apart(here, there, one, other) or Measure(0.0, 0.0, reason=f"no error is derived: {refusal}")
    if not float(allowed.max()) < float(there.abs().max()) / 2 and "point" not in case:
        return Measure(0.0, 0.0, reason="the derived error is half of the output: it says nothing")
    off = (here - there).abs()
    off = torch.where(off.isnan(), torch.inf, off)
    at = (off > allowed).nonzero()
    closest = torch.unravel_index((off / allowed.clamp(min=_LEAST)).argmax(), off.shape)
    row, k = (at[0] if len(at) else torch.stack(closest)).tolist()
    return Measure(
        float(off[row, k]),
        float(allowed[row, k]),
        saw=f"{other}: coordinate {k} of row {row} is {float(there[row, k]):.6g}",
        expected=f"{float(here[row, k]):.6g}, as {one}",
    )


def _far_apart(here: Tensor, there: Tensor, one: Side, other: Side) -> Measure | None:
    """Where no error can be derived (a row of one side sees no key): a difference of half the output is none of floats.

    None where there is no such place.
    """
    allowed = float(here.nan_to_num().abs().max()) / 2
    off = torch.where(here.isnan() != there.isnan(), torch.inf, (here - there).abs().nan_to_num())
    row, k = torch.stack(torch.unravel_index(off.argmax(), off.shape)).tolist()
    if not float(off[row, k]) > allowed:
        return None
    return Measure(
        float(off[row, k]),
        allowed,
        saw=f"{other}: coordinate {k} of row {row} is {float(there[row, k]):.6g}",
        expected=f"{float(here[row, k]):.6g}, as {one}",
    )


def causal_cases(subject: AttentionSubject) -> Iterator[Case]:
    """For each row but the last, other rows after it."""
    if subject.convention.sees == "all":
        yield {"idle": "every row sees all rows"}
        return
    for size in subject.sizes:
        for path, dtype, row in product(subject.paths, subject.dtypes, range(size.rows - 1)):
            yield {"size": size.listed, "dtype": dtype, "sides": [Side(path).listed()], "after": row, "seed": 0}


def _sooner(_subject: AttentionSubject, case: Case) -> Iterator[Case]:
    """Fewer rows, the fewest first, and other rows after each of them."""
    size = size_of(case)
    for rows in range(2, size.rows):
        for row in range(rows - 1):
            yield {**case, "size": replace(size, rows=rows).listed, "after": row}


@narrowing(_sooner)
def causal(subject: AttentionSubject, case: Case) -> Measure:
    """The difference that other rows after a row make to it and to those before it."""
    if "idle" in case:
        return Measure(0.0, 0.0, reason=case["idle"])
    size, row, values = size_of(case), case["after"], values_of(subject, case)
    (side,) = (side_of(listed) for listed in case["sides"])
    x = values["x"].clone()
    x[:, row + 1 :] = scattered(1, size.rows - row - 1, size.model, seed=97)
    before = output(subject, size, side, values, dtype=case["dtype"])[: row + 1]
    after = output(subject, size, side, {**values, "x": x}, dtype=case["dtype"])[: row + 1]
    off = (before - after).abs()
    off = torch.where(off.isnan(), torch.inf, off)
    at, k = torch.unravel_index(off.argmax(), off.shape)
    if bool(before[at, k].isnan()):
        saw = f"coordinate {int(k)} of row {int(at)} is NaN"
        return Measure(float("inf"), 0.0, saw=saw, expected="a number, of the rows that it sees")
    return Measure(
        float(off[at, k]),
        0.0,
        saw=f"coordinate {int(k)} of row {int(at)} goes from {float(before[at, k]):.6g} to {float(after[at, k]):.6g}",
        expected="no change: it sees no later row",
    )


def describe(case: Case) -> str:
    """A case in words."""
    sides = " and ".join(str(side_of(listed)) for listed in case["sides"])
    later = f"; other rows after row {case['after']}" if "after" in case else ""
    at = f"; {_point(case['point'])}" if "point" in case else ""
    return f"{size_of(case)}; {case['dtype']}; {sides}{later}{at}"


def _point(point: Mapping[str, Mapping[str, float]]) -> str:
    entries = [
        f"{name}[{index}] = {value:g}" if index else f"{name} = {value:g}"
        for name, listed in point.items()
        for index, value in listed.items()
    ]
    more = [f"{len(entries) - LISTED} more"] if len(entries) > LISTED else []
    return ", ".join([*entries[:LISTED], *more, "0 elsewhere"])
