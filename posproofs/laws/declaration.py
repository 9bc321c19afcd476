"""The implementation computes what it declares: the emitted function in its layout, direction, width and base.

The emitted function is printed from the proved statement, so this law compares a library with a theorem. It comes last:
every other law names a defect more precisely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Literal

from hypothesis import strategies as st

from posproofs.emit import emit
from posproofs.laws.algebra import EDGES, base_case, named, width_of
from posproofs.laws.calling import at_worst, pair_slots, pattern, rotated
from posproofs.laws.law import Case, Measure
from posproofs.laws.points import shown
from posproofs.laws.precision import HALF_OF_TRIVIAL, rotation_error
from posproofs.laws.subject import Convention, Subject, Width, dtype_of
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from torch import Tensor

POSITIONS = (*EDGES[:-2], 32767, 65537, 131071, 131072)


@cache
def emitted(layout: Layout) -> Callable[..., Tensor]:
    """The function emitted from the proved rotation, in torch."""
    rotate: Callable[..., Tensor] = emit("rotary.rotate", to="torch", layout=layout)
    return rotate


def declared_output(subject: Subject, x: Tensor, positions: Tensor, width: Width) -> Tensor:
    """What the declaration says the output is, float64: the emitted rotation, by minus the angle where the sign is -.

    The output is moved to where the declaration writes it, and the turned coordinates are scaled.
    """
    declared = subject.convention
    own = pair_slots(declared.reads, width)
    if declared.frequencies or not isinstance(declared.reads, str):
        y = _pair_by_pair(declared, x.double(), positions, width)
    else:
        at = declared.sign * (positions + declared.first)
        y = emitted(declared.reads)(x.double(), at, base=declared.base, rotary_dim=width.rotary)
    moved = y.clone()
    for source, target in zip(own, pair_slots(declared.writes, width), strict=True):
        moved[..., target] = declared.magnitude * y[..., source]
    return moved


def _pair_by_pair(declared: Convention, x: Tensor, positions: Tensor, width: Width) -> Tensor:
    """The emitted rotation of each pair by itself, as a row of two coordinates at the position p*w, where w_0 is 1."""
    first, second = pair_slots(declared.reads, width)
    turned = torch.tensor(declared.turning(width.rotary), dtype=torch.float64)
    angles = declared.sign * (positions.double() + declared.first)[:, None] * turned
    pairs = torch.stack((x[..., first], x[..., second]), dim=-1)
    rows = pairs.flatten(-3, -2)
    y = emitted("interleaved")(rows, angles.flatten(), base=declared.base, rotary_dim=2).reshape(pairs.shape)
    result = x.clone()
    result[..., first], result[..., second] = y[..., 0], y[..., 1]
    return result


def cases(subject: Subject) -> Iterator[Case]:
    """Every declared width in every dtype, all positions at once; batch, head and row differ in size."""
    for width in sorted(subject.widths):
        for dtype in subject.dtypes:
            yield {**base_case(width, dtype), "shape": [2, 3], "positions": list(subject.within(POSITIONS))}


def draws(subject: Subject) -> SearchStrategy[Case]:
    top = (subject.limit or 131073) - 1
    return st.fixed_dictionaries(
        {
            "width": st.sampled_from([[w.head, w.rotary] for w in sorted(subject.widths)]),
            "dtype": st.sampled_from(subject.dtypes),
            "shape": st.tuples(st.integers(1, 3), st.integers(1, 3)).map(list),
            "positions": st.lists(st.integers(0, top), min_size=1, max_size=6),
        }
    )


def measure(subject: Subject, case: Case) -> Measure:
    """Worst error against the declared output, where the recipe allows less than half of the trivial error."""
    width, dtype = width_of(case), case["dtype"]
    positions = torch.tensor(case["positions"], dtype=torch.int64)
    batch, heads = case["shape"]
    x = _input(case, batch, heads, width=width)
    instance = subject.make(width)
    y = rotated(subject, instance, x, positions).detach().double()
    if instance.keys is not None and heads > 1:  # keys turn as queries do: heads of odd number are given as keys
        y[:, 1::2] = rotated(subject, instance.of_keys(), x, positions).detach().double()[:, 1::2]
    wanted = declared_output(subject, x, positions, width)
    allowed, usable = _allowed(subject, dtype, positions, width, x=x)
    if not bool(usable.any()):
        return Measure(0, 0, reason="the error allowed by the recipe is half of the trivial one at every position")
    error = torch.where(usable, (y - wanted).abs(), torch.zeros(()).double())
    b, h, t, k = _place(error, allowed)
    broken = not float(error[b, h, t, k]) <= float(allowed[b, h, t, k])
    return Measure(
        float(error[b, h, t, k]),
        float(allowed[b, h, t, k]),
        _narrowed(subject, case, b, h, t=t) if broken else None,
        saw=f"coordinate {k} is {float(y[b, h, t, k]):.9g}",
        expected=f"{float(wanted[b, h, t, k]):.9g}",
        # Of an input with few numbers, several conventions may come to the same.
        likely=_other_convention(subject, x, positions, width, y=y) if "x" not in case and broken else None,
    )


def _narrowed(subject: Subject, case: Case, b: int, h: int, *, t: int) -> Case | None:
    """The smallest part that is wrong by itself: of one row, at the first position; of a query and a key, likewise.

    Of an input that is given, the row that is wrong; a dense one is another one in another shape.
    """
    if "x" in case:
        row = [[[case["x"][b][h][t]]]]
        return {**case, "shape": [1, 1], "positions": [case["positions"][t]], "x": row}
    if len(case["positions"]) == 1 and case["shape"] in ([1, 1], [1, 2]):
        return None
    smaller = (
        {**case, "shape": [1, heads], "positions": [p]}
        for heads in (1, 2)[: case["shape"][1]]
        for p in case["positions"]
    )
    return next((one for one in smaller if measure(subject, one).broken), None)


def _input(case: Case, batch: int, heads: int, *, width: Width) -> Tensor:
    """The input that the case names, as a refutation does, else a dense pattern."""
    kind = dtype_of(case["dtype"])
    if "x" in case:
        return torch.tensor(case["x"], dtype=kind)
    return pattern(batch, heads, len(case["positions"]), width.head, dtype=kind)


def _other_convention(subject: Subject, x: Tensor, positions: Tensor, width: Width, *, y: Tensor) -> str | None:
    """The convention that the output does follow, if it is a usual one with the declared base and magnitude.

    Where all positions are 0 every direction fits, so nothing is said.
    """
    layouts: tuple[Layout, ...] = ("interleaved", "half-split")
    signs: tuple[Literal[1, -1], ...] = (1, -1)
    for reads, writes, sign in product(layouts, layouts, signs):
        other = replace(subject, convention=replace(subject.convention, reads=reads, writes=writes, sign=sign))
        allowed, _ = _allowed(other, str(x.dtype).removeprefix("torch."), positions, width, x=x)
        if bool(positions.any()) and bool(((y - declared_output(other, x, positions, width)).abs() <= allowed).all()):
            return f"it follows another convention: {other.convention}"
    return None


def _place(error: Tensor, allowed: Tensor) -> tuple[int, ...]:
    """Where to look: the worst entry of the first row above its bound, else the entry that came closest to one."""
    excess = torch.where(error.isnan(), torch.inf, error - allowed)
    rows = (excess > 0).any(dim=3).any(dim=0).any(dim=0).nonzero()
    if len(rows):
        t = int(rows[0])
        b, h, k = at_worst(excess[:, :, t])
        return b, h, t, k
    return at_worst(torch.where(allowed > 0, error / allowed, torch.zeros(()).double()))


def _allowed(subject: Subject, dtype: str, positions: Tensor, width: Width, *, x: Tensor) -> tuple[Tensor, Tensor]:
    """The allowed error of each output, and where it is below half of the trivial one.

    Coordinates that do not turn are copies: nothing is allowed there.
    """
    declared = subject.convention
    relative = rotation_error(declared, subject.recipe, dtype, positions, width=width)
    first, second = pair_slots(declared.reads, width)
    size = (x.double()[..., first].abs() + x.double()[..., second].abs()) * declared.magnitude
    allowed = torch.zeros_like(x, dtype=torch.float64)
    usable = torch.ones_like(x, dtype=torch.bool)
    for target in pair_slots(declared.writes, width):
        allowed[..., target] = size * relative
        usable[..., target] = (relative < HALF_OF_TRIVIAL).expand_as(size)
    return allowed, usable


def describe(case: Case) -> str:
    at = case["positions"]
    batch, heads = case["shape"]
    far = f"positions {', '.join(map(str, at))}" if "x" in case else f"{len(at)} positions to {max(at)}"
    where = f"position {at[0]}" if len(at) == 1 else far
    given = f"; {shown({'x': case['x']})}" if "x" in case else ""
    return f"{named(case)}; {where}" + ("" if batch == heads == 1 else f", batch {batch}, {heads} heads") + given
