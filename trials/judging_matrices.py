"""What an answer about matrices is worth: places of the oracle for a theorem, and its own point for a refutation."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from derivations.kernel import Answer, Refuted, Theorem
from derivations.kernel.balls import Ball
from derivations.kernel.terms import Replacement
from trials import asking, asking_matrices, enclosures
from trials import exact as ex
from trials import oracles_matrices as oracle
from trials.case import Complaint, Judgement
from trials.language import Demand, Equation, Lambda, Var
from trials.places import NoRow, Place, Recipe

PLACES = 6
ATTEMPTS = 6  # places drawn for each one at which the conditions hold
UNDEFINED = (enclosures.Undefined, enclosures.Unclear, ZeroDivisionError)


def judged(
    claim: Equation,
    defect: str | None,
    answer: Answer,
    chance: Random,
    *,
    largest: int = 4,
    places: int = PLACES,
    recipes: Mapping[str, Recipe] | None = None,
) -> Judgement:
    """The judgement of an answer to a claim that is true by construction, or has a defect."""
    match answer:
        case Theorem():
            wrong = false_proof(answer, claim, chance, largest=largest, places=places, recipes=recipes)
            return Judgement("proved" if defect is None or wrong else "true by accident", wrong)
        case Refuted():
            reason = _wrong_point(answer, claim) or (defect is None and "the claim is true by construction")
            return Judgement("refuted", _unfounded(answer, claim, reason) if reason else None)
        case _:
            return Judgement(answer.reason)


def _unfounded(refuted: Refuted, claim: Equation, reason: str) -> Complaint:
    return Complaint("false refutation", f"{claim.text()}\n  {refuted.text()}\n  {reason}")


def false_proof(
    theorem: Theorem,
    asked: Equation,
    chance: Random,
    *,
    largest: int = 4,
    places: int = PLACES,
    recipes: Mapping[str, Recipe] | None = None,
) -> Complaint | None:
    """A place that contradicts the theorem, or the statement that it makes, if one does."""
    said = asking_matrices.equation(theorem.statement)
    if (said.left, said.right) != (asked.left, asked.right):
        return another(said)
    return contradiction(theorem, said, chance, largest=largest, places=places, recipes=recipes)


def another(said: Equation) -> Complaint:
    return Complaint("false proof", f"another equation was proved than was asked:\n{said.text()}")


def contradiction(
    theorem: Theorem,
    said: Equation,
    chance: Random,
    *,
    largest: int = 4,
    places: int = PLACES,
    recipes: Mapping[str, Recipe] | None = None,
) -> Complaint | None:
    """A place at which the conditions hold and the sides differ, or a witness that breaks a condition."""
    left_to_try = places
    for _ in range(ATTEMPTS * places):
        place = oracle.drawn_place(said, chance, largest=largest, recipes=recipes)
        if not all(_certain(demand, place) for demand in said.demands):
            continue
        left_to_try -= 1
        if _differ(said, place):
            return Complaint("false proof", f"{said.text()}\n  at {shown(place)}: the sides differ")
        if not left_to_try:
            break
    return _bad_witness(theorem, said, chance, largest) if said.demands else None


def _differ(said: Equation, place: Place) -> bool:
    """Do the sides certainly differ? A side without a value where the conditions hold is a difference too."""
    try:
        return oracle.separated(said, place)
    except (NoRow, enclosures.Unclear):
        return False  # memory in rows of no length is nothing that could differ
    except (enclosures.Undefined, ZeroDivisionError):
        return True


def _certain(demand: Demand, place: Place) -> bool:
    try:
        return oracle.holds(demand, place)
    except UNDEFINED:
        return False


def _bad_witness(theorem: Theorem, said: Equation, chance: Random, largest: int) -> Complaint | None:
    """The witness must satisfy every condition, whatever the names are that it leaves free."""
    drawn = oracle.drawn_place(said, chance, largest=largest)
    place = given(theorem.witness, drawn)
    for demand in said.demands:
        if not _may_hold(demand, place):
            return Complaint("false proof", f"{said.text()}\n  has a witness where {demand.text()} fails")
    return None


def given(model: Mapping[str, Replacement], place: Place) -> Place:
    """The place with what a model puts for names."""
    formulas = {name: Lambda(r.parameters, asking_matrices.node(r.body)) for name, r in model.items()}
    place.formulas = {**place.formulas, **formulas}
    for name, formula in formulas.items():
        if not formula.parameters and oracle.is_number(formula.body):
            place.numbers[name] = oracle.number(formula.body, place)
    return place


def _wrong_point(refuted: Refuted, claim: Equation) -> str | None:
    """What is wrong with the point of a refutation, if anything is."""
    place = given(refuted.given, asking_matrices.place_of(refuted.point))
    for reach in claim.reaches:
        if not 0 <= oracle.whole(Var(reach.index), place) < oracle.whole(reach.count, place):
            return f"{reach.index} is out of its range"
    if any(oracle.whole(Var(name), place) < 1 for name in oracle.names_counted(claim)):
        return "a count is below 1"
    for demand in claim.demands:
        if not _may_hold(demand, place):
            return f"{demand.text()} fails there"
    try:
        left, right = (oracle.value(side, place) for side in (claim.left, claim.right))
    except enclosures.Undefined as reason:
        return f"a side has no value there, {reason}"
    row, column = refuted.entry
    for side, told in ((left, refuted.left), (right, refuted.right)):
        entry = side[row][column] if isinstance(side, tuple) else side
        if not _meets(entry, told):
            return f"the enclosure {told!r} misses the value"
    return None if oracle.differing(left, right) else "both sides are equal there"


def _meets(entry: ex.Amount, told: Ball) -> bool:
    return not enclosures.apart(ex.plain(entry), asking.box(told), ex.BITS)


def _may_hold(demand: Demand, place: Place) -> bool:
    try:
        return oracle.may_hold(demand, place)
    except enclosures.Unclear:
        return True
    except enclosures.Undefined:
        return False


def shown(place: Place) -> str:
    """A place for people."""
    parts = [f"{name}={number}" for name, number in sorted(place.numbers.items())]
    parts += [f"{name}[{k}]={number}" for (name, k), number in sorted(place.members.items())]
    parts += [f"{name}({at})={rows}" for (name, at), rows in sorted(place.grids.items(), key=repr)]
    return ", ".join(parts)


def ill_typed(claim: Equation) -> Judgement:
    """An ill-typed claim got an answer."""
    return Judgement("proved", Complaint("false proof", f"sizes do not agree, and it was answered:\n{claim.text()}"))
