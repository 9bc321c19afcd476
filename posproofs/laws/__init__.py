"""The laws: what code must satisfy, for each kind of subject in the order in which a failure explains later ones.

The tables are `rotary_laws`, `score_laws` and `attention_laws`; this module puts them together, finds a law by its id
and those that are about a subject. Reading it needs neither torch nor SymPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from posproofs.errors import UnknownName
from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject
from posproofs.laws.attention_laws import ATTENTION_LAWS
from posproofs.laws.attention_mutants import attending
from posproofs.laws.law import EXAMPLES, AnySubject, Case, Finding, Law, Measure, digest, examine
from posproofs.laws.rotary_laws import (
    FORMULA,
    GRAM,
    HISTORY,
    ISOMETRY,
    LOCALITY,
    OUTPUT,
    POSITION,
    PURITY,
    ROTARY_LAWS,
    VJP,
)
from posproofs.laws.score_laws import SCORE_LAWS
from posproofs.laws.scored import ScoreConvention, ScoreInstance, ScoreRecipe, ScoreSubject, Size
from posproofs.laws.subject import Convention, Instance, Recipe, Subject, Width
from posproofs.mutants import AttentionMutant, Mutant, ScoreMutant
from posproofs.mutants.backend import torch
from posproofs.mutants.rotary import Make

if TYPE_CHECKING:
    from torch import Tensor

LAWS: tuple[Law, ...] = (*ROTARY_LAWS, *SCORE_LAWS, *ATTENTION_LAWS)


def law(id: str) -> Law:  # noqa: A002 - the word of every table and command
    """The law of that id; raises UnknownName with the closest match."""
    found = {one.id: one for one in LAWS}
    if id not in found:
        raise UnknownName("law", id, found)
    return found[id]


def laws_of(subject: AnySubject, laws: Iterable[Law] = LAWS) -> tuple[Law, ...]:
    """Those of the laws that are about subjects of this kind, in their order."""
    return tuple(one for one in laws if one.kind == subject.kind)


@overload
def subject_of(mutant: Mutant, sizes: tuple[Width, ...] = ...) -> Subject: ...


@overload
def subject_of(mutant: ScoreMutant, sizes: tuple[Size, ...] = ...) -> ScoreSubject: ...


@overload
def subject_of(mutant: AttentionMutant, sizes: tuple[AttentionSize, ...] = ...) -> AttentionSubject: ...


def subject_of(mutant: Mutant | ScoreMutant | AttentionMutant, sizes: tuple[Any, ...] = ()) -> AnySubject:
    """A mutant as something that laws can be run on, in these widths or sizes; small ones without any."""
    if isinstance(mutant, AttentionMutant):
        return attending(mutant, sizes) if sizes else attending(mutant)
    if isinstance(mutant, Mutant):
        return _rotating(mutant, sizes or tuple(Width(*one) for one in mutant.widths))
    return _scoring(mutant, sizes or (Size(1, 2), Size(2, 4)))


def _rotating(mutant: Mutant, widths: tuple[Width, ...]) -> Subject:
    """It computes in float64 and rounds once, as its source says."""
    style = mutant.style
    return Subject(
        name=f"mutant.{mutant.name}",
        package="posproofs",
        convention=Convention(style.reads, style.writes, style.sign, style.base, style.magnitude, style.frequencies),
        recipe=Recipe("rounded", "float64", ("float32",), "wide"),
        widths=widths,
        make=lambda width: _built(mutant, mutant.execute(), width),
    )


def _built(mutant: Mutant, make: Make, width: Width) -> Instance:
    """One instance of an execution; where instances share a state, another one can be had from it."""
    keys = None if mutant.keys is None else mutant.keys(width.head, width.rotary)
    beside = partial(_built, mutant, make) if mutant.shared is not None else None
    return Instance(make(width.head, width.rotary), (), keys, beside)


def _scoring(mutant: ScoreMutant, sizes: tuple[Size, ...]) -> ScoreSubject:
    """Unscaled scores of every pair, and a table of sinusoids."""

    def make(size: Size, _dtype: torch.dtype) -> ScoreInstance:
        rows = mutant.make_table()

        def table(queries: int, keys: int, called_in: torch.dtype) -> Tensor:
            return rows(torch.arange(keys, -queries, -1), size.model, called_in)

        return ScoreInstance(mutant.scores, table)

    return ScoreSubject(
        name=f"mutant.{mutant.name}",
        package="posproofs",
        convention=ScoreConvention(gives="scores", scale="none", table="half-split"),
        recipe=ScoreRecipe(table="input"),
        sizes=sizes,
        make=make,
    )


__all__ = [
    "ATTENTION_LAWS",
    "EXAMPLES",
    "FORMULA",
    "GRAM",
    "HISTORY",
    "ISOMETRY",
    "LAWS",
    "LOCALITY",
    "OUTPUT",
    "POSITION",
    "PURITY",
    "ROTARY_LAWS",
    "SCORE_LAWS",
    "VJP",
    "AnySubject",
    "AttentionConvention",
    "AttentionInstance",
    "AttentionSize",
    "AttentionSubject",
    "Case",
    "Convention",
    "Finding",
    "Instance",
    "Law",
    "Measure",
    "Recipe",
    "ScoreConvention",
    "ScoreInstance",
    "ScoreRecipe",
    "ScoreSubject",
    "Size",
    "Subject",
    "Width",
    "digest",
    "examine",
    "law",
    "laws_of",
    "subject_of",
]
