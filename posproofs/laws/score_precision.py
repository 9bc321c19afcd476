"""How far a computed score may be from the exact one: bounds derived from the recipe, in the model of rounding.

With unit roundoff u, n roundings in a row cost at most gamma(n) = n u / (1 - n u) relatively. Assumed of the library
and attacked in the tests: exp is within 2u of the exact exponential, cosine and sine within u of those of the angle.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from posproofs.laws.precision import UNIT
from posproofs.laws.scored import ScoreRecipe, ScoreSubject, Size
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import frequencies, slots

if TYPE_CHECKING:
    from torch import Tensor

_EXACT = ScoreRecipe(table="input")


def gamma(roundings: int, unit: float) -> float:
    """What that many roundings cost together, relatively."""
    return roundings * unit / (1 - roundings * unit)


def table_error(recipe: ScoreRecipe, dtype: str, reach: int, *, width: int, base: float) -> Tensor:
    """|entry - exact entry| of a sinusoidal table at offsets up to `reach`, for each of its width/2 pairs.

    The frequency is base**(-2i/width) by a power, a reciprocal of one, or exp of a product: the exponent is rounded
    twice at most, which costs 2 ln(base) (2i/width) u, and the function and a reciprocal 3u. The product o w costs u;
    then the function u.
    """
    u = UNIT["float32"] if recipe.table == "float32" else UNIT[dtype]
    pair = torch.arange(width // 2, dtype=torch.float64)
    units = torch.where(pair > 0, 4 + 2 * math.log(base) * 2 * pair / width, torch.zeros(()).double())
    return (reach * frequencies(width, base) * units * u + u) * (1 + 2.0**-6)


def sizes_of_terms(arguments: tuple[Tensor, ...], *, own: bool) -> tuple[Tensor, Tensor]:
    """Bounds on the sums of the absolute values of all products: of content, and of any one row of an offset.

    Shapes (batch, head, query, key) and (batch, head, query, 1). Rows are bounded by the largest entry of each
    coordinate over all offsets, so that nothing here depends on how offsets are indexed. Entries of a table of the
    library's own are at most 1.
    """
    q, k, r, u, v = (one.double().abs() for one in arguments)
    content = torch.einsum("bhid,bhjd->bhij", q + u[:, None], k)
    largest = r.sum(dim=1) if own else r.amax(dim=1)
    return content, torch.einsum("bhid,hd->bhi", q + v[:, None], largest)[..., None]


def score_error(subject: ScoreSubject, dtype: str, arguments: tuple[Tensor, ...], *, size: Size) -> Tensor:
    """|computed - exact score|, shape (batch, head, query, key), of probabilities after the constant of the row.

    A coordinate's product passes: scaling of q and of the bias, their sum, the product, d - 1 additions, the sum of
    both parts, the scale and its own rounding; d + 5 roundings. A table of the library's own width D adds its weights:
    D products and sums, and the two tables that each entry is made from by angle addition.
    """
    own = subject.convention.rows == "own"
    recipe, unit, scale = subject.recipe, UNIT[dtype], subject.convention.factor(size)
    content, position = sizes_of_terms(arguments, own=own)
    wide = arguments[2].shape[1] if own else 0
    # sin(m-n) = sin m cos n - cos m sin n: two products of entries, so twice the size and four errors of entries.
    error = gamma(size.width + 5, unit) * content + gamma(size.width + 5 + wide + 3, unit) * position * (
        2 if own else 1
    )
    if own:
        error = error + 4 * _of_table(subject, dtype, arguments)
    size_of_score = scale * (content + position)
    error = scale * error
    if recipe.through == "float32":
        error = error + UNIT["float32"] * size_of_score
    return _of_logarithms(recipe, dtype, error, size_of_score) if subject.convention.gives != "scores" else error


def compared_error(subject: ScoreSubject, dtype: str, arguments: tuple[Tensor, ...], *, size: Size) -> Tensor:
    """The error of the subject, and that of the float64 value that it is compared with, the row's constant included."""
    plain = replace(subject, convention=replace(subject.convention, gives="scores"), recipe=_EXACT)
    reference = score_error(plain, "float64", arguments, size=size)
    return score_error(subject, dtype, arguments, size=size) + 2 * reference.amax(dim=-1, keepdim=True)


def _of_table(subject: ScoreSubject, dtype: str, arguments: tuple[Tensor, ...]) -> Tensor:
    """What the errors of the library's table add to a score, shape (batch, head, query, 1)."""
    q, k, w, _u, v = (one.double().abs() for one in arguments)
    entries = table_error(subject.recipe, dtype, k.shape[2], width=w.shape[1], base=subject.convention.base)
    each = torch.empty(w.shape[1], dtype=torch.float64)
    for places in slots(subject.convention.table or "half-split", w.shape[1]):
        each[places] = entries
    return torch.einsum("bhid,hcd,c->bhi", q + v[:, None], w, each)[..., None]


def _of_logarithms(recipe: ScoreRecipe, dtype: str, error: Tensor, size: Tensor) -> Tensor:
    """The error of log softmax, and what taking out the constant of the row adds.

    The softmax subtracts the greatest score (one rounding of at most the spread), takes exp (2u) and divides, or
    multiplies by a reciprocal (u; what the row shares is its constant); its result may be cast once more. The
    constant is read off one entry, which has an error of its own.
    """
    unit = UNIT["float32"] if recipe.softmax == "float32" else UNIT[dtype]
    greatest = size.amax(dim=-1, keepdim=True)
    error = error + unit * (size + greatest) + (4 * unit + UNIT[dtype]) * (1 + 2.0**-6)
    return error + error.amax(dim=-1, keepdim=True)
