"""The comparison with Torch is a gate: each rule that is wrong on purpose fails it."""

from __future__ import annotations

from typing import Any

import pytest

from posproofs.symbolic.rules import RULES
from tests.symbolic.checking import disagreements
from tests.symbolic.planted import PLANTED


@pytest.mark.parametrize("defect", sorted(PLANTED))
def test_a_wrong_rule_is_noticed(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, wrong = PLANTED[defect]
    table: Any = RULES
    monkeypatch.setitem(table, name, wrong)
    seen = next(disagreements(name), "")
    assert seen, f"{defect}: no sample of {name} notices"
    assert "wanted" in seen or "Refused" in seen


def test_a_rule_that_was_right_is_right_again() -> None:
    assert list(disagreements("aten.addmm.default")) == []
