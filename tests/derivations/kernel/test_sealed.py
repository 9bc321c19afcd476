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
    Range,
    RuleError,
    SealError,
    Statement,
    Theorem,
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
from derivations.kernel.cells import Cell, Reading
from derivations.kernel.errors import WrongType
from derivations.kernel.layouts import Layout, Slot, checked_name, strided
from derivations.kernel.terms import (
    Add,
    Apply,
    Block,
    Determinant,
    Family,
    Function,
    Identity,
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
    Transpose,
    number,
)
from tests.derivations.kernel.building import add, h, i, mul, put, rot, theorem, x, y


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
