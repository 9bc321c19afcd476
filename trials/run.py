"""Trials by seed: case k of a fragment is drawn from the text "fragment/k", so that every case can be drawn again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from time import process_time

from trials.case import Case, Complaint, Judgement
from trials.fragments import FRAGMENTS

SLOW = 5.0  # seconds of computing for one case of a few nodes


@dataclass(slots=True)
class Counts:
    """What came of some cases of one fragment, and by which case each complaint can be drawn again."""

    near: int = 0
    true: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    complaints: list[tuple[int, Complaint]] = field(default_factory=list)


def drawn(fragment: str, k: int) -> tuple[Case, Random]:
    """Case k of a fragment, and the generator of chance as the draw leaves it."""
    chance = Random(f"{fragment}/{k}")
    return FRAGMENTS[fragment].draw(chance), chance


def tried(fragment: str, k: int) -> tuple[Case, Judgement]:
    """Case k of a fragment with the judgement of the kernel's answer."""
    case, chance = drawn(fragment, k)
    started = process_time()
    found = judgement(case, chance)
    if process_time() - started > SLOW and found.complaint is None:
        return case, Judgement(found.outcome, Complaint("too slow", f"more than {SLOW} s\n{case.claim.text()}"))
    return case, found


def judgement(case: Case, chance: Random) -> Judgement:
    module = FRAGMENTS[case.fragment]
    try:
        answer = module.answer(case)
    except Exception as error:  # noqa: BLE001 - whatever else the kernel raises is a finding
        if type(error).__name__ in case.allows:
            return Judgement("refused")
        return Judgement("crash", Complaint("crash", f"{type(error).__name__}: {error}\n{case.claim.text()}"))
    return module.opinion(case, answer, chance)


def run(fragment: str, seeds: Iterable[int]) -> Counts:
    """Try these cases of one fragment."""
    counts = Counts()
    for k in seeds:
        case, found = tried(fragment, k)
        if case.defect is None:
            counts.true += 1
        else:
            counts.near += 1
        counts.outcomes[found.outcome] += 1
        if found.complaint is not None:
            counts.complaints.append((k, found.complaint))
    return counts
