"""Theorems to emit: maps on groups of 2, 4 or 6 slots with random pairing, signs, layouts, magnitudes and angles."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from derivations.kernel import Hypothesis, Statement, Theorem, prove
from derivations.kernel.layouts import Layout, split, strided
from derivations.kernel.terms import Add, Apply, Block, Family, Multiply, Power, Symbol, Term, number

INDEX, H, P, ONE = Symbol("i"), Symbol("h"), Symbol("p"), number(1)
BASE_IS_POSITIVE = Hypothesis("positive", Symbol("base"))


@dataclass(frozen=True)
class Plan:
    """One pair of a group: input slots, output slots, sign of the angle, magnitude, which angle."""

    inputs: tuple[int, int]
    outputs: tuple[int, int]
    sign: int
    magnitude: Term | None
    angle: Term


@dataclass(frozen=True)
class Map:
    """A drawn map and its theorem."""

    reads: Layout
    writes: Layout
    plans: tuple[Plan, ...]
    theorem: Theorem

    @property
    def slots(self) -> int:
        return len(self.reads.slots)


def frequency(slots: int) -> Term:
    return Power(Symbol("base"), Multiply((number(-slots), INDEX, Power(Multiply((number(slots), H)), number(-1)))))


def angles(slots: int) -> list[Term]:
    """base**(-i/h), a family, a family with a phase, a number of turns that is shared by all groups."""
    theta, phi = Family("theta", INDEX), Symbol("phi")
    return [
        Multiply((P, frequency(slots))),
        Multiply((P, theta)),
        Add((Multiply((P, theta)), phi)),
        Multiply((number(Fraction(2, 3)), P, phi)),
    ]


def layouts(slots: int) -> st.SearchStrategy[Layout]:
    """Strided or split, the slots in any order."""

    def permuted(plain: Layout) -> st.SearchStrategy[Layout]:
        return st.permutations(plain.slots).map(lambda order: Layout(tuple(order)))

    return st.sampled_from([strided(slots), split(slots)]).flatmap(permuted)


def coordinates(layout: Layout) -> list[Term]:
    """The coordinate of every slot of group i as a term."""
    parts = [((s.stride, INDEX), (s.counts, H), (s.offset, ONE)) for s in layout.slots]
    return [Add(tuple(Multiply((number(k), unit)) for k, unit in part if k) or (number(0),)) for part in parts]


@st.composite
def maps(draw: st.DrawFn, sizes: tuple[int, ...] = (2, 4, 6)) -> Map:
    size = draw(st.sampled_from(sizes))
    reads, writes = draw(layouts(size)), draw(layouts(size))
    order_in, order_out = draw(st.permutations(range(size))), draw(st.permutations(range(size)))
    pool = draw(st.lists(st.sampled_from(angles(size)), min_size=1, max_size=2, unique=True))
    magnitudes = st.sampled_from([None, None, Symbol("m"), Family("zeta", INDEX), number(Fraction(-3, 2))])
    plans = tuple(
        Plan(
            (order_in[k], order_in[k + 1]),
            (order_out[k], order_out[k + 1]),
            draw(st.sampled_from([1, -1])),
            draw(magnitudes),
            draw(st.sampled_from(pool)),
        )
        for k in range(0, size, 2)
    )
    return built(reads, writes, plans)


def built(reads: Layout, writes: Layout, plans: tuple[Plan, ...]) -> Map:
    """Prove y = (block matrix) x for the plans, y written out."""
    size = len(reads.slots)
    x = [Family("x", coordinate) for coordinate in coordinates(reads)]
    entries: list[list[Term]] = [[number(0)] * size for _ in range(size)]
    rows: list[Term] = [number(0)] * size
    for plan in plans:
        (a, b), (c, d) = plan.inputs, plan.outputs
        cosine, sine = scaled(plan, Apply("cos", plan.angle)), scaled(plan, Apply("sin", plan.angle))
        turned = Multiply((number(plan.sign), sine))
        entries[c][a], entries[c][b] = cosine, Multiply((number(-1), turned))
        entries[d][a], entries[d][b] = turned, cosine
        rows[c] = Add((Multiply((x[a], cosine)), Multiply((number(-1), x[b], turned))))
        rows[d] = Add((Multiply((turned, x[a])), Multiply((cosine, x[b]))))
    matrix = Block("i", H, writes, reads, tuple(map(tuple, entries)))
    vector = Block("i", H, reads, None, tuple((entry,) for entry in x))
    result = Block("i", H, writes, None, tuple((row,) for row in rows))
    answer = prove(Statement(Multiply((matrix, vector)), result, (BASE_IS_POSITIVE,)))
    assert isinstance(answer, Theorem), answer
    return Map(reads, writes, plans, answer)


def scaled(plan: Plan, wave: Term) -> Term:
    return wave if plan.magnitude is None else Multiply((plan.magnitude, wave))
