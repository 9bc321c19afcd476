"""Each mutant of the scores is killed by the law that names it, as the root cause; nothing correct is."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from posproofs.engine.verdict import FAILED, outcome
from posproofs.laws import (
    SCORE_LAWS,
    Law,
    ScoreConvention,
    ScoreInstance,
    ScoreRecipe,
    ScoreSubject,
    Size,
    examine,
    law,
    subject_of,
)
from posproofs.laws.score_terms import emitted
from posproofs.laws.scored import Scores
from posproofs.mutants import SCORE_MUTANTS, ScoreMutant
from posproofs.mutants.four_terms import scores, sinusoids
from posproofs.mutants.reference import Layout
from posproofs.vocabulary import Outcome

RIGHT = subject_of(ScoreMutant("right", "nothing"))
NAMED_BY = {mutant.name: one for one in SCORE_LAWS for mutant in one.mutants}
# The cases must find each defect by themselves; what proofs find is in tests/symbolic.
SAMPLED = tuple(replace(one, prove=None) for one in SCORE_LAWS)


def sampled(id_: str) -> Law:
    return replace(law(id_), prove=None)


def outcomes(subject: ScoreSubject, laws: tuple[Law, ...] = SAMPLED) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for one in laws:
        failed = {id_ for id_, seen in found.items() if seen in FAILED}
        found[one.id] = outcome(one, subject.name, examine(one, subject), failed=failed, entry=None)[0]
    return found


@pytest.mark.parametrize("mutant", SCORE_MUTANTS, ids=lambda m: m.name)
def test_a_mutant_is_killed_by_the_law_that_names_it(mutant: ScoreMutant) -> None:
    """It is the only law that is broken: all others hold, are explained by it, or are about no rows of its own."""
    found = outcomes(subject_of(mutant))
    assert [id_ for id_, seen in found.items() if seen is Outcome.BROKEN] == [NAMED_BY[mutant.name].id]
    assert Outcome.ERROR not in found.values()


def shifted(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """As XLNet: multiply first, then drop a row of the reshaped products."""
    products = (q + v[:, None]) @ r.transpose(1, 2)
    batch, heads, queries, rows = products.shape
    dropped = products.reshape(batch, heads, rows, queries)[:, :, 1:].reshape(batch, heads, queries, rows - 1)
    return (q + u[:, None]) @ k.transpose(2, 3) + dropped[..., : k.shape[2]]


def only_the_past(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """As Transformer-XL: the rows of the offsets K-1..0; what stands after the query is garbage."""
    products = (q + v[:, None]) @ r[:, 1 : k.shape[2] + 1].transpose(1, 2)
    batch, heads, queries, keys = products.shape
    padded = torch.cat((products.new_zeros(batch, heads, queries, 1), products), dim=-1)
    moved = padded.reshape(batch, heads, keys + 1, queries)[:, :, 1:].reshape(products.shape)
    return (q + u[:, None]) @ k.transpose(2, 3) + moved


def conformer(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """As ESPnet: 2L - 1 rows, padded in front."""
    products = (q + v[:, None]) @ r[:, 1:].transpose(1, 2)
    batch, heads, queries, rows = products.shape
    padded = torch.nn.functional.pad(products, (1, 0)).reshape(batch, heads, rows + 1, queries)
    moved = padded[:, :, 1:].reshape(batch, heads, queries, rows)[..., : k.shape[2]]
    return (q + u[:, None]) @ k.transpose(2, 3) + moved


def of_its_own(q: torch.Tensor, k: torch.Tensor, w: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """As Funnel's factorised form: weights come in, sinusoids of the difference are made of two tables."""
    at = torch.arange(max(q.shape[2], k.shape[2]))
    angles = sinusoids(at, w.shape[1], 10000.0, "half-split").to(q.dtype)
    sin, cos = angles.chunk(2, dim=-1)
    weighted = torch.einsum("bhid,hcd->bhic", q + v[:, None], w)
    for_sin, for_cos = weighted.chunk(2, dim=-1)
    of_key_cos = for_sin * sin + for_cos * cos
    of_key_sin = for_cos * sin - for_sin * cos
    return (q + u[:, None]) @ k.transpose(2, 3) + of_key_cos @ cos.T + of_key_sin @ sin.T


def probabilities(function: Scores, *, root: float = 1.0) -> Scores:
    """Softmax of the scores over the root of `root` times the width."""

    def given(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return torch.softmax(function(q, k, r, u, v) / math.sqrt(root * q.shape[-1]), dim=-1)

    return given


Rows = Callable[[int, int, torch.dtype], torch.Tensor]


def table(layout: Layout, first: int) -> Callable[[Size], Rows]:
    """Rows of sinusoids computed in float32, from the offset K - first on."""

    def build(size: Size) -> Rows:
        def rows(queries: int, keys: int, dtype: torch.dtype) -> torch.Tensor:
            at = torch.arange(keys - first, -queries, -1)
            return sinusoids(at, size.double, 10000.0, layout).float().to(dtype)

        return rows

    return build


def correct(
    function: Scores,
    convention: ScoreConvention,
    rows: Callable[[Size], Rows] | None = None,
) -> ScoreSubject:
    def make(size: Size, _dtype: torch.dtype) -> ScoreInstance:
        return ScoreInstance(function, rows(size) if rows is not None else None)

    return replace(
        RIGHT,
        convention=convention,
        recipe=ScoreRecipe(),
        sizes=(Size(1, 2), Size(2, 4), Size(3, 8), Size(2, 64)),
        make=make,
    )


OPEN = ScoreConvention(gives="scores", scale="none")
CORRECT = {
    "looked up": correct(scores, replace(OPEN, table="half-split"), table("half-split", 0)),
    "shifted": correct(shifted, replace(OPEN, table="interleaved"), table("interleaved", 0)),
    "probabilities": correct(
        probabilities(shifted), ScoreConvention(table="half-split", first="K-1"), table("half-split", 1)
    ),
    "other scale": correct(probabilities(scores, root=2.0), ScoreConvention(scale="1/sqrt(2d)")),
    "only the past": correct(only_the_past, replace(OPEN, region="past")),
    "probabilities of the past": correct(probabilities(only_the_past), ScoreConvention(region="past")),
    "conformer": correct(
        conformer, replace(OPEN, memory="none", table="interleaved", first="K-1"), table("interleaved", 1)
    ),
    "rows of its own": correct(
        of_its_own, replace(OPEN, memory="none", rows="own", table="half-split", gives="scores")
    ),
}


@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_implementation_raises_no_alarm(name: str) -> None:
    findings = [examine(one, CORRECT[name]) for one in SAMPLED]
    assert [(f.law, f.worst, f.witness, f.error) for f in findings if f.broken or f.error] == []
    idle = {f.law for f in findings if f.ran == 0}
    assert idle <= {"transformer_xl.memory", "transformer_xl.negative_offset", "transformer_xl.history"}
    assert all(f.ran in {0, f.applied} for f in findings)


def test_emitted_code_satisfies_every_law() -> None:
    """The function that implementations are compared with is held to the same laws."""
    findings = [examine(one, correct(emitted(), OPEN)) for one in SAMPLED]
    assert [(f.law, f.worst, f.witness, f.error) for f in findings if f.broken or f.error] == []
    assert {f.law for f in findings if f.ran == 0} == {"transformer_xl.negative_offset", "transformer_xl.history"}


@pytest.mark.parametrize("name", ["shifted", "conformer", "probabilities of the past", "rows of its own"])
def test_the_offset_of_a_neighbour_is_seen_in_every_convention(name: str) -> None:
    """What takes out a constant of the row, a mask or rows of its own must not take out the defect."""
    subject = CORRECT[name]

    def make(size: Size, dtype: torch.dtype) -> ScoreInstance:
        right = subject.make(size, dtype).scores

        def wrong(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            moved = r.roll(1, 1) if subject.convention.rows == "given" else r.flip(1)
            return right(q, k, moved, u, v)

        return ScoreInstance(wrong)

    found = examine(sampled("transformer_xl.gather"), replace(subject, make=make))
    assert found.broken
    assert found.worst is not None
    assert found.worst.observed > 0.2


@pytest.mark.parametrize("one", SAMPLED, ids=lambda one: one.id)
def test_nan_is_a_finding_of_every_law(one: Law) -> None:
    def make(size: Size, dtype: torch.dtype) -> ScoreInstance:
        right = RIGHT.make(size, dtype)

        def poisoned(*arguments: torch.Tensor) -> torch.Tensor:
            given = right.scores(*arguments)
            given[..., -1, 0] = torch.nan
            return given

        # The law of the table looks at the query in the middle alone.
        def rows(queries: int, keys: int, called_in: torch.dtype) -> torch.Tensor:
            assert right.table is not None
            return right.table(queries, keys, called_in) * torch.nan

        return ScoreInstance(poisoned, rows)

    assert examine(one, replace(RIGHT, make=make)).broken


@pytest.mark.parametrize("one", SAMPLED, ids=lambda one: one.id)
def test_an_exception_and_another_shape_are_errors(one: Law) -> None:
    def raises(*_arguments: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("no kernel")

    def transposed(*arguments: torch.Tensor) -> torch.Tensor:
        return scores(*arguments)[:, :, :, :-1]

    def no_rows(_size: Size) -> Rows:
        def rows(_queries: int, _keys: int, _dtype: torch.dtype) -> torch.Tensor:
            raise RuntimeError("no kernel")

        return rows

    raised = "RuntimeError: no kernel ("
    cases: list[tuple[Scores, Callable[[Size], Rows], str]]
    cases = [(raises, table("half-split", 0), raised), (transposed, table("half-split", 0), "ValueError: scores of")]
    if one.id == "transformer_xl.history":  # it asks for rows alone
        cases = [(scores, no_rows, raised)]
    for function, rows, words in cases:
        found = examine(one, correct(function, replace(OPEN, table="half-split"), rows))
        assert not found.broken
        assert found.error.startswith(words)


def test_what_is_computed_instead_is_named() -> None:
    named = {mutant.name: examine(sampled("transformer_xl.four_terms"), subject_of(mutant)) for mutant in SCORE_MUTANTS}
    shown = {name: found.worst.likely for name, found in named.items() if found.worst is not None}
    assert shown["xl-exchanged-biases"] == "u and v are exchanged"
    assert shown["xl-no-u"] == "u is left out"
    assert shown["xl-v-in-content"] == "v is added to the content too"


def test_the_row_that_was_read_is_named() -> None:
    found = examine(law("transformer_xl.gather"), subject_of(next(m for m in SCORE_MUTANTS if m.name == "xl-reversed")))
    assert found.worst is not None
    assert found.worst.saw == "query 0 and key 1 read the row of offset 1"
    assert found.worst.expected == "the row of offset -1"
    assert found.worst.likely == "the sign of the offset is reversed"
    assert found.witness == {"dtype": "float32", "pair": [0, 1], "queries": 2, "size": [2, 4]}


def test_two_examinations_come_to_the_same() -> None:
    wrong = subject_of(next(m for m in SCORE_MUTANTS if m.name == "xl-v-in-content"))
    four_terms = sampled("transformer_xl.four_terms")
    assert examine(four_terms, wrong) == examine(four_terms, wrong)


def test_a_table_of_another_length_is_an_error() -> None:
    subject = correct(scores, replace(OPEN, table="half-split", first="K-1"), table("half-split", 0))
    assert "a table of 6 offsets was declared" in examine(law("transformer_xl.negative_offset"), subject).error


def test_a_weight_that_a_call_changes_is_found() -> None:
    weight = torch.ones(3)

    def changes(*arguments: torch.Tensor) -> torch.Tensor:
        weight.mul_(2)
        return scores(*arguments)

    subject = replace(RIGHT, make=lambda _size, _dtype: ScoreInstance(changes, None, (weight,)))
    found = examine(law("transformer_xl.purity"), subject)
    assert found.worst is not None
    assert found.worst.saw == "the call changed table 0"
