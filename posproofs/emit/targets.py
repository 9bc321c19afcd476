"""What can be emitted by name: which theorem stands behind each target and layout, and which side of it is executable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from posproofs.errors import BadInput, UnknownName


@dataclass(frozen=True, slots=True)
class Target:
    """One emitted function. `theorems` maps a layout to a theorem id, the default first; the key "" means no layout."""

    function: str
    side: Literal["left", "right"]
    theorems: Mapping[str, str]


TARGETS: Mapping[str, Target] = {
    "euler.cis": Target("cis", "right", {"": "euler.cis"}),
    "euler.rotation_matrix": Target("rotation_matrix", "right", {"": "euler.rotation_matrix"}),
    "rotary.rotate": Target(
        "rotate",
        "right",
        {"interleaved": "rotary.rotate.interleaved", "half-split": "rotary.rotate.half_split"},
    ),
}


def target_named(name: str) -> Target:
    """The target of that id, or UnknownName with the closest match."""
    if name not in TARGETS:
        raise UnknownName("target", name, TARGETS)
    return TARGETS[name]


def theorem_id(name: str, layout: str | None) -> str:
    """The theorem behind a target in a layout; without one, in its default layout."""
    theorems = target_named(name).theorems
    if layout is None:
        return next(iter(theorems.values()))
    if "" in theorems:
        raise BadInput(f"{name} has no layout, saw layout={layout!r}; leave the layout out")
    if layout not in theorems:
        raise UnknownName("layout", layout, theorems)
    return theorems[layout]
