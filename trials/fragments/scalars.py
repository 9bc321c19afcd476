"""From two equal sides to a case: what the scalar fragments have in common."""

from __future__ import annotations

from random import Random

from trials.case import Case
from trials.drawing import in_context
from trials.language import Demand, Equation, Node
from trials.rewriting import rewritten
from trials.spoiling import spoiled

TRUE_IN = 5  # one case of so many is left true


def case_of(fragment: str, chance: Random, sides: tuple[Node, Node], demands: tuple[Demand, ...] = ()) -> Case:
    """A case from equal sides: perhaps in a larger term, perhaps one side rewritten, and in four of five one defect."""
    left, right = in_context(chance, sides)
    if chance.random() < 0.2:
        left, right = right, left
    claim = Equation(left, rewritten(right, chance) if chance.random() < 0.6 else right, demands)
    if chance.randrange(TRUE_IN) == 0:
        return Case(fragment, claim)
    return Case(fragment, *spoiled(claim, chance))
