"""Rules from theorem to theorem: what each makes, what it keeps, and which premises it refuses, in which words."""

from __future__ import annotations

import pytest

from derivations.kernel import (
    Hypothesis,
    Range,
    RuleError,
    Statement,
    Theorem,
    congruent,
    lifted,
    lifted_block,
    prove,
    specialised,
    symmetric,
    transitive,
)
from derivations.kernel.terms import (
    Block,
    Identity,
    Matrix,
    Size,
    Symbol,
    Term,
    Transpose,
    number,
    split,
    strided,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    a,
    add,
    b,
    equal,
    exp,
    f,
    fam,
    h,
    i,
    inv,
    j,
    m,
    matrix,
    mul,
    n,
    nonzero,
    positive,
    put,
    pw,
    q,
    rot,
    sub,
    theorem,
    total,
    x,
    y,
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


class TestWitnesses:
    def test_a_result_with_the_hypotheses_of_its_premise_keeps_the_witness(self) -> None:
        circle = equal(pw(a, 2), sub(ONE, pw(b, 2)))
        model = {"a": put(q("5/13")), "b": put(q("12/13"))}
        known = prove(Statement(add(pw(a, 2), pw(b, 2)), ONE, (circle,)), model=model)
        assert isinstance(known, Theorem)
        assert dict(symmetric(known).witness) == model
        joined = transitive(known, theorem(ONE, pw(x, 0)))
        assert dict(joined.witness) == model
        other = {"a": put(q("3/5")), "b": put(q("4/5"))}
        assert dict(transitive(known, theorem(ONE, pw(x, 0)), model=other).witness) == other
        found = congruent(known, "hole", mul(Symbol("hole"), x), model=other)
        assert dict(found.witness) == other
        assert dict(specialised(known, {"x": put(ONE)}, model=other).witness) == other

    def test_other_hypotheses_need_a_witness_of_their_own(self) -> None:
        known = theorem(mul(x, inv(x)), ONE)
        found = specialised(known, {"x": put(y)})
        assert found.witness.keys() == {"y"}

    def test_an_index_that_comes_to_count_needs_another_witness(self) -> None:
        says = equal(m, number(-1))
        known = prove(Statement(add(fam("q", m), x), add(x, fam("q", m)), (says,)), idle=(says,))
        assert isinstance(known, Theorem)
        with pytest.raises(RuleError, match=r"^congruent: no point was found"):
            congruent(known, "hole", add(Symbol("hole"), total(ONE, count=m)))

    def test_functions_in_equations_need_a_model(self) -> None:
        says = equal(f(ZERO), ONE)
        model = {"f": put(ONE, "t")}
        first = prove(Statement(f(ZERO), ONE, (says,)), model=model)
        second = prove(Statement(ONE, mul(f(ZERO, "g"), ONE), (equal(f(ZERO, "g"), ONE),)), model={"g": put(ONE, "t")})
        assert isinstance(first, Theorem)
        assert isinstance(second, Theorem)
        with pytest.raises(RuleError, match=r"^transitive: no point was found .* give a model"):
            transitive(first, second)
        both = {**model, "g": put(ONE, "t")}
        assert transitive(first, second, model=both).hypotheses == (*first.hypotheses, *second.hypotheses)


class TestTransitivity:
    def test_hypotheses_are_joined_in_order_and_once(self) -> None:
        first = theorem(mul(x, inv(x)), mul(y, inv(y)))
        second = theorem(mul(y, inv(y)), mul(z, inv(z)))
        found = transitive(first, second)
        assert found.statement == Statement(first.statement.left, second.statement.right, found.hypotheses)
        assert found.hypotheses == (nonzero(x), nonzero(y), nonzero(z))
        assert (found.method, found.uses) == ("transitive", (first, second))

    def test_ranges_agree_and_stay(self) -> None:
        first, second = ranged(add(fam("q"), x), add(x, fam("q"))), ranged(add(x, fam("q")), add(fam("q"), x))
        assert transitive(first, second).statement.ranges == OVER_N
        other = ranged(add(x, fam("q")), add(fam("q"), x), ranges=(Range("i", m),))
        for wrong in ((first, other), (second, second)):
            with pytest.raises(RuleError, match="transitivity needs"):
                transitive(*wrong)


class TestSymmetryAndCongruence:
    def test_symmetry(self) -> None:
        known = ranged(mul(fam("q"), inv(x)), mul(inv(x), fam("q")))
        found = symmetric(known)
        assert found.statement == Statement(known.statement.right, known.statement.left, (nonzero(x),), OVER_N)
        assert (found.method, found.uses) == ("symmetric", (known,))

    def test_congruence(self) -> None:
        known = ranged(mul(fam("q"), y, inv(x)), mul(y, inv(x), fam("q")))
        found = congruent(known, "hole", add(Symbol("hole"), z))
        left, right = (add(side, z) for side in (known.statement.left, known.statement.right))
        assert found.statement == Statement(left, right, (nonzero(x),), OVER_N)
        assert (found.method, found.uses) == ("congruent", (known,))

    def test_what_the_sides_need_in_the_context_is_assumed(self) -> None:
        known = theorem(add(x, y), add(y, x))
        found = congruent(known, "hole", inv(Symbol("hole")))
        assert found.hypotheses == (nonzero(add(x, y)), nonzero(add(y, x)))


class TestSpecialising:
    def test_integers_stay_integers(self) -> None:
        counted = theorem(total(ONE), h)
        assert specialised(counted, {"h": put(number(3))}).statement == Statement(
            total(ONE, count=number(3)), number(3)
        )
        sized = theorem(mul(Symbol("d"), rot(ZERO)), mul(Symbol("d"), D))
        assert specialised(sized, {"d": put(h)}).statement.left == mul(h, rot(ZERO, "R", "h"))
        indexed = theorem(add(fam("q", m), m), add(m, fam("q", m)))
        assert specialised(indexed, {"m": put(add(n, ONE))}).statement.left == add(fam("q", add(n, ONE)), add(n, ONE))
        with pytest.raises(RuleError, match=r"^specialised: m is an integer in a premise"):
            specialised(indexed, {"q": put(ONE, "k")})

    def test_a_count_may_not_become_an_index_or_a_real_number(self) -> None:
        root = ranged(pw(pw(n, 2), q("1/2")), n)
        assert specialised(root, {"n": put(h)}).statement.ranges == (Range("i", h),)
        with pytest.raises(RuleError, match=r"^specialised: n is an integer in a premise"):
            specialised(root, {"i": put(ZERO)})
        standing = ranged(add(pw(pw(n, 2), q("1/2")), fam("r", n)), add(n, fam("r", n)))
        with pytest.raises(RuleError, match="n is an integer in a premise"):
            specialised(standing, {"i": put(ZERO)})  # an index may be negative, a count may not
        sized_index = theorem(add(fam("r", Symbol("d")), mul(ZERO, Transpose(U), U)), fam("r", Symbol("d")))
        with pytest.raises(RuleError, match=r"^transitive: d is an integer in a premise"):
            transitive(symmetric(sized_index), sized_index)
        by_size = theorem(mul(pw(pw(Symbol("d"), 2), q("1/2")), D), mul(Symbol("d"), D))
        assert specialised(by_size, {"d": put(TWO)}).statement.right == mul(TWO, Identity(Size(2)))

    def test_matrix_families_are_realised_instead(self) -> None:
        with pytest.raises(RuleError, match="R is a matrix family; use `realised`"):
            specialised(theorem(rot(ZERO), D), {"R": put(D, "p")})
        says = equal(rot(ZERO), D)
        said = prove(Statement(x, x, (says,)), idle=(says,), model={"R": put(D, "p")})
        assert isinstance(said, Theorem)
        with pytest.raises(RuleError, match="R is a matrix family"):
            specialised(said, {"R": put(D, "p")})

    def test_hypotheses_that_hold_on_sight_are_discharged(self) -> None:
        known = theorem(mul(x, y, inv(x), inv(y)), ONE)
        assert known.hypotheses == (nonzero(x), nonzero(y))
        assert specialised(known, {"x": put(exp(z))}).hypotheses == (nonzero(y),)
        divided = mul(TWO, inv(z))
        assert specialised(known, {"x": put(divided)}).hypotheses == (nonzero(divided), nonzero(y), nonzero(z))
        over = prove(Statement(mul(x, inv(x), total(fam("q"))), total(fam("q"))))
        assert isinstance(over, Theorem)
        assert specialised(over, {"x": put(h)}).hypotheses == ()
        for one_sided in (theorem(mul(x, inv(x), total(ONE)), h), theorem(h, mul(x, inv(x), total(ONE)))):
            assert specialised(one_sided, {"x": put(h)}).hypotheses == ()
        shifted = ranged(mul(add(x, i), inv(add(x, i))), ONE)
        assert specialised(shifted, {"x": put(ONE)}).hypotheses == ()
        inside = ranged(mul(x, inv(x), fam("q")), fam("q"))
        with pytest.raises(RuleError, match="would capture i"):
            specialised(inside, {"x": put(add(i, ONE))})
        assert specialised(inside, {"x": put(n)}).hypotheses == ()
        assert specialised(inside, {"x": put(n)}).statement.ranges == OVER_N

    def test_a_hypothesis_that_alone_makes_a_count_stays(self) -> None:
        says = equal(total(ONE), h)
        known = prove(Statement(add(h, x), add(x, h), (says,)), idle=(says,))
        assert isinstance(known, Theorem)
        assert specialised(known, {"x": put(y)}).hypotheses == (says,)
        assert specialised(known, {"x": put(y)}).method == "specialised"


class TestLifting:
    def test_to_sums(self) -> None:
        known = theorem(mul(x, inv(x), y), mul(y, ONE), positive(a))
        found = lifted(known, "i", "h", families=("x",))
        assert found.statement == Statement(
            total(mul(fam("x"), inv(fam("x")), y)), total(mul(y, ONE)), (positive(a), nonzero(fam("x"), "i"))
        )
        assert (found.method, found.uses) == ("lifted", (known,))

    def test_to_blocks(self) -> None:
        known = theorem(Matrix(((mul(a, b), ZERO), (ZERO, a))), Matrix(((mul(b, a), ZERO), (ZERO, a))))
        found = lifted_block(known, "i", "h", families=("a",), rows=split(2), columns=strided(2))
        assert found.statement.left == Block("i", h, split(2), strided(2), ((mul(fam("a"), b), ZERO), (ZERO, fam("a"))))
        assert isinstance(found.statement.right, Block)
        assert found.statement.right.entries[0][0] == mul(b, fam("a"))
        assert found.method == "lifted"
        column = theorem(Matrix(((add(a, b),), (a,))), Matrix(((add(b, a),), (a,))))
        vector = lifted_block(column, "i", "h", families=("a",), rows=strided(2), columns=None)
        assert vector.statement.left == Block("i", h, strided(2), None, ((add(fam("a"), b),), (fam("a"),)))
        explicit = Matrix(((a, b), (b, a)))
        for sides in ((mul(D, D), D), (x, x), (explicit, mul(ONE, explicit)), (mul(ONE, explicit), explicit)):
            with pytest.raises(RuleError, match="between explicit matrices"):
                lifted_block(theorem(*sides), "i", "h", families=(), rows=strided(2), columns=None)

    def test_a_model_serves_as_witness(self) -> None:
        says = equal(f(x), ONE)
        known = prove(Statement(f(x), ONE, (says,)), model={"f": put(ONE, "t")})
        assert isinstance(known, Theorem)
        with pytest.raises(RuleError, match=r"^lifted: no point"):
            lifted(known, "i", "h", families=("x",))
        found = lifted(known, "i", "h", families=("x",), model={"f": put(ONE, "t")})
        assert found.hypotheses == (equal(f(fam("x")), ONE, "i"),)
        square = Matrix(((x, y), (y, x)))
        plane = prove(Statement(square, square, (equal(f(x), ONE),)), model={"f": put(ONE, "t")})
        assert isinstance(plane, Theorem)
        with pytest.raises(RuleError, match=r"^lifted: no point"):
            lifted_block(plane, "i", "h", families=("x",), rows=strided(2), columns=strided(2))
        model = {"f": put(ONE, "t")}
        blocks = lifted_block(plane, "i", "h", families=("x",), rows=strided(2), columns=strided(2), model=model)
        assert blocks.hypotheses == (equal(f(fam("x")), ONE, "i"),)

    @pytest.mark.parametrize(
        ("index", "count", "families", "message"),
        [
            ("x", "h", ("y",), "would capture x"),
            ("h", "h", ("y",), "would capture h"),
            ("k", "y", ("y",), "would capture k"),
            ("k", "h", ("q",), "only real numbers of the theorem"),
            ("k", "h", ("n",), "only real numbers of the theorem"),
            ("k", "h", ("m",), "only real numbers of the theorem"),
            ("k", "h", ("d",), "only real numbers of the theorem"),
            ("k", "h", ("unknown",), "only real numbers of the theorem"),
            ("j", "h", ("y",), "would capture j"),
        ],
    )
    def test_what_is_not_lifted(self, index: str, count: str, families: tuple[str, ...], message: str) -> None:
        left = mul(x, y, fam("q", m), total(fam("r", i), count=n), mul(Transpose(matrix("u", "d")), matrix("u", "d")))
        known = theorem(left, left, nonzero(fam("s", j), "j"))
        with pytest.raises(RuleError, match=message):
            lifted(known, index, count, families=families)

    def test_ranges_are_not_nested(self) -> None:
        with pytest.raises(RuleError, match="nest ranges"):
            lifted(ranged(add(fam("q"), x), add(x, fam("q"))), "k", "h", families=("x",))

    def test_a_count_of_the_theorem_may_count_the_groups(self) -> None:
        known = theorem(mul(h, x), mul(x, h))
        assert lifted(known, "i", "h", families=("x",)).statement.left == total(mul(h, fam("x")))
