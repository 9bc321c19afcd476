"""The kinds of code that `posproofs check` knows: one registry, one file for each, tried in this order."""

from __future__ import annotations

from posproofs.engine.kinds.attention import ATTENTION
from posproofs.engine.kinds.introduced import Fit, Introduced, Kind, keep, resolve_once
from posproofs.engine.kinds.modules import MODULE
from posproofs.engine.kinds.rotary import ROTARY, TABLE
from posproofs.engine.kinds.scores import SCORES
from posproofs.errors import UnknownName

KINDS: tuple[Kind, ...] = (ROTARY, TABLE, ATTENTION, SCORES, MODULE)


def kind_of(name: str) -> Kind:
    """The kind of that name. Raises UnknownName."""
    found = {kind.name: kind for kind in KINDS}
    if name not in found:
        raise UnknownName("kind", name, found)
    return found[name]


__all__ = ["KINDS", "Fit", "Introduced", "Kind", "keep", "kind_of", "resolve_once"]
