"""How somebody's class is made for a width: what the arguments of its constructor are, by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from posproofs.errors import UsageError
from posproofs.mutants.backend import torch

LENGTH = 8192  # for a class that wants to know how many positions there will be
HEADS = ("heads", "num_heads", "n_heads", "nheads", "nhead", "n_head", "num_attention_heads", "h")
KEY_HEADS = ("kv_heads", "num_kv_heads", "n_kv_heads", "key_heads", "num_key_value_heads")
WIDTH = ("head_dim", "dim_head", "d_head", "head_size", "head_width", "d_k", "d_kv", "width", "rotary_dim", "rot_dim")
MODEL = ("dim", "width", "size", "head", "d_", "embd", "embed", "model", "hidden", "channels", "features")
WRAPPER = """make it in a module of your own, and check that:

    class Mine(torch.nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.inner = {0}(...)  # for rows of that dim

        def forward(self, x):
            return self.inner(x)
"""


def made(found: Any, dim: int, *, heads: int = 1, key_heads: int = 1) -> Callable[..., Any]:
    """The callable for heads of that width: a class is constructed, everything else is taken as it is.

    Raises UsageError for a class whose arguments cannot be guessed, and for what cannot be called.
    """
    if not callable(found):
        raise UsageError(f"wanted a function, module or class, saw a {type(found).__name__}")
    if not inspect.isclass(found):
        return found  # type: ignore[no-any-return]  # somebody's object: callable, as was just seen
    sizes = (dim, heads, key_heads)
    arguments = []
    for parameter in inspect.signature(found).parameters.values():
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_KEYWORD,
            parameter.VAR_POSITIONAL,
        ):
            continue
        arguments.append(_argument(found, parameter.name, sizes))
    # Parameters that start at random are those of every other copy, as if they had been trained.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return cast("Callable[..., Any]", found(*arguments))


def _argument(cls: type, name: str, sizes: tuple[int, int, int]) -> Any:
    dim, heads, key_heads = sizes
    lower = name.lower()
    if lower in KEY_HEADS:
        return key_heads
    if lower in HEADS:
        return heads
    if lower in WIDTH:
        return dim
    if any(word in lower for word in ("max", "len", "ctx", "context", "positions", "block")):
        return LENGTH
    if any(word in lower for word in ("base", "theta")):
        return 10000.0
    if any(word in lower for word in MODEL) or lower in ("d", "c"):
        return dim * heads
    raise UsageError(f"{cls.__name__} wants {name!r}, which cannot be guessed; {WRAPPER.format(cls.__name__)}")


def signature_of(called: Callable[..., Any]) -> Callable[..., Any]:
    """What has the names of the arguments: `forward` of a module."""
    forward = getattr(called, "forward", None)
    return forward if isinstance(called, torch.nn.Module) and forward is not None else called
