"""Equal for all values, different at a point, or undecided: and a point is small, exact and feedable."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from posproofs.symbolic import comparing
from posproofs.symbolic.comparing import Answer, compared
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.program import Name, Program

Build = Callable[[Program, int, int], tuple[int, int]]


def answer(build: Build, **options: object) -> Answer:
    program = Program()
    x, y = program.symbol("x"), program.symbol("y")
    return compared(program, [build(program, x, y)], **options)  # type: ignore[arg-type]


EQUAL: dict[str, Build] = {
    "the same node": lambda p, x, y: (p.add(x, y), p.add(y, x)),
    "angle sum": lambda p, x, y: (
        p.cos(p.add(x, y)),
        p.subtract(p.multiply(p.cos(x), p.cos(y)), p.multiply(p.sin(x), p.sin(y))),
    ),
    "common factor": lambda p, x, y: (
        p.divide(p.multiply(x, p.add(x, y)), p.multiply(y, p.add(x, y))),
        p.divide(x, y),
    ),
    "root of a square sum": lambda p, x, _y: (
        p.power(p.root(p.add(p.multiply(x, x), p.one)), 2),
        p.add(p.one, p.multiply(x, x)),
    ),
    "shares of shifted scores": lambda p, x, y: (
        p.shares([x, y])[0],
        p.shares([p.add(x, p.sin(y)), p.add(y, p.sin(y))])[0],
    ),
    "two shares add up": lambda p, x, y: (p.total(p.shares([x, y])), p.one),
    "surds": lambda p, _x, _y: (
        p.multiply(p.constant(Fraction(1), 2), p.constant(Fraction(1), 8 // 4)),
        p.constant_of(2),
    ),
}
DIFFERENT: dict[str, Build] = {
    "a sign": lambda p, x, y: (p.sin(p.add(x, y)), p.sin(p.subtract(x, y))),
    "a factor": lambda p, x, y: (p.multiply(x, y), p.multiply(p.constant_of(2), p.multiply(x, y))),
    "shares": lambda p, x, y: (p.shares([x, y])[0], p.shares([x, y])[1]),
    "a call of one number": lambda p, x, _y: (p.call("tanh", (x,)), x),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal(name: str) -> None:
    assert answer(EQUAL[name]).status == "proved"


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_at_a_point(name: str) -> None:
    found = answer(DIFFERENT[name])
    assert found.status == "refuted", found.reason
    assert all(isinstance(value, Fraction) for value in found.point.values())


def test_the_point_names_what_is_needed_and_the_rest_is_zero() -> None:
    found = answer(lambda p, x, y: (p.add(x, y), p.add(x, p.multiply(y, y))))
    assert found.status == "refuted"
    assert found.point[Name("x")] == 0
    assert found.point[Name("y")] not in (0, 1)


def test_a_point_is_cleared_up_as_if_everything_were_evaluated_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what rests on a changed value is: shares of products of two rows, whose every entry rests on every value."""

    def found() -> Answer:
        program = Program()
        q, k, v = ([program.symbol(name, (i,)) for i in range(3)] for name in "qkv")
        shares = program.shares([program.dot(q, k), program.dot(q, v), program.dot(k, v)])
        mixed = program.dot(shares, q)
        return compared(program, [(mixed, program.add(mixed, program.multiply(shares[0], v[2])))])

    class All:
        def __contains__(self, _node: int) -> bool:
            return True

    quick = found()
    monkeypatch.setattr(comparing, "_resting", lambda _users, _node: All())
    assert (quick.status, quick) == ("refuted", found())
    assert [str(name) for name, value in quick.point.items() if value] == ["v[2]"]


def test_the_first_pair_that_differs_is_named() -> None:
    program = Program()
    x, y = program.symbol("x"), program.symbol("y")
    found = compared(program, [(x, x), (program.add(x, y), x), (y, x)])
    assert (found.status, found.place) == ("refuted", 1)


def test_points_come_from_the_draw() -> None:
    def draw(name: Name, _chance: Random) -> Fraction:
        return Fraction(7 if name.tensor == "x" else 11)

    found = answer(lambda p, x, y: (p.cos(x), p.cos(y)), draw=draw)
    assert found.status == "refuted"
    assert set(found.point.values()) <= {Fraction(0), Fraction(1), Fraction(7), Fraction(11)}


def test_a_value_that_is_always_drawn_is_kept() -> None:
    """A frequency that code declares: at 0 or 1 in its place the code would not be called."""

    def draw(name: Name, chance: Random) -> Fraction:
        return Fraction(7) if name.tensor == "x" else Fraction(chance.choice((2, 3)))

    found = answer(lambda p, x, y: (p.cos(p.multiply(x, y)), p.cos(y)), draw=draw)
    assert found.status == "refuted"
    assert dict(found.point) == {Name("x"): Fraction(7), Name("y"): Fraction(1)}


def test_what_floats_could_not_show_is_not_refuted() -> None:
    """A constant of code that is off by less than its dtype resolves is no counterexample that can be replayed."""
    found = answer(lambda p, x, y: (x, p.add(x, p.multiply(p.constant(Fraction(1, 10**9)), p.power(p.sin(y), 4)))))
    assert found.status == "undecided"
    assert "not visibly" in found.reason


def test_an_unknown_function_refutes_nothing() -> None:
    found = answer(lambda p, x, y: (p.call("mystery", (x,)), p.call("mystery", (y,))))
    assert found.status == "undecided"
    assert "exact forms" in found.reason


def test_a_limit_is_undecided() -> None:
    def deep(p: Program, x: int, y: int) -> tuple[int, int]:
        power = p.power(p.add(p.add(x, y), p.one), 700)
        return power, p.add(power, p.call("mystery", (x,)))

    found = answer(deep)
    assert found.status == "undecided"
    assert "limit" in found.reason


def test_conditions_are_said() -> None:
    assert answer(EQUAL["common factor"]).conditions == ("divisors that do not vanish",)
    assert answer(EQUAL["root of a square sum"]).conditions == ()


def test_under_cuts_equality_is_a_proof_and_inequality_is_not_a_refutation_by_itself() -> None:
    program = Program()
    x, y = program.symbol("x"), program.symbol("y")
    sum_ = program.add(x, y)
    program.cuts.add(sum_)
    square = program.multiply(sum_, sum_)
    xy = program.multiply(program.constant_of(2), program.multiply(x, y))
    expanded = program.total((program.multiply(x, x), xy, program.multiply(y, y)))
    assert compared(program, [(square, expanded)], exact=Exact(cuts=True)).status == "proved"
    assert compared(program, [(square, program.add(expanded, x))], exact=Exact(cuts=True)).status == "refuted"
