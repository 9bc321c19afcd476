"""Rules that cite a lemma or prove axioms: unique solutions, two-sided inverses, and definite rotation families."""

from __future__ import annotations

import pytest

from derivations.kernel import (
    Hypothesis,
    Range,
    RuleError,
    Statement,
    Theorem,
    prove,
    realised,
    symmetric,
    two_sided,
    unique_solution,
)
from derivations.kernel.terms import (
    Block,
    Derivative,
    Identity,
    Matrix,
    Replacement,
    Size,
    Symbol,
    Term,
    Transpose,
    number,
    strided,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
    c,
    equal,
    exp,
    f,
    fam,
    h,
    i,
    inv,
    m,
    matrix,
    mul,
    n,
    neg,
    nonzero,
    positive,
    put,
    rot,
    sub,
    theorem,
    total,
    turn,
    x,
    z,
)

D = Identity(Size(1, "d"))
HOLED = mul(sub(Symbol("p"), ONE), inv(sub(Symbol("p"), ONE)))  # 1, but not defined at 1
U = matrix("u", "d")
OVER_N = (Range("i", n),)


def ranged(left: Term, right: Term, *hypotheses: Hypothesis, ranges: tuple[Range, ...] = OVER_N) -> Theorem:
    found = prove(Statement(left, right, hypotheses, ranges))
    assert isinstance(found, Theorem), found
    return found


GROWN = exp(mul(a, x))
SLOPE = theorem(Derivative(GROWN, "x"), mul(a, GROWN))
OTHER = mul(ONE, GROWN)
OTHER_SLOPE = theorem(Derivative(OTHER, "x"), mul(a, OTHER))
AT_ZERO = (exp(mul(a, ZERO)), mul(ONE, exp(mul(a, ZERO))))
START = theorem(*AT_ZERO)


class TestUniqueSolutions:
    def test_both_sides_are_equal(self) -> None:
        found = unique_solution(SLOPE, OTHER_SLOPE, START)
        assert found.statement == Statement(GROWN, OTHER)
        assert (found.method, found.uses) == ("unique_solution", (SLOPE, OTHER_SLOPE, START))
        assert found.lemmas == {"linear-ode-uniqueness"}

    def test_hypotheses_of_all_premises_are_kept(self) -> None:
        premises = [
            theorem(t.statement.left, t.statement.right, positive(Symbol(name)))
            for t, name in ((SLOPE, "b"), (OTHER_SLOPE, "c"), (START, "z"))
        ]
        found = unique_solution(*premises)
        assert found.hypotheses == (positive(b), positive(c), positive(z))

    def test_ranges_agree(self) -> None:
        three = [ranged(t.statement.left, t.statement.right) for t in (SLOPE, OTHER_SLOPE, START)]
        assert unique_solution(*three).statement.ranges == OVER_N
        plain = (SLOPE, OTHER_SLOPE, START)
        for k in range(3):
            mixed = [three[j] if j == k else plain[j] for j in range(3)]
            with pytest.raises(RuleError, match="the same ranges of indices"):
                unique_solution(*mixed)

    def test_initial_values_stand_in_order(self) -> None:
        with pytest.raises(RuleError, match="at x = 0, in order"):
            unique_solution(SLOPE, OTHER_SLOPE, symmetric(START))

    def test_a_hypothesis_may_not_restrict_the_variable(self) -> None:
        restricted = theorem(SLOPE.statement.left, SLOPE.statement.right, positive(x))
        with pytest.raises(RuleError, match="a hypothesis restricts x"):
            unique_solution(restricted, OTHER_SLOPE, START)

    def test_the_factor_is_constant_and_first(self) -> None:
        with pytest.raises(RuleError, match="the factor first"):
            unique_solution(SLOPE, theorem(Derivative(GROWN, "x"), mul(GROWN, a)), START)
        by_b = theorem(Derivative(exp(mul(a, b)), "b"), mul(a, exp(mul(a, b))))
        with pytest.raises(RuleError, match="in the same variable"):
            unique_solution(SLOPE, by_b, START)


class TestTwoSided:
    def test_a_square_inverse(self) -> None:
        known = ranged(mul(Transpose(rot(i)), rot(i)), D)
        found = two_sided(known)
        assert found.statement == Statement(mul(rot(i), Transpose(rot(i))), D, ranges=OVER_N)
        assert found.lemmas == {"square-inverse"}
        assert (found.method, found.uses) == ("two_sided", (known,))

    def test_not_square(self) -> None:
        wide, tall = matrix("W", "d", "e"), matrix("V", "e", "d")
        says = equal(mul(wide, tall), D)
        known = prove(
            Statement(mul(wide, tall), D, (says,)),
            model={"W": put(Matrix(((ONE,),))), "V": put(Matrix(((ONE,),))), "d": put(ONE), "e": put(ONE)},
        )
        assert isinstance(known, Theorem), known
        with pytest.raises(RuleError, match="between square matrices"):
            two_sided(known)
        three = theorem(mul(rot(m), rot(n), rot(neg(add(m, n)))), D)
        with pytest.raises(RuleError, match="two factors"):
            two_sided(three)

    def test_hypotheses_stay(self) -> None:
        says = positive(x)
        known = theorem(mul(rot(neg(m)), rot(m)), D, says)
        assert two_sided(known).hypotheses == (says,)
        assert two_sided(known, model={"x": put(number(5))}).witness == {"x": put(number(5))}


class TestRealising:
    KNOWN = theorem(mul(rot(m), rot(n)), rot(add(m, n)))
    PLANE = Replacement(("p",), Matrix(turn(Symbol("p"))))

    def test_a_plane(self) -> None:
        found = realised(self.KNOWN, "R", self.PLANE, sizes={"d": put(TWO)})
        assert found.statement.left == mul(Matrix(turn(m)), Matrix(turn(n)))
        assert (found.method, found.uses[0]) == ("realised", self.KNOWN)
        anglea, angleb = Symbol("anglea"), Symbol("angleb")
        assert [t.statement for t in found.uses[1:]] == [
            Statement(mul(Matrix(turn(anglea)), Matrix(turn(angleb))), Matrix(turn(add(anglea, angleb)))),
            Statement(Transpose(Matrix(turn(anglea))), Matrix(turn(neg(anglea)))),
            Statement(Matrix(turn(ZERO)), Identity(Size(2))),
        ]

    def test_a_model_serves_as_witness(self) -> None:
        says, model = equal(f(ZERO), ONE), {"f": put(ONE, "t")}
        known = prove(Statement(mul(rot(m), rot(n)), rot(add(m, n)), (says,)), model=model)
        assert isinstance(known, Theorem)
        with pytest.raises(RuleError, match=r"^realised: no point was found"):
            realised(known, "R", self.PLANE, sizes={"d": put(TWO)})
        assert realised(known, "R", self.PLANE, sizes={"d": put(TWO)}, model=model).hypotheses == (says,)

    def test_what_the_family_needs_apart_from_the_angle_is_assumed(self) -> None:
        unit = mul(x, inv(x))
        by = put(Matrix(((unit, ZERO), (ZERO, unit))), "p")
        assert realised(self.KNOWN, "R", by, sizes={"d": put(TWO)}).hypotheses == (nonzero(x),)

    def test_a_size_that_counts_stays_a_count(self) -> None:
        known = theorem(mul(total(ONE, count=Symbol("d")), rot(ZERO)), mul(Symbol("d"), D))
        even = Replacement(("p",), Block("i", h, strided(2), strided(2), turn(mul(Symbol("p"), fam("theta")))))
        with pytest.raises(RuleError, match="d counts something"):
            realised(known, "R", even, sizes={"d": put(mul(TWO, h))})

    def test_the_name_of_a_size_that_is_gone_is_free_again(self) -> None:
        """Once d is 2, the angle may be a multiple of a real number d."""
        scaled = put(Matrix(turn(mul(Symbol("p"), Symbol("d")))), "p")
        found = realised(self.KNOWN, "R", scaled, sizes={"d": put(TWO)})
        assert found.statement.right == Matrix(turn(mul(add(m, n), Symbol("d"))))

    def test_hypotheses_of_the_theorem_stay(self) -> None:
        known = theorem(mul(rot(m), rot(n)), rot(add(m, n)), positive(x))
        assert realised(known, "R", self.PLANE, sizes={"d": put(TWO)}).hypotheses == (positive(x),)

    @pytest.mark.parametrize(
        ("name", "by", "sizes", "message"),
        [
            ("S", PLANE, {"d": put(TWO)}, "S is not a rotation family"),
            ("m", PLANE, {"d": put(TWO)}, "m is not a rotation family"),
            ("R", PLANE, {"d": put(TWO), "m": put(ONE)}, "`sizes` is for sizes alone: d"),
            ("R", PLANE, {}, "R is d x d, the term put for it is 2 x 2"),
            ("R", put(Matrix(turn(x))), {"d": put(TWO)}, "R takes 1 arguments"),
            ("R", put(Matrix(turn(Symbol("anglea"))), "p"), {"d": put(TWO)}, "may not use the names anglea"),
            ("R", put(Matrix(turn(Symbol("angleb"))), "p"), {"d": put(TWO)}, "may not use the names anglea"),
            ("R", put(Matrix(turn(fam("q", Symbol("p")))), "p"), {"d": put(TWO)}, "takes every real angle"),
            ("R", put(Matrix(((ONE, ZERO), (ZERO, exp(Symbol("p"))))), "p"), {"d": put(TWO)}, "do not all hold"),
            ("R", put(Matrix(((ONE, ZERO), (Symbol("p"), ONE))), "p"), {"d": put(TWO)}, "do not all hold"),
            ("R", put(Matrix(((ONE, ZERO), (ZERO, ZERO))), "p"), {"d": put(TWO)}, "do not all hold"),
            ("R", put(Matrix(((HOLED, ZERO), (ZERO, HOLED))), "p"), {"d": put(TWO)}, "do not all hold, at every angle"),
            (
                "R",
                put(Matrix(((exp(mul(I, ZERO, Symbol("p"))), ZERO), (ZERO, mul(Symbol("p"), inv(Symbol("p")))))), "p"),
                {"d": put(TWO)},
                "do not all hold",
            ),
        ],
    )
    def test_refusals(self, name: str, by: Replacement, sizes: dict[str, Replacement], message: str) -> None:
        with pytest.raises(RuleError, match=message):
            realised(self.KNOWN, name, by, sizes=sizes)
