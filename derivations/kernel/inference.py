"""Rules that make theorems from theorems; each checks the form of its premises and names the lemma it cites.

substitution, lifting to sums and to block matrices, transitivity, a rotation family made real, and two cited lemmas: a
linear initial value problem has one solution, and a one-sided inverse of a square matrix is two-sided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from derivations.kernel import matrices, search
from derivations.kernel import quotients as q
from derivations.kernel.errors import OutOfFragment, RuleError
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.matrices import Blocked, Dense
from derivations.kernel.prove import prove, with_conditions
from derivations.kernel.quotients import Quotient
from derivations.kernel.search import Model
from derivations.kernel.shapes import shape, shown
from derivations.kernel.statement import Hypothesis, Range, Statement, replaced
from derivations.kernel.terms import (
    Add,
    Block,
    Derivative,
    Family,
    Function,
    Identity,
    IndexedSum,
    Layout,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
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


def _made(statement: Statement, method: str, premises: tuple[Theorem, ...], *, model: Model | None = None) -> Theorem:
    found = search.witness(statement, model)
    if found is None:
        raise RuleError(f"{method}: no point was found at which the hypotheses of the result hold; give a model")
    lemmas = {"unique_solution": "linear-ode-uniqueness", "two_sided": "square-inverse"}
    cited = frozenset([lemmas[method]]) if method in lemmas else frozenset[str]()
    return Theorem(TOKEN, statement, method=method, witness=found, uses=premises, lemmas=cited)


def _joined(*parts: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
    return tuple(dict.fromkeys(h for part in parts for h in part))


def transitive(first: Theorem, second: Theorem, *, model: Model | None = None) -> Theorem:
    """From a = b and b = c, a = c."""
    a, b = first.statement, second.statement
    if a.right != b.left or a.ranges != b.ranges:
        raise RuleError("transitivity needs the right side of the first to be the left side of the second")
    joined = Statement(a.left, b.right, _joined(a.hypotheses, b.hypotheses), a.ranges)
    return _made(joined, "transitive", (first, second), model=model)


def symmetric(theorem: Theorem) -> Theorem:
    """From a = b, b = a."""
    s = theorem.statement
    turned = Statement(s.right, s.left, s.hypotheses, s.ranges)
    return _made(turned, "symmetric", (theorem,), model=theorem.witness)


def congruent(theorem: Theorem, hole: str, context: Term, *, model: Model | None = None) -> Theorem:
    """From a = b, C[a] = C[b]: both sides are put for the name `hole` of a term; a binder of C may not capture."""
    s = theorem.statement
    sides = [substituted(context, {hole: Replacement((), side)}) for side in (s.left, s.right)]
    put = Statement(sides[0], sides[1], s.hypotheses, s.ranges)
    return _made(put, "congruent", (theorem,), model=model or theorem.witness)


def specialised(theorem: Theorem, by: Mapping[str, Replacement], *, model: Model | None = None) -> Theorem:
    """The theorem with real terms put for free names.

    What the terms need to be defined becomes a hypothesis; a hypothesis that holds for them on sight is discharged.
    """
    statement = _discharged(replaced(theorem.statement, by))
    context = Context(counts=statement.counts())
    for name, new in by.items():
        _check_replacement(theorem.statement, name, new, context)
    return _made(with_conditions(statement, context), "specialised", (theorem,), model=model)


def _discharged(statement: Statement) -> Statement:
    """The statement without the hypotheses that the kernel proves for all values."""
    counts = statement.counts()
    kept = tuple(h for h in statement.hypotheses if not search.holds_always(h, counts))
    return replace(statement, hypotheses=kept)


def _check_replacement(statement: Statement, name: str, new: Replacement, context: Context) -> None:
    if name in statement.counts():
        whole = isinstance(new.body, Number) and new.body.im == 0 and new.body.re.denominator == 1 and new.body.re >= 1
        if not (whole or isinstance(new.body, Symbol)):
            raise RuleError(f"{name} counts something; only a positive integer or another name may be put for it")
        return
    nodes = [node for side in statement.terms() for node in walk(side)]
    if any(isinstance(node, MatrixFamily) and node.name == name for node in nodes):
        raise RuleError(f"{name} is a matrix family; use `realised`, which proves the axioms of the family")
    for node in nodes:
        if isinstance(node, MatrixSymbol) and node.name == name and shape(node) != shape(new.body):
            raise RuleError(f"{name} is {shown(shape(node))}, the term put for it is {shown(shape(new.body))}")
    inner = Context(counts=context.counts, bound=new.parameters)
    if not _real(evaluate(new.body, inner)):
        raise RuleError(f"{name} stands for a real quantity; the term put for it is not real on sight")
    context.conditions.extend(c for c in inner.conditions if c not in context.conditions)


def _real(value: matrices.AnyValue) -> bool:
    match value:
        case Quotient():
            return q.equal(value, q.conjugate(value))
        case Dense(rows) | Blocked(_, _, _, rows):
            return all(q.equal(e, q.conjugate(e)) for row in rows for e in row)
        case _:
            return all(q.equal(c, q.conjugate(c)) for c in value.terms.values())


def lifted(theorem: Theorem, index: str, count: str, *, families: tuple[str, ...], model: Model | None = None) -> Theorem:
    """A theorem about one group as a theorem about the sum over all groups i = 0..count-1, for every count.

    The symbols in `families` become members at i of sequences of the same name; hypotheses are then assumed for every i.
    """
    left, right, hypotheses = _indexed(theorem, index, count, families)
    over = Symbol(count)
    statement = Statement(IndexedSum(index, over, left), IndexedSum(index, over, right), hypotheses)
    return _made(statement, "lifted", (theorem,), model=model)


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
    s = theorem.statement
    used = s.names() | s.indices() | {name for h in s.hypotheses for name in h.forall}
    if s.ranges or index in used or count in families or index == count:
        raise RuleError(f"lifting over {index} would capture {index} or nest ranges; rename the index")
    by = {name: Replacement((), Family(name, Symbol(index))) for name in families}
    fixed = Statement(s.left, s.right, s.hypotheses)
    put = replaced(fixed, by)
    quantified = tuple(replace(h, forall=(*h.forall, index)) if index in free_names(h.left) | free_names(h.right) else h for h in put.hypotheses)
    return put.left, put.right, quantified


def unique_solution(left: Theorem, right: Theorem, initial: Theorem, *, model: Model | None = None) -> Theorem:
    """From L' = a L, R' = a R and L(0) = R(0), L = R: a linear initial value problem has one solution (cited)."""
    by, factor = _growth(left)
    if _growth(right) != (by, factor) or by in free_names(factor):
        raise RuleError("both sides must satisfy one equation y' = a y with a constant a in the same variable")
    sides = [_derived(left).body, _derived(right).body]
    at_zero = {by: Replacement((), number(0))}
    if [initial.statement.left, initial.statement.right] != [substituted(side, at_zero) for side in sides]:
        raise RuleError(f"the initial values must be both sides at {by} = 0, in order")
    hypotheses = _joined(left.hypotheses, right.hypotheses, initial.hypotheses)
    if any(by in free_names(h.left) | free_names(h.right) and by not in h.forall for h in hypotheses):
        raise RuleError(f"a hypothesis restricts {by}; the equations must hold for all its values")
    return _made(Statement(sides[0], sides[1], hypotheses), "unique_solution", (left, right, initial), model=model)


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


def two_sided(theorem: Theorem, *, model: Model | None = None) -> Theorem:
    """From A B = I for square A, B A = I: a one-sided inverse of a square matrix is two-sided (cited)."""
    match theorem.statement:
        case Statement(Multiply((a, b)), Identity(size)) if shape(a) == shape(b) == (size, size):
            turned = Statement(Multiply((b, a)), Identity(size), theorem.hypotheses, theorem.statement.ranges)
            return _made(turned, "two_sided", (theorem,), model=model or theorem.witness)
    raise RuleError("wanted a theorem A * B = I between square matrices, two factors")


def realised(
    theorem: Theorem, name: str, by: Replacement, *, sizes: Mapping[str, Replacement], model: Model | None = None
) -> Theorem:
    """A theorem about every rotation family, said of a definite one; the three axioms are proved for it here.

    `by` has one parameter and a square matrix as body; `sizes` says what the named sizes become.
    """
    nodes = [n for side in theorem.statement.terms() for n in walk(side)]
    if any(isinstance(n, MatrixFamily) and n.name == name and n.kind != "rotation" for n in nodes):
        raise RuleError(f"{name} is not a rotation family")
    (parameter,) = by.parameters
    a, b = Symbol("anglea"), Symbol("angleb")
    if {a.name, b.name, parameter} & (free_names(by.body) - {parameter}):
        raise RuleError("the definite family may not use the names anglea, angleb")

    def at(argument: Term) -> Term:
        return substituted(by.body, {parameter: Replacement((), argument)})

    unit = Identity(shape(by.body)[0])
    axioms = (
        Statement(Multiply((at(a), at(b))), at(Add((a, b)))),
        Statement(Transpose(at(a)), at(Multiply((number(-1), a)))),
        Statement(at(number(0)), unit),
    )
    proofs = [prove(axiom) for axiom in axioms]
    if not all(isinstance(p, Theorem) for p in proofs):
        raise RuleError(f"the axioms of a rotation family do not all hold for the matrix put for {name}")
    shown_axioms = tuple(p for p in proofs if isinstance(p, Theorem))
    if any(isinstance(n, MatrixFamily) and n.name != name for n in nodes) and not sizes:
        raise OutOfFragment("sizes of the other families are not given")
    statement = replaced(theorem.statement, {**sizes, name: by})
    hypotheses = _joined(statement.hypotheses, *(p.hypotheses for p in shown_axioms))
    full = replace(statement, hypotheses=hypotheses)
    return _made(full, "realised", (theorem, *shown_axioms), model=model)


__all__ = ["lifted", "lifted_block", "realised", "specialised", "symmetric", "transitive", "two_sided", "unique_solution"]
