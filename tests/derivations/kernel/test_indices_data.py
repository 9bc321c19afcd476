"""Index algebra by hand: what is shown nonnegative, from which facts, and where a flat index is located."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from derivations.kernel import indices as module
from derivations.kernel import values as v
from derivations.kernel.indices import is_integer_polynomial, located, nonnegative
from derivations.kernel.values import Value

Form = dict[str, int]


def sym(name: str, power: int = 1) -> Value:
    return v.atom(("symbol", name), power)


def form(constant: int = 0, **coefficients: int) -> Value:
    return v.total([v.constant(constant), *(v.scale(sym(name), (c, 0, 1)) for name, c in coefficients.items())])


@pytest.mark.parametrize(
    "value", [{}, v.constant(-3), form(1, x=2, y=-1), sym("x", 3), v.multiply(sym("x"), sym("y")), form(0, x=7)]
)
def test_integer_polynomials(value: Value) -> None:
    assert is_integer_polynomial(value)


@pytest.mark.parametrize(
    "value",
    [
        v.HALF,
        v.I,
        v.scale(sym("x"), (1, 0, 2)),
        v.scale(sym("x"), (1, 1, 1)),
        sym("x", -1),
        v.exponential(sym("x")),
        v.atom(v.PI),
        v.atom(("family", "q", v.frozen(sym("x")))),
        v.add(sym("x"), v.HALF),
    ],
)
def test_what_is_no_integer_polynomial(value: Value) -> None:
    assert not is_integer_polynomial(value)


@pytest.mark.parametrize(
    ("target", "facts"),
    [
        (form(0), ()),
        (form(5), ()),
        (v.constant(Fraction(1, 2)), ()),
        (form(0, x=1), (form(0, x=1),)),
        (form(3, x=2), (form(0, x=1),)),
        (form(-1, x=2), (form(-1, x=1),)),  # x >= 1, so 2x - 1 >= 1
        (form(0, x=1, y=1), (form(0, x=1), form(0, y=1))),
        (form(0, x=1, y=1), (form(0, x=2, y=1), form(0, y=1))),  # half of each
        (form(0, x=1), (form(0, x=1, y=-1), form(0, y=1))),  # x >= y >= 0
        (form(0, x=1), (form(0, y=1), form(0, x=1))),
    ],
)
def test_shown_from_facts(target: Value, facts: tuple[Value, ...]) -> None:
    assert nonnegative(target, facts)


@pytest.mark.parametrize(
    ("target", "facts"),
    [
        (form(-1), ()),
        (form(0, x=1), ()),
        (form(0, x=-1), (form(0, x=1),)),
        (form(-1, x=1), (form(0, x=1),)),
        (form(0, x=1), (form(0, x=-1),)),
        (form(-1, x=1), (form(-2, x=3),)),  # x - 1 = (3x - 2)/3 - 1/3, though no integer lies between
        (form(0, x=1, y=-1), (form(0, x=1), form(0, y=1))),
        (v.multiply(sym("x"), sym("y")), (form(0, x=1), form(0, y=1))),
    ],
)
def test_not_shown(target: Value, facts: tuple[Value, ...]) -> None:
    assert not nonnegative(target, facts)


def test_a_chain_of_facts_has_a_limit() -> None:
    names = [f"x{k}" for k in range(12)]
    facts = tuple(v.subtract(sym(a), sym(b)) for a, b in pairwise(names))
    for steps, shown in ((8, True), (9, False)):
        assert nonnegative(v.subtract(sym("x0"), sym(f"x{steps}")), facts) is shown
    assert nonnegative(form(1), facts, 0)
    assert not nonnegative(v.subtract(sym("x0"), sym("x1")), facts, 0)
    assert nonnegative(v.subtract(sym("x0"), sym("x1")), facts, 1)


def test_multiples_of_facts_are_positive() -> None:
    (key,) = sym("x")
    assert module._multiple(form(0, x=3), form(1, x=2), key) == Fraction(3, 2)
    assert module._multiple(form(0, x=3), form(1, x=-2), key) is None
    assert module._multiple(form(0, x=3), form(1, y=2), key) is None


def test_rows_are_tried_in_this_order() -> None:
    tried = list(module._candidates(sym("a"), (sym("b"),)))
    around = [[form(step, **{name: 1}) for step in (0, -1, 1)] for name in ("a", "b")]
    assert tried == [form(0), form(-1), form(1), *around[0], *around[1]]


FACTS = (sym("a"), sym("b"), form(-1, w=1, b=-1))  # a, b >= 0 and b <= w - 1


@pytest.mark.parametrize(
    ("flat", "place"),
    [
        (v.add(v.multiply(sym("a"), sym("w")), sym("b")), (sym("a"), sym("b"))),
        (sym("b"), ({}, sym("b"))),
        (v.add(sym("w"), sym("b")), (v.ONE, sym("b"))),
        (v.subtract(sym("b"), sym("w")), (v.constant(-1), sym("b"))),
        (v.multiply(sym("a"), sym("w")), (sym("a"), {})),
        (v.multiply(form(1, a=1), sym("w")), (form(1, a=1), {})),
        (v.subtract(v.multiply(sym("a"), sym("w")), v.ONE), (form(-1, a=1), form(-1, w=1))),
        (v.add(v.multiply(sym("a"), sym("w")), form(1, b=1)), None),  # b + 1 may be w
        (v.add(v.multiply(sym("a"), sym("w")), sym("c")), None),
        (v.add(v.multiply(form(2, a=1), sym("w")), sym("b")), None),  # rows further off are not tried
    ],
)
def test_located(flat: Value, place: tuple[Value, Value] | None) -> None:
    facts = (*FACTS, form(-1, w=1))
    assert located(flat, sym("w"), facts) == place
