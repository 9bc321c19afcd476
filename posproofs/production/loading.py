"""Importing a library whose import warns: what it tells its authors is not the business of whoever asks for laws."""

from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType


def quietly(name: str) -> ModuleType:
    """The module of that name. What its import warns of, deprecations of Torch above all, is not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module(name)
