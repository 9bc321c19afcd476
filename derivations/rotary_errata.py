"""Statements about rotary embedding as printed that are not true, each shown false by machine, beside the true form.

Printed forms are quoted from the position-embedding notes (F0); RF-50 has the same slip in RoFormer, eq. (16).
"""

from __future__ import annotations

import sympy as sp

from derivations.derivation import (
    Given,
    Step,
    cited,
    derivation,
    equation,
    erratum,
    ill_typed,
    made,
    proved,
    refuted,
)
from derivations.euler import ROTATION_MATRIX, product, rotation
from derivations.from_sympy import to_term
from derivations.kernel import Hypothesis, Refuted, Statement, Theorem, prove, transitive
from derivations.kernel.terms import Identity, Multiply, Pi, Replacement, Size, number, substituted
from derivations.notation import Block, Family, Theta, i, m, n, p, theta
from derivations.rotary import (
    COMPLEX_SCORE,
    PAPER,
    ROTATE_INTERLEAVED,
    SCORE,
    dot,
    q1,
    q2,
    times,
    turn,
    zk_bar,
    zq,
)
from derivations.rotary_planes import NOT_MIXED

NOTES = "position-embedding notes (F0)"
d, e = sp.symbols("d e", integer=True, positive=True)
w11, w12, w21, w22, x1, x2 = sp.symbols("w11 w12 w21 w22 x1 x2", real=True)
a, b, c, f = sp.symbols("a b c f", real=True)

LINEAR = derivation(
    "rotary.linear",
    "y = W_q x is a vector: (w11 x1 + w12 x2, w21 x1 + w22 x2)",
    product(sp.ImmutableMatrix([[w11, w12], [w21, w22]]), sp.ImmutableMatrix([x1, x2])),
    Step(sp.ImmutableMatrix([w11 * x1 + w12 * x2, w21 * x1 + w22 * x2]), "row by column"),
    source=NOTES,
    claims=("RF-44",),
)
# RF-53: at width 2 every rotation is a block; from A^T A = I and det A = 1.
# Equations are rewrites from left to right, so each of the two proofs orients them for its own use.
AREA = Hypothesis("equal", to_term(a * f), to_term(1 + b * c))
ELIMINATE_A = (
    Hypothesis("equal", to_term(a**2), to_term(1 - c**2)),
    Hypothesis("equal", to_term(a * b), to_term(-c * f)),
)
ELIMINATE_C = (
    Hypothesis("equal", to_term(c**2), to_term(1 - a**2)),
    Hypothesis("equal", to_term(c * f), to_term(-a * b)),
)
IDENTITY_2D = {name: Replacement((), number(value)) for name, value in {"a": 1, "b": 0, "c": 0, "f": 1}.items()}


def _plane_rotation(start: sp.Expr, end: sp.Expr, columns: tuple[Hypothesis, ...]) -> Theorem:
    """start = start * det A because the determinant is 1, and that is `end` because the columns are orthonormal."""
    given = Given((*columns, AREA), model=IDENTITY_2D)
    middle = start * (a * f - b * c)
    first = proved(prove(equation(start, middle, given), idle=columns, model=IDENTITY_2D))
    second = proved(prove(equation(middle, end, given), idle=(AREA,), model=IDENTITY_2D))
    return transitive(first, second, model=IDENTITY_2D)


PLANE_ROTATIONS = made(
    "rotary.plane_rotations",
    "at width 2 every rotation [[a, b], [c, f]] (A^T A = I, det A = 1) is a block: its last entry equals its first",
    lambda: _plane_rotation(a, f, ELIMINATE_A),
    source=NOTES,
    claims=("RF-53",),
)
PLANE_ROTATIONS_OFF = made(
    "rotary.plane_rotations_off",
    "at width 2 the entries off the diagonal of a rotation are opposite: c = -b",
    lambda: _plane_rotation(c, -b, ELIMINATE_C),
    source=NOTES,
    claims=("RF-53",),
)
# A rotation of the plane (e1, e3) in four dimensions.
TILTED = sp.ImmutableMatrix(
    [
        [sp.cos(theta), 0, -sp.sin(theta), 0],
        [0, 1, 0, 0],
        [sp.sin(theta), 0, sp.cos(theta), 0],
        [0, 0, 0, 1],
    ]
)
FIRST, LAST = sp.diag(1, 1, 0, 0), sp.diag(0, 0, 1, 1)
TILTED_IS_ROTATION = derivation(
    "rotary.not_every_rotation",
    "at width 4 a turn of the plane (e1, e3), which mixes the planes of the pairs, keeps lengths: T^T T = I",
    product(sp.Transpose(TILTED), TILTED),
    Step(sp.Identity(4), "cos^2 + sin^2 = 1"),
    source=NOTES,
    claims=("RF-53",),
)
DISTINCT = cited(
    "rotary.distinct",
    "theta algebraic, not 0; m, n integers: e^(i m theta) = e^(i n theta) only for m = n, as pi is transcendental",
    ("pi-transcendental",),
    source=PAPER,
    rests_on=(COMPLEX_SCORE,),
    claims=("RF-43", "CS-42"),
)


def _full_turn() -> Theorem:
    """R(5 theta) = I at theta = 2 pi, which is not 0: position 5 cannot be told from position 0."""
    at = substituted(to_term(rotation(5 * theta)), {"theta": Replacement((), Multiply((number(2), Pi())))})
    return proved(prove(Statement(at, Identity(Size(2)))))


def _complex_is_not_real() -> Refuted:
    return refuted(prove(equation(dot, times(zq, zk_bar, sp.exp(sp.I * m * theta), sp.exp(-sp.I * n * theta)))))


def _column_times_vector() -> Statement:
    """W_q with one product in each row is 2 x 1: its product with a vector has no meaning."""
    column = to_term(sp.ImmutableMatrix([w11 * w12, w21 * w22]))
    vector = to_term(sp.ImmutableMatrix([x1, x2]))
    return Statement(Multiply((column, vector)), vector)


def _missing_transpose() -> Refuted:
    """For square weights; for others the product has no meaning."""
    wq, wk = sp.MatrixSymbol("W_q", d, d), sp.MatrixSymbol("W_k", d, d)
    xm, xn = sp.MatrixSymbol("x_m", d, 1), sp.MatrixSymbol("x_n", d, 1)
    score = product(sp.Transpose(product(Family("R", m, d), wq, xm)), product(Family("R", n, d), wk, xn))
    return refuted(prove(equation(score, product(sp.Transpose(xm), wq, Family("R", n - m, d), wk, xn))))


def _half_split_mixes() -> Refuted:
    """P_2 R P_1 = 0 for half-split pairs (x1, x3), (x2, x4) and the planes span(e1, e2), span(e3, e4)."""
    first, second = p * Theta[0], p * Theta[1]
    half_split = sp.ImmutableMatrix(
        [
            [sp.cos(first), 0, -sp.sin(first), 0],
            [0, sp.cos(second), 0, -sp.sin(second)],
            [sp.sin(first), 0, sp.cos(first), 0],
            [0, sp.sin(second), 0, sp.cos(second)],
        ]
    )
    return refuted(prove(equation(product(LAST, half_split, FIRST), sp.zeros(4, 4).as_immutable())))


RF_42 = erratum(
    "errata.RF-42",
    "the real inner product is the real part of the complex product",
    "<q_m, k_n> = (W_q x_m)(W_k x_n)^H e^(i m theta) e^(-i n theta)",
    _complex_is_not_real,
    source=NOTES,
    corrected=COMPLEX_SCORE,
    claims=("RF-42",),
)
RF_43 = erratum(
    "errata.RF-43",
    "a non-zero theta is not enough: at theta = 2 pi position 5 coincides with position 0",
    "e^(i m theta) encodes the position for every non-zero constant theta",
    _full_turn,
    source=NOTES,
    corrected=DISTINCT,
    claims=("RF-43",),
)
RF_44 = erratum(
    "errata.RF-44",
    "the rows of W_q lack their separators: a column of products cannot multiply a vector",
    "W_q = (W^(11) W^(12); W^(21) W^(22)) in R^(2x2), printed as one column",
    lambda: ill_typed(_column_times_vector),
    source=NOTES,
    corrected=LINEAR,
    claims=("RF-44",),
)
RF_46 = erratum(
    "errata.RF-46",
    "a number is not a matrix: the matrix is the image of the number under phi",
    "e^(i theta) = cos theta + i sin theta = [[cos theta, -sin theta], [sin theta, cos theta]]",
    lambda: ill_typed(lambda: equation(sp.cos(theta) + sp.I * sp.sin(theta), rotation(theta))),
    source=NOTES,
    corrected=ROTATION_MATRIX,
    claims=("RF-46",),
)
RF_50 = erratum(
    "errata.RF-50",
    "the transpose of W_q is missing (for W_q that is not square the product has no meaning)",
    "q_m^T k_n = x^T W_q R_(n-m) W_k x_n",
    _missing_transpose,
    source=f"{NOTES}; {PAPER}, eq. (16)",
    corrected=SCORE,
    claims=("RF-50",),
)
RF_51 = erratum(
    "errata.RF-51",
    "theta_n is a frequency, a number, and not a pair of coordinates",
    "theta_n = (x_(2n-1), x_(2n)), n in {1, ..., d}",
    lambda: ill_typed(lambda: equation(Theta[i], sp.ImmutableMatrix([q1, q2]))),
    source=NOTES,
    corrected=ROTATE_INTERLEAVED,
    claims=("RF-51",),
)
RF_53 = erratum(
    "errata.RF-53",
    "not true at width 2, where every rotation is of block form: its diagonal entries agree",
    "not every rotation is represented, because R is block-diagonal",
    lambda: PLANE_ROTATIONS.theorem,
    source=NOTES,
    corrected=TILTED_IS_ROTATION,
    claims=("RF-53",),
)
RF_55 = erratum(
    "errata.RF-55",
    "the planes span(e_(2i-1), e_(2i)) are those of the interleaved layout; half-split rotations mix them",
    "V_i = span(e_(2i-1), e_(2i)), i = 1..floor(d/2); R(V_i) is inside V_i for all i",
    _half_split_mixes,
    source=NOTES,
    corrected=NOT_MIXED,
    claims=("RF-55",),
)
# RF-52: what is rotated are the projected vectors; before the projection only commuting weights stay relative.
A_, B_ = sp.IndexedBase("a", real=True), sp.IndexedBase("b", real=True)
COMMUTING = Block([[A_[i], -B_[i]], [B_[i], A_[i]]])
ROTATE_BEFORE = derivation(
    "rotary.rotate_before",
    "rotating before a weight is relative where W_q^T W_k acts on each pair as a_i I + b_i J",
    product(sp.Transpose(turn(m)), COMMUTING, turn(n)),
    Step(product(COMMUTING, turn(n - m)), "planar rotations commute, and R_m^T R_n = R_(n-m)"),
    source=NOTES,
    claims=("RF-52",),
)


def _before_is_not_relative() -> Refuted:
    """With any 2 x 2 matrix between, the score at (m + s, n + s) is not that at (m, n)."""
    weight = sp.ImmutableMatrix([[w11, w12], [w21, w22]])
    shifted = product(sp.Transpose(rotation(m * theta + p)), weight, rotation(n * theta + p))
    plain = product(sp.Transpose(rotation(m * theta)), weight, rotation(n * theta))
    return refuted(prove(equation(shifted, plain)))


RF_52 = erratum(
    "errata.RF-52",
    "x is not the token embedding but the projected query or key",
    "the rotation is applied to the token embedding x, pair by pair",
    _before_is_not_relative,
    source=NOTES,
    corrected=ROTATE_BEFORE,
    claims=("RF-52",),
)

ENTRIES = (
    LINEAR,
    PLANE_ROTATIONS,
    PLANE_ROTATIONS_OFF,
    TILTED_IS_ROTATION,
    DISTINCT,
    ROTATE_BEFORE,
    RF_42,
    RF_43,
    RF_44,
    RF_46,
    RF_50,
    RF_51,
    RF_52,
    RF_53,
    RF_55,
)
