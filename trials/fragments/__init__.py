"""The fragments of the kernel, each with a module that draws claims of it, asks them, and judges the answers."""

from __future__ import annotations

from random import Random
from typing import Any, Protocol

from trials.case import Case, Judgement
from trials.fragments import blocks, hypotheses, indices, quotients, sums, towers, values, words


class Fragment(Protocol):
    """What a module of this package offers."""

    NAME: str

    def draw(self, chance: Random) -> Case:
        """A true identity in one case of five, and otherwise one with a defect."""
        ...

    def answer(self, case: Case) -> Any:
        """What the kernel says of it: an Answer, or in other words that the opinion understands."""
        ...

    def opinion(self, case: Case, answer: Any, chance: Random) -> Judgement:
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
    towers.NAME: towers,
}
