"""Certificates in words: for what something is proved, how the program was read, and what is not covered."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

from posproofs.symbolic.proof import Certificate

NOT_COVERED = "other shapes, rounding, and kernels that Torch may run in place of the exported program"


def sentence(shown: Certificate) -> str:
    """What was proved, in the order: for what, at which shape, which graph, read how; then what was not."""
    return f"{'; '.join(clauses(shown))}. Not covered: {NOT_COVERED}."


def clauses(shown: Certificate) -> list[str]:
    """The parts of the sentence: for what, at which shape, which graphs, and how they were read."""
    parts = [f"over the reals, for {shown.for_all}", f"at {shown.shape}", f"for {_graphs(shown.graphs)}"]
    parts += [f"readings: {_listed(shown.readings)}"] if shown.readings else []
    parts += [f"with casts taken as the identity ({_listed(shown.casts)})"] if shown.casts else []
    parts += [f"under the guards {_listed(shown.guards)}"] if shown.guards else []
    return parts


def _graphs(digests: tuple[str, ...]) -> str:
    try:
        release = f"torch {version('torch')}"
    except PackageNotFoundError:
        release = "torch"
    noun = "the graph" if len(digests) == 1 else "the graphs"
    return f"{noun} that {release} exports ({', '.join(digests)})"


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)
