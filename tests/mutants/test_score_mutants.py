"""The correct four-term score that mutants are made from, against sums over single entries; every mutant differs."""

import math

import pytest
import torch

from posproofs.mutants import SCORE_MUTANTS, ScoreMutant
from posproofs.mutants.four_terms import scores, sinusoids, table

Arguments = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def arguments(queries: int, keys: int, heads: int = 2, width: int = 3) -> Arguments:
    generator = torch.Generator().manual_seed(queries + 100 * keys)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=generator, dtype=torch.float64) - 0.5

    return (
        drawn(2, heads, queries, width),
        drawn(2, heads, keys, width),
        drawn(heads, keys + queries, width),
        drawn(heads, width),
        drawn(heads, width),
    )


def entry(b: int, h: int, i: int, j: int, *, of: Arguments) -> float:
    """(a) + (b) + (c) + (d), one after the other, over the entries."""
    q, k, r, u, v = (one.tolist() for one in of)
    queries, keys = len(q[0][0]), len(k[0][0])
    offset = i + (keys - queries) - j
    row = r[h][keys - offset]
    terms = zip(q[b][h][i], k[b][h][j], row, u[h], v[h], strict=True)
    return math.fsum(q_c * k_c + q_c * r_c + u_c * k_c + v_c * r_c for q_c, k_c, r_c, u_c, v_c in terms)


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (1, 4), (3, 3), (2, 5)])
def test_the_correct_score_is_the_sum_of_four_terms(queries: int, keys: int) -> None:
    of = arguments(queries, keys)
    computed = scores(*of)
    assert computed.shape == (2, 2, queries, keys)
    for place in torch.cartesian_prod(*map(torch.arange, computed.shape)).tolist():
        b, h, i, j = place
        assert float(computed[b, h, i, j]) == pytest.approx(entry(b, h, i, j, of=of), abs=1e-14)


def test_the_table_holds_sines_and_cosines() -> None:
    at = torch.tensor([3, 0, -2])
    rows = table(at, 4, torch.float64)
    for t, offset in enumerate(at.tolist()):
        wanted = [math.sin(offset), math.sin(offset / 100), math.cos(offset), math.cos(offset / 100)]
        assert rows[t].tolist() == pytest.approx(wanted)
    assert torch.equal(sinusoids(at, 4, 10000.0, "interleaved")[:, [0, 2, 1, 3]], rows)


def outcome(mutant: ScoreMutant) -> list[object]:
    """What it gives with and without a memory, what became of the arguments, and its rows."""
    seen: list[object] = []
    for queries, keys in ((3, 3), (2, 4)):
        given = arguments(queries, keys)
        seen.append(mutant.scores(*given).tolist())
        seen.append([one.tolist() for one in given])
    rows = mutant.make_table()
    seen += [rows(torch.arange(-3, 4), 4, kind).tolist() for kind in (torch.bfloat16, torch.float32)]
    return seen


@pytest.mark.parametrize("mutant", SCORE_MUTANTS, ids=lambda m: m.name)
def test_every_mutant_is_observably_wrong(mutant: ScoreMutant) -> None:
    right = ScoreMutant("right", "nothing")
    assert outcome(mutant) != outcome(right)
    assert outcome(right) == outcome(right)
