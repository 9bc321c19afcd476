"""What each name of a statement stands for, and what may be put in its place.

One name has one meaning in a statement: a real number, a sequence, a function, or a matrix of one size. Whatever is
put for it must keep that meaning: real where the name is real, an integer where it is an index, and of its size where
it is a matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import RuleError, ShapeError
from derivations.kernel.sealed import sealed
from derivations.kernel.shapes import shape, shown
from derivations.kernel.terms import (
    Block,
    Derivative,
    Family,
    Function,
    Identity,
    IndexedSum,
    MatrixFamily,
    MatrixSymbol,
    Number,
    Replacement,
    Size,
    Symbol,
    Term,
    children,
    free_names,
    resized,
)

Model = Mapping[str, Replacement]


@sealed
@dataclass(frozen=True, slots=True)
class Role:
    """symbol, family or function; or matrix, rotation or free, these three with their size."""

    kind: str
    rows: Size | None = None
    columns: Size | None = None


SYMBOL, FAMILY, FUNCTION, CELLS = Role("symbol"), Role("family"), Role("function"), Role("cells")


@sealed
@dataclass(frozen=True, slots=True)
class Names:
    """The roles of all names; those that are sizes; those in an index of a sequence; those that count, where free."""

    roles: Mapping[str, Role]
    sizes: frozenset[str]
    indexed: frozenset[str]
    counts: frozenset[str]


def names_of(terms: Iterable[Term]) -> Names:
    """Collect the names of some terms. ShapeError where one name is used for two things."""
    roles: dict[str, Role] = {}
    sizes: set[str] = set()
    indexed: set[str] = set()
    counts: set[str] = set()
    rest: list[tuple[Term, frozenset[str]]] = [(term, frozenset()) for term in terms]
    while rest:
        node, bound = rest.pop()
        match node:
            case Symbol(name):
                _enter(roles, name, SYMBOL)
            case Derivative(_, by):
                _enter(roles, by, SYMBOL)
            case Family(name, index):
                _enter(roles, name, FAMILY)
                indexed |= free_names(index)
            case Cell(name) | Reading(name):
                _enter(roles, name, CELLS)
                indexed |= free_names(node) - {name}
            case Function(name):
                _enter(roles, name, FUNCTION)
            case MatrixSymbol(name, rows, columns):
                _enter(roles, name, Role("matrix", rows, columns))
                sizes |= {rows.name, columns.name}
            case MatrixFamily(name, _, size, kind):
                _enter(roles, name, Role(kind, size, size))
                sizes.add(size.name)
            case Identity(size):
                sizes.add(size.name)
            case IndexedSum(index, count) | Block(index, count):
                counts |= free_names(count) - bound
                rest.append((count, bound))
                rest.extend((part, bound | {index}) for part in children(node)[1:])
                continue
        rest += [(part, bound) for part in children(node)]
    for name in sizes - {""}:
        _enter(roles, name, SYMBOL)
    return Names(MappingProxyType(roles), frozenset(sizes - {""}), frozenset(indexed), frozenset(counts))


def _enter(roles: dict[str, Role], name: str, role: Role) -> None:
    known = roles.setdefault(name, role)
    if known is not role and known != role:
        raise ShapeError(f"{name} is used for two things: {_said(roles[name])} and {_said(role)}; rename one of them")


def _said(role: Role) -> str:
    kinds = {
        "symbol": "a number or size",
        "family": "a sequence",
        "function": "a function",
        "cells": "a matrix in memory",
    }
    if role.rows is None or role.columns is None:
        return kinds[role.kind]
    which = "a matrix" if role.kind == "matrix" else f"a {role.kind} matrix"
    return f"{which} of size {shown((role.rows, role.columns))}"


def whole(term: Term, *, least: int) -> bool:
    """Is the term an integer of at least `least`, written as a number?"""
    return isinstance(term, Number) and not term.im and term.re.denominator == 1 and term.re >= least


def check_form(name: str, new: Replacement, role: Role, by: Model) -> None:
    """Has the replacement as many parameters and, for a matrix, the size that the name has after `by`?"""
    if role == CELLS:
        raise RuleError(f"{name} is a matrix in memory; nothing is put for it")
    wanted = 0 if role.kind in ("symbol", "matrix") else 1
    if len(new.parameters) != wanted:
        raise RuleError(f"{name} takes {wanted} arguments, the term put for it has {len(new.parameters)} parameters")
    size = (resized(role.rows or Size(1), by), resized(role.columns or Size(1), by))
    if shape(new.body) != size:
        raise RuleError(f"{name} is {shown(size)}, the term put for it is {shown(shape(new.body))}")
