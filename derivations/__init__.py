"""The mathematics of positional attention: derivations that are proved row by row.

Importing this package loads nothing: a name of `__all__` is looked up in its module when it is first asked for
(PEP 562), so neither SymPy nor anything else slows down a program that only wants the kernel.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from derivations.claims import Claim, ClaimStatus, UnknownClaim, all_claims

__all__ = ["Claim", "ClaimStatus", "UnknownClaim", "all_claims"]

_HOME = dict.fromkeys(__all__, "derivations.claims")


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
