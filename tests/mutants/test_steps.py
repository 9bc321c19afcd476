"""Every row of every derivation is mutated: the kernel refutes the mutant, or proves that it says the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from derivations.derivation import Entry, Step, catalogue, decide, get
from derivations.kernel import Refuted, ShapeError, Statement, Theorem, Undecided, prove
from derivations.kernel.terms import Apply, Multiply, Symbol, number
from posproofs.mutants.steps import step_mutants

CHAINS = [entry for entry in catalogue().values() if entry.chain is not None]
# Mutants that are equal for a reason outside their own chain: c is even, as a formula that stands later shows.
LATER = {"euler.circular": ("euler.cosine", "euler.sine")}


def decided(entry: Entry, mutant: Statement, step: Step) -> str:
    """refuted, ill-typed, equal, or undecided with the reason."""
    assert entry.chain is not None
    given = entry.chain.given
    answer = decide(mutant, step, given)
    if isinstance(answer, Undecided) and entry.id in LATER:
        later = tuple(get(name).theorem for name in LATER[entry.id])
        answer = prove(mutant, using=later, idle=given.hypotheses, model=given.model)
    match answer:
        case Theorem():
            return "equal"
        case Refuted():
            return "refuted"
        case Undecided(_, reason, detail):
            return f"undecided: {reason}, {detail}"


def fates(entry: Entry) -> Counter[str]:
    """How the mutants of all rows of one derivation came out."""
    assert entry.chain is not None
    found: Counter[str] = Counter()
    for row, (statement, step) in enumerate(entry.chain.statements(), 1):
        for defect, mutant in dict.fromkeys(step_mutants(statement.right)):
            try:
                fate = decided(entry, replace(statement, right=mutant), step)
            except ShapeError:
                fate = "ill-typed"
            found[fate if not fate.startswith("undecided") else f"row {row}, {defect}: {fate}"] += 1
    return found


@pytest.mark.parametrize("entry", CHAINS, ids=lambda entry: entry.id)
def test_no_step_mutant_is_undecided(entry: Entry) -> None:
    found = fates(entry)
    assert set(found) <= {"refuted", "ill-typed", "equal"}, found
    assert found["refuted"] + found["ill-typed"] > 0


def test_the_defects_are_of_every_kind() -> None:
    """Sign, index, transpose, dropped term and swapped symbol all occur among the mutants of the catalogue."""
    kinds: Counter[str] = Counter()
    for entry in CHAINS:
        assert entry.chain is not None
        for statement, _ in entry.chain.statements():
            kinds.update(defect for defect, _ in step_mutants(statement.right))
    for wanted in ("sign of a term", "index", "lost transpose", "dropped term", "m and n exchanged", "column"):
        assert kinds[wanted] > 0, wanted


def test_a_mutant_differs_in_one_place() -> None:
    angle = Multiply((Symbol("m"), Symbol("theta")))
    mutants = dict(step_mutants(Apply("sin", angle)))
    assert mutants["sign of an angle"] == Apply("sin", Multiply((number(-1), angle)))
    assert mutants["cosine for sine"] == Apply("cos", angle)
