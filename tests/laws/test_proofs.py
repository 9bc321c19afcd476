"""How a proof and the cases of a law come to one finding, and what a proof sees that cases do not."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor

from posproofs.engine.records import SubjectRecord
from posproofs.engine.run import law_record
from posproofs.engine.verdict import verdict
from posproofs.errors import Contradiction
from posproofs.laws import Finding, Law, ScoreInstance, Size, Subject, examine, law, subject_of
from posproofs.laws.score_calls import sequence_of
from posproofs.mutants import Mutant, ScoreMutant
from posproofs.mutants.four_terms import scores
from posproofs.mutants.reference import Style, rotation
from posproofs.report.text import failure
from posproofs.symbolic.proof import Proof
from posproofs.vocabulary import Evidence, Outcome
from tests.report.goldens import compare, masked

RIGHT = subject_of(Mutant("right", "nothing", lambda head, rotary: rotation(head, rotary, Style())))
SCORES = subject_of(ScoreMutant("right", "nothing"))


def off_the_grid(head: int, rotary: int) -> Callable[[Tensor, Tensor], Tensor]:
    """The correct rotation plus a term that is 0 wherever x is a multiple of 1/8 from -2 to 2, as in every case."""
    right = rotation(head, rotary, Style())

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        extra = 1e-27 * (8 * x)
        for k in range(1, 17):
            extra = extra * ((8 * x) ** 2 - k * k)
        return right(x, positions) + extra

    return rotate


@cache
def found_off_the_grid() -> tuple[Subject, Finding]:
    subject = subject_of(Mutant("off-the-grid", "a term that vanishes on a grid", off_the_grid))
    return subject, examine(law("rotary.formula"), subject)


def test_a_defect_that_no_case_meets_is_found_by_the_proof() -> None:
    subject, found = found_off_the_grid()
    formula = law("rotary.formula")
    assert not examine(replace(formula, prove=None), subject).broken
    assert found.broken
    assert found.proof is not None
    assert found.proof.status == "refuted"
    assert found.witness is not None
    assert formula.measure(subject, found.witness).broken
    assert len(found.witness["x"][0][0][0]) == 4


def test_its_failure_reads_as_any_other() -> None:
    subject, found = found_off_the_grid()
    record = law_record(subject, law("rotary.formula"), found, Outcome.BROKEN, stored="0a1b2c")
    whole = (record,)
    about = SubjectRecord(subject.name, "posproofs", "", "rotary", str(subject.convention), verdict(whole), whole)
    compare("failure-only-the-proof.txt", masked(failure(about, record)))


def with_proof(proof: Proof) -> Law:
    return replace(law("rotary.formula"), prove=lambda _subject: proof)


def test_a_proof_that_holds_is_the_evidence() -> None:
    found = examine(with_proof(Proof("proved")), RIGHT)
    assert law_record(RIGHT, law("rotary.formula"), found, Outcome.HOLDS).evidence is Evidence.PROVED


def test_where_nothing_is_decided_the_cases_stand_and_the_reason_is_kept() -> None:
    found = examine(with_proof(Proof("undecided", "no rule for aten.sort")), RIGHT)
    record = law_record(RIGHT, law("rotary.formula"), found, Outcome.HOLDS)
    assert (record.evidence, record.unproved) == (Evidence.SAMPLED, "no rule for aten.sort")


def test_a_refutation_that_does_not_repeat_is_a_contradiction() -> None:
    case = {"width": [4, 4], "dtype": "float32", "shape": [1, 1], "positions": [1], "x": [[[[1.0, 0.0, 0.0, 0.0]]]]}
    with pytest.raises(
        Contradiction, match=r"rotary\.formula on mutant\.right: refuted at a point where the code is right"
    ):
        examine(with_proof(Proof("refuted", case=case)), RIGHT)


def test_a_case_of_the_enumeration_comes_before_the_point() -> None:
    wrong = subject_of(Mutant("identity", "nothing turns", lambda _head, _rotary: lambda x, _positions: x.clone()))
    found = examine(law("rotary.formula"), wrong)
    assert found.witness is not None
    assert "x" not in found.witness


# Points of the laws of scores

TOKENS = {
    "q": torch.zeros(1, 2, 3, 4).tolist(),
    "k": torch.zeros(1, 2, 3, 4).tolist(),
    "r": torch.zeros(2, 7, 4).tolist(),
    "u": torch.zeros(2, 4).tolist(),
    "v": torch.zeros(2, 4).tolist(),
}
POINT = {"size": [2, 4], "dtype": "float64", "batch": 1, "queries": 3, "memory": 0, "tokens": TOKENS}


@pytest.mark.parametrize("id_", ["transformer_xl.gather", "transformer_xl.four_terms"])
def test_a_law_of_scores_measures_the_tokens_of_its_case(id_: str) -> None:
    tokens = {**TOKENS, "q": torch.ones(1, 2, 3, 4).tolist(), "r": torch.ones(2, 7, 4).tolist()}
    case = {**POINT, "tokens": tokens}
    one = law(id_)
    assert not one.measure(SCORES, case).broken

    def doubled(*arguments: Tensor) -> Tensor:
        return 2 * scores(*arguments)

    wrong = replace(SCORES, make=lambda _size, _dtype: ScoreInstance(doubled))
    measured = one.measure(wrong, case)
    assert measured.broken
    assert (measured.saw, measured.expected) == ("the score of query 0 and key 0 is 8", "4")
    assert sequence_of(SCORES, case, 3).q.sum() == 24


def test_a_point_is_shown_by_what_is_not_zero() -> None:
    tokens = {**TOKENS, "u": [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -0.5, 0.0]]}
    shown = law("transformer_xl.four_terms").describe({**POINT, "tokens": tokens})
    assert shown == "2 heads of width 4; float64; 3 queries; u[0,1] = 1, u[1,2] = -0.5, the rest 0"
    many = law("transformer_xl.four_terms").describe({**POINT, "tokens": {**TOKENS, "u": [[1.0] * 4] * 3}})
    assert many.endswith("u[1,3] = 1, 4 more, the rest 0")


def test_the_sizes_of_a_proof_are_not_those_of_the_cases() -> None:
    """A defect at width 4 alone: the sizes that a subject declares need not hold those of a proof."""
    subject = replace(SCORES, sizes=(Size(1, 2), Size(2, 8)))
    prove = law("transformer_xl.four_terms").prove
    assert prove is not None
    assert prove(subject).status == "proved"
