"""The witness of every attention mutant fails in another process as well, and one that was not narrowed is seen.

Nothing smaller fails with one bound for all, and test_attention_matrix.py asserts that this witness is the one that is
found with derived bounds. The other process derives them again.
"""

import pytest

from posproofs.laws import subject_of
from posproofs.mutants import ATTENTION_MUTANTS, AttentionMutant
from tests.laws.witnesses import asked, here, in_another_process, not_narrowed
from tests.laws.witnesses_of_attention import beyond_need, one_bound, parted, quickly, shown_in


@pytest.mark.parametrize("mutant", ATTENTION_MUTANTS, ids=lambda m: m.name)
def test_a_witness_that_was_not_narrowed_is_seen(mutant: AttentionMutant) -> None:
    """Every mutant fails in the first case, of three rows, and for every one of them fewer rows or parts are enough."""
    law, subject = asked(mutant), subject_of(mutant, shown_in(mutant))
    with one_bound():
        assert list(beyond_need(law, subject, quickly(law, subject))) == []
        assert list(beyond_need(law, subject, quickly(not_narrowed(law), subject)))


def test_every_way_to_part_the_rows_is_asked() -> None:
    assert parted(3) == [(2, 1), (1, 2), (1, 1, 1)]


def test_every_witness_fails_in_another_process() -> None:
    findings = {one.name: quickly(asked(one), subject_of(one, shown_in(one))) for one in ATTENTION_MUTANTS}
    assert in_another_process(findings) == here(findings)
