"""Entries of the catalogue: derivations as chains of steps, theorems made by kernel rules, citations and errata.

A derivation is the author's chain e0 = e1 = ... with a reason in words at each row. The kernel decides each row; the
theorem e0 = en is then made by transitivity. One row that is not proved, and the derivation is not proved.
An entry is checked when it is first asked for, and the result is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any, Literal

from derivations.from_sympy import to_term
from derivations.kernel import (
    Answer,
    Hypothesis,
    KernelError,
    Refuted,
    ShapeError,
    Statement,
    Theorem,
    Undecided,
    prove,
    transitive,
)
from derivations.kernel.statement import Range
from derivations.kernel.terms import Replacement
from derivations.lemmas import cite

Status = Literal["proved", "refuted", "cited", "empirical", "undecided", "ill-typed", "overclaim"]
MODULES = (
    "euler",
    "rotary",
    "rotary_planes",
    "rotary_uniqueness",
    "rotary_errata",
    "transformer_xl",
    "rel_shift",
)


class NotProved(KernelError):
    """An entry that was needed as a theorem is not proved. The message gives the row and what the kernel said."""


class UnknownEntry(KernelError, KeyError):
    """There is no entry of this id in the catalogue."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Step:
    """One row: what the row before is equal to, and why, in words.

    `using` are earlier entries that the row may rewrite with, `idle` hypotheses of the chain that it does not use, and
    `shown` the row as the author writes it, where SymPy would reorder it; documents prove it equal to the expression.
    """

    expression: Any
    reason: str
    using: tuple[Entry, ...] = ()
    idle: tuple[Hypothesis, ...] = ()
    shown: Any = None


@dataclass(frozen=True, slots=True)
class Chain:
    """What a derivation claims: its first row, the rows that follow, and under what."""

    first: StepReport
    steps: tuple[Step, ...]
    given: Given

    def statements(self) -> Iterator[tuple[Statement, Step]]:
        """Row by row: the row before = this row, with the step that says so."""
        before = self.first.expression
        for step in self.steps:
            yield equation(before, step.expression, self.given), step
            before = step.expression


@dataclass(frozen=True, slots=True)
class StepReport:
    """One row as it was decided."""

    expression: Any
    reason: str
    verdict: str  # given, proved, false at ..., undecided: ...
    shown: Any = None


@dataclass(frozen=True, slots=True)
class Report:
    """An entry as it was decided."""

    status: Status
    theorem: Theorem | None = None
    steps: tuple[StepReport, ...] = ()
    lemmas: tuple[str, ...] = ()
    refuted_at: str | None = None
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the catalogue. `claims` are the statements of the source documents that it answers.

    A table holds several theorems and refutations, one for each row, and has no single theorem.
    """

    id: str
    title: str
    source: str
    kind: Literal["derivation", "theorem", "table", "citation", "erratum"]
    decide: Callable[[], Report] = field(repr=False)
    claims: tuple[str, ...] = ()
    corrected: str = ""  # of an erratum: the id of the entry with the corrected form
    printed: str = ""  # of an erratum: the statement as printed, in plain text
    chain: Chain | None = field(default=None, repr=False)  # of a derivation

    def check(self) -> Report:
        """Decide the entry, once for each process."""
        return _checked(self)

    @property
    def theorem(self) -> Theorem:
        """The theorem of this entry; NotProved if the kernel did not prove it."""
        report = self.check()
        if report.theorem is None:
            raise NotProved(f"{self.id} is {report.status}: {report.detail or report.refuted_at}")
        return report.theorem


@cache
def _checked(entry: Entry) -> Report:
    start = time.perf_counter()
    report = entry.decide()
    return replace(report, seconds=time.perf_counter() - start)


@dataclass(frozen=True, slots=True)
class Given:
    """Under what a chain is claimed: hypotheses, ranges of free indices, and values that satisfy the hypotheses.

    `model` is the witness; a row that fails is refuted in it or in one of the `others`.
    """

    hypotheses: tuple[Hypothesis, ...] = ()
    ranges: tuple[Range, ...] = ()
    model: Mapping[str, Replacement] | None = field(default=None, hash=False)
    others: tuple[Mapping[str, Replacement], ...] = field(default=(), hash=False)


def equation(left: Any, right: Any, given: Given = Given()) -> Statement:
    """The statement left = right of two SymPy expressions; ShapeError if it is ill-typed."""
    return Statement(to_term(left), to_term(right), given.hypotheses, given.ranges)


def derivation(
    label: str,
    title: str,
    start: Any,
    *steps: Step,
    source: str,
    claims: tuple[str, ...] = (),
    given: Given = Given(),
    shown: Any = None,
) -> Entry:
    """A chain of rows from `start` (which documents print as `shown`); each row is proved equal to the row before."""
    chain = Chain(StepReport(start, "as defined", "given", shown), steps, given)
    return Entry(label, title, source, "derivation", lambda: _decide_chain(chain), claims, chain=chain)


def _decide_chain(chain: Chain) -> Report:
    rows = [chain.first]
    theorems: list[Theorem] = []
    for statement, step in chain.statements():
        answer = decide(statement, step, chain.given)
        rows.append(StepReport(step.expression, step.reason, said(answer), step.shown))
        if not isinstance(answer, Theorem):
            status: Status = "refuted" if isinstance(answer, Refuted) else "undecided"
            point = answer.point.text() if isinstance(answer, Refuted) else None
            return Report(status, None, tuple(rows), refuted_at=point, detail=f"row {len(rows) - 1}: {said(answer)}")
        theorems.append(answer)
    result = _composed(theorems, chain.given)
    return Report("proved", result, tuple(rows), tuple(sorted(result.lemmas)))


def decide(statement: Statement, step: Step, given: Given) -> Answer:
    """Decide one row with what its step may use, trying each model in turn until one answers."""
    using = tuple(entry.theorem for entry in step.using)
    answer = prove(statement, using=using, idle=step.idle, model=given.model)
    for model in given.others:
        if isinstance(answer, Undecided):
            answer = prove(statement, using=using, idle=step.idle, model=model)
    return answer


def _composed(theorems: list[Theorem], given: Given) -> Theorem:
    result = theorems[0]
    for following in theorems[1:]:
        result = transitive(result, following, model=given.model)
    return result


def said(answer: Answer) -> str:
    """The verdict of one row in words."""
    match answer:
        case Theorem():
            return "proved"
        case Refuted():
            return f"false {answer.text()}"
        case Undecided(_, reason, detail):
            return f"undecided: {reason} ({detail})"


def made(label: str, title: str, build: Callable[[], Theorem], *, source: str, claims: tuple[str, ...] = ()) -> Entry:
    """A theorem that rules of the kernel make from earlier ones."""

    def decide() -> Report:
        theorem = build()
        return Report("proved", theorem, (), tuple(sorted(theorem.lemmas)))

    return Entry(label, title, source, "theorem", decide, claims)


def cited(
    label: str,
    title: str,
    lemmas: tuple[str, ...],
    *,
    source: str,
    rests_on: tuple[Entry, ...],
    claims: tuple[str, ...] = (),
) -> Entry:
    """A conclusion in words that cited lemmas draw from proved entries; it never counts as proved."""

    def decide() -> Report:
        for name in lemmas:
            cite(name)
        rows = tuple(StepReport(entry.title, f"proved as {entry.id}", said(entry.theorem)) for entry in rests_on)
        return Report("cited", None, rows, lemmas, detail=title)

    return Entry(label, title, source, "citation", decide, claims)


def erratum(
    label: str,
    title: str,
    printed: str,
    evidence: Callable[[], Refuted | str | Theorem],
    *,
    source: str,
    corrected: Entry,
    claims: tuple[str, ...],
) -> Entry:
    """A statement as printed that is not true, beside the entry with the corrected form.

    The evidence is a refutation (false at a point), the text of a shape error (ill-typed), or a theorem that is a
    witness against a claim which is true in part (overclaim).
    """

    def decide() -> Report:
        found = evidence()
        match found:
            case Refuted():
                return Report("refuted", refuted_at=found.point.text(), detail=f"false {found.text()}")
            case Theorem():
                return Report("overclaim", found, detail="the claim fails for the case of this theorem")
            case _:
                return Report("ill-typed", detail=found)

    return Entry(label, title, source, "erratum", decide, claims, corrected.id, printed)


def refuted(answer: Answer) -> Refuted:
    """The refutation; KernelError if the statement that was to be false is not refuted."""
    if not isinstance(answer, Refuted):
        raise KernelError(f"a statement that is listed as false was not refuted: {said(answer)}")
    return answer


def proved(answer: Answer) -> Theorem:
    """The theorem, or NotProved with what the kernel said."""
    if not isinstance(answer, Theorem):
        raise NotProved(said(answer))
    return answer


def catalogue() -> dict[str, Entry]:
    """Every entry by id, in the order of the modules."""
    entries: dict[str, Entry] = {}
    for entry in _entries():
        if entry.id in entries:
            raise KernelError(f"two entries are called {entry.id}")
        entries[entry.id] = entry
    return entries


def _entries() -> Iterator[Entry]:
    for name in MODULES:
        yield from import_module(f"derivations.{name}").ENTRIES


def get(label: str) -> Entry:
    """The entry of that id; UnknownEntry names the closest one. Modules behind the one that has it are not imported."""
    for entry in _entries():
        if entry.id == label:
            return entry
    close = get_close_matches(label, catalogue(), n=1)
    raise UnknownEntry(f"there is no entry {label!r}" + (f"; did you mean {close[0]!r}?" if close else ""))


def theorem(label: str) -> Theorem:
    """The theorem of that id; UnknownEntry or NotProved otherwise."""
    return get(label).theorem


def ill_typed(build: Callable[[], Any]) -> str:
    """The shape error that building a statement raises; KernelError where it is well-typed after all."""
    try:
        build()
    except ShapeError as refusal:
        return str(refusal)
    raise KernelError("a statement that is listed as ill-typed has a meaning after all")
