"""Exponential polynomials, quotients and sums: what is decided, in both directions, and where the border lies."""

from fractions import Fraction

import pytest

from derivations.kernel import Refuted, Statement, Theorem, Undecided, prove
from derivations.kernel import quotients as quotients_
from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.terms import Apply, Derivative, Determinant, Matrix, Number, Pi, Power, Term, number
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
    cis,
    conj,
    cos,
    d,
    equal,
    exp,
    f,
    fam,
    h,
    i,
    inv,
    j,
    log,
    m,
    mul,
    n,
    neg,
    positive,
    pw,
    q,
    sin,
    sub,
    theorem,
    total,
    x,
    y,
    z,
)

THIRD, HALF = q("1/3"), q("1/2")


def chebyshev(c: Term) -> Term:
    """cos 8a = 128 c^8 - 256 c^6 + 160 c^4 - 32 c^2 + 1."""
    terms = [mul(number(k), pw(c, p)) for k, p in ((128, 8), (-256, 6), (160, 4), (-32, 2))]
    return add(*terms, ONE)


TRUE = {
    "binomial": (pw(add(x, y), 3), add(pw(x, 3), mul(q(3), x, x, y), mul(q(3), x, y, y), pw(y, 3))),
    "cos of a sum": (cos(add(x, y)), sub(mul(cos(x), cos(y)), mul(sin(x), sin(y)))),
    "circle": (add(pw(cos(x), 2), pw(sin(x), 2)), ONE),
    "half angles": (pw(cos(mul(HALF, x)), 2), mul(HALF, add(ONE, cos(x)))),
    "eight angles": (cos(mul(q(8), a)), chebyshev(cos(a))),
    "chirp": (mul(cis(mul(x, x)), cis(neg(mul(y, y)))), cis(mul(add(x, y), sub(x, y)))),
    "products of angles": (cis(mul(mul(m, x), mul(n, y))), cis(mul(mul(n, x), mul(m, y)))),
    "xPos": (mul(exp(mul(m, x)), cis(mul(m, y)), exp(mul(neg(n), x)), cis(mul(neg(n), y))),
             mul(exp(mul(sub(m, n), x)), cis(mul(sub(m, n), y)))),
    "constants in exponents": (mul(exp(THIRD), exp(q("2/3")), pw(exp(ONE), 1)), exp(TWO)),
    "real constants beside symbols": (exp(add(x, ONE)), mul(exp(ONE), exp(x))),
    "half turns": (cis(mul(Pi(), q("7/2"))), neg(I)),
    "a turn is one": (cis(mul(TWO, Pi())), ONE),
    "shifted by a quarter": (cos(sub(x, mul(HALF, Pi()))), sin(x)),
    "third of a half turn, cubed": (pw(cis(mul(THIRD, Pi())), 3), neg(ONE)),
    "turns beyond one": (cis(mul(q("7/3"), Pi())), cis(mul(THIRD, Pi()))),
    "complex times pi": (exp(mul(add(ONE, I), Pi())), neg(exp(Pi()))),
    "conjugate": (conj(mul(add(x, mul(I, y)), cis(z))), mul(sub(x, mul(I, y)), cis(neg(z)))),
    "conjugate of a third": (conj(cis(mul(THIRD, Pi()))), cis(neg(mul(THIRD, Pi())))),
    "real part": (Apply("re", mul(add(x, mul(I, y)), add(a, mul(I, b)))), sub(mul(x, a), mul(y, b))),
    "imaginary part": (Apply("im", cis(x)), sin(x)),
    "tangents": (mul(sin(x), inv(cos(x)), cos(x)), sin(x)),
    "partial fractions": (add(inv(add(x, ONE)), inv(sub(x, ONE))), mul(TWO, x, inv(sub(mul(x, x), ONE)))),
    "inverse of a unit": (inv(cis(x)), cis(neg(x))),
    "root": (mul(pw(TWO, HALF), pw(TWO, HALF)), TWO),
    "roots of products": (pw(q(8), HALF), mul(TWO, pw(TWO, HALF))),
    "size over its root": (mul(d, inv(pw(d, HALF))), pw(d, HALF)),
    "three halves": (pw(x, q("3/2")), mul(x, pw(x, HALF))),
    "negative half": (mul(pw(x, q("-1/2")), pw(x, q("-1/2"))), inv(x)),
    "frequencies": (
        pw(a, mul(number(-2), add(i, ONE), inv(d))),
        mul(pw(a, mul(number(-2), i, inv(d))), pw(a, mul(number(-2), inv(d)))),
    ),
    "powers of ten thousand": (pw(number(10000), mul(q("1/4"), x)), pw(number(10), x)),
    "logarithms": (log(mul(q(6), x)), add(log(TWO), log(q(3)), log(x))),
    "exp of log": (exp(mul(TWO, log(x))), mul(x, x)),
    "log of a power": (log(pw(x, y)), mul(y, log(x))),
    "zero power": (pw(x, 0), ONE),
    "chain rule": (Derivative(cos(mul(x, x)), "x"), mul(number(-2), x, sin(mul(x, x)))),
    "quotient rule": (Derivative(inv(add(x, cos(x))), "x"), mul(sub(sin(x), ONE), pw(add(x, cos(x)), -2))),
    "derivative of a root": (Derivative(pw(x, HALF), "x"), mul(HALF, pw(x, q("-1/2")))),
    "derivative of a product": (Derivative(mul(f(x), x), "x"), add(f(x), mul(x, Derivative(f(x), "x")))),
    "derivative of a logarithm": (Derivative(log(x), "x"), inv(x)),
    "derivative under a sum": (
        Derivative(total(sin(mul(x, fam("q")))), "x"),
        total(mul(fam("q"), cos(mul(x, fam("q"))))),
    ),
    "determinant": (Determinant(Matrix(((x, y), (a, b)))), sub(mul(x, b), mul(y, a))),
    "determinant of a turn": (Determinant(Matrix(((cos(x), neg(sin(x))), (sin(x), cos(x))))), ONE),
    "a sum of one is the count": (total(TWO), mul(TWO, h)),
    "what does not depend on the index": (total(mul(x, fam("q"), cis(y))), mul(cis(y), x, total(fam("q")))),
    "name of the index": (total(fam("q")), total(fam("q", j), "j")),
    "sums of sums": (total(total(mul(fam("q"), fam("r", j)), "j")), mul(total(fam("q")), total(fam("r")))),
    "softmax is shift invariant": (
        mul(exp(add(fam("s", m), x)), inv(total(exp(add(fam("s"), x))))),
        mul(exp(fam("s", m)), inv(total(exp(fam("s"))))),
    ),
    "conjugate of a sum": (conj(total(cis(mul(x, fam("q"))))), total(cis(neg(mul(x, fam("q")))))),
    "conjugate of a product with a sum": (
        conj(mul(total(cis(fam("q"))), fam("r", m))),
        mul(fam("r", m), total(cis(neg(fam("q"))))),
    ),
    "a definite sum": (total(mul(i, fam("q")), count=number(3)), add(fam("q", ONE), mul(TWO, fam("q", TWO)))),
    "index arithmetic": (total(fam("q", add(mul(TWO, i), ONE))), total(fam("q", add(i, ONE, i)))),
}  # fmt: skip

FALSE = {
    "freshman": (pw(add(x, y), 2), add(pw(x, 2), pw(y, 2))),
    "wrong sign": (cos(add(x, y)), add(mul(cos(x), cos(y)), mul(sin(x), sin(y)))),
    "e squared is not e + e": (exp(TWO), mul(TWO, exp(ONE))),
    "e^(1/3) and 1.395612425": (exp(THIRD), q("1395612425/1000000000")),
    "eight angles": (cos(mul(q(8), a)), add(chebyshev(cos(a)), mul(q("1/1000000000"), sin(a)))),
    "a defect of 1e-9": (add(pw(cos(x), 2), pw(sin(x), 2)), add(ONE, mul(q("1/1000000000"), pw(sin(x), 4)))),
    "product of sums": (mul(total(fam("q")), total(fam("k"))), total(mul(fam("q"), fam("k")))),
    "offset": (total(fam("q")), total(fam("q", add(i, ONE)))),
    "conjugate": (conj(cis(x)), cis(x)),
    "pi": (Pi(), q("355/113")),
    "a third of a turn": (cis(mul(THIRD, Pi())), neg(ONE)),
    "frequency": (pw(a, mul(number(-2), i, inv(d))), pw(a, mul(number(-1), i, inv(d)))),
    "root": (pw(x, HALF), x),
    "slope": (Derivative(sin(mul(TWO, x)), "x"), cos(mul(TWO, x))),
    "function": (f(add(x, ONE)), add(f(x), ONE)),
    "slope of a function": (Derivative(f(x), "x"), f(x)),
    "determinant": (Determinant(Matrix(((x, y), (a, b)))), add(mul(x, b), mul(y, a))),
}  # fmt: skip


@pytest.mark.parametrize("sides", TRUE.values(), ids=TRUE.keys())
def test_true(sides: tuple[Term, Term]) -> None:
    answer = prove(Statement(*sides))
    assert isinstance(answer, Theorem), answer


@pytest.mark.parametrize("sides", FALSE.values(), ids=FALSE.keys())
def test_false(sides: tuple[Term, Term]) -> None:
    answer = prove(Statement(*sides))
    assert isinstance(answer, Refuted), answer
    assert answer.text().startswith("at ")


MANY = [add(*(fam(name, number(k)) for k in range(450))) for name in ("q", "k")]
UNDECIDED = {
    "a true sum with a body that is not zero": (total(add(mul(TWO, i), neg(h), ONE)), ZERO),
    "a relation of roots of unity": (cis(mul(THIRD, Pi())), add(ONE, cis(mul(q("2/3"), Pi())))),
    "the logarithm of a sum, undone": (exp(log(add(x, ONE))), add(x, ONE)),
    "an imaginary exponent of a real base": (pw(x, I), pw(x, I)),
    "the logarithm of a negative number": (log(neg(ONE)), mul(I, Pi())),
    "the logarithm of a sum": (log(add(x, y)), log(add(y, x))),
    "a root of a negative number": (pw(neg(ONE), HALF), I),
    "a function of a quotient": (f(inv(add(x, y))), f(inv(add(y, x)))),
    "a sequence between its members": (fam("q", HALF), fam("q", HALF)),
    "a sequence at a product": (fam("q", mul(i, i)), fam("q", mul(i, i))),
    "division by zero": (mul(x, inv(sub(x, x))), x),
    "a divisor that meets the index": (total(inv(add(fam("q"), x))), total(inv(add(x, fam("q"))))),
    "a sequence by its index": (Derivative(fam("q", m), "m"), ZERO),
    "a sum by what counts it": (Derivative(total(fam("q")), "h"), ZERO),
    "too high a power": (pw(x, 513), pw(x, 513)),
    "too many terms": (mul(MANY[0], MANY[1]), ZERO),
    "a prime that is too large": (log(number(10_007 * 10_009)), ZERO),
    "too high a power of a number": (exp(mul(number(5000), log(TWO))), ZERO),
    "too large a determinant": (Determinant(Matrix(tuple(tuple(ONE for _ in range(7)) for _ in range(7)))), ZERO),
    "too large a matrix": (total(ONE, count=number(5000)), number(5000)),
}  # fmt: skip


@pytest.mark.parametrize("sides", UNDECIDED.values(), ids=UNDECIDED.keys())
@pytest.mark.usefixtures("few_points")
def test_undecided(sides: tuple[Term, Term]) -> None:
    answer = prove(Statement(*sides))
    assert isinstance(answer, Undecided), answer
    assert answer.detail


def test_the_product_of_sums_is_refuted_at_count_two() -> None:
    answer = prove(Statement(mul(total(fam("q")), total(fam("k"))), total(mul(fam("q"), fam("k")))))
    assert isinstance(answer, Refuted)
    assert answer.point.symbols["h"] == 2


def test_a_term_that_is_nested_too_deeply() -> None:
    deep: Term = x
    for _ in range(99):
        deep = add(deep, ONE)
    assert isinstance(prove(Statement(deep, add(x, number(99)))), Theorem)
    with pytest.raises(LimitReached, match="101 levels"):
        add(deep, ONE)


def test_used_hypotheses_are_counted() -> None:
    circle = equal(pw(a, 2), sub(ONE, pw(b, 2)))
    found = theorem(sub(pw(a, 4), pw(b, 4)), sub(ONE, mul(TWO, pw(b, 2))), circle)
    assert found.rewrites == (("hypothesis 1", 3),)
    assert found.hypotheses == (circle,)


def test_a_positive_hypothesis_covers_a_divisor() -> None:
    assert theorem(mul(x, inv(x)), ONE, positive(x)).hypotheses == (positive(x),)


def test_evidently_positive_divisors_need_no_hypothesis() -> None:
    divisor = add(h, exp(x), total(exp(fam("s"))), mul(Pi(), pw(x, 2)), mul(i, h))
    assert theorem(mul(divisor, inv(divisor)), ONE).hypotheses != ()  # i alone may be negative
    divisor = add(h, exp(x), total(exp(fam("s"))), mul(Pi(), pw(x, 2)))
    assert theorem(mul(divisor, inv(divisor)), ONE).hypotheses == ()
    assert theorem(mul(neg(divisor), inv(neg(divisor))), ONE).hypotheses == ()
    assert theorem(mul(cis(x), inv(cis(x))), ONE).hypotheses == ()
    assert theorem(mul(I, total(ONE), inv(mul(I, h))), ONE).hypotheses == ()


class TestData:
    def test_numbers_are_in_lowest_terms(self) -> None:
        half = v.coefficient(Fraction(1, 2), Fraction(1, 3))
        assert half == (3, 2, 6)
        assert v.parts(half) == (Fraction(1, 2), Fraction(1, 3))

    def test_a_value_that_is_a_rational_number(self) -> None:
        assert v.rational({}) == 0
        assert v.rational(v.HALF) == Fraction(1, 2)
        assert v.rational(v.I) is None
        assert v.rational(v.atom(v.PI)) is None

    def test_scaling_by_zero(self) -> None:
        assert v.scale(v.ONE, (0, 0, 1)) == {}

    def test_a_quotient_reduces_where_it_can(self) -> None:
        two_terms = quotients_.whole(v.add(v.ONE, v.atom(("symbol", "x"))))
        inverse = quotients_.reciprocal(two_terms)
        assert quotients_.multiply(two_terms, inverse) == quotients_.ONE
        assert quotients_.power(two_terms, -2) == quotients_.multiply(inverse, inverse)
        with pytest.raises(OutOfFragment, match="divisor"):
            quotients_.entire(inverse, "it")

    def test_factoring_ends(self) -> None:
        with pytest.raises(LimitReached):
            v.logarithm(v.constant(10_007 * 10_009))

    def test_replacing_a_divisor_by_a_sum(self) -> None:
        value = v.atom(("symbol", "x"), -1)
        with pytest.raises(OutOfFragment):
            v.mapped(value, lambda _: v.add(v.ONE, v.atom(v.PI)))
        assert v.mapped(value, lambda _: v.HALF) == v.constant(2)

    def test_settled_exponents(self) -> None:
        log2 = v.atom(("log", 2))
        assert v.exponential(v.scale(log2, (-3, 0, 1))) == v.constant(Fraction(1, 8))
        half = v.exponential(v.scale(log2, (-1, 0, 2)))
        assert v.multiply(half, half) == v.HALF
        assert v.reciprocal(half) == v.exponential(v.scale(log2, (1, 0, 2)))

    def test_an_evaluation_lists_its_conditions(self) -> None:
        context = Context()
        evaluate(mul(inv(x), pw(y, HALF), log(z)), context)
        assert [(c.kind, c.left) for c in context.conditions] == [("nonzero", x), ("positive", y), ("positive", z)]

    def test_a_number_is_exact(self) -> None:
        with pytest.raises(Exception, match="exact"):
            Number(0.5)  # type: ignore[arg-type]
        assert Power(x, ONE) == pw(x, 1)
