"""The one place where trials meet towers: terms become values of a tower, and its values are read back as terms.

A tower never says that two values differ. What it does say is written as equations, each with the conditions that the
tower has listed by then: what either side is, that both are equal, and that something cannot be inverted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.quotients import Quotient
from derivations.kernel.towers import Generator, Tower
from derivations.kernel.values import Value
from trials.case import Case
from trials.language import Call, Circle, Demand, Equation, Node, Num, Op, Product, Raised, Sum, Var, plus
from trials.language_towers import Cut, Root, Share, inverse, log


@dataclass(frozen=True, slots=True)
class Told:
    """What a tower says of a claim: whether it proves it, all that it says on the way, or why it says no more."""

    proved: bool
    said: tuple[Equation, ...]
    reason: str = ""


@dataclass(slots=True)
class _Asked:
    """One tower, and what has been said so far. Conditions and definitions of generators are read back once."""

    tower: Tower = field(default_factory=Tower)
    said: list[Equation] = field(default_factory=list)
    read: dict[int, Node] = field(default_factory=dict)
    demands: dict[object, Demand] = field(default_factory=dict)

    def tell(self, left: Node, right: Node) -> None:
        for kind, of in self.tower.conditions:
            if (kind, of) not in self.demands:
                self.demands[kind, of] = Demand(kind, _node(dict(of), self))
        self.said.append(Equation(left, right, tuple(self.demands.values())))


def answer(case: Case) -> Told:
    """What a tower says of an equation between real terms."""
    assert isinstance(case.claim, Equation), "other claims have other questions"
    asked = _Asked()
    try:
        proved = _decided(case.claim, asked)
    except OutOfFragment:
        return Told(proved=False, said=tuple(asked.said), reason="out of fragment")
    except LimitReached:
        return Told(proved=False, said=tuple(asked.said), reason="limit reached")
    return Told(proved, tuple(asked.said))


def _decided(claim: Equation, asked: _Asked) -> bool:
    values = []
    for side in (claim.left, claim.right):
        values.append(_value(side, asked))
        asked.tell(side, _node(values[-1], asked))
    proved = asked.tower.equal(*values)
    if proved:
        asked.tell(claim.left, claim.right)
    return proved


def _value(node: Node, asked: _Asked) -> Value:
    """The tower's value for a term."""
    tower = asked.tower
    match node:
        case Num(re):
            return v.constant(re)
        case Var(name):
            return v.atom(("symbol", name))
        case Sum(parts):
            return v.total(_value(part, asked) for part in parts)
        case Product((above, Raised(below, Num(n)))) if n == -1:
            return _quotient(above, below, asked)
        case Product(parts):
            result = v.ONE
            for part in parts:
                result = tower.multiply(result, _value(part, asked))
            return result
        case Raised(base, Num(n)):
            return _power(base, int(n), asked)
        case Op(name, argument):
            return _operated(name, _value(argument, asked), tower)
        case Root(radicand):
            return _possible(radicand, _value(radicand, asked), tower.root, asked)
        case Share(mine, scores):
            return tower.share(_value(mine, asked), [_value(score, asked) for score in scores])
        case Call(name, argument):
            return tower.call(name, [_value(argument, asked)])
        case Cut(body):
            return tower.cut(_value(body, asked))
        case _:
            raise TypeError(f"no value of a tower stands for {type(node).__name__}")


def _quotient(above: Node, below: Node, asked: _Asked) -> Value:
    """A quotient of two values, as a term that is evaluated elsewhere comes to a tower."""
    over, under = _value(above, asked), _value(below, asked)
    if len(under) > 1:
        return asked.tower.quotient(Quotient(over, under))
    return asked.tower.multiply(over, _possible(below, under, asked.tower.invert, asked))


def _power(base: Node, n: int, asked: _Asked) -> Value:
    of = _value(base, asked)
    factor = _possible(base, of, asked.tower.invert, asked) if n < 0 else of
    result = v.ONE
    for _ in range(abs(n)):
        result = asked.tower.multiply(result, factor)
    return result


def _possible(node: Node, of: Value, act: Callable[[Value], Value], asked: _Asked) -> Value:
    """What is refused here is refused for the value that is said to stand there: zero, or a negative number."""
    try:
        return act(of)
    except OutOfFragment:
        asked.tell(node, _node(of, asked))
        raise


def _operated(name: str, argument: Value, tower: Tower) -> Value:
    match name:
        case "exp":
            return tower.exponential(argument)
        case "cos":
            return v.cosine(argument)
        case "sin":
            return v.sine(argument)
        case "log":
            return tower.logarithm(argument)
    raise TypeError(f"a tower has no operation {name}")


def _node(value: Value, asked: _Asked) -> Node:
    """A value as a term. Imaginary parts cancel, as all that is asked is real, so the real part is the value."""
    terms = tuple(_term(key, c, asked) for key, c in value.items())
    total = terms[0] if len(terms) == 1 else Sum(terms)
    return total if v.is_real(value) and not any(phase for _, phase in value) else Op("re", total)


def _term(key: v.Key, c: v.Coefficient, asked: _Asked) -> Node:
    monomial, phase = key
    factors: list[Node] = [] if c == v.UNIT else [Num(*v.parts(c))]
    for base, n in monomial:
        atom = _atom(base, asked)
        factors.append(atom if n == 1 else Raised(atom, Num(Fraction(n))))
    if phase:
        factors.append(Op("exp", Sum(tuple(_term(k, f, asked) for k, f in phase))))
    return factors[0] if len(factors) == 1 else Product(tuple(factors))


def _atom(base: v.Atom, asked: _Asked) -> Node:
    match base:
        case ("symbol", str(name)):
            return Var(name)
        case ("log", int(prime)):
            return log(Num(Fraction(prime)))
        case ("log", inner):
            return log(_atom(inner, asked))
        case ("pi",):
            return Circle()
        case ("generator", int(number)):
            if number not in asked.read:
                asked.read[number] = _generated(asked.tower.made[number], asked)
            return asked.read[number]
        case _:
            raise TypeError(f"a tower has no atom {base!r}")


def _generated(generator: Generator, asked: _Asked) -> Node:
    """What a generator stands for, by its definition."""
    inner = tuple(_node(of, asked) for of in generator.of)
    match generator.kind:
        case "inverse":
            return inverse(inner[0])
        case "root":
            return Root(inner[0])
        case "share":
            return inverse(plus(*(Op("exp", score) for score in inner)))
        case "cut":
            return Cut(inner[0])
        case "call":
            return Call(generator.name, inner[0])
