"""Places for matrices: a definite value for every name, given or drawn when it is first asked for.

A recipe draws several names together, so that equations between them hold. Sizes and counts are whole numbers, angles
have rational cosines, and everything else that is drawn is a whole number or a matrix of such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import TypeAlias

from trials import enclosures
from trials import exact as ex
from trials.exact import Amount, Arc
from trials.language import Lambda
from trials.language_matrices import ANGLES

Rows: TypeAlias = tuple[tuple[Amount, ...], ...]
Value: TypeAlias = Amount | Rows  # a 1 x 1 matrix is the number in it


@dataclass(frozen=True, slots=True)
class Planes:
    """By which triangles a rotation family turns its planes, and how its axes are shuffled, if there is a seed."""

    triangles: tuple[int, ...]
    shuffle: int | None = None

    def axes(self, side: int) -> list[int]:
        plain = list(range(side))
        return plain if self.shuffle is None else Random(self.shuffle).sample(plain, side)


@dataclass(slots=True)
class Place:
    """Definite values. What is missing is drawn where there is a chance to draw from, and else a KeyError."""

    numbers: dict[str, Amount] = field(default_factory=dict)
    members: dict[tuple[str, int], Amount] = field(default_factory=dict)
    entries: dict[tuple[str, int, int], Amount] = field(default_factory=dict)
    grids: dict[tuple[str, Fraction | int | None], Rows] = field(default_factory=dict)
    planes: dict[str, Planes] = field(default_factory=dict)
    chance: Random | None = None
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    other_members: Amount | None = None  # what members that are not listed are, where nothing is drawn
    formulas: Mapping[str, Lambda] = field(default_factory=dict)  # what stands for names, in place of a value

    def number(self, name: str) -> Amount:
        if name not in self.numbers:
            self._fill(name, None)
        return self.numbers[name]

    def free(self, name: str) -> Amount:
        """The value of a name outside of all sums and blocks, whatever it is inside of one."""
        numbers = self.numbers
        while isinstance(numbers, _Over):
            numbers = numbers.below
        if name not in numbers:
            if self.chance is None:
                raise KeyError(name)
            numbers[name] = drawn_amount(name, self.chance)
        return numbers[name]

    def member(self, name: str, at: int) -> Amount:
        if (name, at) not in self.members:
            self._fill(name, at)
        return self.members[name, at]

    def entry(self, name: str, row: int, column: int) -> Amount:
        """The entry in memory; drawn ones all differ, so that a wrong place shows."""
        key = (name, row, column)
        if key not in self.entries:
            if self.other_members is not None:
                return self.other_members
            if self.chance is None:
                raise KeyError(key)
            self.entries[key] = 1 + len(self.entries)
        return self.entries[key]

    def _fill(self, name: str, at: int | None) -> None:
        if name in self.recipes:
            self.recipes[name](self, at)
            return
        if self.chance is None:
            if at is None or self.other_members is None:
                raise KeyError(name)
            self.members[name, at] = self.other_members
            return
        drawn = drawn_amount(name, self.chance)
        if at is None:
            self.numbers[name] = drawn
        else:
            self.members[name, at] = drawn


Recipe: TypeAlias = Callable[[Place, "int | None"], None]  # puts the values of one or more names into the place


class NoRow(enclosures.Undefined):
    """Memory in rows without entries."""


def drawn_amount(name: str, chance: Random) -> Amount:
    """An angle for the name of one, else a whole number other than 0 and 1: these hide too many defects."""
    if name in ANGLES:
        return Arc(((chance.randrange(len(ex.TRIANGLES)), chance.choice((1, 1, 1, -1, 2))),))
    return chance.choice((-3, -2, -1, 2, 3, 4, 5))


def at(place: Place, numbers: Mapping[str, Amount]) -> Place:
    """The place with some numbers changed; what is drawn there is kept for all."""
    return Place(
        _Over(place.numbers, dict(numbers)),
        place.members,
        place.entries,
        place.grids,
        place.planes,
        place.chance,
        place.recipes,
        place.other_members,
        place.formulas,
    )


class _Over(dict[str, Amount]):
    """A dictionary over another: new keys go into the one below."""

    def __init__(self, below: dict[str, Amount], own: dict[str, Amount]) -> None:
        super().__init__(own)
        self.below = below

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in self.below

    def __missing__(self, key: str) -> Amount:
        return self.below[key]

    def __setitem__(self, key: str, new: Amount) -> None:
        self.below[key] = new
