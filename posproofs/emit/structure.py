"""What the kernel says of a map before code relies on it: that it is linear, its transpose, its complex form.

Tables are handed to `apply` from outside, so cosines and sines are proved about as arbitrary real numbers; the complex
form is also proved as a multiplication by exp(I*angle), which is what makes it a rotation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from derivations.kernel import Statement, Theorem, prove
from derivations.kernel.terms import Add, Apply, Multiply, Number, Symbol, Term, free_names, number
from derivations.plain import term_text
from posproofs.emit.reading import Rotation, replaced_nodes, slot
from posproofs.errors import NotEmittable

Coefficients = tuple[tuple[Term, ...], ...]
ZERO, UNIT, IMAGINARY = number(0), number(1), number(0, 1)


@dataclass(frozen=True, slots=True)
class Linear:
    """coefficients[s][t] takes input slot t to output slot s; transposed, they give the gradient."""

    coefficients: Coefficients
    turns_back: bool  # the transposed map is the map itself with every sine negated
    proved: str


@dataclass(frozen=True, slots=True)
class Complex:
    """y0 + I*y1 = (cos + sign*I*sin)*(x0 + I*x1), and the text of that theorem."""

    sign: Literal[1, -1]
    proved: str


@dataclass(frozen=True, slots=True)
class _Fresh:
    """Real symbols that occur nowhere in the map: for inputs, gradients, and the cosine and sine of each angle."""

    inputs: tuple[Symbol, ...]
    gradients: tuple[Symbol, ...]
    cosines: tuple[Symbol, ...]
    sines: tuple[Symbol, ...]
    angle: Symbol


def linear(rotation: Rotation) -> Linear | None:
    """Coefficients and transpose, when the kernel proves sum g_s*y_s = sum x_t*(transpose g)_t; None when it does not.

    That one equation, for all g, says both that y is linear in x with these coefficients and what its gradient is.
    """
    size = range(rotation.slots)
    coefficients = tuple(tuple(_coefficient(row, t, rotation.slots) for t in size) for row in rotation.rows)
    back = tuple(_combination(tuple(coefficients[s][t] for s in size)) for t in size)
    fresh = _fresh(rotation)
    xs, gs = _named(rotation, fresh, fresh.inputs), _named(rotation, fresh, fresh.gradients)
    left = _dot(fresh.gradients, tuple(replaced_nodes(row, xs) for row in rotation.rows))
    right = _dot(fresh.inputs, tuple(replaced_nodes(row, gs) for row in back))
    statement = Statement(left, right)
    if not isinstance(prove(statement), Theorem):
        return None
    return Linear(coefficients, _turns_back(rotation, back, fresh), _equation(statement))


def _turns_back(rotation: Rotation, back: tuple[Term, ...], fresh: _Fresh) -> bool:
    if rotation.reads != rotation.writes:
        return False
    forward = _named(rotation, fresh, fresh.inputs)
    negated = {**forward, **{_wave(rotation, "sin", k): _minus(s) for k, s in enumerate(fresh.sines)}}
    pairs = zip(back, rotation.rows, strict=True)
    return all(_holds(Statement(replaced_nodes(b, forward), replaced_nodes(row, negated))) for b, row in pairs)


def complex_form(rotation: Rotation) -> Complex:
    """The map on a pair as one complex product; NotEmittable when the kernel does not prove it."""
    if rotation.slots != 2 or len(rotation.angles) != 1:
        raise NotEmittable(
            f"the complex form is for pairs that turn by one angle; this statement has groups of {rotation.slots} and "
            f"{len(rotation.angles)} angles"
        )
    fresh = _fresh(rotation)
    waves = {_wave(rotation, op, 0): Apply(op, fresh.angle) for op in ("cos", "sin")}
    for sign in (1, -1):
        turn = Apply("exp", Multiply((number(0, sign), fresh.angle)))
        by_angle = _product_form(rotation, {**_named(rotation, fresh, fresh.inputs), **waves}, turn)
        any_table = Add((fresh.cosines[0], Multiply((number(0, sign), fresh.sines[0]))))
        by_table = _product_form(rotation, _named(rotation, fresh, fresh.inputs), any_table)
        if _holds(by_angle) and _holds(by_table):
            return Complex(sign, _equation(by_angle))
    rows = ", ".join(term_text(row) for row in rotation.rows)
    raise NotEmittable(f"the complex form y0 + I*y1 = exp(+-I*angle)*(x0 + I*x1) is not proved for the rows {rows}")


def _product_form(rotation: Rotation, names: Mapping[Term, Term], turn: Term) -> Statement:
    y0, y1 = (replaced_nodes(row, names) for row in rotation.rows)
    x0, x1 = (names[slot(a)] for a in (0, 1))
    return Statement(Add((y0, Multiply((IMAGINARY, y1)))), Multiply((turn, Add((x0, Multiply((IMAGINARY, x1)))))))


def _fresh(rotation: Rotation) -> _Fresh:
    taken = frozenset[str]().union(*(free_names(row) for row in rotation.rows))

    def named(stem: str, count: int) -> tuple[Symbol, ...]:
        while any(f"{stem}{k}" in taken for k in range(count)):
            stem += "_"
        return tuple(Symbol(f"{stem}{k}") for k in range(count))

    size, angles = rotation.slots, len(rotation.angles)
    angle = "angle" if "angle" not in taken else named("angle", 1)[0].name
    return _Fresh(named("x", size), named("g", size), named("c", angles), named("s", angles), Symbol(angle))


def _named(rotation: Rotation, fresh: _Fresh, inputs: tuple[Symbol, ...]) -> dict[Term, Term]:
    """Symbols for the slots and the tables; whatever else a row contains is arbitrary already and keeps its name."""
    names: dict[Term, Term] = {slot(a): symbol for a, symbol in enumerate(inputs)}
    names |= {_wave(rotation, "cos", k): symbol for k, symbol in enumerate(fresh.cosines)}
    names |= {_wave(rotation, "sin", k): symbol for k, symbol in enumerate(fresh.sines)}
    return names


def _wave(rotation: Rotation, operator: Literal["cos", "sin"], k: int) -> Term:
    return Apply(operator, rotation.angles[k])


def _coefficient(row: Term, t: int, slots: int) -> Term:
    """The row at the unit vector of slot t, zeros and ones removed; right for a linear row, which the kernel checks."""
    unit: dict[Term, Term] = {slot(a): UNIT if a == t else ZERO for a in range(slots)}
    return _folded(replaced_nodes(row, unit))


def _folded(term: Term) -> Term:
    """Zeros and ones removed from sums and products; below other nodes nothing changes, so tables stay themselves."""
    match term:
        case Add(parts):
            left = tuple(part for part in map(_folded, parts) if part != ZERO)
            return left[0] if len(left) == 1 else Add(left) if left else ZERO
        case Multiply(factors):
            left = tuple(factor for factor in map(_folded, factors) if factor != UNIT)
            if ZERO in left:
                return ZERO
            return left[0] if len(left) == 1 else Multiply(left) if left else UNIT
        case _:
            return term


def _combination(coefficients: tuple[Term, ...]) -> Term:
    """The row that takes slot a with coefficient a."""
    return _folded(Add(tuple(Multiply((c, slot(a))) for a, c in enumerate(coefficients))))


def _dot(left: tuple[Symbol, ...], right: tuple[Term, ...]) -> Term:
    return Add(tuple(Multiply(pair) for pair in zip(left, right, strict=True)))


def _minus(term: Term) -> Term:
    return Multiply((number(-1), term))


def _holds(statement: Statement) -> bool:
    return isinstance(prove(statement), Theorem)


def _equation(statement: Statement) -> str:
    return f"{term_text(statement.left)} = {term_text(statement.right)}"


def signed(term: Term) -> tuple[Literal[1, -1], Term]:
    """A coefficient as sign and rest, so that code subtracts instead of adding a negated table."""
    match term:
        case Number(value, imaginary) if imaginary == 0 and value < 0:
            return -1, Number(-value)
        case Multiply((Number(value, imaginary), *rest)) if imaginary == 0 and value < 0:
            return -1, _folded(Multiply((Number(-value), *rest)))
        case _:
            return 1, term
