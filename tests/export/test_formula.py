"""Formulas as LaTeX: brackets where another reading was possible, glyphs that differ where names differ."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from derivations.euler import product
from derivations.from_sympy import to_term
from derivations.kernel.layouts import Size
from derivations.notation import Flat, Theta, base, h, i, m, n, p, theta
from derivations.rotary import SCORE_FAMILY, turn, vector
from posproofs.export.building import AS_WRITTEN, CONVENTIONAL, build, nameless
from posproofs.export.formula import AmbiguousGlyph, check_glyphs, formula
from posproofs.export.glyphs import EXPANDED, MACROS, letter, split_name
from posproofs.export.tree import (
    FlatEntry,
    Frac,
    Item,
    MatrixName,
    Minus,
    Name,
    Named,
    Node,
    Num,
    Power,
    Prod,
    Series,
    Slope,
    Sum,
)

a, b = sp.symbols("a b", real=True)
x, y = Name("x"), Name("y")
EYE = sp.Identity(2)


def latex(expression: object) -> str:
    return formula(build(to_term(expression), nameless, CONVENTIONAL), EXPANDED).text


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (sp.cos(p * Theta[i]), r"\cos p \theta_i"),
        (sp.cos(sp.Mul(5, 2, sp.pi, evaluate=False), evaluate=False), r"\cos(5 \cdot 2 \pi)"),
        (sp.IndexedBase("X", real=True)[i, 2 * i + 1], r"X_{i,\,2 i + 1}"),
        (Flat("X", i * h + i, h), r"X^{\flat}_{i h + i}"),
        (Flat("X_1", i, h), r"{X_1}^{\flat}_{i}"),
        (sp.cos((m - n) * theta), r"\cos((m - n) \theta)"),
        (sp.cos(theta) ** 2, r"(\cos \theta)^2"),
        (sp.exp(sp.I * m * theta), r"e^{\mathrm{i} m \theta}"),
        (sp.conjugate(sp.exp(sp.I * theta), evaluate=False), r"\overline{e^{\mathrm{i} \theta}}"),
        (base ** (-2 * i / (2 * h)), r"\mathrm{base}^{-i/h}"),
        (a / (a + b), r"\frac{a}{a + b}"),
        (sp.Mul(2, 3, evaluate=False), r"2 \cdot 3"),
        (a * (a + b), r"a (a + b)"),
        (-(a + b) * a, r"a (-a - b)"),
        ((a + b) ** 2, r"(a + b)^2"),
        (sp.Sum(Theta[i], (i, 0, h - 1)), r"\sum_{i=0}^{h-1} \theta_i"),
        (
            product(sp.Transpose(product(EYE, EYE)), EYE),
            r"(\mathbf{I}_2 \mathbf{I}_2)^\top \mathbf{I}_2",
        ),
        (vector("q"), r"\begin{pmatrix} q_{2 i} \\ q_{2 i + 1} \end{pmatrix}_{i<h}"),
    ],
)
def test_formulas(expression: object, shown: str) -> None:
    assert latex(expression) == shown


def test_the_layout_is_printed_unless_pairs_are_neighbours() -> None:
    assert "half-split" in latex(turn(m, layout="half-split"))
    assert r"\text" not in latex(turn(m))


def test_brackets_of_trees_that_sympy_does_not_make() -> None:
    series = Series("i", Name("h"), x)
    assert formula(Sum((x, Minus(Sum((x, y)))))).text == "x - (x + y)"
    assert formula(Sum((series, y))).text == r"\left(\sum_{i=0}^{h-1} x\right) + y"
    assert formula(Sum((y, series))).text == r"y + \sum_{i=0}^{h-1} x"
    assert formula(Power(Frac(x, y), Num(Fraction(2)))).text == r"\left(\frac{x}{y}\right)^2"
    assert formula(Prod((x, Minus(y)))).text == "x (-y)"
    assert formula(Prod((x, Num(Fraction(2))))).text == r"x \cdot 2"
    assert formula(Power(Power(x, y), y)).text == "(x^y)^y"
    assert formula(Sum((Minus(x), y))).text == "-x + y"
    cosine, sine = Named("cos", x), Named("sin", y)
    assert formula(Prod((cosine, y))).text == r"(\cos x) y"
    assert formula(Prod((y, cosine, sine))).text == r"y \cos x \sin y"
    assert formula(Prod((Slope(cosine, "x"), y))).text == r"\left(\frac{\mathrm{d}}{\mathrm{d} x} \cos x\right) y"


def test_papers_get_macros_and_the_web_gets_them_expanded() -> None:
    row = SCORE_FAMILY.check().steps[0].expression
    tree = build(to_term(row), nameless, AS_WRITTEN)
    assert formula(tree, MACROS).text.startswith(r"(\ppmat{R}_m \ppmat{W}_q \ppvec{x}_m)^\pptop")
    assert "pp" not in formula(tree, EXPANDED).text


@pytest.mark.parametrize(
    ("name", "split", "shown"),
    [
        ("q1", ("q", "1"), "q_1"),
        ("w11", ("w", "11"), "w_{11}"),
        ("W_q", ("W", "q"), "W_q"),
        ("lamda", ("lamda", ""), r"\lambda"),
        ("base", ("base", ""), r"\mathrm{base}"),
        ("R_half", ("R", "half"), r"R_{\mathrm{half}}"),
        ("a_b_c", ("abc", ""), r"\mathrm{abc}"),
    ],
)
def test_names(name: str, split: tuple[str, str], shown: str) -> None:
    assert split_name(name) == split
    assert letter(name) == shown


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Name("q1"), Item("q", Num(Fraction(1)))),
        (Name("q1"), Name("q_1")),
        (Name("lamda"), Name("lambda")),
        (MatrixName("W_1", Size(2), Size(2)), MatrixName("W1", Size(2), Size(2))),
        (FlatEntry("X", x, Name("h")), FlatEntry("X", x, Name("k"))),
    ],
)
def test_two_names_with_one_glyph_are_an_error(first: Node, second: Node) -> None:
    assert formula(first).text == formula(second).text
    with pytest.raises(AmbiguousGlyph, match="rename one of them"):
        check_glyphs([Sum((first, second))])


def test_equal_glyphs_of_one_name_are_none() -> None:
    check_glyphs([Sum((Name("q1"), Prod((Name("q1"), Item("k", Num(Fraction(1)))))))])
