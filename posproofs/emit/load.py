"""Run an emitted module from its text, so that tracebacks, inspect and torch.compile treat it as any other module."""

from __future__ import annotations

import linecache
import sys
from hashlib import sha256
from types import ModuleType

from posproofs.errors import MissingExtra

_EXTRAS = {"torch": "torch"}


def loaded(source: str, stem: str) -> ModuleType:
    """The module that `source` defines. MissingExtra when it imports a library that is not installed."""
    digest = sha256(source.encode()).hexdigest()[:12]
    name, filename = f"{stem}_{digest}", f"<posproofs {stem} {digest}>"
    module = ModuleType(name)
    module.__file__ = filename
    # An entry without a modification time is never checked against the disk, so tracebacks and inspect find the text.
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        # The text comes from the emitter of this package alone; this is the one place that runs it.
        exec(compile(source, filename, "exec"), module.__dict__)  # noqa: S102
    except ModuleNotFoundError as missing:
        raise _explained(missing) from missing
    # torch.compile imports the module of a function that it inlines, by name.
    sys.modules[name] = module
    return module


def _explained(missing: ModuleNotFoundError) -> Exception:
    return MissingExtra(missing.name, _EXTRAS[missing.name]) if missing.name in _EXTRAS else missing
