"""Generators of towers: what is merged, what is cleared, what is unfolded, and what stays undecided."""

import math
from fractions import Fraction

import pytest

from derivations.kernel import towers
from derivations.kernel import values as v
from derivations.kernel.errors import LimitReached, OutOfFragment
from derivations.kernel.quotients import Quotient
from derivations.kernel.towers import Tower
from derivations.kernel.values import Value


def x(name: str) -> Value:
    return v.atom(("symbol", name))


def c(value: str | int) -> Value:
    return v.constant(Fraction(value))


A, B, C = x("a"), x("b"), x("c")


def generators(tower: Tower, *kinds: str) -> int:
    return sum(g.kind in kinds for g in tower.made)


class TestInverses:
    def test_of_one_term_makes_no_generator(self) -> None:
        tower = Tower()
        assert tower.invert(v.scale(A, (2, 0, 1))) == v.scale(v.atom(("symbol", "a"), -1), (1, 0, 2))
        assert not tower.made

    def test_times_the_value_is_one(self) -> None:
        tower = Tower()
        under = v.add(A, B)
        product = tower.multiply(under, tower.invert(under))
        assert product != v.ONE
        assert tower.equal(product, v.ONE)
        assert not tower.equal(product, c(2))

    def test_of_multiples_share_a_generator(self) -> None:
        tower = Tower()
        half = tower.invert(v.scale(v.add(A, B), (2, 0, 1)))
        assert v.scale(half, (2, 0, 1)) == tower.invert(v.add(A, B))
        assert len(tower.made) == 1

    def test_of_an_inverse_is_the_value(self) -> None:
        tower = Tower()
        assert tower.invert(tower.invert(v.add(A, B))) == v.add(A, B)

    def test_of_zero(self) -> None:
        with pytest.raises(OutOfFragment, match="identically zero"):
            Tower().invert({})

    def test_sums_of_two(self) -> None:
        """1/(a+b) + 1/(a-b) = 2a/(a^2-b^2), and not 2b."""
        tower = Tower()
        plus, minus = v.add(A, B), v.subtract(A, B)
        left = v.add(tower.invert(plus), tower.invert(minus))
        under = tower.invert(v.subtract(v.multiply(A, A), v.multiply(B, B)))
        assert tower.equal(left, tower.multiply(v.scale(A, (2, 0, 1)), under))
        assert not tower.equal(left, tower.multiply(v.scale(B, (2, 0, 1)), under))

    def test_nested(self) -> None:
        """1/(1 + 1/(a+b)) = (a+b)/(a+b+1)."""
        tower = Tower()
        s = v.add(A, B)
        left = tower.invert(v.add(v.ONE, tower.invert(s)))
        assert tower.equal(left, tower.multiply(s, tower.invert(v.add(s, v.ONE))))

    def test_equal_values_in_two_forms_are_one_generator(self) -> None:
        tower = Tower()
        s, t = v.add(A, B), v.add(A, C)
        both = v.add(tower.invert(s), tower.invert(t))  # (2a+b+c)/(st)
        other = tower.multiply(v.add(s, t), tower.invert(v.multiply(s, t)))
        before = len(tower.made)
        one = tower.invert(v.add(v.ONE, both))
        two = tower.invert(v.add(v.ONE, other))
        assert one == two
        assert len(tower.made) == before + 1


class TestRoots:
    @pytest.mark.parametrize(("n", "text"), [("4", "2"), ("1/4", "1/2"), ("9/25", "3/5"), ("0", "0"), ("1", "1")])
    def test_of_squares(self, n: str, text: str) -> None:
        assert Tower().root(c(n)) == c(text)

    def test_of_rationals_by_primes(self) -> None:
        tower = Tower()
        assert tower.multiply(tower.root(c(2)), tower.root(c(3))) == tower.root(c(6))
        assert tower.root(c("1/2")) == tower.invert(tower.root(c(2)))
        assert tower.root(c(12)) == v.scale(tower.root(c(3)), (2, 0, 1))
        assert tower.multiply(tower.root(c(8)), tower.root(c(8))) == c(8)

    def test_square_is_the_radicand(self) -> None:
        tower = Tower()
        radicand = v.add(v.multiply(A, A), v.ONE)
        root = tower.root(radicand)
        assert tower.multiply(root, root) == radicand
        assert tower.multiply(tower.multiply(root, root), root) == tower.multiply(radicand, root)
        assert tower.equal(tower.invert(root), tower.multiply(root, tower.invert(radicand)))
        assert tower.equal(tower.multiply(tower.invert(root), root), v.ONE)

    def test_content_comes_out(self) -> None:
        tower = Tower()
        radicand = v.add(v.multiply(A, A), v.ONE)
        assert tower.root(v.scale(radicand, (4, 0, 9))) == v.scale(tower.root(radicand), (2, 0, 3))

    def test_is_not_linear(self) -> None:
        tower = Tower()
        one, two = tower.root(v.add(v.multiply(A, A), v.ONE)), tower.root(v.add(v.multiply(B, B), v.ONE))
        both = tower.root(v.add(v.add(v.multiply(A, A), v.multiply(B, B)), c(2)))
        assert not tower.equal(v.add(one, two), both)

    def test_of_negative_numbers(self) -> None:
        with pytest.raises(OutOfFragment, match="negative"):
            Tower().root(c(-4))

    def test_under_a_root(self) -> None:
        tower = Tower()
        inner = tower.root(v.add(v.multiply(A, A), v.ONE))
        outer = tower.root(v.add(inner, v.ONE))
        assert tower.multiply(outer, outer) == v.add(inner, v.ONE)


class TestShares:
    def test_do_not_see_a_shift_or_the_order(self) -> None:
        tower = Tower()
        plain = tower.share(A, [A, B, C])
        shift = v.multiply(x("s"), x("t"))
        moved = tower.share(v.add(A, shift), [v.add(C, shift), v.add(A, shift), v.add(B, shift)])
        assert plain == moved

    def test_of_different_entries_differ(self) -> None:
        tower = Tower()
        assert not tower.equal(tower.share(A, [A, B]), tower.share(B, [A, B]))

    def test_multiplicity_counts(self) -> None:
        tower = Tower()
        assert not tower.equal(tower.share(A, [A, B, B]), tower.share(A, [A, A, B]))
        assert not tower.equal(tower.share(A, [A, B, B]), tower.share(A, [A, B]))

    def test_add_up_to_one(self) -> None:
        tower = Tower()
        total = v.total(tower.share(score, [A, B, C]) for score in (A, B, C))
        assert tower.equal(total, v.ONE)
        assert not tower.equal(total, c(2))

    def test_ratio_is_the_exponential_of_the_difference(self) -> None:
        tower = Tower()
        p, q = tower.share(A, [A, B]), tower.share(B, [A, B])
        assert tower.equal(p, tower.multiply(q, tower.exponential(v.subtract(A, B))))

    def test_of_equal_scores_in_two_forms(self) -> None:
        tower = Tower()
        s, t = v.add(A, B), v.add(A, C)
        one = v.add(tower.invert(s), tower.invert(t))
        two = tower.multiply(v.add(s, t), tower.invert(v.multiply(s, t)))
        assert one != two
        assert tower.share(one, [one, A]) == tower.share(two, [two, A])

    def test_inverse_of_a_share(self) -> None:
        tower = Tower()
        p = tower.share(A, [A, B])
        wanted = v.add(v.ONE, tower.exponential(v.subtract(B, A)))
        assert tower.equal(tower.multiply(p, wanted), v.ONE)


class TestCalls:
    def test_equal_arguments_give_equal_values(self) -> None:
        tower = Tower()
        s = v.add(A, B)
        square = v.multiply(s, s)
        expanded = v.total((v.multiply(A, A), v.scale(v.multiply(A, B), (2, 0, 1)), v.multiply(B, B)))
        assert tower.call("f", [square, C]) == tower.call("f", [expanded, C])

    def test_name_order_and_number_of_arguments_matter(self) -> None:
        tower = Tower()
        f = tower.call("f", [A, B])
        others = (tower.call("g", [A, B]), tower.call("f", [B, A]), tower.call("f", [A]), tower.call("f", [A, C]))
        assert not any(tower.equal(f, other) for other in others)

    def test_numerically_near_is_not_equal(self) -> None:
        """The floats of a and a + 10^-12 agree to within the width of a candidate; the zero test tells them apart."""
        tower = Tower()
        near = v.add(A, c("1/1000000000000"))
        assert tower.call("f", [A]) != tower.call("f", [near])
        assert tower.call("f", [A, B]) != tower.call("f", [A, v.add(B, c("1/1000000000000"))])
        assert tower.share(A, [A, B]) != tower.share(near, [near, B])


class TestCuts:
    def test_short_values_are_not_cut(self) -> None:
        tower = Tower()
        assert tower.cut(A) == A
        assert tower.cut({}) == {}
        assert not tower.made

    def test_are_unfolded_when_forms_differ(self) -> None:
        tower = Tower()
        cut = tower.cut(v.add(A, B))
        assert tower.equal(v.multiply(cut, cut), v.multiply(v.add(A, B), v.add(A, B)))
        assert not tower.equal(cut, v.subtract(A, B))

    def test_of_multiples_share_a_generator(self) -> None:
        tower = Tower()
        assert tower.cut(v.scale(v.add(A, B), (3, 0, 2))) == v.scale(tower.cut(v.add(A, B)), (3, 0, 2))

    def test_inside_shares_and_exponents_are_unfolded_too(self) -> None:
        tower = Tower()
        cut = tower.cut(v.add(A, B))
        left = tower.exponential(tower.multiply(cut, C))
        right = tower.exponential(v.add(v.multiply(A, C), v.multiply(B, C)))
        assert left != right
        assert tower.equal(left, right)
        total = v.add(tower.share(cut, [cut, C]), tower.share(C, [cut, C]))
        assert tower.equal(total, v.ONE)
        assert tower.equal(v.add(total, cut), v.total((v.ONE, A, B)))

    def test_inverse_of_a_cut_is_unfolded(self) -> None:
        tower = Tower()
        inverse = tower.invert(tower.cut(v.add(A, B)))
        assert tower.equal(inverse, tower.invert(v.add(A, B)))
        assert tower.equal(tower.multiply(inverse, inverse), tower.invert(v.multiply(v.add(A, B), v.add(A, B))))
        assert not tower.equal(inverse, v.ONE)

    def test_inside_every_kind_of_generator_are_unfolded(self) -> None:
        tower = Tower()
        plain = v.add(v.multiply(A, A), v.multiply(B, B))
        cut = tower.cut(plain)
        more, same = v.add(cut, v.ONE), v.add(plain, v.ONE)
        assert tower.equal(tower.invert(more), tower.invert(same))
        assert tower.equal(tower.root(more), tower.root(same))
        assert tower.equal(tower.call("f", [more, C]), tower.call("f", [same, C]))
        assert tower.equal(tower.share(more, [more, C]), tower.share(same, [same, C]))
        assert tower.equal(tower.cut(v.add(more, C)), tower.cut(v.add(same, C)))
        assert not tower.equal(tower.call("f", [more, C]), tower.call("f", [same, A]))
        assert not tower.equal(tower.root(more), tower.root(v.add(same, C)))


class TestConditions:
    def test_a_divisor_of_unknown_sign_is_recorded_once(self) -> None:
        tower = Tower()
        tower.invert(v.add(A, B))
        tower.invert(v.add(A, B))
        tower.invert(A)
        assert list(tower.conditions) == [("nonzero", v.frozen(v.add(A, B))), ("nonzero", v.frozen(A))]

    def test_what_is_evidently_positive_is_not(self) -> None:
        tower = Tower()
        square = v.multiply(A, A)
        root = tower.root(v.add(square, v.ONE))
        tower.invert(v.add(root, square))
        tower.invert(v.add(tower.exponential(A), tower.share(A, [A, B])))
        tower.invert(v.atom(v.PI))
        assert not tower.conditions

    @pytest.mark.parametrize(
        "radicand",
        [
            v.multiply(A, A),
            v.add(v.multiply(A, A), c(-1)),
            v.add(v.ONE, A),
            v.add(v.ONE, v.multiply(v.I, v.multiply(A, A))),
            v.add(v.ONE, v.exponential(v.multiply(v.I, A))),
        ],
        ids=["may be zero", "negative term", "odd power", "not real", "not a real exponent"],
    )
    def test_a_radicand_is_recorded(self, radicand: Value) -> None:
        tower = Tower()
        tower.root(radicand)
        assert [kind for kind, _ in tower.conditions] == ["positive"]

    def test_logarithms(self) -> None:
        tower = Tower()
        assert tower.logarithm(v.multiply(A, c(2))) == v.add(v.logarithm(A), v.logarithm(c(2)))
        assert list(tower.conditions) == [("positive", v.frozen(A))]

    def test_the_logarithm_of_a_product_needs_every_factor(self) -> None:
        """log(ab) = log a + log b is false where both are negative."""
        tower = Tower()
        assert tower.logarithm(v.multiply(A, B)) == v.add(v.logarithm(A), v.logarithm(B))
        assert {of for _, of in tower.conditions} == {v.frozen(A), v.frozen(B)}

    def test_what_a_generator_says_of_sign(self) -> None:
        tower = Tower()
        tower.logarithm(tower.share(A, [A, B]))
        tower.logarithm(tower.root(v.add(v.multiply(A, A), v.ONE)))
        assert not tower.conditions
        tower.logarithm(tower.call("f", [A]))
        tower.logarithm(tower.invert(v.add(v.multiply(A, A), v.ONE)))
        assert len(tower.conditions) == 2


class TestFloats:
    def test_what_floats_cannot_hold_is_merged_with_nothing(self) -> None:
        tower = Tower()
        huge = tower.exponential(c(10**6))
        assert math.isnan(tower.float_of(huge).real)
        one, two = tower.cut(v.add(huge, A)), tower.cut(v.add(huge, B))
        assert one != two
        tower.share(huge, [huge, v.multiply(huge, huge), A])
        assert generators(tower, "cut", "share") == 3

    def test_vanishing_divisors(self) -> None:
        tower = Tower()
        nothing = v.subtract(tower.invert(v.add(A, B)), tower.invert(v.add(A, B)))
        assert not nothing
        assert tower.float_of({}) == 0
        hidden = v.subtract(tower.multiply(v.add(A, B), tower.invert(v.add(A, B))), v.ONE)
        assert tower.is_zero(hidden)
        tower.invert(v.add(hidden, tower.multiply(hidden, A)))  # a divisor that is zero: no float, no merge, no crash

    def test_near_is_not_equal(self) -> None:
        tower = Tower()
        a = tower.invert(v.add(A, B))
        b = tower.invert(v.add(v.add(A, B), c("1/1000000000000")))
        assert a != b
        assert not tower.equal(a, b)


def test_quotients_of_the_kernel() -> None:
    tower = Tower()
    s = v.add(A, B)
    assert tower.quotient(Quotient(s, v.ONE)) == s
    assert tower.equal(tower.quotient(Quotient(v.multiply(s, s), s)), s)
    assert tower.add(A, B) == s


def test_a_value_with_too_many_terms_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(towers, "TERM_LIMIT", 50)
    wide = v.total(x(f"x{k}") for k in range(12))
    with pytest.raises(LimitReached, match="78 terms passes the limit of 50"):
        Tower().multiply(wide, wide)


def test_a_comparison_with_too_much_work_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(towers, "WORK_LIMIT", 7)
    tower = Tower()
    tower.multiply(v.add(A, B), v.add(A, B))
    assert tower.work == 4
    with pytest.raises(LimitReached, match="limit of 7 products"):
        tower.multiply(v.add(A, B), v.add(A, C))
