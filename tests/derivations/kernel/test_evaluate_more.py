"""Under which conditions a value is right, where the quantity is a sum over an index."""

from __future__ import annotations

from derivations.kernel.evaluate import Context, evaluate, evidently_nonzero, scalar
from tests.derivations.kernel.building import cis, exp, fam, inv, nonzero, total


def test_a_sum_of_turns_may_vanish_and_a_sum_of_growths_may_not() -> None:
    """1 + e^(i pi) = 0, though no term of the sum vanishes; sums of positive terms are positive."""
    turns, growths = total(cis(fam("q"))), total(exp(fam("q")))
    context = Context(counts=frozenset("h"))
    assert not evidently_nonzero(scalar(turns, context), context)
    assert evidently_nonzero(scalar(growths, context), context)
    evaluate(inv(growths), context)
    assert context.conditions == []
    evaluate(inv(turns), context)
    assert context.conditions == [nonzero(turns)]
