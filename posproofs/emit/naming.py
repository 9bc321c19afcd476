"""Python names for everything in an emitted rotation: parameters keep the names of the statement, locals avoid them."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from dataclasses import dataclass

from derivations.kernel.terms import Apply, Family, Symbol, Term
from posproofs.emit.reading import BASE, POSITION, Rotation, angle_leaves, outer_leaves, slot

# What the emitted modules call their own: a parameter of the same name would hide it.
_OWN = (
    "math torch np table apply rotate x y z positions dim rotary_dim dtype work exact waves turned result rows "
    "all any bool int isinstance len str tuple type zip ValueError"
)
RESERVED = frozenset(_OWN.split()) | frozenset(keyword.kwlist) | frozenset(keyword.softkwlist)


class Names:
    """Hands out identifiers, each once; a wanted name that is taken gets underscores at its end."""

    def __init__(self, taken: Iterable[str] = RESERVED) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """`wanted`, or the shortest free name that starts with it."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted


@dataclass(frozen=True, slots=True)
class Parameter:
    """A free symbol, or a family over the groups, that becomes a keyword of the emitted functions."""

    leaf: Term
    name: str

    @property
    def is_array(self) -> bool:
        """A family is handed over as an array of one value for each group."""
        return isinstance(self.leaf, Family)

    @property
    def is_base(self) -> bool:
        """The base of the frequencies is checked and has a default."""
        return self.leaf == Symbol(BASE)


@dataclass(frozen=True, slots=True)
class Naming:
    """The identifiers of one emitted rotation."""

    of_table: tuple[Parameter, ...]  # keywords of `table`
    of_apply: tuple[Parameter, ...]  # keywords of `apply`
    index: str
    count: str
    index_in_rows: bool
    count_in_rows: bool
    tables: tuple[tuple[str, str], ...]  # (cosine, sine) of each angle
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    position: str
    frequency: str
    angle: str

    @property
    def flat_tables(self) -> tuple[str, ...]:
        """cos, sin, or cos0, sin0, cos1, sin1, ..."""
        return tuple(name for pair in self.tables for name in pair)


def named(rotation: Rotation) -> Naming:
    """Choose the names. The index and the count of the statement keep theirs where Python allows it."""
    names = Names()
    bound = {Symbol(rotation.index), Symbol(rotation.count), Symbol(POSITION)}
    outer = outer_leaves(rotation)
    given = {
        leaf: names.new(leaf.name)
        for leaf in dict.fromkeys((*angle_leaves(rotation), *outer))
        if isinstance(leaf, (Symbol, Family)) and leaf not in bound
    }
    angles, size = len(rotation.angles), rotation.slots
    suffixes = [""] if angles == 1 else [str(k) for k in range(angles)]
    return Naming(
        of_table=tuple(Parameter(leaf, given[leaf]) for leaf in angle_leaves(rotation) if leaf in given),
        of_apply=tuple(Parameter(leaf, given[leaf]) for leaf in outer if leaf in given),
        index=names.new(rotation.index),
        count=names.new(rotation.count),
        index_in_rows=Symbol(rotation.index) in outer,
        count_in_rows=Symbol(rotation.count) in outer,
        tables=tuple((names.new(f"cos{k}"), names.new(f"sin{k}")) for k in suffixes),
        inputs=tuple(names.new(f"x{a}") for a in range(size)),
        outputs=tuple(names.new(f"y{a}") for a in range(size)),
        position=names.new(POSITION),
        frequency=names.new("frequency"),
        angle=names.new("angle"),
    )


def row_atoms(rotation: Rotation, naming: Naming) -> dict[Term, str]:
    """How the leaves of a row are written: slots, tables, keywords, and the index and count where rows use them."""
    atoms: dict[Term, str] = {slot(a): name for a, name in enumerate(naming.inputs)}
    for angle, (cosine, sine) in zip(rotation.angles, naming.tables, strict=True):
        atoms |= {Apply("cos", angle): cosine, Apply("sin", angle): sine}
    atoms |= {parameter.leaf: parameter.name for parameter in naming.of_apply}
    return atoms | {Symbol(rotation.index): naming.index, Symbol(rotation.count): naming.count}


def angle_atoms(rotation: Rotation, naming: Naming) -> dict[Term, str]:
    """How the leaves of an angle are written, the position apart."""
    atoms: dict[Term, str] = {parameter.leaf: parameter.name for parameter in naming.of_table}
    return atoms | {Symbol(rotation.index): naming.index, Symbol(rotation.count): naming.count}


def keywords(parameters: Iterable[Parameter]) -> list[str]:
    """Keyword parameters as in a signature; only the base has a default."""
    return [f"{p.name}=10000.0" if p.is_base else p.name for p in parameters]


def handed_on(parameters: Iterable[Parameter]) -> list[str]:
    """Keyword arguments that pass parameters on: base=base."""
    return [f"{p.name}={p.name}" for p in parameters]
