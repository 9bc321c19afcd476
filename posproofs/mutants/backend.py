"""Torch, imported when it is first used, so that tables of laws and mutants can be read where torch is not installed.

The type checker sees the real module; at run time `torch` is an object that imports it at the first attribute.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from posproofs.errors import MissingExtra

if TYPE_CHECKING:
    import torch
else:

    class _Torch:
        """Stands for the module until somebody asks it for something."""

        def __getattr__(self, name: str) -> object:
            try:
                module = import_module("torch")
            except ModuleNotFoundError as missing:
                raise MissingExtra("torch", "torch") from missing
            value = getattr(module, name)
            setattr(self, name, value)
            return value

    torch = _Torch()

__all__ = ["torch"]
