"""Rewriting as data: which rules there are, what they match, and what stands there afterwards."""

from __future__ import annotations

import pytest

from derivations.kernel import LimitReached, OutOfFragment
from derivations.kernel import rules as r
from derivations.kernel import values as v
from derivations.kernel.cells import Cell
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.matrices import AnyValue
from derivations.kernel.quotients import Quotient
from derivations.kernel.rules import Binding, Rewriting, ScalarRule, WordRule
from derivations.kernel.terms import Block, Derivative, Identity, Matrix, Pi, Size, Term, Transpose, split, strided
from derivations.kernel.values import Atom, Letter, Phase, Value
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
    cis,
    exp,
    f,
    fam,
    free,
    h,
    i,
    inv,
    j,
    m,
    matrix,
    mul,
    n,
    neg,
    pw,
    q,
    rot,
    sub,
    total,
    x,
    y,
)

X: Atom = ("symbol", "x")
D = Size(1, "d")
A, B, C = (matrix(name, "d", "d") for name in "ABC")
SQUARE = mul(free(m, "F"), free(m, "F"))
LETTERS: dict[str, Letter] = {name: ("matrix", name, False) for name in "ABC"}


def at(name: str) -> Phase:
    return v.frozen(v.atom(("symbol", name)))


@pytest.mark.parametrize(
    ("binding", "wanted"),
    [
        ({}, {X: 2}),
        ({"x": at("a")}, {("symbol", "a"): 2}),
        ({"x": v.frozen(v.multiply(v.atom(X), v.atom(("symbol", "a"))))}, {X: 2, ("symbol", "a"): 2}),
        ({"x": v.frozen(v.add(v.atom(X), v.ONE))}, None),
        ({"x": v.frozen(v.scale(v.atom(X), (2, 0, 1)))}, None),
        ({"x": v.frozen(v.exponential(v.atom(X)))}, None),
        ({"x": v.frozen({})}, None),
    ],
)
def test_a_bound_pattern_is_a_product_of_atoms_or_nothing(binding: Binding, wanted: dict[Atom, int] | None) -> None:
    assert r._bound_pattern(((X, 2),), binding) == wanted


# What a rule is


@pytest.mark.parametrize(
    ("left", "right", "pattern"),
    [
        (x, y, ((X, 1),)),
        (pw(x, 2), ONE, ((X, 2),)),
        (mul(x, y), ZERO, ((X, 1), (("symbol", "y"), 1))),
        (mul(f(x), Cell("X", i, j)), ONE, None),
        (fam("q"), cis(x), ((("family", "q", at("i")), 1),)),
    ],
)
def test_a_scalar_rule_replaces_a_product_of_atoms(left: Term, right: Term, pattern: object) -> None:
    found = r.rule("it", (left, right), (), frozenset())
    assert isinstance(found, ScalarRule)
    assert (found.name, found.variables) == ("it", frozenset())
    assert found.replacement == evaluate(right, Context()).over  # type: ignore[union-attr]
    if pattern is not None:
        assert found.pattern == pattern


@pytest.mark.parametrize(
    ("left", "message"),
    [
        (mul(TWO, x), "one product of atoms"),
        (add(x, y), "one product of atoms"),
        (ONE, "one product of atoms"),
        (ZERO, "one product of atoms"),
        (cis(x), "one product of atoms"),
        (mul(x, cis(y)), "one product of atoms"),
        (inv(exp(x)), "one product of atoms"),
        (inv(x), "it divides by something that can vanish"),
        (mul(x, inv(h)), "one product of atoms"),
        (mul(x, inv(add(exp(y), ONE))), "one product of atoms"),
    ],
)
def test_what_is_no_scalar_rule(left: Term, message: str) -> None:
    with pytest.raises(OutOfFragment, match=message):
        r.rule("it", (left, y), (), frozenset("h"))
    with pytest.raises(OutOfFragment, match=r"^the right side of it may not contain a divisor"):
        r.rule("it", (x, inv(add(exp(y), ONE))), (), frozenset())


def test_a_quantified_name_counts_nothing() -> None:
    """h counts outside; under forall h it is any real number, and 1/h can vanish."""
    assert r.rule("it", (x, inv(h)), (), frozenset("h"))
    with pytest.raises(OutOfFragment, match="divides by something that can vanish"):
        r.rule("it", (f(h), inv(h)), ("h",), frozenset("h"))


def test_a_word_rule_replaces_neighbouring_letters() -> None:
    found = r.rule("it", (mul(A, B), C), ("m",), frozenset())
    assert isinstance(found, WordRule)
    assert found.pattern == (LETTERS["A"], LETTERS["B"])
    assert found.replacement == evaluate(C, Context())
    assert found.variables == {"m"}
    assert found.fixed == {"A", "B", "C", "d"}


@pytest.mark.parametrize("left", [mul(TWO, A), add(A, B), Identity(D), sub(A, A)])
def test_what_is_no_word_rule(left: Term) -> None:
    with pytest.raises(OutOfFragment, match="one product of matrices"):
        r.rule("it", (left, B), (), frozenset())


def test_sides_of_other_forms_are_no_rule() -> None:
    explicit, letter = Matrix(((x, y), (y, x))), matrix("M", Size(2), Size(2))
    for sides in ((explicit, Identity(Size(2))), (letter, explicit), (explicit, letter)):
        with pytest.raises(OutOfFragment, match="one product of matrices"):
            r.rule("it", sides, (), frozenset())
    score = mul(Transpose(matrix("u", "d")), matrix("w", "d"))
    assert isinstance(r.rule("it", (score, x), (), frozenset()), ScalarRule)


def test_an_index_variable_is_matched_by_an_index() -> None:
    assert r.rule("it", (mul(fam("q"), f(i)), ONE), ("i",), frozenset())
    for sides in ((f(i), fam("q")), (mul(f(i), fam("q", add(i, ONE))), ONE), (free(i), mul(fam("q"), Identity(D)))):
        with pytest.raises(OutOfFragment, match="it has an index that no sequence on its left side"):
            r.rule("it", sides, ("i",), frozenset())


# Rewriting


def rewriting(*sides: tuple[Term, Term], forall: tuple[str, ...] = ()) -> Rewriting:
    return Rewriting(tuple(r.rule(f"rule {k}", pair, forall, frozenset()) for k, pair in enumerate(sides)))


def done(rules: Rewriting, term: Term) -> AnyValue:
    return rules(evaluate(term, Context()))


def value(term: Term) -> AnyValue:
    return evaluate(term, Context())


@pytest.mark.parametrize(
    ("sides", "forall", "term", "wanted", "uses"),
    [
        ((x, y), (), add(mul(TWO, pw(x, 2)), a), add(mul(TWO, pw(y, 2)), a), 2),
        ((pw(x, 2), y), (), pw(x, 5), mul(x, y, y), 2),
        ((mul(x, y), a), (), mul(I, pw(x, 2), y, cis(b)), mul(I, x, a, cis(b)), 1),
        ((mul(x, y), a), (), add(x, y), add(x, y), 0),
        ((pw(x, 2), y), (), x, x, 0),
        ((pw(x, 2), y), (), inv(x), inv(x), 0),
        ((fam("q"), ONE), ("i",), mul(fam("q", m), fam("q", n)), ONE, 2),
        ((fam("q"), ONE), ("i",), fam("r", m), fam("r", m), 0),
        ((fam("q"), ONE), (), fam("q", m), fam("q", m), 0),
        ((f(x), x), ("x",), f(add(a, b)), add(a, b), 1),
        ((f(x), x), ("x",), f(a, "g"), f(a, "g"), 0),
        ((mul(fam("p"), fam("r")), ONE), ("i",), mul(fam("p", m), fam("r", m)), ONE, 1),
        ((mul(fam("p"), fam("r")), ONE), ("i",), mul(fam("p", m), fam("r", n)), mul(fam("p", m), fam("r", n)), 0),
        ((mul(fam("p"), fam("p", add(i, ONE))), ONE), ("i",), mul(fam("p", ZERO), fam("p", ONE)), ONE, 1),
        ((x, ONE), ("x",), mul(a, b), ONE, 2),
        ((mul(f(x), f(neg(x))), ONE), ("x",), mul(f(a), f(neg(a))), ONE, 1),
        ((mul(f(x), f(neg(x)), f(y, "g")), ONE), ("x", "y"), mul(f(a), f(neg(a)), f(b, "g")), ONE, 1),
        ((mul(f(x), total(f(mul(x, fam("q")))), y), b), ("x", "y"), mul(f(a), total(f(mul(a, fam("q")))), m), b, 1),
        ((mul(Pi(), x), y), (), mul(TWO, Pi(), x), mul(TWO, y), 1),
    ],
)
def test_scalar_rewriting(
    sides: tuple[Term, Term], forall: tuple[str, ...], term: Term, wanted: Term, uses: int
) -> None:
    rules = rewriting(sides, forall=forall)
    assert done(rules, term) == value(wanted)
    assert sum(rules.uses.values()) == uses


def test_a_derivative_is_another_atom() -> None:
    rules = rewriting((f(x), ONE), forall=("x",))
    slope = evaluate(Derivative(f(a), "a"), Context())
    assert rules(slope) == slope


def test_divisors_are_rewritten() -> None:
    rules = rewriting((mul(x, y), ONE))
    assert done(rules, inv(add(mul(x, y), exp(a)))) == value(inv(add(ONE, exp(a))))
    assert done(rules, inv(add(mul(x, y), ONE))) == value(q("1/2"))


@pytest.mark.parametrize(
    ("sides", "forall", "term", "wanted", "uses"),
    [
        ((mul(A, B), C), (), mul(A, A, B, B), mul(A, C, B), 1),
        ((mul(A, B), C), (), mul(A, B, A, B), mul(C, C), 2),
        ((mul(A, B), C), (), mul(B, A), mul(B, A), 0),
        ((mul(A, B), C), (), A, A, 0),
        ((mul(A, B), add(C, A)), (), mul(TWO, A, B), add(mul(TWO, C), mul(TWO, A)), 1),
        ((mul(A, B), sub(C, C)), (), add(mul(A, B), C), C, 1),
        ((mul(A, B), Identity(D)), (), mul(C, A, B, C), mul(C, C), 1),
        ((mul(A, Transpose(A)), Identity(D)), (), mul(A, Transpose(A), Transpose(A), A), mul(Transpose(A), A), 1),
        ((free(m, "F"), C), ("m",), mul(free(n, "F"), free(n, "G")), mul(C, free(n, "G")), 1),
        ((free(m, "F"), C), ("m",), Transpose(free(n, "F")), Transpose(free(n, "F")), 0),
        ((free(m, "F"), free(neg(m), "G")), ("m",), free(n, "F"), free(neg(n), "G"), 1),
        ((mul(free(m, "F"), free(m, "F")), C), ("m",), mul(free(a, "F"), free(b, "F")), None, 0),
        ((mul(A, free(m, "F")), C), ("m",), mul(B, free(n, "F")), None, 0),
        ((mul(free(m, "F"), free(m, "F")), C), ("m",), mul(free(a, "F"), free(a, "F")), C, 1),
        ((mul(rot(m), A), mul(A, rot(neg(m)))), ("m",), mul(rot(a), A), mul(A, rot(neg(a))), 1),
        ((mul(rot(m), A), C), ("m",), mul(rot(a, "S"), A), mul(rot(a, "S"), A), 0),
        ((mul(free(m, "F"), A), mul(fam("q", ONE), A)), ("m",), mul(free(a, "F"), A), mul(fam("q", ONE), A), 1),
    ],
)
def test_word_rewriting(
    sides: tuple[Term, Term], forall: tuple[str, ...], term: Term, wanted: Term | None, uses: int
) -> None:
    rules = rewriting(sides, forall=forall)
    assert done(rules, term) == value(term if wanted is None else wanted)
    assert sum(rules.uses.values()) == uses


def test_scalar_and_word_rules_side_by_side() -> None:
    rules = rewriting((x, y), (mul(A, B), C))
    assert done(rules, mul(A, B)) == value(C)
    assert done(rules, pw(x, 2)) == value(pw(y, 2))
    assert rules.uses == {"rule 0": 2, "rule 1": 1}


def test_matrices_are_rewritten_entry_by_entry() -> None:
    rules = rewriting((x, y))
    assert done(rules, Matrix(((x, a), (b, pw(x, 2))))) == value(Matrix(((y, a), (b, pw(y, 2)))))
    block = Block("i", h, split(2), strided(1), ((x,), (a,)))
    found = done(rules, block)
    assert found == value(Block("i", h, split(2), strided(1), ((y,), (a,))))
    with pytest.raises(OutOfFragment, match=r"^a rewritten entry may not contain a divisor"):
        done(rules, Matrix(((inv(add(exp(x), ONE)), x),)))


def test_rules_about_a_name_are_set_aside() -> None:
    rules = rewriting((x, y), (a, b))
    assert rules.without("c") is rules
    inner = rules.without("y")
    assert [rule.name for rule in inner.rules] == ["rule 1"]
    assert inner.uses is rules.uses
    assert [rule.name for rule in rules.without("a").rules] == ["rule 0"]
    assert rewriting((fam("q"), x), forall=("i",)).without("i").rules


def test_steps_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert r.STEP_LIMIT == 2000
    monkeypatch.setattr(r, "STEP_LIMIT", 3)
    assert done(rewriting((x, y)), pw(x, 3)) == value(pw(y, 3))
    with pytest.raises(LimitReached, match="rewriting passes the limit of 3 steps"):
        done(rewriting((x, y)), pw(x, 4))


# Matching


@pytest.mark.parametrize(
    ("left", "forall", "term", "wanted"),
    [
        (mul(fam("p"), fam("r")), ("i",), mul(fam("p", m), fam("r", m)), [{"i": at("m")}]),
        (mul(fam("p"), fam("r")), ("i",), mul(fam("p", m), fam("r", n)), []),
        (mul(fam("q"), fam("q", j)), ("i", "j"), pw(fam("q", m), 2), [{"i": at("m"), "j": at("m")}]),
        (mul(fam("q"), fam("q", j)), ("i", "j"), fam("q", m), []),
        (fam("q"), ("i",), fam("r", m), []),
        (f(x), ("x",), f(a, "g"), []),
        (f(a), (), f(b), []),
        (mul(f(x), total(fam("q"))), ("x",), mul(f(a), total(fam("q"))), [{"x": at("a")}]),
        (mul(f(x), total(fam("q"))), ("x",), mul(f(a), total(fam("r"))), []),
    ],
)
def test_a_binding_makes_the_pattern_a_divisor(
    left: Term, forall: tuple[str, ...], term: Term, wanted: list[Binding]
) -> None:
    """A variable has one value, an atom is divided by as often as it stands there, and other names do not match."""
    found, product = r.rule("it", (left, ONE), forall, frozenset()), value(term)
    assert isinstance(found, ScalarRule)
    assert isinstance(product, Quotient)
    (((monomial, _), _),) = product.over.items()
    assert list(r._assignments(found.pattern, dict(monomial), {}, found.variables)) == wanted


def test_a_pattern_that_falls_apart_is_not_used() -> None:
    """With 6 for x, f(x) log x becomes f(6) (log 2 + log 3)."""
    log_x: Atom = ("log", X)
    rule = ScalarRule("it", ((("function", "f", 0, at("x")), 1), (log_x, 1)), v.ONE, frozenset("x"), frozenset())
    of_six: Atom = ("function", "f", 0, v.frozen(v.constant(6)))
    assert r._match_monomial(rule, frozenset([(of_six, 1), (log_x, 1)])) is None
    of_x: Atom = ("function", "f", 0, at("x"))
    assert r._match_monomial(rule, frozenset([(of_x, 2), (log_x, 1)])) == ({"x": at("x")}, frozenset([(of_x, 1)]))


def test_variables_are_bound_all_at_once() -> None:
    both = v.multiply(v.atom(("symbol", "x")), v.atom(("symbol", "y"), 2))
    assert r.instantiated(both, {"x": at("y"), "y": at("x")}) == v.multiply(
        v.atom(("symbol", "y")), v.atom(("symbol", "x"), 2)
    )
    assert r.instantiated(both, {}) == both


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        (v.atom(X), "x"),
        (v.atom(X, 2), None),
        (v.scale(v.atom(X), (2, 0, 1)), None),
        (v.add(v.atom(X), v.ONE), None),
        (v.multiply(v.atom(X), v.atom(("symbol", "y"))), None),
        (v.multiply(v.atom(X), v.atom(("symbol", "y"), 2)), None),
        (v.multiply(v.atom(X), v.exponential(v.atom(X))), None),
        (v.atom(v.PI), None),
        (v.ONE, None),
        ({}, None),
    ],
)
def test_a_variable_alone(argument: Value, name: str | None) -> None:
    assert r._lone_symbol(v.frozen(argument)) == name
