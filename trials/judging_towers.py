"""What a tower says is worth: every equation that it states is looked at where the conditions hold that it lists.

There it must have values on both sides, and they must not be apart. A tower does not say that two values differ, so it
refutes nothing, and what it cannot prove is counted as undecided.
"""

from __future__ import annotations

from random import Random

from trials import oracles_towers as oracle
from trials.asking_towers import Told
from trials.case import Case, Complaint, Judgement
from trials.language import Equation
from trials.oracles import small

NEAR = (0, 0, 0, 1)  # places for a near-identity that is proved; at those marked 1 all symbols have one value
TRUE = (0, 1)  # for what is true by construction and proved: only its conditions can be too few
ALIKE = 0.25  # how often all symbols have one value at the one place where the values of both sides are looked at


def judged(case: Case, told: Told, chance: Random) -> Judgement:
    """The judgement of what a tower says of an equation."""
    if not told.proved:
        wrong = false_proof(case, told, chance, places=(int(chance.random() < ALIKE),))
        return Judgement(told.reason or "no point found", wrong)
    wrong = false_proof(case, told, chance, places=NEAR if case.defect else TRUE)
    return Judgement("proved" if wrong or case.defect is None else "true by accident", wrong)


def false_proof(case: Case, told: Told, chance: Random, *, places: tuple[int, ...]) -> Complaint | None:
    """A place that contradicts one of the equations that a tower states, if one of those drawn does."""
    assert isinstance(case.claim, Equation), "other claims have other judges"
    names = oracle.names_of(case.claim)
    for shape in places:
        place = oracle.drawn_place(names, chance, common=small(chance) if shape else None)
        for said in told.said:
            found = oracle.differ(said, place)
            if found is not None:
                return Complaint("false proof", f"{case.claim.text()}\n{oracle.shown(said, place, found)}")
    return None
