"""On what a theorem rests: hypotheses, scope, earlier theorems, cited lemmas, rewrites, witness and kernel modules.

A reader who doubts a `proved` finds here everything that has to be believed for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec

from derivations.derivation import Entry, Report
from derivations.kernel import Theorem
from derivations.kernel.terms import Replacement
from derivations.lemmas import LEMMAS
from derivations.plain import term_text
from posproofs.report.layout import counted, labelled

_CONVERTER = (
    "derivations/from_sympy.py, which turned the SymPy expressions into the terms above. It is not part of the kernel: "
    "read the statement to see that it says what it should."
)
# Where there is no theorem, what stands in its place, by status.
_INSTEAD = {
    "cited": "no theorem: the entry rests on the lemmas below, which are not proved here, and on the entries above.",
    "refuted": "no theorem: points.py and balls.py in derivations/kernel enclose both sides at the point, and the "
    "enclosures do not meet.",
    "ill-typed": "no theorem: shapes.py in derivations/kernel found no size for which the sides fit together.",
}
_STATED = (
    "the module of the entry, where the statement is written in SymPy, and derivations/from_sympy.py, which turns it "
    "into terms. Neither is part of the kernel."
)


def trust(report: Report, entries: Mapping[str, Entry]) -> str:
    """The lines that `show ID --trust` adds; `entries` gives the used theorems their ids."""
    theorem = report.theorem
    lemmas = {*report.lemmas, *(theorem.lemmas if theorem is not None else ())}
    cites = ("cited", "\n".join(map(cited, sorted(lemmas))) or "no lemma")
    if theorem is None:
        instead = _INSTEAD.get(report.status, "no theorem: the kernel did not decide the statement.")
        return "on what this rests\n" + labelled((("kernel", instead), cites, ("outside", _STATED)))
    return "on what this rests\n" + labelled((*_of_theorem(theorem, entries), cites, ("outside", _CONVERTER)))


def _of_theorem(theorem: Theorem, entries: Mapping[str, Entry]) -> tuple[tuple[str, str], ...]:
    used = list(dict.fromkeys(used_entries(theorem, named(entries))))
    rewrites = ", ".join(f"{name} ({counted(n, 'time')})" for name, n in all_rewrites(theorem))
    return (
        ("uses", "\n".join(used) or "no earlier theorem"),
        ("rewrites", rewrites or "none"),
        ("witness", witness_text(theorem.witness) or "none needed: there is no hypothesis to satisfy"),
        ("kernel", "derivations/kernel: " + ", ".join(f"{name}.py" for name in kernel_modules(theorem))),
    )


def kernel_modules(theorem: Theorem) -> tuple[str, ...]:
    """The files of the kernel behind this theorem: a rule is named by its function, which stands in `inference`."""
    names = set(theorem.modules())
    return tuple(sorted({name if _is_module(name) else "inference" for name in names}))


def _is_module(name: str) -> bool:
    return find_spec(f"derivations.kernel.{name}") is not None


def named(entries: Mapping[str, Entry]) -> dict[int, str]:
    """The ids of the theorems of the catalogue, by the identity of the object."""
    reports = ((name, entry.check()) for name, entry in entries.items())
    return {id(report.theorem): name for name, report in reports if report.theorem is not None}


def used_entries(theorem: Theorem, names: Mapping[int, str]) -> Iterator[str]:
    """Ids of the theorems that this one uses; one without an id (a row of a chain) is opened, not listed."""
    for used in theorem.uses:
        if id(used) in names:
            yield names[id(used)]
        else:
            yield from used_entries(used, names)


def all_rewrites(theorem: Theorem) -> list[tuple[str, int]]:
    """How often each hypothesis or theorem was used as a rewrite, the rows of the chain included."""
    counts = dict(theorem.rewrites)
    for used in theorem.uses:
        for name, n in all_rewrites(used):
            counts[name] = counts.get(name, 0) + n
    return sorted(counts.items())


def cited(name: str) -> str:
    """A lemma with its source, on one line."""
    lemma = LEMMAS[name]
    return f"{lemma.id}: {lemma.statement} ({lemma.source})"


def witness_text(witness: Mapping[str, Replacement]) -> str:
    """Values at which all hypotheses hold together: `c(x) = cos(x), s(x) = sin(x)`."""
    return ", ".join(f"{_head(name, found)} = {term_text(found.body)}" for name, found in sorted(witness.items()))


def _head(name: str, found: Replacement) -> str:
    return f"{name}({', '.join(found.parameters)})" if found.parameters else name
