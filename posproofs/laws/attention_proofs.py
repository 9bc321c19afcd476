"""Proofs about whole attention: both sides of a law are executed over symbols, and the kernel compares their outputs.

Rows, every weight, and positions and frequencies where they enter by multiplication are symbols. Products with a
parameter are cut: where both sides have the same product it stands as one generator, so nothing built on it grows.
Equality under cuts is a proof. Where the kernel finds none, a rational point at which enclosures separate the sides
refutes the law, and the module itself is called there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from random import Random
from typing import TYPE_CHECKING

from derivations.kernel.errors import KernelError
from posproofs.errors import Refused
from posproofs.laws.attended import AttentionSize, AttentionSubject
from posproofs.laws.attention_precision import Rounding
from posproofs.laws.attention_runs import Run, reads_waves, run, unread
from posproofs.laws.attention_sides import Side
from posproofs.laws.precision import UNIT
from posproofs.mutants.backend import torch
from posproofs.symbolic.comparing import Answer, compared, refutation
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.dependencies import Dependencies
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.program import Name, Program
from posproofs.symbolic.proof import Certificate, Proof, certificate

if TYPE_CHECKING:
    from posproofs.laws.attention_cases import Sides


def prove_equal(sides: Sides, idle: str) -> Callable[[AttentionSubject], Proof]:
    """The proof of a law that says that pairs of sides are equal, in every size of the subject."""

    def prove(subject: AttentionSubject) -> Proof:
        runs: list[Run] = []
        conditions: dict[str, None] = {}
        try:
            for size, one, other in _asked(subject, sides):
                pair = (run(subject, size, one), run(subject, size, other))
                runs += pair
                answer = _compared(*pair)
                conditions |= dict.fromkeys(answer.conditions)
                if answer.status == "refuted" and subject.waves is not None:
                    answer = Answer("undecided", "the sides differ where frequencies may be any numbers")
                if answer.status != "proved":
                    shown = _certificate(subject, runs, conditions)
                    return Proof(answer.status, answer.reason, shown, _case(size, (one, other), answer))
        except Refused as refusal:
            return Proof("undecided", str(refusal))
        return Proof("proved", "", _certificate(subject, runs, conditions)) if runs else Proof("undecided", idle)

    return prove


def _asked(subject: AttentionSubject, sides: Sides) -> Iterator[tuple[AttentionSize, Side, Side]]:
    """The pairs of every size, once the module is known to read its parameters there."""
    for size in subject.sizes:
        _check_read(subject, size)
        for one, other in sides(subject, size):
            yield size, one, other


def _check_read(subject: AttentionSubject, size: AttentionSize) -> None:
    """A parameter that no output names may have become a constant, and then a proof is about that constant alone."""
    strange = [name for name in unread(subject, size) if name not in subject.unread]
    if strange:
        raise Refused(f"no output depends on {', '.join(strange)}, which is a parameter and not declared as unread")


def _compared(one: Run, other: Run) -> Answer:
    """Where floats already tell the sides apart, a point is looked for at once: no proof can be found."""
    pairs = [pair for rows in zip(one.outputs, other.outputs, strict=True) for pair in zip(*rows, strict=True)]
    apart = _told_apart(one.program, pairs)
    if not apart:
        return compared(one.program, pairs, exact=Exact(cuts=True), draw=_feedable)
    try:
        found = refutation(one.program, apart[:1], _feedable)
    except (KernelError, Refused) as refusal:
        return Answer("undecided", f"floats differ, and no point is certain: {refusal}")
    return found or Answer("undecided", "floats differ, and no point is certain")


def _told_apart(program: Program, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, tuple[int, int]]]:
    """The pairs whose floats differ at one point by more than floats can be wrong there; none where floats fail."""
    open_ = [(k, pair) for k, pair in enumerate(pairs) if pair[0] != pair[1]]
    chance = Random(1)
    names = [node.label for node in program.nodes if isinstance(node.label, Name)]
    point = {name: chance.choice((-3, -2, -1, 1, 2, 3)) / 16 for name in names}  # small, so that the bounds are
    domain = Rounding(point, UNIT["float64"])
    try:
        found = evaluated(program, (node for _, pair in open_ for node in pair), domain)
    except Refused:
        return []
    return [(k, (a, b)) for k, (a, b) in open_ if domain.apart(found[a], found[b])]


def _feedable(name: Name, chance: Random) -> Fraction:
    """Small numbers that every dtype holds; whole ones for positions and their shift."""
    if name.tensor in ("p", "s"):
        return Fraction(chance.choice((1, 2, 3, 5)))
    return Fraction(chance.choice((-2, -1, 1, 2)), 2)


def _case(size: AttentionSize, sides: tuple[Side, Side], answer: Answer) -> dict[str, object]:
    """The point as a case of the law."""
    if answer.status != "refuted":
        return {}
    point: dict[str, dict[str, float]] = {}
    for name, value in answer.point.items():
        if value:
            point.setdefault(name.tensor, {})[",".join(map(str, name.index))] = float(value)
    return {"size": size.listed, "dtype": "float64", "sides": [side.listed() for side in sides], "point": point}


def prove_causal(subject: AttentionSubject) -> Proof:
    """No entry of a row names an entry of a later row."""
    if subject.convention.sees == "all":
        return Proof("undecided", "every row sees all rows")
    runs = []
    try:
        for size, path in product(subject.sizes, subject.paths):
            _check_read(subject, size)
            runs.append(run(subject, size, Side(path)))
            seen = next(_seen(runs[-1]), None)
            if seen is not None:
                return Proof("undecided", f"{path}: row {seen[0]} names {seen[1]}", _certificate(subject, runs))
    except Refused as refusal:
        return Proof("undecided", str(refusal))
    return Proof("proved", "", _certificate(subject, runs))


def _seen(found: Run) -> Iterator[tuple[int, Name]]:
    """Rows with a later row that they name."""
    names: Mapping[int, frozenset[Name]] = evaluated(
        found.program, (node for row in found.outputs for node in row), Dependencies()
    )
    for row, nodes in enumerate(found.outputs):
        reached = {name for node in nodes for name in names[node]}
        later = (name for name in reached if name.tensor == "x" and name.index[1] > row)
        yield from ((row, name) for name in sorted(later, key=str))


def _certificate(subject: AttentionSubject, runs: list[Run], conditions: Iterable[str] = ()) -> Certificate:
    what = ["inputs", "weights"]
    what += {"real": ["positions"], "whole": ["positions that a table holds"]}.get(subject.convention.positions, [])
    # Code that makes its frequencies within a call has them as numbers, unless all of them were read as the declared.
    symbols = subject.waves is not None and all(reads_waves(one.execution) for one in runs)
    what += ["frequencies"] if symbols or _has_tables(subject) else []
    over = f"all {', '.join(what[:-1])} and {what[-1]}"
    shape = "; ".join(map(str, subject.sizes))
    return certificate(over, shape, [(one.traced, one.execution) for one in runs], conditions=conditions)


@lru_cache(maxsize=8)
def _has_tables(subject: AttentionSubject) -> bool:
    """Whether its instances hold frequencies that a proof takes as symbols."""
    return bool(subject.make(subject.sizes[0], subject.paths[0], torch.float32).tables)
