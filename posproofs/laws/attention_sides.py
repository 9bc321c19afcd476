"""What laws of attention compare: two sides, each a way to call one module on the same rows, weights and positions.

A side is plain data (path, form of the call, what is done to rows and positions), so a case can hold it. Every law of
attention but one says that two sides are equal: eager and fused, prefill and decoding, shifted and not, code and
formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from posproofs.laws.attended import AttentionInstance, AttentionSize, AttentionSubject
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor, dtype
    from torch.nn import Module

GAP = 2  # rows of padding, where rows are counted
WAVES = "theta"  # the frequencies of a table that is looked up
PLACES = (2, 5, 11, 17)  # positions of the rows, where they are given: whole, and no two differences alike


@dataclass(frozen=True, slots=True)
class Side:
    """One way to call a module.

    form: "whole" the rows at once; "steps", followed by the lengths of the parts; "behind" padding; "formula"; "twin".
    order: the rows are given in this order, and the outputs put back. moved: positions are shifted.
    """

    path: str
    form: str = "whole"
    lengths: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    moved: bool = False

    @property
    def graph(self) -> Side:
        """The side whose graph this one runs: order and positions are inputs of it."""
        return Side(self.path, self.form, self.lengths)

    def listed(self) -> dict[str, Any]:
        """As a case holds it."""
        full = {"path": self.path, "form": self.form, "lengths": [*self.lengths], "order": [*self.order]}
        return {key: value for key, value in full.items() if value} | ({"moved": True} if self.moved else {})

    def __str__(self) -> str:
        words = {
            "whole": self.path,
            "steps": f"{self.path} in steps of {'+'.join(map(str, self.lengths))}",
            "behind": f"{self.path} behind {GAP} rows of padding",
            "formula": "the formula",
            "twin": "the other library",
        }[self.form]
        rows = f" with rows {', '.join(map(str, self.order))}" if self.order else ""
        return words + rows + (" at shifted positions" if self.moved else "")


def side_of(listed: Mapping[str, Any]) -> Side:
    """The side that a case holds."""
    return Side(
        listed.get("path", ""),
        listed.get("form", "whole"),
        tuple(listed.get("lengths", ())),
        tuple(listed.get("order", ())),
        bool(listed.get("moved", False)),
    )


@dataclass(frozen=True, slots=True)
class Built:
    """A side that can be called: a module that holds every parameter, and what its names are outside.

    names: of parameters and of tables that are symbols, by the name under which the module holds them.
    """

    module: Module
    names: Mapping[str, str]
    shapes: Mapping[str, tuple[int, ...]]


def built(subject: AttentionSubject, size: AttentionSize, side: Side, kind: dtype) -> Built:
    """A new module for the side, in that dtype; its parameters are not set yet."""
    if side.form == "formula":
        return _of_formula(subject, size, kind)
    if side.form == "twin":
        assert subject.twin is not None
        return _called(subject.twin[1](size, kind), side)
    return _called(subject.make(size, side.path, kind), side)


def _called(instance: AttentionInstance, side: Side) -> Built:
    held = instance.held.eval()
    own: dict[str, Tensor] = dict(held.named_parameters())
    own |= {name: value for name, value in held.named_buffers() if name in instance.tables}
    names = {f"held.{name}": instance.renamed.get(name, name) for name in own}
    shapes = {names[f"held.{name}"]: tuple(value.shape) for name, value in own.items()}
    return Built(_module({"held": held}, _function(instance, side)), names, shapes)


def _function(instance: AttentionInstance, side: Side) -> Callable[..., Tensor]:
    def call(x: Tensor, positions: Tensor | None = None) -> Tensor:
        match side.form:
            case "steps":
                assert instance.steps is not None
                return instance.steps(x, positions, side.lengths)
            case "behind":
                assert instance.behind is not None
                return instance.behind(x, GAP)
        return instance.call(x, positions)

    return call


def _of_formula(subject: AttentionSubject, size: AttentionSize, kind: dtype) -> Built:
    """The formula over the parameters of the released module, by their names."""
    assert subject.formula is not None
    shapes = shapes_of(subject, size)
    keys = {f"w{n}": name for n, name in enumerate(shapes)}
    weights = torch.nn.ParameterDict({key: torch.zeros(shapes[name], dtype=kind) for key, name in keys.items()})
    formula = subject.formula(size)

    def call(x: Tensor, positions: Tensor | None = None) -> Tensor:
        return formula({name: weights[key] for key, name in keys.items()}, x, positions)

    return Built(_module({"weights": weights}, call), {f"weights.{key}": name for key, name in keys.items()}, shapes)


@lru_cache(maxsize=8)
def shapes_of(subject: AttentionSubject, size: AttentionSize) -> Mapping[str, tuple[int, ...]]:
    """The shapes of the parameters and of the tables that are symbols, by name."""
    return built(subject, size, Side(subject.paths[0]), torch.float32).shapes


def _module(parts: Mapping[str, Module], function: Callable[..., Tensor]) -> Module:
    """A module that holds the parts and computes the function, so that an export finds their parameters."""

    class Called(torch.nn.Module):
        def forward(self, *arguments: Tensor) -> Tensor:
            return function(*arguments)

    module = Called()
    for name, part in parts.items():
        setattr(module, name, part)
    return module.eval()


def rows_of(side: Side, size: AttentionSize) -> int:
    """How many rows the side is called with."""
    return size.rows + (GAP if side.form == "behind" else 0)


def fewer(side: Side, rows: int, *, of: int) -> Iterator[Side]:
    """The side on the first of its rows; in parts, in every way into two or more, first the fewest.

    Never more parts than it has, and fewer where all rows stay. An order that is none on these rows is left out.
    """
    order = tuple(row for row in side.order if row < rows)
    if side.form == "steps":
        most = len(side.lengths) - (rows == of)
        yield from (replace(side, lengths=lengths) for lengths in _parted(rows, most))
    elif not side.order or order != tuple(range(rows)):
        yield replace(side, order=order)


def _parted(rows: int, most: int) -> Iterator[tuple[int, ...]]:
    """The lengths of 2 to `most` parts that make that many rows together."""
    for parts in range(2, most + 1):
        for cuts in combinations(range(1, rows), parts - 1):
            yield tuple(end - start for start, end in pairwise((0, *cuts, rows)))


def path_sides(subject: AttentionSubject, _size: AttentionSize) -> Iterator[tuple[Side, Side]]:
    """The plain path, and each other."""
    for path in subject.paths[1:]:
        yield Side(subject.paths[0]), Side(path)


def shift_sides(subject: AttentionSubject, size: AttentionSize) -> Iterator[tuple[Side, Side]]:
    """Given positions are shifted; where rows are counted, padding stands in front."""
    for path in subject.paths:
        if subject.convention.positions in ("real", "whole"):
            yield Side(path), Side(path, moved=True)
        elif subject.convention.positions == "counted" and _takes(subject, size, "behind"):
            yield Side(path), Side(path, "behind")


def decoding_sides(subject: AttentionSubject, size: AttentionSize) -> Iterator[tuple[Side, Side]]:
    """All rows at once, and a prefill with one row after it; in the first size on each path, and row by row."""
    if not _takes(subject, size, "steps"):
        return
    first = size == subject.sizes[0]
    if first:
        yield Side(subject.paths[0]), Side(subject.paths[0], "steps", (1,) * size.rows)
    for path in subject.paths if first else subject.paths[:1]:
        yield Side(path), Side(path, "steps", (size.rows - 1, 1))


def permutation_sides(subject: AttentionSubject, size: AttentionSize) -> Iterator[tuple[Side, Side]]:
    """A transposition and a cycle: they generate every order of the rows."""
    if subject.convention.positions == "none" and subject.convention.sees == "all":
        rows = tuple(range(size.rows))
        for path in subject.paths:
            for order in ((1, 0, *rows[2:]), (*rows[1:], 0)):
                yield Side(path), Side(path, order=order)


def formula_sides(subject: AttentionSubject, _size: AttentionSize) -> Iterator[tuple[Side, Side]]:
    """The formula, and the plain path."""
    if subject.formula is not None:
        yield Side("", "formula"), Side(subject.paths[0])


def twin_sides(subject: AttentionSubject, _size: AttentionSize) -> Iterator[tuple[Side, Side]]:
    """The plain path, and the other library."""
    if subject.twin is not None:
        yield Side(subject.paths[0]), Side("", "twin")


@lru_cache(maxsize=8)
def _takes(subject: AttentionSubject, size: AttentionSize, form: str) -> bool:
    """Whether its instances have a cache, or take padding."""
    return getattr(subject.make(size, subject.paths[0], torch.float32), form) is not None
