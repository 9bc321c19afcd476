"""What hard statements are built from."""

from collections.abc import Callable

from derivations.kernel import Hypothesis, Statement, Theorem, prove
from derivations.kernel.layouts import strided
from derivations.kernel.terms import Add, Block, IndexedSum, Matrix, Power, Symbol, Term, number
from tests.derivations.kernel.building import ONE, fam, h, x

DEEP = 100_000
WIDE = 100_000


def proved(left: Term, right: Term, *hypotheses: Hypothesis, idle: tuple[Hypothesis, ...] = ()) -> object:
    return prove(Statement(left, right, hypotheses), idle=idle)


def itself(term: Term, *hypotheses: Hypothesis) -> object:
    return proved(term, term, *hypotheses)


def known(left: Term, right: Term) -> Theorem:
    answer = prove(Statement(left, right))
    assert isinstance(answer, Theorem), answer
    return answer


def nested(step: Callable[[Term], Term], levels: int = DEEP, start: Term = x) -> Term:
    term = start
    for _ in range(levels):
        term = step(term)
    return term


def chain(length: int) -> Term:
    """A sum that a program writes one term at a time."""
    return nested(lambda term: Add((term, ONE)), length)


def names(count: int, stem: str = "v") -> list[Term]:
    return [Symbol(f"{stem}{k}") for k in range(count)]


def expansion(variables: int, degree: int) -> Term:
    return Power(Add(tuple(names(variables))), number(degree))


def over_all(indices: list[str], body: Term) -> Term:
    for index in indices:
        body = IndexedSum(index, h, body)
    return body


def grid(size: int) -> Matrix:
    return Matrix(tuple(tuple(Symbol(f"v{r}_{c}") for c in range(size)) for r in range(size)))


def bulk(slots: int) -> Block:
    rows = tuple(tuple(fam(f"q{r}_{c}") for c in range(slots)) for r in range(slots))
    return Block("i", h, strided(slots), strided(slots), rows)
