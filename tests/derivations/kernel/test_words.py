"""Words, blocks and explicit matrices: expansions for every size, with refutations that show matrices."""

from collections.abc import Callable

import pytest

from derivations.kernel import (
    OutOfFragment,
    Point,
    Refuted,
    RuleError,
    ShapeError,
    Statement,
    Theorem,
    Undecided,
    instantiate,
    lifted_block,
    prove,
    realised,
    two_sided,
)
from derivations.kernel.balls import separated
from derivations.kernel.points import at_point, rotation_power
from derivations.kernel.terms import (
    Block,
    Determinant,
    Identity,
    Layout,
    Matrix,
    Replacement,
    Size,
    Slot,
    Symbol,
    Term,
    Transpose,
    number,
    split,
    strided,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
    blocks,
    cis,
    cos,
    equal,
    exp,
    fam,
    free,
    h,
    i,
    inv,
    j,
    m,
    matrix,
    mul,
    n,
    neg,
    put,
    pw,
    q,
    rot,
    sin,
    sub,
    theorem,
    total,
    turn,
    x,
    y,
)

T = Transpose
W, V = matrix("W", "d", "e"), matrix("V", "d", "e")
u, w = matrix("u", "e"), matrix("w", "e")
p, r = matrix("p", "e"), matrix("r", "e")
PAIRS = Identity(Size(2, "h"))


def column(*entries: Term, layout: Layout | None = None) -> Term:
    return Block("i", h, layout or strided(len(entries)), None, tuple((entry,) for entry in entries))


VECTOR = column(fam("x"), fam("y"))
TRUE = {
    "four terms": (
        mul(T(mul(W, add(u, p))), V, add(w, r)),
        add(*(mul(T(left), T(W), V, right) for left in (u, p) for right in (w, r))),
    ),
    "a scalar word is its transpose": (mul(T(u), T(W), V, w), mul(T(w), T(V), W, u)),
    "scalars commute": (mul(T(u), w, T(p), r), mul(T(r), p, T(w), u)),
    "an outer product around a scalar": (mul(u, T(w), p), mul(T(p), w, u)),
    "associativity of linear attention": (mul(T(u), mul(w, T(p))), mul(mul(T(u), w), T(p))),
    "transpose of a product": (T(mul(W, u)), mul(T(u), T(W))),
    "scores of rotated keys": (mul(T(mul(rot(m), W, u)), rot(n), V, w), mul(T(u), T(W), rot(sub(n, m)), V, w)),
    "isometry": (mul(T(mul(rot(m), W, u)), rot(m), W, u), mul(T(u), T(W), W, u)),
    "rotations of one family compose": (mul(rot(a), rot(b), rot(neg(a)), rot(neg(b))), Identity(Size(1, "d"))),
    "two families": (mul(rot(m), rot(n, "S"), T(rot(n, "S")), rot(n)), rot(add(m, n))),
    "zero": (sub(mul(W, u), mul(W, u)), mul(ZERO, V, w)),
    "relative blocks": (mul(T(blocks(m)), blocks(n)), blocks(sub(n, m))),
    "blocks are isometries": (mul(T(blocks(m)), blocks(m)), PAIRS),
    "split layout": (mul(T(blocks(m, split(2))), blocks(n, split(2))), blocks(sub(n, m), split(2))),
    "identity times blocks": (mul(PAIRS, blocks(m), add(PAIRS, PAIRS)), mul(TWO, blocks(m))),
    "blocks minus identity": (sub(mul(T(blocks(m)), blocks(m)), PAIRS), mul(ZERO, blocks(m))),
    "zero words beside blocks": (
        add(VECTOR, sub(matrix("z", Size(2, "h")), matrix("z", Size(2, "h")))),
        VECTOR,
    ),
    "zero words times blocks": (
        mul(T(sub(matrix("z", Size(2, "h")), matrix("z", Size(2, "h")))), VECTOR),
        ZERO,
    ),
    "inner product of block vectors": (mul(T(VECTOR), VECTOR), add(total(pw(fam("x"), 2)), total(pw(fam("y"), 2)))),
    "rotated inner product": (mul(T(mul(blocks(m), VECTOR)), blocks(m), VECTOR), mul(T(VECTOR), VECTOR)),
    "explicit product": (mul(Matrix(turn(x)), Matrix(turn(y))), Matrix(turn(add(x, y)))),
    "a row by a column": (mul(Matrix(((a, b),)), Matrix(((x,), (y,)))), add(mul(a, x), mul(b, y))),
    "explicit blocks": (
        Block("i", number(2), split(2), split(2), turn(fam("q"))),
        Matrix(
            (
                (cos(fam("q", ZERO)), ZERO, neg(sin(fam("q", ZERO))), ZERO),
                (ZERO, cos(fam("q", ONE)), ZERO, neg(sin(fam("q", ONE)))),
                (sin(fam("q", ZERO)), ZERO, cos(fam("q", ZERO)), ZERO),
                (ZERO, sin(fam("q", ONE)), ZERO, cos(fam("q", ONE))),
            )
        ),
    ),
    "identity beside an explicit matrix": (
        add(Matrix(((a, b), (b, a))), Identity(Size(2))),
        Matrix(((add(a, ONE), b), (b, add(a, ONE)))),
    ),
    "determinant of a number": (Determinant(x), x),
    "a 1 x 1 identity": (Identity(Size(1)), ONE),
    "free letters": (T(mul(free(m), free(n))), mul(T(free(n)), T(free(m)))),
}  # fmt: skip

FALSE = {
    "R_(m-n)": (mul(T(mul(rot(m), W, u)), rot(n), V, w), mul(T(u), T(W), rot(sub(m, n)), V, w)),
    "forgotten transpose": (mul(T(u), T(W), V, w), mul(T(u), T(V), W, w)),
    "three of four terms": (
        mul(T(mul(W, add(u, p))), V, add(w, r)),
        add(mul(T(u), T(W), V, w), mul(T(u), T(W), V, r), mul(T(p), T(W), V, w)),
    ),
    "matrices do not commute": (
        mul(matrix("A", "d", "d"), matrix("B", "d", "d")),
        mul(matrix("B", "d", "d"), matrix("A", "d", "d")),
    ),
    "relative blocks": (mul(T(blocks(m)), blocks(n)), blocks(sub(m, n))),
    "mixed layouts": (blocks(m, split(2)), blocks(m)),
    "rotations are not the identity": (rot(m), Identity(Size(1, "d"))),
    "free letters": (mul(free(m), free(n)), free(add(m, n))),
    "zero": (VECTOR, mul(ZERO, VECTOR)),
}  # fmt: skip

OUTSIDE = {
    "letters and blocks": (mul(matrix("M", Size(2, "h"), Size(2, "h")), blocks(m)), blocks(m)),
    "mixed layouts in a product": (mul(blocks(m), blocks(m, split(2))), blocks(m)),
    "mixed layouts in a sum": (add(blocks(m), blocks(m, split(2))), blocks(m)),
    "letters and explicit matrices": (matrix("M", Size(2), Size(2)), Matrix(turn(x))),
    "block vectors and letters": (matrix("M", Size(2, "h")), VECTOR),
    "identity across layouts": (
        add(Block("i", h, strided(2), split(2), turn(fam("q"))), PAIRS),
        Block("i", h, strided(2), split(2), turn(fam("q"))),
    ),
    "determinant of words": (Determinant(rot(m)), ONE),
    "a sum over words": (total(mul(T(matrix("v", "d")), rot(fam("q")), matrix("v", "d"))), ZERO),
}  # fmt: skip


@pytest.mark.parametrize("sides", TRUE.values(), ids=TRUE.keys())
def test_true(sides: tuple[Term, Term]) -> None:
    answer = prove(Statement(*sides))
    assert isinstance(answer, Theorem), answer


@pytest.mark.parametrize("sides", FALSE.values(), ids=FALSE.keys())
def test_false(sides: tuple[Term, Term]) -> None:
    answer = prove(Statement(*sides))
    assert isinstance(answer, Refuted), answer
    left, right = (at_point(side, answer.point) for side in sides)
    row, column_ = answer.entry
    assert left[row][column_] == answer.left
    assert right[row][column_] == answer.right


@pytest.mark.parametrize("sides", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_outside(sides: tuple[Term, Term]) -> None:
    """Never a theorem; where only the forms of matrices differ a point may refute, and it is a real one."""
    answer = prove(Statement(*sides))
    if isinstance(answer, Refuted):
        left, right = (at_point(side, answer.point) for side in sides)
        row, column_ = answer.entry
        assert separated(left[row][column_], right[row][column_])
    else:
        assert isinstance(answer, Undecided), answer
        assert answer.reason == "out of fragment"


def test_a_refutation_shows_matrices() -> None:
    answer = prove(Statement(*FALSE["R_(m-n)"]))
    assert isinstance(answer, Refuted)
    assert {name for name, _ in answer.point.matrices} == {"V", "W", "u", "w"}
    assert "W=[[" in answer.text()


SHAPES: dict[str, tuple[Callable[[], object], str]] = {
    "product": (lambda: Statement(mul(W, V), W), "cannot multiply d x e by d x e"),
    "sum": (lambda: Statement(add(W, T(W)), W), "cannot add d x e and e x d"),
    "sides": (lambda: Statement(W, T(W)), "the sides differ in shape: d x e and e x d"),
    "doubled size": (lambda: Statement(PAIRS, Identity(Size(1, "h"))), "2h x 2h and h x h"),
    "power": (lambda: Statement(pw(W, 2), W), "must be a scalar"),
    "argument": (lambda: Statement(exp(W), ONE), "the argument of apply must be a scalar"),
    "summand": (lambda: Statement(total(W), ONE), "the body of an indexed sum must be a scalar"),
    "count": (lambda: Statement(total(ONE, count=add(h, ONE)), h), "a count must be a name or a positive integer"),
    "count of blocks": (
        lambda: Statement(column(ONE), Block("i", ZERO, strided(1), None, ((ONE,),))),
        "positive integer",
    ),
    "entry": (lambda: Statement(Matrix(((W,),)), ONE), "an entry of a matrix must be a scalar"),
    "entry of a block": (lambda: Statement(column(W), W), "an entry of a block must be a scalar"),
    "ragged": (lambda: Statement(Matrix(((ONE, ONE), (ONE,))), ONE), "one positive length"),
    "no rows": (lambda: Statement(Matrix(()), ONE), "one positive length"),
    "slots": (lambda: Statement(Block("i", h, strided(2), strided(2), ((ONE,),)), PAIRS), "as many entries"),
    "determinant": (lambda: Statement(Determinant(W), ONE), "a determinant needs a square matrix"),
    "family": (lambda: Statement(rot(W), W), "the argument of a matrix family must be a scalar"),
    "empty sum": (lambda: Statement(add(), ZERO), "of nothing"),
    "empty product": (lambda: Statement(mul(), ONE), "of nothing"),
    "hypothesis": (lambda: equal(W, T(W)), "sides of a hypothesis"),
    "size": (lambda: Size(0, "d"), "positive integer"),
    "layout": (lambda: Layout((Slot(2, 0, 0), Slot(1, 1, 0))), "do not tile"),
    "empty layout": (lambda: Layout(()), "do not tile"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "message"), SHAPES.values(), ids=SHAPES.keys())
def test_shape_errors(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        make()


def test_layouts_give_coordinates() -> None:
    assert [strided(2).coordinates(k, 3) for k in range(3)] == [(0, 1), (2, 3), (4, 5)]
    assert [split(2).coordinates(k, 3) for k in range(3)] == [(0, 3), (1, 4), (2, 5)]
    swapped = Layout((Slot(2, 0, 1), Slot(2, 0, 0)))
    assert swapped.coordinates(1, 3) == (3, 2)


class TestInference:
    def test_a_family_is_realised_by_blocks_for_every_even_size(self) -> None:
        score = theorem(*TRUE["scores of rotated keys"])
        definite = Replacement(("p",), blocks(Symbol("p")))
        found = realised(score, "R", definite, sizes={"d": put(mul(TWO, h))})
        assert found.statement.left == mul(
            T(mul(blocks(m), matrix("W", Size(2, "h"), "e"), u)), blocks(n), matrix("V", Size(2, "h"), "e"), w
        )
        assert len(found.uses) == 4
        assert found.method == "realised"
        assert "inference" in found.modules()

    def test_a_plane_is_lifted_to_blocks(self) -> None:
        plane = theorem(mul(Matrix(turn(mul(m, x))), ONE), Matrix(turn(mul(m, x))))
        with pytest.raises(RuleError, match="explicit matrices"):
            lifted_block(plane, "i", "h", families=("x",), rows=strided(2), columns=strided(2))
        plane = theorem(Matrix(turn(mul(m, x))), Matrix(turn(mul(x, m))))
        found = lifted_block(plane, "i", "h", families=("x",), rows=strided(2), columns=strided(2))
        assert isinstance(prove(found.statement), Theorem)
        assert found.statement.left == Block("i", h, strided(2), strided(2), turn(mul(m, fam("x"))))

    def test_a_square_inverse_is_two_sided(self) -> None:
        found = two_sided(theorem(mul(T(rot(m)), rot(m)), Identity(Size(1, "d"))))
        assert found.statement.left == mul(rot(m), T(rot(m)))
        assert found.lemmas == {"square-inverse"}

    def test_a_word_rule(self) -> None:
        gram = equal(mul(T(free(m)), free(n)), free(sub(n, m), "G"), "m", "n")
        model = {
            "A": put(rot(Symbol("p")), "p"),
            "G": put(rot(Symbol("p")), "p"),
        }
        left = mul(T(mul(free(x), W, u)), free(add(x, y)), V, w)
        right = mul(T(u), T(W), free(y, "G"), V, w)
        answer = prove(Statement(left, right, (gram,)), model=model)
        assert isinstance(answer, Theorem), answer
        assert answer.rewrites == (("hypothesis 1", 1),)
        wrong = mul(T(u), T(W), free(neg(y), "G"), V, w)
        assert isinstance(prove(Statement(left, wrong, (gram,)), model=model), Refuted)

    @pytest.mark.parametrize(
        "bad",
        [
            equal(add(W, V), W),
            equal(mul(TWO, W), V),
            equal(Identity(Size(1, "d")), free(ZERO)),
            equal(blocks(ZERO), PAIRS),
            equal(add(x, y), ZERO),
            equal(mul(TWO, x), y),
            equal(cis(x), ONE),
            equal(inv(x), y),
            equal(x, inv(y)),
        ],
    )
    def test_what_is_no_rewrite(self, bad: object) -> None:
        answer = prove(Statement(W, W, (bad,)), model={})  # type: ignore[arg-type]
        assert isinstance(answer, Undecided)
        assert answer.reason == "out of fragment"

    def test_a_scalar_rule_inside_blocks_and_matrices(self) -> None:
        circle = equal(pw(fam("c"), 2), sub(ONE, pw(fam("s"), 2)), "i")
        table = ((fam("c"), neg(fam("s"))), (fam("s"), fam("c")))
        block = Block("i", h, strided(2), strided(2), table)
        assert theorem(mul(T(block), block), PAIRS, circle).rewrites
        at_j = ((fam("c", j), neg(fam("s", j))), (fam("s", j), fam("c", j)))
        assert theorem(mul(T(Matrix(at_j)), Matrix(at_j)), Identity(Size(2)), circle).rewrites


class TestInstantiate:
    @pytest.mark.parametrize("count", [1, 2, 3])
    @pytest.mark.parametrize("layout", [strided(2), split(2)])
    def test_it_agrees_with_the_points(self, count: int, layout: Layout) -> None:
        term = mul(T(blocks(m, layout)), blocks(n, layout), column(fam("x"), fam("y"), layout=layout))
        thetas = {"theta": put(mul(Symbol("k"), q("1/3")), "k"), "x": put(Symbol("k"), "k"), "y": put(ONE, "k")}
        grid = instantiate(term, {"h": count}, {**thetas, "m": put(TWO), "n": put(number(5))})
        names = ("theta", "x", "y")
        scale = {"theta": q("1/3").re, "x": q(1).re}
        members = {(name, k): scale[name] * k if name in scale else q(1).re for name in names for k in range(count)}
        point = Point({"h": q(count).re, "m": q(2).re, "n": q(5).re}, members, {})
        balls = at_point(term, point)
        assert (len(grid), len(grid[0])) == (len(balls), len(balls[0])) == (2 * count, 1)
        for (entry,), (ball,) in zip(grid, balls, strict=True):
            other = at_point(_as_term(entry), Point({}, {}, {}))[0][0]
            assert not (other - ball).excludes_zero()
            assert abs((other - ball).re).upper < q("1/1000000").re

    def test_a_scalar_is_one_entry(self) -> None:
        assert instantiate(total(TWO), {"h": 3})[0][0] == instantiate(number(6), {})[0][0]

    def test_a_symbolic_size_has_no_entries(self) -> None:
        with pytest.raises(OutOfFragment, match="symbolic size"):
            instantiate(blocks(m), {})
        with pytest.raises(ShapeError):
            instantiate(blocks(m), {"h": 0})


def _as_term(entry: object) -> Term:
    """A value without atoms but exponentials, as a term again."""
    over = entry.over  # type: ignore[attr-defined]
    terms: list[Term] = [ZERO]
    for (monomial, phase), (re, im, d) in over.items():
        assert not monomial
        exponent: list[Term] = [ZERO]
        exponent += [number(q(f"{a}/{e}").re, q(f"{b}/{e}").re) for (_, _), (a, b, e) in phase]
        terms.append(mul(number(q(f"{re}/{d}").re, q(f"{im}/{d}").re), exp(add(*exponent))))
    return add(*terms)


def test_rational_rotations_are_a_family() -> None:
    from fractions import Fraction

    for size in (1, 2, 3, 6):
        one, two, minus = (rotation_power(size, Fraction(k)) for k in (1, 2, -1))
        product = tuple(
            tuple(sum(one[r][k] * one[k][c] for k in range(size)) for c in range(size)) for r in range(size)
        )
        assert product == two
        assert tuple(zip(*one, strict=True)) == minus
    with pytest.raises(OutOfFragment):
        rotation_power(2, Fraction(1, 2))


def test_imaginary_coefficients_of_words() -> None:
    assert isinstance(prove(Statement(mul(I, T(mul(I, W))), neg(T(W)))), Theorem)
    assert isinstance(prove(Statement(mul(i, W), mul(W, i))), Theorem)
