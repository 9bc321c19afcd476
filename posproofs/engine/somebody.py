"""Somebody's code as a subject of the laws: found, called, identified. All of it happens in a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from posproofs.engine.kinds import KINDS, Fit, Introduced, Kind, keep, kind_of, resolve_once
from posproofs.engine.kinds.attention import ATTENTION
from posproofs.engine.kinds.making import OWN_MODULE, made, signature_of
from posproofs.engine.kinds.module_weights import LEAST
from posproofs.engine.kinds.modules import LENGTH, MODULE, has_layers
from posproofs.engine.kinds.rotary import by_positions
from posproofs.engine.kinds.scores import SCORES
from posproofs.engine.kinds.shipped import introduced_shipped
from posproofs.engine.queries import Query, parsed
from posproofs.engine.targets import Target, is_own
from posproofs.errors import UnknownName, UsageError
from posproofs.identify import Parting, against
from posproofs.laws.subject import Subject, Width

if TYPE_CHECKING:
    from torch import Tensor


@cache
def introduced(text: str) -> Introduced:
    """Find the code, how it is called, and what it does. Raises UsageError where there is nothing to call."""
    query = parsed(text)
    if not is_own(query.target):
        return introduced_shipped(query)
    target = resolve_once(query.target)
    kind, fit = _fitting(target, query)
    return kind.introduce(text, query, target, fit.found)


def _fitting(target: Target, query: Query) -> tuple[Kind, Fit]:
    """The first kind that the code behaves as one of; else the one that its arguments name, if a call runs at all."""
    meant, others = ((kind_of(query.kind),), ()) if query.kind else _in_order(target)
    running: tuple[Kind, Fit] | None = None
    raised, unknown = "", None
    for kind in (*meant, *others):
        try:
            fit = kind.fits(target, query)
        except UnknownName as refusal:  # a shape of another kind
            unknown = unknown or refusal
            continue
        if fit.good:
            return kind, fit
        if fit.found is not None and kind in meant:
            running = running or (kind, fit)
        raised = raised or fit.raised
    if running is None and unknown is not None:
        raise unknown
    if running is None:
        said = f" ({raised})" if raised else ""
        name = query.target.rpartition(":")[2]
        way = OWN_MODULE.format(name) if meant == (MODULE,) else f"write a function that does, and check it:\n{WRAPPER}"
        raise UsageError(f"no call shape fits {query.target}{said}; {way}")
    return running


def _in_order(target: Target) -> tuple[tuple[Kind, ...], tuple[Kind, ...]]:
    """The kinds that the names of its arguments speak of, the first kind if none; and the others."""
    try:
        built = made(target.found, 8, heads=LEAST, key_heads=LEAST, length=LENGTH)
    except UsageError:
        raise
    except Exception:  # noqa: BLE001 - a class that refuses this width tells nothing
        return KINDS[:1], KINDS[1:]
    kinds = (MODULE, ATTENTION, SCORES) if has_layers(built) else KINDS
    meant = tuple(kind for kind in kinds if kind.named(signature_of(built))) or kinds[:1]
    return meant, tuple(kind for kind in kinds if kind not in meant)


WRAPPER = """
    # wrapper.py
    import mymodule

    def rotate(x, positions):
        \"\"\"x of shape (batch, heads, rows, dim), positions of shape (rows,) -> the rotated x.\"\"\"
        return mymodule.rotate(x, positions)

    posproofs check wrapper.py:rotate
"""


def parted(one: str, other: str) -> Parting:
    """Where two pieces of rotary code part, in the first width that both can be called in. Raises UsageError."""
    first, second = _rotary(one), _rotary(other)
    shared = [w.head for w in first.widths if w.head in {v.head for v in second.widths}]
    if not shared:
        theirs = [", ".join(str(w.head) for w in found.widths) for found in (first, second)]
        raise UsageError(f"{one} is called in widths {theirs[0]}, {other} in {theirs[1]}; name one of both with --dims")
    a, b = (_rotate(found, shared[0]) for found in (first, second))
    ends = [found.limit for found in (first, second) if found.limit is not None]
    return against(a, b, dim=shared[0], farthest=min([131073, *ends]) - 1)


def _rotary(text: str) -> Subject:
    found = introduced(text)
    if not isinstance(found.subject, Subject):
        raise UsageError(f"{text} is of the kind {found.kind}; --against compares two pieces of rotary code")
    return found.subject


def _rotate(subject: Subject, dim: int) -> Callable[[Tensor, Tensor], Tensor]:
    """The code at any positions, from a new copy."""
    width = next(one for one in subject.widths if one.head == dim)
    return by_positions(subject.takes, subject.make(Width(dim, width.rotary)).rotate)


def introduced_here(target: Target, query: Query) -> Introduced:
    """An object of this process as a subject: from here on the target's name means this object."""
    if keep(target):
        introduced.cache_clear()
    return introduced(str(replace(query, target=target.text)))
