"""Working with terms, which `nodes` defines: their parts, their names, and what stands in for a name.

This is what emission and symbolic execution read; a term is never renamed behind the back of its author, so a
substitution that would capture a name is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import RuleError
from derivations.kernel.layouts import Layout, Size, Slot, checked_name, split, strided
from derivations.kernel.nodes import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Function,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Pi,
    Power,
    Symbol,
    Term,
    Transpose,
    number,
)
from derivations.kernel.sealed import exact_tuple, inside_of, sealed

__all__ = [
    "Add",
    "Apply",
    "Block",
    "Derivative",
    "Determinant",
    "Family",
    "Function",
    "Identity",
    "IndexedSum",
    "Layout",
    "Matrix",
    "MatrixFamily",
    "MatrixSymbol",
    "Multiply",
    "Number",
    "Pi",
    "Power",
    "Replacement",
    "Size",
    "Slot",
    "Symbol",
    "Term",
    "Transpose",
    "bound_index",
    "children",
    "constant",
    "free_names",
    "number",
    "rebuilt",
    "resized",
    "split",
    "strided",
    "substituted",
    "walk",
]


def children(term: Term) -> tuple[Term, ...]:
    """The direct subterms, in a fixed order; `rebuilt` takes them back in the same order."""
    return term.inside[0]


def rebuilt(term: Term, parts: tuple[Term, ...]) -> Term:
    """The same node over other subterms."""
    match term:
        case Add():
            return Add(parts)
        case Multiply():
            return Multiply(parts)
        case Power():
            return Power(*parts)
        case Cell(name) | Reading(name):
            return type(term)(name, *parts)
        case Matrix(rows):
            return Matrix(_regrouped(rows, parts))
        case Block(index, _, over, columns, entries):
            return Block(index, parts[0], over, columns, _regrouped(entries, parts[1:]))
        case IndexedSum(index):
            return IndexedSum(index, *parts)
        case Derivative(_, by):
            return Derivative(parts[0], by)
        case Family():
            return replace(term, index=parts[0])
        case Function() | Apply() | MatrixFamily() | Transpose() | Determinant():
            return replace(term, argument=parts[0])
        case _:
            return term


def _regrouped(rows: tuple[tuple[Term, ...], ...], flat: tuple[Term, ...]) -> tuple[tuple[Term, ...], ...]:
    rest = iter(flat)
    return tuple(tuple(next(rest) for _ in row) for row in rows)


def bound_index(term: Term) -> str | None:
    """The index that a node binds in its body, if it binds one."""
    return term.index if isinstance(term, (IndexedSum, Block)) else None


def free_names(term: Term) -> frozenset[str]:
    """Every name that the meaning of the term depends on: symbols, families, functions, matrices, sizes."""
    bound = bound_index(term)
    if bound is not None:
        count, *bodies = children(term)
        return frozenset[str]().union(*map(free_names, bodies)) - {bound} | free_names(count)
    names = frozenset[str]().union(*map(free_names, children(term)))
    match term:
        case Symbol(name) | Family(name) | Function(name) | Derivative(_, name) | Cell(name) | Reading(name):
            return names | {name}
        case MatrixSymbol(name, rows, columns):
            return names | {name, rows.name, columns.name} - {""}
        case MatrixFamily(name, _, size):
            return names | {name, size.name} - {""}
        case Identity(size):
            return names | {size.name} - {""}
        case _:
            return names


@sealed
@dataclass(frozen=True, slots=True)
class Replacement:
    """What stands in for a name: a term with parameters, none for a symbol, one for a family or a function."""

    parameters: tuple[str, ...]
    body: Term

    def __post_init__(self) -> None:
        for name in exact_tuple(self.parameters, "Replacement: its parameters"):
            checked_name(name)
        inside_of(self.body, "Replacement: its body")


def constant(value: int | Fraction) -> Replacement:
    return Replacement((), number(value))


def substituted(term: Term, by: Mapping[str, Replacement]) -> Term:
    """Put terms for names, all at once. A free name that would fall under a binder is refused, never renamed."""
    if not by:
        return term
    bound = bound_index(term)
    if bound is not None:
        free = free_names(term) - {bound}
        inner = {name: by[name] for name in sorted(free) if name in by}
        for name, r in inner.items():
            if bound in free_names(r.body) - set(r.parameters):
                raise RuleError(f"putting a term with {bound} for {name} would capture {bound}; rename the index first")
        count, *bodies = children(term)
        return rebuilt(term, (substituted(count, by), *(substituted(b, inner) for b in bodies)))
    if isinstance(term, Derivative):
        return _substituted_derivative(term, by)
    parts = tuple(substituted(part, by) for part in children(term))
    return _replaced_node(rebuilt(term, parts), by)


def _substituted_derivative(term: Derivative, by: Mapping[str, Replacement]) -> Term:
    """d/dx at another point is not d/d(point), and what was constant in x must stay so."""
    names = free_names(term.body) - {term.by}
    others = names - by.keys()
    for name in names & by.keys():
        brought = free_names(by[name].body) - set(by[name].parameters)
        if term.by in brought:
            raise RuleError(f"{name} is constant under d/d{term.by}; the term put for it contains {term.by}")
        others |= brought
    if term.by not in by:
        return Derivative(substituted(term.body, by), term.by)
    target = by[term.by].body
    if not isinstance(target, Symbol):
        raise RuleError(f"{term.by} is the variable of a derivative; only a renaming may replace it")
    if target.name in others:
        raise RuleError(f"renaming {term.by} to {target.name} inside a derivative would identify two variables")
    return Derivative(substituted(term.body, by), target.name)


def _replaced_node(node: Term, by: Mapping[str, Replacement]) -> Term:
    match node:
        case Symbol(name) if name in by:
            return _instance(by[name], ())
        case Family(name, argument) | Function(name, argument) | MatrixFamily(name, argument) if name in by:
            return _instance(by[name], (argument,))
        case MatrixSymbol(name) if name in by:
            return _instance(by[name], ())
        case MatrixSymbol(name, rows, columns):
            return MatrixSymbol(name, resized(rows, by), resized(columns, by))
        case MatrixFamily(_, _, size) | Identity(size):
            return replace(node, size=resized(size, by))
        case _:
            return node


def resized(size: Size, by: Mapping[str, Replacement]) -> Size:
    """A size under a substitution: its name may become a number, another name, or a multiple of one."""
    if size.name not in by:
        return size
    match by[size.name].body:
        case Number(value, Fraction(numerator=0)) if value.denominator == 1 and value > 0:
            return Size(size.multiple * int(value))
        case Symbol(name):
            return Size(size.multiple, name)
        case Multiply((Number(value, Fraction(numerator=0)), Symbol(name))) if value.denominator == 1 and value > 0:
            return Size(size.multiple * int(value), name)
        case other:
            raise RuleError(f"a size must stay a positive integer or a multiple of a name; saw {other}")


def _instance(replacement: Replacement, arguments: tuple[Term, ...]) -> Term:
    if len(arguments) != len(replacement.parameters):
        raise RuleError(f"parameters {replacement.parameters} were put where {len(arguments)} arguments stand")
    inner = {p: Replacement((), a) for p, a in zip(replacement.parameters, arguments, strict=True)}
    return substituted(replacement.body, inner)


def walk(term: Term) -> list[Term]:
    """The term and all its subterms, outermost first."""
    found = [term]
    for part in children(term):
        found.extend(walk(part))
    return found
