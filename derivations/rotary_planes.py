"""What the rotary matrix keeps apart and what may be exchanged: planes, layouts, signs, gradients, magnitudes.

A set of pairs is a sequence e with e_i^2 = e_i; its projection is the block matrix of e_i I. Invariance of the planes
reads P R P = R P, and planes of disjoint sets (e_i f_i = 0) do not mix, for every even width at once.
(RoFormer, section 3.2.2; RF-46, RF-53 to RF-55.)
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from derivations.derivation import Given, Step, derivation
from derivations.euler import product
from derivations.from_sympy import to_term
from derivations.kernel import Hypothesis
from derivations.kernel.terms import Identity, Replacement, Size, number
from derivations.notation import Block, Theta, h, i, m, n, p, scale
from derivations.rotary import PAPER, R, Wk, Wq, d, inner, rotated, turn, vector, xm, xn

E, F = sp.IndexedBase("e", real=True), sp.IndexedBase("f", real=True)
EYE = sp.eye(2)


def projection(indicator: Any) -> Any:
    """The projection onto the planes of a set of pairs."""
    return Block(indicator[i] * EYE)


IDEMPOTENT = Hypothesis("equal", to_term(E[i] ** 2), to_term(E[i]), ("i",))
DISJOINT = Hypothesis("equal", to_term(E[i] * F[i]), to_term(sp.Integer(0)), ("i",))

INVARIANT = derivation(
    "rotary.invariant",
    "every set of planes is invariant: P R P = R P",
    product(projection(E), turn(p), projection(E)),
    Step(product(turn(p), projection(E)), "R acts inside each plane, and e_i^2 = e_i"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-54", "RF-55"),
    given=Given(hypotheses=(IDEMPOTENT,)),
)
NOT_MIXED = derivation(
    "rotary.not_mixed",
    "disjoint sets of planes do not mix: P_f R P_e = 0",
    product(projection(F), turn(p), projection(E)),
    Step(product(sp.Integer(0), sp.Identity(2 * h)), "R acts inside each plane, and e_i f_i = 0"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-55",),
    given=Given(hypotheses=(DISJOINT,)),
)
# (P x)_2i = x_i and (P x)_(2i+1) = x_(i+h): P reads half-split and writes interleaved.
P = Block(EYE, rows="interleaved", columns="half-split")
PERMUTATION = derivation(
    "rotary.permutation",
    "P P^T = I for the map P that reads half-split and writes interleaved",
    product(P, sp.Transpose(P)),
    Step(sp.Identity(2 * h), "each coordinate is read once and written once"),
    source="Wang and Komatsuzaki, GPT-J, 2021; Black et al., GPT-NeoX, 2022",
    claims=("RF-48", "RF-55"),
)
LAYOUTS = derivation(
    "rotary.layouts",
    "the two layouts are conjugate: R_half = P^T R_interleaved P",
    turn(p, Theta[i], "half-split"),
    Step(product(sp.Transpose(P), turn(p), P), "P brings pair (i, i + d/2) to (2i, 2i + 1)"),
    source="Wang and Komatsuzaki, GPT-J, 2021; Black et al., GPT-NeoX, 2022",
    claims=("RF-48", "RF-55"),
)
PM = sp.MatrixSymbol("P", d, d)
CYCLE = sp.ImmutableMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
BASIS_WEIGHTS = derivation(
    "rotary.basis_weights",
    "an orthogonal change of basis P (of layouts, say) goes into the weights: P^T R P with W is R with P W",
    product(sp.Transpose(product(sp.Transpose(PM), R(m), PM, Wq, xm)), product(sp.Transpose(PM), R(n), PM, Wk, xn)),
    Step(product(sp.Transpose(product(R(m), product(PM, Wq), xm)), product(R(n), product(PM, Wk), xn)), "P P^T = I"),
    source="the weight conversion between GPT-NeoX and GPT-J checkpoints",
    claims=("RF-48", "RF-56"),
    given=Given(
        hypotheses=(Hypothesis("equal", to_term(product(PM, sp.Transpose(PM))), to_term(sp.Identity(d))),),
        model={"P": Replacement((), Identity(Size(1, "d")))},
        others=({"d": Replacement((), number(3)), "P": Replacement((), to_term(CYCLE))},),
    ),
)
# The sign flip: D = diag(1, -1) in each plane.
D = Block([[1, 0], [0, -1]])
SIGN_FLIP = derivation(
    "rotary.sign_flip",
    "turning the other way is a change of basis: D R_p D = R_(-p)",
    product(D, turn(p), D),
    Step(turn(-p), "reflecting a plane reverses its rotations"),
    source="a convention of several released implementations",
    claims=("RF-48",),
)
SIGN_FLIP_SCORE = derivation(
    "rotary.sign_flip_score",
    "the sign flipped for q and k alike goes into the weights: <R_(-m) q, R_(-n) k> = <R_m D q, R_n D k>",
    inner(product(turn(-m), vector("q")), product(turn(-n), vector("k"))),
    Step(inner(product(turn(m), D, vector("q")), product(turn(n), D, vector("k"))), "D R_p D = R_(-p) and D D = I"),
    source="a convention of several released implementations",
    claims=("RF-48",),
)
PERMUTED_OUTPUT = derivation(
    "rotary.permuted_output",
    "reading interleaved and writing half-split leaves every score: (P^T R_m)^T (P^T R_n) = R_(n-m)",
    product(sp.Transpose(product(sp.Transpose(P), turn(m))), product(sp.Transpose(P), turn(n))),
    Step(turn(n - m), "P P^T = I, then R_m^T R_n = R_(n-m)"),
    source="DeepSeek-AI, DeepSeek-V3 reference code, 2024",
    claims=("RF-48",),
)
# Gradients.
VJP = derivation(
    "rotary.vjp",
    "<g, R_p x> = <R_(-p) g, x>: for a linear map this is its gradient rule, g goes to R_(-p) g",
    inner(vector("g"), product(turn(p), vector("x"))),
    Step(inner(product(sp.Transpose(turn(p)), vector("g")), vector("x")), "<g, A x> = <A^T g, x>"),
    Step(inner(product(turn(-p), vector("g")), vector("x")), "R_p^T = R_(-p)"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-47", "RF-48"),
)
VJP_MAGNITUDE = derivation(
    "rotary.vjp_magnitude",
    "with a magnitude the transpose of lamda R_p is lamda R_(-p), which is the inverse only if lamda^2 = 1",
    product(sp.Transpose(product(scale, turn(p))), product(scale, turn(p))),
    Step(product(product(scale, turn(-p)), product(scale, turn(p))), "(lamda R_p)^T = lamda R_(-p)"),
    Step(product(scale**2, sp.Identity(2 * h)), "R_(-p) R_p = I"),
    source="Peng et al., YaRN, 2023, section 3.4",
    claims=("RF-40",),
)
INVERSE_MAGNITUDE = derivation(
    "rotary.inverse_magnitude",
    "the inverse of lamda R_p is R_(-p) / lamda",
    product(product(1 / scale, turn(-p)), product(scale, turn(p))),
    Step(sp.Identity(2 * h), "the magnitude cancels where it is not 0"),
    source="Peng et al., YaRN, 2023, section 3.4",
    claims=("RF-40",),
)
B = Block([[0, -Theta[i]], [Theta[i], 0]])
GENERATOR = derivation(
    "rotary.generator",
    "d/dp R_p = B R_p with B the block matrix of theta_i J",
    Block(turn(p).entries.applyfunc(lambda entry: sp.Derivative(entry, p))),
    Step(product(B, turn(p)), "cos' = -sin, sin' = cos, chain rule"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-48", "RF-56"),
)
POSITION_GRADIENT = derivation(
    "rotary.position_gradient",
    "the derivative of R_p x by a (fractional or learned) position is B R_p x",
    Block(rotated("interleaved").entries.applyfunc(lambda entry: sp.Derivative(entry, p))),
    Step(product(B, turn(p), vector("x")), "d/dp R_p = B R_p"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-48",),
)

ENTRIES = (
    INVARIANT,
    NOT_MIXED,
    PERMUTATION,
    LAYOUTS,
    BASIS_WEIGHTS,
    SIGN_FLIP,
    SIGN_FLIP_SCORE,
    PERMUTED_OUTPUT,
    VJP,
    VJP_MAGNITUDE,
    INVERSE_MAGNITUDE,
    GENERATOR,
    POSITION_GRADIENT,
)
