"""One budget of steps for each proof: what bounds its work, whatever the clock says.

A step is a few microseconds' work: a product of two terms, a node that is evaluated, a binding that is tried. Whoever
works in a loop spends its steps beforehand. Outside a proof nothing is counted, so programs that compute with values
alone set limits of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from derivations.kernel.errors import LimitReached

STEPS = 400_000  # the longest proof of the catalogue takes about a thousand
BIT_LIMIT = 1 << 17
LONG = 1 << 11  # bits from which arithmetic is no longer one step
WEIGHT_LIMIT = 20_000
PLAIN = frozenset({"symbol", "family", "pi"})  # atoms with nothing inside that could grow
P = ParamSpec("P")
V = TypeVar("V", bound=Mapping[Any, Any])
R = TypeVar("R")
_LEFT: ContextVar[list[int] | None] = ContextVar("steps that are left", default=None)


def spend(steps: int) -> None:
    """Count these steps; LimitReached once the budget of the proof is used up, and at every step after that."""
    left = _LEFT.get()
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise LimitReached(f"the proof passes the limit of {STEPS} steps; split the statement into steps")


def spend_on_digits(bits: int) -> None:
    """Long numbers cost more than one step, and beyond a limit they are given up."""
    if bits > BIT_LIMIT:
        raise LimitReached(f"a coefficient passes the limit of {BIT_LIMIT} bits; keep the number as a power")
    spend((bits // LONG) ** 2)


def weighed(value: V) -> V:
    """The value, if it is light enough for an exponent or an argument: there it is compared and walked over often.

    cos(cos(...)) doubles with each level, since a cosine is a sum of two exponentials.
    """
    if all(not phase and all(base[0] in PLAIN for base, _ in monomial) for monomial, phase in value):
        return value
    weight, rest = 0, list[object](value)
    while rest:
        part = rest.pop()
        weight += 1
        if weight > WEIGHT_LIMIT:
            raise LimitReached(f"an exponent or argument has more than {WEIGHT_LIMIT} parts once it is multiplied out")
        if isinstance(part, (tuple, frozenset)):
            rest.extend(part)
    spend(weight // 8)
    return value


@contextmanager
def limited() -> Iterator[None]:
    """Spend from one budget inside; a proof within a proof spends from the outer one."""
    token = _LEFT.set(_LEFT.get() or [STEPS])
    try:
        yield
    except RecursionError:
        raise LimitReached("the term is nested too deeply") from None
    finally:
        _LEFT.reset(token)


def bounded(act: Callable[P, R]) -> Callable[P, R]:
    """The function within one budget."""

    @wraps(act)
    def within(*args: P.args, **kwargs: P.kwargs) -> R:
        with limited():
            return act(*args, **kwargs)

    return within
