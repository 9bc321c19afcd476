"""Indexed sums over 0..count-1, for every count, as atoms of values.

A sum is linear, and what does not depend on the index leaves it; what remains of one term is a sum atom, and a product
of sums is a monomial of such atoms. The sum of 1 is the count. The bound index of an atom is named by its depth, so
that an inner index never meets an outer one.

Sound, always: equal normal forms are equal for every count, since only linearity and renaming of the bound index are
used. Complete only for linear combinations of single sums whose bodies meet the index through uninterpreted families
and do not contain the count: then differences in the count recover the bodies, and these are decided as values. Two
facts mark the border: (sum q)(sum k) = sum qk holds at count 1 and is false at 2, and sum(2i - count + 1) = 0 is true
though its body is not zero. The first is refuted by a point, the second stays undecided.
"""

from __future__ import annotations

from collections.abc import Iterator

from derivations.kernel import values as v
from derivations.kernel.errors import OutOfFragment
from derivations.kernel.values import Atom, Key, Phase, SymbolAtom, Value, Word


def mentions(base: Atom, name: str) -> bool:
    """Does an atom depend on the symbol `name`?"""
    match base:
        case ("symbol", found):
            return found == name
        case ("family", _, index):
            return _phase_mentions(index, name)
        case ("function", _, _, argument):
            return _phase_mentions(argument, name)
        case ("cell" | "reading", _, first, second):
            return _phase_mentions(first, name) or _phase_mentions(second, name)
        case ("log", tuple() as inner):
            return mentions(inner, name)
        case ("sum", count, monomial, phase):
            return count == ("symbol", name) or key_mentions((monomial, phase), name)
        case ("word", both):
            return any(_phase_mentions(argument, name) for argument in _arguments(both))
        case _:
            return False


def _arguments(words: frozenset[Word]) -> Iterator[Phase]:
    return (letter[2] for word in words for letter in word if letter[0] in ("rotation", "free"))


def key_mentions(key: Key, name: str) -> bool:
    return any(mentions(base, name) for base, _ in key[0]) or _phase_mentions(key[1], name)


def _phase_mentions(phase: Phase, name: str) -> bool:
    return any(key_mentions(key, name) for key, _ in phase)


def value_mentions(value: Value, name: str) -> bool:
    return any(key_mentions(key, name) for key in value)


def replaced_symbol(value: Value, name: str, by: Value) -> Value:
    """The value with a symbol replaced everywhere, inside families, functions and words too."""
    if not value_mentions(value, name):
        return value
    return v.mapped(value, lambda base: _replaced_atom(base, name, by) if mentions(base, name) else None)


def _replaced_atom(base: Atom, name: str, by: Value) -> Value:
    match base:
        case ("symbol", _):
            return by
        case ("family", family, index):
            return v.atom(("family", family, v.frozen(replaced_symbol(dict(index), name, by))))
        case ("function", function, order, argument):
            inner = v.frozen(replaced_symbol(dict(argument), name, by))
            return v.atom(("function", function, order, inner))
        case ("log", tuple() as inner):
            return v.logarithm(_replaced_atom(inner, name, by))
        case ("sum", count, monomial, phase) if count != ("symbol", name):
            return _replaced_in_sum(count, (monomial, phase), name, by)
        case _:
            raise OutOfFragment(f"{name} cannot be replaced inside {base[0]}")


def renamed(value: Value, old: str, new: str) -> Value:
    """The value with a symbol renamed to one that occurs nowhere in it: keys change, nothing is multiplied."""
    return {_renamed_key(key, old, new): c for key, c in value.items()}


def _renamed_key(key: Key, old: str, new: str) -> Key:
    if not key_mentions(key, old):
        return key
    monomial = frozenset((_renamed_atom(base, old, new) if mentions(base, old) else base, n) for base, n in key[0])
    return monomial, _renamed_phase(key[1], old, new)


def _renamed_phase(phase: Phase, old: str, new: str) -> Phase:
    return frozenset((_renamed_key(key, old, new), c) for key, c in phase) if phase else phase


def _renamed_atom(base: Atom, old: str, new: str) -> Atom:
    match base:
        case ("symbol", _):
            return ("symbol", new)
        case ("log", tuple() as inner):
            return ("log", _renamed_atom(inner, old, new))
        case ("family" | "function", *rest, argument):
            return (base[0], *rest, _renamed_phase(argument, old, new))
        case ("cell", matrix, row, column):
            return ("cell", matrix, _renamed_phase(row, old, new), _renamed_phase(column, old, new))
        case ("reading", matrix, flat, width):
            return ("reading", matrix, _renamed_phase(flat, old, new), _renamed_phase(width, old, new))
        case ("sum", count, monomial, phase):
            body = _renamed_key((monomial, phase), old, new)
            return ("sum", ("symbol", new) if count == ("symbol", old) else count, *body)
        case _:
            raise OutOfFragment(f"{old} cannot be renamed inside {base[0]}")


def _replaced_in_sum(count: SymbolAtom, body: Key, name: str, by: Value) -> Value:
    """Open the sum with a fresh index, replace, and close it again."""
    inner, index = _opened(body)
    return summed(replaced_symbol(inner, name, by), index, count)


def _opened(body: Key) -> tuple[Value, str]:
    """The body of a sum atom with its index free; sums inside it open to other names, having a smaller depth."""
    index = f"#open{_depth(body)}"
    return renamed({body: v.UNIT}, bound_name(body), index), index


def bound_name(body: Key) -> str:
    """The bound index of a sum atom over this body: one level above the sums inside, so that nothing is captured."""
    return f"#{_depth(body)}"


def _depth(key: Key) -> int:
    """How deep sums are nested in a term, those in phases and in arguments of functions and families included."""
    return max(_phase_depth(key[1]), *(_atom_depth(base) for base, _ in key[0]), 0)


def _phase_depth(phase: Phase) -> int:
    return max((_depth(key) for key, _ in phase), default=0)


def _atom_depth(base: Atom) -> int:
    match base:
        case ("sum", _, monomial, phase):
            return 1 + _depth((monomial, phase))
        case ("function", _, _, argument):
            return _phase_depth(argument)
        case ("log", tuple() as inner):
            return _atom_depth(inner)
        case ("word", both):
            return max((_phase_depth(argument) for argument in _arguments(both)), default=0)
        case _:
            return 0


def summed(value: Value, index: str, count: SymbolAtom) -> Value:
    """The sum of value over index = 0..count-1."""
    return v.total(_summed_term(key, c, index, count) for key, c in value.items())


def _summed_term(key: Key, c: v.Coefficient, index: str, count: SymbolAtom) -> Value:
    inside, outside = _parted(key, index)
    factor = {outside: c}
    if inside == v.CONSTANT:
        return v.multiply(factor, v.atom(count))
    body: Value = {inside: v.UNIT}
    ((monomial, phase), _), *_ = renamed(body, index, bound_name(inside)).items()
    return v.multiply(factor, v.atom(("sum", count, monomial, phase)))


def _parted(key: Key, index: str) -> tuple[Key, Key]:
    """Split one term into the part that depends on the index and the part that does not."""
    monomial, phase = key
    inner_m = frozenset(p for p in monomial if mentions(p[0], index))
    inner_p = frozenset(p for p in phase if key_mentions(p[0], index))
    return (inner_m, inner_p), (monomial - inner_m, phase - inner_p)


def derivative(value: Value, name: str) -> Value:
    """d/d(name): families are constants, a function rises by one order, a sum is differentiated under the sign."""
    return v.derivative(value, lambda base: _slope(base, name) if mentions(base, name) else {})


def _slope(base: Atom, name: str) -> Value:
    match base:
        case ("symbol", _):
            return v.ONE
        case ("function", function, order, argument):
            raised = v.atom(("function", function, order + 1, argument))
            return v.multiply(raised, derivative(dict(argument), name))
        case ("log", tuple() as inner):
            return v.multiply(v.atom(inner, -1), _slope(inner, name))
        case ("sum", count, monomial, phase) if count != ("symbol", name):
            body: Key = (monomial, phase)
            opened, index = _opened(body)
            return summed(derivative(opened, name), index, count)
        case _:
            raise OutOfFragment(f"a derivative by {name} meets {base[0]}, which has none here")
