"""Rotary position embedding: from the goal, through the plane, to every even width d = 2h.

    goal      <q_m, k_n> = g(x_m, x_n, m - n)
    plane     q_m = z_q e^(i m theta)          g = Re[z_q conj(z_k) e^(i (m - n) theta)]
    width d   pair i turns by p theta_i, theta_i = base^(-2i/d), i = 0..h-1
    score     (R_m W_q x)^T (R_n W_k y) = x^T W_q^T R_(n-m) W_k y

(Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021, sections 3.1, 3.2.)
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from derivations.derivation import Entry, Given, Step, derivation, made
from derivations.euler import product, rotation
from derivations.from_sympy import to_term
from derivations.kernel import Hypothesis, realised, specialised
from derivations.kernel.statement import Range
from derivations.kernel.terms import MatrixFamily, Multiply, Replacement, Size, Symbol, number
from derivations.notation import Block, Family, Theta, base, h, i, m, n, p, s, scale, theta

PAPER = "RoFormer"
q1, q2, k1, k2 = sp.symbols("q1 q2 k1 k2", real=True)
x0, x1, g0, g1 = sp.symbols("x0 x1 g0 g1", real=True)
d, e = sp.symbols("d e", integer=True, positive=True)
COORDINATES = {"interleaved": (2 * i, 2 * i + 1), "half-split": (i, i + h)}


def turn(position: sp.Expr, frequency: sp.Expr = Theta[i], layout: str = "interleaved") -> Any:
    """R_position: pair i turns by position * theta_i."""
    return Block(rotation(position * frequency), rows=layout)


def vector(name: str, layout: str = "interleaved") -> Any:
    """A vector of width d = 2h with entries name[0..d-1], read pair by pair."""
    sequence = sp.IndexedBase(name, real=True)
    return Block([[sequence[c]] for c in COORDINATES[layout]], rows=layout)


def inner(a: Any, b: Any) -> Any:
    """<a, b> = a^T b."""
    return product(sp.Transpose(a), b)


def unevaluated_re(z: sp.Expr) -> sp.Expr:
    return sp.re(z, evaluate=False)


# The goal: what is unknown are the maps f_q and f_k; g is then read off. Here both are linear in the token, as in RoPE.
def P(position: sp.Expr) -> Any:
    """x -> f_q(x, position)."""
    return Family("P", position, d, "free")


def Q(position: sp.Expr) -> Any:
    """x -> f_k(x, position)."""
    return Family("Q", position, d, "free")


def G(offset: sp.Expr) -> Any:
    """The score as a function of the offset alone."""
    return Family("G", offset, d, "free")


X, Y = sp.MatrixSymbol("x", d, 1), sp.MatrixSymbol("y", d, 1)


def rotating(argument: str = "t") -> Replacement:
    """A model of a free family: the rotation family itself."""
    return Replacement((argument,), MatrixFamily("Rot", Symbol(argument), Size(1, "d"), "rotation"))


def turning_back(argument: str = "t") -> Replacement:
    return Replacement(
        (argument,), MatrixFamily("Rot", Multiply((number(-1), Symbol(argument))), Size(1, "d"), "rotation")
    )


def standing(rows: list[list[int]]) -> Replacement:
    """A model of a free family that does not commute with others: one matrix at every position."""
    return Replacement(("t",), to_term(sp.ImmutableMatrix(rows)))


# P^T Q = [[0, 1], [1, 1]] at all positions, and Q P^T is another matrix.
STANDING = {"d": Replacement((), number(2)), "P": standing([[1, 1], [0, 1]]), "Q": standing([[0, 1], [1, 0]])}
GOAL = derivation(
    "rotary.goal",
    "linear f_q, f_k: where the shift by -n leaves P_m^T Q_n, the score is g(x, y, m - n) = <P_(m-n) x, Q_0 y>",
    product(sp.Transpose(product(P(m), X)), product(Q(n), Y)),
    Step(product(sp.Transpose(X), sp.Transpose(P(m)), Q(n), Y), "transpose of a product"),
    Step(product(sp.Transpose(X), sp.Transpose(P(m - n)), Q(0), Y), "shift both positions by -n"),
    source=f"{PAPER}, eq. (11)",
    claims=("RF-40",),
    given=Given(
        hypotheses=(
            Hypothesis(
                "equal",
                to_term(product(sp.Transpose(P(m)), Q(n))),
                to_term(product(sp.Transpose(P(m - n)), Q(0))),
            ),
        ),
        model={"P": rotating(), "Q": rotating()},
        others=(STANDING,),
    ),
)
GOAL_CONVERSE = derivation(
    "rotary.goal_converse",
    "linear f_q, f_k: if P_m^T Q_n is a function G of m - n for all m, n, every common shift s leaves it",
    product(sp.Transpose(P(m + s)), Q(n + s)),
    Step(G(m - n), "the shift leaves m - n"),
    Step(product(sp.Transpose(P(m)), Q(n)), "the same value without the shift"),
    source=f"{PAPER}, eq. (11)",
    claims=("RF-40", "RF-12b"),
    given=Given(
        hypotheses=(Hypothesis("equal", to_term(product(sp.Transpose(P(m)), Q(n))), to_term(G(m - n)), ("m", "n")),),
        model={"P": rotating(), "Q": rotating(), "G": turning_back()},
        others=({**STANDING, "G": standing([[0, 1], [1, 1]])},),
    ),
)

# The plane, in complex numbers.
zq, zk = q1 + sp.I * q2, k1 + sp.I * k2
qm, kn = zq * sp.exp(sp.I * m * theta), zk * sp.exp(sp.I * n * theta)
dot = product(
    sp.Transpose(product(rotation(m * theta), sp.ImmutableMatrix([q1, q2]))),
    product(rotation(n * theta), sp.ImmutableMatrix([k1, k2])),
)
REAL_PART = derivation(
    "rotary.real_part",
    "Re(z conj w) is the inner product of z and w as vectors of the plane",
    unevaluated_re(sp.Mul(zq, sp.conjugate(zk, evaluate=False), evaluate=False)),
    Step(q1 * k1 + q2 * k2, "multiply out"),
    source=f"{PAPER}, section 3.2.1",
    claims=("RF-42",),
)


def times(*factors: sp.Expr) -> sp.Expr:
    """A product of numbers that stays as written."""
    return sp.Mul(*factors, evaluate=False)


zk_bar, kn_bar = sp.conjugate(zk, evaluate=False), sp.conjugate(kn, evaluate=False)
COMPLEX_SCORE = derivation(
    "rotary.complex_score",
    "the complex solution in the plane: <q_m, k_n> = Re[z_q conj(z_k) e^(i (m - n) theta)]",
    dot,
    Step(unevaluated_re(times(qm, kn_bar)), "Re(z conj w) is the inner product"),
    Step(
        unevaluated_re(times(zq, zk_bar, sp.exp(sp.I * m * theta), sp.exp(-sp.I * n * theta))),
        "conj e^(i n theta) = e^(-i n theta)",
    ),
    Step(unevaluated_re(times(zq, zk_bar, sp.exp(sp.I * (m - n) * theta))), "exponents add"),
    source=f"{PAPER}, eq. (12)",
    claims=("RF-41", "RF-42", "RF-43"),
)
PLANE = derivation(
    "rotary.plane",
    "e^(i m theta) times W_q x, as a real rotation: q_m = R(m theta) (q1, q2)",
    sp.ImmutableMatrix([unevaluated_re(qm), sp.im(qm, evaluate=False)]),
    Step(
        sp.ImmutableMatrix(
            [
                q1 * sp.cos(m * theta) - q2 * sp.sin(m * theta),
                q1 * sp.sin(m * theta) + q2 * sp.cos(m * theta),
            ]
        ),
        "Euler's formula, real and imaginary part",
    ),
    Step(product(rotation(m * theta), sp.ImmutableMatrix([q1, q2])), "as a matrix"),
    source=f"{PAPER}, eq. (13)",
    claims=("RF-47",),
)

# Every even width.
RELATIVE = derivation(
    "rotary.relative",
    "R_m^T R_n = R_(n-m) for every even width",
    product(sp.Transpose(turn(m)), turn(n)),
    Step(product(turn(-m), turn(n)), "the transpose turns back"),
    Step(turn(n - m), "angles add, pair by pair"),
    source=f"{PAPER}, eq. (16)",
    claims=("RF-48", "RF-50"),
)
COMPOSE = derivation(
    "rotary.compose",
    "R_m R_n = R_(m+n) for every even width",
    product(turn(m), turn(n)),
    Step(turn(m + n), "angles add, pair by pair"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-48",),
)
TRANSPOSE = derivation(
    "rotary.transpose",
    "R_p^T = R_(-p)",
    sp.Transpose(turn(p)),
    Step(turn(-p), "sin is odd"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-48",),
)
AT_ZERO = derivation(
    "rotary.at_zero",
    "R_0 = I",
    turn(sp.Integer(0)),
    Step(sp.Identity(2 * h), "cos 0 = 1, sin 0 = 0"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-48",),
)
PAIRS = derivation(
    "rotary.pairs",
    "<R_m q, R_n k> as a sum over pairs: Re of z_q conj(z_k) e^(i (m - n) theta_i), for every even width",
    inner(product(turn(m), vector("q")), product(turn(n), vector("k"))),
    Step(
        sp.Sum(
            unevaluated_re(
                sp.Mul(
                    sp.IndexedBase("q", real=True)[2 * i] + sp.I * sp.IndexedBase("q", real=True)[2 * i + 1],
                    sp.conjugate(
                        sp.IndexedBase("k", real=True)[2 * i] + sp.I * sp.IndexedBase("k", real=True)[2 * i + 1],
                        evaluate=False,
                    ),
                    sp.exp(sp.I * (m - n) * Theta[i]),
                    evaluate=False,
                )
            ),
            (i, 0, h - 1),
        ),
        "the planes are orthogonal: the inner product is the sum of those of the planes",
    ),
    Step(inner(vector("q"), product(turn(n - m), vector("k"))), "R_m^T R_n = R_(n-m)"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-41", "RF-48"),
)
Wq, Wk = sp.MatrixSymbol("W_q", d, e), sp.MatrixSymbol("W_k", d, e)
xm, xn = sp.MatrixSymbol("x_m", e, 1), sp.MatrixSymbol("x_n", e, 1)


def R(position: sp.Expr) -> Any:
    """Any rotation family of size d; `rotary.score` makes it the rotary one."""
    return Family("R", position, d)


SCORE_FAMILY = derivation(
    "rotary.score_family",
    "the score of any rotation family, for all weights and widths",
    product(sp.Transpose(product(R(m), Wq, xm)), product(R(n), Wk, xn)),
    Step(product(sp.Transpose(xm), sp.Transpose(Wq), sp.Transpose(R(m)), R(n), Wk, xn), "transpose of a product"),
    Step(product(sp.Transpose(xm), sp.Transpose(Wq), R(n - m), Wk, xn), "R_m^T R_n = R_(n-m)"),
    source=f"{PAPER}, eq. (16), corrected",
    claims=("RF-50", "RF-12b", "RF-38"),
)
SCORE = made(
    "rotary.score",
    "(R_m W_q x_m)^T (R_n W_k x_n) = x_m^T W_q^T R_(n-m) W_k x_n, R the rotary matrix of any even width",
    lambda: realised(
        SCORE_FAMILY.theorem,
        "R",
        Replacement(("p",), to_term(turn(p))),
        sizes={"d": Replacement((), to_term(2 * h))},
    ),
    source=f"{PAPER}, eq. (16), corrected",
    claims=("RF-50",),
)
ISOMETRY = derivation(
    "rotary.isometry",
    "R_p^T R_p = I for every even width",
    product(sp.Transpose(turn(p)), turn(p)),
    Step(turn(p - p), "R_m^T R_n = R_(n-m)"),
    Step(sp.Identity(2 * h), "R_0 = I"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-40", "RF-47"),
)
ISOMETRY_UP_TO_SCALE = derivation(
    "rotary.isometry_up_to_scale",
    "with a magnitude: (lamda R_p)^T (lamda R_p) = lamda^2 I",
    product(sp.Transpose(product(scale, turn(p))), product(scale, turn(p))),
    Step(product(scale**2, sp.Identity(2 * h)), "the magnitude comes out twice"),
    source="Peng et al., YaRN, 2023, section 3.4",
    claims=("RF-40",),
)


def rotated(layout: str, frequency: sp.Expr = Theta[i]) -> Any:
    """The vector R_p x, written out entry by entry in x[0..d-1]."""
    x = sp.IndexedBase("x", real=True)
    a, b = (x[c] for c in COORDINATES[layout])
    angle = p * frequency
    return Block([[a * sp.cos(angle) - b * sp.sin(angle)], [a * sp.sin(angle) + b * sp.cos(angle)]], rows=layout)


def rotate_entry(layout: str) -> Entry:
    """The rotary map entry by entry, frequencies written out: what code is emitted from."""
    frequency = base ** (-2 * i / (2 * h))
    return derivation(
        f"rotary.rotate.{layout.replace('-', '_')}",
        f"R_p x entry by entry, {layout}, theta_i = base^(-2i/d)",
        rotated(layout, frequency),
        Step(product(turn(p, frequency, layout), vector("x", layout)), "as a block matrix"),
        source=f"{PAPER}, eq. (15) and (34)",
        claims=("RF-48", "RF-49"),
    )


ROTATE_INTERLEAVED, ROTATE_HALF_SPLIT = (rotate_entry(layout) for layout in COORDINATES)


def complex_entry(layout: str) -> Entry:
    """The complex form of the same map; its equality licenses the form that is faster to run."""
    x = sp.IndexedBase("x", real=True)
    a, b = (x[c] for c in COORDINATES[layout])
    angle = p * Theta[i]
    real, imaginary = a * sp.cos(angle) - b * sp.sin(angle), a * sp.sin(angle) + b * sp.cos(angle)
    return derivation(
        f"rotary.complex.{layout.replace('-', '_')}",
        f"a pair as a complex number, {layout}: the rotation is multiplication by e^(i p theta_i)",
        real + sp.I * imaginary,
        Step(sp.exp(sp.I * angle) * (a + sp.I * b), "Euler's formula"),
        source=f"{PAPER}, section 3.2.1",
        claims=("RF-41", "RF-48"),
        given=Given(ranges=(Range("i", Symbol("h")),)),
    )


COMPLEX_INTERLEAVED, COMPLEX_HALF_SPLIT = (complex_entry(layout) for layout in COORDINATES)
FREQUENCIES = derivation(
    "rotary.frequencies",
    "theta_(i+1) = theta_i base^(-2/d): the frequencies are a geometric sequence",
    base ** (-2 * (i + 1) / (2 * h)),
    Step(sp.Mul(base ** (-2 * i / (2 * h)), base ** (-sp.Integer(2) / (2 * h)), evaluate=False), "exponents add"),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-49",),
    shown=sp.Pow(base, sp.Mul(-1, sp.Add(i, 1, evaluate=False), sp.Pow(h, -1), evaluate=False), evaluate=False),
)
DEFAULT_FREQUENCIES = made(
    "rotary.frequencies_default",
    "the recursion at base 10000",
    lambda: specialised(FREQUENCIES.theorem, {"base": Replacement((), number(10000))}),
    source=f"{PAPER}, section 3.2.2",
    claims=("RF-49",),
)

ENTRIES = (
    GOAL,
    GOAL_CONVERSE,
    REAL_PART,
    COMPLEX_SCORE,
    PLANE,
    RELATIVE,
    COMPOSE,
    TRANSPOSE,
    AT_ZERO,
    PAIRS,
    SCORE_FAMILY,
    SCORE,
    ISOMETRY,
    ISOMETRY_UP_TO_SCALE,
    ROTATE_INTERLEAVED,
    ROTATE_HALF_SPLIT,
    COMPLEX_INTERLEAVED,
    COMPLEX_HALF_SPLIT,
    FREQUENCIES,
    DEFAULT_FREQUENCIES,
)
