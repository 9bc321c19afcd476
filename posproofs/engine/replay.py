"""Every failure can be repeated: its witness is stored as JSON, and measured again in a new process on request.

Files are written below .posproofs/replays, and only when something failed. Beside each stands a Python file that shows
the failure and ends with status 1 while it is there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from posproofs.engine import jobs
from posproofs.engine.targets import is_own
from posproofs.engine.worker import SECONDS, Worker
from posproofs.errors import CannotWrite, UnknownName, UsageError
from posproofs.laws import Case, Measure, digest
from posproofs.laws import law as law_of
from posproofs.laws.law import canonical

SCHEMA = "posproofs.replay/1"
FOLDER = Path(".posproofs") / "replays"
SHORT = 6  # hex digits of an id; 8 where two failures share the first 6

Status = Literal["FAILED", "FIXED", "ERROR"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A failure as it is stored."""

    id: str
    subject: str
    law: str
    case: Case
    version: str
    digest: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """What repeating a failure came to. FIXED: the case is not wrong any more. ERROR: it could not be measured."""

    status: Status
    stored: Stored
    witness: str
    version: str
    measure: Measure | None = None
    error: str = ""
    output: str = ""


def store(subject: str, law: str, case: Case, *, version: str, folder: Path = FOLDER) -> Stored:
    """Write the failure and its Python file; the same failure always gets the same id. Raises CannotWrite."""
    whole = digest(subject, law, case)
    length = SHORT
    while _is_another(folder / f"{whole[:length]}.json", whole):
        length += 2
    stored = Stored(whole[:length], subject, law, canonical(case), version, whole)
    text = json.dumps({"schema": SCHEMA, **_fields(stored)}, indent=2, sort_keys=True) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{stored.id}.json").write_text(text, encoding="utf-8")
        (folder / f"{stored.id}.py").write_text(snippet(stored), encoding="utf-8")
    except OSError as refused:
        raise CannotWrite(f"cannot write {folder / stored.id}.json: {refused.strerror}") from refused
    return stored


def _fields(stored: Stored) -> dict[str, Any]:
    return {
        "id": stored.id,
        "subject": stored.subject,
        "law": stored.law,
        "case": dict(stored.case),
        "version": stored.version,
        "digest": stored.digest,
    }


def _is_another(path: Path, whole: str) -> bool:
    # A file that is torn or foreign holds no failure: it is written anew.
    found = _content(path).get("digest", whole)
    return isinstance(found, str) and found != whole


def _content(path: Path) -> dict[str, Any]:
    """The object that the file holds; an empty one where there is no file, or none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def load(id: str, *, folder: Path = FOLDER) -> Stored:  # noqa: A002 - the word of the command
    """The stored failure of that id, or of the only id that begins so. Raises UnknownName, UsageError."""
    known = sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []
    matches = [id] if id in known else [name for name in known if id and name.startswith(id)]
    if not known:
        raise UsageError(f"no failure is stored in {folder} of this folder; run posproofs check or verify here first")
    if len(matches) > 1:
        raise UsageError(f"{id} begins several ids: {', '.join(matches)}; write one of them")
    if not matches:
        raise UnknownName("replay", id, known)
    content = _content(folder / f"{matches[0]}.json")
    if content.pop("schema", None) != SCHEMA or not _whole(content):
        raise UsageError(
            f"{folder / matches[0]}.json is not of {SCHEMA}, or was changed; run posproofs verify to make it anew"
        )
    return Stored(**content)


def _whole(content: dict[str, Any]) -> bool:
    """Whether these are the fields of a Stored, and the failure is the one that was digested."""
    if set(content) != {field.name for field in fields(Stored)} or not isinstance(content["case"], dict):
        return False
    texts = all(isinstance(value, str) for name, value in content.items() if name != "case")
    return texts and digest(content["subject"], content["law"], content["case"]) == content["digest"]


def replay(id: str, *, folder: Path = FOLDER, seconds: float = SECONDS) -> Replayed:  # noqa: A002
    """Measure the stored case again in a new process."""
    stored = load(id, folder=folder)
    law = law_of(stored.law)
    witness = law.describe(stored.case)
    with Worker(seconds=seconds) as worker:
        version = worker.call(jobs.version, stored.subject).value or "not found"
        reply = worker.call(jobs.measured, stored.subject, stored.law, stored.case)
    if reply.error or not isinstance(reply.value, Measure):
        return Replayed("ERROR", stored, witness, version, error=reply.error, output=reply.output)
    if reply.value.reason:
        return Replayed("ERROR", stored, witness, version, reply.value, error=reply.value.reason, output=reply.output)
    status: Status = "FAILED" if reply.value.broken else "FIXED"
    return Replayed(status, stored, witness, version, reply.value, output=reply.output)


def snippet(stored: Stored) -> str:
    """A Python file that shows the failure: it needs posproofs and the library, no stored file and no command."""
    law = law_of(stored.law)
    case = json.dumps(stored.case, sort_keys=True)
    own = is_own(stored.subject)
    arguments = f"{stored.subject!r}, {stored.law!r}" if own else repr(stored.subject)
    imported = (
        "from posproofs.engine.jobs import find as subject" if own else "from posproofs.production import subject"
    )
    return f'''"""{stored.law} on {stored.subject} {stored.version}: {law.statement}.

witness: {law.describe(stored.case)}
Ends with status 1 while the law is broken, 0 when it is not.
"""

import json
import sys

from posproofs.laws import law
{imported}

CASE = json.loads({case!r})

shown = law({stored.law!r}).measure(subject({arguments}), CASE)
print("observed ", shown.saw, "(error", format(shown.observed, ".3g") + ")")
print("expected ", shown.expected, "(allowed", format(shown.allowed, ".3g") + ")")
sys.exit(1 if shown.broken else 0)
'''
