"""What can be emitted by name: the theorem behind each target and layout, and which side of it is executable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from posproofs.errors import BadInput, UnknownName


@dataclass(frozen=True, slots=True)
class Proofs:
    """Theorem ids: the statement that is emitted, and those that say the same of its complex form and its gradient.

    `shift` is the second statement that a score is emitted from: where the products with all offsets are read.
    """

    statement: str
    complex_form: str = ""
    gradient: str = ""
    shift: str = ""

    def ids(self) -> tuple[str, ...]:
        """Those that there are, the emitted one first."""
        return tuple(name for name in (self.statement, self.complex_form, self.gradient, self.shift) if name)


@dataclass(frozen=True, slots=True)
class Target:
    """One emitted function. `proofs` is by layout, the default first; the key "" means that there is no layout.

    `side` is the executable side of the equation; a vector given group by group is recognised on either.
    """

    function: str
    side: Literal["left", "right"]
    proofs: Mapping[str, Proofs]


TARGETS: Mapping[str, Target] = {
    "euler.cis": Target("cis", "right", {"": Proofs("euler.cis")}),
    "euler.rotation_matrix": Target("rotation_matrix", "right", {"": Proofs("euler.rotation_matrix")}),
    "rotary.rotate": Target(
        "rotate",
        "left",
        {
            "interleaved": Proofs("rotary.rotate.interleaved", "rotary.complex.interleaved", "rotary.vjp"),
            "half-split": Proofs("rotary.rotate.half_split", "rotary.complex.half_split", "rotary.vjp"),
        },
    ),
    "transformer_xl.scores": Target(
        "scores", "right", {"": Proofs("transformer_xl.score", shift="rel_shift.bidirectional")}
    ),
}


def target_named(name: str) -> Target:
    """The target of that id, or UnknownName with the closest match."""
    if name not in TARGETS:
        raise UnknownName("target", name, TARGETS)
    return TARGETS[name]


def proofs_of(name: str, layout: str | None) -> Proofs:
    """The theorems behind a target in a layout; without one, in its default layout."""
    proofs = target_named(name).proofs
    if layout is None:
        return next(iter(proofs.values()))
    if "" in proofs:
        raise BadInput(f"{name} has no layout, saw layout={layout!r}; leave the layout out")
    if layout not in proofs:
        raise UnknownName("layout", layout, proofs)
    return proofs[layout]
