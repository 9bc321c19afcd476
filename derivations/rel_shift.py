"""The relative shift: six ways to read offset columns, each as a gather identity with the region where it holds.

A score matrix X has one row for each query i and one column for each offset. Padding, flattening and cutting again into
rows moves entry (i, t) so that the column j of the result is the key j. Memory is never copied: the identity says which
entry of X stands at flat index i * width' + j + start. Outside the stated region the index runs into the next row,
and the released code relies on a mask there. Y[i, j] is by definition what stands at that flat index; that released
functions read there is what the laws show of them.

    L queries, K = L + M keys, offsets i + M - j (position of the query minus that of the key)

(Dai et al., Transformer-XL, 2019, appendix B; the variants are those of released code.)
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from derivations.derivation import Entry, Given, Step, derivation, equation, refuted
from derivations.from_sympy import to_term
from derivations.kernel import Hypothesis, Refuted, prove
from derivations.kernel.statement import Range
from derivations.kernel.terms import Symbol
from derivations.notation import Flat

PAPER = "Transformer-XL, appendix B"
i, j = sp.symbols("i j", integer=True)
L, M, C, P = sp.symbols("L M C P", integer=True, positive=True)
K = sp.Symbol("K", integer=True, positive=True)
X = sp.IndexedBase("X", real=True)
QUERIES, KEYS, SQUARE = (Range(*of) for of in (("i", Symbol("L")), ("j", Symbol("K")), ("j", Symbol("L"))))


def at_least_zero(expression: sp.Expr) -> Hypothesis:
    """The region of validity: an integer expression that must be at least 0."""
    return Hypothesis("nonnegative", to_term(expression))


MEMORY = at_least_zero(K - L)  # there are at least as many keys as queries: K = L + M


def gather(name: str, title: str, shifted: Any, place: tuple[Any, Any], given: Given, *, source: str) -> Entry:
    """One variant: what the shifted matrix holds at (i, j) is the entry of X at `place`."""
    return derivation(
        f"rel_shift.{name}",
        title,
        shifted,
        Step(X[place], "the flat index is row * width + column, with 0 <= column < width in the region"),
        source=source,
        claims=("RF-22", "RF-24"),
        given=given,
    )


# XLNet, bi: X has K + L columns, column t for offset K - t. (L, K + L) is read as (K + L, L), the first row dropped,
# and read again as (L, K + L - 1): the entry (i, j) stands at flat index i (K + L - 1) + j + L of X.
BIDIRECTIONAL = gather(
    "bidirectional",
    "XLNet with K + L offset columns: Y[i, j] = X[i, j + L - i], for every query and key",
    Flat("X", i * (K + L - 1) + j + L, K + L),
    (i, j + L - i),
    Given((), (QUERIES, KEYS)),
    source="Yang et al., XLNet, 2019; column t holds offset K - t",
)
# Transformer-XL: K offset columns, column t for offset K - 1 - t. A zero column is put in front (rows of K + 1), the
# first row of the (K + 1, L) reading dropped: entry (i, j) stands at flat index i K + j + L of the padded matrix.
PADDED = gather(
    "causal",
    "Transformer-XL with K offset columns after a zero column: Y[i, j] = Z[i, j + L - i] where j <= i + K - L",
    Flat("X", i * K + j + L, K + 1),
    (i, j + L - i),
    Given((MEMORY, at_least_zero(i + K - L - j)), (QUERIES, KEYS)),
    source=f"{PAPER}; column t + 1 of the padded matrix holds offset K - 1 - t",
)
# Conformer style: 2 L - 1 columns, column t for offset L - 1 - t, K = L. A zero column in front (rows of 2 L).
CONFORMER = gather(
    "conformer",
    "Conformer with 2 L - 1 offset columns after a zero column: Y[i, j] = Z[i, j + L - i], for every query and key",
    Flat("X", i * (2 * L - 1) + j + L, 2 * L),
    (i, j + L - i),
    Given((), (QUERIES, SQUARE)),
    source="Gulati et al., Conformer, 2020; Parakeet, wav2vec2-conformer, ESPnet",
)
# Music Transformer: L learned columns, the causal shift without memory.
SKEW = gather(
    "skew",
    "Music Transformer's skewing of L offset columns after a zero column: Y[i, j] = Z[i, j + L - i] where j <= i",
    Flat("X", i * L + j + L, L + 1),
    (i, j + L - i),
    Given((at_least_zero(i - j),), (QUERIES, SQUARE)),
    source="Huang et al., Music Transformer, 2018, section 3.4",
)
# VITS: 2 L - 1 columns, column t for offset t - (L - 1) of key minus query. One zero column behind (rows of 2 L), L - 1
# zeros at the end; read as (L + 1, 2 L - 1) and cut to columns from L - 1 on.
VITS = gather(
    "vits",
    "VITS, relative to absolute: Y[i, j] = Z[i, j - i + L - 1] of 2 L - 1 offset columns before a zero column",
    Flat("X", i * (2 * L - 1) + j + L - 1, 2 * L),
    (i, j - i + L - 1),
    Given((), (QUERIES, SQUARE)),
    source="Kim et al., VITS, 2021",
)
# Blockwise (Gemma 4 audio): P offset columns padded to C + 1, where the context has C keys and P <= C + 1.
BLOCKWISE = gather(
    "blockwise",
    "blockwise shift of P offset columns padded to C + 1: Y[i, j] = Z[i, j - i] where 0 <= j - i <= C",
    Flat("X", i * C + j, C + 1),
    (i, j - i),
    Given((at_least_zero(j - i),), (QUERIES, Range("j", Symbol("C")))),
    source="Gemma 4 audio encoder",
)


def beyond_the_region() -> Refuted:
    """Without the region the causal shift is false: past j = i + M the entry comes from the next row."""
    claim = equation(Flat("X", i * K + j + L, K + 1), X[i, j + L - i], Given((MEMORY,), (QUERIES, KEYS)))
    return refuted(prove(claim))


def off_by_one() -> Refuted:
    """With j + L - 1 - i in place of j + L - i every entry is its neighbour."""
    claim = equation(Flat("X", i * (K + L - 1) + j + L, K + L), X[i, j + L - 1 - i], Given((), (QUERIES, KEYS)))
    return refuted(prove(claim))


ENTRIES = (BIDIRECTIONAL, PADDED, CONFORMER, SKEW, VITS, BLOCKWISE)
