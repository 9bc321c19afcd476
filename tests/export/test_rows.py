"""Rows are broken where they may be and no row is wider than asked for; reasons stand beside or below."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from derivations.derivation import get
from derivations.kernel.terms import Symbol
from posproofs.export.boxes import Piece, broken
from posproofs.export.document import Row, document
from posproofs.export.formula import formula
from posproofs.export.glyphs import EXPANDED
from posproofs.export.phrases import Wording
from posproofs.export.rows import chain
from posproofs.export.tree import Minus, Name, Node, Prod, Series, Sum

WORDS = Wording(style=EXPANDED)
PIECES = st.lists(st.builds(Piece, st.just("x"), st.floats(1, 90), st.sampled_from([0, 1, 2])), min_size=1, max_size=12)


def row(number: int, node: Node, reason: str = "as said") -> Row:
    return Row(number, node, Symbol("unused"), reason, "proved")


@given(PIECES, st.floats(100, 200))
def test_a_row_is_too_wide_only_where_it_may_not_be_broken(pieces: list[Piece], limit: float) -> None:
    rows = broken(pieces, limit, limit - 10)
    assert [piece for row in rows for piece in row] == pieces
    assert all(row[0].ahead for row in rows[1:])
    for k, found in enumerate(rows):
        room = limit if k == 0 else limit - 10
        assert sum(p.width for p in found) <= room or not any(p.ahead for p in found[1:])


def test_a_row_is_broken_at_a_sign_rather_than_between_factors() -> None:
    pieces = [Piece("a", 40), Piece("+b", 40, 2), Piece("c", 30, 1), Piece("+d", 40, 2)]
    assert ["".join(p.text for p in row) for row in broken(pieces, 100, 100)] == ["a", "+bc", "+d"]


def test_short_reasons_stand_beside_the_rows() -> None:
    rows = [row(0, Name("a")), row(1, Name("b"), "first"), row(2, Name("c"), "second")]
    assert [(line.text, line.number) for line in chain(rows, WORDS)] == [
        (r"a &= b && \text{first}", 1),
        (r"&= c && \text{second}", 2),
    ]


def test_a_long_reason_stands_below_its_row() -> None:
    rows = [row(0, Name("a")), row(1, Name("b"), "word " * 30 + "end")]
    lines = chain(rows, WORDS)
    assert lines[0].text == "a &= b"
    assert [line.number for line in lines[:-1]] == [0] * (len(lines) - 1)
    assert lines[-1].number == 1
    assert len(lines) > 2


def test_a_reason_is_not_broken_at_a_sign() -> None:
    for k in range(5, 20):
        rows = [row(0, Name("a")), row(1, Name("b"), "word " * k + "0 <= b < c and so on to the end of the line")]
        assert any(r"0\le b<c" in line.text for line in chain(rows, WORDS))
    signs = "a + " * 60 + "b"
    assert len(chain([row(0, Name("a")), row(1, Name("b"), signs)], WORDS)) > 3


def test_a_first_side_makes_room_for_a_reason_that_then_fits() -> None:
    wide, reason = Prod((Name("x"),) * 16), "word " * 8 + "end"
    assert chain([row(0, wide), row(1, Name("b"), "short")], WORDS)[0].text.startswith("x x")
    first, *_ = chain([row(0, wide), row(1, Name("b"), reason)], WORDS)
    assert first.text.startswith("& x x")
    hopeless = chain([row(0, wide), row(1, Name("b"), reason * 3)], WORDS)
    assert hopeless[0].text.startswith("x x")


def test_a_row_is_broken_outside_brackets_rather_than_inside() -> None:
    inner = Sum(tuple(Name(name) for name in "abcd"))
    whole = formula(Series("i", Name("h"), Sum((Prod((inner, Name("p"))), Prod((inner, Name("q")))))))
    first, second = ("".join(piece.text for piece in found) for found in broken(whole.pieces, 150, 150))
    assert first.endswith("(a + b + c + d) p")
    assert second == " + (a + b + c + d) q)"


def test_a_long_sum_continues_with_its_sign() -> None:
    many = Sum(tuple(Minus(Name("x")) if k % 2 else Name("x") for k in range(60)))
    lines = chain([row(0, Name("a")), row(1, many)], WORDS)
    assert len(lines) > 3
    assert lines[0].text.startswith("a &= x - x")
    assert all(re.match(r"&\\quad \{\} [+-] x", line.text) for line in lines[1:-1])
    assert sum(len(re.findall(r"\bx\b", line.text)) for line in lines) == 60


def test_a_long_product_is_broken_between_factors() -> None:
    lines = chain([row(0, Name("a")), row(1, Prod((Name("x"),) * 90))], WORDS)
    assert any(line.text.startswith(r"&\quad {} \times x") for line in lines)


def test_every_step_has_its_number_once() -> None:
    found = document(get("rotary.complex_score"))
    numbers = [line.number for line in chain(found.rows, WORDS) if line.number]
    assert numbers == [1, 2, 3]
