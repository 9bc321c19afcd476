"""Rules that make theorems from theorems; each checks the form of its premises and names the lemma it cites.

Substitution, congruence, lifting to sums and to block matrices, transitivity, a rotation family made real, and two
cited lemmas: a linear initial value problem has one solution, and a one-sided inverse of a square matrix is two-sided.

Sound: what a rule puts for a name keeps the meaning of the name (`roles`, `models`), what it needs in order to be
defined becomes a hypothesis, the hypotheses of all premises are kept or proved, and a name that counts something in a
premise still counts something in the result. Not complete: a result whose hypotheses have no small witness needs a
model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from derivations.kernel import matrices, models
from derivations.kernel.budget import bounded
from derivations.kernel.errors import RuleError
from derivations.kernel.evaluate import Context, context_of, evaluate
from derivations.kernel.prove import prove, with_conditions
from derivations.kernel.roles import SYMBOL, Model, check_form, names_of
from derivations.kernel.sealed import exact, exact_mapping, exact_tuple, inside_of
from derivations.kernel.shapes import shape
from derivations.kernel.statement import Hypothesis, Statement, replaced
from derivations.kernel.terms import (
    Add,
    Block,
    Derivative,
    Family,
    Identity,
    IndexedSum,
    Layout,
    Matrix,
    MatrixFamily,
    Multiply,
    Replacement,
    Symbol,
    Term,
    Transpose,
    free_names,
    number,
    substituted,
    walk,
)
from derivations.kernel.theorem import TOKEN, Theorem


def _premise(theorem: object) -> Statement:
    """The statement of a premise, which must be a theorem of this kernel and not something that looks like one."""
    return exact(theorem, Theorem, "a premise").statement


def _made(
    statement: Statement,
    method: str,
    premises: tuple[Theorem, ...],
    *,
    by: Mapping[str, Replacement] | None = None,
    model: Model | None = None,
) -> Theorem:
    for premise in premises:
        _check_integers(premise.statement, by or {}, statement, method)
    same = model is None and _supposed(statement) == _supposed(premises[0].statement)
    given = None if model is None else exact_mapping(model, Replacement, f"{method}: model")
    found = premises[0].witness if same else models.witness(statement, given)
    if found is None:
        raise RuleError(f"{method}: no point was found at which the hypotheses of the result hold; give a model")
    lemmas = {"unique_solution": "linear-ode-uniqueness", "two_sided": "square-inverse"}
    cited = frozenset([lemmas[method]]) if method in lemmas else frozenset[str]()
    return Theorem(TOKEN, statement, method=method, witness=found, uses=premises, lemmas=cited)


def _supposed(s: Statement) -> tuple[object, ...]:
    """What a witness must satisfy: a real number that has become an index, a count or a size needs another one."""
    return s.hypotheses, s.ranges, s.counts() | s.used.sizes, s.integral()


def _check_integers(premise: Statement, by: Mapping[str, Replacement], result: Statement, method: str) -> None:
    """What a premise says of integers must not become a statement about real numbers.

    A name that counts, or is a size, stays one or becomes a positive integer; a name that is an index stays an integer.
    """
    counting = premise.counts() | premise.used.sizes
    for name in premise.integral():
        body = by[name].body if name in by else Symbol(name)
        kept = result.counts() | result.used.sizes if name in counting else result.integral()
        if (free_names(body) & result.names()) - kept:
            raise RuleError(f"{method}: {name} is an integer in a premise and would become any real number")


def _joined(*parts: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
    return tuple(dict.fromkeys(h for part in parts for h in part))


@bounded
def transitive(first: Theorem, second: Theorem, *, model: Model | None = None) -> Theorem:
    """From a = b and b = c, a = c."""
    a, b = _premise(first), _premise(second)
    if a.right != b.left or a.ranges != b.ranges:
        raise RuleError("transitivity needs the right side of the first to be the left side of the second")
    joined = Statement(a.left, b.right, _joined(a.hypotheses, b.hypotheses), a.ranges)
    return _made(joined, "transitive", (first, second), model=model)


@bounded
def symmetric(theorem: Theorem) -> Theorem:
    """From a = b, b = a."""
    s = _premise(theorem)
    turned = Statement(s.right, s.left, s.hypotheses, s.ranges)
    return _made(turned, "symmetric", (theorem,))


@bounded
def congruent(theorem: Theorem, hole: str, context: Term, *, model: Model | None = None) -> Theorem:
    """From a = b, C[a] = C[b]: both sides are put for the name `hole` of a term; a binder of C may not capture.

    What the sides need in order to be defined becomes a hypothesis.
    """
    s = _premise(theorem)
    inside_of(context, "congruent: context")
    exact(hole, str, "congruent: hole")
    sides = [substituted(context, {hole: Replacement((), side)}) for side in (s.left, s.right)]
    put = Statement(sides[0], sides[1], s.hypotheses, s.ranges)
    found = context_of(put)
    for side in sides:
        evaluate(side, found)
    return _made(with_conditions(put, found.conditions), "congruent", (theorem,), model=model)


@bounded
def specialised(theorem: Theorem, by: Mapping[str, Replacement], *, model: Model | None = None) -> Theorem:
    """The theorem with real terms put for free names.

    What the terms need to be defined becomes a hypothesis; a hypothesis that holds for them on sight is discharged.
    """
    s, put = _premise(theorem), exact_mapping(by, Replacement, "specialised: by")
    for family in (n for side in s.terms() for n in walk(side) if isinstance(n, MatrixFamily)):
        if family.name in put:
            raise RuleError(f"{family.name} is a matrix family; use `realised`, which proves the axioms of the family")
    conditions = models.check_replacements(s, put)
    statement = _discharged(replaced(s, put))
    return _made(with_conditions(statement, conditions), "specialised", (theorem,), by=put, model=model)


def _discharged(statement: Statement) -> Statement:
    """The statement without the hypotheses that the kernel proves for all values that the sides allow.

    If they alone say that a name counts something, they stay.
    """
    counts = Statement(statement.left, statement.right, ranges=statement.ranges).counts()
    kept = tuple(h for h in statement.hypotheses if not models.holds_always(h, counts, statement.indices()))
    result = replace(statement, hypotheses=kept)
    return statement if statement.integral() & result.names() - result.integral() else result


@bounded
def lifted(
    theorem: Theorem, index: str, count: str, *, families: tuple[str, ...], model: Model | None = None
) -> Theorem:
    """A theorem about one group as a theorem about the sum over all groups i = 0..count-1, for every count.

    The symbols in `families` become members at i of sequences of the same name; hypotheses are assumed for every i.
    """
    left, right, hypotheses = _indexed(theorem, index, count, families)
    over = Symbol(count)
    statement = Statement(IndexedSum(index, over, left), IndexedSum(index, over, right), hypotheses)
    return _made(statement, "lifted", (theorem,), model=model)


@bounded
def lifted_block(
    theorem: Theorem,
    index: str,
    count: str,
    *,
    families: tuple[str, ...],
    rows: Layout,
    columns: Layout | None,
    model: Model | None = None,
) -> Theorem:
    """A theorem about explicit matrices of one group as a theorem about block matrices, for every count."""
    left, right, hypotheses = _indexed(theorem, index, count, families)
    if not (isinstance(left, Matrix) and isinstance(right, Matrix)):
        raise RuleError("lifting to blocks needs an equation between explicit matrices; evaluate the products first")
    over = Symbol(count)
    sides = [Block(index, over, rows, columns, side.rows) for side in (left, right)]
    return _made(Statement(sides[0], sides[1], hypotheses), "lifted", (theorem,), model=model)


def _indexed(
    theorem: Theorem, index: str, count: str, families: tuple[str, ...]
) -> tuple[Term, Term, tuple[Hypothesis, ...]]:
    s = _premise(theorem)
    for name in (index, count, *exact_tuple(families, "lifted: families")):
        exact(name, str, "lifted: a name")
    used = s.names() | s.indices() | {name for h in s.hypotheses for name in h.forall}
    if s.ranges or index in used or count in families or index == count:
        raise RuleError(f"lifting over {index} would capture {index} or nest ranges; rename the index")
    names = s.used
    if any(names.roles.get(name) != SYMBOL or name in s.counts() | names.sizes | names.indexed for name in families):
        raise RuleError(
            "only real numbers of the theorem, no counts, sizes or indices, can become members of sequences"
        )
    by = {name: Replacement((), Family(name, Symbol(index))) for name in families}
    fixed = Statement(s.left, s.right, s.hypotheses)
    put = replaced(fixed, by)
    quantified = tuple(replace(h, forall=(*h.forall, index)) if index in h.names() else h for h in put.hypotheses)
    return put.left, put.right, quantified


@bounded
def unique_solution(left: Theorem, right: Theorem, initial: Theorem, *, model: Model | None = None) -> Theorem:
    """From L' = a L, R' = a R and L(0) = R(0), L = R: a linear initial value problem has one solution (cited)."""
    for premise in (left, right, initial):
        _premise(premise)
    by, factor = _growth(left)
    if _growth(right) != (by, factor) or by in free_names(factor):
        raise RuleError("both sides must satisfy one equation y' = a y with a constant a in the same variable")
    sides = [_derived(left).body, _derived(right).body]
    at_zero = {by: Replacement((), number(0))}
    if [initial.statement.left, initial.statement.right] != [substituted(side, at_zero) for side in sides]:
        raise RuleError(f"the initial values must be both sides at {by} = 0, in order")
    ranges = left.statement.ranges
    if not ranges == right.statement.ranges == initial.statement.ranges:
        raise RuleError("the three premises must be claimed for the same ranges of indices")
    hypotheses = _joined(left.hypotheses, right.hypotheses, initial.hypotheses)
    if any(by in h.names() for h in hypotheses):
        raise RuleError(f"a hypothesis restricts {by}; the equations must hold for all its values")
    result = Statement(sides[0], sides[1], hypotheses, ranges)
    return _made(result, "unique_solution", (left, right, initial), model=model)


def _derived(theorem: Theorem) -> Derivative:
    if not isinstance(theorem.statement.left, Derivative):
        raise RuleError("wanted an equation whose left side is a derivative")
    return theorem.statement.left


def _growth(theorem: Theorem) -> tuple[str, Term]:
    """(x, a) of the equation d/dx y = a y."""
    slope = _derived(theorem)
    match theorem.statement.right:
        case Multiply((factor, body)) if body == slope.body:
            return slope.by, factor
    raise RuleError("wanted an equation of the form d/dx y = a * y, the factor first")


@bounded
def two_sided(theorem: Theorem, *, model: Model | None = None) -> Theorem:
    """From A B = I for square A, B A = I: a one-sided inverse of a square matrix is two-sided (cited)."""
    match _premise(theorem):
        case Statement(Multiply((a, b)), Identity(size)) if shape(a) == shape(b) == (size, size):
            turned = Statement(Multiply((b, a)), Identity(size), theorem.hypotheses, theorem.statement.ranges)
            return _made(turned, "two_sided", (theorem,), model=model)
    raise RuleError("wanted a theorem A * B = I between square matrices, two factors")


@bounded
def realised(
    theorem: Theorem, name: str, by: Replacement, *, sizes: Mapping[str, Replacement], model: Model | None = None
) -> Theorem:
    """A theorem about every rotation family, said of a definite one; the three axioms are proved for it here.

    `by` has one parameter and a square matrix as body; `sizes` says what the named sizes become.
    """
    s, put = _premise(theorem), exact_mapping(sizes, Replacement, "realised: sizes")
    exact(by, Replacement, "realised: by")
    names = s.used
    role = names.roles.get(exact(name, str, "realised: name"))
    if role is None or role.kind != "rotation":
        raise RuleError(f"{name} is not a rotation family of the theorem")
    if not put.keys() <= names.sizes:
        raise RuleError(
            f"`sizes` is for sizes alone: {', '.join(sorted(names.sizes))}; `specialised` replaces other names"
        )
    models.check_replacements(s, put)
    check_form(name, by, role, put)
    axioms = _rotation_axioms(name, by)
    statement = replaced(s, {**put, name: by})
    hypotheses = _joined(statement.hypotheses, *(p.hypotheses for p in axioms))
    full = replace(statement, hypotheses=hypotheses)
    return _made(full, "realised", (theorem, *axioms), by={**put, name: by}, model=model)


def _rotation_axioms(name: str, by: Replacement) -> tuple[Theorem, ...]:
    """R(a) R(b) = R(a + b), R(a)^T = R(-a) and R(0) = I, for all a and b."""
    (parameter,) = by.parameters
    a, b = Symbol("anglea"), Symbol("angleb")
    if {a.name, b.name} & free_names(by.body) or parameter in names_of([by.body]).indexed:
        raise RuleError("the definite family takes every real angle, and may not use the names anglea, angleb")

    def at(argument: Term) -> Term:
        return substituted(by.body, {parameter: Replacement((), argument)})

    axioms = (
        Statement(Multiply((at(a), at(b))), at(Add((a, b)))),
        Statement(Transpose(at(a)), at(Multiply((number(-1), a)))),
        Statement(at(number(0)), Identity(shape(by.body)[0])),
    )
    proofs = [proof for proof in map(prove, axioms) if isinstance(proof, Theorem)]
    if len(proofs) < len(axioms) or any({a.name, b.name} & h.names() for p in proofs for h in p.hypotheses):
        raise RuleError(
            f"the axioms of a rotation family do not all hold, at every angle, for the matrix put for {name}"
        )
    if not matrices.is_real(evaluate(at(a), Context())):
        raise RuleError(f"the matrix put for {name} is not real on sight")
    return tuple(proofs)


__all__ = [
    "lifted",
    "lifted_block",
    "realised",
    "specialised",
    "symmetric",
    "transitive",
    "two_sided",
    "unique_solution",
]
