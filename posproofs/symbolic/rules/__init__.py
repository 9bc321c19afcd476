"""The table of rules: what each operator does to symbolic tensors. An operator that is not here is refused.

Most operators move data, and one generic rule serves them all. The rest is arithmetic, reductions, contractions,
softmax and normalisation, and pairs for complex numbers. Each rule is tested against Torch in float64. A rule gets the
arguments in the order of the operator's schema, with defaults filled in, and those that are keyword-only by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from posproofs.symbolic.rules import arithmetic, attention, contraction, movement, pairs, reductions, rotary

Rule = Callable[..., Any]
"""(execution, operator, *arguments of the operator) -> symbolic tensors."""

GROUPS: Mapping[str, Mapping[str, Rule]] = {
    "data movement": movement.RULES,
    "entrywise arithmetic": arithmetic.RULES,
    "reductions": reductions.RULES,
    "matrix products": contraction.RULES,
    "softmax, attention, normalisation": attention.RULES,
    "complex numbers": pairs.RULES,
}
RULES: Mapping[str, Rule] = {
    **{f"aten.{name}": rule for table in GROUPS.values() for name, rule in table.items()},
    **rotary.RULES,
}
