"""Scalar terms as text, in Python for emitted code and in plain letters for headers: one printer, two dialects.

`atoms` names subterms that the surrounding code has already put into a variable, for example x[2*i] or cos(angle);
they are looked up before anything else, so the printer knows nothing of inputs, tables or indices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from derivations.kernel.terms import Add, Apply, Multiply, Number, Pi, Power, Term, free_names

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4  # how tightly a piece of text binds
Piece = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language writes what is not the same everywhere. `other` prints, or refuses, every remaining node."""

    times: str
    over: str
    pi: str
    imaginary: str
    functions: Mapping[str, str]  # operator, or sqrt -> the function's name
    other: Callable[[Term], str]
    numbers: frozenset[str] | None = None  # names of Python numbers, which want the functions of math; None: all alike

    def function(self, operator: str, argument: Term) -> str:
        """The name of a function for an argument that is an array, or for one that is a Python number."""
        if self.numbers is not None and free_names(argument) <= self.numbers:
            return f"math.{operator}"
        return self.functions[operator]


def code(term: Term, dialect: Dialect, atoms: Mapping[Term, str]) -> str:
    """The text of a scalar term."""
    return _piece(term, dialect, atoms)[0]


def _piece(term: Term, dialect: Dialect, atoms: Mapping[Term, str]) -> Piece:
    if term in atoms:
        return atoms[term], ATOM
    match term:
        case Number():
            return _number(term, dialect)
        case Pi():
            return dialect.pi, ATOM
        case Add(parts):
            return _sum([_piece(part, dialect, atoms) for part in parts])
        case Multiply():
            return _product(term, dialect, atoms)
        case Power(base, exponent):
            return _power(base, exponent, dialect, atoms)
        case Apply(operator, argument) if operator in dialect.functions:
            return f"{dialect.function(operator, argument)}({code(argument, dialect, atoms)})", ATOM
        case _:
            return dialect.other(term), ATOM


def _number(value: Number, dialect: Dialect) -> Piece:
    if value.im == 0:
        return _fraction(value.re, dialect)
    unit = (dialect.imaginary, ATOM)
    imaginary = _times([unit] if value.im == 1 else [_fraction(value.im, dialect), unit], dialect)
    return imaginary if value.re == 0 else _sum([_fraction(value.re, dialect), imaginary])


def _fraction(value: Fraction, dialect: Dialect) -> Piece:
    if value.denominator == 1:
        return str(value.numerator), ATOM if value >= 0 else PRODUCT
    return f"{value.numerator}{dialect.over}{value.denominator}", PRODUCT


def _sum(pieces: list[Piece]) -> Piece:
    text, level = pieces[0]
    for piece, _ in pieces[1:]:
        text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
    return text, level if len(pieces) == 1 else SUM


def _product(term: Multiply, dialect: Dialect, atoms: Mapping[Term, str]) -> Piece:
    value, over, factors, divisors = Fraction(1), 1, list[Piece](), list[Piece]()
    for factor in flattened(term):
        if factor not in atoms and isinstance(factor, Number) and factor.im == 0:
            value, over = value * factor.re.numerator, over * factor.re.denominator
        elif factor not in atoms and (inverse := _inverted(factor)) is not None:
            divisors.append(_piece(inverse, dialect, atoms))
        else:
            factors.append(_piece(factor, dialect, atoms))
    common = gcd(int(value), over)
    value, over = value / common, over // common
    if over != 1:
        divisors.insert(0, (str(over), ATOM))
    if abs(value) != 1 or not factors:
        factors.insert(0, (str(abs(value)), ATOM))
    text, level = _times(factors, dialect)
    if divisors:
        below, tight = _times(divisors, dialect)
        text, level = f"{_within(text, level, PRODUCT)}{dialect.over}{_within(below, tight, POWER)}", PRODUCT
    return (f"-{_within(text, level, PRODUCT)}", PRODUCT) if value < 0 else (text, level)


def _inverted(factor: Term) -> Term | None:
    """b for b**-1 and b**k for b**-k; None for anything that does not stand below the line."""
    match factor:
        case Power(base, Number(re=exponent, im=imaginary)) if imaginary == 0 and exponent < 0:
            return base if exponent == -1 else Power(base, Number(-exponent))
        case _:
            return None


def _times(pieces: list[Piece], dialect: Dialect) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    return dialect.times.join(_within(text, level, PRODUCT) for text, level in pieces), PRODUCT


def _power(base: Term, exponent: Term, dialect: Dialect, atoms: Mapping[Term, str]) -> Piece:
    inverse = _inverted(Power(base, exponent))
    if inverse is not None:
        below = _within(*_piece(inverse, dialect, atoms), POWER)
        return f"1{dialect.over}{below}", PRODUCT
    if exponent == Number(Fraction(1, 2)):
        return f"{dialect.function('sqrt', base)}({code(base, dialect, atoms)})", ATOM
    low, high = _piece(base, dialect, atoms), _piece(exponent, dialect, atoms)
    return f"{_within(*low, ATOM)}**{_within(*high, ATOM)}", POWER


def _within(text: str, level: int, needed: int) -> str:
    return text if level >= needed and not (needed > PRODUCT and text.startswith("-")) else f"({text})"


def flattened(term: Multiply) -> list[Term]:
    """The factors of a product, those of its inner products included."""
    inner = (flattened(f) if isinstance(f, Multiply) else [f] for f in term.factors)
    return [factor for part in inner for factor in part]
