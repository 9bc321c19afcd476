"""What tests of witnesses share: the cases smaller than a witness are asked, and it is asked in another process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import Any

from posproofs.laws import LAWS, AnySubject, Case, Finding, Law, Measure, examine, subject_of
from posproofs.laws.law import canonical
from posproofs.mutants import AttentionMutant, Mutant, ScoreMutant
from tests.repo.sources import ROOT

AnyMutant = Mutant | ScoreMutant | AttentionMutant
Smaller = Callable[[Law, Any, Case | None, Case], Iterable[Case]]
"""(law, subject, the case of the enumeration that fails first, witness) -> every case smaller than the witness."""
Fixed = Callable[[Case], object]
"""What a witness has in common with the case of the enumeration that fails first."""
Failing = Callable[[Law, Any, Case], bool]

NAMED_BY = {mutant.name: one for one in LAWS for mutant in one.mutants}


def asked(mutant: AnyMutant) -> Law:
    """The law that names the mutant, without its proof: the witness is that of the enumeration and the draws."""
    return replace(NAMED_BY[mutant.name], prove=None)


@cache
def found(mutant: AnyMutant, sizes: tuple[Any, ...] = ()) -> tuple[Any, Finding]:
    """The mutant as a subject, and what the law that names it finds."""
    made: Callable[..., AnySubject] = subject_of
    subject = made(mutant, sizes) if sizes else made(mutant)
    return subject, examine(asked(mutant), subject)


def first_failing(law: Law, subject: AnySubject) -> Case | None:
    """The first case of the enumeration that fails; None where only a drawn case does."""
    cases = [canonical(case) for case in law.cases(subject)]
    before = list(takewhile(lambda case: not law.measure(subject, case).broken, cases))
    return cases[len(before)] if len(before) < len(cases) else None


def breaks(law: Law, subject: AnySubject, case: Case) -> bool:
    return law.measure(subject, case).broken


def too_large(
    law: Law, subject: AnySubject, finding: Finding, smaller: Smaller, *, fixed: Fixed, failing: Failing = breaks
) -> Iterator[str]:
    """The smaller cases that fail, in words; and a witness that is in another width or dtype than what fails first."""
    assert finding.witness is not None
    whole = first_failing(law, subject)
    if whole is not None and fixed(finding.witness) != fixed(whole):
        yield law.describe(whole)
    for case in map(canonical, smaller(law, subject, whole, finding.witness)):
        if failing(law, subject, case):
            yield law.describe(case)


def not_narrowed(law: Law) -> Law:
    """The law with a measurement that does not narrow."""

    def whole(subject: AnySubject, case: Case) -> Measure:
        return replace(law.measure(subject, case), narrowed=None)

    return replace(law, measure=whole)


AGAIN = """
import json, sys, torch
from posproofs.laws import law, score_narrowing, subject_of
from posproofs.mutants import ATTENTION_MUTANTS, MUTANTS, SCORE_MUTANTS
torch.set_num_threads(1)
score_narrowing.fails = lambda *asked: False  # smaller cases are asked where a witness is found
mutants = {mutant.name: mutant for mutant in (*MUTANTS, *SCORE_MUTANTS, *ATTENTION_MUTANTS)}
shown = {}
for name, (id_, case) in json.load(sys.stdin).items():
    measured = law(id_).measure(subject_of(mutants[name]), case)
    shown[name] = [measured.broken, measured.saw]
print(json.dumps(shown))
"""


def in_another_process(findings: dict[str, Finding]) -> dict[str, list[object]]:
    """For each mutant, whether its witness fails in a new process, and what is seen there."""
    done = subprocess.run(
        [sys.executable, "-c", AGAIN],
        cwd=ROOT,
        input=json.dumps({name: (finding.law, finding.witness) for name, finding in findings.items()}),
        capture_output=True,
        text=True,
        check=True,
    )
    shown: dict[str, list[object]] = json.loads(done.stdout)
    return shown


def here(findings: dict[str, Finding]) -> dict[str, list[object]]:
    """The same as it was found."""
    return {name: [True, finding.worst.saw] for name, finding in findings.items() if finding.worst is not None}
