"""No false theorem: each test plants one kind of mistake that an equational prover can make.

The kinds: capture, equations used where they do not hold, lost conditions, names that change their meaning, models and
witnesses that are no values, rules whose premises do not fit.
"""

from fractions import Fraction

import pytest

from derivations.kernel import (
    Hypothesis,
    OutOfFragment,
    Range,
    Refuted,
    RuleError,
    ShapeError,
    Statement,
    Theorem,
    Undecided,
    congruent,
    lifted,
    prove,
    realised,
    specialised,
    transitive,
    two_sided,
    unique_solution,
)
from derivations.kernel.layouts import Size
from derivations.kernel.terms import (
    Apply,
    Derivative,
    Identity,
    Matrix,
    Multiply,
    Pi,
    Symbol,
    Term,
    Transpose,
    number,
)
from tests.derivations.kernel.building import (
    ONE,
    ZERO,
    I,
    a,
    add,
    c,
    conj,
    cos,
    equal,
    exp,
    f,
    fam,
    free,
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
    turn,
    x,
    y,
)

HALF = q("1/2")


def answer(left: Term, right: Term, *hypotheses: Hypothesis, ranges: tuple[Range, ...] = ()) -> object:
    return prove(Statement(left, right, hypotheses, ranges))


@pytest.mark.usefixtures("few_points")
class TestEquationsUsedWhereTheyDoNotHold:
    def test_an_equation_at_an_outer_index_is_not_used_inside_the_sum(self) -> None:
        assert not isinstance(answer(total(fam("q")), ZERO, equal(fam("q"), ZERO)), Theorem)
        assert isinstance(answer(total(fam("q")), ZERO, equal(fam("q"), ZERO, "i")), Theorem)

    def test_what_an_equation_brings_in_is_not_captured(self) -> None:
        assert not isinstance(answer(total(a), total(fam("q")), equal(a, fam("q"))), Theorem)
        assert isinstance(answer(total(a), mul(h, fam("q", j)), equal(a, fam("q", j))), Theorem)

    def test_nor_inside_a_block(self) -> None:
        from derivations.kernel.terms import Block, strided

        def column(entry: Term) -> Term:
            return Block("i", h, strided(1), None, ((entry,),))

        assert not isinstance(answer(column(fam("q")), column(ZERO), equal(fam("q"), ZERO)), Theorem)
        assert isinstance(answer(column(fam("q")), column(ZERO), equal(fam("q"), ZERO, "i")), Theorem)

    def test_an_equation_at_a_point_is_not_differentiated(self) -> None:
        assert not isinstance(answer(Derivative(x, "x"), ZERO, equal(x, ZERO)), Theorem)
        assert not isinstance(answer(Derivative(f(x), "x"), ZERO, equal(f(x), ZERO)), Theorem)
        assert isinstance(answer(Derivative(mul(c, x), "x"), ZERO, equal(c, ZERO)), Theorem)

    def test_a_later_binding_is_compared_with_what_matched_before(self) -> None:
        of_all = equal(mul(free(x, "A"), free(mul(q(2), x), "B")), Identity(Size(1, "d")), "x")
        wrong = Statement(mul(free(y, "A"), free(mul(q(2), x), "B")), Identity(Size(1, "d")), (of_all,))
        unit = {name: put(Identity(Size(1, "d")), "p") for name in "AB"}
        assert not isinstance(prove(wrong, model=unit), Theorem)
        right = Statement(mul(free(y, "A"), free(mul(q(2), y), "B")), Identity(Size(1, "d")), (of_all,))
        assert isinstance(prove(right, model=unit), Theorem)

    def test_a_scalar_pattern_is_not_divided_by_what_is_not_there(self) -> None:
        rule = equal(mul(x, f(x)), f(x, "g"), "x")
        model = {"f": put(ZERO, "t"), "g": put(ZERO, "t")}
        assert not isinstance(prove(Statement(mul(x, f(y)), f(y, "g"), (rule,)), model=model), Theorem)
        assert isinstance(prove(Statement(mul(y, f(y)), f(y, "g"), (rule,)), model=model), Theorem)

    def test_an_index_variable_is_not_matched_by_a_real_argument(self) -> None:
        rules = (equal(f(i), fam("q"), "i"), equal(fam("q"), ZERO, "i"))
        model = {"f": put(ZERO, "t"), "q": put(ZERO, "k")}
        found = prove(Statement(f(x), ZERO, rules), model=model)
        assert isinstance(found, Undecided)

    def test_an_equation_with_a_count_among_its_variables(self) -> None:
        found = answer(mul(h, inv(h)), ONE, equal(f(h), ONE, "h"))
        assert not isinstance(found, Theorem) or nonzero(h) in found.hypotheses


@pytest.mark.usefixtures("few_points")
class TestCapture:
    def test_nested_sums_are_not_merged_by_a_replacement(self) -> None:
        def doubled(at: Term) -> Term:
            return total(total(fam("q", add(i, mul(q(2), j), at)), "j"))

        rule = equal(fam("p", m), doubled(m), "m")
        merged = total(mul(h, fam("q", add(mul(q(3), i), n))))
        model = {"p": put(ZERO, "k"), "q": put(ZERO, "k")}
        assert not isinstance(prove(Statement(fam("p", n), merged, (rule,)), model=model), Theorem)
        assert isinstance(prove(Statement(fam("p", n), doubled(n), (rule,)), model=model), Theorem)

    def test_nested_sums_are_not_merged_by_a_derivative(self) -> None:
        double = total(total(sin(mul(x, fam("q"), fam("r", j))), "j"))
        slope = total(total(mul(fam("q"), fam("r", j), cos(mul(x, fam("q"), fam("r", j)))), "j"))
        merged = total(mul(h, fam("q"), fam("r"), cos(mul(x, fam("q"), fam("r")))))
        assert isinstance(answer(Derivative(double, "x"), slope), Theorem)
        assert not isinstance(answer(Derivative(double, "x"), merged), Theorem)

    def test_a_sum_inside_a_function_keeps_its_own_index(self) -> None:
        one = total(f(total(fam("q", add(i, mul(q(2), j))))), "j")
        other = total(f(total(fam("q", add(mul(q(2), i), j)))), "j")
        assert isinstance(answer(one, one), Theorem)
        assert isinstance(answer(one, other), Refuted)

    def test_a_bound_index_of_a_free_name(self) -> None:
        assert isinstance(answer(mul(i, total(i)), total(mul(i, i))), Refuted)
        assert isinstance(answer(total(total(mul(i, j), "j")), pw(total(i), 2)), Theorem)

    def test_the_inner_of_two_equal_indices_wins(self) -> None:
        shadowed = total(total(fam("q")))
        assert isinstance(answer(shadowed, mul(h, total(fam("q")))), Theorem)
        assert isinstance(answer(shadowed, mul(h, h, fam("q"))), Refuted)

    def test_an_index_that_shares_the_name_of_a_count(self) -> None:
        inside = total(mul(h, inv(h)), "h", n)  # h runs from 0 here, and counts in the other sum
        found = answer(mul(inside, total(ONE)), mul(n, h))
        assert not isinstance(found, Theorem)


@pytest.mark.usefixtures("few_points")
class TestConditions:
    def test_a_vanishing_divisor_becomes_a_hypothesis(self) -> None:
        assert theorem(mul(x, inv(x)), ONE).hypotheses == (nonzero(x),)

    def test_also_under_a_sum_for_every_index(self) -> None:
        assert theorem(total(mul(fam("q"), inv(fam("q")))), h).hypotheses == (nonzero(fam("q"), "i"),)

    def test_an_index_may_be_zero_but_one_more_may_not(self) -> None:
        assert isinstance(answer(total(mul(i, inv(i))), h), Undecided)
        assert theorem(total(mul(add(i, ONE), inv(add(i, ONE)))), h).hypotheses == ()

    def test_an_index_of_a_range_may_be_zero(self) -> None:
        found = answer(mul(i, inv(i)), ONE, ranges=(Range("i", h),))
        assert not isinstance(found, Theorem) or nonzero(i) in found.hypotheses

    def test_a_count_that_is_itself_an_index_can_be_zero(self) -> None:
        inner = total(exp(fam("q", j)), "j", i)
        assert isinstance(answer(total(mul(inner, inv(inner))), h), Undecided)

    def test_the_root_of_a_square_is_not_its_base(self) -> None:
        assert positive(x) in theorem(pw(pw(x, 2), HALF), x).hypotheses
        assert positive(x) in theorem(log(pw(x, 2)), mul(q(2), log(x))).hypotheses

    def test_the_logarithm_of_a_product_needs_both_signs(self) -> None:
        found = theorem(log(mul(x, y)), add(log(x), log(y)))
        assert set(found.hypotheses) == {positive(x), positive(y)}
        assert set(theorem(pw(mul(x, y), HALF), mul(pw(x, HALF), pw(y, HALF))).hypotheses) == {positive(x), positive(y)}

    def test_a_product_hidden_in_one_symbol_of_the_normal_form(self) -> None:
        hidden = add(mul(x, y), mul(x, y))
        assert isinstance(answer(pw(hidden, HALF), pw(hidden, HALF)), Undecided)

    def test_the_reciprocal_of_a_hidden_zero_has_no_witness(self) -> None:
        zero = total(add(mul(q(2), i), neg(h), ONE))
        assert isinstance(answer(mul(zero, inv(zero)), ONE), Undecided)

    def test_a_condition_holds_for_all_groups_of_a_block(self) -> None:
        from derivations.kernel.terms import Block, strided

        def column(entry: Term) -> Term:
            return Block("i", h, strided(1), None, ((entry,),))

        found = theorem(column(mul(fam("q"), inv(fam("q")))), column(ONE))
        assert found.hypotheses == (nonzero(fam("q"), "i"),)


class TestMeaningOfNames:
    def test_a_real_function_of_an_imaginary_argument(self) -> None:
        assert isinstance(answer(conj(f(mul(I, x))), f(mul(I, x))), Undecided)
        assert isinstance(answer(Transpose(rot(mul(I, x))), rot(mul(I, neg(x)))), Undecided)

    def test_a_derivative_by_a_count_or_an_index(self) -> None:
        assert isinstance(answer(Derivative(total(ONE), "h"), ONE), Undecided)
        assert isinstance(answer(total(Derivative(mul(i, i), "i")), total(mul(q(2), i))), Undecided)
        assert isinstance(answer(total(Derivative(i, "i"), count=number(2)), number(2)), Undecided)

    @pytest.mark.parametrize(
        ("left", "right"),
        [
            (add(x, fam("x")), add(x, fam("x"))),
            (f(x, "x"), f(x, "x")),
            (mul(matrix("W", "d", "e"), matrix("v", "e")), mul(matrix("W", "d", "k"), matrix("w", "k"))),
            (rot(m), free(m, "R")),
            (mul(Symbol("d"), matrix("d", "e")), matrix("d", "e")),
        ],
    )
    def test_one_name_has_one_meaning(self, left: Term, right: Term) -> None:
        with pytest.raises(ShapeError, match="is used for two things"):
            Statement(left, right)

    def test_an_index_cannot_count(self) -> None:
        with pytest.raises(ShapeError, match="every count"):
            Statement(total(ONE, "j", i), i, ranges=(Range("i", h),))

    def test_a_statement_keeps_no_list_that_could_change_later(self) -> None:
        from derivations.kernel.terms import Add

        with pytest.raises(TypeError, match="wanted a tuple, saw a list"):
            Statement(Add([x, y]), ZERO)  # type: ignore[arg-type]


@pytest.mark.usefixtures("few_points")
class TestModelsAndWitnesses:
    @pytest.mark.parametrize(
        "hypotheses",
        [
            (equal(a, add(a, ONE)),),
            (equal(a, ZERO), nonzero(a)),
            (equal(a, number(2)), equal(a, number(1))),
            (nonzero(ZERO),),
            (positive(neg(pw(x, 2))),),
            (positive(x), positive(neg(x))),
            (nonzero(sub(i, number(3)), "i"),),
            (equal(fam("q"), i, "i"), nonzero(fam("q"), "i")),
        ],
    )
    def test_contradictory_hypotheses_give_no_theorem(self, hypotheses: tuple[Hypothesis, ...]) -> None:
        assert isinstance(answer(x, x, *hypotheses), Undecided)

    def test_a_count_is_never_made_zero(self) -> None:
        assert isinstance(answer(total(ONE), ZERO, equal(h, ZERO)), Undecided)
        assert isinstance(answer(total(ONE), ONE, equal(h, ONE)), Theorem)

    def test_a_size_is_never_made_zero(self) -> None:
        d = Symbol("d")
        unit = Identity(Size(1, "d"))
        assert isinstance(answer(mul(d, unit), mul(ZERO, unit), equal(d, ZERO)), Undecided)

    def test_an_index_stays_in_its_range(self) -> None:
        assert isinstance(answer(i, number(2), equal(i, number(2)), ranges=(Range("i", number(2)),)), Undecided)

    @pytest.mark.parametrize(
        "model",
        [
            {"c": put(I)},
            {"c": put(ONE, "p")},
            {"c": put(inv(y))},
            {"c": put(Identity(Size(1, "d")))},
        ],
    )
    def test_a_model_keeps_names_real_and_defined(self, model: dict[str, object]) -> None:
        with pytest.raises(RuleError):
            prove(Statement(pw(c, 2), neg(ONE), (equal(pw(c, 2), neg(ONE)),)), model=model)  # type: ignore[arg-type]

    def test_a_model_does_not_touch_quantified_names(self) -> None:
        only_at_zero = equal(mul(i, fam("q")), ZERO, "i")
        statement = Statement(mul(i, fam("q")), ZERO, (only_at_zero, nonzero(fam("q"), "i")))
        assert isinstance(prove(statement, model={"i": put(ZERO), "q": put(ONE, "k")}), Undecided)

    def test_a_model_makes_no_family_a_rotation(self) -> None:
        gram = equal(mul(free(m), rot(n)), Identity(Size(1, "d")), "m", "n")
        statement = Statement(mul(free(m), rot(n)), Identity(Size(1, "d")), (gram,))
        unit = put(Identity(Size(1, "d")), "p")
        with pytest.raises(RuleError, match="rotation family"):
            prove(statement, model={"R": put(free(Symbol("p"), "B"), "p"), "A": unit})
        assert isinstance(prove(statement, model={"R": unit, "A": unit}), Theorem)

    def test_a_witness_is_found_for_functions_and_matrices(self) -> None:
        found = theorem(mul(f(x), inv(f(x))), ONE)
        assert found.hypotheses == (nonzero(f(x)),)
        score = mul(Transpose(matrix("u", "d")), rot(m), free(n), matrix("w", "d"))
        assert theorem(mul(score, inv(score)), ONE).witness.keys() >= {"u", "w", "R", "A", "d"}


class TestRefutationsAreLegal:
    def test_the_hypotheses_hold_at_the_point(self) -> None:
        found = answer(mul(x, inv(x)), number(2), positive(sub(x, number(2))))
        assert isinstance(found, Refuted)
        assert found.point.symbols["x"] > 2

    def test_a_quantified_hypothesis_holds_at_the_point(self) -> None:
        found = answer(total(fam("q")), ZERO, positive(sub(fam("q"), HALF), "i"))
        assert isinstance(found, Refuted)
        assert all(value > HALF.re for value in found.point.families.values())

    @pytest.mark.usefixtures("few_points")
    def test_a_quantified_hypothesis_that_members_outside_break(self) -> None:
        """q[i] > 1 for all i fails where undrawn members are 1; at such a point nothing may be refuted."""
        assert isinstance(answer(total(fam("q")), ZERO, positive(sub(fam("q"), ONE), "i")), Undecided)

    @pytest.mark.parametrize(
        "hypothesis",
        [
            nonzero(sub(fam("q"), i), "i"),
            nonzero(fam("q", add(i, j)), "i", "j"),
            positive(sub(f(i), f(j)), "i", "j"),
            nonzero(total(fam("q", add(i, j)), "j"), "i"),
        ],
    )
    @pytest.mark.usefixtures("few_points")
    def test_a_quantified_hypothesis_that_cannot_be_checked(self, hypothesis: Hypothesis) -> None:
        assert not isinstance(answer(total(fam("q")), ZERO, hypothesis), Refuted | Theorem)

    def test_an_index_lies_in_its_range(self) -> None:
        found = answer(fam("q"), ZERO, ranges=(Range("i", number(2)),))
        assert isinstance(found, Refuted)
        assert 0 <= found.point.symbols["i"] < 2

    def test_a_model_stands_in_the_point(self) -> None:
        circle = equal(pw(c, 2), sub(ONE, pw(Symbol("s"), 2)))
        found = answer(c, Symbol("s"), circle)
        assert isinstance(found, Refuted)
        assert found.point.symbols["c"] ** 2 + found.point.symbols["s"] ** 2 == 1

    def test_an_index_respects_the_count_of_a_model(self) -> None:
        found = answer(fam("q"), ONE, equal(h, ONE), ranges=(Range("i", h),))
        assert isinstance(found, Refuted)
        assert found.point.symbols == {"h": Fraction(1), "i": Fraction(0)}

    def test_functions_are_handed_over(self) -> None:
        found = answer(f(x), f(neg(x)))
        assert isinstance(found, Refuted)
        assert set(found.given) == {"f"}
        assert "f as given" in found.text()


@pytest.mark.usefixtures("few_points")
class TestRules:
    def test_using_does_not_instantiate_what_hypotheses_fix(self) -> None:
        zero = {"f": put(ZERO, "t")}
        known = prove(Statement(f(x), ZERO, (equal(f(x), ZERO),)), model=zero)
        assert isinstance(known, Theorem)
        statement = Statement(f(y), ZERO, known.hypotheses)
        assert not isinstance(prove(statement, using=(known,), model=zero), Theorem)

    def test_using_a_theorem_of_a_name_that_is_no_count_here(self) -> None:
        known = theorem(mul(f(h), total(ONE)), mul(f(h), h))
        with pytest.raises(RuleError, match="count or a range"):
            prove(Statement(f(h), f(h)), using=(known,))

    def test_using_a_theorem_of_an_index_outside_its_range(self) -> None:
        ranged = prove(Statement(fam("q"), fam("q"), ranges=(Range("i", h),)))
        assert isinstance(ranged, Theorem)
        with pytest.raises(RuleError, match="count or a range"):
            prove(Statement(fam("q", m), fam("q", m)), using=(ranged,))

    def test_using_a_theorem_of_another_size(self) -> None:
        known = theorem(mul(rot(m), rot(n)), rot(add(m, n)))
        wide = mul(rot(m, "R", "e"), rot(n, "R", "e"))
        with pytest.raises(RuleError, match="another size or meaning"):
            prove(Statement(wide, wide), using=(known,))

    def test_using_needs_the_hypotheses(self) -> None:
        known = theorem(mul(x, inv(x)), ONE)
        with pytest.raises(RuleError, match="hypothesis that the statement lacks"):
            prove(Statement(x, x), using=(known,))

    def test_a_theorem_about_a_count_does_not_become_one_about_a_real_number(self) -> None:
        first = theorem(mul(inv(h), h), mul(inv(h), total(ONE)))
        second = theorem(mul(inv(h), total(ONE)), ONE)
        with pytest.raises(RuleError, match="would become any real number"):
            transitive(first, second)

    def test_what_is_discharged_does_not_rest_on_what_is_discharged(self) -> None:
        known = theorem(mul(inv(h), h), ONE, nonzero(add(ONE, mul(x, total(ONE)))))
        assert "h" in specialised(known, {"x": put(ONE)}).statement.counts()
        assert "h" in specialised(known, {"x": put(ZERO)}, model={}).statement.counts()

    def test_specialising_an_index_leaves_a_quantified_one(self) -> None:
        ranged = prove(
            Statement(
                add(fam("r"), total(mul(fam("q"), inv(fam("q"))))), add(fam("r"), h), ranges=(Range("i", number(3)),)
            )
        )
        assert isinstance(ranged, Theorem)
        assert specialised(ranged, {"i": put(ZERO)}).hypotheses == (nonzero(fam("q"), "i"),)

    @pytest.mark.parametrize("value", [number(3), number(-1), HALF, x])
    def test_specialising_an_index_stays_in_the_range(self, value: Term) -> None:
        ranged = prove(Statement(fam("q"), fam("q"), ranges=(Range("i", number(3)),)))
        assert isinstance(ranged, Theorem)
        with pytest.raises(RuleError, match=r"surely below its count|in an index"):
            specialised(ranged, {"i": put(value)})

    @pytest.mark.parametrize(
        ("by", "why"),
        [
            ({"x": put(I)}, "not real"),
            ({"h": put(ZERO)}, "positive integer"),
            ({"h": put(HALF)}, "positive integer"),
            ({"m": put(HALF)}, "index"),
            ({"f": put(inv(Symbol("p")), "p")}, "not defined for all values"),
            ({"f": put(fam("r", Symbol("p")), "p")}, "integers only"),
            ({"f": put(ONE)}, "takes 1 arguments"),
            ({"x": put(ONE, "p")}, "takes 0 arguments"),
            ({"u": put(Matrix(((ONE, ONE),)))}, "the term put for it is"),
            ({"R": put(Identity(Size(1, "d")), "p")}, "realised"),
        ],
    )
    def test_specialising_keeps_the_meaning_of_names(self, by: dict[str, object], why: str) -> None:
        vector = matrix("u", "d")
        left = add(mul(x, f(x)), total(fam("q", add(i, m))), mul(Transpose(vector), rot(x), vector))
        known = theorem(left, left)
        with pytest.raises(RuleError, match=why):
            specialised(known, by)  # type: ignore[arg-type]

    def test_specialising_records_what_the_terms_need(self) -> None:
        assert specialised(theorem(x, x), {"x": put(inv(y))}).hypotheses == (nonzero(y),)

    def test_a_congruence_records_what_it_divides_by(self) -> None:
        known = theorem(add(x, y), add(y, x))
        assert congruent(known, "hole", inv(Symbol("hole"))).hypotheses == (nonzero(add(x, y)), nonzero(add(y, x)))
        with pytest.raises(OutOfFragment):
            congruent(theorem(mul(I, x), mul(x, I)), "hole", f(Symbol("hole")))
        with pytest.raises(RuleError, match="capture"):
            congruent(theorem(i, i), "hole", total(Symbol("hole")))

    @pytest.mark.parametrize("families", [("h",), ("m",), ("q",), ("unknown",)])
    def test_lifting_makes_sequences_of_real_numbers_only(self, families: tuple[str, ...]) -> None:
        known = theorem(total(fam("q", add(j, m)), "j"), total(fam("q", add(j, m)), "j"))
        with pytest.raises(RuleError):
            lifted(known, "i", "k", families=families)

    def test_lifted_hypotheses_hold_for_all_groups(self) -> None:
        known = theorem(mul(x, inv(x)), ONE)
        assert lifted(known, "i", "h", families=("x",)).hypotheses == (nonzero(fam("x"), "i"),)
        with pytest.raises(RuleError, match="capture"):
            lifted(theorem(i, i), "i", "h", families=("x",))

    def test_a_unique_solution_needs_equations_for_all_values(self) -> None:
        model = {"f": put(exp(x), "x")}
        start = equal(f(ZERO), ONE)

        def solved(growing: Hypothesis) -> Theorem:
            found = prove(Statement(Derivative(f(x), "x"), mul(ONE, f(x)), (growing, start)), model=model)
            initial = prove(Statement(exp(ZERO), f(ZERO), (growing, start)), model=model)
            assert isinstance(found, Theorem)
            assert isinstance(initial, Theorem)
            return unique_solution(theorem(Derivative(exp(x), "x"), mul(ONE, exp(x))), found, initial, model=model)

        with pytest.raises(RuleError, match="restricts x"):
            solved(equal(Derivative(f(x), "x"), f(x)))
        assert solved(equal(Derivative(f(x), "x"), f(x), "x")).statement.right == f(x)

    def test_a_unique_solution_keeps_its_ranges(self) -> None:
        def ranged(left: Term, right: Term) -> Theorem:
            found = prove(Statement(left, right, ranges=(Range("i", h),)))
            assert isinstance(found, Theorem)
            return found

        grown = exp(mul(fam("q"), x))
        slope = ranged(Derivative(grown, "x"), mul(fam("q"), grown))
        at_zero = exp(mul(fam("q"), ZERO))
        assert unique_solution(slope, slope, ranged(at_zero, at_zero)).statement.ranges == (Range("i", h),)
        with pytest.raises(RuleError, match="same ranges"):
            unique_solution(slope, slope, theorem(at_zero, at_zero))

    def test_a_rotation_family_is_realised_by_rotations_only(self) -> None:
        known = theorem(mul(rot(m), rot(n)), rot(add(m, n)))
        size = {"d": put(number(2))}
        for wrong in (
            put(Matrix(((cos(Symbol("p")), sin(Symbol("p"))), (sin(Symbol("p")), cos(Symbol("p"))))), "p"),
            put(Matrix(((ONE, Symbol("p")), (ZERO, ONE))), "p"),
            put(Matrix(turn(mul(I, Symbol("p")))), "p"),
        ):
            with pytest.raises(RuleError):
                realised(known, "R", wrong, sizes=size)
        right = put(Matrix(turn(Symbol("p"))), "p")
        assert realised(known, "R", right, sizes=size).statement.left == Multiply((Matrix(turn(m)), Matrix(turn(n))))

    def test_realising_replaces_nothing_but_the_family_and_sizes(self) -> None:
        known = theorem(mul(x, rot(m), rot(n)), mul(x, rot(add(m, n))))
        family = put(Matrix(turn(Symbol("p"))), "p")
        with pytest.raises(RuleError, match="for sizes alone"):
            realised(known, "R", family, sizes={"d": put(number(2)), "x": put(I)})
        with pytest.raises(RuleError, match=r"is 3 x 3"):
            realised(known, "R", family, sizes={"d": put(number(3))})
        with pytest.raises(RuleError, match="not a rotation"):
            realised(known, "S", family, sizes={"d": put(number(2))})

    def test_a_one_sided_inverse_of_square_matrices_only(self) -> None:
        wide, tall = Matrix(((ONE, ZERO),)), Matrix(((ONE,), (ZERO,)))
        with pytest.raises(RuleError):
            two_sided(theorem(mul(wide, tall), Identity(Size(1))))

    def test_phases_with_pi(self) -> None:
        third = exp(mul(I, Pi(), q("1/3")))
        assert isinstance(answer(pw(third, 3), number(-1)), Theorem)
        assert not isinstance(answer(pw(third, 3), ONE), Theorem)
        assert isinstance(answer(third, ONE), Refuted)
        assert isinstance(answer(conj(exp(mul(I, Pi(), q("1/2")))), neg(I)), Theorem)
        assert isinstance(
            answer(Apply("conjugate", exp(mul(I, Pi(), q("1/3")))), exp(mul(I, Pi(), q("-1/3")))), Theorem
        )


def test_words_of_equal_letters_and_other_sizes_do_not_meet() -> None:
    with pytest.raises(ShapeError):
        Statement(mul(matrix("W", "d", "e"), matrix("W", "d", "e")), matrix("W", "d", "e"))


def test_a_zero_of_words_meets_explicit_matrices() -> None:
    wide = Matrix(((ONE, ZERO, x), (ONE, ONE, y)))
    symbol = matrix("M", Size(2), Size(3))
    zero = sub(symbol, symbol)
    assert isinstance(answer(add(zero, wide), wide), Theorem)
    assert isinstance(answer(zero, wide), Refuted)
    assert isinstance(answer(mul(zero, Transpose(wide)), Matrix(((ZERO, ZERO), (ZERO, ZERO)))), Theorem)


def test_fractions_are_exact() -> None:
    assert isinstance(answer(mul(q(Fraction(1, 3)), number(3)), ONE), Theorem)
