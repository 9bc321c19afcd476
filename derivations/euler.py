"""Euler's formula, and the plane rotations as complex numbers in matrix form.

    e^(i t) = cos t + i sin t          both sides solve y' = i y, y(0) = 1
    phi(a + i b) = [[a, -b], [b, a]]   a ring isomorphism onto {a I + b J}, J = [[0, -1], [1, 0]]
    phi(e^(i theta)) = R(theta)

cos and sin enter as two functions of which only c' = -s, s' = c, c(0) = 1, s(0) = 0 is assumed, so nothing that the
kernel knows about cosines is used before the formula stands. (Su et al., RoFormer, 2021, section 3.2; RF-45, RF-46.)
"""

from __future__ import annotations

from typing import Literal

import sympy as sp

from derivations.derivation import Entry, Given, Step, derivation, made, proved
from derivations.from_sympy import to_term
from derivations.kernel import (
    Hypothesis,
    Statement,
    Theorem,
    congruent,
    prove,
    specialised,
    symmetric,
    transitive,
    unique_solution,
)
from derivations.kernel.terms import Apply, Replacement, Symbol
from derivations.notation import n, phi, theta

t = sp.Symbol("t", real=True)
c, s = sp.Function("c", real=True), sp.Function("s", real=True)
a, b, u, w = sp.symbols("a b u w", real=True)
I2 = sp.Identity(2)
J = sp.ImmutableMatrix([[0, -1], [1, 0]])


def as_matrix(z: sp.Expr) -> sp.ImmutableMatrix:
    """phi(z) = [[Re z, -Im z], [Im z, Re z]]: multiplication by z, as a real matrix."""
    real, imaginary = sp.re(z, evaluate=False), sp.im(z, evaluate=False)
    return sp.ImmutableMatrix([[real, -imaginary], [imaginary, real]])


def rotation(angle: sp.Expr) -> sp.ImmutableMatrix:
    """R(angle), counter-clockwise in a right-handed plane."""
    return sp.ImmutableMatrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])


def product(*factors: sp.Expr) -> sp.Expr:
    """A matrix product that stays as written."""
    return sp.MatMul(*factors, evaluate=False)


COSINE = {"c": Replacement(("x",), Apply("cos", Symbol("x"))), "s": Replacement(("x",), Apply("sin", Symbol("x")))}
DEFINING = Given(
    hypotheses=(
        Hypothesis("equal", to_term(sp.Derivative(c(t), t)), to_term(-s(t)), ("t",)),
        Hypothesis("equal", to_term(sp.Derivative(s(t), t)), to_term(c(t)), ("t",)),
        Hypothesis("equal", to_term(c(0)), to_term(sp.Integer(1))),
        Hypothesis("equal", to_term(s(0)), to_term(sp.Integer(0))),
    ),
    model=COSINE,
)
EXPONENTIAL, CIRCULAR = sp.exp(sp.I * t), c(t) + sp.I * s(t)
SOURCE = "Euler, Introductio in analysin infinitorum (1748), ch. 8"

EXPONENTIAL_GROWS = derivation(
    "euler.exponential",
    "e^(it) solves y' = iy",
    sp.Derivative(EXPONENTIAL, t),
    Step(sp.Mul(sp.I, EXPONENTIAL, evaluate=False), "chain rule"),
    source=SOURCE,
    claims=("RF-45",),
)
CIRCULAR_GROWS = derivation(
    "euler.circular",
    "c(t) + i s(t) solves y' = iy",
    sp.Derivative(CIRCULAR, t),
    Step(-s(t) + sp.I * c(t), "c' = -s and s' = c"),
    Step(sp.Mul(sp.I, CIRCULAR, evaluate=False), "i^2 = -1"),
    source=SOURCE,
    claims=("RF-45",),
    given=DEFINING,
)
AT_ZERO = sp.exp(sp.Mul(sp.I, 0, evaluate=False), evaluate=False)
INITIAL = derivation(
    "euler.initial",
    "both sides are 1 at t = 0",
    AT_ZERO,
    Step(c(0) + sp.I * s(0), "c(0) = 1 and s(0) = 0"),
    source=SOURCE,
    claims=("RF-45",),
    given=DEFINING,
    shown=AT_ZERO,
)
FORMULA = made(
    "euler.formula",
    "e^(it) = c(t) + i s(t) for the functions with c' = -s, s' = c, c(0) = 1, s(0) = 0",
    lambda: unique_solution(EXPONENTIAL_GROWS.theorem, CIRCULAR_GROWS.theorem, INITIAL.theorem, model=COSINE),
    source=SOURCE,
    claims=("RF-45",),
)


def _part(operator: Literal["re", "im"], function: sp.Expr) -> Theorem:
    """A part of c(t) + i s(t) is the same part of e^(it), since c(t) and s(t) are real."""
    hole = Apply(operator, Symbol("hole"))
    turned = congruent(symmetric(FORMULA.theorem), "hole", hole, model=COSINE)
    return transitive(proved(prove(Statement(to_term(function), turned.statement.left))), turned, model=COSINE)


COSINE_PART = made("euler.cosine", "c(t) = Re e^(it)", lambda: _part("re", c(t)), source=SOURCE, claims=("RF-45",))
SINE_PART = made("euler.sine", "s(t) = Im e^(it)", lambda: _part("im", s(t)), source=SOURCE, claims=("RF-45",))
CIS = made(
    "euler.cis",
    "e^(i theta) = cos theta + i sin theta",
    lambda: specialised(FORMULA.theorem, {**COSINE, "t": Replacement((), Symbol("theta"))}),
    source=SOURCE,
    claims=("RF-45",),
)
ROTATION_MATRIX = derivation(
    "euler.rotation_matrix",
    "phi(e^(i theta)) = R(theta)",
    as_matrix(sp.exp(sp.I * theta)),
    Step(as_matrix(sp.cos(theta) + sp.I * sp.sin(theta)), "Euler's formula"),
    Step(rotation(theta), "real and imaginary part"),
    source="RoFormer, section 3.2.1",
    claims=("RF-46", "RF-47"),
)


def _row(label: str, title: str, left: sp.Expr, right: sp.Expr, reason: str, *, shown: sp.Expr | None = None) -> Entry:
    step = Step(right, reason, shown=shown)
    return derivation(label, title, left, step, source="RoFormer, section 3.2.1", claims=("RF-46",))


z, y = a + sp.I * b, u + sp.I * w
SQUARE_OF_J = _row("euler.j_squared", "J^2 = -I", product(J, J), product(sp.Integer(-1), I2), "row by column")
ONTO = _row(
    "euler.onto",
    "phi(a + ib) = aI + bJ",
    as_matrix(z),
    sp.MatAdd(a * I2, b * J, evaluate=False),
    "entry by entry",
    shown=sp.MatAdd(product(a, I2), product(b, J), evaluate=False),
)
ADDITIVE = _row(
    "euler.additive",
    "phi(z + y) = phi(z) + phi(y)",
    as_matrix(sp.Add(z, y, evaluate=False)),
    sp.MatAdd(as_matrix(z), as_matrix(y), evaluate=False),
    "real parts add, imaginary parts add",
)
MULTIPLICATIVE = _row(
    "euler.multiplicative",
    "phi(z y) = phi(z) phi(y)",
    as_matrix(sp.Mul(z, y, evaluate=False)),
    product(as_matrix(z), as_matrix(y)),
    "(a + ib)(u + iw) = (au - bw) + i(aw + bu)",
)
UNIT = _row("euler.unit", "phi(1) = I", as_matrix(sp.Integer(1)), I2, "Re 1 = 1, Im 1 = 0")
CONJUGATE = _row(
    "euler.conjugate",
    "phi(conj z) = phi(z)^T",
    as_matrix(sp.conjugate(z, evaluate=False)),
    sp.Transpose(as_matrix(z)),
    "the imaginary part changes its sign",
)
DETERMINANT = _row(
    "euler.determinant",
    "det phi(z) = |z|^2",
    sp.Determinant(as_matrix(z)),
    sp.Mul(z, sp.conjugate(z, evaluate=False), evaluate=False),
    "a^2 + b^2",
)
INVERSE = _row(
    "euler.inverse",
    "phi(z) phi(1/z) = I where z is not 0",
    product(as_matrix(z), as_matrix(sp.Pow(z, -1))),
    I2,
    "phi is multiplicative and phi(1) = I",
)
PRODUCT = _row(
    "euler.rotations_compose",
    "R(theta) R(phi) = R(theta + phi)",
    product(rotation(theta), rotation(phi)),
    rotation(theta + phi),
    "e^(i theta) e^(i phi) = e^(i(theta + phi)) under phi",
    shown=rotation(sp.Add(theta, phi, evaluate=False)),
)
TRANSPOSE = _row(
    "euler.rotation_transpose", "R(theta)^T = R(-theta)", sp.Transpose(rotation(theta)), rotation(-theta), "sin is odd"
)
ORTHOGONAL = _row(
    "euler.rotation_inverse",
    "R(theta)^T R(theta) = I",
    product(sp.Transpose(rotation(theta)), rotation(theta)),
    I2,
    "cos^2 + sin^2 = 1",
)
DETERMINANT_ONE = _row(
    "euler.rotation_determinant",
    "det R(theta) = 1",
    sp.Determinant(rotation(theta)),
    sp.Integer(1),
    "cos^2 + sin^2 = 1",
)
GENERATOR = _row(
    "euler.generator",
    "d/d theta R(theta) = J R(theta)",
    sp.ImmutableMatrix(2, 2, lambda r, k: sp.Derivative(rotation(theta)[r, k], theta)),
    product(J, rotation(theta)),
    "cos' = -sin, sin' = cos",
)
NEXT = sp.Mul(sp.Add(n, 1, evaluate=False), theta, evaluate=False)
POWER = derivation(
    "euler.power",
    "R(n theta) R(theta) = R((n + 1) theta): the step of R(theta)^n = R(n theta)",
    product(rotation(n * theta), rotation(theta)),
    Step(rotation(n * theta + theta), "rotations compose", shown=rotation(NEXT)),
    source="RoFormer, section 3.2.1",
    claims=("RF-47",),
)

ENTRIES = (
    EXPONENTIAL_GROWS,
    CIRCULAR_GROWS,
    INITIAL,
    FORMULA,
    COSINE_PART,
    SINE_PART,
    CIS,
    ROTATION_MATRIX,
    SQUARE_OF_J,
    ONTO,
    ADDITIVE,
    MULTIPLICATIVE,
    UNIT,
    CONJUGATE,
    DETERMINANT,
    INVERSE,
    PRODUCT,
    TRANSPOSE,
    ORTHOGONAL,
    DETERMINANT_ONE,
    GENERATOR,
    POWER,
)
