"""The page `docs/theorems.md`: each entry of the catalogue with its status, its conditions and what it rests on.

It is written from the entries as they are decided now, so a test that writes it again compares it with what holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from textwrap import wrap

from derivations.claims import all_claims
from derivations.derivation import MODULES, Entry, Report
from derivations.lemmas import LEMMAS
from derivations.plain import hypothesis_text, scope_text
from posproofs.report.layout import LINE, counted
from posproofs.report.theorems import REFUTED, SETTLED
from posproofs.report.trials import FRAGMENTS, Record, fragments_of, kernel_digest
from posproofs.report.trust import cited, kernel_modules, named, used_entries

Entries = Mapping[str, Entry]
Group = tuple[str, Sequence[Entry]]

_INTRO = """\
# Every entry of the catalogue, and on what it rests

posproofs writes this page from the catalogue as it decides it, and a test writes it again and compares, so it is not
edited. The words are those of [What is proved, and on what it rests](what-is-proved.md). An entry has only the lines
that it needs: without `if` it has no hypothesis, without `cites` it cites nothing, without `uses` it builds on no
earlier entry. All of one entry, with its rows, its source and the modules of the kernel, is one command away:

```console
$ posproofs show rotary.relative --trust
rotary.relative (derivation)
...
on what this rests
...
```
"""
_UNTRIED = (
    "No completed run of random trials is recorded yet. The last line of an entry names its fragments all the same."
)
_TRIED = """\
Random statements of each fragment, most of them one defect away from a true identity, were given to the kernel and
judged by evaluation that shares no code with it. `make trials` does it again. A figure says what was tried, and is no
part of a proof. By accident: near-identities that are true all the same. Wrong: false proofs, false refutations,
crashes, and cases that took too long."""
_ASKED = ("near-identities", "true", "proved", "refuted", "undecided", "by accident", "wrong")


def theorems_page(entries: Entries, record: Record | None) -> str:
    """The whole page as Markdown; `record` is what the trials wrote, None before their first completed run."""
    groups = _groups(entries)
    parts = [
        _INTRO,
        f"## Counts\n\n{_counts(groups)}\n{_answered(entries)}",
        f"## Trials of the kernel\n\n{_trials(record)}",
        *(f"## {_heading(module)}\n\n{''.join(_rows(each, entries, record))}" for module, each in groups),
        f"## Lemmas that are cited\n\n{''.join(_lemmas(entries))}",
    ]
    return "\n".join(parts)


def _groups(entries: Entries) -> list[Group]:
    """The entries by the module of `derivations` in which they stand; what stands in none comes last."""
    owner = {entry.id: name for name in MODULES for entry in import_module(f"derivations.{name}").ENTRIES}
    found: dict[str, list[Entry]] = {}
    for entry in entries.values():
        found.setdefault(owner.get(entry.id, ""), []).append(entry)
    return [(name, found[name]) for name in (*MODULES, "") if name in found]


def _heading(module: str) -> str:
    """The first phrase of what the module says of itself."""
    if not module:
        return "Other entries"
    first = (import_module(f"derivations.{module}").__doc__ or module).splitlines()[0]
    phrase = first.partition(":" if ":" in first else ",")[0].rstrip(".")
    return f"{phrase} (`{module}`)"


def _counts(groups: Sequence[Group]) -> str:
    rows: list[tuple[str, ...]] = [("derivations", "entries", "proved", "cited", "errata shown wrong", "open")]
    every = [entry for _, each in groups for entry in each]
    for name, each in (*((f"`{module}`", each) for module, each in groups), ("all", every)):
        seen = Counter(_standing(entry) for entry in each)
        rows.append((name, *map(str, (len(each), seen["proved"], seen["cited"], seen["erratum"], seen["open"]))))
    return _grid(rows)


def _standing(entry: Entry) -> str:
    """proved, cited, erratum (shown wrong, as it should be) or open: everything else."""
    status = entry.check().status
    if entry.kind == "erratum":
        return "erratum" if status in REFUTED else "open"
    return status if status in SETTLED else "open"


def _answered(entries: Entries) -> str:
    """How far the catalogue covers the claims of the sources; a part of a claim answers for the whole."""
    answered = {claim for entry in entries.values() for claim in entry.claims}
    whole = [one.id for one in all_claims() if answered & {one.id, *(part.id for part in one.parts)}]
    return _folded(f"{len(whole)} of {len(all_claims())} claims of the sources have an entry: {', '.join(whole)}.", "")


def _trials(record: Record | None) -> str:
    rows = [(name, ", ".join(own), *_figures(record, name)) for name, own in FRAGMENTS.items()]
    grid = _grid([("fragment", "kernel modules", *(_ASKED if record is not None else ())), *rows])
    if record is None:
        return f"{_folded(_UNTRIED, '')}\n{grid}"
    return f"{_TRIED}\n\n{grid}\n{_folded(_of_which_kernel(record), '')}"


def _figures(record: Record | None, fragment: str) -> tuple[str, ...]:
    if record is None:
        return ()
    if fragment not in record.fragments:
        return ("not tried",) * len(_ASKED)
    one = record.fragments[fragment]
    asked = (one.near, one.true, one.proved, one.refuted, one.undecided, one.by_accident, one.wrong)
    return tuple(f"{number:,}" for number in asked)


def _of_which_kernel(record: Record) -> str:
    if record.kernel == kernel_digest():
        return f"The kernel that was tried is the one that decides the entries below (digest {record.kernel})."
    return (
        f"The kernel that was tried (digest {record.kernel}) has been changed since; the figures say nothing of the "
        f"changes."
    )


def _rows(each: Iterable[Entry], entries: Entries, record: Record | None) -> Iterator[str]:
    """One item of a list for each entry, its lines below it."""
    names = named(entries)
    for entry in each:
        report = entry.check()
        yield _folded(f"- **{entry.id}**, {report.status}: {_safe(entry.title)}", "  ")
        for label, text in _lines(entry, report, names, record):
            yield _folded(f"  - {label} {text}" if text else "", "    ")


def _lines(entry: Entry, report: Report, names: Mapping[int, str], record: Record | None) -> Iterator[tuple[str, str]]:
    """Label and text of each line; an empty text stands for a line that is not needed."""
    theorem = report.theorem
    if theorem is not None:
        yield "scope:", _safe(scope_text(theorem.statement))
        yield "if:", " and ".join(f"`{hypothesis_text(one)}`" for one in theorem.statement.hypotheses)
        yield "uses:", ", ".join(dict.fromkeys(used_entries(theorem, names)))
    yield "with:", _parts(entry, report)
    if entry.kind == "erratum" and theorem is None:
        yield "fails:", f"`{report.detail}`"
    yield "corrected:", entry.corrected
    yield "cites:", ", ".join(report.lemmas)
    if theorem is not None:
        yield "trials:", _survived(fragments_of(kernel_modules(theorem)), record)


def _parts(entry: Entry, report: Report) -> str:
    """Of a citation the entries that it names, of a table how its rows came out."""
    if entry.kind == "citation":
        return ", ".join(step.reason.removeprefix("proved as ") for step in report.steps)
    if entry.kind == "table":
        proved = sum(step.verdict == "proved" for step in report.steps)
        false = sum(step.verdict.startswith("false ") for step in report.steps)
        rest = len(report.steps) - proved - false
        return f"{counted(len(report.steps), 'row')}: {proved} proved, {false} false at a point, {rest} open"
    return ""


def _survived(fragments: Sequence[str], record: Record | None) -> str:
    """The fragments, and how many statements of them the kernel came through."""
    known = [record.fragments[name] for name in fragments if name in record.fragments] if record is not None else []
    if not known:
        return ", ".join(fragments)
    near, wrong = sum(one.near for one in known), sum(one.wrong for one in known)
    missing = ", ".join(name for name in fragments if record is None or name not in record.fragments)
    rest = f"; not tried: {missing}" if missing else ""
    return f"{', '.join(fragments)}; {near:,} near-identities, {wrong:,} answered wrongly{rest}"


def _lemmas(entries: Entries) -> Iterator[str]:
    """Each lemma with its source and the entries that rest on it; it is believed, not proved."""
    for name in LEMMAS:
        users = ", ".join(entry.id for entry in entries.values() if name in entry.check().lemmas)
        yield _folded(f"- {_safe(cited(name))}", "  ")
        yield _folded(f"  - used by: {users or 'no entry yet'}", "    ")


def _safe(text: str) -> str:
    """Text in which Markdown finds no emphasis, code, tag or link."""
    escaped = "".join(f"\\{letter}" if letter in "\\`*<" else letter for letter in text)
    return escaped.replace("](", "\\](")


def _folded(text: str, below: str) -> str:
    """Lines of at most the line length; those after the first begin with `below`.

    A sign stays with the word before it: at the beginning of a line it would start a list.
    """
    kept = re.sub(r" ([-+=]) ", "\0\\1 ", text)
    lines = wrap(kept, LINE, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)
    return "".join(f"{line}\n" for line in lines).replace("\0", " ")


def _grid(rows: Sequence[Sequence[str]]) -> str:
    """A table; its first row is the head."""
    head, *body = ("| " + " | ".join(row) + " |\n" for row in rows)
    return "".join((head, "|---" * len(rows[0]) + "|\n", *body))
