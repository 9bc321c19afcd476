"""On which symbols an entry can depend: a set of names, by the operations alone. Causality and windows read it.

An entry without a symbol in its set does not depend on it, whatever the numbers are. The converse does not hold:
x - x names x.
"""

from __future__ import annotations

from collections.abc import Sequence

from posproofs.symbolic.program import Constant, Name

Names = frozenset[Name]
NOTHING: Names = frozenset()


class Dependencies:
    """Every operation depends on what its arguments depend on."""

    def constant(self, _value: Constant) -> Names:
        return NOTHING

    def symbol(self, name: Name) -> Names:
        return frozenset((name,))

    def add(self, a: Names, b: Names) -> Names:
        return a | b

    multiply = add

    def negate(self, a: Names) -> Names:
        return a

    invert = exp = log = cos = sin = root = cut = negate

    def share(self, mine: Names, row: Sequence[Names]) -> Names:
        return mine.union(*row)

    def call(self, _function: str, arguments: Sequence[Names]) -> Names:
        return NOTHING.union(*arguments)
