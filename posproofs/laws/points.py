"""Points at which a formula was refuted, as parts of a case: tensors as nested lists, and what a reader wants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SHOWN = 8


def shown(tensors: Mapping[str, Any]) -> str:
    """The entries that are not zero: q[0,0,2,3] = 1, k[0,0,0,3] = -2, the rest 0."""
    entries = [
        f"{name}[{','.join(map(str, place))}] = {value:g}"
        for name, tensor in tensors.items()
        for place, value in _entries(tensor)
        if value
    ]
    more = [f"{len(entries) - SHOWN} more"] if len(entries) > SHOWN else []
    return ", ".join([*entries[:SHOWN], *more, "the rest 0"])


def _entries(tensor: Any) -> Iterator[tuple[tuple[int, ...], float]]:
    if not isinstance(tensor, list):
        yield (), tensor
        return
    for number, part in enumerate(tensor):
        for place, value in _entries(part):
            yield (number, *place), value
