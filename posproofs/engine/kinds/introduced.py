"""What is known of somebody's code before a law is asked: a subject, how it is called, and what it was found to be.

It is plain data, and the subject's `make` is a name and texts, so whoever asks a law of it, in this process or a later
one, builds the code again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from posproofs.engine.queries import Query
from posproofs.engine.targets import Target, resolve
from posproofs.laws import AnySubject

DECLARATION = "rotary.formula"  # the law that holds code to its declaration; the bounds of others are those of the code


@dataclass(frozen=True, slots=True)
class Introduced:
    """Somebody's code as a subject.

    kind: of the registry. shape: how it is called, in words; code: the same for --shape. identified: its convention
    with what a declaration does not say, or why there is none. named: whether it has one, so that every law of the
    kind can be asked. declared: whether --declare has words for all of it. digest: of the source that was executed.
    warnings: what makes this run say less than another one would. claimed: the same in the convention that is declared.
    """

    subject: AnySubject
    kind: str
    shape: str
    code: str
    identified: str
    named: bool
    declared: bool
    digest: str
    warnings: tuple[str, ...] = ()
    claimed: AnySubject | None = None

    def held_to(self, law: str) -> AnySubject:
        """The subject that a law is asked of: in the declared convention where the law is about the declaration."""
        return self.claimed if self.claimed is not None and law == DECLARATION else self.subject


@dataclass(frozen=True, slots=True)
class Fit:
    """What trial calls came to. found: what the kind needs to introduce the code, None where no call ran.

    good: the call behaves as one of the kind does, so that no other kind is tried. raised: what the first call raised.
    """

    found: Any = None
    good: bool = False
    raised: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of code that can be checked.

    laws: the kind of subject whose laws it is held to. named: whether the names of its arguments are those of the kind,
    so that it is tried first. fits: trial calls. introduce: the subject from its name, and what fits. without: laws
    that can be asked where no convention is known.
    """

    name: str
    laws: str
    named: Callable[[Callable[..., Any]], bool]
    fits: Callable[[Target, Query], Fit]
    introduce: Callable[[str, Query, Target, Any], Introduced]
    without: tuple[str, ...]


def resolve_once(target: str) -> Target:
    """The target, imported once in this process; or the object that was given under its name."""
    return _GIVEN.get(target) or _resolved(target)


def keep(target: Target) -> bool:
    """From here on the target's name means this object. Whether it meant another one before."""
    before = _GIVEN.get(target.text)
    _GIVEN[target.text] = target
    return before is not None and before.found is not target.found


_GIVEN: dict[str, Target] = {}
_resolved = cache(resolve)
