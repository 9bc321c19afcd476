"""The functions that a worker runs: a law on a subject, or one case of it. Arguments and results are plain data."""

from __future__ import annotations

from posproofs import production
from posproofs.engine import somebody
from posproofs.engine.kinds import Introduced
from posproofs.engine.targets import is_own
from posproofs.errors import UsageError
from posproofs.identify import Parting
from posproofs.laws import AnySubject, Case, Finding, Measure, examine
from posproofs.laws import law as law_of
from posproofs.laws.law import replayed
from posproofs.mutants.backend import torch
from posproofs.symbolic.proof import Proof


def find(name: str, law: str = "") -> AnySubject:
    """The shipped subject of that name, or somebody's code that is named as on the command line, for that law."""
    if is_own(name):
        return somebody.introduced(name).held_to(law)
    return production.subject(name)


def introduced(name: str) -> Introduced | str:
    """Somebody's code, found, called and identified; a text where there is nothing to call."""
    _single_thread()
    try:
        return somebody.introduced(name)
    except UsageError as refusal:
        return str(refusal)


def version_of(subject: AnySubject) -> str:
    """The installed version of the subject's package; "not installed" without one."""
    return production.installed(subject) or "not installed"


def parted(one: str, other: str) -> Parting | str:
    """Where two pieces of somebody's code part; a text where there is nothing to call."""
    _single_thread()
    try:
        return somebody.parted(one, other)
    except UsageError as refusal:
        return str(refusal)


def version(name: str) -> str:
    """The version of a shipped subject's package, the digest of the source of somebody's own code."""
    return somebody.introduced(name).digest if is_own(name) else version_of(find(name))


def examined(name: str, law: str, examples: int, seed: int = 0) -> Finding:
    """One law on one subject, with a search over at most `examples` drawn cases after the enumeration."""
    _single_thread()
    return examine(law_of(law), find(name, law), examples=examples, seed=seed)


def proved(name: str, law: str) -> tuple[Proof | None, tuple[Case, Measure] | None]:
    """What symbolic execution alone comes to, None for a law that has no proofs; with a refutation its case, run."""
    _single_thread()
    one, subject = law_of(law), find(name, law)
    proof = one.prove(subject) if one.prove is not None else None
    refuted = proof is not None and proof.status == "refuted"
    return proof, replayed(one, subject, proof) if proof is not None and refuted else None


def measured(name: str, law: str, case: Case) -> Measure:
    """One case of one law on one subject."""
    _single_thread()
    return law_of(law).measure(find(name, law), case)


def _single_thread() -> None:
    """How work is cut decides which loop of the library computes a cosine; one thread cuts it alike everywhere."""
    torch.set_num_threads(1)
