"""Why rotations, and why blocks: a linear map that makes scores depend on n - m alone, R_0 = I, is a rotation group.

    R_m^T R_n = G(n - m) for all m, n  and  R_0 = I   imply   G = R, R_m^T R_m = I, R_m R_n = R_(m+n), R_m^T = R_(-m)

One family serves q and k, and positions are real numbers; with positions that are integers the same steps hold.

So R_m = R_1^m with R_1 orthogonal, and the spectral theorem (cited) brings R_1 to planar rotations and entries +-1 in
an orthonormal basis, which goes into the weights: the block form is no loss of generality. (RF-56.)
"""

from __future__ import annotations

import sympy as sp

from derivations.derivation import Given, Step, cited, derivation, equation, made, proved
from derivations.euler import product
from derivations.from_sympy import to_term
from derivations.kernel import (
    Hypothesis,
    Theorem,
    congruent,
    prove,
    symmetric,
    transitive,
    two_sided,
)
from derivations.notation import Family, m, n
from derivations.rotary import d, rotating
from derivations.rotary_planes import BASIS_WEIGHTS, GENERATOR

IF = "if R_m^T R_n = G(n - m) for all m, n and R_0 = I:"
SOURCE = "this catalogue; compare Liu et al., 2025, arXiv 2504.06308, and GRAPE, 2026, arXiv 2512.07805"


def R(position: sp.Expr) -> sp.Expr:
    """An unknown family of square matrices: nothing is assumed but the two hypotheses."""
    return Family("R", position, d, "free")


def G(offset: sp.Expr) -> sp.Expr:
    return Family("G", offset, d, "free")


ZERO = sp.Integer(0)
EYE = sp.Identity(d)
T = sp.Transpose
GRAM = Hypothesis("equal", to_term(product(T(R(m)), R(n))), to_term(G(n - m)), ("m", "n"))
START = Hypothesis("equal", to_term(R(ZERO)), to_term(EYE))
MODEL = {"R": rotating(), "G": rotating()}
BY_GRAM, BY_START = Given((GRAM,), model=MODEL), Given((START,), model=MODEL)
BOTH = Given((GRAM, START), model=MODEL)


def _row(left: sp.Expr, right: sp.Expr, given: Given, *using: Theorem, idle: tuple[Hypothesis, ...] = ()) -> Theorem:
    return proved(prove(equation(left, right, given), using=using, idle=idle, model=MODEL))


def _gram_at_zero() -> Theorem:
    back = symmetric(_row(product(T(R(ZERO)), R(ZERO)), G(ZERO), BY_GRAM))
    return transitive(back, _row(product(T(R(ZERO)), R(ZERO)), EYE, BY_START), model=MODEL)


def _gram_is_map() -> Theorem:
    back = symmetric(_row(product(T(R(ZERO)), R(n)), G(n), BY_GRAM))
    return transitive(back, _row(product(T(R(ZERO)), R(n)), R(n), BY_START), model=MODEL)


GRAM_IS_MAP = made("rotary.unique_gram", f"{IF} G(n) = R_0^T R_n = R_n", _gram_is_map, source=SOURCE, claims=("RF-56",))
ORTHOGONAL = made(
    "rotary.unique_orthogonal",
    f"{IF} R_m^T R_m = G(0) = I",
    lambda: transitive(_row(product(T(R(m)), R(m)), G(ZERO), BY_GRAM), _gram_at_zero(), model=MODEL),
    source=SOURCE,
    claims=("RF-56",),
)
INVERTIBLE = made(
    "rotary.unique_inverse",
    f"{IF} R_m R_m^T = I",
    lambda: two_sided(ORTHOGONAL.theorem, model=MODEL),
    source=SOURCE,
    claims=("RF-56",),
)


def _shifted() -> Theorem:
    """R_m^T R_(m+n) = G(n) = R_n."""
    return transitive(_row(product(T(R(m)), R(m + n)), G(n), BY_GRAM), GRAM_IS_MAP.theorem, model=MODEL)


def _homomorphism() -> Theorem:
    """R_m R_n = R_m (R_m^T R_(m+n)) = (R_m R_m^T) R_(m+n) = R_(m+n)."""
    hole = sp.MatrixSymbol("hole", d, d)
    multiplied = congruent(_shifted(), "hole", to_term(product(R(m), hole)), model=MODEL)
    nested = product(R(m), product(T(R(m)), R(m + n)))
    cancelled = _row(nested, R(m + n), BOTH, INVERTIBLE.theorem, idle=(GRAM, START))
    return transitive(symmetric(multiplied), cancelled, model=MODEL)


HOMOMORPHISM = made("rotary.unique", f"{IF} R_m R_n = R_(m+n)", _homomorphism, source=SOURCE, claims=("RF-56", "RF-40"))


def _transpose_is_inverse() -> Theorem:
    start = symmetric(_row(product(T(R(m)), R(ZERO)), T(R(m)), BY_START))
    gram = transitive(start, _row(product(T(R(m)), R(ZERO)), G(-m), BY_GRAM), model=MODEL)
    return transitive(gram, _row(G(-m), R(-m), BOTH, GRAM_IS_MAP.theorem, idle=(GRAM, START)), model=MODEL)


TRANSPOSE = made(
    "rotary.unique_transpose", f"{IF} R_m^T = R_(-m)", _transpose_is_inverse, source=SOURCE, claims=("RF-56",)
)
SCALED = derivation(
    "rotary.not_unique_without_norm",
    "with growth the goal has other solutions (xPos): (e^(m z) R_m)^T (e^(-n z) R_n) depends on m - n alone",
    product(
        T(product(sp.exp(m * sp.Symbol("z", real=True)), Family("Rot", m, d))),
        product(sp.exp(-n * sp.Symbol("z", real=True)), Family("Rot", n, d)),
    ),
    Step(
        product(sp.exp((m - n) * sp.Symbol("z", real=True)), Family("Rot", n - m, d)),
        "exponents add, and R_m^T R_n = R_(n-m)",
    ),
    source="Sun et al., A Length-Extrapolatable Transformer (xPos), 2022",
    claims=("RF-40",),
)
NORMAL_FORM = cited(
    "rotary.normal_form",
    f"{IF} R_m = R_1^m is made of planar rotations and entries +-1 in an orthonormal basis, which the weights absorb",
    ("spectral-theorem", "square-inverse", "one-parameter-group"),
    source=SOURCE,
    rests_on=(ORTHOGONAL, HOMOMORPHISM, TRANSPOSE, BASIS_WEIGHTS, GENERATOR),
    claims=("RF-56",),
)

ENTRIES = (GRAM_IS_MAP, ORTHOGONAL, INVERTIBLE, HOMOMORPHISM, TRANSPOSE, SCALED, NORMAL_FORM)
