"""The output depends on the position, and distinct positions turn differently.

A code that rounds, wraps, clamps or ignores positions satisfies isometry, and often the relative law too.
RoFormer section 3.2.2; injective on the integers because pi is irrational.
"""

from __future__ import annotations

from collections.abc import Iterator

from posproofs.laws.algebra import base_case, named, width_of
from posproofs.laws.calling import matrices, of_both, small
from posproofs.laws.law import Case, Measure
from posproofs.laws.precision import rotation_error
from posproofs.laws.subject import Subject, Width, dtype_of
from posproofs.mutants.backend import torch

SPAN = 4098  # beyond 2048, the last integer of float16, and 4096, a usual end of tables
_FAR = (65535, 65536, 131070, 131071)


def widths(subject: Subject) -> tuple[Width, ...]:
    """The smallest width with at least two pairs."""
    return small(subject)[:1]


def cases(subject: Subject) -> Iterator[Case]:
    """All positions of a range at once, and pairs far out."""
    (width,) = widths(subject)
    near = len(subject.within(tuple(range(SPAN))))
    for dtype in subject.dtypes:
        yield {**base_case(width, dtype), "positions": list(range(near))}
        if far := list(subject.within(_FAR)):
            yield {**base_case(width, dtype), "positions": far}


@of_both
def measure(subject: Subject, case: Case) -> Measure:
    """How many pairs of positions share every bit of their rotation although the exact rotations are apart.

    Pairs whose exact rotations are closer than twice the error that the recipe allows cannot be told apart in that
    dtype by any correct code, and are not asked.
    """
    width, dtype, positions = width_of(case), case["dtype"], case["positions"]
    turned = matrices(subject, width, positions, dtype_of(dtype)).flatten(1)
    if bool(turned.isnan().any()):
        at = positions[int(turned.isnan().any(dim=1).nonzero()[0])]
        return Measure(float("nan"), 0.0, {**case, "positions": [at]}, saw=f"NaN at position {at}", expected="numbers")
    first: dict[bytes, list[int]] = {}
    for p, row in zip(positions, turned.numpy(), strict=True):
        for q in first.setdefault(row.tobytes(), []):
            if _apart(subject, case, q, p):
                return _collision(case, q, p)
        first[row.tobytes()].append(p)
    return Measure(0.0, 0.0)


def _apart(subject: Subject, case: Case, p: int, q: int) -> bool:
    """Whether the exact rotations at p and q differ by more than twice what the recipe allows at each."""
    width, declared = width_of(case), subject.convention
    # |e^(ipw) - e^(iqw)| = 2 |sin((q-p)w/2)|
    between = 2 * ((q - p) * torch.tensor(declared.turning(width.rotary), dtype=torch.float64) / 2).sin().abs()
    allowed = rotation_error(declared, subject.recipe, case["dtype"], torch.tensor([p, q]), width=width)
    return bool((between > 2 * allowed.sum(dim=0)).any())


def _collision(case: Case, p: int, q: int) -> Measure:
    return Measure(
        1.0,
        0.0,
        {**case, "positions": [p, q]},
        saw=f"positions {p} and {q} give the same rotation",
        expected="different rotations",
        likely=_cause(p, q),
    )


def _cause(p: int, q: int) -> str:
    if (p, q) == (0, 1):
        return "the position is not used"
    if q == p + 1:
        exact = {256: "; bfloat16 holds integers up to 256", 2048: "; float16 holds integers up to 2048"}
        return f"positions are rounded or end at {p}{exact.get(p, '')}"
    return f"positions are taken modulo {q - p}" if p == 0 else "positions are rounded or wrap"


def describe(case: Case) -> str:
    at = case["positions"]
    shown = f"positions {at[0]} and {at[1]}" if len(at) == 2 else f"{len(at)} positions from {at[0]} to {at[-1]}"
    return f"{named(case)}; {shown}"
