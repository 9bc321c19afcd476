"""How an angle is computed: what does not depend on the position is computed once, in float64, and rounded once."""

from __future__ import annotations

from dataclasses import dataclass

from derivations.kernel.terms import Add, Family, Multiply, Symbol, Term, children, free_names, number, rebuilt
from posproofs.emit.reading import POSITION


@dataclass(frozen=True, slots=True)
class SplitAngle:
    """An angle in the position and in `constants`, the maximal parts without it: p*w with w = base**(-i/h)."""

    angle: Term
    constants: tuple[tuple[Family, Term], ...]


def split_angle(angle: Term, first: int) -> SplitAngle:
    """Name the parts of an angle that are free of the position, counting from `first`."""
    found: dict[Term, Family] = {}
    rest = _split(angle, found, first)
    return SplitAngle(rest, tuple((name, term) for term, name in found.items()))


def _split(term: Term, found: dict[Term, Family], first: int) -> Term:
    if not free_names(term) or term == Symbol(POSITION):
        return term
    if POSITION not in free_names(term):
        # Families of a readable statement stand at the index of the groups, so a fixed index is ours alone.
        return found.setdefault(term, Family("constant", number(first + len(found))))
    match term:
        case Multiply(parts) | Add(parts):
            kind = type(term)
            free = tuple(part for part in parts if POSITION not in free_names(part))
            bound = tuple(_split(part, found, first) for part in parts if POSITION in free_names(part))
            together = (free[0] if len(free) == 1 else kind(free),) if free else ()
            return kind((*bound, *(_split(part, found, first) for part in together)))
        case _:
            return rebuilt(term, tuple(_split(part, found, first) for part in children(term)))
