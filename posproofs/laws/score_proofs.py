"""Proofs about four-term scores: the exported graph is executed over symbols and compared with the proved terms.

A sequence of symbols stands for every input; a call is a part of it, as in the sampled laws. Probabilities are
compared as what a softmax makes of scores: with the softmax of the formula where every pair counts, else by the ratio
of two keys of a row, in which what the caller masks does not enter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Literal

from posproofs.errors import Refused
from posproofs.laws.score_calls import Tokens, region, tokens
from posproofs.laws.score_formula import Table, four_terms, gathered
from posproofs.laws.score_tables import prove_rows
from posproofs.laws.scored import ScoreSubject, Size
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import frequencies, slots
from posproofs.symbolic.abstractions import Sinusoids
from posproofs.symbolic.comparing import Answer, compared, feedable
from posproofs.symbolic.execution import Execution, execute
from posproofs.symbolic.program import Name, Program
from posproofs.symbolic.proof import Proof, certificate
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.tensors import Symbolic, symbols
from posproofs.symbolic.tracing import Traced, trace

if TYPE_CHECKING:
    from torch import Tensor, dtype

Pairs = list[tuple[int, int]]
Span = tuple[int, int, int]
"""First key, first query, end."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of one obligation: `memory` keys come before the first of `queries` queries."""

    size: Size
    batch: int
    queries: int
    memory: int

    @property
    def count(self) -> int:
        """Tokens of the sequence."""
        return self.queries + self.memory

    def __str__(self) -> str:
        remembered = f", memory of {self.memory}" if self.memory else ""
        queries = "1 query" if self.queries == 1 else f"{self.queries} queries"
        return f"batch {self.batch}, {self.size}, {queries}{remembered}"


# In the first two no two axes have one length; with one query or one head a confused row, head or axis is not seen. The
# second has more of everything but coordinates, and other remainders in the reshapes of a shift. The third is a step of
# decoding, with one head: code may take another way there.
FIRST, SECOND, THIRD = Size(2, 4), Size(3, 4), Size(1, 4)


def shapes(subject: ScoreSubject) -> tuple[Shape, ...]:
    """Where the laws are proved; a memory only where the subject takes one."""
    first, second, third = (2, 1, 1) if subject.convention.memory == "any" else (0, 0, 0)
    return Shape(FIRST, 1, 3, first), Shape(SECOND, 2, 5, second), Shape(THIRD, 1, 1, third)


@dataclass(slots=True)
class Runs:
    """One program with a sequence of symbols in it, and the calls that were executed on parts of it."""

    subject: ScoreSubject
    shape: Shape
    program: Program
    sequence: Tokens
    frequencies: tuple[int, ...]
    done: list[tuple[Traced, Execution]]

    def table(self) -> Table | None:
        """The subject's own rows, as sines and cosines of offset * frequency; None where rows are given."""
        if self.subject.convention.rows == "given":
            return None
        first, second = slots(self.subject.convention.table or "half-split", 2 * len(self.frequencies))
        return Table(self.frequencies, tuple(first), tuple(second))

    def scores(self, span: Span, sequence: Tokens | None = None) -> Tensor:
        """The nodes of what the subject gives for a part, (batch, head, query, key)."""
        start, first_query, end = span
        parts = (sequence or self.sequence).part(self.subject, start, first_query, end)
        try:
            given = self._executed(parts, "called")
        except Refused:  # an operator without a rule, which may be written with others that have one
            given = self._executed(parts, "core")
        if not isinstance(given, Symbolic) or given.shape != (*parts[0].shape[:3], parts[1].shape[2]):
            raise Refused("the graph does not return one score for each query and key")
        return given.nodes

    def _executed(self, parts: Sequence[Tensor], level: Literal["called", "core"]) -> object:
        traced = _traced(self.subject, self.shape.size, tuple(tuple(part.shape) for part in parts), level)
        given = [Symbolic(part, exported_in(self.subject)) for part in parts]
        (made,), execution = execute(traced, self.program, given, reader=self._reader())
        self.done.append((traced, execution))
        return made

    def _reader(self) -> Reader:
        if self.subject.convention.rows == "given":
            return Reader(self.program)
        values = frequencies(self.shape.size.model, self.subject.convention.base).tolist()
        reach = range(self.sequence.count + 1)
        return Reader(self.program, (Sinusoids(self.program, values, self.frequencies, reach),))


def exported_in(subject: ScoreSubject) -> dtype:
    """The dtype of the call that is exported: a table is read as sines of a frequency where float64 leaves no doubt."""
    return torch.float32 if subject.convention.rows == "given" else torch.float64


@lru_cache(maxsize=32)
def _traced(
    subject: ScoreSubject, size: Size, given: tuple[tuple[int, ...], ...], level: Literal["called", "core"]
) -> Traced:
    """The graph for arguments of these shapes; of an instance of its own, whose weights the tracer may keep."""
    kind = exported_in(subject)
    return trace(subject.make(size, kind).scores, [torch.ones(one, dtype=kind) for one in given], level=level)


def begun(subject: ScoreSubject, shape: Shape, *, further: int = 0) -> Runs:
    """A sequence of `further` tokens more than the shape has, all of them symbols."""
    program = Program()
    like = tokens(subject, shape.size, shape.count + further, batch=shape.batch, seed=0)
    made = (symbols(program, name, getattr(like, name).shape).nodes for name in ("q", "k", "r", "u", "v"))
    sequence = Tokens(*made)
    own = subject.convention.rows == "own"
    theta = tuple(program.symbol("theta", (i,)) for i in range(shape.size.model // 2)) if own else ()
    return Runs(subject, shape, program, sequence, theta, [])


def prove_four_terms(subject: ScoreSubject) -> Proof:
    """Every score is the sum of the four terms, in the declared scale."""

    def obligation(runs: Runs) -> Pairs:
        shape = runs.shape
        wanted = four_terms(runs.program, runs.sequence, shape.memory, runs.table(), subject.convention.scale)
        return _with_formula(runs, runs.scores((0, shape.memory, shape.count)), wanted)

    return _proved(subject, obligation, ("queries", "keys", "rows", "biases u and v"))


def prove_gather(subject: ScoreSubject) -> Proof:
    """Without content, biases and a memory, the score is q_i . the row that the theorem of the relative shift names."""

    def obligation(runs: Runs) -> Pairs:
        bare = _without(runs, "k", "u", "v")
        wanted = gathered(runs.program, bare, runs.table(), subject.convention.scale)
        return _with_formula(runs, runs.scores((0, 0, runs.shape.count), bare), wanted)

    return _proved(subject, obligation, ("queries", "rows"), bare=True)


def prove_memory(subject: ScoreSubject) -> Proof:
    """A call with a memory gives the last rows of a call on the whole sequence."""
    if subject.convention.memory == "none":
        return Proof("undecided", "the library takes no memory")
    return _proved(subject, lambda runs: _parts(runs, (0, 0, runs.shape.count), _whole(runs)), EVERYTHING)


def prove_shift(subject: ScoreSubject) -> Proof:
    """Two tokens more in front, in the memory if there is one, change no score among the others."""
    before = 2

    def obligation(runs: Runs) -> Pairs:
        first, end = before + runs.shape.memory, before + runs.shape.count
        longer = 0 if subject.convention.memory == "none" else first
        return _parts(runs, (0, longer, end), (before, first, end))

    return _proved(subject, obligation, EVERYTHING, further=before, case={"before": before})


def prove_length_extension(subject: ScoreSubject) -> Proof:
    """Two tokens more behind change no score before them."""
    behind = 2

    def obligation(runs: Runs) -> Pairs:
        _, first, end = _whole(runs)
        return _parts(runs, (0, first, end + behind), (0, first, end))

    return _proved(subject, obligation, EVERYTHING, further=behind, case={"behind": behind})


def prove_negative_offset(subject: ScoreSubject) -> Proof:
    """The middle query reads in a key before it what it reads behind it once the weights of the sines are negated."""
    if subject.convention.rows == "given":
        return prove_rows(subject, [(shape.size, shape.queries) for shape in shapes(subject) if shape.queries > 1])

    def obligation(runs: Runs) -> Pairs:
        shape, table, bare = runs.shape, runs.table(), _without(runs, "k", "u", "v")
        assert table is not None
        flipped = bare.r.clone()
        negated = [runs.program.negate(node) for node in bare.r[:, list(table.sines)].flatten().tolist()]
        flipped[:, list(table.sines)] = torch.tensor(negated).reshape(flipped[:, list(table.sines)].shape)
        span, middle = (0, 0, shape.queries), shape.queries // 2
        one, other = runs.scores(span, bare), runs.scores(span, Tokens(bare.q, bare.k, flipped, bare.u, bare.v))
        away = torch.arange(1, min(middle, shape.queries - 1 - middle) + 1)
        keys = torch.cat((torch.zeros(1, dtype=torch.int64), away))
        return _leveled(runs, one[:, :, [middle]][..., middle + keys], other[:, :, [middle]][..., middle - keys])

    return _proved(subject, obligation, ("queries", "weights of the rows"), bare=True, replayed=False)


EVERYTHING = ("queries", "keys", "rows", "biases u and v")


def _whole(runs: Runs) -> Span:
    return 0, runs.shape.memory, runs.shape.count


def _without(runs: Runs, *names: str) -> Tokens:
    """The sequence with these parts zero."""
    parts = {name: getattr(runs.sequence, name) for name in ("q", "k", "r", "u", "v")}
    zeros = {name: torch.full_like(parts[name], runs.program.zero) for name in names}
    return Tokens(**(parts | zeros))


def _with_formula(runs: Runs, given: Tensor, wanted: Tensor) -> Pairs:
    """Pairs of nodes that are equal where the code gives the wanted scores, over the region of the subject."""
    convention, program = runs.subject.convention, runs.program
    if convention.gives == "scores" or convention.region == "past":
        return _leveled(runs, given, wanted, scores=True)
    rows = zip(given.flatten(0, 2).tolist(), wanted.flatten(0, 2).tolist(), strict=True)
    return [pair for mine, row in rows for pair in _as_softmax(program, mine, row)]


def _as_softmax(program: Program, shares: list[int], scores: list[int]) -> Pairs:
    """The softmax of the scores; where the code's row is one too, scores are equal to its own but for a constant."""
    mine = _scores_of(program, shares)
    if mine and sorted(mine) == list(program.nodes[shares[0]].arguments[1:]):
        return list(zip(_differences(program, mine), _differences(program, scores), strict=True))
    return list(zip(shares, program.shares(scores), strict=True))


def _parts(runs: Runs, whole: Span, part: Span) -> Pairs:
    """The scores of the part, from a call on the whole and from one on the part alone."""
    rows = slice(part[1] - whole[1], part[2] - whole[1])
    columns = slice(part[0] - whole[0], part[2] - whole[0])
    return _leveled(runs, runs.scores(whole)[:, :, rows, columns], runs.scores(part))


def _leveled(runs: Runs, one: Tensor, other: Tensor, *, scores: bool = False) -> Pairs:
    """Equal scores; of probabilities, equal ratios of a key of the row to its first. scores: `other` are scores."""
    inside = _region(runs.subject, one)
    rows = zip(one.flatten(0, 2).tolist(), other.flatten(0, 2).tolist(), inside, strict=True)
    if runs.subject.convention.gives == "scores":
        chosen = ((_kept(mine, kept), _kept(theirs, kept)) for mine, theirs, kept in rows)
        return [pair for mine, theirs in chosen for pair in zip(mine, theirs, strict=True)]
    return [
        pair
        for mine, theirs, kept in rows
        for pair in _ratios(runs.program, _kept(mine, kept), _kept(theirs, kept), scores=scores)
    ]


def _region(subject: ScoreSubject, nodes: Tensor) -> list[list[bool]]:
    batch, heads, queries, keys = nodes.shape
    return region(subject, queries, keys).tolist() * (batch * heads)


def _kept(row: Sequence[int], inside: Sequence[bool]) -> list[int]:
    return [node for node, kept in zip(row, inside, strict=True) if kept]


def _ratios(program: Program, shares: list[int], others: list[int], *, scores: bool) -> Pairs:
    """p_j / p_0 against p'_j / p'_0, or against e^(s_j - s_0).

    Of entries of one softmax it is the scores whose differences are compared: e^a / e^b is e^(a - b), one to one.
    """
    mine, theirs = _scores_of(program, shares), others if scores else _scores_of(program, others)
    if mine and theirs:
        return list(zip(_differences(program, mine), _differences(program, theirs), strict=True))
    if scores:
        others = [program.exp(program.subtract(score, others[0])) for score in others]
    return [
        (program.multiply(share, others[0]), program.multiply(shares[0], other))
        for share, other in zip(shares[1:], others[1:], strict=True)
    ]


def _scores_of(program: Program, shares: list[int]) -> list[int]:
    """The scores of which these nodes are the softmax; none where they are something else, or of several rows."""
    nodes = [program.nodes[share] for share in shares]
    if any(node.operation != "share" for node in nodes) or len({node.arguments[1:] for node in nodes}) > 1:
        return []
    return [node.arguments[0] for node in nodes]


def _differences(program: Program, scores: list[int]) -> list[int]:
    return [program.subtract(score, scores[0]) for score in scores[1:]]


def _proved(
    subject: ScoreSubject,
    obligation: Callable[[Runs], Pairs],
    what: tuple[str, ...],
    *,
    further: int = 0,
    bare: bool = False,
    case: dict[str, object] | None = None,
    replayed: bool = True,
) -> Proof:
    """The obligation at every shape: the first that is refuted or undecided decides, else it is proved.

    bare: it asks without content, biases and a memory. case: what the law's case says beside the sizes.
    """
    done: list[tuple[Traced, Execution]] = []
    conditions: dict[str, None] = {}
    asked = tuple(replace(shape, memory=0) if bare else shape for shape in shapes(subject))
    for shape in asked:
        try:
            runs = begun(subject, shape, further=further)
            answer = compared(runs.program, obligation(runs), draw=_feedable(subject, shape))
        except Refused as refusal:
            return Proof("undecided", str(refusal))
        done += runs.done
        conditions |= dict.fromkeys(answer.conditions)
        if answer.status != "proved":
            break
    named = [*what, "frequencies"] if runs.frequencies else [*what]
    listed = f"all {', '.join(named[:-1])} and {named[-1]}"
    shown = certificate(listed, "; ".join(map(str, asked)), done, conditions=conditions)
    if answer.status == "refuted" and not replayed:
        return Proof("undecided", "the exact forms differ", shown)
    found = _case(runs, answer, ("k", "u", "v") if bare else ()) | (case or {}) if answer.status == "refuted" else {}
    return Proof(answer.status, answer.reason, shown, found)


def _feedable(subject: ScoreSubject, shape: Shape) -> Callable[[Name, Random], Fraction]:
    """Points at which the code can be called: small numbers, and the frequencies that it declares."""
    values = frequencies(shape.size.model, subject.convention.base).tolist()

    def draw(name: Name, chance: Random) -> Fraction:
        if name.tensor == "theta":
            return Fraction(values[name.index[0]])
        return feedable(name, chance)

    return draw


def _case(runs: Runs, answer: Answer, zero: tuple[str, ...]) -> dict[str, object]:
    """The point as a case of the laws of scores: the sequence, and which part of it is called."""
    point = {(name.tensor, name.index): float(value) for name, value in answer.point.items()}

    def shown(name: str) -> object:
        nodes = getattr(runs.sequence, name)
        values = torch.zeros(nodes.shape, dtype=torch.float64)
        for place in product(*map(range, nodes.shape)) if name not in zero else ():
            values[place] = point.get((name, place), 0.0)
        return values.tolist()

    shape = runs.shape
    return {
        "size": [shape.size.heads, shape.size.width],
        "dtype": "float64",
        "batch": shape.batch,
        "queries": shape.queries,
        "memory": shape.memory,
        "tokens": {name: shown(name) for name in ("q", "k", "r", "u", "v")},
    }
