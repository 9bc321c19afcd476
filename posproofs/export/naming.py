"""Finding defined names in terms: R_(n-m) for a block matrix of cosines of (n-m) theta_i.

A definition is matched by its form; where SymPy has rewritten the form (sin(-a) became -sin a), candidates for the
argument are read off the angles and the kernel decides which of them, if any, is right. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from derivations.kernel import RuleError
from derivations.kernel import terms as t
from derivations.kernel.shapes import shape
from derivations.kernel.terms import Term, children, free_names, number, rebuilt
from posproofs.export.building import CONVENTIONAL, Naming, Order, build, nameless
from posproofs.export.faithful import means
from posproofs.export.tree import Defined, Definition

Found = Mapping[str, Term]


def named_by(definitions: Sequence[Definition], order: Order = CONVENTIONAL) -> Naming:
    """The naming that puts the first fitting definition for each matrix."""

    def naming(term: Term) -> Defined | None:
        fitting = (instance(definition, term, order) for definition in definitions)
        return next((found for found in fitting if found is not None), None)

    return naming


def instance(definition: Definition, term: Term, order: Order = CONVENTIONAL) -> Defined | None:
    """The definition with the arguments that make it the term; None where there are none."""
    if type(definition.body) is not type(term) or shape(definition.body) != shape(term):
        return None
    for candidate in _candidates(definition, term):
        if definition.style == "sequence" and not all(map(free_names, candidate.values())):
            continue  # base^(-1/h) in a product is a number of its own, not member 1 of the frequencies
        arguments = tuple(build(candidate[name], nameless, order) for name in definition.parameters)
        found = Defined(definition, arguments)
        if _means(found, term):
            return found
    return None


def _means(found: Defined, term: Term) -> bool:
    try:
        return means(found, term)
    except RuleError:  # the argument would be captured by the index of the body
        return False


def _candidates(definition: Definition, term: Term) -> Iterator[Found]:
    names = frozenset(definition.parameters)
    matched = match(definition.body, term, names)
    if matched is not None and names <= matched.keys():
        yield matched
        return
    if len(definition.parameters) != 1:
        return
    (name,) = definition.parameters
    angles = dict.fromkeys(_cofactors(definition.body, term, name))
    for angle in (*angles, *(t.Multiply((number(-1), angle)) for angle in angles)):
        yield {name: angle}
    if not angles:
        yield {name: number(0)}


def match(pattern: Term, term: Term, names: frozenset[str]) -> dict[str, Term] | None:
    """What the names stand for if the term has the form of the pattern, part by part; None if it has not."""
    if isinstance(pattern, t.Symbol) and pattern.name in names:
        return {pattern.name: term}
    if type(pattern) is not type(term) or _skeleton(pattern) != _skeleton(term):
        return None
    found: dict[str, Term] = {}
    for part, other in zip(children(pattern), children(term), strict=True):
        inner = match(part, other, names)
        if inner is None or any(found.get(name, value) != value for name, value in inner.items()):
            return None
        found |= inner
    return found


def _skeleton(term: Term) -> Term:
    """A node without what its parts say: the same for two nodes that differ in their parts alone."""
    return rebuilt(term, tuple(number(0) for _ in children(term)))


def _cofactors(body: Term, term: Term, name: str) -> Iterator[Term]:
    """a for every product a*w in the term, where the body has name*w."""
    rests = {_without(node, t.Symbol(name)) for node in t.walk(body) if isinstance(node, t.Multiply)}
    for node in t.walk(term):
        if isinstance(node, t.Multiply):
            yield from (left for rest in rests if rest and (left := _divided(node, rest)) is not None)


def _without(product: t.Multiply, factor: Term) -> tuple[Term, ...]:
    """The other factors, if the factor is among them."""
    rest = tuple(f for f in product.factors if f != factor)
    return rest if len(rest) == len(product.factors) - 1 else ()


def _divided(product: t.Multiply, rest: tuple[Term, ...]) -> Term | None:
    left = list(product.factors)
    for factor in rest:
        if factor not in left:
            return None
        left.remove(factor)
    if not left:
        return number(1)
    return left[0] if len(left) == 1 else t.Multiply(tuple(left))


def fresh(definitions: Sequence[Definition], terms: Sequence[Term]) -> tuple[Definition, ...]:
    """The definitions whose glyph means nothing else in these terms.

    Vectors and matrices are bold, so a vector q may stand beside its own entries q_j; other names must be new.
    """
    nodes = [node for term in terms for node in t.walk(term)]
    bold = {node.name for node in nodes if isinstance(node, (t.MatrixSymbol, t.MatrixFamily))}
    plain = frozenset[str]().union(*(free_names(term) for term in terms))
    taken = {"matrix": bold, "vector": bold, "map": plain, "sequence": plain}
    return tuple(definition for definition in definitions if definition.name not in taken[definition.style])
