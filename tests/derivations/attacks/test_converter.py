"""The converter under attack: inexact numbers, infinities, symbols that only look alike, nodes that hide something.

What SymPy has made of an expression before it is converted is not seen here: a theorem is about what comes out.
"""

from collections.abc import Callable
from fractions import Fraction

import pytest
import sympy as sp

from derivations.from_sympy import layout, size, to_term
from derivations.kernel import (
    KernelError,
    LimitReached,
    OutOfFragment,
    RuleError,
    Statement,
    Theorem,
    prove,
)
from derivations.kernel import terms as t
from derivations.notation import Block, Family, Theta, h, i

x, y = sp.symbols("x y", real=True)
f = sp.Function("f", real=True)
A = sp.MatrixSymbol("A", h, h)
unevaluated = {"evaluate": False}


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        # numbers that are not exact, or not numbers
        (sp.Float(2), "Float"),
        (sp.Float("0.5") * x, "Float"),
        (x ** sp.Float(2), "Float"),
        (2.0, "float"),
        (1j, "complex"),
        (Fraction(1, 2), "Fraction"),
        (True, "bool"),
        (sp.true, "BooleanTrue"),
        (None, "NoneType"),
        ("x", "str"),
        (sp.sqrt(2).evalf(), "Float"),
        (sp.oo, "Infinity"),
        (-sp.oo, "NegativeInfinity"),
        (sp.nan, "NaN"),
        (sp.zoo, "ComplexInfinity"),
        (sp.Mul(0, sp.zoo, **unevaluated), "ComplexInfinity"),
        (sp.Mul(x, sp.zoo, **unevaluated), "ComplexInfinity"),
        (sp.Add(x, sp.oo, **unevaluated), "Infinity"),
        (sp.Pow(x, sp.oo, **unevaluated), "Infinity"),
        (sp.Sum(x, (i, 0, sp.oo)), "Infinity"),
        (sp.EulerGamma, "EulerGamma"),
        (sp.GoldenRatio, "GoldenRatio"),
        # symbols
        (sp.Symbol("z"), "z is not declared real"),
        (sp.Symbol("z", imaginary=True), "z is not declared real"),
        (sp.Symbol("z", complex=True), "z is not declared real"),
        (sp.Symbol("z", commutative=False), "z is not declared real"),
        (sp.Symbol("z", extended_real=True), "z is not declared real"),
        (sp.Dummy("x", real=True), "Dummy"),
        (x - sp.Dummy("x", real=True), "Dummy"),
        (sp.Wild("w", real=True), "Wild"),
        (sp.IndexedBase("q")[i], r"q\[i\] is not declared real"),
        (sp.Function("g")(x), r"g\(x\) is not declared real"),
        (x - sp.Symbol("x", positive=True), "two symbols are called x"),
        (sp.Sum(sp.Symbol("i", real=True), (i, 0, h - 1)), "two symbols are called i"),
        (sp.Sum(x, (sp.Dummy("i", integer=True), 0, h - 1)), "Dummy"),
        (Block([[x]], index=sp.Dummy("i", integer=True)), "Dummy"),
        (sp.Derivative(f(x), x) + sp.Symbol("x", integer=True), "two symbols are called x"),
        # nodes
        (sp.Piecewise((x, x > 0), (-x, True)), "Piecewise"),
        (sp.Abs(x), "Abs"),
        (sp.sign(x), "sign"),
        (sp.Max(x, y), "Max"),
        (sp.arg(sp.exp(sp.I * x)), "arg"),
        (x > y, "StrictGreaterThan"),
        (sp.Ne(x, y), "Unequality"),
        (sp.Eq(x, y, **unevaluated), "Equality"),
        (sp.And(x > 0, y > 0), "And"),
        (sp.UnevaluatedExpr(x), "UnevaluatedExpr"),
        (sp.Subs(f(x), x, 0), "Subs"),
        (sp.Lambda(x, x), "Lambda"),
        (sp.Integral(f(x), (x, 0, 1)), "Integral"),
        (sp.Limit(f(x), x, 0), "Limit"),
        (sp.Product(x, (i, 0, h - 1)), "Product"),
        (sp.floor(x), "floor"),
        (sp.factorial(i), "factorial"),
        (sp.tan(x), "tan"),
        (sp.sinh(x), "sinh"),
        (sp.O(x), "Order"),
        (sp.exp_polar(x), "exp_polar"),
        (sp.Tuple(x, y), "Tuple"),
        (sp.Derivative(f(x), (x, sp.Symbol("n", integer=True, positive=True))), "order of a derivative"),
        (sp.Derivative(Theta[i] ** 2, Theta[i]), "Indexed"),
        (sp.Derivative(f(x) ** 2, f(x)), "wanted a Symbol"),
        (sp.Sum(x, (i, 1, h)), "from 0"),
        (sp.Sum(x, (i, 0, h - 1), (sp.Symbol("j", integer=True), 0, h - 1)), "one index"),
        # matrices
        (sp.MatPow(A, 10**9, **unevaluated), "powers of matrices up to 512"),
        (sp.MatPow(A, -1, **unevaluated), "positive integer powers"),
        (sp.Inverse(A), "positive integer powers"),
        (sp.Trace(A), "Trace"),
        (sp.Adjoint(A), "Adjoint"),
        (sp.ZeroMatrix(h, h), "ZeroMatrix"),
        (sp.OneMatrix(h, h), "OneMatrix"),
        (sp.HadamardProduct(A, A), "HadamardProduct"),
        (A[0, 0], "MatrixElement"),
        (sp.BlockMatrix([[A]]), "BlockMatrix"),
        (sp.MatrixSymbol("B", h + 1, h), "size"),
        (sp.MatrixSymbol("B", 2, sp.Dummy("n", integer=True)), "Dummy"),
        (sp.Matrix([[0.5]]), "Float"),
    ],
)
def test_the_error_names_the_node(expression: object, named: str) -> None:
    with pytest.raises(OutOfFragment, match=named):
        to_term(expression)


@pytest.mark.parametrize("name", ["x y", "\u03b8", "x'", "q[0]", "", "1"])
def test_a_name_is_an_identifier(name: str) -> None:
    with pytest.raises(RuleError, match="identifier"):
        to_term(sp.Symbol(name, real=True))


@pytest.mark.parametrize(
    ("name", "make"), [("exp", sp.Function), ("det", sp.Function), ("pi", sp.Symbol), ("I", sp.Symbol)]
)
def test_a_name_is_not_that_of_something_else(name: str, make: Callable[..., object]) -> None:
    made = make(name, real=True)
    with pytest.raises(RuleError, match="would read as"):
        to_term(made(x) if make is sp.Function else made)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("expression", "term"),
    [
        (sp.Add(x, x, **unevaluated), t.Add((t.Symbol("x"), t.Symbol("x")))),
        (sp.Mul(2, 3, **unevaluated), t.Multiply((t.number(2), t.number(3)))),
        (sp.Pow(0, -1, **unevaluated), t.Power(t.number(0), t.number(-1))),
        (sp.exp(sp.log(x, **unevaluated), **unevaluated), t.Apply("exp", t.Apply("log", t.Symbol("x")))),
        (sp.Symbol("x", positive=True), t.Symbol("x")),
        (sp.Symbol("x", integer=True), t.Symbol("x")),
        (sp.Integer(10**300), t.number(10**300)),
        (sp.Derivative(f(x), x, x), t.Derivative(t.Derivative(t.Function("f", t.Symbol("x")), "x"), "x")),
        (sp.Derivative(f(x), (x, 0)), t.Function("f", t.Symbol("x"))),
        (sp.MatPow(A, 2), t.Multiply((t.MatrixSymbol("A", t.Size(1, "h"), t.Size(1, "h")),) * 2)),
        (Theta[0], t.Family("theta", t.number(0))),
        (sp.Symbol("theta", real=True) + 1, t.Add((t.number(1), t.Symbol("theta")))),
    ],
)
def test_what_is_converted_means_what_it_says(expression: object, term: t.Term) -> None:
    found = to_term(expression)
    assert found == term or {*found.inside[0]} == {*term.inside[0]}


def test_that_a_symbol_is_positive_is_not_believed() -> None:
    """sqrt(p)^2 = p needs p > 0, and the theorem says so, whatever SymPy was told of p."""
    p = t.Symbol("p")
    answer = prove(Statement(to_term(sp.exp(sp.log(sp.Symbol("p", positive=True), **unevaluated), **unevaluated)), p))
    assert isinstance(answer, Theorem)
    assert [(each.kind, each.left) for each in answer.hypotheses] == [("positive", p)]


def test_the_reciprocal_of_zero_is_converted_and_never_proved() -> None:
    zero = to_term(sp.Pow(0, -1, **unevaluated))
    assert not isinstance(prove(Statement(zero, zero)), Theorem)


@pytest.mark.parametrize(
    "expression",
    [
        sp.Integer(10) ** 10_000,
        sp.Rational(1, 10**10_000),
        sp.Derivative(f(x), (x, 10**6)),
    ],
)
def test_what_is_too_large(expression: object) -> None:
    with pytest.raises(LimitReached):
        to_term(expression)


def test_what_is_too_deep() -> None:
    deep = x
    for _ in range(150):
        deep = f(deep)
    with pytest.raises(LimitReached):
        to_term(deep)


@pytest.mark.parametrize(
    "wrong", [0, -1, h + 1, h**2, h / 2, sp.Rational(1, 2), sp.Float(2), 2.0, True, "h", None, f(x)]
)
def test_a_size_is_a_positive_multiple_of_a_name(wrong: object) -> None:
    with pytest.raises(OutOfFragment, match="size"):
        size(wrong)


@pytest.mark.parametrize(
    ("name", "slots"),
    [
        ("diagonal", 2),
        ("interleaved:0", 2),
        ("interleaved:0,0", 2),
        ("interleaved:0,2", 2),
        ("half-split:b,a", 2),
        ("", 2),
    ],
)
def test_a_layout_lists_each_place_once(name: str, slots: int) -> None:
    with pytest.raises(OutOfFragment, match="layout"):
        layout(name, slots)


def test_a_family_is_of_a_known_kind() -> None:
    with pytest.raises(OutOfFragment, match="rotation or free"):
        to_term(Family("R", x, h, "reflection"))


def test_nothing_else_comes_out_than_terms_and_kernel_errors() -> None:
    """Pairs of nodes, one inside the other: converted, or refused by name; no AttributeError, no TypeError."""
    inner = [
        x,
        i,
        h,
        sp.I,
        sp.pi,
        sp.Integer(0),
        sp.Rational(1, 2),
        sp.Float(1),
        sp.oo,
        sp.Dummy("x"),
        f(x),
        Theta[i],
        A,
    ]
    outer: list[Callable[[object], object]] = [
        sp.exp,
        sp.conjugate,
        f,
        lambda a: a + 1,  # type: ignore[operator]
        lambda a: 2 * a,  # type: ignore[operator]
        lambda a: sp.Pow(a, a, **unevaluated),
        lambda a: sp.Sum(a, (i, 0, h - 1)),
        lambda a: sp.Sum(x, (i, 0, a)),
        lambda a: sp.Matrix([[a]]),
        lambda a: Block([[a]]),
        lambda a: Family("R", a, h),
        sp.Identity,
        lambda a: Theta[a],
        lambda a: sp.Derivative(a, x),
    ]
    ended = set()
    for make in outer:
        for part in inner:
            try:
                expression = make(part)
            except Exception:  # noqa: BLE001 - SymPy itself refuses some pairs, in many ways
                continue
            try:
                ended.add(isinstance(to_term(expression), t.Term))
            except KernelError as refusal:
                ended.add(len(str(refusal)) > 10)
    assert ended == {True}
