"""Terms, substitution and points: what is refused, and that names are never captured."""

from fractions import Fraction

import pytest

from derivations.kernel import (
    Hypothesis,
    LimitReached,
    OutOfFragment,
    Point,
    Range,
    Refuted,
    RuleError,
    ShapeError,
    Statement,
    Theorem,
    Undecided,
    congruent,
    prove,
    realised,
    specialised,
    symmetric,
    two_sided,
    unique_solution,
)
from derivations.kernel import values as v
from derivations.kernel.balls import Ball, Indeterminate
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.models import check_replacements, holds_always
from derivations.kernel.points import at_point, ball_at, differentiated, turn_power
from derivations.kernel.statement import replaced
from derivations.kernel.sums import derivative, renamed, replaced_symbol, summed
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    Number,
    Pi,
    Replacement,
    Size,
    Symbol,
    Term,
    Transpose,
    children,
    free_names,
    number,
    rebuilt,
    resized,
    strided,
    substituted,
    walk,
)
from tests.derivations.kernel.building import (
    ONE,
    TWO,
    ZERO,
    I,
    a,
    add,
    b,
    blocks,
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
    sin,
    sub,
    theorem,
    total,
    x,
    y,
)

EVERYTHING: tuple[Term, ...] = (
    number(1),
    Pi(),
    x,
    fam("q"),
    f(x),
    add(x, y),
    mul(x, y),
    pw(x, y),
    exp(x),
    Derivative(f(x), "x"),
    total(fam("q")),
    Matrix(((x, y), (y, x))),
    blocks(m),
    matrix("W", "d", "e"),
    rot(m),
    Identity(Size(1, "d")),
    Transpose(rot(m)),
    Determinant(Matrix(((x,),))),
    Cell("X", i, j),
    Reading("X", i, j),
)


@pytest.mark.parametrize("term", EVERYTHING, ids=lambda t: type(t).__name__)
def test_a_term_is_rebuilt_from_its_children(term: Term) -> None:
    assert rebuilt(term, children(term)) == term
    assert walk(term)[0] == term
    assert substituted(term, {}) == term
    assert substituted(term, {"unknown": put(ZERO)}) == term


@pytest.mark.parametrize(
    "make",
    [
        lambda: Symbol("#0"),
        lambda: Symbol("x y"),
        lambda: Family("2q", x),
        lambda: Derivative(x, "#0"),
        lambda: IndexedSum("", h, x),
        lambda: Apply("tan", x),  # type: ignore[arg-type]
        lambda: MatrixFamily("R", x, Size(2), "unitary"),  # type: ignore[arg-type]
        lambda: Hypothesis("equal", x, y, ("#group",)),
        lambda: Range("#0", h),
        lambda: Size(1, "#0"),
    ],
)
def test_bad_names(make: object) -> None:
    with pytest.raises(RuleError):
        make()  # type: ignore[operator]


def test_free_names() -> None:
    assert free_names(total(mul(i, fam("q"), x))) == {"h", "q", "x"}
    assert free_names(Derivative(f(y), "x")) == {"f", "x", "y"}
    assert free_names(mul(matrix("W", "d", "e"), rot(m, "R", "e"), Identity(Size(2)))) == {"W", "R", "d", "e", "m"}
    assert Statement(x, x, (equal(fam("q"), i, "i"),)).names() == {"x", "q"}


class TestSubstitution:
    def test_all_at_once(self) -> None:
        assert substituted(add(x, y), {"x": put(y), "y": put(x)}) == add(y, x)

    def test_a_bound_index_stays(self) -> None:
        assert substituted(mul(i, total(fam("q"))), {"i": put(ONE)}) == mul(ONE, total(fam("q")))

    @pytest.mark.parametrize(
        ("term", "by", "why"),
        [
            (total(x), {"x": put(i)}, "capture"),
            (total(fam("q")), {"q": put(mul(i, Symbol("k")), "k")}, "capture"),
            (blocks(m), {"m": put(i)}, "capture"),
            (f(x), {"f": put(ONE)}, "arguments stand"),
            (x, {"x": put(ONE, "p")}, "arguments stand"),
            (Derivative(mul(a, x), "x"), {"a": put(x)}, "constant under"),
            (Derivative(exp(x), "x"), {"x": put(mul(TWO, y))}, "only a renaming"),
            (Derivative(mul(x, y), "x"), {"x": put(y)}, "identify two variables"),
            (Identity(Size(1, "d")), {"d": put(ZERO)}, "positive integer"),
            (Identity(Size(1, "d")), {"d": put(q("1/2"))}, "positive integer"),
            (Identity(Size(1, "d")), {"d": put(add(h, ONE))}, "positive integer"),
        ],
    )
    def test_refused(self, term: Term, by: dict[str, Replacement], why: str) -> None:
        with pytest.raises(RuleError, match=why):
            substituted(term, by)

    def test_done(self) -> None:
        assert substituted(Derivative(exp(x), "x"), {"x": put(y)}) == Derivative(exp(y), "y")
        assert substituted(Derivative(mul(a, x), "x"), {"a": put(b)}) == Derivative(mul(b, x), "x")
        assert substituted(fam("q", m), {"q": put(mul(Symbol("k"), x), "k")}) == mul(m, x)
        assert resized(Size(2, "d"), {"d": put(mul(q(3), h))}) == Size(6, "h")
        assert resized(Size(2, "d"), {"d": put(number(3))}) == Size(6)
        assert resized(Size(2, "d"), {"d": put(h)}) == Size(2, "h")
        assert substituted(rot(m), {"d": put(h), "m": put(ONE)}) == rot(ONE, "R", "h")

    def test_statements(self) -> None:
        quantified = Statement(x, x, (nonzero(mul(x, fam("q")), "i"),))
        with pytest.raises(RuleError, match="capture i"):
            replaced(quantified, {"x": put(i)})
        assert replaced(quantified, {"i": put(ONE)}) == quantified
        ranged = Statement(mul(x, i), mul(i, x), ranges=(Range("i", h),))
        with pytest.raises(RuleError, match="capture i"):
            replaced(ranged, {"x": put(i)})
        assert replaced(ranged, {"h": put(number(4))}).ranges == (Range("i", number(4)),)
        assert replaced(Statement(i, i, ranges=(Range("i", number(4)),)), {"i": put(number(3))}).ranges == ()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Statement(i, i, ranges=(Range("i", h), Range("i", h))),
        lambda: Range("i", add(h, ONE)),
        lambda: Range("i", ZERO),
        lambda: nonzero(matrix("W", "d", "d")),
        lambda: Hypothesis("positive", x, ONE),
    ],
)
def test_bad_statements(make: object) -> None:
    with pytest.raises(ShapeError):
        make()  # type: ignore[operator]


class TestPoints:
    AT = Point({"x": Fraction(1, 2), "m": Fraction(2), "h": Fraction(2), "d": Fraction(2)}, {("q", 0): Fraction(3)}, {})

    @pytest.mark.parametrize(
        "term", [f(x), rot(x), fam("q", x), total(ONE, count=x), fam("q", exp(x)), fam("q", inv(m))]
    )
    def test_no_value(self, term: Term) -> None:
        with pytest.raises(OutOfFragment):
            at_point(term, self.AT)

    @pytest.mark.parametrize("term", [log(neg(x)), log(mul(I, x)), pw(sub(x, x), x), inv(sub(x, q("1/2")))])
    def test_undefined(self, term: Term) -> None:
        with pytest.raises(Indeterminate):
            at_point(term, self.AT)

    def test_values(self) -> None:
        assert ball_at(fam("q", sub(m, mul(TWO, pw(m, 0)))), self.AT).contains(3)
        assert ball_at(Apply("re", add(x, I)), self.AT).contains(Fraction(1, 2))
        assert ball_at(Apply("im", add(x, mul(q(3), I))), self.AT).contains(3)
        assert ball_at(conj(add(x, I)), self.AT).contains(Fraction(1, 2), -1)
        assert ball_at(Determinant(Matrix(((x, ONE), (ONE, x)))), self.AT).contains(Fraction(-3, 4))
        assert not ball_at(log(x), self.AT).contains(0)

    @pytest.mark.parametrize(
        ("body", "slope"),
        [
            (pw(x, 3), mul(q(3), pw(x, 2))),
            (log(x), inv(x)),
            (conj(mul(I, pw(x, 2))), mul(neg(I), TWO, x)),
            (Apply("re", mul(add(ONE, I), x)), ONE),
            (Apply("im", mul(I, x)), ONE),
            (Derivative(pw(x, 3), "x"), mul(q(6), x)),
            (total(mul(x, i)), ONE),
            (add(Pi(), fam("q", ZERO), mul(TWO, x)), TWO),
            (pw(x, q("1/2")), mul(q("1/2"), pw(x, q("-1/2")))),
            (mul(cos(x), sin(x)), sub(pw(cos(x), 2), pw(sin(x), 2))),
        ],
    )
    def test_slopes(self, body: Term, slope: Term) -> None:
        assert not (ball_at(Derivative(body, "x"), self.AT) - ball_at(slope, self.AT)).excludes_zero()
        assert not ball_at(Derivative(body, "x"), self.AT).excludes_zero() or ball_at(slope, self.AT).excludes_zero()

    @pytest.mark.parametrize("body", [pw(x, y), f(x), fam("q", x)])
    def test_no_slope(self, body: Term) -> None:
        with pytest.raises(OutOfFragment):
            differentiated(body, "x")

    def test_turns(self) -> None:
        c, s = turn_power((Fraction(3, 5), Fraction(4, 5)), -2)
        assert (c, s) == (Fraction(-7, 25), Fraction(-24, 25))

    def test_balls_keep_their_operands(self) -> None:
        one = Ball.from_fraction(1)
        assert one.at_bits(64).bits == 64
        assert Ball.from_fraction(2, 3).at_bits(64) == Ball.from_fraction(2, 3, bits=64)
        with pytest.raises(TypeError):
            one * "x"  # type: ignore[operator]
        with pytest.raises(TypeError):
            one / "x"  # type: ignore[operator]


class TestSums:
    def test_symbols_are_replaced_everywhere(self) -> None:
        atoms = (
            v.atom(("family", "q", v.frozen(v.atom(("symbol", "m"))))),
            v.atom(("function", "f", 0, v.frozen(v.atom(("symbol", "m"))))),
            v.exponential(v.atom(("symbol", "m"))),
            v.atom(("log", ("symbol", "m"))),
            v.atom(("symbol", "m"), -1),
            v.atom(v.PI),
        )
        two = v.atom(("symbol", "two"))
        for value in atoms:
            assert replaced_symbol(value, "m", two) == renamed(value, "m", "two")

    def test_words_and_counts_keep_their_symbols(self) -> None:
        letter: v.Letter = ("rotation", "R", v.frozen(v.atom(("symbol", "m"))))
        word = v.atom(("word", frozenset([(letter,)])))
        counted = summed(v.atom(("family", "q", v.frozen(v.atom(("symbol", "i"))))), "i", ("symbol", "m"))
        for value in (word, counted):
            with pytest.raises(OutOfFragment):
                replaced_symbol(value, "m", v.ONE)
            with pytest.raises(OutOfFragment):
                derivative(value, "m")
        with pytest.raises(OutOfFragment):
            renamed(word, "m", "n")
        assert renamed(counted, "m", "n") == summed(
            v.atom(("family", "q", v.frozen(v.atom(("symbol", "i"))))), "i", ("symbol", "n")
        )

    def test_logarithms_of_counts_inside_sums(self) -> None:
        inner = total(mul(fam("q", add(i, j)), log(total(exp(fam("q"))))))
        assert isinstance(prove(Statement(total(inner, "j"), total(inner, "j"))), Undecided | Theorem)
        assert isinstance(prove(Statement(total(mul(log(h), i)), mul(log(h), total(i)))), Theorem)
        assert isinstance(prove(Statement(total(mul(Pi(), i)), mul(Pi(), total(i)))), Theorem)
        member = pw(fam("q"), q("1/2"))
        assert isinstance(prove(Statement(total(mul(member, member)), total(fam("q")))), Theorem)
        assert isinstance(prove(Statement(total(member), total(pw(fam("q", j), q("1/2")), "j"))), Theorem)

    def test_scalar_words_inside_sums(self) -> None:
        score = mul(Transpose(matrix("u", "d")), rot(m), matrix("w", "d"))
        assert isinstance(prove(Statement(total(mul(fam("q"), score)), mul(score, total(fam("q"))))), Theorem)


@pytest.mark.usefixtures("few_points")
class TestRewriting:
    def test_rules_that_do_not_end(self) -> None:
        answer = prove(Statement(a, b, (equal(a, add(a, ONE)),)))
        assert isinstance(answer, Undecided)
        assert answer.reason == "limit reached"

    def test_a_second_assignment_is_tried(self) -> None:
        rule = equal(mul(f(mul(TWO, x), "g"), f(x)), ONE, "x")
        model = {"f": put(ONE, "t"), "g": put(ONE, "t")}
        for other in (y, Symbol("z")):
            left = mul(f(mul(TWO, other), "g"), f(y), f(Symbol("z")))
            rest = f(Symbol("z")) if other == y else f(y)
            assert isinstance(prove(Statement(left, rest, (rule,)), model=model), Theorem)
        nothing = mul(f(mul(TWO, a), "g"), f(y))
        assert not isinstance(prove(Statement(nothing, ONE, (rule,)), model=model), Theorem)

    def test_a_pattern_that_falls_apart(self) -> None:
        """At m = 0 the sum of f(i m) is h f(0), no atom any more, and the rule says nothing of it."""
        rule = equal(mul(total(f(mul(i, m))), f(m, "g")), ZERO, "m")
        model = {"f": put(ZERO, "t")}
        for inside, at, used in ((n, n, True), (ZERO, ZERO, False), (m, ZERO, False), (a, b, False)):
            left = mul(total(f(mul(i, inside))), f(at, "g"))
            answer = prove(Statement(left, ZERO, (rule,)), model=model)
            assert isinstance(answer, Theorem) == used

    def test_one_variable_twice(self) -> None:
        rule = equal(mul(fam("p", m), fam("r", m)), ONE, "m")
        assert isinstance(prove(Statement(mul(fam("p", n), fam("r", n)), ONE, (rule,))), Theorem)
        assert not isinstance(prove(Statement(mul(fam("p", n), fam("r", a)), ONE, (rule,))), Theorem)

    def test_a_rule_with_a_square(self) -> None:
        rule = equal(pw(fam("c", m), 2), ONE, "m")
        assert isinstance(prove(Statement(pw(fam("c", n), 5), fam("c", n), (rule,))), Theorem)
        assert not isinstance(prove(Statement(fam("c", n), ONE, (rule,))), Theorem)

    def test_a_denominator_is_rewritten(self) -> None:
        rule = equal(mul(x, y), ONE)
        found = theorem(mul(add(x, y), inv(add(mul(x, y), ONE))), mul(q("1/2"), add(x, y)), rule)
        assert found.rewrites

    def test_words_around_a_cut(self) -> None:
        u, w = matrix("u", "d"), matrix("w", "d")
        outer = mul(u, Transpose(w))
        assert isinstance(prove(Statement(Transpose(outer), mul(w, Transpose(u)))), Theorem)
        rule = equal(outer, Identity(Size(1, "d")))
        assert not isinstance(prove(Statement(mul(outer, outer), Identity(Size(1, "d")), (rule,))), Refuted)


class TestModels:
    def test_evident_hypotheses(self) -> None:
        counts = frozenset(["h"])
        assert holds_always(equal(pw(add(x, y), 2), pw(add(y, x), 2)), counts)
        assert not holds_always(equal(x, y), counts)
        assert holds_always(positive(exp(x)), counts)
        assert holds_always(nonzero(add(i, ONE), "i"), counts)
        assert not holds_always(nonzero(add(i, ONE)), counts)
        assert not holds_always(positive(log(add(x, y))), counts)
        assert not holds_always(positive(mul(x, inv(x))), counts)
        assert not holds_always(positive(h, "h"), counts)

    def test_an_evident_hypothesis_does_not_hinder_a_refutation(self) -> None:
        assert isinstance(prove(Statement(x, y, (positive(exp(x)), nonzero(add(i, ONE), "i")))), Refuted)

    @pytest.mark.usefixtures("few_points")
    def test_an_index_that_does_not_move(self) -> None:
        hypothesis = nonzero(fam("q", sub(i, i)), "i")
        assert isinstance(prove(Statement(fam("q", ONE), ZERO, (hypothesis,))), Undecided)

    def test_a_model_that_would_be_captured(self) -> None:
        statement = Statement(total(mul(a, fam("q"))), ZERO, (equal(pw(a, 2), i),))
        answer = prove(statement, model={"a": put(i)})
        assert isinstance(answer, Refuted)  # at a point of its own, which satisfies the equation: the model is not used
        assert answer.point.symbols["a"] ** 2 == answer.point.symbols["i"]

    def test_a_model_outside_the_fragment(self) -> None:
        outside = equal(log(neg(ONE)), a)
        assert isinstance(prove(Statement(a, ZERO, (outside,))), Undecided)
        assert isinstance(prove(Statement(a, a, (outside,)), idle=(outside,)), Undecided)
        statement = Statement(x, x, (equal(a, ONE),))
        assert isinstance(prove(statement, model={"a": put(pw(number(4), q("1/2")))}), Undecided)
        assert isinstance(prove(statement, model={"a": put(pw(number(4), ZERO)), "unused": put(ONE)}), Theorem)

    def test_sizes_in_a_model(self) -> None:
        unit = Identity(Size(1, "d"))
        statement = Statement(mul(d, unit), mul(TWO, unit), (equal(d, TWO),))
        assert isinstance(prove(statement, model={"d": put(TWO)}), Theorem)
        with pytest.raises(RuleError, match="size"):
            prove(statement, model={"d": put(neg(TWO))})

    def test_too_many_names_for_a_search(self) -> None:
        names = [Symbol(f"a{k}") for k in range(5)]
        rule = equal(mul(*names), ONE)
        assert isinstance(prove(Statement(mul(*names), ONE, (rule,))), Undecided)
        ones = {name.name: put(ONE) for name in names}
        assert isinstance(prove(Statement(mul(*names), ONE, (rule,)), model=ones), Theorem)

    def test_conditions_of_replacements_are_listed_once(self) -> None:
        statement = Statement(add(x, y), add(y, x))
        assert check_replacements(statement, {"x": put(inv(a)), "y": put(inv(a))}) == [nonzero(a)]


class TestInference:
    def test_unique_solutions_need_their_form(self) -> None:
        grown = exp(mul(a, x))
        slope = theorem(Derivative(grown, "x"), mul(a, grown))
        start = theorem(exp(mul(a, ZERO)), exp(mul(a, ZERO)))
        assert unique_solution(slope, slope, start).lemmas == {"linear-ode-uniqueness"}
        other = theorem(Derivative(exp(mul(b, x)), "x"), mul(b, exp(mul(b, x))))
        with pytest.raises(RuleError, match="one equation"):
            unique_solution(slope, other, start)
        with pytest.raises(RuleError, match="initial values"):
            unique_solution(slope, slope, theorem(ONE, ONE))
        with pytest.raises(RuleError, match="is a derivative"):
            unique_solution(start, slope, start)
        with pytest.raises(RuleError, match="the factor first"):
            unique_solution(theorem(Derivative(x, "x"), ONE), slope, start)
        gauss = exp(mul(x, x))
        steep = theorem(Derivative(gauss, "x"), mul(mul(TWO, x), gauss))
        with pytest.raises(RuleError, match="constant a"):
            unique_solution(steep, steep, theorem(exp(mul(ZERO, ZERO)), exp(mul(ZERO, ZERO))))

    def test_two_sided_needs_its_form(self) -> None:
        with pytest.raises(RuleError, match="square matrices"):
            two_sided(theorem(rot(m), rot(m)))

    def test_a_definite_family_may_not_use_the_angles(self) -> None:
        known = theorem(rot(ZERO), Identity(Size(1, "d")))
        scaled = Matrix(((Symbol("anglea"), ZERO), (ZERO, ONE)))
        with pytest.raises(RuleError, match="anglea"):
            realised(known, "R", put(scaled, "p"), sizes={"d": put(TWO)})

    def test_a_family_that_is_not_defined_everywhere(self) -> None:
        known = theorem(rot(ZERO), Identity(Size(1, "d")))
        unit = mul(Symbol("p"), inv(Symbol("p")))
        with pytest.raises(RuleError):
            realised(known, "R", put(Matrix(((unit, ZERO), (ZERO, unit))), "p"), sizes={"d": put(TWO)})
        defined = mul(exp(Symbol("p")), inv(exp(Symbol("p"))))
        found = realised(known, "R", put(Matrix(((defined, ZERO), (ZERO, defined))), "p"), sizes={"d": put(TWO)})
        assert found.hypotheses == ()

    def test_specialising_and_symmetry_keep_hypotheses(self) -> None:
        known = theorem(mul(x, inv(x)), ONE)
        assert specialised(known, {"x": put(exp(y))}).hypotheses == ()
        assert specialised(known, {"x": put(mul(TWO, y))}).hypotheses == (nonzero(mul(TWO, y)),)
        assert symmetric(known).hypotheses == known.hypotheses
        score = mul(Transpose(matrix("u", "d")), rot(m), matrix("w", "d"))
        divided = theorem(mul(score, inv(score)), ONE)
        assert symmetric(divided).witness == divided.witness
        counted = theorem(total(x), mul(h, x))
        assert specialised(counted, {"h": put(Symbol("n"))}).statement == Statement(total(x, count=n), mul(n, x))

    def test_congruence_keeps_binders_apart(self) -> None:
        known = theorem(add(x, y), add(y, x))
        found = congruent(known, "hole", total(mul(Symbol("hole"), fam("q"))))
        assert found.statement.left == total(mul(add(x, y), fam("q")))


def test_a_large_block_is_not_expanded() -> None:
    large = Block("i", number(4096), strided(2), strided(2), ((ONE, ZERO), (ZERO, ONE)))
    answer = prove(Statement(large, large))
    assert isinstance(answer, Undecided)
    assert answer.reason == "limit reached"
    assert issubclass(LimitReached, Exception)


def test_a_number_holds_fractions() -> None:
    with pytest.raises(RuleError, match="exact"):
        Number(1)  # type: ignore[arg-type]
    assert Add((x, y)) == add(x, y)
