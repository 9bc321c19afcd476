"""`prove`: a statement to a Theorem, a Refuted with its point, or an Undecided with its reason."""

from __future__ import annotations

from dataclasses import replace

from derivations.kernel import matrices, models, search
from derivations.kernel.budget import bounded
from derivations.kernel.errors import FormsDiffer, LimitReached, OutOfFragment, RuleError
from derivations.kernel.evaluate import context_of, evaluate
from derivations.kernel.roles import FUNCTION, Model
from derivations.kernel.rules import Rewriting, Rule, rule
from derivations.kernel.sealed import exact, exact_mapping, exact_tuple
from derivations.kernel.statement import Hypothesis, Statement
from derivations.kernel.terms import Replacement
from derivations.kernel.theorem import TOKEN, Answer, Theorem, Undecided


def prove(
    statement: Statement,
    *,
    using: tuple[Theorem, ...] = (),
    idle: tuple[Hypothesis, ...] = (),
    model: Model | None = None,
) -> Answer:
    """Decide a statement.

    Equations among its hypotheses, and the theorems in `using`, are rewrites from left to right. The names of a used
    theorem are quantified, but for those that its own hypotheses, which must stand in the statement, fix, and for
    counts and indices of ranges, which must be such in the statement too. Hypotheses in `idle` are assumed but not
    rewritten with. `model` gives values under which equational hypotheses hold: it serves as the witness, and where
    the equation fails it may refute. Ill-typed: ShapeError. Premises or a model that do not fit: RuleError, and
    arguments of other types: WrongType.
    """
    exact(statement, Statement, "prove: statement")
    exact_tuple(using, "prove: using", Theorem)
    exact_tuple(idle, "prove: idle", Hypothesis)
    values = None if model is None else exact_mapping(model, Replacement, "prove: model")
    try:
        return _decided(statement, using, idle, values)
    except LimitReached as refusal:
        return Undecided(statement, "limit reached", str(refusal))


@bounded
def _decided(
    statement: Statement, using: tuple[Theorem, ...], idle: tuple[Hypothesis, ...], model: Model | None
) -> Answer:
    try:
        rewriting = Rewriting(_rules(statement, using, idle))
        context = context_of(statement, rewriting if rewriting.rules else None)
        equal = matrices.equal(evaluate(statement.left, context), evaluate(statement.right, context))
    except OutOfFragment as refusal:
        found = search.refutation(statement) if _points_can_tell(statement, refusal) else None
        return found or Undecided(statement, "out of fragment", str(refusal))
    if not equal:
        return _not_equal(statement, model)
    used = tuple(t for k, t in enumerate(using) if f"using {k + 1}" in rewriting.uses)
    return _theorem(with_conditions(statement, context.conditions), model, rewriting, used)


def _points_can_tell(statement: Statement, refusal: OutOfFragment) -> bool:
    """Only the forms of matrices stood in the way, so points can tell; there functions are not checked."""
    return isinstance(refusal, FormsDiffer) and not any(r == FUNCTION for r in statement.used.roles.values())


def _rules(statement: Statement, using: tuple[Theorem, ...], idle: tuple[Hypothesis, ...]) -> tuple[Rule, ...]:
    counts = statement.counts()
    equations = [h for h in statement.hypotheses if h.kind == "equal" and h not in idle]
    rules = [rule(f"hypothesis {k + 1}", (h.left, h.right), h.forall, counts) for k, h in enumerate(equations)]
    for k, theorem in enumerate(using):
        known = theorem.statement
        if not set(known.hypotheses) <= set(statement.hypotheses):
            raise RuleError("a used theorem has a hypothesis that the statement lacks; add it to the statement")
        if not (set(known.ranges) <= set(statement.ranges) and known.counts() <= counts):
            raise RuleError("a used theorem has a count or a range that the statement lacks; specialise it first")
        roles = statement.used.roles
        if any(roles.get(name, role) != role for name, role in known.used.roles.items()):
            raise RuleError("a used theorem gives a name of the statement another size or meaning; specialise it first")
        fixed = counts | known.indices().union(*(h.names() for h in known.hypotheses))
        free = tuple(sorted(known.names() - fixed))
        rules.append(rule(f"using {k + 1}", (known.left, known.right), free, counts))
    return tuple(rules)


def with_conditions(statement: Statement, conditions: list[Hypothesis]) -> Statement:
    """The statement with what its evaluation had to assume as further hypotheses."""
    covered = {(h.left, h.forall) for h in statement.hypotheses if h.kind == "positive"}
    new = [c for c in conditions if c not in statement.hypotheses and (c.left, c.forall) not in covered]
    return replace(statement, hypotheses=(*statement.hypotheses, *dict.fromkeys(new))) if new else statement


def _not_equal(statement: Statement, model: Model | None) -> Answer:
    equational = any(h.kind == "equal" for h in statement.hypotheses)
    stored = models.witness(statement, model) if equational else None
    found = search.refutation(statement, stored) or (search.refutation(statement) if stored else None)
    return found or Undecided(
        statement, "no point found", "the normal forms differ, and no trial point separated the sides"
    )


def _theorem(statement: Statement, model: Model | None, rewriting: Rewriting, used: tuple[Theorem, ...]) -> Answer:
    found = models.witness(statement, model)
    if found is None:
        return Undecided(statement, "no point found", "no point was found at which all hypotheses hold together")
    rewrites = tuple(sorted(rewriting.uses.items()))
    return Theorem(TOKEN, statement, method="prove", witness=found, uses=used, rewrites=rewrites)
