"""A run as JSON, `posproofs.verify/1`: the records field for field, and the JSON Schema that says so.

The schema is package data (`posproofs/report/schema/verify.json`). Seconds of theorems are in the JSON only.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from posproofs.engine.records import Run

VERIFY = "posproofs.verify/1"


def document(run: Run) -> dict[str, Any]:
    """The run as plain data that JSON can carry."""
    found = asdict(run)
    skipped = [{"name": name, "reason": reason} for name, reason in run.skipped]
    return {"schema": VERIFY, **plain({**found, "skipped": skipped})}


def document_text(run: Run) -> str:
    """The text of the JSON file, with a newline at its end."""
    return as_text(document(run))


def as_text(data: dict[str, Any]) -> str:
    """JSON for people and programs: two spaces, ASCII, no number that JSON does not have."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Tuples become lists; NaN and infinities, which JSON lacks, become the words nan, inf and -inf."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def schema(name: str) -> dict[str, Any]:
    """The shipped JSON Schema of that name: `verify`, `list` or `check`."""
    text = files("posproofs.report").joinpath("schema", f"{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
