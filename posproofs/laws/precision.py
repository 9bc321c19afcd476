"""How far a rotation may be from the exact one: bounds derived from the recipe, in the standard model of rounding.

One operation in a dtype of unit roundoff u gives (1+delta) times the exact result, |delta| <= u. Two facts about the
library are assumed and not proved, and the tests try to break them: `pow` is within 2u of the exact power, and cosine
and sine are within 1 ulp of those of the float angle, which is at most u for values of size at most 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from posproofs.laws.subject import Convention, Recipe, Width
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

UNIT = {"bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
HALF_OF_TRIVIAL = 1.0  # two numbers of size at most 1 differ by at most 2, whatever they are
_SECOND_ORDER = 1.0 + 2.0**-6  # products of up to six (1+delta) in float32 or float64 stay below 1 + 6u times this
_EXACT = Recipe("power", "float64", (), "input")


def angle_dtype(recipe: Recipe, dtype: str) -> str:
    """The dtype in which p*w is computed for an x of this dtype."""
    if recipe.angle != "input":
        return recipe.angle
    return "float64" if dtype == "float64" else "float32"


def frequency_error(recipe: Recipe, dtype: str, i: int, *, rotary: int, base: float) -> float:
    """Relative error of the computed w_i = base**(-2i/rotary).

    The exponent 2i/rotary is rounded once unless rotary is a power of two; base**(e + e delta) is base**e times
    base**(e delta), so that costs ln(base) e u relatively. The power itself costs 2u and a reciprocal u. "power" does
    all of it in the dtype of the angle, "rounded" in float64 with one rounding to the dtype of the angle after it.
    "exponential" is exp(2i * (-ln(base)/rotary)) in the dtype of the angle: logarithm, quotient and product are
    rounded, each of which costs ln(base) 2i/rotary u. For i = 0 the power is 1, exactly.
    """
    if i == 0:
        return 0.0
    u = UNIT[angle_dtype(recipe, dtype)]
    inexact = 1 if rotary & (rotary - 1) != 0 else 0
    rounded = 3 if recipe.frequency == "exponential" else inexact
    units = _SECOND_ORDER * (3 + rounded * abs(math.log(base)) * 2 * i / rotary)
    if recipe.frequency in ("power", "exponential"):
        return units * u
    return units * UNIT["float64"] + (u if u > UNIT["float64"] else 0.0)


def angle_error(convention: Convention, recipe: Recipe, dtype: str, positions: Tensor, *, rotary: int) -> Tensor:
    """|computed angle - p w_i|, shape (row, pair): p w_i times (error of the frequency + u for the product).

    Integer positions are exact in the dtype of the angle (below 2**24 in float32). A product with 1 is exact. A listed
    frequency is rounded once to the dtype of the angle, and known no better than it was measured.
    """
    u = UNIT[angle_dtype(recipe, dtype)]
    per_position = []
    for i, w in enumerate(convention.turning(rotary)):
        computed = frequency_error(recipe, dtype, i, rotary=rotary, base=convention.base)
        rounded = u if w != 1 else 0.0
        relative = rounded + (rounded if convention.frequencies else computed)
        per_position.append(relative * abs(w) + convention.within)
    at = (positions.double() + convention.first).abs()
    return at[:, None] * torch.tensor(per_position, dtype=torch.float64) * _SECOND_ORDER


def entry_error(convention: Convention, recipe: Recipe, dtype: str) -> float:
    """|table entry - magnitude * cosine of the float angle| / magnitude.

    1 ulp for the function, at most u. A cast to a narrower dtype costs half an ulp, at most u/2 for entries of size at
    most 1; a magnitude costs one product, and its entries may exceed 1, where half an ulp is at most u relatively.
    """
    u = UNIT[angle_dtype(recipe, dtype)]
    part = 0.5 if convention.magnitude == 1.0 else 1.0
    casts = [UNIT[dtype if cast == "input" else cast] for cast in recipe.casts]
    narrower = sum(part * cast for cast in casts if cast > u)
    return u + narrower + (0.0 if convention.magnitude == 1.0 else u)


def arithmetic_error(recipe: Recipe, dtype: str) -> float:
    """Rounding of x_a c - x_b s, relative to |x_a| + |x_b|: two products and their sum, 2u + u**2.

    In a wider dtype, at least float32, the result is rounded once more to that of x. In float32 for a wider x, both
    x_a and x_b are rounded before, which costs u more.
    """
    u = arithmetic_unit(recipe, dtype)
    cast_before = u if u > UNIT[dtype] else 0.0
    return cast_before + 2 * u + 4 * u * u + (UNIT[dtype] if u < UNIT[dtype] else 0.0)


def arithmetic_unit(recipe: Recipe, dtype: str) -> float:
    """The unit roundoff of the products and sums."""
    if recipe.arithmetic == "float32":
        return UNIT["float32"]
    return UNIT[dtype] if recipe.arithmetic == "input" else min(UNIT[dtype], UNIT["float32"])


def same_angle_error(convention: Convention, recipe: Recipe, dtype: str) -> float:
    """|output - exact rotation by the float angle| relative to magnitude * (|x_a| + |x_b|)."""
    second_order = 1 + 4 * max(UNIT[dtype], arithmetic_unit(recipe, dtype))
    return (entry_error(convention, recipe, dtype) + arithmetic_error(recipe, dtype)) * second_order


def rotation_error(convention: Convention, recipe: Recipe, dtype: str, positions: Tensor, *, width: Width) -> Tensor:
    """|output - exact output| relative to magnitude * (|x_a| + |x_b|), shape (row, pair).

    Rotation is 1-Lipschitz in the angle, so the error of the angle adds to that of the arithmetic. The float64 value
    that the output is compared with has the same bound with u = 2**-53.
    """

    def bound(used: Recipe, computed: str) -> Tensor:
        turned = angle_error(convention, used, computed, positions, rotary=width.rotary)
        return turned + same_angle_error(convention, used, computed)

    return bound(recipe, dtype) + bound(_EXACT, "float64")


def basis_error(convention: Convention, recipe: Recipe, dtype: str) -> float:
    """|output - exact rotation by the float angle| for a basis vector: c*1 - s*0 is exact, only a last cast rounds.

    So does the cast of an entry to arithmetic that is narrower than x.
    """
    computed = arithmetic_unit(recipe, dtype)
    cast = max(computed, UNIT[dtype]) / 2 if computed != UNIT[dtype] else 0.0
    part = 1.0 if convention.magnitude == 1.0 else 2.0
    return entry_error(convention, recipe, dtype) + part * cast


def gram_error(convention: Convention, recipe: Recipe, dtype: str) -> float:
    """|(R^T R)_jk - s^2 delta_jk| / s^2 where both columns come from one float angle.

    With c' = c + e, s' = s + f and |e|, |f| <= eps: |c'^2 + s'^2 - 1| <= 2 eps (|c| + |s|) + 2 eps^2, and
    |c| + |s| <= sqrt 2; the mixed entry c' s'' - s' c'' has the same bound. How far the angle is off does not enter.
    """
    eps = basis_error(convention, recipe, dtype)
    return 2 * math.sqrt(2) * eps + 2 * eps * eps
