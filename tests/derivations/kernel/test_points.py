"""Terms at a point by hand: draws that never change, every node's value, exact rational values, and derivatives."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from derivations.kernel import OutOfFragment, Point
from derivations.kernel.balls import Ball, Indeterminate
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.points import (
    at_point,
    ball_at,
    differentiated,
    rational_at,
    rotation_power,
    size_at,
    small_rational,
    turn_power,
)
from derivations.kernel.terms import (
    Apply,
    Block,
    Derivative,
    Determinant,
    Identity,
    Matrix,
    MatrixFamily,
    Number,
    Pi,
    Size,
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
    add,
    conj,
    cos,
    exp,
    f,
    fam,
    free,
    i,
    inv,
    j,
    log,
    m,
    matrix,
    mul,
    neg,
    pw,
    q,
    rot,
    sin,
    sub,
    total,
    x,
    y,
)

F = Fraction
AT = Point(
    {"x": F(1, 2), "y": F(-3), "m": F(2), "h": F(2), "d": F(2), "i": F(1), "j": F(0)},
    {("q", 0): F(3), ("q", 1): F(5), ("q", -1): F(7), ("X[1]", 0): F(11), ("X[0]", 1): F(13), ("X[-1]", 1): F(17)},
    {
        ("W", None): ((F(1), F(2), F(3)), (F(4), F(5), F(6))),
        ("A", F(2)): ((F(0), F(1)), (F(2), F(0))),
        ("S", None): ((F(1), F(2)), (F(3), F(4))),
    },
)
W, S = matrix("W", "d", Size(3)), matrix("S", "d", "d")


def rows(term: Term) -> list[list[Fraction]]:
    """The entries, which must be enclosed without any width."""
    found = at_point(term, AT)
    assert all(ball.re.width == ball.im.width == 0 and ball.im.lo == 0 for row in found for ball in row)
    return [[ball.re.lower for ball in row] for row in found]


class TestDraws:
    """Replays and goldens name points by their seed, so these values may never change."""

    def test_small_rationals(self) -> None:
        drawn = [small_rational(Random(k), k) for k in range(6)]
        assert drawn == [1, -1, -2, -1, -1, 2]
        assert {small_rational(Random(k), 23) for k in range(200)} == {F(n) for n in range(-2, 4)}
        later = {small_rational(Random(k), 24) for k in range(400)}
        assert later == {F(n, d) for n in range(-2, 4) for d in (1, 2, 3, 5)}

    def test_members(self) -> None:
        point = Point({}, {("q", 0): F(9)}, {}, 3)
        assert point.member("q", 0) == 9
        assert [point.member("q", k) for k in range(1, 6)] == [1, -2, -2, -1, 0]
        assert [point.member("r", k) for k in range(1, 6)] == [1, -1, -1, -2, 3]
        assert point.families["q", 3] == -2
        point.families["q", 3] = F(8)
        assert point.member("q", 3) == 8
        with pytest.raises(KeyError):
            Point({}, {}, {}).member("q", 0)

    def test_matrices(self) -> None:
        point = Point({}, {}, {}, 5)
        plain = point.matrix("W", None, (2, 3))
        assert plain == ((F(0), F(-2), F(1)), (F(2), F(2), F(-1)))
        assert point.matrices["W", None] is plain
        assert point.matrix("W", None, (1, 1)) is plain  # kept as it was drawn
        assert point.matrix("W", F(1), (1, 2)) == ((F(3), F(3)),)
        drawn = {x for k in range(60) for row in Point({}, {}, {}, k).matrix("W", None, (2, 2)) for x in row}
        assert drawn == {F(n) for n in range(-2, 4)}
        with pytest.raises(KeyError):
            Point({}, {}, {}).matrix("W", None, (1, 1))

    def test_text(self) -> None:
        point = Point(
            {"y": F(2), "x": F(1, 2)},
            {("q", 2): F(1), ("q", -1): F(3), ("p", 5): F(0)},
            {("W", None): ((F(1), F(2)), (F(3), F(4))), ("A", F(2)): ((F(0),),)},
        )
        assert point.text() == "x=1/2, y=2, p[5]=0, q[-1]=3, q[2]=1, A(2)=[[0]], W=[[1, 2], [3, 4]]"
        assert Point({}, {}, {}).text() == ""


SCALARS: tuple[tuple[Term, str], ...] = (
    (q("-1/4"), "-1/4"),
    (x, "1/2"),
    (add(x, y, ONE), "-3/2"),
    (mul(x, y, TWO), "-3"),
    (pw(y, 3), "-27"),
    (pw(x, -2), "4"),
    (fam("q"), "5"),
    (fam("q", sub(j, ONE)), "7"),
    (Cell("X", i, j), "11"),
    (Cell("X", j, i), "13"),
    (Reading("X", m, m), "11"),  # row 1, column 0 of rows of length 2
    (Reading("X", i, m), "13"),
    (Reading("X", neg(i), m), "17"),
    (Reading("X", i, ONE), "11"),
    (total(fam("q")), "8"),
    (total(mul(i, fam("q")), count=TWO), "5"),
    (total(fam("q", j), "j"), "8"),
    (Apply("re", add(x, mul(I, y))), "1/2"),
    (Apply("im", add(x, mul(I, y))), "-3"),
    (mul(conj(I), I), "1"),
    (exp(ZERO), "1"),
    (cos(ZERO), "1"),
    (sin(ZERO), "0"),
    (log(ONE), "0"),
    (Determinant(S), "-2"),
    (Determinant(Matrix(tuple(tuple(map(number, row)) for row in ((1, 2, 3), (4, 5, 6), (7, 8, 10))))), "-3"),
    (Determinant(Matrix(((TWO, ZERO, ONE), (ONE, number(3), TWO), (ONE, ONE, number(4))))), "18"),
    (Derivative(pw(x, 3), "x"), "3/4"),
    (mul(Transpose(Matrix(((ONE,), (TWO,)))), Matrix(((x,), (y,)))), "-11/2"),
)


@pytest.mark.parametrize(("term", "wanted"), SCALARS)
def test_scalars(term: Term, wanted: str) -> None:
    assert rows(term) == [[F(wanted)]]


MATRICES: tuple[tuple[Term, list[list[object]]], ...] = (
    (W, [[1, 2, 3], [4, 5, 6]]),
    (Transpose(W), [[1, 4], [2, 5], [3, 6]]),
    (mul(S, W), [[9, 12, 15], [19, 26, 33]]),
    (mul(S, TWO, W), [[18, 24, 30], [38, 52, 66]]),
    (mul(TWO, S), [[2, 4], [6, 8]]),
    (mul(S, TWO), [[2, 4], [6, 8]]),
    (add(S, Identity(Size(1, "d"))), [[2, 2], [3, 5]]),
    (free(m), [[0, 1], [2, 0]]),
    (rot(ONE), [["3/5", "-4/5"], ["4/5", "3/5"]]),
    (Matrix(((x, y), (ONE, fam("q")))), [["1/2", -3], [1, 5]]),
    (Block("i", TWO, split(2), None, ((fam("q"),), (i,))), [[3], [5], [0], [1]]),
    (
        Block("i", Symbol("h"), strided(2), split(1), ((fam("q"),), (i,))),
        [[3, 0], [0, 0], [0, 5], [0, 1]],
    ),
    (mul(Transpose(Matrix(((ONE, TWO),))), Matrix(((x, y),))), [["1/2", -3], [1, -6]]),
)


@pytest.mark.parametrize(("term", "wanted"), MATRICES)
def test_matrices(term: Term, wanted: list[list[object]]) -> None:
    close = at_point(term, AT)
    exact = [[F(str(entry)) for entry in row] for row in wanted]
    assert [len(row) for row in close] == [len(row) for row in exact]
    for row, other in zip(close, exact, strict=True):
        for ball, entry in zip(row, other, strict=True):
            assert ball.contains(entry)
            assert ball.re.width <= F(1, 1 << 120)


def test_every_node_keeps_the_precision() -> None:
    for term in (*(term for term, _ in SCALARS), *(term for term, _ in MATRICES), Pi(), pw(TWO, x)):
        assert {ball.bits for row in at_point(term, AT, 64) for ball in row} == {64}, term


def test_transcendental_values() -> None:
    assert ball_at(Pi(), AT).contains(F(0)) is False
    assert abs(ball_at(Pi(), AT).re.lower - F(355, 113)) < F(1, 10**6)
    assert abs(ball_at(pw(TWO, x), AT).re.lower ** 2 - 2) < F(1, 10**30)
    assert abs(ball_at(pw(TWO, q("1/2")), AT).re.lower ** 2 - 2) < F(1, 10**30)
    turned = ball_at(sub(pw(TWO, number(2, 1)), mul(number(4), exp(mul(I, log(TWO))))), AT)
    assert not turned.excludes_zero()
    assert abs(turned.re).upper < F(1, 10**30)
    assert abs(ball_at(log(exp(x)), AT).re.lower - F(1, 2)) < F(1, 10**30)
    squares = add(pw(cos(x), 2), pw(sin(x), 2))
    assert abs(ball_at(squares, AT).re.lower - 1) < F(1, 10**30)
    assert ball_at(exp(mul(I, Pi())), AT).contains(-1) or not (ball_at(exp(mul(I, Pi())), AT) + 1).excludes_zero()
    fine = at_point(Pi(), AT, 300)[0][0]
    assert fine.bits == 300
    assert at_point(Matrix(((x, Pi()),)), AT, 64)[0][1].bits == 64
    for term in (W, rot(ONE), Identity(Size(2)), Block("i", TWO, strided(1), strided(1), ((x,),)), total(x), fam("q")):
        assert at_point(term, AT, 64)[0][0].bits == 64


@pytest.mark.parametrize(
    "term", [log(neg(x)), log(ZERO), log(mul(I, x)), log(add(x, I)), inv(sub(x, q("1/2"))), pw(y, x)]
)
def test_no_value(term: Term) -> None:
    with pytest.raises(Indeterminate):
        at_point(term, AT)


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (f(x), "no value at a point for Function"),
        (rot(x), "a rotation family is evaluated at integers, saw 1/2"),
        (fam("q", x), "an index or count is an integer, saw 1/2"),
        (fam("q", exp(x)), "Apply is not a rational expression"),
        (fam("q", I), "Number is not a rational expression"),
        (Reading("X", i, j), "a row in memory has at least one entry, saw 0"),
        (Reading("X", i, neg(i)), "a row in memory has at least one entry, saw -1"),
    ],
)
def test_outside(term: Term, message: str) -> None:
    with pytest.raises(OutOfFragment, match=message):
        at_point(term, AT)


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        (q("2/3"), "2/3"),
        (x, "1/2"),
        (fam("q", sub(m, ONE)), "5"),
        (add(x, y, m), "-1/2"),
        (mul(x, y, m), "-3"),
        (pw(y, 2), "9"),
        (pw(m, -3), "1/8"),
        (pw(x, 0), "1"),
    ],
)
def test_rational_values(term: Term, wanted: str) -> None:
    assert rational_at(term, AT) == F(wanted)


@pytest.mark.parametrize(
    "term", [Pi(), number(1, 1), pw(m, x), pw(m, q("1/2")), pw(m, number(1, 1)), exp(x), total(x), W]
)
def test_no_rational_value(term: Term) -> None:
    with pytest.raises(OutOfFragment, match="is not a rational expression"):
        rational_at(term, AT)


def test_sizes() -> None:
    assert size_at(Size(3), AT) == 3
    assert size_at(Size(3, "d"), AT) == 6


@pytest.mark.parametrize(
    ("n", "c", "s"),
    [(0, "1", "0"), (1, "3/5", "4/5"), (2, "-7/25", "24/25"), (-1, "3/5", "-4/5"), (-2, "-7/25", "-24/25")],
)
def test_turns(n: int, c: str, s: str) -> None:
    assert turn_power((F(3, 5), F(4, 5)), n) == (F(c), F(s))


def test_rotations() -> None:
    assert rotation_power(1, F(5)) == ((F(1),),)
    assert rotation_power(3, F(1)) == ((F(3, 5), F(-4, 5), F(0)), (F(4, 5), F(3, 5), F(0)), (F(0), F(0), F(1)))
    eight = rotation_power(8, F(1))
    turns = [(eight[k][k], eight[k + 1][k]) for k in range(0, 8, 2)]
    assert turns == [(F(3, 5), F(4, 5)), (F(5, 13), F(12, 13)), (F(8, 17), F(15, 17)), (F(3, 5), F(4, 5))]
    assert all(eight[k][k + 1] == -eight[k + 1][k] and eight[k][k] == eight[k + 1][k + 1] for k in range(0, 8, 2))
    assert sum(entry != 0 for row in eight for entry in row) == 16


DOUBLED = mul(TWO, x)
SLOPES: tuple[tuple[Term, Term], ...] = (
    (x, ONE),
    (y, ZERO),
    (number(3), ZERO),
    (Pi(), ZERO),
    (fam("q"), ZERO),
    (add(x, y), add(ONE, ZERO)),
    (mul(x, y, x), add(mul(ONE, y, x), mul(x, ZERO, x), mul(x, y, ONE))),
    (pw(x, 3), mul(number(3), pw(x, 2), ONE)),
    (pw(x, q("1/2")), mul(q("1/2"), pw(x, q("-1/2")), ONE)),
    (pw(x, number(1, 1)), mul(number(1, 1), pw(x, I), ONE)),
    (exp(y), mul(exp(y), ZERO)),
    (exp(x), mul(exp(x), ONE)),
    (log(x), mul(inv(x), ONE)),
    (cos(x), mul(mul(number(-1), sin(x)), ONE)),
    (sin(x), mul(cos(x), ONE)),
    (conj(x), conj(ONE)),
    (Apply("re", x), Apply("re", ONE)),
    (Apply("im", x), Apply("im", ONE)),
    (total(mul(x, i)), total(add(mul(ONE, i), mul(x, ZERO)))),
    (Derivative(pw(y, 2), "y"), mul(TWO, ZERO, ZERO)),
)


@pytest.mark.parametrize(("term", "slope"), SLOPES[:-1])
def test_rules_of_calculus(term: Term, slope: Term) -> None:
    assert differentiated(term, "x") == slope


def test_second_derivatives() -> None:
    inner = differentiated(pw(x, 2), "x")
    assert differentiated(Derivative(pw(x, 2), "x"), "x") == differentiated(inner, "x")
    assert rows(Derivative(Derivative(pw(x, 3), "x"), "x")) == [[3]]
    assert rows(Derivative(Derivative(mul(pw(x, 2), y), "x"), "y")) == [[1]]


@pytest.mark.parametrize("term", [f(x), pw(x, y), fam("q", x), total(x, count=x), Cell("X", x, i), Identity(Size(1))])
def test_no_derivative(term: Term) -> None:
    with pytest.raises(OutOfFragment, match="no derivative at a point for"):
        differentiated(term, "x")


def test_a_family_of_matrices_is_drawn_for_each_argument() -> None:
    point = Point({"m": F(1), "n": F(2)}, {}, {}, 4)
    one, two = (at_point(free(t, size="n"), point) for t in (m, Symbol("n")))
    assert one != two
    assert at_point(free(m, size="n"), point) == one
    assert (len(one), len(one[0])) == (2, 2)
    assert set(point.matrices) == {("A", F(1)), ("A", F(2))}
    square = MatrixFamily("G", m, Size(3), "free")
    assert len(at_point(square, point)) == 3
    assert isinstance(one[0][0], Ball)
    assert Number(F(1)) == ONE
