"""The oracle of matrices against numpy, hand values and its own definitions: the judge is itself judged."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import mpmath
import numpy as np
import pytest

from trials import enclosures, suppositions
from trials import exact as ex
from trials import oracles_matrices as oracle
from trials.language import (
    Demand,
    Equation,
    Lambda,
    Member,
    Num,
    Op,
    Product,
    Raised,
    Reach,
    Sum,
    Total,
    Var,
    num,
    turned,
)
from trials.language_matrices import (
    Array,
    Blocks,
    Det,
    Entry,
    Flat,
    Flipped,
    IllTypedError,
    Letter,
    Turning,
    Unit,
    coordinates,
    dims,
    put,
)
from trials.places import NoRow, Place, Value, at
from trials.suppositions import Supposition

D, E, SCALAR = (1, "d"), (1, "e"), (1, "")
A, W, U = Letter("A", D, D), Letter("W", D, E), Letter("u", D, SCALAR)
I, J, K, M, N = (Var(name) for name in "ijKmn")  # noqa: E741 - the index i of the formulas


def place(seed: int = 0, **numbers: int) -> Place:
    return Place(dict(numbers), chance=Random(seed))


def array(value: Value) -> np.ndarray:
    rows = value if isinstance(value, tuple) else ((value,),)
    return np.array([[float(Fraction(str(x))) if not isinstance(x, ex.Hull) else np.nan for x in row] for row in rows])


@pytest.mark.parametrize("seed", range(5))
def test_products_sums_and_transposes_are_those_of_numpy(seed: int) -> None:
    here = place(seed, d=1 + seed % 4, e=3)
    a, w, u = (array(oracle.value(letter, here)) for letter in (A, W, U))
    assert np.array_equal(array(oracle.value(Product((A, W)), here)), a @ w)
    assert np.array_equal(array(oracle.value(Product((Flipped(U), A, U)), here)), u.T @ a @ u)
    assert np.array_equal(array(oracle.value(Sum((Product((A, A)), Flipped(A))), here)), a @ a + a.T)
    assert np.array_equal(array(oracle.value(Product((num(3), W)), here)), 3 * w)
    assert round(np.linalg.det(a)) == array(oracle.value(Det(A), here))[0, 0]


@pytest.mark.parametrize("kind", ["interleaved", "halves"])
@pytest.mark.parametrize("groups", [1, 2, 3, 4])
def test_blocks_stand_at_their_coordinates(kind: str, groups: int) -> None:
    x, y = Member("x", I), Member("y", I)
    block = Blocks("i", "h", (kind, (0, 1)), (kind, (1, 0)), ((x, num(5)), (num(0), y)))
    here = Place({"h": groups})
    for k in range(groups):
        here.members["x", k], here.members["y", k] = 10 + k, 20 + k
    wanted = np.zeros((2 * groups, 2 * groups))
    for k in range(groups):
        first, second = (2 * k, 2 * k + 1) if kind == "interleaved" else (k, groups + k)
        wanted[first, second] = 10 + k  # the columns are exchanged by their order
        wanted[first, first] = 5
        wanted[second, first] = 20 + k
    assert np.array_equal(array(oracle.value(block, here)), wanted)


def test_a_layout_runs_once_through_all_coordinates() -> None:
    for layout in (("interleaved", (2, 0, 1)), ("halves", (2, 0, 1)), ("interleaved", (0,))):
        found = [c for k in range(4) for c in coordinates(layout, k, 4)]
        assert sorted(found) == list(range(4 * len(layout[1])))


@pytest.mark.parametrize(("rows", "width"), [(1, 1), (3, 4), (4, 2)])
def test_memory_is_read_as_numpy_reshapes_it(rows: int, width: int) -> None:
    here = place()
    written = np.array([[oracle.value(Entry("X", num(r), num(c)), here) for c in range(width)] for r in range(rows)])
    assert len(set(written.ravel())) == rows * width
    for flat, wanted in enumerate(written.ravel()):
        assert oracle.value(Flat("X", num(flat), num(width)), here) == wanted
    before = oracle.value(Flat("X", num(-1), num(width)), here)
    assert before == oracle.value(Entry("X", num(-1), num(width - 1)), here)


def test_rows_without_entries_have_no_value() -> None:
    with pytest.raises(NoRow):
        oracle.value(Flat("X", num(0), num(0)), place())


@pytest.mark.parametrize("side", [1, 2, 3, 5])
def test_a_rotation_family_is_one(side: int) -> None:
    here = place(3, d=side, m=2, n=-3)
    turned_by = [Turning("R", angle, D) for angle in (M, N, Sum((M, N)), Product((num(-1), M)))]
    m, n, both, back = turned_by
    assert not oracle.separated(Equation(Product((m, n)), both), here)
    assert not oracle.separated(Equation(Flipped(m), back), here)
    assert not oracle.separated(Equation(Product((m, back)), Unit(D)), here)
    assert oracle.separated(Equation(m, n), here) == (side > 1)


def test_two_families_need_not_commute() -> None:
    r, t = (Turning(name, num(1), D) for name in "RT")
    claim = Equation(Product((r, t)), Product((t, r)))
    assert any(oracle.separated(claim, place(seed, d=3)) for seed in range(8))


def test_angles_are_exact_and_are_what_they_say() -> None:
    here = place(1, m=2)
    theta = ex.Arc(((0, 1), (2, -1)))
    here.members["theta", 0] = theta
    angle = Product((M, Member("theta", num(0))))
    c, s = (oracle.number(Op(name, angle), here) for name in ("cos", "sin"))
    assert isinstance(c, Fraction)
    assert isinstance(s, Fraction)
    radians = 2 * (mpmath.atan2(4, 3) - mpmath.atan2(15, 8))
    assert abs(float(c) - mpmath.cos(radians)) < 1e-12
    assert abs(float(s) - mpmath.sin(radians)) < 1e-12
    wave = oracle.number(turned(angle), here)
    assert isinstance(wave, ex.Hull)
    assert wave.of == enclosures.Exact(c, s)


def test_other_angles_are_enclosed() -> None:
    here = Place({"m": 1})
    c = oracle.number(Op("cos", M), here)
    one = oracle.number(Sum((Raised(Op("cos", M), num(2)), Raised(Op("sin", M), num(2)))), here)
    assert not ex.apart(one, 1)
    assert not ex.same(one, 1)  # an enclosure never shows equality
    assert ex.apart(c, Fraction(54, 100))
    assert not ex.apart(c, oracle.number(Op("cos", Product((num(-1), M))), here))


def test_sums_and_a_hidden_index() -> None:
    here = Place({"h": 3, "i": 7}, {("x", k): k + 1 for k in range(9)})
    inner = Total("i", Var("h"), Member("x", I))
    assert oracle.value(inner, here) == 6
    assert oracle.value(Sum((inner, I)), here) == 13
    assert oracle.value(Product((Member("x", I), inner)), here) == 48


def test_what_is_missing_is_an_error_unless_it_is_drawn() -> None:
    with pytest.raises(KeyError):
        oracle.value(Member("x", num(3)), Place())
    assert oracle.value(Member("x", num(3)), Place(other_members=1)) == 1
    here = place(5)
    assert oracle.value(Var("a"), at(here, {"b": 1})) == oracle.value(Var("a"), here)


def test_conditions() -> None:
    here = Place({"x": 2, "y": 0}, {("q", k): k * k for k in range(-9, 12)})
    assert oracle.holds(Demand("positive", Var("x")), here)
    assert not oracle.holds(Demand("positive", Var("y")), here)
    assert not oracle.holds(Demand("nonzero", Var("y")), here)
    assert oracle.holds(Demand("nonnegative", Var("y")), here)
    assert not oracle.holds(Demand("nonnegative", Product((num(-1), Var("x")))), here)
    square = Demand("equal", Member("q", Var("k")), Raised(Var("k"), num(2)), ("k",))
    assert oracle.holds(square, here)
    here.members["q", -2] = 5
    assert not oracle.holds(square, here)


def test_drawn_places_keep_counts_and_ranges() -> None:
    claim = Equation(Flat("X", I, K), Entry("X", num(0), I), (), (Reach("i", K),))
    places = [oracle.drawn_place(claim, Random(seed), largest=4) for seed in range(60)]
    assert {here.numbers["K"] for here in places} == {1, 2, 3, 4}
    assert all(0 <= here.numbers["i"] < here.numbers["K"] for here in places)  # type: ignore[operator]


SUPPOSED = [make(quantified=flag) for make in suppositions.SCALAR for flag in (True, False)]
SUPPOSED += [make() for make in (*suppositions.MATRICES, suppositions.wide)]


@pytest.mark.parametrize("supposed", SUPPOSED, ids=lambda s: "".join(s.names) + ("_i" if s.quantified else ""))
def test_what_is_supposed_holds_at_its_places_and_in_its_model(supposed: Supposition) -> None:
    claim = Equation(num(0), num(0), supposed.demands)
    for seed in range(6):
        here = oracle.drawn_place(claim, Random(seed), largest=3, recipes=supposed.recipes)
        here.numbers.setdefault("j", 1)
        assert all(oracle.holds(demand, here) for demand in supposed.demands)
        if supposed.consequence:
            assert not oracle.separated(Equation(*supposed.consequence), here)
    assert supposed.model is not None
    numbers = {name: f.body.re for name, f in supposed.model.items() if isinstance(f.body, Num) and not f.parameters}
    model = Place(dict(numbers), chance=Random(0), formulas=supposed.model)
    assert all(oracle.may_hold(demand, model) for demand in supposed.demands)


def test_a_condition_that_fails_is_seen_to_fail() -> None:
    a, b = (Letter(name, D, D) for name in "AB")
    assert not oracle.holds(Demand("equal", Product((a, b)), Unit(D)), place(2, d=2))


@pytest.mark.parametrize(
    "node",
    [
        Product((W, A)),
        Sum((W, Flipped(W))),
        Det(W),
        Product((Unit((2, "h")), Unit((1, "h")))),
        Sum((Array(((num(1), num(2)),)), U)),
    ],
)
def test_sizes_that_do_not_agree(node: object) -> None:
    with pytest.raises(IllTypedError):
        dims(node)


def test_sizes() -> None:
    assert dims(Product((Flipped(U), A, W))) == (SCALAR, E)
    assert dims(Product((Product((Flipped(U), U)), W))) == (D, E)
    assert dims(Blocks("i", 3, ("halves", (0, 1)), None, ((I,), (I,)))) == ((6, ""), SCALAR)


def test_terms_are_put_for_free_names_only() -> None:
    node = Sum((I, Total("i", Var("h"), Product((I, Var("a"))))))
    wanted = Sum((num(3), Total("i", Var("g"), Product((I, num(2))))))
    by = {"i": Lambda((), num(3)), "a": Lambda((), num(2)), "h": Lambda((), Var("g"))}
    assert put(node, by) == wanted
    formula = {"x": Lambda(("k",), Product((Var("k"), J)))}
    assert put(Member("x", Sum((I, num(1)))), formula) == Product((Sum((I, num(1))), J))
    sizes = {"d": Lambda((), Product((num(2), Var("h"))))}
    assert put(Product((A, W)), sizes) == Product((Letter("A", (2, "h"), (2, "h")), Letter("W", (2, "h"), E)))
