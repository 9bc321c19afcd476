"""Scalar terms as Python text over arrays of either library.

`atoms` names subterms that the surrounding code has already put into a variable, for example x[2*i] or cos(angle);
they are looked up before anything else, so this printer knows nothing of inputs, tables or indices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from derivations.kernel.terms import Add, Apply, Multiply, Number, Pi, Power, Term, free_names
from derivations.plain import term_text
from posproofs.errors import NotEmittable

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4  # how tightly a piece of text binds
Piece = tuple[str, int]
FUNCTIONS = ("exp", "log", "cos", "sin")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where functions come from: `library` for arrays, math for expressions in `numbers`, which are Python numbers."""

    library: str
    numbers: frozenset[str] = frozenset()

    def function(self, operator: str, argument: Term) -> str:
        """The full name of a function for this argument."""
        return f"{'math' if free_names(argument) <= self.numbers else self.library}.{operator}"


def described(term: Term) -> str:
    """A node for an error message: its kind and its text."""
    return f"{type(term).__name__} {term_text(term)}"


def code(term: Term, dialect: Dialect, atoms: Mapping[Term, str]) -> str:
    """The text of a real scalar term; NotEmittable names a node that has no executable reading."""
    return _piece(term, dialect, atoms)[0]


def _piece(term: Term, dialect: Dialect, atoms: Mapping[Term, str]) -> Piece:
    if term in atoms:
        return atoms[term], ATOM
    match term:
        case Number(value, imaginary) if imaginary == 0:
            return _fraction(value)
        case Pi():
            return "math.pi", ATOM
        case Add(parts):
            return _sum([_piece(part, dialect, atoms) for part in parts])
        case Multiply():
            return _product(term, dialect, atoms)
        case Power(base, exponent):
            return _power(base, exponent, dialect, atoms)
        case Apply(operator, argument) if operator in FUNCTIONS:
            return f"{dialect.function(operator, argument)}({code(argument, dialect, atoms)})", ATOM
        case _:
            raise NotEmittable(
                f"the node {described(term)} has no executable reading; wanted real numbers, known symbols, sums, "
                "products, powers, exp, log, cos and sin"
            )


def _fraction(value: Fraction) -> Piece:
    if value.denominator == 1:
        return str(value.numerator), ATOM if value >= 0 else PRODUCT
    return f"{value.numerator} / {value.denominator}", PRODUCT


def _sum(pieces: list[Piece]) -> Piece:
    text, level = pieces[0]
    for piece, _ in pieces[1:]:
        text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
    return text, level if len(pieces) == 1 else SUM


def _product(term: Multiply, dialect: Dialect, atoms: Mapping[Term, str]) -> Piece:
    above, below, factors, divisors = 1, 1, list[Piece](), list[Piece]()
    for factor in _flattened(term):
        if factor not in atoms and isinstance(factor, Number) and factor.im == 0:
            above, below = above * factor.re.numerator, below * factor.re.denominator
        elif factor not in atoms and (inverse := _inverted(factor)) is not None:
            divisors.append(_piece(inverse, dialect, atoms))
        else:
            factors.append(_piece(factor, dialect, atoms))
    common = gcd(above, below)
    above, below = above // common, below // common
    if below != 1:
        divisors.insert(0, (str(below), ATOM))
    if abs(above) != 1 or not factors:
        factors.insert(0, (str(abs(above)), ATOM))
    text, level = _times(factors)
    if divisors:
        text, level = f"{_within((text, level), PRODUCT)} / {_within(_times(divisors), POWER)}", PRODUCT
    return (f"-{_within((text, level), PRODUCT)}", PRODUCT) if above < 0 else (text, level)


def _flattened(term: Multiply) -> list[Term]:
    """The factors of a product, those of its inner products included."""
    inner = (_flattened(f) if isinstance(f, Multiply) else [f] for f in term.factors)
    return [factor for part in inner for factor in part]


def _inverted(factor: Term) -> Term | None:
    """b for b**-1 and b**k for b**-k; None for anything that does not stand below the line."""
    match factor:
        case Power(base, Number(exponent, imaginary)) if imaginary == 0 and exponent < 0:
            return base if exponent == -1 else Power(base, Number(-exponent))
        case _:
            return None


def _times(pieces: list[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    return " * ".join(_within(piece, PRODUCT) for piece in pieces), PRODUCT


def _power(base: Term, exponent: Term, dialect: Dialect, atoms: Mapping[Term, str]) -> Piece:
    inverse = _inverted(Power(base, exponent))
    if inverse is not None:
        return f"1 / {_within(_piece(inverse, dialect, atoms), POWER)}", PRODUCT
    if exponent == Number(Fraction(1, 2)):
        return f"{dialect.function('sqrt', base)}({code(base, dialect, atoms)})", ATOM
    low, high = _piece(base, dialect, atoms), _piece(exponent, dialect, atoms)
    operator = "**" if low[0].isidentifier() and high[0].isalnum() else " ** "
    return f"{_within(low, ATOM)}{operator}{_within(high, ATOM)}", POWER


def _within(piece: Piece, needed: int) -> str:
    text, level = piece
    return text if level >= needed and not (needed > PRODUCT and text.startswith("-")) else f"({text})"
