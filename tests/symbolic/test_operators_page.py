"""The page of operators lists the table as it is."""

from __future__ import annotations

import re

from posproofs.symbolic.rules import GROUPS, rotary
from posproofs.symbolic.rules.arithmetic import OPAQUE
from tests.repo.sources import ROOT

PAGE = ROOT / "posproofs" / "docs" / "operators.md"
LISTED = {**GROUPS, "operators of ONNX": rotary.RULES}


def test_the_page_lists_every_operator_in_its_group() -> None:
    section = PAGE.read_text().split("## The table")[1].split("\n## ")[0]
    for group, rules in LISTED.items():
        (names,) = re.findall(rf"^{re.escape(group)}:\n(.*?)\n\n", section, re.MULTILINE | re.DOTALL)
        assert re.findall(r"`([^`]+)`", names) == sorted(rules), group


def test_the_functions_that_are_unknown_are_named() -> None:
    text = PAGE.read_text()
    unknown = text.split("to a proof")[0].rsplit("\n\n", 1)[1]

    assert set(re.findall(r"`([^`]+)`", unknown)) == set(OPAQUE)
