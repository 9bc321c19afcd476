"""Shapes, sizes, layouts, roles of names, and statements: what is refused, in which words, and what is collected."""

from __future__ import annotations

import pytest

from derivations.kernel import Hypothesis, Range, RuleError, ShapeError, Statement
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.layouts import Layout, Size, Slot, checked_name, split, strided
from derivations.kernel.roles import CELLS, FAMILY, FUNCTION, SYMBOL, Names, Role, check_form, names_of, whole
from derivations.kernel.shapes import SCALAR, require_scalar, shape, shown
from derivations.kernel.statement import replaced
from derivations.kernel.terms import (
    Block,
    Derivative,
    Determinant,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    Replacement,
    Symbol,
    Term,
    Transpose,
    number,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    a,
    add,
    equal,
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
    nonzero,
    positive,
    put,
    pw,
    q,
    rot,
    total,
    x,
    y,
)

D, E, H2 = Size(1, "d"), Size(1, "e"), Size(2, "h")
W = matrix("W", "d", "e")
ROW = Matrix(((ONE, TWO, x),))


def block(rows: Layout, columns: Layout | None, count: Term = h) -> Term:
    width = len(columns.slots) if columns else 1
    return Block("i", count, rows, columns, ((ONE,) * width,) * len(rows.slots))


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        (ROW, (Size(1), Size(3))),
        (Transpose(ROW), (Size(3), Size(1))),
        (W, (D, E)),
        (mul(TWO, W), (D, E)),
        (mul(W, TWO), (D, E)),
        (mul(W, Transpose(W)), (D, D)),
        (mul(Transpose(W), W, Transpose(W)), (E, D)),
        (mul(matrix("u", "d"), Transpose(matrix("u", "d"))), (D, D)),
        (mul(Transpose(matrix("u", "d")), matrix("u", "d")), SCALAR),
        (mul(ROW, Transpose(ROW), W), (D, E)),
        (rot(m), (D, D)),
        (Identity(Size(3)), (Size(3), Size(3))),
        (Determinant(rot(m)), SCALAR),
        (total(x), SCALAR),
        (total(x, count=number(2)), SCALAR),
        (block(strided(2), split(3)), (H2, Size(3, "h"))),
        (block(strided(2), None), (H2, Size(1))),
        (block(strided(2), strided(1), number(4)), (Size(8), Size(4))),
        (add(W, W), (D, E)),
        (Cell("X", i, j), SCALAR),
        (Derivative(f(x), "x"), SCALAR),
    ],
)
def test_shapes(term: Term, wanted: tuple[Size, Size]) -> None:
    assert shape(term) == wanted


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (pw(W, 2), "a part of a power must be a scalar, saw a matrix of d x e"),
        (Derivative(W, "x"), "the body of a derivative must be a scalar"),
        (exp(W), "the argument of apply must be a scalar"),
        (f(W), "the argument of function must be a scalar"),
        (fam("q", W), "the argument of family must be a scalar"),
        (Cell("X", W, i), "the argument of cell must be a scalar"),
        (MatrixFamily("R", W, D, "free"), "the argument of a matrix family must be a scalar"),
        (total(W), "the body of an indexed sum must be a scalar"),
        (Matrix(((ONE,), (W,))), "an entry of a matrix must be a scalar"),
        (add(W, W, Transpose(W)), "cannot add d x e and e x d"),
        (mul(W, Transpose(W), Transpose(W)), "cannot multiply d x d by e x d"),
        (Determinant(mul(TWO, W)), "a determinant needs a square matrix, saw d x e"),
        (Matrix(((ONE, ONE), (ONE,))), r"saw lengths \[1, 2\]"),
        (Matrix(((),)), r"saw lengths \[0\]"),
        (block(strided(1), None, number(0)), "a count must be a name or a positive integer"),
        (block(strided(1), None, q("1/2")), "a count must be a name or a positive integer"),
        (block(strided(1), None, number(1, 1)), "a count must be a name or a positive integer"),
        (
            Block("i", h, strided(2), None, ((ONE,),)),
            r"over 2 x 1 slots needs .*, saw 1 rows of lengths \[1\]",
        ),
        (Block("i", h, strided(1), strided(2), ((ONE,),)), r"over 1 x 2 slots needs as many entries, saw 1 rows"),
        (Block("i", h, strided(1), None, ((W,),)), "an entry of a block must be a scalar"),
    ],
)
def test_ill_typed_terms(term: Term, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        shape(term)


def test_shapes_for_people() -> None:
    assert shown((Size(2, "h"), Size(1, "d"))) == "2h x d"
    assert shown((Size(3), Size(1))) == "3 x 1"
    with pytest.raises(ShapeError, match="it must be a scalar, saw a matrix of d x e"):
        require_scalar(W, "it")
    require_scalar(Matrix(((x,),)), "it")


@pytest.mark.parametrize("name", ["a", "Zz", "a1", "theta_0", "A_"])
def test_names(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize("name", ["", "1a", "_a", "a b", "a\n", "\u03b8", "a-b", "#0"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(RuleError, match="is not an identifier"):
        checked_name(name)
    for make in (
        Symbol,
        lambda n: Size(1, n) if n else checked_name(n),
        lambda n: Cell(n, i, i),
        lambda n: Reading(n, i, i),
    ):
        with pytest.raises(RuleError, match="is not an identifier"):
            make(name)


@pytest.mark.parametrize("multiple", [0, -1, True, 1.0, "2"])
def test_what_is_no_size(multiple: object) -> None:
    with pytest.raises(ShapeError, match="a size is a positive integer"):
        Size(multiple)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "slots",
    [
        (),
        (Slot(1, 0, 0), Slot(1, 0, 0)),
        (Slot(2, 0, 0), Slot(2, 0, 2)),
        (Slot(2, 0, 0), Slot(2, 1, 1)),
        (Slot(2, 0, 0), Slot(1, 0, 1)),
        (Slot(1, 0, 0), Slot(1, 2, 0)),
        (Slot(1, 0, 0), Slot(1, 1, 1)),
        (Slot(1, 1, 0),),
        (Slot(2, 0, 0),),
        (Slot(2, 0, 0), Slot(2, 0, 1), Slot(2, 0, 1)),
    ],
)
def test_slots_that_do_not_tile(slots: tuple[Slot, ...]) -> None:
    with pytest.raises(ShapeError, match="do not tile"):
        Layout(slots)


def test_layouts() -> None:
    assert strided(1) == split(1) == Layout((Slot(1, 0, 0),))
    assert strided(3).coordinates(2, 5) == (6, 7, 8)
    assert split(3).coordinates(2, 5) == (2, 7, 12)
    assert Layout((Slot(1, 1, 0), Slot(1, 0, 0))).coordinates(1, 4) == (5, 1)


def test_the_names_of_a_term() -> None:
    found = names_of(
        [
            mul(x, f(y), fam("q", add(i, m)), Derivative(a, "t")),
            mul(rot(n, "R", "d"), free(n, "A", "e"), matrix("W", "e", "c"), Identity(Size(2, "g"))),
            total(mul(Cell("X", j, Symbol("k")), i, h)),
            Block("i", n, strided(1), None, ((i,),)),
            Reading("Y", Symbol("r"), Symbol("w")),
        ]
    )
    assert found.sizes == {"d", "e", "c", "g"}
    assert found.indexed == {"i", "m", "j", "k", "r", "w"}
    assert found.counts == {"h", "n"}
    assert found.roles["q"] == FAMILY
    assert found.roles["f"] == FUNCTION
    assert found.roles["X"] == found.roles["Y"] == CELLS
    assert found.roles["t"] == found.roles["x"] == found.roles["g"] == SYMBOL
    assert found.roles["R"] == Role("rotation", D, D)
    assert found.roles["A"] == Role("free", E, E)
    assert found.roles["W"] == Role("matrix", E, Size(1, "c"))
    assert names_of([total(IndexedSum("j", i, x))]).counts == {"h"}  # i is bound there
    assert names_of([Identity(Size(3))]) == Names({}, frozenset(), frozenset(), frozenset())


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ((x, f(y, "x")), "x is used for two things: a function and a number or size; rename"),
        ((fam("q", i), Cell("q", i, i)), "q is used for two things: a matrix in memory and a sequence; rename"),
        ((matrix("W", "d", "e"), W), None),
        (
            (matrix("V", "d", "e"), matrix("V", "d")),
            "V .* things: a matrix of size d x 1 and a matrix of size d x e; rename",
        ),
        ((rot(m), fam("d", i)), "d is used for two things: a sequence and a number or size; rename"),
        ((rot(m), free(m, "R")), "R .* things: a free matrix of size d x d and a rotation matrix of size d x d"),
        ((f(x), fam("f", i)), "f is used for two things: a sequence and a function; rename"),
    ],
)
def test_a_name_has_one_meaning(terms: tuple[Term, ...], message: str | None) -> None:
    if message is None:
        assert names_of(terms).roles
        return
    with pytest.raises(ShapeError, match=message) as seen:
        names_of(terms)
    assert "rename one of them" in str(seen.value)


def test_whole_numbers() -> None:
    assert whole(number(0), least=0)
    assert whole(number(3), least=3)
    assert not whole(number(2), least=3)
    assert not whole(q("1/2"), least=0)
    assert not whole(number(1, 1), least=0)
    assert not whole(x, least=0)


def test_what_is_put_for_a_name_has_its_form() -> None:
    role = Role("matrix", D, E)
    check_form("W", put(W), role, {})
    check_form("W", put(Identity(Size(2))), role, {"d": put(TWO), "e": put(TWO)})
    check_form("R", put(rot(x), "p"), Role("rotation", D, D), {})
    check_form("x", put(y), SYMBOL, {})
    check_form("q", put(y, "k"), FAMILY, {})
    with pytest.raises(RuleError, match="W is d x e, the term put for it is e x d"):
        check_form("W", put(Transpose(W)), role, {})
    with pytest.raises(RuleError, match="x takes 0 arguments, the term put for it has 1 parameters"):
        check_form("x", put(y, "k"), SYMBOL, {})
    with pytest.raises(RuleError, match="W takes 0 arguments"):
        check_form("W", put(W, "k"), role, {})
    with pytest.raises(RuleError, match="q takes 1 arguments, the term put for it has 0 parameters"):
        check_form("q", put(y), FAMILY, {})
    with pytest.raises(RuleError, match="x is 1 x 1, the term put for it is d x e"):
        check_form("x", put(W), SYMBOL, {})
    with pytest.raises(RuleError, match="X is a matrix in memory; nothing is put for it"):
        check_form("X", put(x), CELLS, {})


class TestStatements:
    def test_what_they_hold(self) -> None:
        said = (equal(fam("q"), x, "i"), nonzero(y))
        whole_ = Statement(mul(x, total(fam("r", i))), x, said, (Range("k", n), Range("l", number(3))))
        assert whole_.terms() == (whole_.left, x, fam("q"), x, y, ZERO, n, number(3))
        assert whole_.counts() == {"h", "n"}
        assert whole_.indices() == {"k", "l"}
        assert whole_.names() == {"x", "r", "h", "q", "y", "n"}
        assert whole_.integral() == {"h", "n", "i", "k", "l"}
        assert Statement(rot(m), rot(m)).integral() == {"d"}
        assert "used" not in repr(whole_)
        assert said[0].names() == {"q", "x"}

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("positive", x, ONE), "positive is said of a scalar and 0, saw 1 x 1"),
            (("nonzero", W), "nonzero is said of a scalar and 0, saw d x e"),
            (("equal", W, x), "the sides of a hypothesis differ in shape"),
            (("equal", total(x), x, ("h",)), "may not count"),
            (("equal", x, total(x), ("h",)), "may not count"),
            (("nonnegative", x, ZERO, ("x",)), "leave `forall` empty"),
        ],
    )
    def test_hypotheses_that_say_nothing(self, arguments: tuple[object, ...], message: str) -> None:
        with pytest.raises(ShapeError, match=message):
            Hypothesis(*arguments)  # type: ignore[arg-type]
        assert Hypothesis("equal", W, W).left == W

    @pytest.mark.parametrize(
        ("left", "ranges", "message"),
        [
            (W, (), "differ in shape: d x e and 1 x 1"),
            (x, (Range("i", n), Range("i", n)), "must differ from each other"),
            (x, (Range("n", h), Range("i", n)), "must differ from each other"),
            (total(x), (Range("h", n),), "must differ from each other"),
            (Determinant(rot(m)), (Range("d", n),), "must differ from each other"),
        ],
    )
    def test_statements_that_mean_nothing(self, left: Term, ranges: tuple[Range, ...], message: str) -> None:
        with pytest.raises(ShapeError, match=message):
            Statement(left, x, ranges=ranges)

    @pytest.mark.parametrize("count", [ZERO, q("1/2"), number(2, 1), add(h, ONE), i])
    def test_ranges(self, count: Term) -> None:
        if isinstance(count, Symbol):
            assert Range("k", count).count == i
            return
        with pytest.raises(ShapeError, match="an index runs to a name or a positive integer"):
            Range("k", count)
        assert Range("k", ONE).count == ONE

    def test_putting_terms(self) -> None:
        said = equal(fam("q"), x, "i")
        assert said.put({"x": put(y), "i": put(ONE), "q": put(a, "k")}) == equal(a, y, "i")
        with pytest.raises(RuleError, match="putting a term for x would capture i; rename the quantified name"):
            said.put({"x": put(mul(i, y))})
        assert said.put({"q": put(i, "i")}) == equal(i, x, "i")
        ranged = Statement(fam("q", j), x, (positive(x),), (Range("j", n),))
        moved = replaced(ranged, {"x": put(exp(y)), "n": put(number(4))})
        assert moved == Statement(fam("q", j), exp(y), (positive(exp(y)),), (Range("j", number(4)),))
        assert replaced(ranged, {"j": put(ZERO)}) == Statement(fam("q", ZERO), x, (positive(x),))
        with pytest.raises(RuleError, match="putting a term for x would capture j; rename the index"):
            replaced(ranged, {"x": put(j)})
        assert replaced(ranged, {"q": Replacement(("j",), j)}).left == j

    @pytest.mark.parametrize("value", [ONE, number(-1), q("1/2"), y, number(0, 1)])
    def test_an_index_is_put_below_its_count(self, value: Term) -> None:
        ranged = Statement(fam("q", j), x, ranges=(Range("j", n),))
        with pytest.raises(RuleError, match="only an integer surely below its count"):
            replaced(ranged, {"j": put(value)})

    def test_an_index_is_put_below_a_number(self) -> None:
        ranged = Statement(fam("q", j), x, ranges=(Range("j", number(3)),))
        for k in range(3):
            assert replaced(ranged, {"j": put(number(k))}) == Statement(fam("q", number(k)), x)
        with pytest.raises(RuleError, match="only an integer surely below its count"):
            replaced(ranged, {"j": put(number(3))})
