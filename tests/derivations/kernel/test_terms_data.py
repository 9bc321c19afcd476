"""Terms as data: each node is rebuilt from any children, names are checked everywhere, substitution by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction

import pytest

from derivations.kernel import RuleError
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Function,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Pi,
    Power,
    Size,
    Symbol,
    Term,
    Transpose,
    bound_index,
    children,
    constant,
    free_names,
    number,
    rebuilt,
    resized,
    split,
    strided,
    substituted,
    walk,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    a,
    add,
    b,
    exp,
    f,
    fam,
    free,
    h,
    i,
    j,
    m,
    matrix,
    mul,
    n,
    put,
    pw,
    q,
    rot,
    total,
    x,
    y,
)

D, E = Size(1, "d"), Size(1, "e")
# A node, its children, and the node over other children.
NODES: tuple[tuple[Term, tuple[Term, ...], Term], ...] = (
    (add(x, y), (x, y), add(a, b)),
    (mul(x, y), (x, y), mul(a, b)),
    (Power(x, y), (x, y), Power(a, b)),
    (exp(x), (x,), exp(a)),
    (f(x), (x,), f(a)),
    (fam("q", x), (x,), fam("q", a)),
    (Cell("X", x, y), (x, y), Cell("X", a, b)),
    (Reading("X", x, y), (x, y), Reading("X", a, b)),
    (Derivative(x, "t"), (x,), Derivative(a, "t")),
    (IndexedSum("i", h, x), (h, x), IndexedSum("i", a, b)),
    (Matrix(((x, y), (h, i))), (x, y, h, i), Matrix(((a, b), (m, n)))),
    (
        Block("i", h, strided(2), split(2), ((x, y), (i, j))),
        (h, x, y, i, j),
        Block("i", a, strided(2), split(2), ((b, m), (n, f(x)))),
    ),
    (rot(x), (x,), rot(a)),
    (free(x), (x,), free(a)),
    (Transpose(x), (x,), Transpose(a)),
    (Determinant(x), (x,), Determinant(a)),
)
LEAVES: tuple[Term, ...] = (ONE, Pi(), x, matrix("W", "d", "e"), Identity(D))


@pytest.mark.parametrize(("node", "parts", "other"), NODES, ids=lambda t: type(t).__name__)
def test_nodes_and_their_children(node: Term, parts: tuple[Term, ...], other: Term) -> None:
    assert children(node) == parts
    assert rebuilt(node, parts) == node
    assert rebuilt(node, children(other)) == other
    assert walk(node) == [node, *(inner for part in parts for inner in walk(part))]
    assert "inside" not in repr(node)


def nested(node: Term, parts: tuple[Term, ...], levels: int) -> Term:
    """The node within itself, in its first place."""
    for _ in range(levels):
        node = rebuilt(node, (node, *parts[1:]))
    return node


@pytest.mark.parametrize(("node", "parts", "other"), NODES, ids=lambda t: type(t).__name__)
def test_a_term_is_compared_and_hashed_in_one_walk(node: Term, parts: tuple[Term, ...], other: Term) -> None:
    """What a term notes of its parts is not looked at once more, which would double the work with each level."""
    one, two = nested(node, parts, 8), nested(node, parts, 8)
    calls: list[str] = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        same = one == two and hash(one) == hash(two)
    finally:
        sys.setprofile(None)
    assert same
    assert other not in (one, two)
    assert calls.count("__eq__") <= 4 * one.inside[1]
    assert calls.count("__hash__") <= 8 * one.inside[1]


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda t: type(t).__name__)
def test_leaves(leaf: Term) -> None:
    assert children(leaf) == ()
    assert rebuilt(leaf, ()) == leaf
    assert walk(leaf) == [leaf]


@pytest.mark.parametrize(
    "make",
    [
        Symbol,
        lambda name: Family(name, x),
        lambda name: Function(name, x),
        lambda name: Derivative(x, name),
        lambda name: IndexedSum(name, h, x),
        lambda name: Block(name, h, strided(1), None, ((x,),)),
        lambda name: MatrixSymbol(name, D, E),
        lambda name: MatrixFamily(name, x, D, "free"),
        lambda name: Cell(name, x, y),
        lambda name: Reading(name, x, y),
        lambda name: Size(1, name),
    ],
)
def test_every_name_is_checked(make: Callable[[str], object]) -> None:
    assert make("name")
    with pytest.raises(RuleError, match="'#0' is not an identifier"):
        make("#0")


def test_numbers_are_fractions() -> None:
    assert number(2, 3) == Number(Fraction(2), Fraction(3))
    assert Number(Fraction(1)).im == 0
    for parts in ((1, Fraction(0)), (Fraction(1), 0), (0.5, Fraction(0)), (Fraction(1), True)):
        with pytest.raises(RuleError, match="a number is exact"):
            Number(*parts)
    with pytest.raises(RuleError, match="wanted one of conjugate, cos, exp, im, log, re, sin"):
        Apply("tan", x)  # type: ignore[arg-type]
    with pytest.raises(RuleError, match="of kind 'rotation' or 'free', saw 'unitary'"):
        MatrixFamily("R", x, D, "unitary")  # type: ignore[arg-type]
    assert constant(Fraction(1, 2)).body == q("1/2")
    assert constant(2).parameters == ()


def test_bound_and_free_names() -> None:
    assert bound_index(total(x)) == "i"
    assert bound_index(Block("k", h, strided(1), None, ((x,),))) == "k"
    assert bound_index(x) is None
    assert free_names(IndexedSum("i", i, mul(i, x))) == {"i", "x"}
    assert free_names(Block("i", h, strided(2), None, ((fam("q"),), (y,)))) == {"h", "q", "y"}
    assert free_names(matrix("W", Size(2), "e")) == {"W", "e"}
    assert free_names(MatrixSymbol("W", Size(2), Size(3))) == {"W"}
    assert free_names(MatrixFamily("R", x, Size(2), "free")) == {"R", "x"}
    assert free_names(Identity(Size(3))) == frozenset()
    assert free_names(Identity(D)) == {"d"}
    assert free_names(Reading("X", i, n)) == {"X", "i", "n"}
    assert free_names(Derivative(x, "t")) == {"x", "t"}


class TestSubstitution:
    def test_a_binder_hides_its_index(self) -> None:
        hidden = total(mul(i, x))
        assert substituted(hidden, {"i": put(y), "x": put(a)}) == total(mul(i, a))
        assert substituted(hidden, {"i": put(i)}) == hidden
        assert substituted(IndexedSum("i", i, x), {"i": put(n)}) == IndexedSum("i", n, x)
        with pytest.raises(RuleError, match="putting a term with i for x would capture i; rename the index first"):
            substituted(hidden, {"x": put(add(i, ONE))})
        assert substituted(hidden, {"y": put(i)}) == hidden
        assert substituted(total(fam("q")), {"q": put(mul(i, TWO), "i")}) == total(mul(i, TWO))

    def test_derivatives(self) -> None:
        slope = Derivative(mul(a, exp(x)), "x")
        assert substituted(slope, {"x": put(y), "a": put(b)}) == Derivative(mul(b, exp(y)), "y")
        assert substituted(slope, {"unknown": put(x)}) == slope
        with pytest.raises(RuleError, match="a is constant under d/dx; the term put for it contains x"):
            substituted(slope, {"a": put(mul(TWO, x))})
        with pytest.raises(RuleError, match="x is the variable of a derivative; only a renaming may replace it"):
            substituted(slope, {"x": put(ONE)})
        with pytest.raises(RuleError, match="renaming x to a inside a derivative would identify two variables"):
            substituted(slope, {"x": put(a)})
        assert substituted(slope, {"x": put(a), "a": put(b)}) == Derivative(mul(b, exp(a)), "a")
        with pytest.raises(RuleError, match="identify two variables"):
            substituted(slope, {"x": put(b), "a": put(b)})
        assert substituted(Derivative(f(x), "x"), {"f": put(mul(x, TWO), "x")}) == Derivative(mul(x, TWO), "x")

    def test_families_functions_and_matrices(self) -> None:
        assert substituted(fam("q", add(m, x)), {"q": put(pw(Symbol("k"), 2), "k"), "x": put(ONE)}) == pw(
            add(m, ONE), 2
        )
        assert substituted(f(f(x)), {"f": put(mul(TWO, Symbol("t")), "t")}) == mul(TWO, mul(TWO, x))
        assert substituted(free(m), {"A": put(rot(Symbol("p")), "p")}) == rot(m)
        assert substituted(matrix("W", "d", "e"), {"W": put(Identity(D))}) == Identity(D)
        assert substituted(matrix("W", "d", "e"), {"e": put(TWO), "d": put(h)}) == matrix("W", "h", Size(2))
        assert substituted(Identity(D), {"d": put(mul(TWO, h))}) == Identity(Size(2, "h"))
        assert substituted(rot(x), {"d": put(TWO)}) == MatrixFamily("R", x, Size(2), "rotation")
        assert substituted(add(x, y), {"x": put(y), "y": put(x)}) == add(y, x)
        for term, by in ((x, put(y, "p")), (fam("q"), put(y)), (f(x), put(y)), (f(x), put(y, "s", "t"))):
            name = str(term.name)  # type: ignore[union-attr]
            with pytest.raises(RuleError, match=r"parameters .* were put where \d arguments stand"):
                substituted(term, {name: by})

    def test_sizes(self) -> None:
        assert resized(D, {"e": put(TWO)}) == D
        assert resized(Size(3), {"d": put(TWO)}) == Size(3)
        assert resized(Size(3, "d"), {"d": put(TWO)}) == Size(6)
        assert resized(Size(3, "d"), {"d": put(h)}) == Size(3, "h")
        assert resized(Size(3, "d"), {"d": put(mul(TWO, h))}) == Size(6, "h")
        assert resized(Size(3, "d"), {"d": put(mul(ONE, h))}) == Size(3, "h")
        bad = (
            ZERO,
            number(-1),
            q("1/2"),
            number(1, 1),
            mul(ZERO, h),
            mul(q("1/2"), h),
            mul(number(1, 1), h),
            add(h, ONE),
        )
        for body in (*bad, mul(h, TWO), Multiply((TWO, h, ONE)), Add((h,)), mul(number(-2), h)):
            with pytest.raises(RuleError, match="a size must stay a positive integer or a multiple of a name"):
                resized(D, {"d": put(body)})
