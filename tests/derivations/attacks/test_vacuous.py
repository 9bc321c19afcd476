"""No theorem is vacuous, and none comes from capture: contradictory hypotheses, and names that fall under binders."""

from collections.abc import Callable

import pytest

from derivations.kernel import (
    Hypothesis,
    KernelError,
    Range,
    RuleError,
    ShapeError,
    Statement,
    Theorem,
    Undecided,
    congruent,
    lifted,
    prove,
    specialised,
    transitive,
)
from derivations.kernel.layouts import Size
from derivations.kernel.models import holds_always, witness
from derivations.kernel.terms import Derivative, Identity, Pi, Symbol, Term, Transpose, number
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    add,
    c,
    d,
    equal,
    f,
    fam,
    h,
    i,
    inv,
    j,
    log,
    m,
    matrix,
    mul,
    n,
    neg,
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

HOLE = Symbol("hole")


def least(term: Term) -> Hypothesis:
    return Hypothesis("nonnegative", term)


def supposing(*hypotheses: Hypothesis, model: dict[str, object] | None = None) -> Theorem:
    """x + y = y + x under hypotheses that nothing is rewritten with."""
    answer = prove(Statement(add(x, y), add(y, x), hypotheses), idle=hypotheses, model=model)  # type: ignore[arg-type]
    assert isinstance(answer, Theorem), answer
    return answer


@pytest.mark.parametrize(
    "hypotheses",
    [
        (positive(x), positive(neg(x))),
        (positive(x), equal(x, ZERO)),
        (positive(x), equal(x, neg(pw(y, 2)))),
        (positive(sub(x, y)), positive(sub(y, z)), positive(sub(z, x))),
        (least(sub(x, ONE)), least(neg(x))),
        (least(sub(x, ONE)), equal(x, ZERO)),
        (nonzero(sub(x, y)), equal(x, y)),
        (nonzero(sub(x, x)),),
        (equal(x, ONE), equal(x, TWO)),
        (equal(pw(x, 2), number(-1)),),
        (equal(Pi(), q(3)),),
        (equal(mul(x, Pi()), ONE), equal(x, ONE)),
        (equal(c, ZERO), equal(mul(c, x), ONE)),
        (equal(fam("q"), ONE, "i"), equal(fam("q", ZERO), ZERO)),
        (equal(fam("q"), ONE, "i"), nonzero(sub(fam("q"), ONE), "i")),
        (positive(fam("q"), "i"), positive(neg(total(fam("q"))))),
        (equal(fam("q"), i, "i"), equal(fam("q", ONE), ZERO)),
        (nonzero(i, "i"),),
        (positive(neg(h)), equal(total(ONE), h)),
        (equal(mul(d, Identity(Size(1, "d"))), mul(ZERO, Identity(Size(1, "d")))),),
    ],
)
def test_hypotheses_that_exclude_one_another(hypotheses: tuple[Hypothesis, ...]) -> None:
    for idle in ((), hypotheses):
        answer = prove(Statement(add(x, y), add(y, x), hypotheses), idle=idle)
        assert isinstance(answer, Undecided), answer
        assert isinstance(prove(Statement(ZERO, ONE, hypotheses), idle=idle), Undecided)


@pytest.mark.parametrize("idle", [False, True])
def test_the_reciprocal_of_what_is_said_to_be_zero(idle: bool) -> None:
    zero = equal(c, ZERO)
    for sides in ((inv(c), inv(c)), (mul(c, inv(c)), ONE), (log(c), log(c)), (inv(add(c, c)), inv(c))):
        statement = Statement(*sides, (zero,))
        assert isinstance(prove(statement, idle=(zero,) if idle else ()), Undecided)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        (Statement(fam("q"), fam("q"), (nonzero(i),), (Range("i", ONE),)), Undecided),
        (Statement(fam("q"), fam("q"), (least(sub(i, TWO)),), (Range("i", TWO),)), Undecided),
        (Statement(fam("q"), fam("q"), (equal(i, TWO),), (Range("i", TWO),)), Undecided),
        (Statement(fam("q"), fam("q"), (equal(i, ZERO),), (Range("i", ONE),)), Theorem),
    ],
)
def test_ranges_without_a_member_that_is_meant(statement: Statement, kind: type) -> None:
    assert isinstance(prove(statement, idle=statement.hypotheses), kind)


@pytest.mark.parametrize("count", [ZERO, number(-1), q("1/2"), add(h, ONE), mul(TWO, h)])
def test_a_range_that_may_be_empty_is_refused(count: Term) -> None:
    with pytest.raises(ShapeError, match="positive integer"):
        Range("i", count)


class TestIdentitiesOfOneTerm:
    """What holds for h = 1 alone is no theorem about every h, and h = 1 must be said."""

    PRODUCT = Statement(mul(total(fam("q")), total(fam("k"))), total(mul(fam("q"), fam("k"))))

    def test_without_the_hypothesis(self) -> None:
        assert not isinstance(prove(self.PRODUCT), Theorem | Undecided)

    def test_with_the_hypothesis_the_witness_is_one(self) -> None:
        one = equal(h, ONE)
        answer = prove(Statement(mul(h, total(x)), total(x), (one,)))
        assert isinstance(answer, Theorem)
        assert answer.witness["h"] == put(ONE)
        with pytest.raises(RuleError, match="no point was found"):
            specialised(answer, {"h": put(TWO)})

    def test_with_a_hypothesis_that_excludes_it(self) -> None:
        assert isinstance(prove(Statement(mul(h, x), x, (equal(h, ONE), nonzero(sub(h, ONE))))), Undecided)


class TestAWitnessIsOneForTheResult:
    """A premise may have been true of x = 3/5 or x = -1; where x becomes an index or a count, nothing is left of it."""

    FIFTHS = equal(mul(q(5), x), q(3))

    @pytest.mark.parametrize(
        "context",
        [
            fam("q", HOLE),
            total(ONE, "i", Symbol("x")),
            total(fam("q", add(i, HOLE))),
            mul(Transpose(matrix("u", "x")), matrix("u", "x")),
        ],
    )
    def test_in_a_context(self, context: Term) -> None:
        with pytest.raises(RuleError, match="no point was found"):
            congruent(supposing(self.FIFTHS), "hole", context)

    @pytest.mark.parametrize(
        "context", [total(ONE, "i", Symbol("x")), mul(Transpose(matrix("u", "x")), matrix("u", "x"))]
    )
    def test_a_negative_count_or_size(self, context: Term) -> None:
        with pytest.raises(RuleError, match="no point was found"):
            congruent(supposing(positive(neg(x))), "hole", context)

    def test_where_a_name_is_specialised(self) -> None:
        with pytest.raises(RuleError, match="no point was found"):
            specialised(supposing(positive(neg(x))), {"y": put(total(ONE, "i", Symbol("x")))})
        with pytest.raises(RuleError, match="no point was found"):
            specialised(supposing(self.FIFTHS), {"y": put(fam("q", x))})

    def test_where_it_counts_the_lifted_sum(self) -> None:
        with pytest.raises(RuleError, match="no point was found"):
            lifted(supposing(positive(neg(x))), "i", "x", families=("y",))

    def test_an_integer_that_satisfies_them_is_found(self) -> None:
        found = congruent(supposing(positive(x)), "hole", fam("q", HOLE))
        value = found.witness["x"].body
        assert isinstance(value, type(ONE))
        assert value.re.denominator == 1


class TestRulesThatJoinHypotheses:
    def test_transitivity(self) -> None:
        with pytest.raises(RuleError, match="no point was found"):
            transitive(theorem(x, x, positive(x)), theorem(x, x, positive(neg(x))))

    def test_specialising_to_a_hidden_zero(self) -> None:
        with pytest.raises(RuleError, match="no point was found"):
            specialised(theorem(mul(x, inv(x)), ONE), {"x": put(sub(y, y))})

    def test_a_context_that_divides_by_zero(self) -> None:
        with pytest.raises(KernelError, match="identically zero"):
            congruent(theorem(sub(x, x), ZERO), "hole", inv(HOLE))

    def test_a_used_theorem_brings_its_hypotheses(self) -> None:
        known = theorem(mul(x, inv(x)), ONE)
        statement = Statement(mul(y, inv(y)), ONE, (nonzero(x), equal(x, ZERO)))
        assert isinstance(prove(statement, using=(known,), idle=statement.hypotheses), Undecided)

    def test_the_witness_of_every_result_satisfies_its_hypotheses(self) -> None:
        made = [
            theorem(mul(x, inv(x)), ONE),
            specialised(theorem(mul(x, inv(x)), ONE), {"x": put(add(y, z))}),
            congruent(theorem(add(x, y), add(y, x)), "hole", inv(HOLE)),
            lifted(theorem(mul(x, inv(x)), ONE), "i", "h", families=("x",)),
        ]
        for found in made:
            assert found.hypotheses
            for hypothesis in found.hypotheses:
                assert holds_always(hypothesis.put(found.witness), frozenset({"h"}))


class TestCapture:
    """A name that a binder holds is not met by what is put under it."""

    @pytest.mark.parametrize(
        "act",
        [
            lambda: congruent(theorem(add(i, x), add(x, i)), "hole", total(HOLE)),
            lambda: congruent(theorem(add(i, x), add(x, i)), "hole", total(total(HOLE, "j"), "i")),
            lambda: congruent(theorem(f(x), f(x)), "hole", Derivative(HOLE, "x")),
            lambda: specialised(theorem(total(fam("q", add(i, m))), total(fam("q", add(m, i)))), {"m": put(i)}),
            lambda: specialised(theorem(total(mul(x, fam("q"))), mul(x, total(fam("q")))), {"x": put(fam("r"))}),
            lambda: specialised(
                theorem(total(f(add(i, x))), total(f(add(x, i)))), {"f": put(add(i, Symbol("t")), "t")}
            ),
            lambda: specialised(supposing(equal(mul(z, fam("q")), ZERO, "i")), {"z": put(fam("r"))}),
            lambda: lifted(theorem(add(i, x), add(x, i)), "i", "h", families=("x",)),
            lambda: lifted(theorem(add(h, x), add(x, h)), "i", "h", families=("h",)),
            lambda: specialised(theorem(Derivative(mul(x, y), "x"), y), {"y": put(pw(x, 2))}),
            lambda: specialised(theorem(Derivative(mul(x, y), "x"), y), {"x": put(y)}),
            lambda: specialised(theorem(Derivative(pw(x, 2), "x"), mul(TWO, x)), {"x": put(ONE)}),
        ],
    )
    def test_it_is_refused(self, act: Callable[[], object]) -> None:
        with pytest.raises(RuleError):
            act()

    def test_swapping_two_names_at_once(self) -> None:
        both = specialised(theorem(sub(x, y), add(x, neg(y))), {"x": put(y), "y": put(x)})
        assert both.statement == Statement(sub(y, x), add(y, neg(x)))
        known = theorem(Derivative(mul(x, y), "x"), y)
        assert specialised(known, {"x": put(z)}).statement == Statement(Derivative(mul(z, y), "z"), y)
        with pytest.raises(RuleError, match="constant under"):
            specialised(known, {"x": put(z), "y": put(x)})  # refused, though it would be right

    def test_derivatives_within_derivatives_are_renamed_once(self) -> None:
        """Ninety levels: a renaming that looked at each level twice would never end."""
        deep: Term = f(x)
        for _ in range(90):
            deep = Derivative(deep, "x")
        found = specialised(theorem(deep, deep), {"x": put(y)}).statement
        assert found.names() == {"f", "y"}

    def test_an_inner_index_of_the_same_name_wins(self) -> None:
        nested = total(mul(fam("q"), total(fam("r"))))
        assert isinstance(prove(Statement(nested, mul(total(fam("q")), total(fam("r"))))), Theorem)
        assert isinstance(prove(Statement(nested, mul(total(fam("q", j), "j"), total(fam("r"))))), Theorem)
        assert not isinstance(prove(Statement(nested, total(total(mul(fam("q"), fam("r")))))), Theorem)
        assert not isinstance(prove(Statement(nested, total(mul(fam("q"), fam("r"))))), Theorem)

    def test_a_quantified_name_hides_a_free_one(self) -> None:
        """q[i] = 1 for every i says nothing of the i of the statement, which stays any real number."""
        everywhere = equal(fam("q"), ONE, "i")
        found = prove(Statement(mul(n, fam("q", n)), n, (everywhere,)))
        assert isinstance(found, Theorem)
        assert specialised(found, {"n": put(m)}).hypotheses == (everywhere,)
        with pytest.raises(ShapeError, match="nor be a size"):
            equal(mul(d, Transpose(matrix("u", "d")), matrix("u", "d")), ONE, "d")
        with pytest.raises(ShapeError, match="may not count"):
            equal(total(ONE), h, "h")

    def test_a_rotation_at_every_angle_is_not_the_identity(self) -> None:
        unit = Identity(Size(1, "d"))
        always = equal(rot(m), unit, "m")
        assert isinstance(prove(Statement(rot(x), unit, (always,))), Undecided)
        assert witness(Statement(rot(x), unit, (always,)), {"R": put(unit, "p")}) is not None
