"""Are two lists of nodes equal for every value of the symbols? Proved by the kernel, refuted at a point, or undecided.

First the kernel compares exact values. Where it finds no proof, points are tried: enclosures separate the two sides at
a rational point, or nothing is said. A cut, an unknown function or a softmax that stays closed never refutes anything.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from derivations.kernel.balls import Interval
from derivations.kernel.errors import KernelError
from posproofs.errors import Refused
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.enclosures import Enclosures
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.program import Name, Program

POINTS = 12
SEARCH_LIMIT = 4_000_000  # operations that are evaluated in enclosures while a point is looked for; some ten seconds
# Of the size of the values, at least of 1: a constant one unit beside the number meant shows no closer than this,
# and floats must show the difference when the point is replayed.
MARGIN = Fraction(1, 1 << 20)
Pairs = Sequence[tuple[int, int]]
Draw = Callable[[Name, random.Random], Fraction]
Values = Mapping[int, Interval]


@dataclass(frozen=True, slots=True)
class Answer:
    """Equal, or different at `point` in the pair number `place`, or undecided for a reason.

    conditions: under which a proof holds, where they are not evident: that divisors do not vanish, say.
    """

    status: Literal["proved", "refuted", "undecided"]
    reason: str = ""
    point: Mapping[Name, Fraction] = field(default_factory=dict)
    place: int = 0
    conditions: tuple[str, ...] = ()


# Exact in every dtype, and beyond the grids on which code is sampled: a defect that vanishes on a grid is seen between.
FEEDABLE = (Fraction(-2), Fraction(-1), Fraction(1), Fraction(2), Fraction(3, 64), Fraction(-5, 64))


def feedable(_name: Name, chance: random.Random) -> Fraction:
    """A number that code can be called with, never 0."""
    return chance.choice(FEEDABLE)


def small(_name: Name, chance: random.Random) -> Fraction:
    """A small rational, never 0: at 0 too much is equal."""
    return Fraction(chance.choice((-3, -2, -1, 1, 2, 3)), chance.choice((1, 1, 2)))


def compared(program: Program, pairs: Pairs, *, exact: Exact | None = None, draw: Draw = small) -> Answer:
    """Decide whether the nodes of every pair are equal.

    exact: the kernel domain, with what stands for symbols and whether parts are cut. draw: values for points; where a
    symbol is a position that code takes as an integer, it must give integers.
    """
    open_ = [(k, pair) for k, pair in enumerate(pairs) if pair[0] != pair[1]]
    domain = exact or Exact()
    reason = _unproved(program, open_, domain)
    if not reason:
        return Answer("proved", conditions=_conditions(domain))
    try:
        found = refutation(program, open_, draw)
    except (KernelError, Refused) as refusal:
        return Answer("undecided", f"{reason}; no point: {refusal}")
    return found or Answer("undecided", f"{reason}, not visibly at the points that were tried")


def _unproved(program: Program, open_: Sequence[tuple[int, tuple[int, int]]], exact: Exact) -> str:
    """Why the kernel finds no proof; empty if it finds one."""
    try:
        values = evaluated(program, (node for _, pair in open_ for node in pair), exact)
        failing = next((k for k, (a, b) in open_ if not exact.tower.equal(values[a], values[b])), None)
    except (KernelError, Refused) as refusal:
        return str(refusal)
    except RecursionError:
        return "limit reached: values are nested too deeply"
    return "" if failing is None else f"the exact forms of entry {failing} differ"


def _conditions(domain: Exact) -> tuple[str, ...]:
    kinds = [kind for kind, _ in domain.tower.conditions]
    said = (("nonzero", "divisors that do not vanish"), ("positive", "radicands and logarithms of what is positive"))
    return tuple(words for kind, words in said if kind in kinds)


def refutation(program: Program, pairs: Sequence[tuple[int, tuple[int, int]]], draw: Draw) -> Answer | None:
    """A point at which enclosures separate a pair, with as many symbols as possible at 0.

    The search and the clearing up together evaluate at most SEARCH_LIMIT operations.
    """
    names = [node.label for node in program.nodes if isinstance(node.label, Name)]
    wanted = [node for _, pair in pairs for node in pair]
    size = max(1, len(program.needed(wanted)))
    chance = random.Random(0)
    tries = max(1, min(POINTS, SEARCH_LIMIT // (2 * size)))
    for _ in range(tries):
        point = {name: draw(name, chance) for name in names}
        found = _separated(program, pairs, point)
        if found is not None:
            place, pair, values = found
            return Answer("refuted", "", _simplified(program, pair, point, values, draw), place)
    return None


def _separated(
    program: Program, pairs: Sequence[tuple[int, tuple[int, int]]], point: Mapping[Name, Fraction]
) -> tuple[int, tuple[int, int], Values] | None:
    """The first pair that differs at the point, and the values there.

    All are evaluated at once; where one cannot be, each by itself.
    """
    try:
        values = evaluated(program, (node for _, pair in pairs for node in pair), Enclosures(point))
    except (KernelError, Refused):
        for place, pair in pairs:
            alone = _evaluated_apart(program, pair, point, {})
            if alone is not None:
                return place, pair, alone
        raise
    return next(((place, pair, values) for place, pair in pairs if _apart(values[pair[0]], values[pair[1]])), None)


def _apart(one: Interval, other: Interval) -> bool:
    return abs(one - other).lower > MARGIN * max(Fraction(1), abs(one).upper, abs(other).upper)


def _simplified(
    program: Program, pair: tuple[int, int], point: Mapping[Name, Fraction], values: Values, draw: Draw
) -> dict[Name, Fraction]:
    """The point with every value that is not needed set to 0, else to 1, in the order of the program.

    values: of the nodes at the point; a trial evaluates those alone that rest on what it changes. A value that is
    always drawn, such as a frequency that code declares, is no choice and stays.
    """
    needed = program.needed(pair)
    places = {program.nodes[k].label: k for k in needed}
    current = {name: value for name, value in point.items() if name in places}
    users = _users(program, needed)
    left = SEARCH_LIMIT // (2 * len(needed))  # evaluations; with none left the point stays as it is
    # Twice: a value may be needed only beside others that fall later.
    chosen = [name for name in current if len({draw(name, random.Random(k)) for k in range(8)}) > 1]
    for name in [*chosen, *chosen]:
        tries = tuple(_simpler(current[name]))
        changing = _resting(users, places[name]) if tries else ()
        kept = {k: value for k, value in values.items() if k not in changing}
        for simple in tries:
            trial, left = {**current, name: simple}, left - 1
            found = _evaluated_apart(program, pair, trial, kept) if left >= 0 else None
            if found is not None:
                current, values = trial, found
                break
    return current


def _users(program: Program, needed: Iterable[int]) -> dict[int, list[int]]:
    """The nodes that read each node, of those that are needed."""
    users: dict[int, list[int]] = {}
    for k in needed:
        for argument in program.nodes[k].arguments:
            users.setdefault(argument, []).append(k)
    return users


def _resting(users: Mapping[int, Sequence[int]], node: int) -> set[int]:
    """The node, and all that rest on it."""
    found, open_ = {node}, [node]
    while open_:
        further = set(users.get(open_.pop(), ())) - found
        found |= further
        open_ += further
    return found


def _evaluated_apart(
    program: Program, pair: tuple[int, int], point: Mapping[Name, Fraction], known: Values
) -> Values | None:
    """The values at a point where the pair differs; None where it does not, or where a divisor vanishes, say."""
    try:
        values = evaluated(program, pair, Enclosures(point), known=known)
    except (KernelError, Refused):
        return None
    return values if _apart(values[pair[0]], values[pair[1]]) else None


def _simpler(value: Fraction) -> Iterator[Fraction]:
    """0 is simpler than 1, and 1 than everything else."""
    if value:
        yield Fraction(0)
    if value not in (0, 1):
        yield Fraction(1)
