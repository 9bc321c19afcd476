"""Words: polynomials in noncommuting matrix letters, for matrices of every size at once.

A letter is a matrix or its transpose, or a member of a one-parameter family. Neighbouring rotations of one family merge, R(a) R(b) =
R(a + b), and R(0) vanishes. A 1 x 1 word is a scalar and equals its transpose: it becomes an atom of the coefficients.

Sound: ring axioms, (A B)^T = B^T A^T, s = s^T for 1 x 1, and the rotation axioms, which a theorem about a family takes as the
definition of `rotation`. Complete for "holds in all sizes": distinct words of free letters are separated by generic
matrices of large size, and scalar words modulo transposition are linearly independent there (Procesi 1976). Not
complete at one small size: at size 1 everything commutes. A refutation therefore always shows matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.quotients import Quotient
from derivations.kernel.shapes import SCALAR, Shape
from derivations.kernel.values import Phase

# ("matrix", name, transposed) | ("rotation", name, argument) | ("free", name, argument, transposed)
Letter = tuple[object, ...]
Word = tuple[Letter, ...]


@dataclass(frozen=True, slots=True)
class WordSum:
    """A sum of coefficient * word; the empty word is the identity."""

    shape: Shape
    terms: dict[Word, Quotient]


def letter(shape: Shape, symbol: Letter) -> WordSum:
    return WordSum(shape, {reduced((symbol,)): q.ONE})


def transposed_letter(symbol: Letter) -> Letter:
    match symbol:
        case ("matrix", name, flag):
            return ("matrix", name, not flag)
        case ("rotation", name, argument):
            return ("rotation", name, v.frozen(v.negate(dict(argument))))  # type: ignore[call-overload]
        case ("free", name, argument, flag):
            return ("free", name, argument, not flag)
        case _:
            raise AssertionError(symbol)


def transposed_word(word: Word) -> Word:
    return tuple(transposed_letter(symbol) for symbol in reversed(word))


def reduced(word: Word) -> Word:
    """Merge neighbouring rotations of one family; those at angle zero vanish."""
    result: list[Letter] = []
    for symbol in word:
        merged = symbol
        if symbol[0] == "rotation" and result and result[-1][:2] == symbol[:2]:
            merged = (*symbol[:2], _sum_of_arguments(result.pop()[2], symbol[2]))
        if merged[0] == "rotation" and not merged[2]:
            continue
        result.append(merged)
    return tuple(result)


def _sum_of_arguments(a: object, b: object) -> Phase:
    return v.frozen(v.add(dict(a), dict(b)))  # type: ignore[call-overload]


def add(a: WordSum, b: WordSum) -> WordSum:
    terms = dict(a.terms)
    for word, c in b.terms.items():
        total = q.add(terms[word], c) if word in terms else c
        if q.is_zero(total):
            terms.pop(word, None)
        else:
            terms[word] = total
    return WordSum(a.shape, terms)


def scale(a: WordSum, c: Quotient) -> WordSum:
    if q.is_zero(c):
        return WordSum(a.shape, {})
    return WordSum(a.shape, {word: q.multiply(c, old) for word, old in a.terms.items()})


def multiply(a: WordSum, b: WordSum) -> WordSum:
    """The product of two word sums whose inner sizes agree."""
    result = WordSum((a.shape[0], b.shape[1]), {})
    for left, c in a.terms.items():
        for right, d in b.terms.items():
            result = add(result, WordSum(result.shape, {reduced(left + right): q.multiply(c, d)}))
    return result


def transpose(a: WordSum) -> WordSum:
    shape = (a.shape[1], a.shape[0])
    return WordSum(shape, {transposed_word(word): c for word, c in a.terms.items()})


def as_scalar(a: WordSum) -> Quotient:
    """A 1 x 1 word sum as a scalar: each word stands for itself and its transpose."""
    if a.shape != SCALAR:
        raise AssertionError(a.shape)
    total = q.ZERO
    for word, c in a.terms.items():
        total = q.add(total, q.multiply(c, q.whole(v.atom(("word", canonical(word))) if word else v.ONE)))
    return total


def canonical(word: Word) -> frozenset[Word]:
    """A 1 x 1 word and its transpose are one scalar."""
    return frozenset((word, transposed_word(word)))
