"""Calling a subject of scores: one sequence of tokens, any part of it, and the difference of two results.

Every law of scores asks about parts of a sequence: keys a..e-1 and queries b..e-1, so that b - a keys are a memory. All
entries are odd multiples of 1/32 below 1, of about the size of trained weights; smaller ones would hide the position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from posproofs.laws.law import Case
from posproofs.laws.points import shown
from posproofs.laws.scored import ScoreInstance, ScoreSubject, Size
from posproofs.laws.subject import dtype_of
from posproofs.mutants.backend import torch
from posproofs.mutants.four_terms import sinusoids

if TYPE_CHECKING:
    from torch import Tensor

_MASK = 2**32 - 1


def scattered(*shape: int, seed: int) -> Tensor:
    """Odd multiples of 1/32 in (-1, 1), float64: never 0, without symmetry, the same in every release of torch."""
    count = torch.arange(torch.Size(shape).numel(), dtype=torch.int64) + 7919 * seed
    for factor in (2654435761, 2246822519):
        count = (count * factor) & _MASK
        count = count ^ (count >> 15)
    return ((2 * (count % 32) - 31).double() / 32).reshape(shape)


@dataclass(frozen=True, slots=True)
class Tokens:
    """One sequence of T tokens, float64.

    Where rows are given, r holds those of the offsets T..-T, shape (head, row, d); where the library makes its own, r
    is the weights (head, D, d).
    """

    q: Tensor
    k: Tensor
    r: Tensor
    u: Tensor
    v: Tensor

    @property
    def count(self) -> int:
        """How many tokens there are."""
        return int(self.q.shape[2])

    def part(self, subject: ScoreSubject, start: int, first_query: int, end: int) -> tuple[Tensor, ...]:
        """The five arguments for keys start..end-1 and queries first_query..end-1."""
        keys, queries = end - start, end - first_query
        given = subject.convention.rows == "given"
        rows = self.r[:, self.count - keys : self.count + queries] if given else self.r
        return self.q[:, :, first_query:end], self.k[:, :, start:end], rows, self.u, self.v


def tokens(subject: ScoreSubject, size: Size, count: int, *, batch: int, seed: int) -> Tokens:
    """A sequence with content, biases and rows that have nothing to do with another."""
    rows = 2 * count + 1 if subject.convention.rows == "given" else size.model
    shapes = (
        (batch, size.heads, count, size.width),
        (batch, size.heads, count, size.width),
        (size.heads, rows, size.width),
        (size.heads, size.width),
        (size.heads, size.width),
    )
    return Tokens(*(scattered(*shape, seed=5 * seed + n) for n, shape in enumerate(shapes)))


def sequence_of(subject: ScoreSubject, case: Case, count: int, *, batch: int = 1) -> Tokens:
    """The tokens that the case names, as a refutation does, else scattered ones."""
    if "tokens" in case:
        return Tokens(*(torch.tensor(case["tokens"][name], dtype=torch.float64) for name in ("q", "k", "r", "u", "v")))
    return tokens(subject, size_of(case), count, batch=batch, seed=case["seed"])


def given_rows(subject: ScoreSubject, r: Tensor, queries: int, keys: int) -> Tensor:
    """The rows of the offsets K..-L+1 that r stands for: r itself, or the declared table times the weights r."""
    if subject.convention.rows == "given":
        return r
    at = torch.arange(keys, -queries, -1)
    own = sinusoids(at, r.shape[1], subject.convention.base, subject.convention.table or "half-split")
    return torch.einsum("td,hdc->htc", own, r)


def built(subject: ScoreSubject, case: Case) -> ScoreInstance:
    """A new instance for the size and dtype of the case."""
    return subject.make(size_of(case), dtype_of(case["dtype"]))


def scored(instance: ScoreInstance, arguments: tuple[Tensor, ...], dtype: str) -> Tensor:
    """What the instance gives for these arguments in that dtype; ValueError for another shape."""
    q, k, r, u, v = (one.to(dtype_of(dtype)) for one in arguments)
    with torch.no_grad():
        given = instance.scores(q, k, r, u, v)
    wanted = (*q.shape[:3], k.shape[2])
    if tuple(given.shape) != wanted:
        raise ValueError(f"scores of shape {wanted} were wanted, saw {tuple(given.shape)}")
    return given


def leveled(subject: ScoreSubject, given: Tensor) -> Tensor:
    """Scores as float64, of probabilities their logarithms: the scores but for one constant in each row."""
    return given.double().log() if subject.convention.gives == "probabilities" else given.double()


def region(subject: ScoreSubject, queries: int, keys: int) -> Tensor:
    """Which pairs (query, key) the subject speaks of."""
    everywhere = torch.ones(queries, keys, dtype=torch.bool)
    return everywhere.tril(keys - queries) if subject.convention.region == "past" else everywhere


def apart(subject: ScoreSubject, one: Tensor, other: Tensor) -> Tensor:
    """The difference of two tables of scores over the region, 0 outside it.

    Of probabilities, the constant of each row is taken out: it is the median of the row's differences, so a few wrong
    entries stand out where they are.
    """
    inside = region(subject, one.shape[-2], one.shape[-1])
    difference = one - other
    if subject.convention.gives == "probabilities":
        # A NaN inside the region is left out of the median and stays in the difference.
        constant = difference.masked_fill(~inside, torch.nan).nanmedian(dim=-1, keepdim=True).values
        difference = difference - constant
    return torch.where(inside, difference, torch.zeros((), dtype=torch.float64))


def first_above(beyond: Tensor) -> tuple[int, int, int, int]:
    """Where the first entry stands that is above its bound, else the one that came closest to it."""
    at = (beyond > 0).nonzero()
    flat = at[0] if len(at) else torch.stack(torch.unravel_index(beyond.argmax(), beyond.shape))
    b, h, i, j = flat.tolist()
    return b, h, i, j


def size_of(case: Case) -> Size:
    return Size(*case["size"])


def base_case(size: Size, dtype: str) -> dict[str, object]:
    return {"size": [size.heads, size.width], "dtype": dtype}


def named(case: Case) -> str:
    """The beginning of every witness: heads, width and dtype."""
    return f"{size_of(case)}; {case['dtype']}"


def lengths(case: Case) -> str:
    """How many tokens there are."""
    memory = f", memory of {case['memory']}" if case.get("memory") else ""
    return f"{case['queries']} queries{memory}" if case["queries"] > 1 else f"1 query{memory}"


def point(case: Case) -> str:
    """The tokens that the case names, after what else it says."""
    return f"; {shown(case['tokens'])}" if "tokens" in case else ""
