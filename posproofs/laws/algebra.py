"""Laws of the rotation as a map: it keeps lengths, two depend on the offset alone, its gradient is its transpose.

    isometry   R(p)^T R(p) = s^2 I                      R in SO(d): RoFormer, section 3.2.2
    gram       R(m)^T R(n) = G(n-m)                     RoFormer, equation 16
    vjp        dL/dx = R(p)^T dL/dy
None of them mentions a formula: a reversed angle, another pairing or a permuted output satisfy all three.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from posproofs.laws.calling import basis, matrices, matrices_of, of_both, rotated, small, smallest
from posproofs.laws.law import Case, Measure
from posproofs.laws.precision import HALF_OF_TRIVIAL, UNIT, angle_error, basis_error, gram_error
from posproofs.laws.subject import Subject, Width, dtype_of
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

# Where home-made code breaks: the ends of small tables, the last integers of bfloat16 (256) and float16 (2048).
EDGES = (0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 131070, 131071)
OFFSETS = (1, 2, 7)
_STARTS = (1, 2, 62, 63, 64, 255, 256, 257, 2046, 2047, 2048, 2049, 4095, 4096, 131069)


def width_of(case: Case) -> Width:
    return Width(*case["width"])


def base_case(width: Width, dtype: str) -> dict[str, object]:
    return {"width": [width.head, width.rotary], "dtype": dtype}


def named(case: Case) -> str:
    """The beginning of every witness: width and dtype."""
    return f"{width_of(case)}; {case['dtype']}"


def widths(subject: Subject) -> tuple[Width, ...]:
    """The smallest width, and the two smallest with at least two pairs."""
    return tuple(dict.fromkeys((*smallest(subject), *small(subject))))


def isometry_cases(subject: Subject) -> Iterator[Case]:
    for width in widths(subject):
        for dtype in subject.dtypes:
            yield {**base_case(width, dtype), "positions": list(subject.within(EDGES))}


@of_both
def isometry(subject: Subject, case: Case) -> Measure:
    """Worst entry of R(p)^T R(p) - s^2 I over the turned columns, s^2 taken at position 0, relative to s^2."""
    width, dtype = width_of(case), case["dtype"]
    positions = list(dict.fromkeys([0, *case["positions"]]))
    turned = matrices(subject, width, positions, dtype_of(dtype))[:, :, : width.rotary]
    gram = turned.transpose(1, 2) @ turned
    scale = float(gram[0].diagonal().mean())
    wanted = scale * torch.eye(width.rotary, dtype=torch.float64)
    error = (gram - wanted).abs().flatten(1).amax(dim=1) / scale
    # The scale is itself read off a computed matrix, so its own error is allowed once more.
    allowed = 2 * gram_error(subject.convention, subject.recipe, dtype) + 8 * UNIT["float64"] * width.head
    at = _first_above(error, allowed)
    entry = (gram[at] - wanted).abs().nan_to_num(nan=torch.inf).flatten().argmax()
    row, column = divmod(int(entry), width.rotary)
    return Measure(
        float(error[at]),
        allowed,
        {**case, "positions": [positions[at]]},
        saw=f"entry ({row}, {column}) of R^T R is {float(gram[at, row, column]):.6g}",
        expected=f"{float(wanted[row, column]):.6g}",
        likely="a sign is lost, or the table is laid out for another pairing" if row != column else None,
    )


def _first_above(error: Tensor, allowed: float | Tensor) -> int:
    """The first index with an error above what is allowed, else that of the worst; NaN is above everything."""
    excess = torch.where(error.isnan(), torch.inf, error - allowed)
    above = (excess > 0).nonzero()
    return int(above[0]) if len(above) else int(excess.argmax())


def describe_positions(case: Case) -> str:
    at = case["positions"]
    return f"{named(case)}; position {at[0]}" if len(at) == 1 else f"{named(case)}; {len(at)} positions to {at[-1]}"


def gram_cases(subject: Subject) -> Iterator[Case]:
    for width in widths(subject):
        for dtype in subject.dtypes:
            starts = [m for m in _STARTS if len(subject.within((m + max(OFFSETS),)))]
            yield {**base_case(width, dtype), "starts": starts, "offsets": list(OFFSETS)}


def gram(subject: Subject, case: Case) -> Measure:
    """Worst entry of R(m)^T R(m+r) - R(0)^T R(r), relative to s^2.

    Allowed: the errors of the angles at m, m+r and r (at 0 there is none), for the pair with the largest, and twice the
    error of one product of rotations that are rounded.
    """
    width, dtype = width_of(case), case["dtype"]
    asked = [(m, r) for m in case["starts"] for r in case["offsets"]]
    distinct = sorted({p for m, r in asked for p in (0, m, r, m + r)})
    place = {p: k for k, p in enumerate(distinct)}
    instance, kind = subject.make(width), dtype_of(dtype)
    queries = matrices_of(subject, instance, width, distinct, dtype=kind)[:, :, : width.rotary]
    keys = queries
    if instance.keys is not None:
        keys = matrices_of(subject, instance.of_keys(), width, distinct, dtype=kind)[:, :, : width.rotary]
    scale = float((queries[place[0]].norm() * keys[place[0]].norm()) / width.rotary)
    at_each = angle_error(subject.convention, subject.recipe, dtype, torch.tensor(distinct), rotary=width.rotary)
    drift = at_each.amax(dim=1)
    rounding = 2 * gram_error(subject.convention, subject.recipe, dtype) + 8 * UNIT["float64"] * width.head
    errors, bounds = [], []
    for m, r in asked:
        shifted = queries[place[m]].T @ keys[place[m + r]]
        errors.append(float((shifted - queries[place[0]].T @ keys[place[r]]).abs().max()) / scale)
        bounds.append(float(drift[place[m]] + drift[place[m + r]] + drift[place[r]]) + rounding)
    if min(bounds) >= HALF_OF_TRIVIAL:
        return Measure(0, 0, reason=f"the error allowed by the recipe, {min(bounds):.2g}, is half of the trivial one")
    usable = [k for k, bound in enumerate(bounds) if bound < HALF_OF_TRIVIAL]
    error, allowed = torch.tensor(errors)[usable].double(), torch.tensor(bounds, dtype=torch.float64)[usable]
    at = _first_above(error, allowed)
    m, r = asked[usable[at]]
    return Measure(
        float(error[at]),
        float(allowed[at]),
        {**case, "starts": [m], "offsets": [r]},
        saw=f"R({m})^T R({m + r}) differs from R(0)^T R({r}) by {float(error[at]):.3g}",
        expected="equal matrices",
        likely=_opposite(queries[place[1]], keys[place[1]]) if 1 in place else None,
    )


def _opposite(query: Tensor, key: Tensor) -> str | None:
    """Whether keys turn as far as queries do, the other way; both are the columns that turn."""
    query, key = query[: query.shape[1]], key[: key.shape[1]]
    turned_back = bool((query.T - key).abs().max() < 1e-3 * key.abs().max()) and not torch.allclose(query, key)
    return "queries and keys turn in opposite directions" if turned_back else None


def describe_gram(case: Case) -> str:
    if len(case["starts"]) == len(case["offsets"]) == 1:
        m, r = case["starts"][0], case["offsets"][0]
        return f"{named(case)}; positions ({m}, {m + r}) against (0, {r})"
    return f"{named(case)}; {len(case['starts'])} starts, offsets {case['offsets']}"


def vjp_cases(subject: Subject) -> Iterator[Case]:
    for width in widths(subject):
        for dtype in subject.dtypes:
            yield {**base_case(width, dtype), "positions": list(subject.within((0, 1, 5, 64, 300)))}


@of_both
def vjp(subject: Subject, case: Case) -> Measure:
    """Worst entry of (gradient for output gradient e_j) - (row j of R(p)), R read from the subject itself.

    Both are table entries; they may differ by the roundings that follow the table, so twice the error of a basis vector
    is allowed.
    """
    width, dtype, positions = width_of(case), case["dtype"], case["positions"]
    rotation = matrices(subject, width, positions, dtype_of(dtype))
    x = basis(width, len(positions), dtype_of(dtype)).requires_grad_()
    y = rotated(subject, subject.make(width), x, torch.tensor(positions, dtype=torch.int64))
    if not y.requires_grad:
        first = {**case, "positions": positions[:1]}
        return Measure(float("inf"), 0.0, first, saw="the output has no gradient", expected="R(p)^T g")
    # x[j, 0, t] = e_j stands for the gradient of the output here, so the result is column j of R^T, that is row j of R.
    try:
        (gradient,) = torch.autograd.grad(y, x, grad_outputs=x.detach())
    except RuntimeError as refused:
        if subject.gradient == "defined":
            raise
        return Measure(0.0, 0.0, reason=f"the library defines no gradient: {str(refused).partition('. ')[0]}")
    error = (gradient.double()[:, 0].permute(1, 0, 2) - rotation).abs()
    allowed = 2 * basis_error(subject.convention, subject.recipe, dtype) * subject.convention.magnitude
    at = _first_above(error.flatten(1).amax(dim=1), allowed)
    return Measure(
        float(error[at].max()),
        allowed,
        {**case, "positions": [positions[at]]},
        saw=f"the gradient differs from R^T g by {float(error[at].max()):.3g}",
        expected="R(p)^T g",
    )
