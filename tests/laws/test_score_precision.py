"""The bounds on scores, attacked by brute force against exact rational arithmetic and mpmath.

As for rotations, a bound must not be exceeded and must not be more than LOOSEST times the worst error that was seen.
They hold for any order of additions and count the worst case of each. With more coordinates, roundings cancel more: the
ratio grows with the width, so it is taken over the whole range of widths, while no entry of any width may exceed its
bound.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
import torch

from posproofs.laws import ScoreConvention, ScoreRecipe, ScoreSubject, Size, subject_of
from posproofs.laws.precision import UNIT
from posproofs.laws.score_calls import apart, given_rows, leveled
from posproofs.laws.score_precision import gamma, score_error, table_error
from posproofs.laws.subject import DType, dtype_of
from posproofs.mutants import ScoreMutant
from posproofs.mutants.four_terms import row_of, scores
from posproofs.mutants.reference import frequencies

LOOSEST = 40.0
RIGHT = subject_of(ScoreMutant("right", "nothing"))
Arguments = tuple[torch.Tensor, ...]


def tight(name: str, ratio: float) -> None:
    sys.stdout.write(f"{name}: bound / worst error = {ratio:.2f}\n")
    assert 1 <= ratio <= LOOSEST


def drawn(size: Size, queries: int, keys: int, *, dtype: DType, rows: int | None = None) -> Arguments:
    """Entries with full mantissas: those of the laws are exact in float32 and would round nowhere."""
    generator = torch.Generator().manual_seed(queries + 7 * keys + size.width)
    shapes = (
        (4, size.heads, queries, size.width),
        (4, size.heads, keys, size.width),
        (size.heads, rows or keys + queries, size.width),
        (size.heads, size.width),
        (size.heads, size.width),
    )
    return tuple(
        (torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1).to(dtype_of(dtype)) for shape in shapes
    )


def exact(arguments: Arguments) -> torch.Tensor:
    """The four terms in rational arithmetic, rounded once to float64."""
    q, k, r, u, v = (one.double() for one in arguments)
    queries, keys = q.shape[2], k.shape[2]
    rows = row_of(queries, keys)
    found = torch.empty(*q.shape[:3], keys, dtype=torch.float64)
    for b, h, i, j in torch.cartesian_prod(*map(torch.arange, found.shape)).tolist():
        terms = zip(q[b, h, i], k[b, h, j], r[h, rows[i, j]], u[h], v[h], strict=True)
        total = sum(
            (Fraction(q_) + Fraction(u_)) * Fraction(k_) + (Fraction(q_) + Fraction(v_)) * Fraction(r_)
            for q_, k_, r_, u_, v_ in (map(float, term) for term in terms)
        )
        found[b, h, i, j] = float(total)
    return found


def prescaled(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The scale before the sums, as in Funnel."""
    scale = 1 / math.sqrt(q.shape[-1])
    return scores(q * scale, k, r, u * scale, v * scale)


def scaled(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """The scale after them, as in XLNet."""
    return scores(q, k, r, u, v) / math.sqrt(q.shape[-1])


Score = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


@pytest.mark.parametrize("function", [prescaled, scaled], ids=["before", "after"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores(function: Score, dtype: DType) -> None:
    subject = replace(RIGHT, convention=ScoreConvention(gives="scores"))
    ratios = []
    for width in (2, 4, 8, 64):
        size = Size(2, width)
        arguments = drawn(size, 3, 4, dtype=dtype)
        wanted = exact(arguments) / math.sqrt(width)
        error = (function(*arguments).double() - wanted).abs()
        # The reference is rounded once, and the root of the width and its quotient once each.
        allowed = score_error(subject, dtype, arguments, size=size)
        assert bool((error <= allowed + 3 * UNIT["float64"] * wanted.abs()).all())
        ratios.append(float((allowed / error.clamp(min=1e-30)).min()))
    tight("scores", min(ratios))


def subject_giving(recipe: ScoreRecipe) -> ScoreSubject:
    return replace(RIGHT, convention=ScoreConvention(), recipe=recipe)


@pytest.mark.parametrize(
    ("recipe", "dtype"),
    [
        (ScoreRecipe(), "float32"),
        (ScoreRecipe(), "float64"),
        (ScoreRecipe(through="float32"), "float64"),
        (ScoreRecipe(softmax="float32"), "float64"),
    ],
    ids=["float32", "float64", "through float32", "softmax in float32"],
)
def test_logarithms_of_probabilities(recipe: ScoreRecipe, dtype: DType) -> None:
    """Scores, a cast, a softmax and the constant of each row, against the exact scores."""
    subject = subject_giving(recipe)
    ratios = []
    for width in (2, 8, 64):
        size = Size(2, width)
        arguments = drawn(size, 3, 9, dtype=dtype)
        computed = scaled(*arguments)
        if recipe.through == "float32":
            computed = computed.float().double()
        kind = torch.float32 if recipe.softmax == "float32" else computed.dtype
        given = torch.softmax(computed, dim=-1, dtype=kind).to(dtype_of(dtype))
        error = apart(subject, leveled(subject, given), exact(arguments) / math.sqrt(width)).abs()
        allowed = score_error(subject, dtype, arguments, size=size)
        # Off by no more than what the reference and the logarithm add.
        assert bool((error <= allowed + 16 * UNIT["float64"]).all())
        ratios.append(float((allowed / error.clamp(min=1e-30)).min()))
    tight("logarithms", min(ratios))


def factorized(arguments: Arguments, length: int) -> torch.Tensor:
    """Funnel's form: tables of m and of n in the dtype of the arguments, weights between them."""
    q, k, w, u, v = arguments
    half = w.shape[1] // 2
    omega = 1 / (10000 ** (torch.arange(half, dtype=q.dtype) / half))
    angle = torch.arange(length, dtype=q.dtype)[:, None] * omega
    sin, cos = angle.sin(), angle.cos()
    weighted = torch.einsum("bhid,hcd->bhic", q + v[:, None], w)
    by_sine, by_cosine = weighted * torch.cat((sin, sin), -1), weighted * torch.cat((cos, cos), -1)
    moved = by_sine @ torch.cat((cos, sin), -1).T + by_cosine @ torch.cat((-sin, cos), -1).T
    return torch.einsum("bhid,bhjd->bhij", q + u[:, None], k) + moved


def test_rows_made_by_angle_addition() -> None:
    """In float32, against the looked-up rows in float64."""
    convention = ScoreConvention(gives="scores", scale="none", rows="own", table="half-split", memory="none")
    subject = replace(RIGHT, convention=convention, recipe=ScoreRecipe(table="input"))
    ratios = []
    for size, length in ((Size(1, 2), 2), (Size(1, 2), 40), (Size(2, 4), 5), (Size(2, 4), 40)):
        arguments = drawn(size, length, length, dtype="float32", rows=size.model)
        q, k, w, u, v = (one.double() for one in arguments)
        wanted = scores(q, k, given_rows(subject, w, length, length), u, v)
        error = (factorized(arguments, length).double() - wanted).abs()
        allowed = score_error(subject, "float32", arguments, size=size)
        assert bool((error <= allowed).all())
        ratios.append(float((allowed / error.clamp(min=1e-30)).min()))
    tight("angle addition", min(ratios))


def powers(width: int, kind: torch.dtype) -> torch.Tensor:
    """1 / base**(2i/width), as in XLNet, Parakeet and Funnel."""
    return 1 / (10000 ** (torch.arange(0, width, 2, dtype=kind) / width))


def exponentials(width: int, kind: torch.dtype) -> torch.Tensor:
    """exp(2i * -(ln base / width)), as in ESPnet and Wav2Vec2-Conformer."""
    return torch.exp(torch.arange(0, width, 2, dtype=kind) * -(math.log(10000.0) / width))


@pytest.mark.parametrize("frequency", [powers, exponentials], ids=["power", "exponential"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [4, 16, 48, 256])
def test_entries_of_a_table(frequency: Callable[[int, torch.dtype], torch.Tensor], dtype: DType, width: int) -> None:
    mpmath.mp.dps = 40
    reach = 300
    computed = torch.arange(1, reach + 1).to(dtype_of(dtype))[:, None] * frequency(width, dtype_of(dtype))
    allowed = table_error(ScoreRecipe(table="input"), dtype, reach, width=width, base=10000.0)
    ratio = math.inf
    for i in range(0, width // 2, max(1, width // 16)):
        omega = mpmath.mpf(10000) ** (mpmath.mpf(-2 * i) / width)
        for at in (1, 2, 7, 64, 255, 256, 299, 300):
            for shown, function in ((computed[at - 1, i].sin(), mpmath.sin), (computed[at - 1, i].cos(), mpmath.cos)):
                error = float(abs(mpmath.mpf(float(shown)) - function(at * omega)))
                assert error <= float(allowed[i])
                ratio = min(ratio, float(allowed[i]) / error if error else math.inf)
    tight("table", ratio)


def test_the_first_pair_has_no_error_of_the_frequency() -> None:
    allowed = table_error(ScoreRecipe(), "float64", 1000, width=8, base=10000.0)
    assert float(allowed[0]) == pytest.approx(UNIT["float32"], rel=0.02)
    assert float(allowed[1]) > 100 * float(allowed[0])
    assert frequencies(8, 10000.0)[0] == 1


def test_gamma_is_what_roundings_cost() -> None:
    assert gamma(3, 2.0**-24) == pytest.approx(3 * 2.0**-24, rel=1e-6)
    assert gamma(3, 2.0**-24) >= (1 + 2.0**-24) ** 3 - 1
