"""Every bound on an allowed error, attacked by brute force against mpmath and exact rational arithmetic.

A bound must not be exceeded, and must not be loose: more than 40 times the worst error that was seen is a failure too,
so each test fails for a bound that is too small and for one that is too large.
"""

import math
import random
import sys
from fractions import Fraction
from itertools import product

import mpmath
import pytest
import torch

from posproofs.laws import Convention, Recipe, Width
from posproofs.laws.precision import (
    UNIT,
    angle_error,
    arithmetic_error,
    basis_error,
    entry_error,
    frequency_error,
    gram_error,
    rotation_error,
)
from posproofs.laws.subject import DType, dtype_of

LOOSEST = 40.0
PLAIN = Convention("half-split", "half-split")
SCALED = Convention("half-split", "half-split", magnitude=1.2)
POWER = Recipe("power", "float32", ("input",), "input")
ROUNDED = Recipe("rounded", "float32", ("input",), "wide")
DOUBLE = Recipe("power", "float64", ("float32", "input"), "input")
UPCAST = Recipe("power", "float32", (), "float32")
POSITIONS = (1, 2, 3, 63, 64, 255, 257, 2049, 4095, 32767, 65537, 99991, 131071, 131072)
DTYPES: tuple[DType, ...] = ("float64", "float32", "bfloat16")


@pytest.fixture(autouse=True)
def _fifty_digits() -> None:
    mpmath.mp.dps = 50


def omega(i: int, rotary: int, base: float) -> mpmath.mpf:
    return mpmath.mpf(base) ** (mpmath.mpf(-2 * i) / rotary)


def frequencies(recipe: Recipe, rotary: int, base: float) -> torch.Tensor:
    """As libraries compute them."""
    angle = torch.float64 if recipe.angle == "float64" else torch.float32
    if recipe.frequency == "power":
        return 1.0 / (base ** (torch.arange(0, rotary, 2, dtype=angle) / rotary))
    return (base ** (-torch.arange(0, rotary, 2, dtype=torch.float64) / rotary)).to(angle)


def tight(name: str, worst_error: float, its_bound: float) -> None:
    """The largest error that was seen, against the bound at that place."""
    ratio = its_bound / worst_error if worst_error else math.inf
    sys.stdout.write(f"{name}: bound / worst error = {ratio:.2f}\n")
    assert 1 <= ratio <= LOOSEST


@pytest.mark.parametrize("recipe", [POWER, ROUNDED, DOUBLE], ids=["power", "rounded", "float64"])
@pytest.mark.parametrize("base", [10000.0, 500000.0])
def test_frequencies(recipe: Recipe, base: float) -> None:
    worst, bound = 0.0, 0.0
    for rotary in (2, 4, 6, 32, 64, 80, 96, 128):
        computed = frequencies(recipe, rotary, base)
        for i in range(rotary // 2):
            exact = omega(i, rotary, base)
            error = float(abs(mpmath.mpf(float(computed[i])) / exact - 1))
            allowed = frequency_error(recipe, "float32", i, rotary=rotary, base=base)
            assert error <= allowed, (rotary, i, error, allowed)
            if error > worst:
                worst, bound = error, allowed
    tight("frequency", worst, bound)


@pytest.mark.parametrize("recipe", [POWER, ROUNDED, DOUBLE], ids=["power", "rounded", "float64"])
@pytest.mark.parametrize("rotary", [4, 64, 96, 128])
def test_angles_to_131072(recipe: Recipe, rotary: int) -> None:
    computed = torch.tensor(POSITIONS).to(frequencies(recipe, rotary, 1e4).dtype)[:, None] * frequencies(
        recipe, rotary, 1e4
    )
    allowed = angle_error(PLAIN, recipe, "float32", torch.tensor(POSITIONS), rotary=rotary)
    worst, bound = 0.0, 0.0
    for (t, p), i in product(enumerate(POSITIONS), range(rotary // 2)):
        error = float(abs(mpmath.mpf(float(computed[t, i])) - p * omega(i, rotary, 1e4)))
        assert error <= float(allowed[t, i]), (p, i, error)
        if error > worst:
            worst, bound = error, float(allowed[t, i])
    tight("angle", worst, bound)


def table(
    convention: Convention, recipe: Recipe, dtype: DType, angle: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of a float angle after the casts of the recipe."""
    cos, sin = angle.cos() * convention.magnitude, angle.sin() * convention.magnitude
    for cast in recipe.casts:
        to = dtype_of(dtype if cast == "input" else cast)
        narrower = torch.finfo(to).eps > torch.finfo(cos.dtype).eps
        cos, sin = (cos.to(to), sin.to(to)) if narrower else (cos, sin)
    return cos, sin


@pytest.mark.parametrize("convention", [PLAIN, SCALED], ids=["plain", "magnitude"])
@pytest.mark.parametrize("recipe", [POWER, DOUBLE], ids=["float32", "float64"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_table_entries(convention: Convention, recipe: Recipe, dtype: DType) -> None:
    """Also what is assumed of the library: cosine and sine within 1 ulp, small and huge angles, any loop of it."""
    draw = random.Random(7)
    angles = [draw.uniform(0, 7) for _ in range(300)] + [draw.uniform(0, 131072) for _ in range(300)]
    angle = torch.tensor(angles, dtype=torch.float64 if recipe.angle == "float64" else torch.float32)
    allowed = entry_error(convention, recipe, dtype) * convention.magnitude
    worst = 0.0
    for computed, function in zip(table(convention, recipe, dtype, angle), (mpmath.cos, mpmath.sin), strict=True):
        for value, at in zip(computed.double().tolist(), angle.double().tolist(), strict=True):
            exact = mpmath.mpf(convention.magnitude) * function(mpmath.mpf(at))
            worst = max(worst, float(abs(mpmath.mpf(value) - exact)))
    tight("entry", worst, allowed)


def test_cosine_and_sine_are_within_one_ulp_in_every_loop() -> None:
    """Vector and scalar loops differ; both are held to the assumption, on two million float32 angles."""
    for scale in (1.0, 100.0, 131072.0):
        angle = (torch.arange(1_000_003, dtype=torch.float64) * (scale / 1_000_003)).float()
        for function in (torch.cos, torch.sin):
            exact = function(angle.double())
            assert float((function(angle).double() - exact).abs().max()) <= UNIT["float32"]
            rows = angle[:700].reshape(-1, 7)
            alone = torch.stack([function(row) for row in rows]).flatten()
            assert float((alone.double() - exact[:700]).abs().max()) <= UNIT["float32"]


def working(recipe: Recipe, dtype: DType) -> torch.dtype:
    """The dtype of products and sums."""
    if recipe.arithmetic == "float32":
        return torch.float32
    return torch.promote_types(dtype_of(dtype), torch.float32) if recipe.arithmetic == "wide" else dtype_of(dtype)


@pytest.mark.parametrize("recipe", [POWER, ROUNDED, UPCAST], ids=["input", "wide", "float32"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_and_sum(recipe: Recipe, dtype: DType) -> None:
    """x_a c - x_b s in the dtype of x, in float32 at least or in float32, rounded once, against rational arithmetic."""
    generator = torch.Generator().manual_seed(3)
    a, b, angle = (torch.rand(4000, generator=generator, dtype=torch.float64) * 7 for _ in range(3))
    here = dtype_of(dtype)
    wide = working(recipe, dtype)
    x_a, x_b = (v.to(here) for v in (a - 3, b - 3))
    # The entries of the table are exact in both dtypes: their own error is the business of test_table_entries.
    narrower = min((here, wide), key=lambda one: -torch.finfo(one).eps)
    cos, sin = (v.to(narrower) for v in (angle.cos(), angle.sin()))
    y = (x_a.to(wide) * cos.to(wide) - x_b.to(wide) * sin.to(wide)).to(here)
    worst = 0.0
    for computed, p, c, q, s in zip(*(v.double().tolist() for v in (y, x_a, cos, x_b, sin)), strict=True):
        exact = Fraction(p) * Fraction(c) - Fraction(q) * Fraction(s)
        size = abs(Fraction(p)) + abs(Fraction(q))
        worst = max(worst, float(abs(Fraction(computed) - exact) / size)) if size else worst
    tight("arithmetic", worst, arithmetic_error(recipe, dtype))


@pytest.mark.parametrize("recipe", [POWER, ROUNDED, DOUBLE, UPCAST], ids=["power", "rounded", "float64", "float32"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rotary", [2, 4, 96, 128])
def test_a_whole_rotation(recipe: Recipe, dtype: DType, rotary: int) -> None:
    """Every step of the recipe together, positions to 131072, against the exact rotation."""
    omegas = frequencies(recipe, rotary, 1e4)
    angle = torch.tensor(POSITIONS).to(omegas.dtype)[:, None] * omegas
    cos, sin = table(PLAIN, recipe, dtype, angle)
    here = dtype_of(dtype)
    generator = torch.Generator().manual_seed(rotary)
    x = (torch.rand((len(POSITIONS), rotary), generator=generator, dtype=torch.float64) * 4 - 2).to(here)
    x_a, x_b = x[:, : rotary // 2], x[:, rotary // 2 :]
    wide = working(recipe, dtype)
    y = (x_a.to(wide) * cos.to(wide) - x_b.to(wide) * sin.to(wide)).to(here)
    allowed = rotation_error(PLAIN, recipe, dtype, torch.tensor(POSITIONS), width=Width(rotary, rotary))
    worst, bound = 0.0, 0.0
    for (t, p), i in product(enumerate(POSITIONS), range(rotary // 2)):
        turned = p * omega(i, rotary, 1e4)
        first, second = mpmath.mpf(float(x_a[t, i])), mpmath.mpf(float(x_b[t, i]))
        exact = first * mpmath.cos(turned) - second * mpmath.sin(turned)
        error = float(abs(mpmath.mpf(float(y[t, i])) - exact) / (abs(first) + abs(second)))
        assert error <= float(allowed[t, i]), (p, i, error)
        if error > worst:
            worst, bound = error, float(allowed[t, i])
    tight("rotation", worst, bound)


@pytest.mark.parametrize("convention", [PLAIN, SCALED], ids=["plain", "magnitude"])
@pytest.mark.parametrize("recipe", [POWER, ROUNDED], ids=["input", "wide"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_lengths_of_columns(convention: Convention, recipe: Recipe, dtype: DType) -> None:
    """c^2 + s^2 - 1 from rounded tables, and the error of the output for a basis vector."""
    angle = torch.arange(20000, dtype=torch.float64).mul(0.37).float()
    cos, sin = table(convention, recipe, dtype, angle)
    here = dtype_of(dtype)
    cos, sin = (v.to(here).double() if recipe.arithmetic == "wide" else v.double() for v in (cos, sin))
    worst = float(((cos**2 + sin**2) / convention.magnitude**2 - 1).abs().max())
    tight("gram", worst, gram_error(convention, recipe, dtype))
    off = float((cos / convention.magnitude - angle.double().cos()).abs().max())
    tight("basis", off, basis_error(convention, recipe, dtype))


def test_a_width_that_is_no_power_of_two_costs_more() -> None:
    """The exponent 2i/96 is rounded, 2i/128 is not."""
    assert frequency_error(POWER, "float32", 47, rotary=96, base=1e4) > 3 * frequency_error(
        POWER, "float32", 63, rotary=128, base=1e4
    )


def test_the_first_pair_has_no_error_of_the_angle() -> None:
    assert angle_error(PLAIN, POWER, "float32", torch.tensor([131072]), rotary=4)[0, 0] == 0
