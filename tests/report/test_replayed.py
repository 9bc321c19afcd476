"""What `posproofs replay` prints for each outcome, and the status that goes with it."""

from __future__ import annotations

import pytest

from posproofs.engine.replay import Replayed, Stored
from posproofs.laws import Measure
from posproofs.report.replayed import STATUS, replayed_text
from posproofs.vocabulary import Exit

STORED = Stored("0a1b2c", "example", "rotary.history", {"width": [4, 4]}, "1.2.3", "0a1b2c3d4e5f")
WRONG = Measure(2.0, 0.5, saw="an output of 2", expected="0")


def test_a_failure_that_is_still_there() -> None:
    assert replayed_text(Replayed("FAILED", STORED, "width 4; first call", "1.2.3", WRONG)) == (
        "replay 0a1b2c FAILED: rotary.history\n"
        "  subject    example (1.2.3, as stored)\n"
        "  law        the rotation is a function of the positions only, whatever was called before\n"
        "  witness    width 4; first call\n"
        "  observed   an output of 2       error 2\n"
        "  expected   0       allowed 0.5\n"
        "  snippet    python .posproofs/replays/0a1b2c.py\n"
    )


def test_a_failure_that_is_fixed_in_another_version() -> None:
    text = replayed_text(Replayed("FIXED", STORED, "width 4", "1.2.4", Measure(0.0, 0.5)))
    assert text.startswith("replay 0a1b2c FIXED: rotary.history\n  subject    example (1.2.4; stored 1.2.3)\n")
    assert "observed" not in text


def test_a_case_that_could_not_be_measured() -> None:
    text = replayed_text(Replayed("ERROR", STORED, "width 4", "1.2.3", error="ended with status -9", output="x\ny"))
    assert "  reason     ended with status -9\n" in text
    assert "  printed    x\n             y\n" in text


@pytest.mark.parametrize(
    ("status", "code"), [("FAILED", Exit.BROKEN), ("FIXED", Exit.CONFORMS), ("ERROR", Exit.INCONCLUSIVE)]
)
def test_unknown_is_never_green(status: str, code: Exit) -> None:
    assert STATUS[status] == code
