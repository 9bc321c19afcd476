"""Defined names are found up to rewriting by SymPy, and only where the kernel agrees."""

from __future__ import annotations

import pytest
import sympy as sp

from derivations.euler import as_matrix
from derivations.from_sympy import to_term
from derivations.kernel import terms as t
from derivations.kernel.layouts import Size
from derivations.notation import Theta, base, h, i, m, n, p
from derivations.rotary import turn, vector
from posproofs.export.naming import fresh, instance, match
from posproofs.export.plain import node_text
from posproofs.export.tree import Definition

R = Definition("R", ("p",), to_term(turn(p)))
X = Definition("x", (), to_term(vector("x")), "vector")
FREQUENCY = Definition("theta", ("i",), to_term(base ** (-i / h)), "sequence")


@pytest.mark.parametrize(
    ("position", "shown"),
    [
        (m, "R(m)"),
        (n - m, "R(n - m)"),
        (-m, "R(-m)"),
        (sp.Integer(0), "R(0)"),
        (m + 2 * n, "R(m + 2*n)"),
        (-3 * n, "R(-3*n)"),
    ],
)
def test_a_rotation_is_named_by_its_position(position: sp.Expr, shown: str) -> None:
    found = instance(R, to_term(turn(position)))
    assert found is not None
    assert node_text(found) == shown


@pytest.mark.parametrize(
    "other",
    [
        turn(m, Theta[i] + 1),
        turn(m, Theta[i + 1]),
        turn(m, layout="half-split"),
        vector("x"),
        sp.Identity(2 * h),
    ],
)
def test_what_is_no_instance_gets_no_name(other: object) -> None:
    assert instance(R, to_term(other)) is None


def test_a_sign_error_gets_no_name() -> None:
    wrong = turn(m).entries.applyfunc(lambda entry: -entry if entry.has(sp.sin) and entry.is_Mul else entry)
    block = to_term(turn(m))
    assert isinstance(block, t.Block)
    entries = tuple(tuple(to_term(entry) for entry in row) for row in wrong.tolist())
    assert instance(R, t.Block(block.index, block.count, block.rows, block.columns, entries)) is None


def test_a_map_of_complex_numbers_is_matched_by_its_argument() -> None:
    z, a, b = sp.symbols("z a b", real=True)
    phi = Definition("phi", ("z",), to_term(as_matrix(z)), "map")
    found = instance(phi, to_term(as_matrix(a + sp.I * b)))
    assert found is not None
    assert node_text(found) == "phi(a + I*b)"


def test_a_member_of_a_sequence_needs_an_index() -> None:
    assert instance(FREQUENCY, to_term(base ** (-i / h))) is not None
    assert instance(FREQUENCY, to_term(base ** (-1 / h))) is None


def test_match_wants_one_value_for_each_name() -> None:
    pattern = t.Add((t.Symbol("z"), t.Symbol("z")))
    names = frozenset({"z"})
    assert match(pattern, t.Add((t.Symbol("a"), t.Symbol("a"))), names) == {"z": t.Symbol("a")}
    assert match(pattern, t.Add((t.Symbol("a"), t.Symbol("b"))), names) is None


def test_a_name_that_is_taken_is_not_fresh() -> None:
    taken = t.MatrixFamily("R", t.Symbol("m"), Size(1, "d"), "free")
    assert fresh([R, X], [taken]) == (X,)
    assert fresh([R, X], [to_term(vector("x"))]) == (R, X)
    assert fresh([FREQUENCY], [to_term(turn(m))]) == ()


def test_an_argument_with_the_index_of_the_body_is_no_instance() -> None:
    """R_(q_i) would capture the index: the position of a rotation is the same in all pairs."""
    assert instance(R, to_term(turn(sp.IndexedBase("q", real=True)[i]))) is None
