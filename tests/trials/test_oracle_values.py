"""The oracle against values by hand and against SymPy; and an oracle that errs does not go unseen."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
import sympy
from mpmath import libmp

from trials import enclosures as e
from trials import oracles, run
from trials.language import (
    HALF,
    IMAGINARY,
    ONE,
    TWO,
    Call,
    Circle,
    Demand,
    Equation,
    Lambda,
    Member,
    Node,
    Num,
    Op,
    Product,
    Raised,
    Slope,
    Sum,
    Total,
    Var,
    exp,
    minus,
    num,
    over,
    plus,
    raised,
    times,
    turned,
)
from trials.oracles import Place, value

X, Y, J, H = (Var(name) for name in ("x", "y", "j", "h"))
INDEX = Var("i")
Q = Member("q", INDEX)
CUBE = Lambda(("t",), raised(Var("t"), 3))
PLACE = Place(
    {"x": e.exact(2), "y": e.Exact(Fraction(-1, 3)), "h": e.exact(3), "a": e.exact(4)},
    {("q", 0): Fraction(5), ("q", 1): Fraction(-1), ("q", 2): Fraction(1, 2), ("k", 0): Fraction(2)},
    functions={"f": CUBE},
)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (plus(X, times(num(3), Y)), (1, 0)),
        (times(plus(ONE, IMAGINARY), plus(ONE, IMAGINARY)), (0, 2)),
        (Raised(plus(ONE, IMAGINARY), num(-1)), (Fraction(1, 2), Fraction(-1, 2))),
        (Op("conj", plus(X, IMAGINARY)), (2, -1)),
        (Op("re", times(IMAGINARY, plus(X, IMAGINARY))), (-1, 0)),
        (Op("im", times(IMAGINARY, plus(X, IMAGINARY))), (2, 0)),
        (raised(num(0), 0), (1, 0)),
        (Total("i", H, Q), (Fraction(9, 2), 0)),
        (Total("i", H, INDEX), (3, 0)),
        (Total("i", num(2), Total("j", H, times(INDEX, J))), (3, 0)),
        (Total("i", H, Total("i", TWO, INDEX)), (3, 0)),
        (Member("k", plus(H, num(-3))), (2, 0)),
        (Member("k", num(7)), (1, 0)),
        (Call("f", X), (8, 0)),
        (Slope(raised(X, 3), "x"), (12, 0)),
        (Slope(Slope(raised(X, 3), "x"), "x"), (12, 0)),
        (Slope(Slope(times(raised(X, 2), raised(Y, 2)), "x"), "y"), (Fraction(-8, 3), 0)),
        (Slope(times(X, Slope(times(X, Y), "x")), "x"), (Fraction(-1, 3), 0)),
        (Slope(Call("f", times(TWO, X)), "x"), (96, 0)),
        (Slope(over(ONE, X), "x"), (Fraction(-1, 4), 0)),
        (Slope(Total("i", H, times(Q, raised(X, 2))), "x"), (18, 0)),
        (Slope(Y, "x"), (0, 0)),
        (Slope(Op("log", X), "x"), (HALF.re, 0)),
        (exp(num(0)), (1, 0)),
        (Op("log", ONE), (0, 0)),
    ],
)
def test_exact_values_by_hand(node: Node, wanted: tuple[Fraction | int, Fraction | int]) -> None:
    assert value(node, PLACE) == e.Exact(Fraction(wanted[0]), Fraction(wanted[1]))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (Op("cos", times(num(Fraction(1, 3)), Circle())), 0.5),
        (Op("sin", X), 0.9092974268256817),
        (exp(plus(X, times(IMAGINARY, X))), -3.074932320639359 + 6.71884969742825j),
        (Op("log", X), 0.6931471805599453),
        (Raised(Var("a"), HALF), 2.0),
        (Op("cos", IMAGINARY), 1.5430806348152437),
        (Op("sin", plus(X, IMAGINARY)), 1.4031192506220405 - 0.4890562590412937j),
        (Slope(Op("cos", times(num(3), X)), "x"), 0.8382464945967776),
        (Slope(Slope(exp(times(num(3), X)), "x"), "x"), 3630.859141434616),
        (Slope(turned(times(X, Y)), "x"), -0.20612326768991232 - 0.26196242025898264j),
        (Op("conj", turned(X)), -0.4161468365471424 - 0.9092974268256817j),
        (Raised(exp(X), num(-2)), 0.01831563888873418),
    ],
)
def test_enclosed_values_by_hand(node: Node, wanted: complex) -> None:
    found = oracles.plain_value(node, PLACE)
    near = [libmp.to_float(libmp.mpi_mid(part, 53)) for part in (e.boxed(found, 60).re, e.boxed(found, 60).im)]
    assert near == pytest.approx([complex(wanted).real, complex(wanted).imag], rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(
    "node",
    [
        over(ONE, minus(X, TWO)),
        over(num(0), minus(X, TWO)),
        times(num(0), over(ONE, minus(X, TWO))),
        Op("log", Y),
        Op("log", num(0)),
        Op("log", IMAGINARY),
        Raised(Y, HALF),
        Call("f", IMAGINARY),
        Member("q", HALF),
        Slope(Op("log", minus(X, TWO)), "x"),
    ],
)
def test_what_has_no_value_is_undefined(node: Node) -> None:
    with pytest.raises(e.Undefined):
        value(node, PLACE)


def test_a_divisor_that_only_encloses_zero_is_unclear() -> None:
    square = minus(plus(raised(Op("cos", X), 2), raised(Op("sin", X), 2)), ONE)
    with pytest.raises(e.Unclear):
        value(over(ONE, square), PLACE)


@pytest.mark.parametrize(
    ("demand", "holds"),
    [
        (Demand("positive", X), True),
        (Demand("positive", Y), False),
        (Demand("positive", num(0)), False),
        (Demand("nonnegative", num(0)), True),
        (Demand("nonnegative", Y), False),
        (Demand("nonzero", minus(X, TWO)), False),
        (Demand("nonzero", minus(exp(X), ONE)), True),
        (Demand("equal", X, TWO), True),
        (Demand("equal", X, Y), False),
        (Demand("nonzero", Member("q", J), forall=("j",)), True),
        (Demand("nonzero", plus(Member("q", J), ONE), forall=("j",)), False),
        (Demand("positive", plus(Member("q", J), TWO), forall=("j",)), True),
    ],
)
def test_demands_by_hand(demand: Demand, *, holds: bool) -> None:
    assert oracles.holds(demand, PLACE) is holds


def _in_sympy(node: Node, names: dict[str, sympy.Expr]) -> sympy.Expr:
    """A scalar without sums, members and functions, built by SymPy's own rules."""
    match node:
        case Num(re, im):
            return sympy.Rational(re.numerator, re.denominator) + sympy.I * sympy.Rational(im.numerator, im.denominator)
        case Circle():
            return sympy.pi
        case Var(name):
            return names[name]
        case Sum(parts):
            return sympy.Add(*(_in_sympy(part, names) for part in parts))
        case Product(parts):
            return sympy.Mul(*(_in_sympy(part, names) for part in parts))
        case Raised(base, exponent):
            return sympy.Pow(_in_sympy(base, names), _in_sympy(exponent, names))
        case Slope(body, by):
            return sympy.diff(_in_sympy(body, names), names[by])
        case Op(name, argument):
            return getattr(sympy, "conjugate" if name == "conj" else name)(_in_sympy(argument, names))
        case _:
            raise KeyError(type(node).__name__)


def test_the_oracle_agrees_with_sympy_on_what_is_drawn() -> None:
    """SymPy differentiates symbolically and evaluates by other code; its 40 digits lie in the oracle's boxes."""
    compared = 0
    for k in range(120):
        case, chance = run.drawn(("values", "quotients")[k % 2], k)
        assert isinstance(case.claim, Equation)
        place = oracles.drawn_place(case.claim, chance)
        compared += _agrees(case.claim.left, place) + _agrees(case.claim.right, place)
    assert compared > 120


def _agrees(side: Node, place: Place) -> bool:
    names = {name: sympy.Symbol(name, real=True) for name in place.symbols}
    try:
        found = oracles.plain_value(side, place)
        term = _in_sympy(side, names)
    except (e.Undefined, e.Unclear, KeyError):
        return False
    put = {names[n]: sympy.Rational(str(e.text(number))) for n, number in place.symbols.items()}
    wanted = sympy.N(term.subs(put), 40, chop=False)
    re, im = (Fraction(str(part)) for part in wanted.as_real_imag())
    slack = Fraction(1, 10**30) * (1 + abs(re) + abs(im))
    around = e.from_ends((re - slack, re + slack), (im - slack, im + slack), 400)
    assert not e.apart(found, around, 400), (side, place)
    return True


ERRORS: dict[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "conjugate": ("values", lambda m: m.setitem(e.OPERATIONS, "conj", e.negative)),
    "cosine": ("values", lambda m: m.setitem(e.OPERATIONS, "cos", e.sin)),
    "reciprocal": ("quotients", lambda m: m.setattr(e, "reciprocal", e.negative)),
    "sums": ("sums", lambda m: m.setattr(oracles, "whole", _one_more)),
    "derivative": ("values", lambda m: m.setattr(oracles, "_slope", _constant)),
}


def _constant(*_: object) -> e.Number:
    return e.ONE


def _one_more(node: Node, place: Place) -> int:
    found = value(node, place)
    assert isinstance(found, e.Exact)
    return int(found.re) + int(node == H)


@pytest.mark.parametrize("name", ERRORS)
def test_an_oracle_that_errs_complains_of_a_sound_kernel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fragment, plant = ERRORS[name]
    plant(monkeypatch)
    assert run.run(fragment, range(60)).complaints


def test_places_are_drawn_where_divisors_vanish() -> None:
    claim = Equation(over(X, minus(X, Y)), over(X, X))
    places = [oracles.drawn_place(claim, Random(k)) for k in range(100)]
    assert sum(place.symbols["x"] == e.ZERO for place in places) > 5
    places = [oracles.drawn_place(claim, Random(k), common=Fraction(k)) for k in range(100)]
    assert all(place.symbols["x"] == place.symbols["y"] for place in places)
