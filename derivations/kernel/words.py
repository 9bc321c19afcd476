"""Words: polynomials in noncommuting matrix letters, for matrices of every size at once.

A letter is a matrix or its transpose, or a member of a one-parameter family. Neighbouring rotations of one family
merge, R(a) R(b) = R(a + b), and R(0) vanishes. A 1 x 1 word is a scalar and equals its transpose: it becomes an atom of
the coefficients, also where it is a part of a longer word, as in u (w^T p) = (w^T p) u. The letter `cut` marks the one
place in a word u | w^T where the inner size is 1.

Sound: ring axioms, (A B)^T = B^T A^T, s = s^T for 1 x 1, and the rotation axioms, which a theorem about a family takes
as the definition of `rotation`. Complete, for statements without hypotheses, for "holds in all sizes" where the
coefficients are complete: distinct words of free letters are separated by generic matrices of large size, and scalar
words modulo transposition are algebraically independent there (Procesi 1976). Not complete at one small size (at size 1
everything commutes), and not where words stand inside sums over an index or beside explicit matrices. A refutation
therefore always shows matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

from derivations.kernel import quotients as q
from derivations.kernel import values as v
from derivations.kernel.budget import spend
from derivations.kernel.quotients import Quotient
from derivations.kernel.shapes import ONE, Shape
from derivations.kernel.values import CutLetter, Letter, Phase, Word

CUT: CutLetter = ("cut",)


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
            return ("rotation", name, v.frozen(v.negate(dict(argument))))
        case ("free", name, argument, flag):
            return ("free", name, argument, not flag)
        case _:
            return symbol


def transposed_word(word: Word) -> Word:
    return tuple(transposed_letter(symbol) for symbol in reversed(word))


def reduced(word: Word) -> Word:
    """Merge neighbouring rotations of one family; those at angle zero vanish."""
    result: list[Letter] = []
    for symbol in word:
        merged = symbol
        before = result[-1] if result else None
        if symbol[0] == "rotation" and before and before[0] == "rotation" and before[1] == symbol[1]:
            result.pop()
            merged = ("rotation", symbol[1], _sum_of_arguments(before[2], symbol[2]))
        if merged[0] == "rotation" and not merged[2]:
            continue
        result.append(merged)
    return tuple(result)


def _sum_of_arguments(a: Phase, b: Phase) -> Phase:
    return v.frozen(v.add(dict(a), dict(b)))


def add(a: WordSum, b: WordSum) -> WordSum:
    spend(len(a.terms) // 16 + len(b.terms))
    terms = dict(a.terms)
    _gather(terms, b)
    return WordSum(a.shape, terms)


def _gather(terms: dict[Word, Quotient], more: WordSum) -> None:
    for word, c in more.terms.items():
        total = q.add(terms[word], c) if word in terms else c
        if q.is_zero(total):
            terms.pop(word, None)
        else:
            terms[word] = total


def scale(a: WordSum, c: Quotient) -> WordSum:
    if q.is_zero(c):
        return WordSum(a.shape, {})
    return WordSum(a.shape, {word: q.multiply(c, old) for word, old in a.terms.items()})


def multiply(a: WordSum, b: WordSum) -> WordSum:
    """The product of two word sums whose inner sizes agree."""
    between: Word = (CUT,) if a.shape[1] == ONE else ()
    result = WordSum((a.shape[0], b.shape[1]), {})
    for left, c in a.terms.items():
        for right, d in b.terms.items():
            spend(4 + len(left) + len(right))
            _gather(result.terms, normal(left + between + right, q.multiply(c, d), result.shape))
    return result


def normal(word: Word, coefficient: Quotient, shape: Shape) -> WordSum:
    """coefficient * word with rotations merged and every 1 x 1 part taken into the coefficient."""
    word = reduced(word)
    cuts = [k for k, symbol in enumerate(word) if symbol == CUT]
    if not cuts:
        return WordSum(shape, {word: coefficient})
    ends = zip([-1, *cuts], [*cuts, len(word)], strict=True)
    parts = [word[start + 1 : end] for start, end in ends]
    first = () if shape[0] == ONE else parts.pop(0)
    last = () if shape[1] == ONE else parts.pop()
    kept = (*first, CUT, *last) if ONE not in shape else first + last
    for part in parts:
        coefficient = q.multiply(coefficient, scalar(part))
    return WordSum(shape, {kept: coefficient})


def transpose(a: WordSum) -> WordSum:
    shape = (a.shape[1], a.shape[0])
    return WordSum(shape, {transposed_word(word): c for word, c in a.terms.items()})


def as_scalar(a: WordSum) -> Quotient:
    """A 1 x 1 word sum as a scalar."""
    total = q.ZERO
    for word, c in a.terms.items():
        total = q.add(total, q.multiply(c, scalar(word)))
    return total


def scalar(word: Word) -> Quotient:
    """A 1 x 1 word and its transpose are one scalar."""
    return q.whole(v.atom(("word", frozenset((word, transposed_word(word)))))) if word else q.ONE
