"""Going from a case that fails to the smaller cases inside it: fewer tokens, fewer calls, as long as it still fails.

A law names the smaller cases of a case in their order; the first that fails by itself is what the case is narrowed to.
Each number goes down by itself while the others stay, so that the search is as long as their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps
from typing import Any

from posproofs.laws.law import Case, Measure

Asked = Callable[[Any, Case], Measure]
Smaller = Callable[[Any, Case], Iterable[Case]]


def narrowing(smaller: Smaller) -> Callable[[Asked], Asked]:
    """A measurement whose failure names the first of the smaller cases that fails by itself."""

    def of(measure: Asked) -> Asked:
        @wraps(measure)
        def asked(subject: Any, case: Case) -> Measure:
            shown = measure(subject, case)
            return narrowed(shown, smaller(subject, case), measure=measure, subject=subject)

        return asked

    return of


def narrowed(shown: Measure, cases: Iterable[Case], *, measure: Asked, subject: Any) -> Measure:
    """A failure with the first of these cases that fails by itself, if there is one; what is right stays as it is."""
    if not shown.broken:
        return shown
    return replace(shown, narrowed=next((case for case in cases if fails(measure, subject, case)), None))


def fails(measure: Asked, subject: Any, case: Case) -> bool:
    """Whether the case is a failure that can be shown; one that the code refuses is none."""
    try:
        return measure(subject, case).broken
    except Exception:  # noqa: BLE001 - code of others may raise anything, and the larger case is a finding as it is
        return False


def fewer(**least: int) -> Smaller:
    """The cases with one of these numbers smaller, from its least on; tokens that a case names have their number."""

    def smaller(_subject: Any, case: Case) -> Iterator[Case]:
        for name, low in least.items() if "tokens" not in case else ():
            yield from ({**case, name: number} for number in range(low, case[name]))

    return smaller
