"""Drawing further cases by Hypothesis, the same ones in every process, and shrinking the first that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, TypeVar

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


def failing(cases: SearchStrategy[T], fails: Callable[[T], bool], *, examples: int, seed: int) -> T | None:
    """The simplest case that fails, of at most `examples` that are drawn; None if none does.

    seed: 0 for cases that follow from the strategy alone.
    """
    chosen = settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    random = Random(seed) if seed else None
    with _whatever_is_imported():
        try:
            return find(cases, fails, settings=chosen, random=random, database_key=None)
        except NoSuchExample:
            return None


@contextmanager
def _whatever_is_imported() -> Iterator[None]:
    """Hypothesis also tries the numbers that stand in the sources of imported modules, unless they are installed ones.

    Cases would be others in a checkout than in an installation, and others in a process that has imported more; and to
    read all sources takes a second. Names of its own are replaced meanwhile; a release without them reads the sources.
    """
    try:
        its = vars(import_module("hypothesis.internal.conjecture.providers"))
        replaced = {"_get_local_constants": its["Constants"], "CONSTANTS_CACHE": its["LRUCache"](1024)}
        before = {name: its[name] for name in replaced}
    except (ImportError, KeyError):
        its, replaced, before = {}, {}, {}
    its.update(replaced)
    try:
        yield
    finally:
        its.update(before)
