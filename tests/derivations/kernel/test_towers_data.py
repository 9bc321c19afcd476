"""Towers as data: what is one generator, how roots and inverses reduce, and what unfolding does."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.kernel import towers
from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.quotients import Quotient
from derivations.kernel.towers import Generator, Tower
from derivations.kernel.values import Value

A, B, C = (v.atom(("symbol", name)) for name in "abc")
S = v.add(A, B)
SQUARE = v.add(v.multiply(A, A), v.ONE)


def times(a: Value, n: int) -> Value:
    return v.scale(a, (n, 0, 1))


def test_equal_data_is_one_generator_where_floats_fail() -> None:
    tower = Tower()
    huge = v.add(tower.exponential(v.constant(10**6)), A)
    assert tower.cut(huge) == tower.cut(huge)
    assert len(tower.made) == 1


def test_generators_keep_what_they_stand_for() -> None:
    tower = Tower()
    tower.call("f", [A, B])
    tower.share(A, [A, B])
    tower.invert(S)
    tower.root(SQUARE)
    tower.cut(S)
    assert tower.made == [
        Generator("call", (A, B), "f"),
        Generator("share", ({}, v.subtract(B, A))),
        Generator("inverse", (S,)),
        Generator("root", (SQUARE,)),
        Generator("cut", (S,)),
    ]


def test_the_order_counts_but_for_shares() -> None:
    """Floats find candidates; this is what decides them."""
    tower = Tower()
    assert not tower._same(Generator("call", (A, B), "f"), Generator("call", (B, A), "f"))
    assert tower._same(Generator("call", (A, B), "f"), Generator("call", (A, B), "f"))
    assert tower._same(Generator("share", (A, B)), Generator("share", (B, A)))
    assert not tower._same(Generator("share", (A, B)), Generator("share", (A, A)))


def test_limits() -> None:
    assert (towers.TERM_LIMIT, towers.WORK_LIMIT) == (100_000, 500_000)


def test_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    tower = Tower()
    tower.multiply(S, v.total((A, B, C)))
    assert tower.work == 6
    tower.multiply(S, A)
    assert tower.work == 8
    monkeypatch.setattr(towers, "WORK_LIMIT", 10)
    tower.multiply(S, A)
    with pytest.raises(LimitReached):
        tower.multiply(A, A)


def test_terms_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(towers, "TERM_LIMIT", 3)
    assert len(Tower().multiply(S, S)) == 3
    monkeypatch.setattr(towers, "TERM_LIMIT", 2)
    with pytest.raises(LimitReached, match="a value of 3 terms passes the limit of 2"):
        Tower().multiply(S, S)


def test_inverses_of_powers() -> None:
    tower = Tower()
    inverse = tower.invert(S)
    squared = tower.multiply(inverse, inverse)
    assert tower.invert(squared) == v.multiply(S, S)
    assert tower.invert(tower.multiply(squared, A)) == v.multiply(v.multiply(S, S), v.atom(("symbol", "a"), -1))
    root = tower.root(SQUARE)
    assert tower.equal(tower.multiply(tower.invert(v.multiply(A, root)), v.multiply(A, root)), v.ONE)


def test_squares_of_roots_go_and_the_rest_stays() -> None:
    tower = Tower()
    root, other = tower.root(SQUARE), tower.root(v.add(v.multiply(B, B), v.ONE))
    assert tower.multiply(v.add(root, A), root) == v.add(SQUARE, v.multiply(A, root))
    assert tower.multiply(v.multiply(A, root), v.multiply(A, root)) == v.multiply(v.multiply(A, A), SQUARE)
    assert tower.multiply(root, v.multiply(root, root)) == v.multiply(SQUARE, root)
    fourth = v.multiply(v.multiply(root, root), root)
    assert tower.multiply(root, fourth) == v.multiply(SQUARE, SQUARE)
    assert tower.multiply(v.multiply(root, other), root) == v.multiply(SQUARE, other)
    assert tower.multiply(v.multiply(A, A), v.multiply(A, A)) == v.atom(("symbol", "a"), 4)


def test_quotients() -> None:
    tower = Tower()
    assert tower.quotient(Quotient(v.ONE, S)) == tower.invert(S)
    assert tower.quotient(Quotient(A, v.ONE)) == A


def test_logarithms_of_numbers_are_no_generators() -> None:
    tower = Tower()
    log2 = v.atom(("log", 2))
    assert not tower.is_zero(log2)
    assert not tower.is_zero(v.add(v.multiply(log2, tower.invert(S)), A))
    assert tower.equal(v.multiply(log2, tower.multiply(S, tower.invert(S))), log2)


class TestUnfolding:
    def test_what_a_root_becomes_is_reduced(self) -> None:
        tower = Tower()
        radicand = v.add(tower.cut(SQUARE), times(SQUARE, 3))  # 4 (a^2 + 1) in disguise
        assert tower.equal(tower.root(radicand), times(tower.root(SQUARE), 2))
        assert not tower.equal(tower.root(radicand), times(tower.root(SQUARE), 3))

    def test_a_divisor_that_turns_out_to_be_zero_is_refused(self) -> None:
        tower = Tower()
        hidden = tower.invert(v.subtract(tower.cut(S), S))
        with pytest.raises(OutOfFragment, match="identically zero"):
            tower.equal(hidden, A)

    def test_powers_of_what_is_unfolded(self) -> None:
        tower = Tower()
        cut = tower.cut(S)
        cubed = v.multiply(v.multiply(cut, cut), cut)
        assert tower.equal(cubed, v.multiply(v.multiply(S, S), S))
        inverse = tower.invert(v.multiply(cut, cut))
        assert tower.equal(tower.multiply(inverse, v.multiply(S, S)), v.ONE)


def test_content() -> None:
    assert towers._primitive(v.add(times(A, 4), times(B, 6))) == (v.add(times(A, 2), times(B, 3)), Fraction(2))
    halves = v.add(v.scale(A, (1, 0, 2)), v.scale(B, (3, 0, 4)))
    assert towers._primitive(halves) == (v.add(times(A, 2), times(B, 3)), Fraction(1, 4))
    assert towers._primitive(v.add(v.scale(A, (4, 6, 1)), times(B, 2))) == (
        v.add(v.scale(A, (2, 3, 1)), B),
        Fraction(2),
    )
