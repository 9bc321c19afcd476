"""Formulas without groups: e^(i theta), rotation matrices, and scalar terms drawn at random."""

from __future__ import annotations

import cmath
import math
import re
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from derivations.kernel import Statement, Theorem, prove
from derivations.kernel.terms import Add, Apply, Matrix, Multiply, Number, Pi, Power, Symbol, Term, number
from posproofs.emit import emit
from posproofs.emit.expressions import Dialect, code
from posproofs.errors import NotEmittable
from tests.emit.evaluator import Env, scalar


def proved(side: Term) -> Theorem:
    answer = prove(Statement(side, side))
    assert isinstance(answer, Theorem)
    return answer


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_cis(dtype: torch.dtype) -> None:
    cis, theta = emit("euler.cis"), torch.linspace(-7, 7, 15, dtype=dtype).reshape(3, 5)
    got = cis(theta)
    assert got.dtype == (torch.complex128 if dtype == torch.float64 else torch.complex64)
    expected = torch.tensor([cmath.exp(1j * float(t)) for t in theta.flatten()], dtype=torch.complex128).reshape(3, 5)
    assert torch.allclose(got.to(torch.complex128), expected, rtol=0, atol=1e-15 if dtype == torch.float64 else 2e-7)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(), (4,), (2, 0, 3)])
def test_rotation_matrix(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    theta = torch.rand(shape, dtype=dtype)
    got = emit("euler.rotation_matrix")(theta)
    assert got.shape == (*shape, 2, 2)
    assert got.dtype == dtype
    for matrix, angle in zip(got.reshape(-1, 2, 2), theta.reshape(-1), strict=True):
        c, s = math.cos(angle), math.sin(angle)
        assert torch.allclose(matrix.double(), torch.tensor([[c, -s], [s, c]]).double(), rtol=0, atol=4e-3)


def test_formulas_in_numpy() -> None:
    theta = np.linspace(-3, 3, 7)
    assert np.allclose(emit("euler.cis", to="numpy")(theta), np.exp(1j * theta), rtol=0, atol=1e-15)
    assert emit("euler.cis", to="numpy")(theta.astype(np.float32)).dtype == np.complex64
    got = emit("euler.rotation_matrix", to="numpy")(theta)
    assert np.array_equal(got, emit("euler.rotation_matrix")(torch.from_numpy(theta)).numpy())


@pytest.mark.parametrize("target", ["euler.cis", "euler.rotation_matrix"])
def test_formulas_differentiate_and_refuse_integers(target: str) -> None:
    function = emit(target)
    assert torch.autograd.gradcheck(function, (torch.rand(3, dtype=torch.float64, requires_grad=True),))
    with pytest.raises(ValueError, match=r"theta is of type torch\.int64; wanted a floating tensor"):
        function(torch.arange(3))
    with pytest.raises(ValueError, match="theta is of type int64; wanted floating numbers"):
        emit(target, to="numpy")(np.arange(3))


def test_a_matrix_with_constants_and_two_symbols() -> None:
    a, b = Symbol("a"), Symbol("b")
    side = Matrix(
        ((number(0), Multiply((a, b))), (Pi(), Power(b, number(2))), (Apply("exp", a), number(Fraction(1, 2))))
    )
    got = emit(proved(side))(torch.tensor([[1.0], [2.0]]), torch.tensor([3.0, 4.0, 5.0]))
    assert got.shape == (2, 3, 3, 2)
    expected = torch.tensor([[0.0, 8.0], [math.pi, 16.0], [math.exp(2.0), 0.5]])
    assert torch.allclose(got[1, 1], expected, rtol=1e-6, atol=0)


def test_a_formula_without_symbols_has_nothing_to_compute_from() -> None:
    with pytest.raises(NotEmittable, match="no free symbol"):
        emit(proved(Add((Pi(), number(1)))))


def test_a_complex_argument_is_named() -> None:
    turn = Apply("exp", Multiply((number(0, 1), Symbol("theta"))))
    with pytest.raises(NotEmittable, match="is complex inside"):
        emit(proved(turn))


NAMES = ("a", "b", "c")
LEAVES = st.one_of(
    st.sampled_from(NAMES).map(Symbol),
    st.fractions(-3, 3, max_denominator=4).map(Number),
    st.just(Pi()),
)


def larger(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    several = st.lists(terms, min_size=1, max_size=3).map(tuple)
    exponents = st.sampled_from([number(k) for k in (-2, -1, 2, 3)] + [number(Fraction(1, 2))])
    return st.one_of(
        several.map(Add),
        several.map(Multiply),
        st.builds(Power, terms, exponents),
        st.builds(Apply, st.sampled_from(["cos", "sin"]), terms),
    )


@given(term=st.recursive(LEAVES, larger, max_leaves=8), values=st.tuples(*[st.floats(-2, 2)] * 3))
def test_printed_code_means_the_term(term: Term, values: tuple[float, ...]) -> None:
    """Precedence, signs and divisions: the text, run by Python on numbers, against the evaluator of these tests."""
    with mpmath.workdps(40):
        try:
            expected = scalar(term, Env(dict(zip(NAMES, values, strict=True)), {}))
        except ZeroDivisionError:
            assume(False)
        assume(isinstance(expected, mpmath.mpf) and abs(expected) < 1e6)
        got = run(code(term, Dialect("mpmath"), {Symbol(name): name for name in NAMES}), values)
        assert abs(got - expected) <= mpmath.mpf(10) ** -30 * (1 + abs(expected))


def run(text: str, values: tuple[float, ...]) -> Any:
    # The text is that of the emitter; mpmath stands in for math and for the array library.
    names = {"math": mpmath, "mpmath": mpmath}
    # Numbers become exact before Python divides them.
    exact = {name: mpmath.mpf(value) for name, value in zip(NAMES, values, strict=True)}
    return eval(_exact_numbers(text), names | exact)  # noqa: S307


def _exact_numbers(text: str) -> str:
    return re.sub(r"(?<![\w.])(\d+)", r"mpmath.mpf(\1)", text)
