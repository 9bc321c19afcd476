"""What an answer of the kernel is worth: the oracle looks at the point of a refutation and at places of a theorem.

A theorem is read back and taken at its word. Wherever its own hypotheses hold, its sides must have values and must not
be apart; and its witness must satisfy its hypotheses. A refutation must name a point at which every hypothesis holds,
at which the sides are apart, and its two enclosures must contain the two values.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from derivations.kernel import Answer, Refuted, Theorem
from trials import asking, oracles
from trials import enclosures as e
from trials.case import Case, Complaint, Judgement
from trials.language import Demand, Equation, Var, plain
from trials.oracles import Names, Place

NEAR = (0, 0, 0, 0, 1, 1)  # places for a near-identity; at those marked 1 all symbols have one value
TRUE = (1, 1)  # places for what is true by construction: only its hypotheses can be too few
ATTEMPTS = 6  # places drawn for each at which the hypotheses are to hold
WITNESSES = 3  # places drawn for the names that a witness leaves free


def judged(case: Case, answer: Answer, chance: Random) -> Judgement:
    """The judgement of an answer to a scalar equation."""
    assert isinstance(case.claim, Equation), "other claims have other judges"
    match answer:
        case Theorem():
            wrong = false_proof(answer, case.claim, chance, places=NEAR if case.defect else TRUE)
            return Judgement("proved" if case.defect is None or wrong else "true by accident", wrong)
        case Refuted():
            return Judgement("refuted", false_refutation(answer, case))
        case _:
            return Judgement(answer.reason)


def false_proof(theorem: Theorem, asked: Equation, chance: Random, *, places: tuple[int, ...]) -> Complaint | None:
    """A place that contradicts the theorem, if one of those drawn does."""
    said = asking.equation(theorem.statement)
    if (said.left, said.right) != (asked.left, asked.right):
        return Complaint("false proof", f"another equation was proved than was asked:\n{said.text()}")
    return _bad_witness(theorem, said, chance) or _contradiction(said, chance, places)


def _contradiction(said: Equation, chance: Random, places: tuple[int, ...]) -> Complaint | None:
    names = oracles.names_of(said)
    for shape in places:
        place = _where_all_hold(said, chance, names, shape)
        if place is not None and (found := _differ(said, place)):
            return Complaint("false proof", f"{said.text()}\n  at {_text(place)}: {found}")
    return None


def _where_all_hold(said: Equation, chance: Random, names: Names, shape: int) -> Place | None:
    for _ in range(ATTEMPTS):
        common = oracles.small(chance) * (chance.random() < 0.7) if shape else None
        place = oracles.drawn_place(said, chance, names, common=common)
        if _all_hold(said.demands, place):
            return place
    return None


def _all_hold(demands: tuple[Demand, ...], place: Place) -> bool:
    try:
        return all(oracles.holds(demand, place) for demand in demands)
    except (e.Undefined, e.Unclear):
        return False


def _differ(said: Equation, place: Place) -> str | None:
    """How the place contradicts the equation, in words; None where it does not, or not certainly."""
    try:
        sides = [oracles.plain_value(side, place) for side in (said.left, said.right)]
    except e.Undefined as reason:
        return f"a side has no value, {reason}"
    except e.Unclear:
        return None
    if e.apart(sides[0], sides[1], place.bits):
        return f"left {e.text(sides[0])}, right {e.text(sides[1])}"
    return None


def _bad_witness(theorem: Theorem, said: Equation, chance: Random) -> Complaint | None:
    """The witness must satisfy every hypothesis, whatever the names are that it leaves free."""
    if not said.demands:
        return None
    names = oracles.names_of(said)
    for _ in range(WITNESSES):
        place = asking.given(theorem.witness, oracles.drawn_place(said, chance, names))
        for demand in said.demands:
            if not _may_hold(demand, place):
                return Complaint("false proof", f"{said.text()}\n  has a witness where {demand.text()} fails")
    return None


def _may_hold(demand: Demand, place: Place) -> bool:
    try:
        return oracles.holds(demand, place)
    except e.Unclear:
        return True
    except e.Undefined:
        return False


def false_refutation(refuted: Refuted, case: Case) -> Complaint | None:
    """What is wrong with a refutation, if anything is."""
    assert isinstance(case.claim, Equation)
    place = asking.place_of(refuted)
    wrong = _wrong_point(refuted, case.claim, place) or (case.defect is None and "the claim is true by construction")
    return Complaint("false refutation", f"{case.claim.text()}\n  {refuted.text()}\n  {wrong}") if wrong else None


def _wrong_point(refuted: Refuted, claim: Equation, place: Place) -> str | None:
    for reach in claim.reaches:
        if not 0 <= oracles.whole(Var(reach.index), place) < oracles.whole(reach.count, place):
            return f"{reach.index} is out of its range"
    if any(oracles.whole(Var(count), place) < 1 for count in oracles.names_of(claim).counts):
        return "a count is below 1"
    for demand in claim.demands:
        if not _may_hold(demand, place):
            return f"{demand.text()} fails there"
    try:
        left, right = (oracles.plain_value(side, place) for side in (claim.left, claim.right))
    except e.Undefined as reason:
        return f"a side has no value there, {reason}"
    except e.Unclear:
        return None if place.bits > oracles.BITS else _wrong_point(refuted, claim, replace(place, bits=oracles.DEEP))
    for side, told in ((left, refuted.left), (right, refuted.right)):
        if e.apart(side, asking.box(told), 2 * oracles.BITS):
            return f"the enclosure {told!r} misses the value {e.text(side)}"
    if e.apart(left, right, place.bits):
        return None
    if place.bits == oracles.BITS:
        return _wrong_point(refuted, claim, replace(place, bits=oracles.DEEP))
    return f"both sides are {e.text(left)} there"


def _text(place: Place) -> str:
    symbols = [f"{name}={e.text(number)}" for name, number in sorted(place.symbols.items())]
    members = [f"{name}[{k}]={number}" for (name, k), number in sorted(place.members.items())]
    functions = [f"{name}(t)={plain(given.body)}" for name, given in sorted(place.functions.items())]
    return ", ".join(symbols + members + functions)
