"""The file that `posproofs write` gives, from what was identified."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from posproofs import pytest_plugin
from posproofs.engine.kinds import KINDS, Introduced
from posproofs.engine.queries import Query
from posproofs.errors import UsageError
from posproofs.laws.subject import Convention, Instance, Recipe, Subject, Width
from posproofs.report.written import OF, file_of, written
from tests.repo.sources import ROOT
from tests.report.goldens import compare

HALVES = Convention("half-split", "half-split")
LISTED = Convention(((0, 3), (1, 2)), "half-split", -1, magnitude=1.25, frequencies=(1.0, 0.5), first=1)
TABLE = "(q, k, cos, sin), q and k (batch, heads, rows, dim), table (batch, rows, n) with n = dim, half-split"
CASES: tuple[tuple[Query, Convention, str, str], ...] = (
    (Query("mine.py:rotate"), HALVES, "x+positions:bhtd:t", "(x, positions)"),
    (Query("a.b:Model.turn", dims=(8,), below=600), HALVES, "q+k+cos+sin:bhtd:btn:half-split", TABLE),
    (Query("a:rotate"), LISTED, "x+positions:bhtd:t", "(x, positions)"),
    (Query("a:rotate"), Convention("interleaved", "half-split", base=1234.5), "x+offset:bhtd", "(x, offset)"),
)


def text_of(query: Query, convention: Convention, code: str, shape: str) -> str:
    def nobody(_width: Width) -> Instance:
        raise AssertionError("no law is asked of it")

    subject = Subject("", "", convention, Recipe("power", "float32", (), "input"), (Width(8, 8),), nobody)
    return file_of(query, Introduced(subject, "rotary", shape, code, "x", named=True, declared=True, digest=""))


def test_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("posproofs.report.written.in_words", lambda found: f"{found.subject.convention}, and more")
    compare("written.txt", "\n".join(text_of(*case) for case in CASES))


@pytest.mark.parametrize("case", CASES)
def test_it_is_python_that_returns_the_object(case: tuple[Query, Convention, str, str]) -> None:
    found = ast.parse(text_of(*case)).body[-1]
    assert isinstance(found, ast.FunctionDef)
    (returned,) = found.body
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    assert ast.unparse(returned.value) == case[0].target.partition(":")[2]
    declared: dict[str, Any] = {}
    (call,) = found.decorator_list
    assert isinstance(call, ast.Call)
    for word in call.keywords:
        declared[str(word.arg)] = ast.literal_eval(word.value)
    assert declared["kind"] == "rotary"
    assert declared.get("dims", ()) == case[0].dims


def test_code_without_a_convention_has_nothing_to_declare() -> None:
    target = f"{ROOT}/tests/engine/own/wrong.py:learning"
    with pytest.raises(UsageError, match=r"no convention; .*not linear.*; nothing that can be declared"):
        written(Query(target, dims=(8,)))


def test_every_kind_is_known_to_what_speaks_of_kinds() -> None:
    kinds = {kind.name: kind.laws for kind in KINDS}
    assert set(OF) == set(kinds)
    assert kinds == pytest_plugin._LAWS_OF
    schema = json.loads((ROOT / "posproofs/report/schema/check.json").read_text())
    assert set(schema["properties"]["kind"]["enum"]) == set(kinds)
