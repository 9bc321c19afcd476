"""What symbolic execution shows of code, in the words of a report: proved for what and how read, or why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from posproofs.symbolic.execution import Execution
from posproofs.symbolic.tracing import Traced


@dataclass(frozen=True, slots=True)
class Certificate:
    """On what a proof rests beside the kernel.

    for_all: what was symbolic. shape: the sizes. operators: the rules that were used. casts and readings: where code
    and real numbers differ. graphs: the digests of the exported graphs. guards: the conditions of the export.
    """

    for_all: str
    shape: str
    operators: tuple[str, ...] = ()
    casts: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    graphs: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """The outcome of one obligation. case: of a refutation, the point as a case of the law, which replays it."""

    status: Literal["proved", "refuted", "undecided"]
    reason: str = ""
    certificate: Certificate | None = None
    case: Mapping[str, Any] = field(default_factory=dict)


def certificate(
    for_all: str, shape: str, runs: Iterable[tuple[Traced, Execution]], *, conditions: Iterable[str] = ()
) -> Certificate:
    """The certificate of these runs taken together; the conditions of the proof join what it is for."""
    runs = tuple(runs)
    where = ", ".join(conditions)

    def together(found: Iterable[Iterable[str]]) -> tuple[str, ...]:
        return tuple(sorted({one for some in found for one in some}))

    return Certificate(
        f"{for_all}, for {where}" if where else for_all,
        shape,
        together(run.operators for _, run in runs),
        together(run.casts for _, run in runs),
        together(run.reader.log for _, run in runs),
        tuple(dict.fromkeys(traced.digest for traced, _ in runs)),
        together(traced.guards for traced, _ in runs),
    )


def together(parts: Sequence[Certificate], further: str = "") -> Certificate:
    """One certificate of several about the same symbols, their sizes one after the other, and what is said of none."""

    def all_of(found: Iterable[Iterable[str]]) -> tuple[str, ...]:
        return tuple(sorted({one for some in found for one in some}))

    return Certificate(
        parts[0].for_all,
        "; ".join(dict.fromkeys(shape for shape in (*(part.shape for part in parts), further) if shape)),
        all_of(part.operators for part in parts),
        all_of(part.casts for part in parts),
        all_of(part.readings for part in parts),
        tuple(dict.fromkeys(digest for part in parts for digest in part.graphs)),
        all_of(part.guards for part in parts),
    )
