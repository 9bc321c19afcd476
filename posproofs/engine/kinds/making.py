"""How somebody's class is made for a width: what the arguments of its constructor are, by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from posproofs.errors import UsageError
from posproofs.mutants.backend import torch

LENGTH = 8192  # for a class that wants to know how many positions there will be
HEADS = ("heads", "num_heads", "n_heads", "nheads", "nhead", "n_head", "num_attention_heads", "h")
KEY_HEADS = ("kv_heads", "num_kv_heads", "n_kv_heads", "key_heads", "num_key_value_heads")
HEAD_WIDTH = ("head_dim", "dim_head", "d_head", "head_size", "head_width", "d_k", "d_kv")
WIDTH = (*HEAD_WIDTH, "width", "rotary_dim", "rot_dim")
MODEL = ("dim", "width", "size", "head", "d_", "embd", "embed", "model", "hidden", "channels", "features")
OWN_MODULE = """make it in a module of your own, and check that:

    class Mine(torch.nn.Module):
        def __init__(self, dim, heads):
            super().__init__()
            self.inner = {0}(...)  # for rows of that dim

        def forward(self, x):
            return self.inner(x)
"""


def made(found: Any, dim: int, *, heads: int = 1, key_heads: int = 1, length: int = LENGTH) -> Callable[..., Any]:
    """The callable for heads of that width: a class is constructed, everything else is taken as it is.

    length: how many positions there will be, for a class that wants to know. Raises UsageError for a class whose
    arguments cannot be guessed, and for what cannot be called.
    """
    if not callable(found):
        raise UsageError(f"wanted a function, module or class, saw a {type(found).__name__}")
    if not inspect.isclass(found):
        return found  # type: ignore[no-any-return]  # somebody's object: callable, as was just seen
    sizes = Sizes(dim, heads, key_heads, length)
    parameters = tuple(chosen(found))
    given = {one.name: _argument(found, one.name, sizes) for one in parameters}
    first = [given.pop(one.name) for one in parameters if one.kind is one.POSITIONAL_ONLY]
    # Parameters that start at random are those of every other copy, as if they had been trained.
    with torch.random.fork_rng(devices=[]):
        _seed()
        return cast("Callable[..., Any]", found(*first, **given))


def _seed() -> None:
    """Where there is no device but the processor, the others are left out: Torch would keep the stack of each call for
    them, until they are up, and that takes longer than making most classes.
    """
    if torch.accelerator.is_available():
        torch.manual_seed(0)
    else:
        torch.default_generator.manual_seed(0)


def chosen(cls: type) -> Iterator[inspect.Parameter]:
    """The arguments of a constructor that `made` gives: those that it must have, and how many heads there are."""
    parameters = inspect.signature(cls).parameters.values()
    of_heads = (*HEADS, *KEY_HEADS, *HEAD_WIDTH) if any(one.name.lower() in HEADS for one in parameters) else ()
    for one in parameters:
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        if one.default is one.empty or (one.name.lower() in of_heads and _is_count(one.default)):
            yield one


def _is_count(default: Any) -> bool:
    """Whether a default is a number of heads, or says that it is that of another argument."""
    return default is None or (isinstance(default, int) and not isinstance(default, bool))


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a constructor can be told: the width of a head, heads, key heads, positions."""

    dim: int
    heads: int
    key_heads: int
    length: int


def _argument(cls: type, name: str, sizes: Sizes) -> Any:
    lower = name.lower()
    if lower in KEY_HEADS:
        return sizes.key_heads
    if lower in HEADS:
        return sizes.heads
    if lower in WIDTH:
        return sizes.dim
    if any(word in lower for word in ("max", "len", "ctx", "context", "positions", "block")):
        return sizes.length
    if any(word in lower for word in ("base", "theta")):
        return 10000.0
    if any(word in lower for word in MODEL) or lower in ("d", "c"):
        return sizes.dim * sizes.heads
    raise UsageError(f"{cls.__name__} wants {name!r}, which cannot be guessed; {OWN_MODULE.format(cls.__name__)}")


def signature_of(called: Callable[..., Any]) -> Callable[..., Any]:
    """What has the names of the arguments: `forward` of a module."""
    forward = getattr(called, "forward", None)
    return forward if isinstance(called, torch.nn.Module) and forward is not None else called
