"""The fragments of the kernel, each with a module that draws claims of it, asks them, and judges the answers."""

from __future__ import annotations

from random import Random
from typing import Protocol

from derivations.kernel import Answer
from trials.case import Case, Judgement
from trials.fragments import blocks, hypotheses, indices, quotients, sums, values, words


class Fragment(Protocol):
    """What a module of this package offers."""

    NAME: str

    def draw(self, chance: Random) -> Case:
        """A true identity in one case of five, and otherwise one with a defect."""
        ...

    def answer(self, case: Case) -> Answer:
        """What the kernel says of it."""
        ...

    def opinion(self, case: Case, answer: Answer, chance: Random) -> Judgement:
        """What the oracle says of that."""
        ...


FRAGMENTS: dict[str, Fragment] = {
    values.NAME: values,
    quotients.NAME: quotients,
    sums.NAME: sums,
    words.NAME: words,
    blocks.NAME: blocks,
    indices.NAME: indices,
    hypotheses.NAME: hypotheses,
}
