"""The witness of every rotary mutant is the smallest in the order of its law, and fails in another process as well."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import takewhile

import pytest

from posproofs.laws import ROTARY_LAWS, Case, Finding, Law, Measure, Subject, examine, subject_of
from posproofs.laws.law import canonical
from posproofs.mutants import MUTANTS, Mutant
from tests.repo.sources import ROOT

NAMED_BY = {mutant.name: one for one in ROTARY_LAWS for mutant in one.mutants}


def asked(mutant: Mutant) -> Law:
    """The law that names the mutant, without its proof: the witness is that of the enumeration and the draws."""
    return replace(NAMED_BY[mutant.name], prove=None)


@cache
def found(mutant: Mutant) -> tuple[Subject, Finding]:
    subject = subject_of(mutant)
    return subject, examine(asked(mutant), subject)


def earlier(law: Law, subject: Subject) -> tuple[list[Case], Case | None]:
    """The cases of the enumeration before the first that fails, and that one; none where only a drawn case fails."""
    cases = [canonical(case) for case in law.cases(subject)]
    before = list(takewhile(lambda case: not law.measure(subject, case).broken, cases))
    return before, cases[len(before)] if len(before) < len(cases) else None


def smaller(law: Law, whole: Case | None, witness: Case) -> Iterator[Case]:
    """The cases that come before the witness when a failing case is narrowed, the parts of it that are smaller."""
    if law.id == "rotary.history":
        yield from shorter(witness)
    elif law.id == "rotary.gram" and whole is not None:
        pairs = [(m, r) for m in whole["starts"] for r in whole["offsets"]]
        single = len(witness["starts"]) == len(witness["offsets"]) == 1
        at = pairs.index((witness["starts"][0], witness["offsets"][0])) if single else None
        yield from ({**whole, "starts": [m], "offsets": [r]} for m, r in pairs[:at])
    elif law.id == "rotary.position" and whole is not None:
        p, q = witness["positions"]
        yield {**whole, "positions": [one for one in whole["positions"] if one < q]}
        yield {**whole, "positions": [*(one for one in whole["positions"] if one < p), q]}
    elif whole is not None and "positions" in whole:
        alone = whole["positions"].index(witness["positions"][0]) if len(witness["positions"]) == 1 else None
        one_row = {"shape": [1, 1]} if "shape" in whole else {}
        yield from ({**whole, **one_row, "positions": [p]} for p in whole["positions"][:alone])


def shorter(history: Case) -> Iterator[Case]:
    """The same with a call less, and with a row or a position less in one of its calls."""
    calls = history["calls"]
    for k, call in enumerate(calls):
        if len(calls) > 1:
            yield {**history, "calls": [*calls[:k], *calls[k + 1 :]]}
        yield from ({**history, "calls": [*calls[:k], less, *calls[k + 1 :]]} for less in less_of(call))
    yield from ({**history, "probe": less} for less in less_of(history["probe"]))


def less_of(call: Case) -> Iterator[Case]:
    if call["rows"] > 1:
        yield {**call, "rows": call["rows"] - 1}
        yield {**call, "rows": call["rows"] - 1, "start": call["start"] + 1}
    if call["start"]:
        yield {**call, "start": call["start"] - 1}


def too_large(law: Law, subject: Subject, finding: Finding) -> list[str]:
    """The smaller cases that fail, in words; and a witness that is in another width or dtype than what fails first."""
    assert finding.witness is not None
    _, whole = earlier(law, subject)
    cases = (canonical(case) for case in smaller(law, whole, finding.witness))
    found = [law.describe(case) for case in cases if law.measure(subject, case).broken]
    if whole is not None and any(finding.witness.get(key) != whole.get(key) for key in ("width", "dtype")):
        found.append(law.describe(whole))
    return found


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_nothing_smaller_than_the_witness_fails(mutant: Mutant) -> None:
    subject, finding = found(mutant)
    assert too_large(asked(mutant), subject, finding) == []


@pytest.mark.parametrize(
    "name", ["sine-over-tangent", "stale-cache", "lost-minus", "compressed-beyond-64", "ignored-base"]
)
def test_a_witness_that_was_not_narrowed_is_seen(name: str) -> None:
    mutant = next(one for one in MUTANTS if one.name == name)
    law = asked(mutant)

    def whole(subject: Subject, case: Case) -> Measure:
        return replace(law.measure(subject, case), narrowed=None)

    subject = subject_of(mutant)
    finding = examine(replace(law, measure=whole), subject)
    assert too_large(law, subject, finding)


AGAIN = """
import json, sys
from posproofs.laws import law, subject_of
from posproofs.mutants import MUTANTS
mutants = {mutant.name: mutant for mutant in MUTANTS}
shown = {}
for name, (id_, case) in json.load(sys.stdin).items():
    measured = law(id_).measure(subject_of(mutants[name]), case)
    shown[name] = [measured.broken, measured.saw]
print(json.dumps(shown))
"""


def test_every_witness_fails_in_another_process() -> None:
    witnesses = {mutant.name: (asked(mutant).id, found(mutant)[1].witness) for mutant in MUTANTS}
    done = subprocess.run(
        [sys.executable, "-c", AGAIN],
        cwd=ROOT,
        input=json.dumps(witnesses),
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = {mutant.name: [True, worst.saw] for mutant in MUTANTS if (worst := found(mutant)[1].worst) is not None}
    assert json.loads(done.stdout) == wanted
