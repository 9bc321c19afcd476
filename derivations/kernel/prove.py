"""`prove`: a statement to a Theorem, a Refuted with its point, or an Undecided with its reason."""

from __future__ import annotations

from dataclasses import replace

from derivations.kernel import matrices, search
from derivations.kernel.errors import LimitReached, OutOfFragment, RuleError
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.rules import Rewriting, Rule, rule
from derivations.kernel.search import Model
from derivations.kernel.statement import Hypothesis, Statement
from derivations.kernel.theorem import TOKEN, Answer, Theorem, Undecided


def prove(
    statement: Statement,
    *,
    using: tuple[Theorem, ...] = (),
    idle: tuple[Hypothesis, ...] = (),
    model: Model | None = None,
) -> Answer:
    """Decide a statement.

    Equations among its hypotheses, and the theorems in `using`, are rewrites from left to right. The names of a used theorem
    are quantified; its own hypotheses must stand in the statement. Hypotheses in `idle` are assumed but not rewritten with. `model` gives values under which equational
    hypotheses hold: it serves as the witness, and where the equation fails it may refute. Ill-typed: ShapeError.
    """
    try:
        rewriting = Rewriting(_rules(statement, using, idle))
        context = Context(rewriting if rewriting.rules else None, statement.counts())
        equal = matrices.equal(evaluate(statement.left, context), evaluate(statement.right, context))
    except OutOfFragment as refusal:
        return Undecided(statement, "out of fragment", str(refusal))
    except (LimitReached, RecursionError) as refusal:
        return Undecided(statement, "limit reached", str(refusal) or "the term is nested too deeply")
    if not equal:
        return _not_equal(statement, model)
    used = tuple(t for k, t in enumerate(using) if f"using {k + 1}" in rewriting.uses)
    return _theorem(with_conditions(statement, context), model, rewriting, used)


def _rules(
    statement: Statement, using: tuple[Theorem, ...], idle: tuple[Hypothesis, ...]
) -> tuple[Rule, ...]:
    counts = statement.counts()
    equations = [h for h in statement.hypotheses if h.kind == "equal" and h not in idle]
    rules = [rule(f"hypothesis {k + 1}", (h.left, h.right), h.forall, counts) for k, h in enumerate(equations)]
    for k, theorem in enumerate(using):
        missing = [h for h in theorem.hypotheses if h not in statement.hypotheses]
        if missing:
            raise RuleError("a used theorem has a hypothesis that the statement lacks; add it to the statement")
        known = frozenset[str]().union(*(h_names(h) for h in theorem.hypotheses))
        free = tuple(sorted(theorem.statement.names() - counts - known))
        rules.append(rule(f"using {k + 1}", (theorem.statement.left, theorem.statement.right), free, counts))
    return tuple(rules)


def h_names(hypothesis: Hypothesis) -> frozenset[str]:
    """The free names of a hypothesis: in a used theorem these are held fixed."""
    return Statement(hypothesis.left, hypothesis.right).names() - set(hypothesis.forall)


def with_conditions(statement: Statement, context: Context) -> Statement:
    """The statement with what its evaluation had to assume as further hypotheses."""
    covered = {(h.left, h.forall) for h in statement.hypotheses if h.kind == "positive"}
    new = [c for c in context.conditions if c not in statement.hypotheses and (c.left, c.forall) not in covered]
    return replace(statement, hypotheses=(*statement.hypotheses, *dict.fromkeys(new)))


def _not_equal(statement: Statement, model: Model | None) -> Answer:
    equational = any(h.kind == "equal" for h in statement.hypotheses)
    stored = search.witness(statement, model) if equational else model
    if not equational or stored is not None:
        found = search.refutation(statement, stored)
        if found is not None:
            return found
    return Undecided(statement, "no point found", "the normal forms differ, and no trial point separated the sides")


def _theorem(statement: Statement, model: Model | None, rewriting: Rewriting, used: tuple[Theorem, ...]) -> Answer:
    found = search.witness(statement, model)
    if found is None:
        return Undecided(statement, "no point found", "no point was found at which all hypotheses hold together")
    rewrites = tuple(sorted(rewriting.uses.items()))
    return Theorem(TOKEN, statement, method="prove", witness=found, uses=used, rewrites=rewrites)
