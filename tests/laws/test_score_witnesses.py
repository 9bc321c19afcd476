"""The witness of every score mutant is the smallest in the order of its law, and fails in another process as well.

The mutants fail in the first cases already, so some that fail late are planted too: there a witness has a way to go.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
import torch

from posproofs.laws import Case, Law, ScoreSubject, examine, subject_of
from posproofs.laws import law as law_of
from posproofs.laws.law import canonical
from posproofs.laws.score_history import DTYPES
from posproofs.mutants import SCORE_MUTANTS, ScoreMutant
from posproofs.mutants.four_terms import content, placed, row_of, scores, table
from posproofs.mutants.transformer_xl import Table
from tests.laws.witnesses import asked, found, here, in_another_process, not_narrowed, too_large


def clamped(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Offsets beyond 4 read the row of 4."""
    least = k.shape[2] - 4
    return content(q, k, u) + placed(q, v, r, row_of(q.shape[2], k.shape[2]).clamp(min=max(least, 0)))


def counted(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Where there are more than 6 keys, half the number of each is added to its score."""
    keys = k.shape[2]
    return scores(q, k, r, u, v) + (torch.arange(keys).to(q.dtype) - keys) / 2 * (keys > 6)


def forgetful(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """A memory of three keys or more adds to every score."""
    return scores(q, k, r, u, v) + (k.shape[2] - q.shape[2] > 2)


def in_batches(q: torch.Tensor, k: torch.Tensor, r: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """A batch of two or more with a memory is written to."""
    right = scores(q, k, r, u, v)
    if q.shape[0] > 1 and k.shape[2] > q.shape[2]:
        q += 1
    return right


def symmetric_beyond(at: torch.Tensor, width: int, kind: torch.dtype) -> torch.Tensor:
    """The row of -o is that of o for every o beyond 4."""
    return table(torch.where(at < -4, at.abs(), at), width, kind)


def spoilt() -> Table:
    """Rows are those of the first offset from the third call on, if the second had three tokens or more."""
    reaches: list[int] = []

    def rows(at: torch.Tensor, width: int, kind: torch.dtype) -> torch.Tensor:
        reaches.append(int(at.abs().max()))
        return table(at * (len(reaches) < 3 or reaches[1] < 3), width, kind)

    return rows


PLANTED = {
    "transformer_xl.purity": ScoreMutant("in-batches", "a larger batch is written to", in_batches),
    "transformer_xl.history": ScoreMutant("spoilt", "two calls spoil a third", make_table=spoilt),
    "transformer_xl.gather": ScoreMutant("clamped", "far offsets share a row", clamped),
    "transformer_xl.memory": ScoreMutant("forgetful", "a longer memory is counted", forgetful),
    "transformer_xl.negative_offset": ScoreMutant("symmetric-beyond", "far rows", make_table=lambda: symmetric_beyond),
    "transformer_xl.shift": ScoreMutant("counted", "keys of long sequences are counted", counted),
    "transformer_xl.length_extension": ScoreMutant("counted", "keys of long sequences are counted", counted),
    "transformer_xl.four_terms": ScoreMutant("clamped", "far offsets share a row", clamped),
}


# The least of each number: a memory is what one law is about, and a query in the middle has a neighbour on both sides.
LEAST = {
    "transformer_xl.purity": {"batch": 1, "queries": 1, "memory": 0},
    "transformer_xl.gather": {"queries": 2},
    "transformer_xl.memory": {"queries": 1, "memory": 1},
    "transformer_xl.negative_offset": {"queries": 3},
    "transformer_xl.shift": {"queries": 1, "memory": 0, "before": 1},
    "transformer_xl.length_extension": {"queries": 1, "memory": 0, "behind": 1},
    "transformer_xl.four_terms": {"batch": 1, "queries": 1, "memory": 0},
}


def smaller(law: Law, subject: ScoreSubject, _whole: Case | None, witness: Case) -> Iterator[Case]:
    """Every case with fewer tokens, then with as many in a dtype before; then parts that come before the witness."""
    if law.id == "transformer_xl.history":
        yield from shorter(witness, 1 if subject.convention.first == "K" else 2)
        return
    whole = {key: value for key, value in witness.items() if key not in ("pair", "offset")}
    names, step = LEAST[law.id], 2 if law.id == "transformer_xl.negative_offset" else 1
    numbers = product(*(range(least, witness[name] + 1, step) for name, least in names.items()))
    for asked_for, dtype in product(numbers, subject.dtypes):
        case = {**whole, **dict(zip(names, asked_for, strict=True)), "dtype": dtype}
        if case == whole:
            break
        yield case
    yield from parts(law, whole, witness)


def parts(law: Law, whole: Case, witness: Case) -> Iterator[Case]:
    """The pairs of query and key, or the offsets, before that of the witness; all where it looks at all."""
    if law.id == "transformer_xl.gather":
        pairs = [[i, j] for i, j in product(range(whole["queries"]), repeat=2)]
        yield from (
            {**whole, "pair": one} for one in pairs[: pairs.index(witness["pair"]) if "pair" in witness else None]
        )
    if law.id == "transformer_xl.negative_offset" and whole["queries"] > 3:
        yield from ({**whole, "offset": one} for one in range(1, witness.get("offset", whole["queries"] // 2 + 1)))


def shorter(history: Case, least: int) -> Iterator[Case]:
    """The same with a call less, and with fewer tokens or in a dtype before in one of its calls."""
    calls, probe = history["calls"], history["probe"]
    for k, call in enumerate(calls):
        if len(calls) > 1:
            yield {**history, "calls": [*calls[:k], *calls[k + 1 :]]}
        for tokens, dtype in product(range(least, call["tokens"] + 1), DTYPES[: DTYPES.index(call["dtype"]) + 1]):
            if (tokens, dtype) != (call["tokens"], call["dtype"]):
                less = {"tokens": tokens, "dtype": dtype}
                yield {**history, "calls": [*calls[:k], less, *calls[k + 1 :]]}
    yield from ({**history, "probe": {**probe, "tokens": tokens}} for tokens in range(least, probe["tokens"]))


def fixed(case: Case) -> object:
    return case["size"], case["dtype"]


@pytest.mark.parametrize("mutant", SCORE_MUTANTS, ids=lambda m: m.name)
def test_nothing_smaller_than_the_witness_fails(mutant: ScoreMutant) -> None:
    subject, finding = found(mutant)
    assert list(too_large(asked(mutant), subject, finding, smaller, fixed=fixed)) == []


@pytest.mark.parametrize("id_", PLANTED)
def test_nothing_smaller_fails_where_the_first_failure_is_a_late_one(id_: str) -> None:
    law, subject = replace(law_of(id_), prove=None), subject_of(PLANTED[id_])
    finding = examine(law, subject)
    assert finding.witness not in [canonical(case) for case in law.cases(subject)]
    assert list(too_large(law, subject, finding, smaller, fixed=fixed)) == []


@pytest.mark.parametrize("id_", PLANTED)
def test_a_witness_that_was_not_narrowed_is_seen(id_: str) -> None:
    law, subject = replace(law_of(id_), prove=None), subject_of(PLANTED[id_])
    finding = examine(not_narrowed(law), subject)
    assert list(too_large(law, subject, finding, smaller, fixed=fixed))


def test_a_smaller_case_that_the_code_refuses_is_no_witness() -> None:
    """The failure is as large as the code wants it, and still a failure."""

    def from_three_queries(q: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        if q.shape[2] < 3:
            raise ValueError("no kernel for so few queries")
        q += 1
        return scores(q, *others)

    finding = examine(law_of("transformer_xl.purity"), subject_of(ScoreMutant("wide", "", from_three_queries)))
    assert (finding.error, finding.broken) == ("", True)
    assert finding.witness == {"batch": 1, "dtype": "float32", "memory": 0, "queries": 3, "size": [1, 2]}


def test_every_witness_fails_in_another_process() -> None:
    findings = {mutant.name: found(mutant)[1] for mutant in SCORE_MUTANTS}
    assert in_another_process(findings) == here(findings)
