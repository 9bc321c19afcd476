"""Matrices as data: explicit ones, blocks and words, how they meet, and where their forms do not."""

from __future__ import annotations

import pytest

from derivations.kernel import matrices as mx
from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel import words
from derivations.kernel.errors import FormsDiffer, LimitReached, OutOfFragment
from derivations.kernel.matrices import GROUP, AnyValue, Blocked, Dense, Grid
from derivations.kernel.quotients import Quotient
from derivations.kernel.shapes import ONE
from derivations.kernel.terms import Layout, Size, split, strided
from derivations.kernel.values import SymbolAtom
from derivations.kernel.words import WordSum

H: SymbolAtom = ("symbol", "h")
N: SymbolAtom = ("symbol", "n")
D, H2 = Size(1, "d"), Size(2, "h")
TWO_BY_TWO = (Size(2), Size(2))


def k(value: int) -> Quotient:
    return q.whole(v.constant(value))


def sym(name: str) -> Quotient:
    return q.whole(v.atom(("symbol", name)))


def grid(*rows: tuple[int | Quotient, ...]) -> Grid:
    return tuple(tuple(k(e) if isinstance(e, int) else e for e in row) for row in rows)


def dense(*rows: tuple[int | Quotient, ...]) -> Dense:
    return Dense(grid(*rows))


def blocked(*rows: tuple[int | Quotient, ...], layouts: tuple[Layout | None, Layout | None] | None = None) -> Blocked:
    down, across = layouts or (strided(len(rows)), strided(len(rows[0])))
    return Blocked(H, down, across, grid(*rows))


def column(*entries: int | Quotient, count: SymbolAtom = H) -> Blocked:
    return Blocked(count, strided(len(entries)), None, grid(*((e,) for e in entries)))


def row(*entries: int | Quotient) -> Blocked:
    return Blocked(H, None, strided(len(entries)), grid(entries))


def letter(name: str, shape: tuple[Size, Size] = (D, D)) -> WordSum:
    return words.letter(shape, ("matrix", name, False))


MEMBER = q.whole(v.atom(("family", "q", v.frozen(v.atom(("symbol", GROUP))))))
A, B = dense((1, 2), (3, 4)), dense((5, 6), (7, 8))
WIDE = dense((1, 2, 3), (4, 5, 6))
U, V = blocked((1, 2), (3, 4)), blocked((5, 6), (7, 8))
UNIT, HUNIT = mx.matrix_of(TWO_BY_TWO), mx.matrix_of((H2, H2))


def nothing(*shape: Size) -> WordSum:
    return WordSum((shape[0], shape[-1]), {})


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        (k(1), k(2), k(3)),
        (A, B, dense((6, 8), (10, 12))),
        (U, V, blocked((6, 8), (10, 12))),
        (letter("W"), letter("W"), words.scale(letter("W"), k(2))),
        (A, UNIT, dense((2, 2), (3, 5))),
        (UNIT, A, dense((2, 2), (3, 5))),
        (A, words.scale(UNIT, k(3)), dense((4, 2), (3, 7))),
        (U, HUNIT, blocked((2, 2), (3, 5))),
        (WIDE, nothing(Size(2), Size(3)), WIDE),
        (blocked((1, 2)), nothing(Size(1, "h"), H2), blocked((1, 2))),
        (column(1, 2), nothing(H2, ONE), column(1, 2)),
    ],
)
def test_sums(left: AnyValue, right: AnyValue, wanted: AnyValue) -> None:
    assert mx.add(left, right) == wanted


@pytest.mark.parametrize(
    ("left", "right", "what"),
    [
        (A, letter("W"), "an explicit matrix and a polynomial in matrix names"),
        (letter("W"), U, "a polynomial in matrix names and a block matrix"),
        (U, blocked((1, 2), (3, 4), layouts=(split(2), strided(2))), "a block matrix and a block matrix"),
        (U, blocked((1, 2), (3, 4), layouts=(strided(2), split(2))), "a block matrix and a block matrix"),
        (column(1), column(1, count=N), "a block matrix and a block matrix"),
        (A, U, "an explicit matrix and a block matrix"),
        (
            blocked((1, 2), (3, 4), layouts=(strided(2), split(2))),
            HUNIT,
            "a block matrix and a polynomial in matrix names",
        ),
    ],
)
def test_sums_of_forms_that_do_not_meet(left: AnyValue, right: AnyValue, what: str) -> None:
    with pytest.raises(FormsDiffer, match=f"^cannot add {what}: their forms do not meet$"):
        mx.add(left, right)


def test_multiples() -> None:
    assert mx.scale(k(2), k(3)) == k(6)
    assert mx.scale(A, k(2)) == dense((2, 4), (6, 8))
    assert mx.scale(U, k(2)) == blocked((2, 4), (6, 8))
    assert mx.scale(letter("W"), k(2)) == words.scale(letter("W"), k(2))
    for one in (A, U, letter("W"), k(5)):
        assert mx.multiply(one, k(2)) == mx.multiply(k(2), one) == mx.scale(one, k(2))


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        (A, B, dense((19, 22), (43, 50))),
        (B, A, dense((23, 34), (31, 46))),
        (A, WIDE, dense((9, 12, 15), (19, 26, 33))),
        (dense((1, 2)), dense((3,), (4,)), k(11)),
        (dense((3,), (4,)), dense((1, 2)), dense((3, 6), (4, 8))),
        (dense((0, 2), (3, 0)), dense((0, 5), (0, 7)), dense((0, 14), (0, 15))),
        (U, V, blocked((19, 22), (43, 50))),
        (U, column(5, 6), column(17, 39)),
        (row(5, 6), U, row(23, 34)),
        (row(1, 2), column(3, 4), q.multiply(k(11), sym("h"))),
        (row(MEMBER, 1), column(1, 1), q.add(mx.summed(MEMBER, GROUP, H), sym("h"))),
        (A, words.scale(UNIT, k(3)), dense((3, 6), (9, 12))),
        (words.scale(UNIT, k(3)), A, dense((3, 6), (9, 12))),
        (words.scale(HUNIT, k(3)), U, blocked((3, 6), (9, 12))),
        (nothing(D, Size(2)), WIDE, nothing(D, Size(3))),
        (WIDE, nothing(Size(3), D), nothing(Size(2), D)),
        (dense((1, 2, 3)), nothing(Size(3), D), nothing(ONE, D)),
        (nothing(D, H2), column(1, 2), nothing(D, ONE)),
        (column(1, 2), nothing(ONE, D), nothing(H2, D)),
        (nothing(D, Size(1, "h")), blocked((1, 2)), nothing(D, H2)),
        (blocked((1, 2)), nothing(H2, D), nothing(Size(1, "h"), D)),
        (letter("W"), letter("V"), words.multiply(letter("W"), letter("V"))),
    ],
)
def test_products(left: AnyValue, right: AnyValue, wanted: AnyValue) -> None:
    assert mx.multiply(left, right) == wanted


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (A, letter("W")),
        (letter("W"), U),
        (A, U),
        (U, blocked((1, 2), (3, 4), layouts=(split(2), split(2)))),
        (U, column(1, 2, count=N)),
        (column(1, 2), row(1, 2)),
        (Blocked(H, strided(1), None, grid((1,))), Blocked(H, None, strided(1), grid((1,)))),
    ],
)
def test_products_of_forms_that_do_not_meet(left: AnyValue, right: AnyValue) -> None:
    with pytest.raises(FormsDiffer, match=r"^cannot multiply "):
        mx.multiply(left, right)


def test_zeros_are_not_multiplied() -> None:
    """What meets a zero may have any divisor; nothing of it stays."""
    divided = Quotient(v.ONE, v.add(v.ONE, v.atom(("symbol", "x"))))
    assert mx.multiply(dense((0, 3)), dense((divided,), (1,))) == k(3)
    assert mx.multiply(dense((divided, 3)), dense((0,), (1,))) == k(3)


def test_a_sum_of_quotients() -> None:
    under = v.add(v.ONE, v.atom(("symbol", "x")))
    assert mx.summed(Quotient(MEMBER.over, under), GROUP, H) == Quotient(mx.summed(MEMBER, GROUP, H).over, under)
    with pytest.raises(OutOfFragment, match="contains the index"):
        mx.summed(Quotient(v.ONE, v.add(v.ONE, MEMBER.over)), GROUP, H)


def test_transposes() -> None:
    assert mx.transpose(k(3)) == k(3)
    assert mx.transpose(WIDE) == dense((1, 4), (2, 5), (3, 6))
    mixed = Blocked(H, split(1), strided(2), grid((1, 2)))
    assert mx.transpose(mixed) == Blocked(H, strided(2), split(1), grid((1,), (2,)))
    assert mx.transpose(letter("W")) == words.transpose(letter("W"))


def test_what_is_a_scalar() -> None:
    assert mx.simplest(dense((3,))) == k(3)
    assert mx.simplest(dense((3, 4))) == dense((3, 4))
    assert mx.simplest(dense((3,), (4,))) == dense((3,), (4,))
    assert mx.simplest(mx.matrix_of((ONE, ONE))) == k(1)
    assert mx.simplest(letter("W")) == letter("W")
    assert mx.simplest(letter("u", (D, ONE))) == letter("u", (D, ONE))


def test_determinants() -> None:
    assert mx.determinant(k(7)) == k(7)
    assert mx.determinant(dense((7,))) == k(7)
    assert mx.determinant(A) == k(-2)
    assert mx.determinant(dense((2, 0, 1), (1, 3, 2), (1, 1, 4))) == k(18)
    assert mx.determinant(dense((0, 1, 0), (0, 0, 1), (1, 0, 0))) == k(1)
    assert mx.determinant(dense((0, 0, 1), (0, 1, 0), (1, 0, 0))) == k(-1)
    assert mx.determinant(dense((0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0))) == k(1)
    six = [tuple(int(c == r) for c in range(6)) for r in range(6)]
    assert mx.determinant(dense(*six)) == k(1)
    with pytest.raises(LimitReached, match="a 7 x 7 matrix passes the limit of 6"):
        mx.determinant(dense(*[(1,) * 7] * 7))
    for other in (U, letter("W")):
        with pytest.raises(OutOfFragment, match="explicit matrices only"):
            mx.determinant(other)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (k(1), k(1), True),
        (A, dense((1, 2), (3, 4)), True),
        (A, dense((1, 2), (3, 5)), False),
        (A, dense((0, 2), (3, 4)), False),
        (U, blocked((1, 2), (3, 4)), True),
        (U, blocked((1, 2), (3, 5)), False),
        (U, blocked((1, 2), (3, 4), layouts=(split(2), split(2))), False),
        (column(1), column(1, count=N), False),
        (letter("W"), letter("W"), True),
        (letter("W"), letter("V"), False),
        (dense((3,)), k(3), True),
        (mx.matrix_of((ONE, ONE)), k(1), True),
        (UNIT, dense((1, 0), (0, 1)), True),
        (dense((1, 1), (0, 1)), UNIT, False),
        (HUNIT, blocked((1, 0), (0, 1)), True),
        (nothing(H2, H2), blocked((0, 0), (0, 0), layouts=(strided(2), split(2))), True),
        (nothing(Size(2), Size(3)), dense((0, 0, 0), (0, 0, 0)), True),
        (nothing(Size(2), Size(3)), WIDE, False),
    ],
)
def test_equality(left: AnyValue, right: AnyValue, same: bool) -> None:
    assert mx.equal(left, right) is same
    assert mx.equal(right, left) is same


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (A, U),
        (A, letter("W")),
        (letter("W"), U),
        (HUNIT, blocked((1, 0), (0, 1), layouts=(strided(2), split(2)))),
        (k(3), U),
    ],
)
def test_forms_that_cannot_be_compared(left: AnyValue, right: AnyValue) -> None:
    with pytest.raises(FormsDiffer, match=r"^cannot compare "):
        mx.equal(left, right)


def test_what_cannot_be_compared_is_named_from_left_to_right() -> None:
    with pytest.raises(FormsDiffer, match=r"^cannot compare an explicit matrix and a block matrix: their forms do not"):
        mx.equal(A, U)
    with pytest.raises(FormsDiffer, match=r"^cannot compare a block matrix and an explicit matrix: their forms do not"):
        mx.equal(U, A)


def test_a_long_sum_of_polynomials_costs_no_more_than_a_step_for_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Added one after the other they would be copied each time: 2000 steps and more."""
    parts: list[AnyValue] = [sym(f"x{j}") for j in range(160)]
    spent: list[int] = []
    monkeypatch.setattr(v, "spend", spent.append)
    found = mx.total(parts)
    assert isinstance(found, Quotient)
    assert len(found.over) == 160
    assert sum(spent) <= 160


def test_real_matrices() -> None:
    turned = q.whole(v.I)
    for real in (k(2), A, U, letter("W"), WordSum((D, D), {})):
        assert mx.is_real(real)
    mixed = words.add(letter("W"), words.scale(letter("V"), turned))
    for other in (turned, dense((1, turned)), dense((turned, 1)), column(1, turned), mixed):
        assert not mx.is_real(other)
