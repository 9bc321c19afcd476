"""What is asked of somebody's code: a target and how to take it, as the command line has it; and what they declare."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from posproofs.errors import BadInput, UnknownName
from posproofs.laws.subject import Convention


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of whose code; `str` is its name in reports and replays, the arguments of the command."""

    target: str
    dims: tuple[int, ...] = ()
    shape: str = ""
    below: int | None = None
    declare: tuple[tuple[str, str], ...] = ()
    kind: str = ""

    def __str__(self) -> str:
        words = [self.target]
        words += ["--kind", self.kind] if self.kind else []
        words += ["--dims", ",".join(map(str, self.dims))] if self.dims else []
        words += ["--shape", self.shape] if self.shape else []
        words += ["--positions", str(self.below)] if self.below is not None else []
        words += ["--declare", ",".join(f"{k}={v}" for k, v in self.declare)] if self.declare else []
        return shlex.join(words)


def parsed(text: str) -> Query:
    """The query of that name."""
    target, *words = shlex.split(text)
    given = dict(zip(words[::2], words[1::2], strict=True))
    pairs = (part.partition("=") for part in given.get("--declare", "").split(",") if part)
    below = given.get("--positions")
    return Query(
        target,
        tuple(int(one) for one in given.get("--dims", "").split(",") if one),
        given.get("--shape", ""),
        None if below is None else int(below),
        tuple((key, value) for key, _, value in pairs),
        given.get("--kind", ""),
    )


def declared(found: Convention, declare: tuple[tuple[str, str], ...]) -> Convention:
    """The convention with what its author declares. Raises UnknownName, BadInput."""
    known: dict[str, Callable[[str], Any]] = {
        "reads": _layout,
        "writes": _layout,
        "sign": lambda text: 1 if text in ("+", "1", "+1") else -1,
        "base": float,
        "magnitude": float,
        "first": int,
    }
    given = dict(declare)
    if "layout" in given:
        given = {"reads": given["layout"], "writes": given["layout"], **given}
        del given["layout"]
    changed: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            raise UnknownName("declaration", key, ("layout", *known))
        try:
            changed[key] = known[key](value)
        except ValueError as refused:
            raise BadInput(f"--declare {key}={value}: {refused}") from refused
    if "base" in changed:
        changed |= {"frequencies": (), "within": 0.0}
    return replace(found, **changed)


def _layout(text: str) -> str:
    if text not in ("interleaved", "half-split"):
        raise UnknownName("layout", text, ("interleaved", "half-split"))
    return text
