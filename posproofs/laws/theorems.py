"""The modules of derivations that laws rest on, loaded when a law is asked for its theorem: they bring SymPy with them.

A law names its theorem by attribute, so the type checker finds a name that does not exist.
"""

from __future__ import annotations

from importlib import import_module


class Derivations:
    """A module of derivations, imported at the first attribute."""

    def __init__(self, name: str) -> None:
        self._name = f"derivations.{name}"

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self._name), name)
