"""Implementations that are wrong on purpose: what a law is worth is shown by the mutants that it kills.

`posproofs.laws` says which law names which mutant; this package knows nothing of laws.
"""

from __future__ import annotations

from posproofs.mutants import (
    attention,
    rotary,
    rotary_calls,
    rotary_declared,
    rotary_outputs,
    rotary_turns,
    transformer_xl,
)
from posproofs.mutants.attention import AttentionMutant
from posproofs.mutants.rotary import Mutant
from posproofs.mutants.transformer_xl import ScoreMutant

MUTANTS: tuple[Mutant, ...] = tuple(
    value
    for family in (rotary, rotary_calls, rotary_declared, rotary_outputs, rotary_turns)
    for value in vars(family).values()
    if isinstance(value, Mutant)
)
SCORE_MUTANTS: tuple[ScoreMutant, ...] = tuple(
    value for value in vars(transformer_xl).values() if isinstance(value, ScoreMutant)
)
ATTENTION_MUTANTS: tuple[AttentionMutant, ...] = tuple(
    value for value in vars(attention).values() if isinstance(value, AttentionMutant)
)

__all__ = ["ATTENTION_MUTANTS", "MUTANTS", "SCORE_MUTANTS", "AttentionMutant", "Mutant", "ScoreMutant"]
