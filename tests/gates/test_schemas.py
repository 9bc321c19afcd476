"""Each shipped JSON Schema refuses what is not of it; what the commands print is of it, as other tests show."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from posproofs.report.document import schema
from posproofs.report.listing import listing_json
from tests.report.test_document import errors

SECTIONS = ("theorems", "claims", "laws", "subjects")
Change = Callable[[Any], object]


@pytest.fixture(scope="module")
def listed() -> Any:
    return json.loads(listing_json(SECTIONS))


def test_what_is_listed_fits(listed: Any) -> None:
    assert errors(listed, "list") == []
    assert all(listed[section] for section in SECTIONS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema="posproofs.list/2"), "was expected"),
        (lambda d: d.update(extra=1), "Additional properties"),
        (lambda d: d["theorems"][0].update(status="verified"), "is not one of"),
        (lambda d: d["theorems"][0].pop("claims"), "is a required property"),
        (lambda d: d["claims"][0].update(answered_by="RF-01"), "is not of type"),
        (lambda d: d["laws"][0].update(mutants=-1), "is less than the minimum"),
        (lambda d: d["laws"][0].update(formula_status="true"), "is not one of"),
        (lambda d: d["subjects"][0].update(version=1), "is not of type"),
        (lambda d: d["subjects"][0].update(extra=1), "Additional properties"),
    ],
)
def test_a_planted_invalid_listing_is_refused(change: Change, message: str, listed: Any) -> None:
    planted = copy.deepcopy(listed)
    change(planted)
    (error,) = errors(planted, "list")
    assert message in error


@pytest.mark.parametrize("name", ["verify", "list", "check"])
def test_a_schema_that_is_none_is_noticed(name: str) -> None:
    planted = schema(name)
    planted["properties"]["schema"] = {"type": "word"}
    with pytest.raises(Exception, match="'word' is not valid"):
        Draft202012Validator.check_schema(planted)


def test_no_object_of_a_schema_is_open() -> None:
    """An object that admits further properties lets a misspelt one pass."""
    assert [name for name in ("verify", "list", "check") for _ in open_objects(schema(name))] == []
    planted = schema("list")
    del planted["$defs"]["law"]["additionalProperties"]
    assert len(open_objects(planted)) == 1


def open_objects(node: Any) -> list[Any]:
    """The objects in a schema that do not refuse further properties."""
    if isinstance(node, list):
        return [found for inner in node for found in open_objects(inner)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("type") == "object" and node.get("additionalProperties") is not False else []
    return own + [found for inner in node.values() for found in open_objects(inner)]
