"""What a run produces: frozen records, field for field the JSON of `posproofs.verify/1`, and events that carry them."""

from __future__ import annotations

from dataclasses import dataclass, field

from posproofs.vocabulary import Evidence, Outcome, Verdict


@dataclass(frozen=True, slots=True)
class TheoremRecord:
    """One row of the catalogue: a theorem, or an erratum with what refutes it."""

    id: str
    claims: tuple[str, ...]
    status: str  # proved, refuted, cited, empirical, undecided; an erratum is "refuted", "ill-typed" or "overclaim"
    statement: str
    scope: str
    seconds: float
    lemmas: tuple[str, ...] = ()
    refuted_at: str | None = None
    kind: str = "theorem"  # derivation, theorem, citation, erratum: only an erratum is expected to be refuted


@dataclass(frozen=True, slots=True)
class LawRecord:
    """How one law came out on one subject."""

    id: str
    outcome: Outcome
    applied: int  # cases in which the law could be asked
    ran: int  # cases that were executed
    reason: str = ""  # why not applicable, blocked, known or error
    theorem: str | None = None  # the theorem on which the law rests; None: empirical
    formula_status: str = "empirical"  # the status of that theorem
    evidence: Evidence = Evidence.UNDECIDED
    for_all: str = ""  # what the evidence ranges over, in words
    shape: str = ""
    trusted_ops: tuple[str, ...] = ()
    casts: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()  # floats and tables that a proof took for exact numbers or symbols
    graphs: tuple[str, ...] = ()  # digests of the exported graphs
    unproved: str = ""  # why symbolic execution decided nothing
    allowed: float | None = None  # the derived tolerance at the worst case
    observed: float | None = None  # the worst error seen
    witness: str | None = None
    expected: str | None = None
    likely: str | None = None
    replay: str | None = None
    saw: str | None = None  # the wrong value in words, beside `expected`


@dataclass(frozen=True, slots=True)
class SubjectRecord:
    """One implementation and what the laws say of it."""

    name: str
    package: str
    version: str
    kind: str
    convention: str
    verdict: Verdict
    laws: tuple[LawRecord, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run of `posproofs verify`."""

    theorems: tuple[TheoremRecord, ...]
    subjects: tuple[SubjectRecord, ...] = ()
    skipped: tuple[tuple[str, str], ...] = field(default=())  # (subject, why it could not be loaded)
    problems: tuple[str, ...] = ()  # entries of the list of known failures that are fixed, changed or unknown


@dataclass(frozen=True, slots=True)
class TheoremDone:
    record: TheoremRecord


@dataclass(frozen=True, slots=True)
class SubjectStarted:
    name: str
    laws: int


@dataclass(frozen=True, slots=True)
class LawDone:
    subject: str
    record: LawRecord


@dataclass(frozen=True, slots=True)
class SubjectDone:
    record: SubjectRecord


@dataclass(frozen=True, slots=True)
class SubjectSkipped:
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class KnownProblem:
    """An entry of the list of known failures that is fixed, changed or unknown; the line says what to do."""

    line: str


Event = TheoremDone | SubjectStarted | LawDone | SubjectDone | SubjectSkipped | KnownProblem
