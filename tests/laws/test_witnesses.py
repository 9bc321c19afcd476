"""The witness of every rotary mutant is the smallest in the order of its law, and fails in another process as well."""

from collections.abc import Iterator

import pytest

from posproofs.laws import Case, Law, Subject, examine, subject_of
from posproofs.mutants import MUTANTS, Mutant
from tests.laws.witnesses import asked, found, here, in_another_process, not_narrowed, too_large


def smaller(law: Law, _subject: Subject, whole: Case | None, witness: Case) -> Iterator[Case]:
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


def fixed(case: Case) -> object:
    return case.get("width"), case.get("dtype")


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_nothing_smaller_than_the_witness_fails(mutant: Mutant) -> None:
    subject, finding = found(mutant)
    assert list(too_large(asked(mutant), subject, finding, smaller, fixed=fixed)) == []


@pytest.mark.parametrize(
    "name", ["sine-over-tangent", "stale-cache", "lost-minus", "compressed-beyond-64", "ignored-base"]
)
def test_a_witness_that_was_not_narrowed_is_seen(name: str) -> None:
    mutant = next(one for one in MUTANTS if one.name == name)
    law, subject = asked(mutant), subject_of(mutant)
    finding = examine(not_narrowed(law), subject)
    assert list(too_large(law, subject, finding, smaller, fixed=fixed))


def test_every_witness_fails_in_another_process() -> None:
    findings = {mutant.name: found(mutant)[1] for mutant in MUTANTS}
    assert in_another_process(findings) == here(findings)
