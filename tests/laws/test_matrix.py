"""Each mutant is killed by the law that names it, as the root cause; nothing correct is."""

from dataclasses import replace
from itertools import product

import pytest

from posproofs.engine.verdict import FAILED, outcome
from posproofs.laws import EXAMPLES, ROTARY_LAWS, Finding, Law, Subject, Width, examine, law, subject_of
from posproofs.mutants import MUTANTS, Mutant
from posproofs.mutants.reference import Layout, Style, rotation
from posproofs.vocabulary import Outcome

LAYOUTS: tuple[Layout, ...] = ("interleaved", "half-split")
NAMED_BY = {mutant.name: one for one in ROTARY_LAWS for mutant in one.mutants}


FEW = 10  # drawn cases of a law that only explains: its enumeration is whole


def outcomes(subject: Subject, laws: tuple[Law, ...]) -> dict[str, Outcome]:
    """How the laws come out without their proofs; all but the last are searched less widely.

    Which proofs refute which mutant, at a point of its own code, is asked in tests/symbolic/test_mutants.py.
    """
    found: dict[str, Outcome] = {}
    for one in laws:
        failed = {id_ for id_, seen in found.items() if seen in FAILED}
        finding = examine(replace(one, prove=None), subject, examples=EXAMPLES if one is laws[-1] else FEW)
        found[one.id] = outcome(one, subject.name, finding, failed=failed, entry=None)[0]
    return found


def with_needs(one: Law) -> tuple[Law, ...]:
    return (*(need for need in ROTARY_LAWS if need in one.needs), one)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_a_mutant_is_killed_by_the_law_that_names_it(mutant: Mutant) -> None:
    naming = NAMED_BY[mutant.name]
    found = outcomes(subject_of(mutant), with_needs(naming))
    assert found[naming.id] is Outcome.BROKEN
    assert not any(found[need.id] in FAILED for need in naming.needs)


@pytest.mark.parametrize(
    "mutant", [m for m in MUTANTS if m.name in {"identity", "in-place", "lost-minus"}], ids=lambda m: m.name
)
def test_what_follows_from_a_root_is_blocked(mutant: Mutant) -> None:
    found = outcomes(subject_of(mutant), ROTARY_LAWS)
    assert [id_ for id_, seen in found.items() if seen is Outcome.BROKEN] == [NAMED_BY[mutant.name].id]
    assert found["rotary.formula"] is Outcome.BLOCKED


CORRECT = [
    *(Style(reads, writes) for reads, writes in product(LAYOUTS, LAYOUTS)),
    *(Style(layout, layout, -1) for layout in LAYOUTS),
    Style("interleaved", "half-split", -1, magnitude=1.2),
    Style("half-split", "half-split", magnitude=1.2),
    Style(base=500000.0),
]


@pytest.mark.parametrize("style", CORRECT, ids=str)
def test_a_correct_rotation_raises_no_alarm(style: Style) -> None:
    """That each is proved is asked in tests/symbolic/test_mutants.py."""
    right = Mutant("right", "nothing", lambda head, rotary: rotation(head, rotary, style), style)
    subject = subject_of(right, (Width(2, 2), Width(4, 4), Width(12, 6), Width(64, 64)))
    findings = [examine(replace(one, prove=None), subject) for one in ROTARY_LAWS]
    assert [(f.law, f.worst, f.witness, f.error) for f in findings if f.broken or f.error] == []
    assert all(f.ran == f.applied > 0 for f in findings)


def test_two_examinations_come_to_the_same() -> None:
    """Also of the part that Hypothesis draws: a failure that only a drawn history shows."""
    wrong = next(m for m in MUTANTS if m.name == "history-dependent-base")
    findings: list[Finding] = [examine(law("rotary.history"), subject_of(wrong)) for _ in range(2)]
    assert findings[0] == findings[1]
