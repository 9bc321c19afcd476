"""Every proof stops by itself: budgets count operations and terms, so two runs stop at the same place."""

from typing import Any

import pytest
import torch

from posproofs import prove_equal
from posproofs.laws import law, subject_of
from posproofs.mutants import ScoreMutant
from posproofs.symbolic import comparing, domains
from posproofs.symbolic import program as programs
from posproofs.symbolic.comparing import compared
from posproofs.symbolic.program import Program

RIGHT = subject_of(ScoreMutant("right", "nothing"))


def test_a_program_that_grows_too_long_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "NODE_LIMIT", 500)
    prove = law("transformer_xl.four_terms").prove
    assert prove is not None
    found = prove(RIGHT)
    assert found.status == "undecided"
    assert "passes the limit of 500 operations" in found.reason


def test_values_that_grow_too_long_are_undecided_and_the_same_twice() -> None:
    """(a + b + ..)^12, multiplied out on one side in another order: millions of terms."""

    def power(x: torch.Tensor) -> torch.Tensor:
        total = x.sum()
        for _ in range(11):
            x = x * total
        return x

    def other(x: torch.Tensor) -> torch.Tensor:
        return x * x.flip(0).sum() ** 11 + torch.tanh(x) - torch.tanh(x.flip(0)).flip(0)

    found = [prove_equal(power, other, inputs=(torch.ones(12),)) for _ in range(2)]
    assert found[0].status == "undecided"
    assert "limit" in found[0].text
    assert found[0].text == found[1].text


def different(program: Program, count: int) -> list[tuple[int, int]]:
    x = [program.symbol("x", (k,)) for k in range(count)]
    return [(program.total(x), program.zero)]


def test_the_search_for_a_point_counts_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    evaluated = domains.evaluated

    def counted(program: Program, wanted: Any, domain: Any, *, known: Any = None) -> Any:
        found = evaluated(program, wanted, domain, known=known)
        seen.append(len(found) - len(known or ()))
        return found

    monkeypatch.setattr(comparing, "evaluated", counted)
    for limit in (0, 2_000, 4_000_000):
        seen.clear()
        monkeypatch.setattr(comparing, "SEARCH_LIMIT", limit)
        program = Program()
        assert compared(program, different(program, 40)).status == "refuted"
        first_two = sum(seen[:2])  # the exact comparison and the first point are always there
        assert sum(seen) - first_two <= limit


def test_with_nothing_left_the_point_is_not_cleared_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "SEARCH_LIMIT", 0)
    program = Program()
    found = compared(program, different(program, 5))
    assert len([value for value in found.point.values() if value]) == 5
    monkeypatch.undo()
    cleared = compared(program, different(program, 5))
    assert len([value for value in cleared.point.values() if value]) == 1
