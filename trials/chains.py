"""Chains of inference: a claim that is true and simple, and steps from it, each a rule with its arguments.

The effect of every right step is predicted here, in the trials' own language. A step with a defect asks for what the
rule must refuse: a capture, a real number for an index, a matrix that is no rotation. A theorem that comes out must say
what was predicted, and must be true wherever its own hypotheses hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

from derivations.kernel import (
    Answer,
    Refuted,
    Theorem,
    congruent,
    lifted,
    lifted_block,
    prove,
    realised,
    specialised,
    symmetric,
    transitive,
    two_sided,
    unique_solution,
)
from trials import asking_matrices, judging_matrices
from trials.asking_matrices import replacement, term
from trials.case import Judgement
from trials.language import Equation, Lambda, Member, Node, Product, Total, Var, plain
from trials.language_matrices import Array, Blocks, Layout, put
from trials.places import Recipe


@dataclass(frozen=True, slots=True)
class Put:
    """Terms for free names."""

    by: Mapping[str, Lambda]


@dataclass(frozen=True, slots=True)
class Swap:
    """The sides exchanged."""


@dataclass(frozen=True, slots=True)
class Inside:
    """Both sides put for the hole of a context."""

    hole: str
    context: Node


@dataclass(frozen=True, slots=True)
class Lift:
    """One group as the sum over all, or as blocks where there are layouts."""

    index: str
    count: str
    sequences: tuple[str, ...]
    down: Layout | None = None
    across: Layout | None = None


@dataclass(frozen=True, slots=True)
class Then:
    """Joined with an equation that begins where the theorem ends."""

    second: Equation


@dataclass(frozen=True, slots=True)
class Turn:
    """From A B = 1, B A = 1."""


@dataclass(frozen=True, slots=True)
class Make:
    """A definite matrix for a rotation family."""

    family: str
    by: Lambda
    sizes: Mapping[str, Lambda] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Solve:
    """One solution of y' = a y: the theorem is one of three premises."""

    second: Equation
    initial: Equation


Step: TypeAlias = Put | Swap | Inside | Lift | Then | Turn | Make | Solve


@dataclass(frozen=True, slots=True)
class Chain:
    """A first claim, steps, and what must come out; without `expected`, the last step must not go wrong unnoticed."""

    start: Equation
    steps: tuple[Step, ...]
    expected: Equation | None
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    model: Mapping[str, Lambda] | None = None
    defect: str | None = None

    def text(self) -> str:
        return "\n".join((self.start.text(), *(f"  {told(step)}" for step in self.steps)))


def told(step: Step) -> str:
    match step:
        case Put(by):
            return f"put {_formulas(by)}"
        case Inside(hole, context):
            return f"for {hole} in {plain(context)}"
        case Then(second):
            return f"then {second.text()}"
        case Make(family, by, sizes):
            return f"realise {family} by {_formulas({family: by, **sizes})}"
        case Solve(second, initial):
            return f"one solution, with {second.text()} and {initial.text()}"
        case Lift(index, count, sequences, down):
            return f"lift to {'blocks' if down else 'sums'} over {index} < {count}, sequences {', '.join(sequences)}"
        case Swap():
            return "exchange the sides"
        case Turn():
            return "turn a one-sided inverse"


def _formulas(by: Mapping[str, Lambda]) -> str:
    return ", ".join(f"{name}({', '.join(f.parameters)}) := {plain(f.body)}" for name, f in by.items())


def predicted(known: Equation, step: Step) -> Equation:
    """What the equation becomes; demands are left to the kernel and judged by truth alone."""
    left, right = known.left, known.right
    match step:
        case Put(by):
            return replace(known, left=put(left, by), right=put(right, by))
        case Swap():
            return replace(known, left=right, right=left)
        case Inside(hole, context):
            return replace(
                known,
                left=put(context, {hole: Lambda((), left)}),
                right=put(context, {hole: Lambda((), right)}),
            )
        case Lift():
            return replace(known, left=_lifted(left, step), right=_lifted(right, step))
        case Then(second):
            return replace(known, right=second.right)
        case Make(family, by, sizes):
            formulas = {**sizes, family: by}
            return replace(known, left=put(left, formulas), right=put(right, formulas))
        case Turn():
            assert isinstance(left, Product)
            return replace(known, left=Product(left.factors[::-1]))
        case Solve(second):
            return Equation(left.body, second.left.body)


def _lifted(side: Node, step: Lift) -> Node:
    by = {name: Lambda((), Member(name, Var(step.index))) for name in step.sequences}
    if step.down is None:
        return Total(step.index, Var(step.count), put(side, by))
    assert isinstance(side, Array)
    rows = tuple(tuple(put(entry, by) for entry in row) for row in side.rows)
    return Blocks(step.index, step.count, step.down, step.across, rows)


def followed(claim: Chain) -> Answer:
    """The theorem at the end of the chain, or the first answer that is none; the rules raise what they refuse."""
    model = None if claim.model is None else {name: replacement(by) for name, by in claim.model.items()}
    found = prove(asking_matrices.statement(claim.start), model=model)
    for step in claim.steps:
        if not isinstance(found, Theorem):
            return found
        found = _stepped(found, step)
    return found


def _stepped(theorem: Theorem, step: Step) -> Answer:
    match step:
        case Put(by):
            return specialised(theorem, {name: replacement(of) for name, of in by.items()})
        case Swap():
            return symmetric(theorem)
        case Inside(hole, context):
            return congruent(theorem, hole, term(context))
        case Lift(index, count, sequences, None):
            return lifted(theorem, index, count, families=sequences)
        case Lift(index, count, sequences, down, across):
            assert down is not None
            places = (asking_matrices.layout(down), asking_matrices.layout(across) if across else None)
            return lifted_block(theorem, index, count, families=sequences, rows=places[0], columns=places[1])
        case Then(second):
            other = prove(asking_matrices.statement(second))
            return transitive(theorem, other) if isinstance(other, Theorem) else other
        case Turn():
            return two_sided(theorem)
        case Make(family, by, sizes):
            becoming = {name: replacement(of) for name, of in sizes.items()}
            return realised(theorem, family, replacement(by), sizes=becoming)
        case Solve(second, initial):
            others = [prove(asking_matrices.statement(premise)) for premise in (second, initial)]
            for other in others:
                if not isinstance(other, Theorem):
                    return other
            return unique_solution(theorem, others[0], others[1])  # type: ignore[arg-type]


def judged_chain(claim: Chain, answer: Answer, chance: Random) -> Judgement:
    """A theorem must say what was predicted and be true; an answer that is none is judged as what it answers."""
    if isinstance(answer, Theorem):
        said = asking_matrices.equation(answer.statement)
        wanted = claim.expected
        other = wanted is not None and (said.left, said.right) != (wanted.left, wanted.right)
        wrong = judging_matrices.another(said) if other else None
        wrong = wrong or judging_matrices.contradiction(answer, said, chance, recipes=claim.recipes)
        return Judgement("proved" if claim.defect is None or wrong else "true by accident", wrong)
    if isinstance(answer, Refuted):
        premise = asking_matrices.equation(answer.statement)
        return judging_matrices.judged(premise, None, answer, chance, recipes=claim.recipes)
    return Judgement(answer.reason)
