"""The tokens of a sequence and its parts, and what is taken out of a difference."""

from dataclasses import replace

import pytest
import torch

from posproofs.laws import ScoreConvention, ScoreSubject, Size, subject_of
from posproofs.laws.score_calls import apart, given_rows, region, scattered, tokens
from posproofs.mutants import ScoreMutant
from posproofs.mutants.four_terms import scores, table

PINNED = [23.0, -19.0, 9.0, 21.0, 15.0, -9.0]
RIGHT = subject_of(ScoreMutant("right", "nothing"))


def declaring(**changes: object) -> ScoreSubject:
    return replace(RIGHT, convention=replace(RIGHT.convention, **changes))  # type: ignore[arg-type]


def test_entries_are_dyadic_small_and_not_zero() -> None:
    drawn = scattered(40, 50, seed=3)
    assert torch.equal(drawn * 32 % 2, torch.ones(40, 50, dtype=torch.float64))
    assert float(drawn.abs().max()) < 1
    assert 0.5 < float(drawn.std()) < 0.65
    assert not torch.equal(drawn, scattered(40, 50, seed=4))
    # Pinned, as witnesses hold the seed alone.
    assert (scattered(6, seed=1) * 32).tolist() == PINNED
    # No two rows of a tensor are alike, whatever its width.
    for width in (4, 8, 16, 33, 64):
        assert len(torch.unique(scattered(64, width, seed=0), dim=0)) == 64


def test_a_part_is_the_sequence_of_its_own() -> None:
    """Scores of a part, cut out of those of the whole: the lookup itself is what parts are about."""
    sequence = tokens(RIGHT, Size(2, 4), 9, batch=2, seed=1)
    whole = scores(*sequence.part(RIGHT, 0, 0, 9))
    for start, first_query, end in ((0, 0, 4), (2, 2, 9), (0, 3, 9), (1, 4, 7)):
        part = scores(*sequence.part(RIGHT, start, first_query, end))
        assert torch.equal(part, whole[:, :, first_query:end, start:end])


def test_rows_of_its_own_are_weights_times_the_table() -> None:
    own = declaring(rows="own")
    weights = tokens(own, Size(2, 4), 3, batch=1, seed=0).r
    assert weights.shape == (2, 8, 4)
    rows = given_rows(own, weights, 2, 3)
    for t, offset in enumerate((3, 2, 1, 0, -1)):
        wanted = table(torch.tensor([offset]), 8, torch.float64)[0]
        for h in range(2):
            assert torch.allclose(rows[h, t], wanted @ weights[h])
    assert given_rows(RIGHT, weights, 2, 3) is weights


def test_the_past_is_what_stands_up_to_the_query() -> None:
    past = region(declaring(region="past"), 2, 4)
    assert past.tolist() == [[True, True, True, False], [True, True, True, True]]
    assert bool(region(RIGHT, 2, 4).all())


def test_a_constant_of_the_row_is_taken_out_and_one_wrong_entry_stays() -> None:
    one = torch.arange(12, dtype=torch.float64).reshape(1, 1, 3, 4)
    other = one + torch.tensor([[1.0], [2.0], [-5.0]], dtype=torch.float64)
    shown = declaring(gives="probabilities")
    assert torch.equal(apart(shown, one, other), torch.zeros_like(one))
    assert not torch.equal(apart(RIGHT, one, other), torch.zeros_like(one))
    other[0, 0, 1, 2] += 0.5
    assert apart(shown, one, other).nonzero().tolist() == [[0, 0, 1, 2]]
    outside = declaring(gives="probabilities", region="past")
    other = one.clone()
    other[0, 0, 0, 3] += 100
    assert not bool(apart(outside, one, other).any())


@pytest.mark.parametrize(
    ("convention", "text"),
    [
        (
            ScoreConvention(),
            "scores, four terms, offset i-j, scale 1/sqrt(d), read from probabilities, up to a constant of the row",
        ),
        (ScoreConvention(gives="scores", scale="none"), "scores, four terms, offset i-j, unscaled"),
        (
            ScoreConvention(gives="scores", scale="none", region="past", memory="none", rows="own"),
            "scores, four terms, offset i-j, unscaled, keys up to the query, no memory, rows of its own",
        ),
    ],
)
def test_a_convention_reads_as_words(convention: ScoreConvention, text: str) -> None:
    assert str(convention) == text


def test_the_scale_is_that_of_the_declaration() -> None:
    size = Size(3, 8)
    scales = [replace(RIGHT.convention, scale=s).factor(size) ** -2 for s in ("none", "1/sqrt(d)", "1/sqrt(2d)")]
    assert scales == pytest.approx([1, 8, 16])
    assert (size.model, size.double, str(size), str(Size(1, 2))) == (24, 48, "3 heads of width 8", "1 head of width 2")
