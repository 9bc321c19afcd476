"""The JSON of a run is what the shipped schema says, and the schema refuses what it should."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from posproofs.engine.records import LawRecord, Run, SubjectRecord, TheoremRecord
from posproofs.report.document import document, document_text, schema
from posproofs.vocabulary import Evidence, Outcome, Verdict
from tests.report.records import BROKEN, RUN, subject


def errors(data: object, name: str = "verify") -> list[str]:
    return [error.message for error in Draft202012Validator(schema(name)).iter_errors(data)]


@pytest.mark.parametrize("name", ["verify", "list", "check"])
def test_the_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def test_a_run_fits_the_schema() -> None:
    assert errors(json.loads(document_text(RUN))) == []


def test_an_empty_run_fits_the_schema() -> None:
    assert errors(document(Run(()))) == []


@pytest.mark.parametrize("worst", [float("nan"), float("inf")])
def test_a_figure_that_json_lacks_is_a_word(worst: float) -> None:
    text = document_text(replace(RUN, subjects=(subject(replace(BROKEN, observed=worst)),)))
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert found["subjects"][0]["laws"][0]["observed"] == str(worst)
    assert errors(found) == []


def _invalid(change: Callable[[Any], object]) -> Any:
    data = copy.deepcopy(document(RUN))
    change(data)
    return data


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(schema="posproofs.verify/2"),
        lambda d: d.pop("theorems"),
        lambda d: d.update(extra=1),
        lambda d: d["theorems"][0].update(status="verified"),
        lambda d: d["theorems"][0].pop("refuted_at"),
        lambda d: d["subjects"][0].update(verdict="passes"),
        lambda d: d["subjects"][0]["laws"][0].update(outcome="passed"),
        lambda d: d["subjects"][0]["laws"][0].update(evidence="verified"),
        lambda d: d["subjects"][0]["laws"][0].update(ran=-1),
        lambda d: d["subjects"][0]["laws"][0].update(observed="much"),
        lambda d: d["subjects"][0]["laws"][0].update(tolerance=1),
        lambda d: d["skipped"][0].pop("reason"),
    ],
)
def test_a_planted_invalid_document_is_refused(change: Callable[[Any], object]) -> None:
    assert errors(_invalid(change)) != []


@pytest.mark.parametrize(
    ("name", "record"), [("theorem", TheoremRecord), ("subject", SubjectRecord), ("law", LawRecord)]
)
def test_the_schema_names_the_fields_of_the_records(name: str, record: type) -> None:
    wanted = [field.name for field in fields(record)]
    definition = schema("verify")["$defs"][name]
    assert list(definition["properties"]) == wanted
    assert definition["required"] == wanted


@pytest.mark.parametrize(
    ("definition", "field", "words"),
    [("law", "outcome", Outcome), ("law", "evidence", Evidence), ("subject", "verdict", Verdict)],
)
def test_the_schema_has_the_closed_vocabularies(definition: str, field: str, words: type[Outcome]) -> None:
    assert schema("verify")["$defs"][definition]["properties"][field]["enum"] == [word.value for word in words]
