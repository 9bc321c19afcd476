"""Exponential polynomials as data: each operation gives the one normal form, written out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.values import Atom, Coefficient, Key, Phase, Value

X: Atom = ("symbol", "x")
Y: Atom = ("symbol", "y")
LOG2: Atom = ("log", 2)
LOGX: Atom = ("log", X)
THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


def key(*powers: tuple[Atom, int], phase: Phase = v.NO_PHASE) -> Key:
    return (frozenset(powers), phase)


def phase(**coefficients: Coefficient) -> Phase:
    """Coefficients of real symbols."""
    return frozenset((key((("symbol", name), 1)), c) for name, c in coefficients.items())


def of(base: Atom, re: Fraction | int, im: Fraction | int = 0) -> Value:
    """(re + im i) times an atom."""
    return {key((base, 1)): v.coefficient(re, im)}


def e(base: Atom, re: Fraction | int, im: Fraction | int = 0) -> Value:
    return v.exponential(of(base, re, im))


@pytest.mark.parametrize(
    ("re", "im", "wanted"),
    [(0, 0, (0, 0, 1)), (2, -3, (2, -3, 1)), (HALF, THIRD, (3, 2, 6)), (Fraction(5, 6), Fraction(-1, 4), (10, -3, 12))],
)
def test_coefficients(re: Fraction, im: Fraction, wanted: Coefficient) -> None:
    assert v.coefficient(re, im) == wanted
    assert v.parts(wanted) == (re, im)
    assert v.constant(re, im) == ({v.CONSTANT: wanted} if wanted[:2] != (0, 0) else {})


def test_sums_of_coefficients_are_in_lowest_terms() -> None:
    assert v.add(v.constant(HALF), v.constant(HALF)) == v.ONE
    assert v.add(v.constant(HALF, THIRD), v.constant(THIRD, HALF)) == {v.CONSTANT: (5, 5, 6)}
    assert v.add(v.constant(Fraction(1, 6)), v.constant(Fraction(1, 10))) == {v.CONSTANT: (4, 0, 15)}
    assert v.add(v.constant(0, Fraction(1, 4)), v.constant(0, Fraction(1, 4))) == {v.CONSTANT: (0, 1, 2)}
    assert v.add(v.constant(0, 1), v.constant(0, -1)) == {}
    assert v.add(v.constant(1, 1), v.constant(0, -1)) == v.ONE
    assert v.add(v.constant(1, 1), v.constant(-1)) == v.I
    assert v.add(v.constant(THIRD, Fraction(2, 3)), v.HALF) == {v.CONSTANT: (5, 4, 6)}
    assert v.add(v.HALF, v.constant(THIRD, Fraction(2, 3))) == {v.CONSTANT: (5, 4, 6)}


def test_long_numbers_cost_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digits of all three parts are counted, from LONG bits on."""
    spent: list[int] = []
    monkeypatch.setattr(v, "LONG", 8)
    monkeypatch.setattr(v, "spend_on_digits", spent.append)
    assert v._lowest(7, 3, 4) == (7, 3, 4)
    assert spent == []
    assert v._lowest(7, 3, 8) == (7, 3, 8)
    assert v._lowest(6, 2, 64) == (3, 1, 32)
    assert spent == [9, 12]


def test_a_sum_over_one_long_denominator_does_not_pass_through_its_square() -> None:
    """2^-80000 fits into the limit of 131072 bits, twice as long a denominator does not."""
    tiny = v.constant(Fraction(1, 1 << 80_000))
    assert v.add(tiny, tiny) == v.constant(Fraction(1, 1 << 79_999))
    with pytest.raises(LimitReached, match="131072 bits"):
        v.add(tiny, v.constant(Fraction(1, 3 * (1 << 80_000))))


def test_one_term_is_added_to_a_long_sum_without_walking_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []
    long_sum: Value = {key((("symbol", f"x{k}"), 1)): v.UNIT for k in range(160)}
    monkeypatch.setattr(v, "spend", spent.append)
    assert v.add(long_sum, v.ONE) == v.add(v.ONE, long_sum) == {**long_sum, v.CONSTANT: v.UNIT}
    assert spent == [11, 11]


def test_a_sum_changes_neither_side() -> None:
    one, two = of(X, 1), v.add(of(X, -1), of(Y, 2))
    assert v.add(one, two) == v.add(two, one) == of(Y, 2)
    assert (one, two) == (of(X, 1), v.add(of(X, -1), of(Y, 2)))
    assert v.subtract(two, one) == v.add(of(X, -2), of(Y, 2))
    assert v.negate(v.constant(HALF, -2)) == {v.CONSTANT: (-1, 4, 2)}
    assert v.total(iter([one, one, two])) == v.add(of(X, 1), of(Y, 2))


def test_products_of_coefficients() -> None:
    assert v.multiply(v.constant(2), v.constant(HALF)) == v.ONE
    assert v.multiply(v.constant(1, 2), v.constant(3, -1)) == v.constant(5, 5)
    assert v.multiply(v.constant(2, 1), v.constant(3)) == v.constant(6, 3)
    assert v.multiply(v.constant(3), v.constant(0, HALF)) == v.constant(0, Fraction(3, 2))
    assert v.multiply(v.I, v.I) == v.constant(-1)
    assert v.scale(of(X, 2, 1), (1, 1, 3)) == of(X, THIRD, 1)
    assert v.scale(of(X, 2), (0, 1, 1)) == of(X, 0, 2)
    assert v.scale(of(X, 2), (0, 0, 1)) == {}
    assert v.multiply(v.HALF, v.constant(2)) == v.multiply(v.HALF_OVER_I, v.constant(0, 2)) == v.ONE


def test_products_of_monomials() -> None:
    assert v.multiply(v.atom(X), v.atom(X)) == v.atom(X, 2)
    assert v.multiply(v.atom(X, 2), v.atom(X, -2)) == v.ONE
    assert v.multiply(v.atom(X), v.atom(Y)) == {key((X, 1), (Y, 1)): v.UNIT}
    assert v.multiply({key((X, 1), (Y, 2)): v.UNIT}, v.atom(Y, -2)) == v.atom(X)
    assert v.multiply(v.ONE, v.atom(X)) == v.multiply(v.atom(X), v.ONE) == v.atom(X)
    assert v.multiply({}, v.atom(X)) == {}
    conjugates = v.multiply(v.add(v.atom(X), v.ONE), v.subtract(v.atom(X), v.ONE))
    assert conjugates == v.subtract(v.atom(X, 2), v.ONE)


def test_a_product_of_two_terms_is_one_step_where_nothing_meets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long product of atoms and a long exponent are not walked over when they only come to stand side by side."""
    monomial: v.Monomial = frozenset((("symbol", f"x{k}"), 1) for k in range(16))
    exponent = frozenset((key((("symbol", f"y{k}"), 1)), v.UNIT) for k in range(32))
    atoms: Value = {(monomial, v.NO_PHASE): v.UNIT}
    growth: Value = {(v.NO_MONOMIAL, exponent): v.UNIT}
    spent: list[int] = []
    monkeypatch.setattr(v, "spend", spent.append)
    assert v.multiply(atoms, growth) == v.multiply(growth, atoms) == {(monomial, exponent): v.UNIT}
    assert spent == [1, 1]


class Long(dict[Key, Coefficient]):
    """No terms, said to be many: what is refused is refused by length, before any product is formed."""

    length: int

    def __len__(self) -> int:
        return self.length


def long(length: int) -> Long:
    empty = Long()
    empty.length = length
    return empty


def test_products_that_are_too_large() -> None:
    assert v.multiply(long(500), long(400)) == {}
    with pytest.raises(LimitReached, match="66667 by 3 terms passes the limit of 200000"):
        v.multiply(long(66_667), long(3))


def test_exponentials_add_their_phases() -> None:
    assert e(X, 1) == {key(phase=phase(x=(1, 0, 1))): v.UNIT}
    assert v.multiply(e(X, 1), e(X, -1)) == v.ONE
    assert v.multiply(e(X, 1), e(Y, 0, 2)) == {key(phase=phase(x=(1, 0, 1), y=(0, 2, 1))): v.UNIT}
    assert v.multiply(v.multiply(v.atom(X), e(X, 1)), v.atom(Y)) == {
        key((X, 1), (Y, 1), phase=phase(x=(1, 0, 1))): v.UNIT
    }
    assert v.exponential({}) == v.ONE
    assert v.exponential(v.ONE) == {key(phase=v.frozen(v.ONE)): v.UNIT}


@pytest.mark.parametrize(
    ("turns", "left", "factor"),
    [
        (HALF, 0, 1j),
        (1, 0, -1),
        (Fraction(3, 2), 0, -1j),
        (2, 0, 1),
        (-HALF, 0, -1j),
        (-1, 0, -1),
        (Fraction(1, 4), Fraction(1, 4), 1),
        (Fraction(7, 3), Fraction(1, 3), 1),
        (Fraction(-1, 3), Fraction(1, 6), -1j),
        (Fraction(5, 6), Fraction(1, 3), 1j),
    ],
)
def test_quarter_turns_leave_an_exponential(turns: Fraction, left: Fraction, factor: complex) -> None:
    """e^(i pi r) = i^n e^(i pi (r - n/2)), and what is left turns by less than a quarter."""
    rest = {key(phase=v.frozen(of(v.PI, 0, left))): v.UNIT} if left else v.ONE
    assert e(v.PI, 0, turns) == v.multiply(v.constant(int(factor.real), int(factor.imag)), rest)


def test_only_imaginary_whole_turns_leave() -> None:
    assert e(v.PI, 3) == {key(phase=v.frozen(of(v.PI, 3))): v.UNIT}
    assert e(v.PI, Fraction(1, 2), 1) == v.negate({key(phase=v.frozen(of(v.PI, HALF))): v.UNIT})
    twice: Value = {key((v.PI, 2)): (0, 1, 1)}
    assert v.exponential(twice) == {key(phase=v.frozen(twice)): v.UNIT}
    product: Value = {key((v.PI, 1), (X, 1)): (0, 1, 1)}
    assert v.exponential(product) == {key(phase=v.frozen(product)): v.UNIT}
    in_phase: Value = {key((v.PI, 1), phase=phase(x=(1, 0, 1))): (0, 1, 1)}
    assert v.exponential(in_phase) == {key(phase=v.frozen(in_phase)): v.UNIT}


@pytest.mark.parametrize(
    ("base", "power", "left", "factor"),
    [
        (LOG2, 3, 0, v.constant(8)),
        (LOG2, Fraction(-3, 2), HALF, v.constant(Fraction(1, 4))),
        (LOG2, Fraction(7, 3), THIRD, v.constant(4)),
        (LOG2, HALF, HALF, v.ONE),
        (LOGX, 2, 0, v.atom(X, 2)),
        (LOGX, Fraction(-1, 2), HALF, v.atom(X, -1)),
    ],
)
def test_whole_powers_leave_an_exponential(base: Atom, power: Fraction, left: Fraction, factor: Value) -> None:
    """e^(c log b) = b^n e^((c - n) log b), 0 <= c - n < 1."""
    rest = {key(phase=v.frozen(of(base, left))): v.UNIT} if left else v.ONE
    assert e(base, power) == v.multiply(factor, rest)


def test_an_imaginary_power_stays_an_exponential() -> None:
    assert e(LOG2, 1, 1) == v.scale({key(phase=v.frozen(of(LOG2, 0, 1))): v.UNIT}, (2, 0, 1))
    assert e(LOG2, 0, 5) == {key(phase=v.frozen(of(LOG2, 0, 5))): v.UNIT}
    square: Value = {key((LOG2, 2)): (1, 0, 1)}
    assert v.exponential(square) == {key(phase=v.frozen(square)): v.UNIT}


def test_whole_powers_of_numbers_have_a_limit() -> None:
    assert e(LOG2, 4096) == v.constant(2**4096)
    assert e(LOG2, -4096) == v.constant(Fraction(1, 2**4096))
    for beyond in (4096 + 1, -4096 - 1):
        with pytest.raises(LimitReached, match="keep it as an exponential"):
            e(LOG2, beyond)


def test_settled_factors_meet_the_other_terms_of_a_product() -> None:
    half = e(LOG2, HALF)
    root = v.add(half, v.ONE)
    assert v.multiply(root, root) == v.add(v.constant(3), v.scale(half, (2, 0, 1)))
    eighth = e(v.PI, 0, Fraction(1, 4))
    assert v.multiply(eighth, v.multiply(v.atom(X), eighth)) == v.multiply(v.I, v.atom(X))
    both = v.multiply(e(LOG2, HALF), e(v.PI, 0, Fraction(1, 4)))
    assert v.multiply(both, both) == v.constant(0, 2)


def test_sines_and_cosines() -> None:
    up, down = e(X, 0, 1), e(X, 0, -1)
    assert v.cosine(v.atom(X)) == v.scale(v.add(up, down), (1, 0, 2))
    assert v.sine(v.atom(X)) == v.scale(v.subtract(up, down), (0, -1, 2))
    assert v.cosine({}) == v.ONE
    assert v.sine({}) == {}


def test_logarithms_fall_into_primes() -> None:
    assert v.logarithm(v.ONE) == {}
    assert v.logarithm(v.constant(Fraction(12, 5))) == v.total((of(LOG2, 2), of(("log", 3), 1), of(("log", 5), -1)))
    assert v.logarithm(v.scale(v.atom(X, 3), (2, 0, 1))) == v.add(of(LOG2, 1), of(LOGX, 3))
    two_atoms: Value = {key((X, 1), (Y, -1)): v.UNIT}
    assert v.logarithm(two_atoms) == v.add(of(LOGX, 1), of(("log", Y), -1))


@pytest.mark.parametrize(
    "value", [{}, v.constant(-1), v.I, v.constant(1, 1), v.add(v.atom(X), v.ONE), e(X, 1), of(X, 0, 1)]
)
def test_no_logarithm(value: Value) -> None:
    with pytest.raises(OutOfFragment, match="positive rational"):
        v.logarithm(value)


def test_primes() -> None:
    assert v.factors(1) == {}
    assert v.factors(2) == {2: 1}
    assert v.factors(360) == {2: 3, 3: 2, 5: 1}
    assert v.factors(9) == {3: 2}
    assert v.factors(35) == {5: 1, 7: 1}
    assert v.factors(9973 * 9973) == {9973: 2}
    assert v.factors(2 * 99_999_989) == {2: 1, 99_999_989: 1}  # the largest prime below 10^8
    assert v.factors(100_000_007) == {100_000_007: 1}  # a prime below 10001^2: divisors up to 10000 are enough
    with pytest.raises(LimitReached, match="factoring 100020023"):
        v.factors(100_020_023)  # the first prime above
    with pytest.raises(LimitReached, match="factoring 100140049"):
        v.factors(10_007 * 10_007)


def test_powers_and_reciprocals() -> None:
    assert v.power(v.atom(X), 0) == v.ONE
    assert v.power(v.atom(X), 3) == v.atom(X, 3)
    assert v.power(v.add(v.atom(X), v.ONE), 2) == v.total((v.atom(X, 2), of(X, 2), v.ONE))
    assert v.power(v.scale(v.atom(X), (2, 0, 1)), -2) == v.scale(v.atom(X, -2), (1, 0, 4))
    assert v.reciprocal(v.constant(1, 1)) == v.constant(HALF, -HALF)
    assert v.reciprocal(v.constant(Fraction(3, 2), 2)) == v.constant(Fraction(6, 25), Fraction(-8, 25))
    assert v.reciprocal({key((X, 2), (Y, -1)): v.UNIT}) == {key((X, -2), (Y, 1)): v.UNIT}
    assert v.reciprocal(v.multiply(v.atom(Y), e(X, 0, 1))) == v.multiply(v.atom(Y, -1), e(X, 0, -1))
    assert v.reciprocal(e(LOG2, HALF)) == v.scale(e(LOG2, HALF), (1, 0, 2))


def test_conjugates() -> None:
    assert v.conjugate(v.constant(2, 3)) == v.constant(2, -3)
    assert v.conjugate(v.multiply(v.constant(1, 1), e(X, 1, 1))) == v.multiply(v.constant(1, -1), e(X, 1, -1))
    assert v.conjugate(e(v.PI, 0, THIRD)) == v.multiply(v.constant(0, -1), e(v.PI, 0, Fraction(1, 6)))
    h: v.SymbolAtom = ("symbol", "h")
    turned = phase(q=(0, 1, 1))
    back = phase(q=(0, -1, 1))
    inner: Atom = ("sum", h, v.NO_MONOMIAL, turned)
    nested: Atom = ("sum", h, frozenset([(inner, 1)]), turned)
    inner_back: Atom = ("sum", h, v.NO_MONOMIAL, back)
    nested_back: Atom = ("sum", h, frozenset([(inner_back, 1)]), back)
    assert v.conjugate(v.atom(nested, 2)) == v.atom(nested_back, 2)
    assert v.conjugate({key((inner, 1), (X, 2)): v.I[v.CONSTANT]}) == {
        key((("sum", h, v.NO_MONOMIAL, back), 1), (X, 2)): (0, -1, 1)
    }
    assert v.conjugate(v.add(v.ONE, v.I)) == v.subtract(v.ONE, v.I)
    assert v.is_real(v.cosine(v.atom(X)))
    assert not v.is_real(e(X, 0, 1))


def test_mapping_reaches_phases() -> None:
    def doubled(base: Atom) -> Value | None:
        return of(Y, 2) if base == X else None

    assert v.mapped(v.add(v.atom(X, 2), v.atom(Y)), doubled) == v.add(v.scale(v.atom(Y, 2), (4, 0, 1)), v.atom(Y))
    assert v.mapped(v.scale(e(X, 1), (3, 1, 1)), doubled) == v.scale(e(Y, 2), (3, 1, 1))
    assert v.mapped(v.atom(X, -1), doubled) == v.scale(v.atom(Y, -1), (1, 0, 2))
    with pytest.raises(OutOfFragment, match="several terms"):
        v.mapped(v.atom(X, -1), lambda _: v.add(v.ONE, v.atom(Y)))
    assert v.mapped(v.atom(X), lambda _: v.add(v.ONE, v.atom(Y))) == v.add(v.ONE, v.atom(Y))
    assert v.mapped({}, doubled) == {}


def test_derivatives() -> None:
    def by_x(base: Atom) -> Value:
        return v.ONE if base == X else {}

    assert v.derivative(v.atom(X, 3), by_x) == v.scale(v.atom(X, 2), (3, 0, 1))
    assert v.derivative(v.atom(X, -1), by_x) == v.negate(v.atom(X, -2))
    assert v.derivative(v.atom(Y), by_x) == {}
    assert v.derivative({key((X, 1), (Y, 1)): (2, 0, 1)}, by_x) == of(Y, 2)
    chirp = v.exponential(v.scale(v.atom(X, 2), (0, 1, 1)))
    assert v.derivative(chirp, by_x) == v.multiply(of(X, 0, 2), chirp)
    assert v.derivative(v.multiply(v.atom(X), e(X, 1)), by_x) == v.multiply(v.add(v.ONE, v.atom(X)), e(X, 1))


def test_what_is_a_rational_number() -> None:
    assert v.rational({}) == 0
    assert v.rational(v.HALF) == HALF
    assert v.rational(v.constant(1, 1)) is None
    assert v.rational(v.atom(X)) is None
    assert v.rational(v.add(v.ONE, v.atom(X))) is None
    assert v.is_monomial(v.atom(X))
    assert not v.is_monomial({})
