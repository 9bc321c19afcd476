"""What every part of a statement is: of an exact type, never changed, and of a size that can be walked over.

A theorem is worth what its statement is worth. So the classes that a statement is made of close the ways around a
frozen dataclass (a second `__init__`, `__setstate__`, subclasses with an `==` of their own), take exact types only (a
list could change later, a string can lie about `==`), and a term knows its number of nodes and levels: what is larger
than the limits is not made, so that whatever walks over a term comes to an end, also where parts are shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any, NoReturn, TypeVar, cast

from derivations.kernel.budget import spend
from derivations.kernel.errors import LimitReached, SealError, WrongType

C = TypeVar("C")
Inside = tuple[tuple[Any, ...], int, int]  # the terms directly inside; all nodes, counted as a tree; all levels
LEAF: Inside = ((), 1, 1)
NODE_LIMIT = 250_000
LEVEL_LIMIT = 100
_KINDS: set[type] = set()


def sealed(cls: type[C]) -> type[C]:
    """The frozen dataclass, without the ways in which Python would let an instance change or a subclass stand in."""
    names = [f.name for f in fields(cast(Any, cls)) if f.init]
    made: Any = cls.__init__

    @wraps(made)
    def __init__(self: C, *args: Any, **kwargs: Any) -> None:
        if names and hasattr(self, names[0]):
            raise SealError(f"{cls.__name__}: what was made never changes; make another one")
        made(self, *args, **kwargs)

    def __reduce__(self: C) -> tuple[type[C], tuple[object, ...]]:
        return cls, tuple(getattr(self, name) for name in names)  # what is copied or stored is made, and checked, again

    def __init_subclass__(_: type) -> NoReturn:
        raise SealError(f"{cls.__name__} has no subclasses")

    for name in {"__getstate__", "__setstate__"} & vars(cls).keys():
        delattr(cls, name)
    methods = {"__init__": __init__, "__reduce__": __reduce__, "__init_subclass__": classmethod(__init_subclass__)}
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def node(cls: type[C]) -> type[C]:
    """A sealed class whose instances are terms."""
    _KINDS.add(cls)
    return sealed(cls)


def measured(term: object, parts: object) -> None:
    """Check that the parts of a new term are terms, and note them with its nodes and levels."""
    kind = type(term).__name__
    found = exact_tuple(parts, f"{kind}: its parts")
    spend(len(found))
    nodes, levels = 1, 1
    for part in found:
        _, below, deep = inside_of(part, kind)
        nodes += below
        if deep >= levels:
            levels = deep + 1
    require_size(nodes, levels)
    object.__setattr__(term, "inside", (found, nodes, levels))


def inside_of(term: Any, where: str) -> Inside:
    """What is noted of a term; WrongType for anything else."""
    if type(term) in _KINDS:
        inside: Inside | None = getattr(term, "inside", None)  # missing where its making was refused
        if inside is not None:
            return inside
    raise WrongType(f"{where}: wanted a term, such as Symbol('x') or number(2), saw {_said(term)}")


def require_size(nodes: int, levels: int = 1) -> None:
    """LimitReached where a term or a statement is larger than anything that is proved in one step."""
    if nodes > NODE_LIMIT or levels > LEVEL_LIMIT:
        raise LimitReached(
            f"the term has {nodes if nodes < 10**12 else 'too many'} nodes, repetitions counted, on {levels} levels; "
            f"the limits are {NODE_LIMIT} and {LEVEL_LIMIT}: split the statement into steps"
        )


def exact(value: object, kind: type[C], where: str) -> C:
    """The value, if its type is `kind` itself: a subclass may behave otherwise."""
    if type(value) is not kind:
        raise WrongType(f"{where}: wanted a {kind.__name__}, saw {_said(value)}")
    return value


def exact_tuple(values: object, where: str, kind: type | None = None) -> tuple[Any, ...]:
    """The values, if they are a tuple, all of one exact kind where one is given."""
    found: tuple[Any, ...] = exact(values, tuple, where)
    for value in found if kind is not None else ():
        exact(value, cast(type, kind), where)
    return found


def exact_mapping(values: object, kind: type[C], where: str) -> dict[str, C]:
    """A copy of the mapping, which cannot change while it is used; from names to values of one exact kind."""
    if not isinstance(values, Mapping):
        raise WrongType(f"{where}: wanted a mapping from names to values of type {kind.__name__}, saw {_said(values)}")
    found = dict(cast("Iterable[tuple[str, C]]", values.items()))
    for name, value in found.items():
        exact(name, str, f"{where}: a name")
        exact(value, kind, f"{where}: {name}")
    return found


def _said(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"
