"""A display tree means what it shows, and a tree that means something else than the checked row is never printed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from derivations.derivation import Entry, catalogue, get
from derivations.from_sympy import to_term
from derivations.kernel import terms as t
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.layouts import Size, split, strided
from derivations.kernel.terms import number
from derivations.rotary import turn
from posproofs.export.building import AS_WRITTEN, CONVENTIONAL, build, nameless
from posproofs.export.document import document, tree
from posproofs.export.faithful import Unfaithful, faithful, means
from posproofs.export.tree import (
    Blocks,
    Defined,
    Definition,
    FlatEntry,
    Frac,
    Grid,
    Item,
    Letter,
    MatrixAt,
    MatrixEntry,
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
    Turned,
    Unit,
    meaning,
    parts_of,
    walk,
)

a, b, m, n = (Name(name) for name in "abmn")
TWO = Num(Fraction(2))


@pytest.mark.parametrize(
    ("node", "term"),
    [
        (Num(Fraction(3, 2)), number(Fraction(3, 2))),
        (Letter("unit"), number(0, 1)),
        (Letter("pi"), t.Pi()),
        (Minus(a), t.Multiply((number(-1), t.Symbol("a")))),
        (Frac(a, b), t.Multiply((t.Symbol("a"), t.Power(t.Symbol("b"), number(-1))))),
        (Series("i", Name("h"), Item("q", Name("i"))), t.IndexedSum("i", t.Symbol("h"), t.Family("q", t.Symbol("i")))),
        (MatrixEntry("X", Name("i"), a), Cell("X", t.Symbol("i"), t.Symbol("a"))),
        (FlatEntry("X", Name("i"), a), Reading("X", t.Symbol("i"), t.Symbol("a"))),
        (Slope(Named("cos", a), "a"), t.Derivative(t.Apply("cos", t.Symbol("a")), "a")),
        (MatrixAt("R", a, Size(1, "d"), "rotation"), t.MatrixFamily("R", t.Symbol("a"), Size(1, "d"), "rotation")),
        (Turned(MatrixName("W", Size(2), Size(3))), t.Transpose(t.MatrixSymbol("W", Size(2), Size(3)))),
        (Unit(Size(2, "h")), t.Identity(Size(2, "h"))),
    ],
)
def test_meaning_of_a_node(node: Node, term: t.Term) -> None:
    assert meaning(node) == term


def test_a_defined_name_means_its_body_with_the_argument_in() -> None:
    turned = Definition("R", ("p",), to_term(turn(sp.Symbol("p", real=True))))
    m_symbol = sp.Symbol("m", real=True)
    assert means(Defined(turned, (m,)), to_term(turn(m_symbol)))
    assert not means(Defined(turned, (n,)), to_term(turn(m_symbol)))


@pytest.mark.parametrize("entry", list(catalogue().values()), ids=lambda entry: entry.id)
def test_every_printed_tree_means_the_checked_term(entry: Entry) -> None:
    found = document(entry)
    assert all(means(row.node, row.term) for row in found.rows)


SIDES = (Power(a, TWO), Prod((TWO, a, b)), Minus(Frac(a, b)), Named("exp", Prod((Letter("unit"), Sum((m, Minus(n)))))))
STORED = (MatrixEntry("X", a, b), FlatEntry("X", Sum((a, b)), m))
MATRICES = (
    Grid(((a, Minus(b)), (b, a))),
    Prod((MatrixName("A", Size(1, "d"), Size(1, "d")), Turned(MatrixName("B", Size(1, "d"), Size(1, "d"))))),
    Blocks("i", Name("h"), strided(2), strided(2), ((Item("e", Name("i")), b), (Minus(b), a))),
    Blocks("i", Name("h"), split(2), None, ((Item("x", Name("i")),), (Item("y", Name("i")),))),
)


def changed(node: Node) -> list[tuple[str, Node]]:
    """Wrong displays of a tree: a sign dropped or added, factors or entries exchanged, an index or exponent changed."""
    found: list[tuple[str, Node]] = []
    match node:
        case Minus(argument):
            found.append(("sign dropped", argument))
        case Prod((first, *rest)) if len(rest) == 1:
            found += (
                [("factor dropped", first)]
                if isinstance(first, Num)
                else [("factors exchanged", Prod((rest[0], first)))]
            )
        case Prod(factors):
            found.append(("factor dropped", Prod(factors[:-1])))
        case Power(base, _):
            found.append(("exponent changed", Power(base, Num(Fraction(3)))))
        case Named("exp", argument):
            found.append(("sign flipped", Named("exp", Minus(argument))))
        case MatrixEntry(name, row, column):
            found.append(("transposed", MatrixEntry(name, column, row)))
        case FlatEntry(name, flat, width):
            found.append(("other width", FlatEntry(name, flat, Sum((width, Num(Fraction(1)))))))
        case Grid(rows):
            found.append(("transposed", Grid(tuple(zip(*rows, strict=True)))))
        case Blocks(_, _, rows, columns, entries) if columns is not None:
            found.append(("transposed", replace(node, entries=tuple(zip(*entries, strict=True)))))
            found.append(("other layout", replace(node, rows=split(2), columns=split(2))))
        case Blocks():
            found.append(("other layout", replace(node, rows=strided(2))))
    return found


PLANTED = [(name, right, wrong) for right in (*SIDES, *STORED, *MATRICES) for name, wrong in changed(right)]


@pytest.mark.parametrize(
    ("name", "right", "wrong"), PLANTED, ids=[f"{k}-{name}" for k, (name, _, _) in enumerate(PLANTED)]
)
def test_a_wrong_tree_is_caught(name: str, right: Node, wrong: Node) -> None:
    term = meaning(right)
    assert faithful(right, term) == right, name
    if name == "factors exchanged" and not any(isinstance(part, (MatrixName, Turned)) for part in parts_of(right)):
        return  # numbers commute
    with pytest.raises(Unfaithful, match="which is not"):
        faithful(wrong, term)


def test_there_are_planted_trees_of_every_kind() -> None:
    kinds = {name for name, _, _ in PLANTED}
    assert kinds >= {
        "sign dropped",
        "factors exchanged",
        "exponent changed",
        "sign flipped",
        "transposed",
        "other layout",
        "other width",
    }


def test_a_shape_error_is_unfaithful_too() -> None:
    with pytest.raises(Unfaithful, match="shape"):
        faithful(Grid(((a, b),)), t.Symbol("a"))


def test_a_display_of_the_author_keeps_its_order_and_is_checked() -> None:
    m_symbol, n_symbol = sp.symbols("m n", real=True)
    checked = to_term(sp.cos(m_symbol - n_symbol))
    shown = to_term(sp.cos(sp.Add(-n_symbol, m_symbol, evaluate=False), evaluate=False))
    assert tree(shown, checked, (), AS_WRITTEN) == Named("cos", Sum((Minus(n), m)))
    assert tree(checked, checked, (), CONVENTIONAL) == Named("cos", Sum((m, Minus(n))))
    with pytest.raises(Unfaithful):
        tree(to_term(sp.sin(m_symbol - n_symbol)), checked, (), AS_WRITTEN)


def test_a_wrong_definition_is_not_used() -> None:
    """R with the other sign of sine is not found in the rows, so nothing false is printed under its name."""
    p = sp.Symbol("p", real=True)
    wrong = Definition("R", ("p",), to_term(sp.Transpose(turn(p))))
    row = document(get("rotary.relative")).rows[0]
    assert not any(isinstance(node, Defined) for node in walk(build(row.term, nameless, CONVENTIONAL)))
    with pytest.raises(Unfaithful):
        faithful(Prod((Turned(Defined(wrong, (m,))), Defined(wrong, (n,)))), row.term)
