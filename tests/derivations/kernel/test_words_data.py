"""Words as data: letters, their transposes, merged rotations, and where 1 x 1 parts become scalars."""

from __future__ import annotations

import pytest

from derivations.kernel import Statement, Theorem, prove
from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel import words as w
from derivations.kernel.shapes import ONE, SCALAR
from derivations.kernel.terms import Size, Term, Transpose
from derivations.kernel.values import Letter, Phase, Word
from derivations.kernel.words import CUT, WordSum
from tests.derivations.kernel.building import a, free, m, matrix, mul, neg, rot

D, E = Size(1, "d"), Size(1, "e")
SQUARE = (D, D)
TWO, X = q.whole(v.constant(2)), q.whole(v.atom(("symbol", "x")))


def at(name: str) -> Phase:
    return v.frozen(v.atom(("symbol", name)))


def minus(phase: Phase) -> Phase:
    return v.frozen(v.negate(dict(phase)))


A: Letter = ("matrix", "A", False)
A_T: Letter = ("matrix", "A", True)
B: Letter = ("matrix", "B", False)
F: Letter = ("free", "F", at("m"), False)
F_T: Letter = ("free", "F", at("m"), True)


def turn(*names: str, family: str = "R") -> Letter:
    angle = v.total(v.atom(("symbol", name)) for name in names)
    return ("rotation", family, v.frozen(angle))


@pytest.mark.parametrize(
    ("letter", "transposed"),
    [(A, A_T), (F, F_T), (turn("m"), ("rotation", "R", minus(at("m")))), (CUT, CUT)],
)
def test_a_letter_and_its_transpose(letter: Letter, transposed: Letter) -> None:
    assert w.transposed_letter(letter) == transposed
    assert w.transposed_letter(transposed) == letter


def test_a_transposed_word_is_read_backwards() -> None:
    assert w.transposed_word((A, turn("m"), F)) == (F_T, ("rotation", "R", minus(at("m"))), A_T)


@pytest.mark.parametrize("letter", [matrix("A", "d", "d"), free(m), rot(m)], ids=["matrix", "free", "rotation"])
def test_a_matrix_is_not_its_transpose(letter: Term) -> None:
    """Nor are two transposes one: (A^T)^T = A."""
    assert not isinstance(prove(Statement(Transpose(letter), letter)), Theorem)
    assert isinstance(prove(Statement(Transpose(Transpose(letter)), letter)), Theorem)
    assert not isinstance(prove(Statement(mul(letter, Transpose(letter)), mul(letter, letter))), Theorem)


def test_the_transpose_of_a_rotation_turns_back() -> None:
    assert isinstance(prove(Statement(Transpose(rot(a)), rot(neg(a)))), Theorem)


@pytest.mark.parametrize(
    ("word", "reduced"),
    [
        ((), ()),
        ((A, A), (A, A)),
        ((turn("m"), turn("n")), (turn("m", "n"),)),
        ((A, turn("m"), turn("n"), B), (A, turn("m", "n"), B)),
        ((turn("m"), turn("n", family="S")), (turn("m"), turn("n", family="S"))),
        ((turn(),), ()),
        ((A, turn(), B), (A, B)),
        ((turn("m"), A, turn("n")), (turn("m"), A, turn("n"))),
        ((turn("m"), w.transposed_letter(turn("m"))), ()),
        ((turn("k"), turn("m"), w.transposed_letter(turn("m")), turn("n")), (turn("k", "n"),)),
        ((("free", "R", at("m"), False), turn("n")), (("free", "R", at("m"), False), turn("n"))),
        ((turn("n"), ("free", "R", at("m"), False)), (turn("n"), ("free", "R", at("m"), False))),
        ((("matrix", "R", False), turn("n")), (("matrix", "R", False), turn("n"))),
        ((("matrix", "A", False), ("matrix", "A", True)), (A, A_T)),
        ((("free", "F", frozenset(), False),), (("free", "F", frozenset(), False),)),
    ],
)
def test_neighbouring_rotations_merge(word: Word, reduced: Word) -> None:
    assert w.reduced(word) == reduced


def test_a_letter_alone() -> None:
    assert w.letter(SQUARE, A) == WordSum(SQUARE, {(A,): q.ONE})
    assert w.letter(SQUARE, turn()) == WordSum(SQUARE, {(): q.ONE})


def test_sums_of_words() -> None:
    one, two = WordSum(SQUARE, {(A,): q.ONE, (B,): X}), WordSum(SQUARE, {(A,): TWO, (F,): q.ONE})
    assert w.add(one, two) == WordSum(SQUARE, {(A,): q.whole(v.constant(3)), (B,): X, (F,): q.ONE})
    assert w.add(one, w.scale(one, q.negate(q.ONE))) == WordSum(SQUARE, {})
    assert w.scale(one, TWO) == WordSum(SQUARE, {(A,): TWO, (B,): q.multiply(TWO, X)})
    assert w.scale(one, q.ZERO) == WordSum(SQUARE, {})
    assert one.terms == {(A,): q.ONE, (B,): X}  # neither was changed


def test_products_of_words_keep_their_order() -> None:
    one, two = WordSum((D, E), {(A,): TWO}), WordSum((E, D), {(B,): X})
    assert w.multiply(one, two) == WordSum(SQUARE, {(A, B): q.multiply(TWO, X)})
    assert w.multiply(two, one) == WordSum((E, E), {(B, A): q.multiply(TWO, X)})
    both = WordSum((D, D), {(A,): q.ONE, (B,): q.ONE})
    assert w.multiply(both, both).terms.keys() == {(A, A), (A, B), (B, A), (B, B)}


def test_an_inner_size_of_one_is_a_cut() -> None:
    column, row = WordSum((D, ONE), {(A,): q.ONE}), WordSum((ONE, E), {(B,): q.ONE})
    assert w.multiply(column, row) == WordSum((D, E), {(A, CUT, B): q.ONE})


def test_the_parts_between_cuts_are_scalars() -> None:
    scalar_f = w.scalar((F,))
    assert w.normal((A, CUT, F, CUT, B), TWO, (D, E)) == WordSum((D, E), {(A, CUT, B): q.multiply(TWO, scalar_f)})
    assert w.normal((F, CUT, B), q.ONE, (ONE, E)) == WordSum((ONE, E), {(B,): scalar_f})
    assert w.normal((A, CUT, F), q.ONE, (D, ONE)) == WordSum((D, ONE), {(A,): scalar_f})
    assert w.normal((A, CUT, B), q.ONE, SCALAR) == WordSum(SCALAR, {(): q.multiply(w.scalar((A,)), w.scalar((B,)))})
    assert w.normal((turn("m"), turn("n")), X, SQUARE) == WordSum(SQUARE, {(turn("m", "n"),): X})


def test_a_scalar_word_is_its_transpose() -> None:
    assert w.scalar(()) == q.ONE
    assert w.scalar((A, B)) == w.scalar((("matrix", "B", True), A_T)) != w.scalar((B, A))
    assert w.scalar((A,)) == q.whole(v.atom(("word", frozenset({(A,), (A_T,)}))))
    total = WordSum(SCALAR, {(A,): TWO, (): X})
    assert w.as_scalar(total) == q.add(q.multiply(TWO, w.scalar((A,))), X)
    assert w.as_scalar(WordSum(SCALAR, {})) == q.ZERO


def test_the_transpose_of_a_sum() -> None:
    assert w.transpose(WordSum((D, E), {(A, F): X})) == WordSum((E, D), {(F_T, A_T): X})
