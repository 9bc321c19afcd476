"""Terms come out in the order that readers expect, and mean the same as before."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from derivations.from_sympy import to_term
from derivations.kernel import terms as t
from derivations.kernel.terms import number
from derivations.notation import Theta, h, i, m, n, p, theta
from posproofs.export.building import AS_WRITTEN, CONVENTIONAL, build, nameless
from posproofs.export.faithful import means
from posproofs.export.plain import node_text

q1, k1, a, b = sp.symbols("q1 k1 a b", real=True)
q = sp.IndexedBase("q", real=True)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (n - m, "n - m"),
        (k1 * q1, "q1*k1"),
        (theta * (m - n), "(m - n)*theta"),
        (sp.I * b + a, "a + I*b"),
        (q[2 * i + 1], "q[2*i + 1]"),
        (1 - a**2, "1 - a^2"),
        (-a - b, "-a - b"),
        (sp.cos(p * Theta[i]) * q[i], "q[i]*cos(p*theta[i])"),
        (sp.Rational(1, 2) * a, "a/2"),
        (-sp.I * a, "-I*a"),
        (h + i + i * (h + 1) - 1, "i*(h + 1) + i + h - 1"),
        (h - i * h, "h - i*h"),
        (sp.sqrt(a**2 + 1) ** -1, "1/(a^2 + 1)^(1/2)"),
    ],
)
def test_conventional_order(expression: sp.Expr, shown: str) -> None:
    assert node_text(build(to_term(expression), nameless, CONVENTIONAL)) == shown


def test_as_written_moves_nothing() -> None:
    term = t.Add((number(1), t.Multiply((t.Symbol("theta"), t.Symbol("k"), t.Symbol("q")))))
    assert node_text(build(term, nameless, AS_WRITTEN)) == "1 + theta*k*q"
    assert node_text(build(term, nameless, CONVENTIONAL)) == "q*k*theta + 1"


NUMBERS = st.builds(
    number, st.fractions(-3, 3, max_denominator=3), st.sampled_from([Fraction(0), Fraction(-1), Fraction(2)])
)
LEAVES: st.SearchStrategy[t.Term] = NUMBERS | st.sampled_from(
    [t.Symbol("q"), t.Symbol("k"), t.Symbol("theta"), t.Family("x", t.Symbol("i"))]
)


def _grown(inner: st.SearchStrategy[t.Term]) -> st.SearchStrategy[t.Term]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(t.Add, several),
        st.builds(t.Multiply, several),
        st.builds(t.Power, inner, st.sampled_from([number(2), number(3)])),
        st.builds(t.Apply, st.sampled_from(["conjugate", "re", "im"]), inner),
    )


TERMS: st.SearchStrategy[t.Term] = st.recursive(LEAVES, _grown, max_leaves=8)


@given(TERMS, st.sampled_from([CONVENTIONAL, AS_WRITTEN]))
def test_a_built_tree_means_its_term(term: t.Term, order: object) -> None:
    assert means(build(term, nameless, order), term)  # type: ignore[arg-type] # one of two orders


def test_an_unknown_kind_of_term_is_refused() -> None:
    with pytest.raises(TypeError, match="no display for str"):
        build("x", nameless, CONVENTIONAL)  # type: ignore[arg-type] # that is the point
