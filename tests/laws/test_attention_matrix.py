"""Each mutant of attention is killed by the law that names it; nothing correct is, and what is correct is proved."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch

from posproofs.engine.verdict import FAILED, outcome
from posproofs.laws import ATTENTION_LAWS, AttentionSize, AttentionSubject, Case, Finding, Law, examine, law, subject_of
from posproofs.laws.attended import AttentionInstance
from posproofs.laws.attention_mutants import SIZES
from posproofs.laws.law import canonical
from posproofs.mutants import ATTENTION_MUTANTS, AttentionMutant
from posproofs.mutants.attended import Steps
from posproofs.mutants.attention import IN_TURNS, NEIGHBOURS, ONLY_QUERIES, OPEN, SCALED_TWICE
from posproofs.vocabulary import Outcome
from tests.laws.witnesses import NAMED_BY, asked
from tests.laws.witnesses_of_attention import GROUPED, quickly, shown_in

RIGHT = {
    "rotary": AttentionMutant("right", "nothing"),
    "offsets": AttentionMutant("right", "nothing", scheme="offsets", twin=Steps()),
    "none": AttentionMutant("right", "nothing", scheme="none", plain=OPEN),
}


def outcomes(subject: AttentionSubject, found: Mapping[str, Finding]) -> dict[str, Outcome]:
    seen: dict[str, Outcome] = {}
    for one in ATTENTION_LAWS:
        failed = {id_ for id_, outcome_of in seen.items() if outcome_of in FAILED}
        seen[one.id] = outcome(one, subject.name, found[one.id], failed=failed, entry=None)[0]
    return seen


@pytest.mark.parametrize("mutant", ATTENTION_MUTANTS, ids=lambda m: m.name)
def test_a_mutant_is_killed_by_the_law_that_names_it(mutant: AttentionMutant) -> None:
    """It is the only law that is broken: the cases of all others hold, are explained by it, or do not apply.

    That law is not proved, and a refutation fails in the code. Its witness is that of test_attention_witnesses.py, of
    which nothing smaller fails. Bounds are derived for that law alone, as they take the time.
    """
    subject, naming = subject_of(mutant, shown_in(mutant)), NAMED_BY[mutant.name]
    found = {one.id: quickly(replace(one, prove=None), subject) for one in ATTENTION_LAWS if one is not naming}
    found[naming.id] = examine(naming, subject)
    seen = outcomes(subject, found)
    assert [id_ for id_, one in seen.items() if one is Outcome.BROKEN] == [naming.id]
    assert Outcome.ERROR not in seen.values()
    assert found[naming.id].witness == quickly(asked(mutant), subject).witness
    proof = found[naming.id].proof
    assert proof is not None
    if naming is law("attention.causal"):
        assert proof.status == "undecided"
        assert " names x[0," in proof.reason
        return
    assert proof.status == "refuted"
    case = canonical(proof.case)
    assert naming.measure(subject, case).broken
    assert "0 elsewhere" in naming.describe(case)


@pytest.mark.parametrize("scheme", RIGHT)
def test_a_correct_attention_is_proved_and_raises_no_alarm(scheme: str) -> None:
    subject = subject_of(RIGHT[scheme])
    applied = set()
    for one in ATTENTION_LAWS:
        found = examine(one, subject)
        assert (found.error, found.witness) == ("", None), one.id
        assert found.proof is not None
        assert (found.proof.status == "proved") == (found.ran > 0), found.proof.reason
        applied |= {one.id} if found.ran else set()
        assert found.ran in {0, found.applied}
    wanted = {
        "rotary": {"causal", "paths", "shift", "decoding", "formula"},
        "offsets": {"causal", "paths", "shift", "decoding", "formula", "same"},
        "none": {"paths", "permutation", "formula"},
    }
    assert applied == {f"attention.{name}" for name in wanted[scheme]}


@pytest.mark.parametrize(
    ("mutant", "size", "shown"),
    [
        (IN_TURNS, AttentionSize(3, 4, 2, 2), "refuted"),
        (IN_TURNS, AttentionSize(3, 4, 1, 2), "proved"),
        (IN_TURNS, AttentionSize(3, 2, 2, 2), "proved"),
        (NEIGHBOURS, AttentionSize(3, 2, 2, 4), "refuted"),
        (NEIGHBOURS, AttentionSize(3, 4, 2, 2), "proved"),
        (ONLY_QUERIES, AttentionSize(2, 2, 2, 2), "refuted"),
        (ONLY_QUERIES, AttentionSize(1, 2, 2, 2), "undecided"),
        (SCALED_TWICE, AttentionSize(2, 2, 2, 2), "refuted"),
        (SCALED_TWICE, AttentionSize(1, 2, 2, 2), "undecided"),
    ],
    ids=lambda one: getattr(one, "name", str(one)),
)
def test_why_the_sizes_are_what_they_are(mutant: AttentionMutant, size: AttentionSize, shown: str) -> None:
    """In a smaller size the mutant passes, or with one row no score is read: a proof would say less than it seems."""
    prove = NAMED_BY[mutant.name].prove
    assert prove is not None
    assert prove(subject_of(mutant, (size,))).status == shown


def test_the_clamped_offset_is_among_the_rows() -> None:
    """Three rows have the offsets -2..2, and the table of biases ends at 1."""
    assert all(size.rows == 3 for size in SIZES)


@pytest.mark.parametrize("one", ATTENTION_LAWS, ids=lambda one: one.id)
def test_nan_is_a_finding_of_every_law(one: Law) -> None:
    """One side of each pair gives a NaN in its last row."""
    scheme = {"attention.permutation": "none", "attention.same": "offsets"}.get(one.id, "rotary")
    right = subject_of(RIGHT[scheme], (GROUPED,))

    def poisoned(instance: AttentionInstance) -> AttentionInstance:
        def call(x: torch.Tensor, positions: torch.Tensor | None) -> torch.Tensor:
            y = instance.call(x, positions)
            rows = torch.arange(y.shape[1]) == (0 if one.id == "attention.causal" else y.shape[1] - 1)
            return torch.where(rows[:, None], torch.nan, y)

        return replace(instance, call=call)

    def make(size: AttentionSize, path: str, kind: torch.dtype) -> AttentionInstance:
        return poisoned(right.make(size, path, kind))

    wrong = replace(right, make=make)
    case = next(iter(one.cases(wrong)))
    if one.id == "attention.causal":
        assert one.measure(wrong, case).broken
        return
    # The graph of a module that gives NaN has no bound, so the bound is that of the right one, at a point.
    shown = one.measure(wrong, case)
    assert shown.broken or "NaN" in shown.reason or "nan" in shown.reason


@pytest.mark.parametrize("one", ATTENTION_LAWS, ids=lambda one: one.id)
def test_an_exception_of_the_subject_is_an_error(one: Law) -> None:
    scheme = {"attention.permutation": "none", "attention.same": "offsets"}.get(one.id, "rotary")
    right = subject_of(RIGHT[scheme], (GROUPED,))

    def raises(_x: torch.Tensor, _positions: torch.Tensor | None) -> torch.Tensor:
        raise RuntimeError("no kernel\nfor this")

    def make(size: AttentionSize, path: str, kind: torch.dtype) -> AttentionInstance:
        return replace(right.make(size, path, kind), call=raises)

    found = examine(one, replace(right, make=make))
    assert not found.broken
    assert found.error.startswith("RuntimeError: no kernel (3 rows, 4 heads on 2 of keys of width 2; float32")


def test_an_output_of_another_shape_is_an_error() -> None:
    right = subject_of(RIGHT["rotary"], (GROUPED,))

    def make(size: AttentionSize, path: str, kind: torch.dtype) -> AttentionInstance:
        instance = right.make(size, path, kind)
        return replace(instance, call=lambda x, positions: instance.call(x, positions)[:, :, :1])

    assert (
        "an output of shape (1, 3, 8) was wanted" in examine(law("attention.causal"), replace(right, make=make)).error
    )


def test_what_does_not_export_is_undecided_and_says_why() -> None:
    right = subject_of(RIGHT["rotary"], (GROUPED,))

    def make(size: AttentionSize, path: str, kind: torch.dtype) -> AttentionInstance:
        instance = right.make(size, path, kind)

        def call(x: torch.Tensor, positions: torch.Tensor | None) -> torch.Tensor:
            return instance.call(x, positions) if float(x.abs().max()) < 1e9 else x

        return replace(instance, call=call)

    found = examine(law("attention.paths"), replace(right, make=make))
    assert found.proof is not None
    assert found.proof.status == "undecided"
    assert "torch.export refuses" in found.proof.reason
    assert found.reasons[0].startswith("no error is derived: torch.export refuses")


def test_a_case_is_plain_data_and_a_point_is_put_where_it_belongs() -> None:
    subject = subject_of(SCALED_TWICE, (GROUPED,))
    prove = law("attention.paths").prove
    assert prove is not None
    case: Case = canonical(prove(subject).case)
    named: Any = case["point"]
    assert set(named) <= {"x", "p", "s", "query", "key", "value", "out", "out_bias", "theta"}
    assert all(isinstance(value, float) and value for entries in named.values() for value in entries.values())


def test_two_examinations_come_to_the_same() -> None:
    subject = subject_of(SCALED_TWICE, (GROUPED,))
    assert examine(law("attention.paths"), subject) == examine(law("attention.paths"), subject)
