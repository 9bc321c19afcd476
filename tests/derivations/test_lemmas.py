"""The list of cited lemmas is closed: it is pinned here, and no lemma names a scheme."""

from __future__ import annotations

import pytest

from derivations.kernel import KernelError
from derivations.lemmas import LEMMAS, cite

PINNED = (
    "linear-ode-uniqueness",
    "square-inverse",
    "spectral-theorem",
    "pi-transcendental",
    "lindemann-weierstrass",
    "one-parameter-group",
    "dimension-of-rotations",
)
SCHEMES = ("rotary", "rope", "transformer", "alibi", "sinusoid", "attention", "xpos", "t5", "deberta")


def test_the_list_is_pinned() -> None:
    assert tuple(LEMMAS) == PINNED


def test_each_lemma_has_a_source_and_names_no_scheme() -> None:
    for lemma in LEMMAS.values():
        assert lemma.source
        assert not any(word in f"{lemma.id} {lemma.statement}".lower() for word in SCHEMES)


def test_an_unknown_lemma_is_refused() -> None:
    with pytest.raises(KernelError, match="the list is closed"):
        cite("rotary-works")
