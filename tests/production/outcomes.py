"""How every law of every installed implementation comes out, against the table that is committed beside this file.

    python -m tests.production.outcomes build/verify.json [--record]

`make verify` runs it on what it has just written: exit 0 says that no law is broken, this says that each law holds as
it did, `proved` where it was proved and not only sampled, idle where it was idle. --record writes the table anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("outcomes.txt")


def rows(document: Mapping[str, Any]) -> list[str]:
    """A line for each law of each subject: its outcome and the evidence for it."""
    return [
        f"{subject['name']:36} {law['id']:32} {law['outcome']:15} {law['evidence']}".rstrip()
        for subject in document["subjects"]
        for law in subject["laws"]
    ]


def differences(document: Mapping[str, Any], table: str) -> list[str]:
    """The lines in which a run and the table differ."""
    now = rows(document)
    return list(unified_diff(table.splitlines(), now, TABLE.name, "this run", lineterm="", n=0))


def main(arguments: Sequence[str]) -> int:
    """0 where the run is as the table has it."""
    written, *more = arguments
    document = json.loads(Path(written).read_text(encoding="utf-8"))
    if more == ["--record"]:
        TABLE.write_text("\n".join(rows(document)) + "\n", encoding="utf-8")
        return 0
    found = differences(document, TABLE.read_text(encoding="utf-8"))
    sys.stderr.writelines(f"{line}\n" for line in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
