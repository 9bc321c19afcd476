"""Titles and reasons: words stay words, formulas become formulas, and what is neither does no harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posproofs.export.glyphs import EXPANDED, MACROS
from posproofs.export.phrases import Wording, bracketed, parts

WORDS = Wording()


@pytest.mark.parametrize(
    ("phrase", "shown"),
    [
        ("angles add, pair by pair", "angles add, pair by pair"),
        ("R_m^T R_n = R_(n-m) for every even width", r"$R_{m}^{\top}R_{n} = R_{n-m}$ for every even width"),
        ("c' = -s and s' = c", "$c' = -s$ and $s' = c$"),
        ("Euler's formula", "Euler's formula"),
        ("i^2 = -1", "$i^{2} = -1$"),
        ("a pair as a complex number", "a pair as a complex number"),
        ("P P^T = I, then R_m^T R_n = R_(n-m)", r"$PP^{\top} = I$, then $R_{m}^{\top}R_{n} = R_{n-m}$"),
        ("<g, A x> = <A^T g, x>", r"$\langle g,Ax\rangle =\langle A^{\top}g,x\rangle$"),
        ("P brings pair (i, i + d/2) to (2i, 2i + 1)", r"$P$ brings pair $(i,i + d/2)$ to $(2i,2i + 1)$"),
        ("an orthogonal change (of layouts, say) of P", "an orthogonal change (of layouts, say) of $P$"),
        ("Re(z conj w) is real", r"$\mathrm{Re}\,(z\overline{w})$ is real"),
        ("d/dp R_p = B R_p", r"$\tfrac{d}{dp} R_{p} = BR_{p}$"),
        ("n in {1, ..., d}", r"$n\in \{1,\dots ,d\}$"),
        ("cannot multiply 2 x 1 by 2 x 1", r"cannot multiply $2\times 1$ by $2\times 1$"),
        ("at q1=2: left -2.15", "at $q_{1} = 2$: left $-2.15$"),
        ("proved as rotary.unique_gram", r"proved as rotary.unique\_gram"),
        ("width 2", "width 2"),
        ("for all h >= 1; i = 0..h-1; real h", r"for all $h\ge 1$; $i = 0\dots h - 1$; real $h$"),
        ("Y[i, j] = X[i, j + L - i]", r"$Y[i,j] = X[i,j + L - i]$"),
        ("X^flat_t at flat index t", r"$X^{\flat}_{t}$ at flat index $t$"),
        ("row * width + column", r"row $\times$ width $+$ column"),
        ("base^(-2/d) of G(.)", r"$\mathrm{base}^{-2/d}$ of $G(\cdot )$"),
        ("half-split rotations mix them", "half-split rotations mix them"),
    ],
)
def test_sentences(phrase: str, shown: str) -> None:
    assert WORDS.sentence(phrase) == shown


def test_a_nested_list_is_a_matrix() -> None:
    wanted = r"$W_{k} =\left(\begin{smallmatrix} -1 & 1 \\ 0 & 2 \end{smallmatrix}\right)$"
    assert WORDS.sentence("W_k=[[-1, 1], [0, 2]]") == wanted


def test_names_and_bold_letters_of_a_document() -> None:
    words = Wording(frozenset({"gain"}), {"R": r"\ppmat{R}"}, MACROS)
    assert words.sentence("the gain of R_m^T") == r"the $\mathrm{gain}$ of $\ppmat{R}_{m}^{\pptop}$"
    assert words.in_display("the gain of R") == r"\text{the }\mathrm{gain}\text{ of }\ppmat{R}"


def test_in_a_display_words_stand_in_text() -> None:
    assert WORDS.in_display("e_i^2 = e_i & so on") == r"e_{i}^{2} = e_{i}\text{ \& so on}"


def test_the_variable_a_is_told_from_the_article() -> None:
    words = Wording(frozenset({"a", "b"}))
    assert words.sentence("for all real a, b") == "for all real $a$, $b$"
    assert words.sentence("a pair, for all real a") == "a pair, for all real $a$"
    assert WORDS.sentence("constant a, given") == "constant a, given"


def test_brackets_stand_with_the_words_next_to_them() -> None:
    assert bracketed(WORDS.in_display("angles add")) == r"\text{(angles add)}"
    assert bracketed(WORDS.in_display("i^2 = -1 here")) == r"\text{(}i^{2} = -1\text{ here)}"


@given(st.text(st.sampled_from("ab Rx_^()[]{}<>,.;:=+-*/'123 theta"), max_size=40))
def test_no_letter_is_lost(phrase: str) -> None:
    """Splitting only splits: the parts together are the phrase, spaces apart."""
    together = "".join(part.text for part in parts(phrase))
    assert together.replace(" ", "") == phrase.replace(" ", "")


@given(st.text(st.sampled_from("abR_^()[]<>,.=+-' 12"), max_size=30))
def test_braces_are_balanced(phrase: str) -> None:
    written = Wording(style=EXPANDED).sentence(phrase)
    assert written.count("{") == written.count("}")
    assert written.count("$") % 2 == 0
