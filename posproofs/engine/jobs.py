"""The functions that a worker runs: a law on a subject, or one case of it. Arguments and results are plain data."""

from __future__ import annotations

from posproofs import production
from posproofs.laws import AnySubject, Case, Finding, Measure, examine
from posproofs.laws import law as law_of
from posproofs.mutants.backend import torch


def find(name: str) -> AnySubject:
    """The subject of that name."""
    return production.subject(name)


def version_of(subject: AnySubject) -> str:
    """The installed version of the subject's package; "not installed" without one."""
    return production.installed(subject) or "not installed"


def examined(name: str, law: str, examples: int) -> Finding:
    """One law on one subject, with a search over at most `examples` drawn cases after the enumeration."""
    _single_thread()
    return examine(law_of(law), find(name), examples=examples)


def measured(name: str, law: str, case: Case) -> Measure:
    """One case of one law on one subject."""
    _single_thread()
    return law_of(law).measure(find(name), case)


def _single_thread() -> None:
    """How work is cut decides which loop of the library computes a cosine; one thread cuts it alike everywhere."""
    torch.set_num_threads(1)
