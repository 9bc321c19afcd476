"""Prove the formulas of positional attention, emit them as code, and hold released implementations to them.

Importing this package loads nothing else: each public name is looked up in its module when it is first asked for
(PEP 562), so `posproofs --help` and the pytest plugin start without SymPy and without torch.

`posproofs.emit`, `posproofs.export` and `posproofs.identify` are one object each with two uses: a package, and a
callable that forwards to its function of the same name. `posproofs._callable` says why.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from derivations.kernel import prove
    from posproofs.emit import emit
    from posproofs.engine.check import check
    from posproofs.errors import (
        BadInput,
        CannotWrite,
        Contradiction,
        MissingExtra,
        NotEmittable,
        PosproofsError,
        Refused,
        UnknownName,
        UsageError,
    )
    from posproofs.export import export
    from posproofs.identify import identify
    from posproofs.pytest_plugin import conforms
    from posproofs.symbolic.equality import prove_equal
    from posproofs.vocabulary import Verdict

    __version__: str

_HOME = {
    "BadInput": "posproofs.errors",
    "CannotWrite": "posproofs.errors",
    "Contradiction": "posproofs.errors",
    "MissingExtra": "posproofs.errors",
    "NotEmittable": "posproofs.errors",
    "PosproofsError": "posproofs.errors",
    "Refused": "posproofs.errors",
    "UnknownName": "posproofs.errors",
    "UsageError": "posproofs.errors",
    "Verdict": "posproofs.vocabulary",
    "check": "posproofs.engine.check",
    "conforms": "posproofs.pytest_plugin",
    "load_ipython_extension": "posproofs.export.jupyter",  # what `%load_ext posproofs` calls
    "prove": "derivations.kernel",
    "prove_equal": "posproofs.symbolic.equality",
}

__all__ = [
    "BadInput",
    "CannotWrite",
    "Contradiction",
    "MissingExtra",
    "NotEmittable",
    "PosproofsError",
    "Refused",
    "UnknownName",
    "UsageError",
    "Verdict",
    "__version__",
    "check",
    "conforms",
    "emit",
    "export",
    "identify",
    "prove",
    "prove_equal",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in ("emit", "export", "identify"):
        return import_module(f"posproofs.{name}")
    if name == "__version__":
        # Reading the metadata of installed packages costs more than everything else here; only who asks pays.
        return import_module("importlib.metadata").version(__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
