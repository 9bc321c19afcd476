"""Values under which hypotheses hold: the witness of a theorem, and the model that a refutation under equations needs.

A witness shows that the hypotheses of a theorem hold together somewhere, so that no theorem is vacuous. Equations are
checked exactly, by the normal forms, never by balls; inequalities on sight or by balls. What is put for a name keeps
its meaning (`roles`), so a real name is never made imaginary, nor a count zero, to satisfy a hypothesis.

Not complete: without a given model only small constants are tried, so a theorem whose hypotheses hold only elsewhere,
or that needs functions or matrices in an equation, is `undecided` until a model is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

from derivations.kernel import matrices, roles
from derivations.kernel import quotients as q
from derivations.kernel.budget import spend
from derivations.kernel.errors import KernelError, OutOfFragment, RuleError
from derivations.kernel.evaluate import (
    Context,
    affine_index,
    context_of,
    evaluate,
    evidently_nonzero,
    evidently_positive,
    scalar,
)
from derivations.kernel.points import Point, ball_at, small_rational
from derivations.kernel.roles import Model, Names, whole
from derivations.kernel.statement import Hypothesis, Statement, replaced
from derivations.kernel.terms import (
    Function,
    Identity,
    Matrix,
    MatrixFamily,
    Replacement,
    Size,
    Symbol,
    constant,
    number,
    resized,
    walk,
)

TRIALS = 96
CANDIDATES = (Fraction(1), Fraction(0), Fraction(3, 5), Fraction(4, 5), Fraction(-1), Fraction(2))


def check_replacements(statement: Statement, by: Model) -> list[Hypothesis]:
    """Refuse with a RuleError what changes the meaning of a name; return what the terms need in order to be defined."""
    names = statement.used
    context = context_of(statement)
    for name, new in by.items():
        if name in statement.counts():
            if new.parameters or not (whole(new.body, least=1) or isinstance(new.body, Symbol)):
                raise RuleError(f"{name} counts something; only a positive integer or another name may be put for it")
        elif name in names.sizes:
            resized(Size(1, name), by)
        elif name in names.roles:
            _check_meaning(name, new, names, by, context)
    return context.conditions


def _check_meaning(name: str, new: Replacement, names: Names, by: Model, context: Context) -> None:
    role = names.roles[name]
    roles.check_form(name, new, role, by)
    if role.kind == "rotation" and not isinstance(new.body, Identity):  # the identity alone is a rotation on sight
        raise RuleError(f"{name} is a rotation family; use `realised`, which proves the axioms of the family")
    inner = Context(counts=context.counts - set(new.parameters), bound=new.parameters)
    if not matrices.is_real(evaluate(new.body, inner)):
        raise RuleError(f"{name} stands for a real quantity; the term put for it is not real on sight")
    if any(c.forall for c in inner.conditions):
        raise RuleError(f"the term put for {name} is not defined for all values of {', '.join(new.parameters)}")
    if role.kind in ("function", "free") and roles.names_of([new.body]).indexed & set(new.parameters):
        raise RuleError(f"{name} takes every real argument; the term put for it takes integers only")
    if name in names.indexed:
        try:
            affine_index(new.body, Context())
        except OutOfFragment as refusal:
            raise RuleError(f"{name} stands in an index: {refusal}") from None
    context.conditions.extend(c for c in inner.conditions if c not in context.conditions)


def witness(statement: Statement, model: Model | None = None) -> dict[str, Replacement] | None:
    """Values under which all hypotheses hold: from the model, or small constants; None when none was found.

    RuleError for a model that gives a name what it cannot stand for.
    """
    if model is not None and check_replacements(statement, model):
        raise RuleError("a model must give values that are defined without further conditions")
    for equations in _equation_models(statement, model):
        found = _inequality_model(statement, equations)
        if found is not None:
            return found
    return None


def _equation_models(statement: Statement, model: Model | None) -> Iterator[dict[str, Replacement]]:
    equations = [h for h in statement.hypotheses if h.kind == "equal"]
    names = {} if model is not None else _assignable(statement, equations)
    if names is None or len(names) > 4:
        return
    for values in product(*names.values()):
        spend(statement.nodes() // 4 + 1)
        tried = {**(model or {}), **dict(zip(names, values, strict=True))}
        if (not tried or _in_ranges(statement, tried)) and all(
            holds_exactly(h, tried, statement.counts()) for h in equations
        ):
            yield tried


def _assignable(statement: Statement, equations: list[Hypothesis]) -> dict[str, list[Replacement]] | None:
    """The names in some equations with what is tried; None where functions or matrices need a given model."""
    nodes = [node for h in equations for side in (h.left, h.right) for node in walk(side)]
    if any(isinstance(node, (Function, MatrixFamily)) for node in nodes):
        return None
    names = statement.used
    wanted = frozenset[str]().union(*(h.names() for h in equations))
    return {n: _tried(n, names, statement) for n in sorted(wanted) if names.roles[n].kind in ("symbol", "family")}


def _tried(name: str, names: Names, statement: Statement) -> list[Replacement]:
    if name in statement.indices():
        return [constant(0)]
    parameters = ("i",) if names.roles[name] == roles.FAMILY else ()
    least = 1 if name in statement.counts() | names.sizes else -1
    integral = name in statement.counts() | names.sizes | names.indexed
    return [
        Replacement(parameters, number(x)) for x in CANDIDATES if not integral or (x >= least and x.denominator == 1)
    ]


def _in_ranges(statement: Statement, model: Model) -> bool:
    """Do the indices that the model gives lie in their ranges?"""
    try:
        replaced(statement, model)
    except KernelError:
        return False
    return True


def holds_exactly(hypothesis: Hypothesis, model: Model, counts: frozenset[str]) -> bool:
    """Does the equation hold under the model for all remaining names? Decided by the normal forms."""
    context = Context(counts=counts - set(hypothesis.forall))
    try:
        put = hypothesis.put(model)
        return matrices.equal(evaluate(put.left, context), evaluate(put.right, context)) and not context.conditions
    except KernelError:
        return False


def holds_always(hypothesis: Hypothesis, counts: frozenset[str], indices: frozenset[str] = frozenset()) -> bool:
    """Is the hypothesis true on sight for all values of its names?"""
    if hypothesis.kind == "equal":
        return holds_exactly(hypothesis, {}, counts)
    quantified = set(hypothesis.forall)
    context = Context(counts=counts - quantified, indices=indices | quantified)
    try:
        value = scalar(hypothesis.left, context)
    except KernelError:
        return False
    if context.conditions:
        return False
    if hypothesis.kind == "nonnegative" and value == q.ZERO:
        return True
    return evidently_positive(value, context) or (hypothesis.kind == "nonzero" and evidently_nonzero(value, context))


def _inequality_model(statement: Statement, equations: dict[str, Replacement]) -> dict[str, Replacement] | None:
    """The equations' model, extended to the names of the inequalities."""
    hypotheses = [h for h in statement.hypotheses if h.kind != "equal"]
    if not hypotheses:
        return equations
    names = statement.used
    wanted = frozenset[str]().union(*(h.names() for h in hypotheses)) - equations.keys()
    for seed in range(TRIALS):
        spend(statement.nodes() // 4 + 1)
        draw = Random(seed)
        model = dict(equations)
        for name in sorted(wanted, key=lambda n: (names.roles[n] != roles.SYMBOL, n)):  # sizes before matrices
            model[name] = _drawn(name, names, statement, model, draw=draw, seed=seed)
        if all(_certain(h, model, statement) for h in hypotheses):
            return model
    return None


def _drawn(name: str, names: Names, statement: Statement, model: Model, *, draw: Random, seed: int) -> Replacement:
    role = names.roles[name]
    if name in statement.indices():
        return constant(0)
    if name in statement.counts() | names.sizes:
        return constant(1 + draw.randrange(3))
    if role.kind in ("symbol", "family", "function"):
        value = Fraction(1 + draw.randrange(3)) if seed % 2 == 0 else small_rational(draw, seed)
        whole_value = Fraction(int(value)) if name in names.indexed else value
        return Replacement(() if role.kind == "symbol" else ("i",), number(whole_value))
    rows, columns = (resized(s or Size(1), model) for s in (role.rows, role.columns))
    if role.kind == "rotation":
        return Replacement(("i",), Identity(rows))
    spend(rows.multiple * columns.multiple)
    entries = tuple(tuple(number(draw.randint(-2, 3)) for _ in range(columns.multiple)) for _ in range(rows.multiple))
    return Replacement(() if role.kind == "matrix" else ("i",), Matrix(entries))


def _certain(hypothesis: Hypothesis, model: Model, statement: Statement) -> bool:
    try:
        put = hypothesis.put(model)
        if holds_always(put, statement.counts()):
            return True
        ball = ball_at(put.left, Point({}, {}, {}))
    except (KernelError, KeyError, ZeroDivisionError):
        return False
    return ball.excludes_zero() if hypothesis.kind == "nonzero" else ball.is_positive()
