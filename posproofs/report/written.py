"""`posproofs write`: a pytest file that holds somebody's code to the convention that it was found to have.

The file declares the convention, so that a later change of it fails. It returns the code itself and says how it is
called, rather than a wrapper around it: a table that the code keeps would be shared by all copies of the wrapper, and a
stale one never seen.
"""

from __future__ import annotations

from pathlib import Path

from posproofs.engine.check import in_words, introduced
from posproofs.engine.kinds import Introduced
from posproofs.engine.queries import Query
from posproofs.engine.worker import SECONDS, Worker
from posproofs.errors import UsageError
from posproofs.laws.subject import Convention, Subject
from posproofs.report.layout import paragraph

OF = {
    "rotary": "rotary position embedding",
    "table": "rotary position embedding",
    "attention": "attention",
    "scores": "four-term scores",
    "module": "attention",
}
PLAIN = "x+positions:bhtd:t"  # what is tried first, and need not be said


def written(query: Query, *, seconds: float = SECONDS) -> str:
    """The text of the file. Raises UsageError where the code cannot be called, or has no convention."""
    with Worker(seconds=seconds) as worker:
        found = introduced(worker, query)
    if not found.named or (isinstance(found.subject, Subject) and not found.declared):
        raise UsageError(f"{query.target}: {in_words(found)}; nothing that can be declared, see: posproofs check")
    if not found.code:
        raise UsageError(
            f"{query.target} is no code of yours; a test holds package.module:object or path/file.py:object"
        )
    return file_of(query, found)


def file_of(query: Query, found: Introduced) -> str:
    """The text of the file, from what was identified."""
    where, _, path = query.target.partition(":")
    module = Path(where).stem if where.endswith(".py") else where
    head = path.partition(".")[0]
    words = paragraph(in_words(found), indent="")
    called = paragraph(f"It is called as {found.shape}.", indent="")
    kept = f"Keep this file beside {Path(where).name}.\n" if where.endswith(".py") else ""
    return f'''"""{query.target} keeps the laws of {OF[found.kind]}, in the convention it was found to have.

{words}
{called}{kept}"""

import posproofs
from {module} import {head}


@posproofs.conforms(
{"".join(f"    {line},{chr(10)}" for line in _arguments(query, found))})
def test_{path.replace(".", "_").lower()}():
    return {path}
'''


def _arguments(query: Query, found: Introduced) -> list[str]:
    lines = [f'kind="{found.kind}"']
    convention = (found.claimed or found.subject).convention
    if isinstance(convention, Convention):
        lines.append(f"declare={_declared(convention)}")
    else:
        lines.append(f"identified={_quoted(found.identified)}")
    lines += [f"dims={query.dims!r}"] if query.dims else []
    lines += [f'shape="{found.code}"'] if found.code != PLAIN else []
    return lines + ([f"positions={query.below}"] if query.below is not None else [])


def _declared(convention: Convention) -> str:
    """What `declare` can say of it: named layouts, and a base where the frequencies follow one."""
    said: dict[str, object] = {}
    if convention.reads == convention.writes:
        said |= {"layout": convention.reads} if isinstance(convention.reads, str) else {}
    else:
        both = {"reads": convention.reads, "writes": convention.writes}
        said |= {name: layout for name, layout in both.items() if isinstance(layout, str)}
    said["sign"] = "+" if convention.sign > 0 else "-"
    if not convention.frequencies:
        said["base"] = _number(convention.base)
    said |= {"magnitude": convention.magnitude} if convention.magnitude != 1.0 else {}
    said |= {"first": convention.first} if convention.first else {}
    return "{" + ", ".join(f'"{name}": {_quoted(value)}' for name, value in said.items()) + "}"


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
