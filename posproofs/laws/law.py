"""What a law is, and how it is asked of a subject: an ordered list of cases, a measurement of one case, then a search.

The order of the cases is part of the law: the first case that fails is the witness, so the smallest come first. A case
is plain data (JSON), so the same case can be measured again later, in another process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from posproofs.errors import BadInput, Contradiction
from posproofs.laws.attended import AttentionSubject
from posproofs.laws.drawing import failing
from posproofs.laws.scored import ScoreSubject
from posproofs.laws.subject import Subject
from posproofs.mutants import AttentionMutant, Mutant, ScoreMutant
from posproofs.symbolic.proof import Proof
from posproofs.vocabulary import Evidence

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from derivations.derivation import Entry

Case = Mapping[str, Any]
AnySubject = Subject | ScoreSubject | AttentionSubject
EXAMPLES = 40  # cases that are drawn after an enumeration, in a run that nobody asked to be wide


@dataclass(frozen=True, slots=True)
class Measure:
    """What one case showed: the worst error over the case, what was allowed there, and where.

    narrowed: the part of the case that is wrong by itself. reason: set when the case could not be asked.
    """

    observed: float
    allowed: float
    narrowed: Case | None = None
    saw: str = ""
    expected: str = ""
    likely: str | None = None
    reason: str = ""

    @property
    def broken(self) -> bool:
        """NaN is above every bound."""
        return not self.reason and not self.observed <= self.allowed


@dataclass(frozen=True, slots=True)
class Law:
    """One thing that code must satisfy.

    theorem: the theorem on which it rests, looked up when asked for; None: the law is empirical.
    needs: the laws whose failure explains a failure of this one.
    mutants: the implementations that this law names as wrong.
    cases: the enumeration for a subject, smallest first. measure: one case. describe: a case in words.
    draws: a strategy for further cases, searched after the enumeration.
    prove: the law by symbolic execution, for every input at once; None: it speaks of what a graph does not show.
    kind: the kind of subject that the law is about; its functions are called with subjects of that kind only, which is
    why they take Any here.
    """

    id: str
    family: str
    statement: str
    consequence: str  # what a failure means, for the first line of a report
    theorem: Callable[[], Entry] | None
    claims: tuple[str, ...]
    needs: tuple[Law, ...]
    mutants: tuple[Mutant, ...] | tuple[ScoreMutant, ...] | tuple[AttentionMutant, ...]
    cases: Callable[[Any], Iterator[Case]]
    measure: Callable[[Any, Case], Measure]
    describe: Callable[[Case], str]
    ranges_over: Callable[[Any], str]
    evidence: Evidence = Evidence.SAMPLED
    draws: Callable[[Any], SearchStrategy[Case]] | None = None
    kind: str = "rotary"
    prove: Callable[[Any], Proof] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """How a law came out on a subject, before known failures and root causes are taken into account."""

    law: str
    applied: int
    ran: int
    worst: Measure | None = None
    witness: Case | None = None
    error: str = ""
    reasons: tuple[str, ...] = field(default=())
    proof: Proof | None = None

    @property
    def broken(self) -> bool:
        return self.witness is not None and not self.error


def canonical(case: Case) -> Case:
    """The case as JSON gives it back, keys sorted: what is digested, stored and replayed."""
    return dict(sorted(json.loads(json.dumps(case)).items()))


def digest(subject: str, law: str, case: Case) -> str:
    """The identity of a failure: the first 12 hex digits of SHA-256 over subject, law and witness.

    Which numbers were drawn for the witness is no part of it, so that a known failure is known with every seed.
    """
    text = json.dumps({"law": law, "subject": subject, "witness": _seedless(canonical(case))}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _seedless(case: Case) -> Case:
    return {**case, "seed": 0} if "seed" in case else case


def examine(law: Law, subject: AnySubject, *, examples: int = EXAMPLES, seed: int = 0) -> Finding:
    """Ask a law of a subject: the enumeration in order, then a search over at most `examples` drawn cases.

    seed: of the numbers that are drawn, for the search and for cases whose inputs have no pattern; a case holds its
    own, so that it is measured again without one. The budget counts cases, never seconds, so that two runs end alike.
    An exception of the subject on a case that it declares to take is an error of the subject, reported with the case.
    Raises BadInput for a subject of another kind.
    """
    if law.kind != subject.kind:
        raise BadInput(f"{law.id} is a law of {law.kind}, {subject.name} is of the kind {subject.kind}")
    if examples < 1:
        raise BadInput(f"a search needs at least one example, saw {examples}")
    found = _enumerated(law, subject, seed)
    if law.draws is not None and found.ran and not (found.broken or found.error):
        found = _searched(law, subject, found, examples, seed=seed)
    return found if law.prove is None or found.error else _with_proof(law, subject, found)


def _with_proof(law: Law, subject: AnySubject, found: Finding) -> Finding:
    """The finding with what symbolic execution shows. A refutation counts once the code itself fails at its point.

    A smaller witness of the enumeration stays. A proof beside a failing case is no contradiction: the proof is about
    real numbers and one call, the case about floats and histories.
    """
    assert law.prove is not None
    proof = law.prove(subject)
    if proof.status != "refuted" or found.broken:
        return replace(found, proof=proof)
    witness, shown = replayed(law, subject, proof)
    return replace(found, applied=found.applied + 1, ran=found.ran + 1, worst=shown, witness=witness, proof=proof)


def replayed(law: Law, subject: AnySubject, proof: Proof) -> tuple[Case, Measure]:
    """The point of a refutation as the law measures it on the code, narrowed; Contradiction where the code is right."""
    case = canonical(proof.case)
    measured = law.measure(subject, case)
    if not measured.broken:
        raise Contradiction(f"{law.id} on {subject.name}: refuted at a point where the code is right: {case}")
    return _narrowed(law, subject, case, measured)


def _enumerated(law: Law, subject: AnySubject, seed: int) -> Finding:
    cases = tuple(_seeded(canonical(case), seed) for case in law.cases(subject))
    so_far = Finding(law.id, len(cases), 0)
    for case in cases:
        try:
            so_far = _asked(law, subject, case, so_far)
        except Exception as raised:  # noqa: BLE001 - code of others may raise anything, and all of it is a finding
            return replace(so_far, error=f"{_raised(raised)} ({law.describe(case)})")
        if so_far.broken:
            break
    return so_far


def _seeded(case: Case, seed: int) -> Case:
    return {**case, "seed": case["seed"] + seed} if "seed" in case else case


def _asked(law: Law, subject: AnySubject, case: Case, so_far: Finding) -> Finding:
    """The finding with one more case in it."""
    measured = law.measure(subject, case)
    if measured.reason:
        return replace(so_far, reasons=tuple(dict.fromkeys((*so_far.reasons, measured.reason))))
    if not measured.broken:
        return replace(so_far, ran=so_far.ran + 1, worst=_worse(so_far.worst, measured))
    witness, shown = _narrowed(law, subject, case, measured)
    return replace(so_far, ran=so_far.ran + 1, worst=shown, witness=witness)


def _worse(worst: Measure | None, measured: Measure) -> Measure:
    """The measurement that came closer to what was allowed."""
    if worst is None:
        return measured
    return max(worst, measured, key=lambda m: m.observed / m.allowed if m.allowed else m.observed)


def _narrowed(law: Law, subject: AnySubject, case: Case, measured: Measure) -> tuple[Case, Measure]:
    """Go to smaller cases as long as they fail by themselves."""
    while measured.narrowed is not None and canonical(measured.narrowed) != case:
        smaller = canonical(measured.narrowed)
        again = law.measure(subject, smaller)
        if not again.broken:
            break
        case, measured = smaller, again
    return case, measured


def _searched(law: Law, subject: AnySubject, so_far: Finding, examples: int, *, seed: int) -> Finding:
    """Draw further cases, the same ones in every run, and shrink the first that fails."""
    assert law.draws is not None
    count = 0

    def fails(case: Case) -> bool:
        nonlocal count
        count += 1
        return law.measure(subject, canonical(case)).broken

    try:
        found = failing(law.draws(subject), fails, examples=examples, seed=seed)
    except Exception as raised:  # noqa: BLE001 - as in the enumeration
        return replace(so_far, applied=so_far.applied + count, ran=so_far.ran + count, error=_raised(raised))
    if found is None:
        return replace(so_far, applied=so_far.applied + count, ran=so_far.ran + count)
    found = canonical(found)
    witness, shown = _narrowed(law, subject, found, law.measure(subject, found))
    return Finding(law.id, so_far.applied + count, so_far.ran + count, shown, witness)


def _raised(raised: Exception) -> str:
    first = str(raised).splitlines()[0] if str(raised) else "no message"
    return f"{type(raised).__name__}: {first}"
