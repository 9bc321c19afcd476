"""Implementations that are wrong on purpose: what a law is worth is shown by the mutants that it kills.

`posproofs.laws` says which law names which mutant; this package knows nothing of laws.
"""

from __future__ import annotations

from posproofs.mutants import rotary
from posproofs.mutants.rotary import Mutant

MUTANTS: tuple[Mutant, ...] = tuple(value for value in vars(rotary).values() if isinstance(value, Mutant))

__all__ = ["MUTANTS", "Mutant"]
