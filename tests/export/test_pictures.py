"""Pictures: the data against an independent reckoning, the SVG well-formed, described and the same in every run."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

from posproofs.export.pictures import rotary, transformer_xl
from posproofs.export.pictures.svg import Picture, fixed, picture, words

PICTURES: list[Callable[[], Picture]] = [
    rotary.rotation_planes,
    rotary.score_against_offset,
    rotary.pairing,
    transformer_xl.four_terms,
    transformer_xl.shift,
]
SVG = "{http://www.w3.org/2000/svg}"


def test_plane_i_turns_by_its_frequency() -> None:
    """Against complex exponentials with the frequencies as repeated division."""
    found = rotary.planes(dim=8, base=10000.0, positions=5)
    for i, points in enumerate(found):
        frequency = 1 / 10**i  # 10000^(-2i/8)
        for p, (x, y) in enumerate(points):
            assert (x, y) == pytest.approx((math.cos(p * frequency), math.sin(p * frequency)), abs=1e-12)


def test_the_score_is_the_mean_cosine_and_goes_below_zero_where_it_is_known_to() -> None:
    """At width 128 and base 10000 the first negative score is at offset 1707."""
    values = rotary.scores(128, 10000.0, [0, 100, 1000, 1706, 1707])
    assert values[0] == 1.0
    assert [round(value, 2) for value in values[1:3]] == [0.48, 0.16]
    assert values[3] > 0 > values[4]


def test_pairs_are_those_of_the_layouts() -> None:
    assert rotary.places("interleaved", 3) == [(0, 1), (2, 3), (4, 5)]
    assert rotary.places("half-split", 3) == [(0, 3), (1, 4), (2, 5)]


def test_the_four_terms_against_sums_over_entries() -> None:
    """Against plain sums over the entries of the matrices, with the angle of r as an angle."""
    found = transformer_xl.terms(length=8)
    weights, content, angle = transformer_xl.MATRICES, transformer_xl.CONTENT, math.atan2(4, 3)

    def times(name: str, vector: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in weights[name])

    def dot(first: tuple[float, ...], second: tuple[float, ...]) -> float:
        return sum(a * b for a, b in zip(first, second, strict=True))

    u, v = (tuple(float(entry) for (entry,) in weights[name]) for name in "uv")
    for m in range(8):
        for n in range(8):
            query, key = times("W_q", content[m]), times("W_k", content[n])
            offset = times("W_r", (math.cos((m - n) * angle), math.sin((m - n) * angle)))
            wanted = (dot(query, key), dot(query, offset), dot(u, key), dot(v, offset))
            assert [found[name][m][n] for name in "abcd"] == pytest.approx(wanted)


def test_the_patterns_say_what_each_term_reads() -> None:
    found = {name: transformer_xl.pattern(grid) for name, grid in transformer_xl.terms().items()}
    assert found["c"] == "constant along columns"
    assert found["d"] == "constant along diagonals"
    assert found["a"] == found["b"] == "not constant along rows, columns or diagonals"
    assert transformer_xl.pattern([[1.0, 2.0], [1.0, 1.0]]) == "constant along diagonals"


def test_the_shift_reads_query_minus_key_behind_the_memory() -> None:
    assert transformer_xl.offsets(queries=2, memory=1) == [[1, 0, -1], [2, 1, 0]]


@pytest.mark.parametrize("draw", PICTURES, ids=["planes", "scores", "pairing", "terms", "shift"])
def test_a_picture_is_described_well_formed_and_repeatable(draw: Callable[[], Picture]) -> None:
    first, second = draw(), draw()
    assert first == second
    assert first.svg.isascii()
    root = ET.fromstring(first.svg)
    assert root.findtext(f"{SVG}title") == first.title != ""
    assert root.findtext(f"{SVG}desc") == first.description
    assert root.get("role") == "img"
    assert re.search(r"\d", first.description)
    assert first._repr_mimebundle_()["text/plain"] == f"{first.title}: {first.description}"


def test_everything_drawn_lies_inside_the_frame() -> None:
    for draw in PICTURES:
        root = ET.fromstring(draw().svg)
        width, height = float(root.get("width", "0")), float(root.get("height", "0"))
        for element in root.iter(f"{SVG}polyline"):
            points = [tuple(map(float, pair.split(","))) for pair in element.get("points", "").split()]
            assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
        for element in root.iter(f"{SVG}text"):
            assert 0 <= float(element.get("x", "-1")) <= width
            assert 0 <= float(element.get("y", "-1")) <= height


def test_numbers_and_words_are_written_safely() -> None:
    assert [fixed(value) for value in (-0.0001, 1 / 3, 2)] == ["0.00", "0.33", "2.00"]
    made = picture("a < b", "x & y", (10, 10), [words((1, 2), "<q, k>")])
    root = ET.fromstring(made.svg)
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc"), root.findtext(f"{SVG}text")) == (
        "a < b",
        "x & y",
        "<q, k>",
    )
