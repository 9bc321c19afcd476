"""The converter gives each SymPy node one meaning, and refuses what is not exact, not real or not on its list."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from derivations.from_sympy import layout, size, to_term
from derivations.kernel import OutOfFragment
from derivations.kernel import terms as t
from derivations.notation import Block, Family, Theta, h, i, p

x = sp.Symbol("x", real=True)


@pytest.mark.parametrize(
    ("expression", "term"),
    [
        (sp.Rational(3, 4), t.number(Fraction(3, 4))),
        (sp.I, t.number(0, 1)),
        (sp.pi, t.Pi()),
        (sp.E, t.Apply("exp", t.number(1))),
        (x, t.Symbol("x")),
        (Theta[2 * i], t.Family("theta", t.Multiply((t.number(2), t.Symbol("i"))))),
        (sp.exp(x), t.Apply("exp", t.Symbol("x"))),
        (sp.sqrt(x), t.Power(t.Symbol("x"), t.number(Fraction(1, 2)))),
        (sp.Function("f", real=True)(x), t.Function("f", t.Symbol("x"))),
        (sp.Derivative(sp.sin(x), x), t.Derivative(t.Apply("sin", t.Symbol("x")), "x")),
        (sp.Sum(Theta[i], (i, 0, h - 1)), t.IndexedSum("i", t.Symbol("h"), t.Family("theta", t.Symbol("i")))),
        (sp.Identity(2 * h), t.Identity(t.Size(2, "h"))),
        (Family("R", p, h), t.MatrixFamily("R", t.Symbol("p"), t.Size(1, "h"), "rotation")),
        (Block([[x], [x]]), t.Block("i", t.Symbol("h"), t.strided(2), None, ((t.Symbol("x"),), (t.Symbol("x"),)))),
    ],
)
def test_meaning(expression: object, term: t.Term) -> None:
    assert to_term(expression) == term


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (sp.Float(0.1), "Float is not converted"),
        (0.5, "exact rational"),
        (sp.nan, "NaN"),
        (sp.oo, "Infinity"),
        (sp.zoo, "ComplexInfinity"),
        (sp.Symbol("z"), "not declared real"),
        (sp.tan(x), "tan"),
        (sp.Abs(x), "Abs"),
        (sp.Piecewise((x, x > 0), (0, True)), "Piecewise"),
        (sp.Sum(x, (i, 1, h)), "from 0"),
        (sp.Integral(x, x), "Integral"),
        (sp.IndexedBase("a", real=True)[i, i, i], "3 indices"),
        (sp.Function("f", real=True)(x, x), "2 arguments"),
        (sp.MatPow(sp.MatrixSymbol("A", 2, 2), -1), "positive integer powers"),
        (sp.Eq(x, 1), "Equality"),
    ],
)
def test_refusals_name_the_node(expression: object, message: str) -> None:
    with pytest.raises(OutOfFragment, match=message):
        to_term(expression)


def test_sizes_and_layouts() -> None:
    assert size(3) == t.Size(3)
    assert size(2 * h) == t.Size(2, "h")
    assert layout("half-split:1,0", 2) == t.Layout((t.Slot(1, 1, 0), t.Slot(1, 0, 0)))
    for wrong in (h + 1, h**2, sp.Rational(1, 2)):
        with pytest.raises(OutOfFragment, match="size"):
            size(wrong)
    with pytest.raises(OutOfFragment, match="not known"):
        layout("diagonal", 2)
