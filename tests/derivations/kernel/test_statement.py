"""Statements as data: what two of them have in common when they say the same in the same words."""

from __future__ import annotations

from derivations.kernel import Range, Statement
from tests.derivations.kernel.building import add, fam, n, nonzero, x


def said(index: str) -> Statement:
    return Statement(add(fam("q"), x), add(x, fam("q")), (nonzero(x),), (Range(index, n),))


def test_equal_statements_are_one_key() -> None:
    """Statements are looked up in dictionaries, by their terms, hypotheses and ranges alone."""
    assert said("i") == said("i")
    assert len({said("i"), said("i"), said("j")}) == 2
    assert {said("i"): "found"}[said("i")] == "found"
