"""Exact types, sizes and steps: what terms, statements and rules are made of, and where work ends."""

# mypy: disable-error-code="arg-type,dict-item"
# Arguments of wrong types are what is tested here.

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from types import MappingProxyType
from typing import Any

import pytest

from derivations.kernel import (
    Hypothesis,
    LimitReached,
    Point,
    Range,
    RuleError,
    SealError,
    Statement,
    Theorem,
    Undecided,
    budget,
    congruent,
    instantiate,
    lifted,
    prove,
    realised,
    sealed,
    specialised,
    symmetric,
    transitive,
    two_sided,
    unique_solution,
)
from derivations.kernel import values as v
from derivations.kernel.budget import bounded, limited, spend, spend_on_digits, weighed
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import WrongType
from derivations.kernel.layouts import Layout, Slot, checked_name, split, strided
from derivations.kernel.points import rational_at, turn_power
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Derivative,
    Determinant,
    Family,
    Function,
    Identity,
    IndexedSum,
    Matrix,
    MatrixFamily,
    MatrixSymbol,
    Multiply,
    Number,
    Pi,
    Power,
    Replacement,
    Size,
    Symbol,
    Term,
    Transpose,
    number,
)
from tests.derivations.kernel.building import ONE, ZERO, add, h, i, mul, put, pw, rot, theorem, total, x, y


class Text(str):
    __slots__ = ()


D = Size(1, "d")
SAME = Statement(x, x)
TOKEN = import_module(
    "derivations.kernel.theorem"
).TOKEN  # what the kernel alone may use; here it shows what the constructor checks beside it


class TestSealed:
    def test_nothing_is_made_twice(self) -> None:
        again: tuple[tuple[Any, tuple[object, ...]], ...]
        again = ((add(x, y), ((y, x),)), (x, ("y",)), (Statement(x, x), (y, y)), (Size(2), (3,)))
        for made, arguments in again:
            with pytest.raises(SealError, match=f"^{type(made).__name__}: what was made never changes; make another"):
                type(made).__init__(made, *arguments)
        empty: Any = Pi()
        type(empty).__init__(empty)  # it has nothing that could change

    def test_copies_are_made_and_checked_again(self) -> None:
        for made in (mul(x, number(2)), Statement(x, y, (Hypothesis("positive", x),)), Layout((Slot(1, 0, 0),))):
            for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301
                assert other == made
        assert Number(Fraction(1)).__reduce__() == (Number, (Fraction(1), Fraction(0)))
        for hidden in ("__getstate__", "__setstate__"):
            assert hidden not in vars(Add)

    def test_there_are_no_subclasses(self) -> None:
        for kind in (Add, Statement, Hypothesis, Size, Layout, Replacement):
            with pytest.raises(SealError, match=f"{kind.__name__} has no subclasses"):
                type("Other", (kind,), {})


class TestTypes:
    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: Add([x]), "Add: its parts: wanted a tuple, saw a list"),
            (lambda: Add((x, "y")), r"Add: wanted a term, such as Symbol\('x'\) or number\(2\), saw a str"),
            (lambda: Multiply((x, 2)), "Multiply: wanted a term.* saw an int"),
            (lambda: Power(x, 2), "Power: wanted a term"),
            (lambda: Transpose(Add), "Transpose: wanted a term.* saw a type"),
            (lambda: Determinant(None), "Determinant: wanted a term.* saw a NoneType"),
            (lambda: Cell("X", i, 0), "Cell: wanted a term"),
            (lambda: Reading("X", 0, i), "Reading: wanted a term"),
            (lambda: Apply(Text("exp"), x), "Apply: its operator: wanted a str, saw a Text"),
            (lambda: Symbol(Text("x")), "a name: wanted a str, saw a Text"),
            (lambda: Matrix([(x,)]), "Matrix: its rows: wanted a tuple, saw a list"),
            (lambda: Matrix(([x],)), "Matrix: its rows: wanted a tuple, saw a list"),
            (lambda: Block("i", h, strided(1), None, [(x,)]), "Block: its entries: wanted a tuple"),
            (lambda: Block("i", h, "split", None, ((x,),)), "Block: a layout: wanted a Layout, saw a str"),
            (lambda: Block("i", h, strided(1), "split", ((x,),)), "Block: a layout: wanted a Layout"),
            (lambda: Block("i", h, "split", strided(1), ((x,),)), "Block: a layout: wanted a Layout"),
            (lambda: Replacement(["p"], x), "Replacement: its parameters: wanted a tuple, saw a list"),
            (lambda: Replacement(("p",), "x"), "Replacement: its body: wanted a term"),
            (lambda: MatrixSymbol("W", 2, D), "MatrixSymbol W: a size: wanted a Size, saw an int"),
            (lambda: MatrixSymbol("W", D, 2), "MatrixSymbol W: a size: wanted a Size"),
            (lambda: MatrixFamily("R", x, 2, "free"), "MatrixFamily R: its size: wanted a Size"),
            (lambda: MatrixFamily("R", x, D, Text("free")), "MatrixFamily R: its kind: wanted a str, saw a Text"),
            (lambda: Identity(2), "Identity: its size: wanted a Size"),
            (lambda: Slot(1, 0, True), "Slot: its numbers: wanted a int, saw a bool"),
            (lambda: Slot(1.0, 0, 0), "Slot: its numbers"),
            (lambda: Slot(1, None, 0), "Slot: its numbers"),
            (lambda: Layout([Slot(1, 0, 0)]), "Layout: its slots: wanted a tuple"),
            (lambda: Layout(("slot",)), "Layout: its slots: wanted a Slot, saw a str"),
            (lambda: strided(True), "a layout: its number of slots: wanted a int, saw a bool"),
            (lambda: Hypothesis(Text("equal"), x, y), "Hypothesis: its kind: wanted a str"),
            (lambda: Hypothesis("equal", x, y, ["i"]), "Hypothesis: forall: wanted a tuple"),
            (lambda: Hypothesis("equal", x, 2), "Hypothesis: its sides: wanted a term"),
            (lambda: Range("i", 3), "Range: its count: wanted a term"),
            (lambda: Statement(x, 1), "Statement: its sides: wanted a term"),
            (lambda: Statement(x, x, [Hypothesis("positive", x)]), "Statement: its hypotheses: wanted a tuple"),
            (lambda: Statement(x, x, (x,)), "Statement: its hypotheses: wanted a Hypothesis, saw a Symbol"),
            (lambda: Statement(x, x, (), (x,)), "Statement: its ranges: wanted a Range, saw a Symbol"),
            (lambda: prove(x), "prove: statement: wanted a Statement, saw a Symbol"),
            (lambda: prove(Statement(x, x), using=[theorem(x, x)]), "prove: using: wanted a tuple"),
            (lambda: prove(Statement(x, x), using=(x,)), "prove: using: wanted a Theorem"),
            (lambda: prove(Statement(x, x), idle=(x,)), "prove: idle: wanted a Hypothesis"),
            (
                lambda: prove(Statement(x, x), model=[x]),
                "prove: model: wanted a mapping from names to values of",
            ),
            (lambda: prove(Statement(x, x), model={"x": x}), "prove: model: x: wanted a Replacement, saw a Symbol"),
            (lambda: prove(Statement(x, x), model={1: put(x)}), "prove: model: a name: wanted a str, saw an int"),
            (lambda: instantiate("x", {}), "instantiate: term: wanted a term"),
            (lambda: instantiate(x, {"h": True}), "instantiate: counts: h: wanted a int, saw a bool"),
            (lambda: instantiate(x, {}, {"x": y}), "instantiate: env: x: wanted a Replacement"),
            (lambda: symmetric(Statement(x, x)), "a premise: wanted a Theorem, saw a Statement"),
            (lambda: transitive(theorem(x, x), x), "a premise: wanted a Theorem"),
            (lambda: two_sided(x), "a premise: wanted a Theorem"),
            (lambda: unique_solution(theorem(x, x), x, x), "a premise: wanted a Theorem"),
            (lambda: unique_solution(theorem(x, x), theorem(x, x), x), "a premise: wanted a Theorem"),
            (lambda: congruent(theorem(x, x), "hole", "x"), "congruent: context: wanted a term"),
            (lambda: congruent(theorem(x, x), Text("hole"), x), "congruent: hole: wanted a str"),
            (lambda: specialised(theorem(x, x), {"x": y}), "specialised: by: x: wanted a Replacement"),
            (lambda: specialised(theorem(x, x), {"x": put(y)}, model={"y": y}), "specialised: model: y: wanted a Rep"),
            (lambda: lifted(theorem(x, x), "i", "h", families=["x"]), "lifted: families: wanted a tuple"),
            (lambda: lifted(theorem(x, x), Text("i"), "h", families=()), "lifted: a name: wanted a str"),
            (lambda: lifted(theorem(x, x), "i", "h", families=(x,)), "lifted: a name: wanted a str"),
            (lambda: realised(theorem(rot(x), rot(x)), "R", x, sizes={}), "realised: by: wanted a Replacement"),
            (lambda: realised(theorem(rot(x), rot(x)), x, put(x), sizes={}), "realised: name: wanted a str"),
            (
                lambda: realised(theorem(rot(x), rot(x)), "R", put(x), sizes={"d": 2}),
                "realised: sizes: d: wanted",
            ),
            (lambda: Size(1, 2), "Size: its name: wanted a str, saw an int"),
            (
                lambda: Theorem(TOKEN, Statement(x, x), method="", witness={}, uses=(x,)),
                "Theorem: what it uses: wanted a Th",
            ),
            (
                lambda: Theorem(TOKEN, Statement(x, x), method="", witness={}, uses=[]),
                "Theorem: what it uses: wanted a tu",
            ),
            (lambda: Theorem(None, Statement(x, x), method="prove", witness={}), "made by the kernel alone"),
        ],
    )
    def test_other_types_are_refused(self, make: Callable[[], object], message: str) -> None:
        with pytest.raises((WrongType, SealError), match=message):
            make()

    def test_values_pass_unchanged(self) -> None:
        assert sealed.exact(3, int, "it") == 3
        assert sealed.exact_tuple((1, "a"), "it") == (1, "a")
        assert sealed.exact_tuple((1, 2), "it", int) == (1, 2)
        given = MappingProxyType({"a": 1})
        assert sealed.exact_mapping(given, int, "it") == {"a": 1}
        assert sealed.exact_mapping(given, int, "it") is not given
        with pytest.raises(WrongType, match=r"^it: wanted a int, saw a Xylophone"):
            sealed.exact(type("Xylophone", (), {})(), int, "it")
        with pytest.raises(RuleError, match="'2p' is not an identifier"):
            Replacement(("p", "2p"), x)
        with pytest.raises(WrongType, match=r"^it: wanted a int, saw a bool"):
            sealed.exact_tuple((1, True), "it", int)

    def test_kinds_and_names(self) -> None:
        with pytest.raises(RuleError, match="of kind equal, nonzero, positive, nonnegative, saw 'less'"):
            Hypothesis("less", x)
        for make in (Symbol, lambda n: MatrixSymbol(n, D, D)):
            for name in ("pi", "I"):
                with pytest.raises(RuleError, match=f"the name {name} would read as {name} itself"):
                    make(name)
            assert make("exp")
        for called in (lambda n: Function(n, x), lambda n: MatrixFamily(n, x, D, "free")):
            for name in ("exp", "conjugate", "det", "Id"):
                with pytest.raises(RuleError, match=f"the name {name} would read as {name} itself"):
                    called(name)
            assert called("pi")
        assert Family("pi", i).name == "pi"
        assert checked_name("exp") == "exp"

    def test_numbers(self) -> None:
        for value in (0.5, "1", True, None):
            with pytest.raises(RuleError, match="wanted integers or Fractions"):
                number(value)
            with pytest.raises(RuleError, match="wanted integers or Fractions"):
                number(1, value)
        long = 1 << 8191
        for parts in (
            (Fraction(long), Fraction(0)),
            (Fraction(1, long), Fraction(1)),
            (Fraction(0), Fraction(long, 3)),
        ):
            assert Number(*parts).re == parts[0]
        for re, im in ((2 * long, 0), (Fraction(1, 2 * long), 0), (0, 2 * long), (0, Fraction(1, 2 * long))):
            with pytest.raises(LimitReached, match="a number has at most 8192 bits"):
                number(re, im)
        odd = object.__new__(Fraction)
        odd._numerator, odd._denominator = True, 1  # type: ignore[attr-defined]
        with pytest.raises(RuleError, match="a number is exact"):
            Number(odd)


def levels(count: int) -> Term:
    deep: Term = x
    for _ in range(count - 1):
        deep = Transpose(deep)
    return deep


def nodes(doublings: int) -> Term:
    """A term of 2^(doublings + 1) - 1 nodes, counted as a tree, that shares all of them."""
    wide: Term = x
    for _ in range(doublings):
        wide = Add((wide, wide))
    return wide


class TestSizes:
    def test_terms_know_their_nodes_and_levels(self) -> None:
        assert x.inside == Pi().inside == ONE.inside == ((), 1, 1)
        assert Add(()).inside == ((), 1, 1)
        assert add(x, mul(x, y)).inside == ((x, mul(x, y)), 5, 3)
        assert total(x).inside == ((h, x), 3, 2)
        assert Matrix(((x, y),)).inside == ((x, y), 3, 2)
        assert Derivative(pw(x, 2), "x").inside[1:] == (4, 3)
        assert IndexedSum("i", h, x) == total(x)
        assert Apply("exp", x).inside == ((x,), 2, 2)

    def test_levels(self) -> None:
        assert levels(100).inside[2] == 100
        with pytest.raises(
            LimitReached, match="101 nodes, repetitions counted, on 101 levels; the limits are 250000 and 100"
        ):
            levels(101)

    def test_nodes(self) -> None:
        assert nodes(16).inside[1] == 2**17 - 1
        with pytest.raises(LimitReached, match="the term has 262143 nodes"):
            nodes(17)
        with pytest.raises(LimitReached, match="the term has 262142 nodes"):
            Statement(nodes(16), nodes(16))
        with pytest.raises(LimitReached, match="the term has 262142 nodes"):
            Hypothesis("equal", nodes(16), nodes(16))
        assert Statement(nodes(15), y, (Hypothesis("positive", y),)).nodes() == 2**16 - 1 + 1 + 2
        wide = Add((nodes(16), nodes(15)))
        for sides in ((wide, nodes(15)), (nodes(15), wide)):
            with pytest.raises(LimitReached, match="the term has 262142 nodes"):
                Hypothesis("equal", *sides)
        with pytest.raises(LimitReached, match="has too many nodes"):
            sealed.require_size(10**12)
        with pytest.raises(LimitReached, match="has 999999999999 nodes"):
            sealed.require_size(10**12 - 1)
        sealed.require_size(250_000, 100)

    def test_what_only_looks_like_a_term(self) -> None:
        empty = object.__new__(Add)
        with pytest.raises(WrongType, match=r"it: wanted a term.* saw an Add"):
            sealed.inside_of(empty, "it")
        assert sealed.inside_of(x, "it") == ((), 1, 1)

    def test_layouts(self) -> None:
        assert len(strided(4096).slots) == 4096
        for make in (strided, split):
            with pytest.raises(LimitReached, match="a layout of 4097 slots passes the limit of 4096"):
                make(4097)

    def test_exact_values_at_points(self) -> None:
        at = Point({"x": Fraction(1, 2)}, {}, {})
        assert rational_at(pw(x, 8192), at) == Fraction(1, 1 << 8192)
        assert rational_at(pw(x, -8192), at) == 1 << 8192
        for exponent in (8193, -8193):
            with pytest.raises(LimitReached, match="an exact value at a point passes the limit of 8192 bits"):
                rational_at(pw(x, exponent), at)
        half = pw(x, 5000)
        with pytest.raises(LimitReached, match="an exact value"):
            rational_at(mul(half, half), at)
        with pytest.raises(LimitReached, match="an exact value"):
            rational_at(add(mul(pw(x, 8192), ONE), pw(number(Fraction(1, 3)), 20)), at)

    def test_turns_at_points(self) -> None:
        assert turn_power((Fraction(0), Fraction(1)), 512) == (Fraction(1), Fraction(0))
        assert turn_power((Fraction(0), Fraction(1)), -512) == (Fraction(1), Fraction(0))
        for n in (513, -513):
            with pytest.raises(LimitReached, match=f"a rotation is turned {n} times"):
                turn_power((Fraction(0), Fraction(1)), n)


class TestSteps:
    def test_outside_a_proof_nothing_is_counted(self) -> None:
        spend(10**9)

    def test_a_budget_is_used_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 10)
        with limited():
            spend(7)
            spend(3)
            with limited(), pytest.raises(LimitReached, match="the proof passes the limit of 10 steps"):
                spend(1)
            with pytest.raises(LimitReached, match="10 steps"):
                spend(0)
        with limited():
            spend(10)
        spend(11)

    def test_deep_recursion_is_a_limit(self) -> None:
        def deep() -> int:
            return deep()

        with pytest.raises(LimitReached, match="nested too deeply"), limited():
            deep()

    def test_a_function_in_a_budget(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 10)

        @bounded
        def work(steps: int, *, result: str) -> str:
            spend(steps)
            return result

        assert work(10, result="done") == "done"
        assert work.__name__ == "work"
        with pytest.raises(LimitReached):
            work(11, result="done")

    def test_long_numbers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 10)
        with pytest.raises(LimitReached, match="a coefficient passes the limit of 131072 bits"):
            spend_on_digits((1 << 17) + 1)
        with limited():
            spend_on_digits(3 * 2048)
            spend_on_digits(2047)
            with pytest.raises(LimitReached, match="10 steps"):
                spend_on_digits(2 * 2048)
        spend_on_digits(1 << 17)

    def test_heavy_exponents(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 30)
        plain = v.total(v.atom(("symbol", f"a{k}")) for k in range(50))
        assert weighed(plain) is plain
        light = v.cosine(v.atom(("symbol", "a")))
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 60)
        assert weighed(light) is light
        with pytest.raises(LimitReached, match="an exponent or argument has more than 60 parts"):
            weighed(v.total(v.cosine(v.atom(("symbol", f"a{k}"))) for k in range(9)))

    def test_the_weight_of_an_exponent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """One atom f(): the term, its monomial and phase, the power, the atom and its exponent, and four parts."""
        inside: v.Atom = ("function", "f", 0, v.NO_PHASE)
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 10)
        assert weighed(v.atom(inside)) == v.atom(inside)
        monkeypatch.setattr(budget, "WEIGHT_LIMIT", 9)
        plain = v.atom(("symbol", "a"))
        for heavy in (v.atom(inside), v.add(plain, v.atom(inside)), v.multiply(plain, v.atom(inside))):
            with pytest.raises(LimitReached, match="more than 9 parts"):
                weighed(heavy)

    def test_a_proof_beyond_its_steps_is_undecided(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(budget, "STEPS", 3)
        answer = prove(Statement(mul(add(x, y), add(x, y)), ZERO))
        assert isinstance(answer, Undecided)
        assert answer.reason == "limit reached"
        assert "3 steps" in answer.detail

    def test_budgets(self) -> None:
        steps = (budget.STEPS, budget.BIT_LIMIT, budget.LONG, budget.WEIGHT_LIMIT)
        assert steps == (400_000, 1 << 17, 1 << 11, 20_000)
        assert (sealed.NODE_LIMIT, sealed.LEVEL_LIMIT) == (250_000, 100)
