"""What a score of four terms computes, read off the kernel term of its theorem.

A score is a sum of products of a vector of the query's side (the projected query, biases) with one of the other side:
the projected key, or the projected row of the offset, which is what depends on a family at a scalar. Names of letters
are a convention of the derivations: `x_m` is the content at the query's position m, `x_n` that at the key's position n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derivations.kernel import Statement, Theorem, prove
from derivations.kernel.terms import (
    Add,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Term,
    Transpose,
    free_names,
    number,
    walk,
)
from derivations.plain import term_text
from posproofs.emit.expressions import described
from posproofs.errors import NotEmittable

QUERY_LETTER, KEY_LETTER = "x_m", "x_n"
QUERY_POSITION, KEY_POSITION = "m", "n"
QUERY, KEY, ROW = "q", "k", "r"
WORDS = {KEY: "the key", ROW: "the row of the offset"}
Chain = tuple[Term, ...]  # a product of letters that ends in a vector
Word = tuple[Fraction, Chain]
Combination = tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """content . k + offset . r: which vectors meet the key and which meet the row of the offset, with coefficients."""

    content: Combination
    offset: Combination
    biases: tuple[str, ...]
    chains: tuple[tuple[str, Term], ...]  # what each vector is, for example q and W_q*x_m
    argument: Term  # the offset that a row belongs to, in the positions m and n


def read_score(side: Term, statement: Statement) -> Score:
    """Read a side of a statement; NotEmittable names what has no place in a score."""
    parts: dict[tuple[str, str], Fraction] = {}
    chains: dict[str, Chain] = {}
    for coefficient, letters in _words(side):
        left, right = _halves(letters)
        first, second = _named(left, chains), _named(right, chains)
        if first in (KEY, ROW):
            first, second = second, first
        if first in (KEY, ROW) or second not in (KEY, ROW):
            raise NotEmittable(f"the product {_text(letters)} is not of the query's side with a key or an offset")
        parts[second, first] = parts.get((second, first), Fraction(0)) + coefficient
    content, offset = (tuple((name, c) for (to, name), c in parts.items() if to == kind and c) for kind in (KEY, ROW))
    for kind, combination in ((KEY, content), (ROW, offset)):
        if QUERY not in dict(combination):
            raise NotEmittable(f"{described(side)} lacks the product of the query with {WORDS[kind]}")
    used = {name for name, _ in (*content, *offset)}
    vectors = {name: _vector(chain) for name, chain in chains.items()}
    score = Score(content, offset, tuple(sorted(used - {QUERY})), tuple(vectors.items()), _argument(chains[ROW]))
    _require_same(score, side, statement)
    return score


def _words(term: Term) -> list[Word]:
    """A term multiplied out: coefficients and products of letters, a transposed letter as Transpose(letter)."""
    match term:
        case Number(value, imaginary) if imaginary == 0:
            return [(value, ())]
        case MatrixSymbol() | MatrixFamily() | Transpose(MatrixSymbol() | MatrixFamily()):
            return [(Fraction(1), (term,))]
        case Add(parts):
            return [word for part in parts for word in _words(part)]
        case Multiply(factors):
            product: list[Word] = [(Fraction(1), ())]
            for factor in factors:
                words = _words(factor)
                product = [(a * b, one + other) for a, one in product for b, other in words]
            return product
        case Transpose(argument):
            return [(c, tuple(map(_transposed, reversed(word)))) for c, word in _words(argument)]
        case _:
            raise NotEmittable(f"the node {described(term)} has no place in a score of vectors and matrices")


def _transposed(letter: Term) -> Term:
    return letter.argument if isinstance(letter, Transpose) else Transpose(letter)


def _halves(letters: Chain) -> tuple[Chain, Chain]:
    """The vectors a and b of a^T b: the transposed letters in front, and the rest."""
    count = next((k for k, letter in enumerate(letters) if not isinstance(letter, Transpose)), len(letters))
    left, right = tuple(map(_transposed, reversed(letters[:count]))), letters[count:]
    if not left or not right or any(isinstance(letter, Transpose) for letter in right):
        raise NotEmittable(f"the product {_text(letters)} is not a^T b with vectors a and b")
    return left, right


def _named(chain: Chain, known: dict[str, Chain]) -> str:
    """q, k, r, or the name of a bias; each stands for one chain only."""
    letters = {letter.name for letter in chain if isinstance(letter, MatrixSymbol)}
    family = any(isinstance(letter, MatrixFamily) for letter in chain)
    if family and not letters & {QUERY_LETTER, KEY_LETTER}:
        name = ROW
    elif not family and isinstance(chain[-1], MatrixSymbol) and chain[-1].name in (QUERY_LETTER, KEY_LETTER):
        name = QUERY if chain[-1].name == QUERY_LETTER else KEY
    elif len(chain) == 1 and isinstance(chain[0], MatrixSymbol) and chain[0].name not in (QUERY, KEY, ROW):
        name = chain[0].name
    else:
        raise NotEmittable(f"the vector {_text(chain)} is no projected query, key or offset, and no bias")
    if known.setdefault(name, chain) != chain:
        raise NotEmittable(f"{name} would stand for {_text(known[name])} and for {_text(chain)}")
    return name


def _vector(chain: Chain) -> Term:
    return Multiply(chain) if len(chain) > 1 else chain[0]


def _text(chain: Chain) -> str:
    return term_text(_vector(chain))


def _argument(chain: Chain) -> Term:
    """The scalar at which the row of the offset is taken."""
    arguments = dict.fromkeys(node.argument for node in walk(_vector(chain)) if isinstance(node, MatrixFamily))
    argument, *others = arguments
    if others or free_names(argument) != {QUERY_POSITION, KEY_POSITION}:
        raise NotEmittable(f"the row {_text(chain)} is not taken at one offset of {QUERY_POSITION} and {KEY_POSITION}")
    return argument


def _require_same(score: Score, side: Term, statement: Statement) -> None:
    """The kernel decides that what was read is what the statement says."""
    chains = dict(score.chains)
    read = Add(
        tuple(
            Multiply((number(c), Transpose(chains[name]), chains[to]))
            for to, combination in ((KEY, score.content), (ROW, score.offset))
            for name, c in combination
        )
    )
    if not isinstance(prove(Statement(side, read, statement.hypotheses)), Theorem):
        raise NotEmittable(f"the products that were read are not proved to be {described(side)}")
