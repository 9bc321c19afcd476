"""Theorems drawn at random are emitted, and the code follows the statement: a dense evaluation of its other side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from derivations.kernel import Statement, Theorem, prove
from derivations.kernel.layouts import Layout, split, strided
from derivations.kernel.terms import Add, Apply, Block, Family, IndexedSum, Multiply, Power, Symbol, Term, number
from posproofs.emit import emit, source
from posproofs.errors import NotEmittable
from tests.emit.compare import allowed, reference
from tests.emit.theorems import BASE_IS_POSITIVE, INDEX, H, Map, P, Plan, angles, built, maps

POSITIONS = [0, 1, 5, 40]
SCALARS = {"phi": 0.375, "m": 1.5}


def options(drawn: Map, groups: int) -> tuple[dict[str, Any], dict[str, Any]]:
    names = drawn.theorem.statement.names()
    symbols = {name: value for name, value in SCALARS.items() if name in names}
    arrays = {"theta": [1.0 / (k + 1) for k in range(groups)], "zeta": [0.5 * k - 1.25 for k in range(groups)]}
    return symbols, {name: value for name, value in arrays.items() if name in names}


@given(drawn=maps(), groups=st.integers(1, 3), to=st.sampled_from(["torch", "numpy"]), seed=st.integers(0, 99))
def test_code_follows_the_statement(drawn: Map, groups: int, to: str, seed: int) -> None:
    symbols, families = options(drawn, groups)
    x = np.random.default_rng(seed).standard_normal((len(POSITIONS), groups * drawn.slots))
    statement = drawn.theorem.statement
    expected = reference(statement, x, POSITIONS, groups=groups, symbols=symbols, families=families)
    rotate = emit(drawn.theorem, to=to)
    if to == "torch":
        got = rotate(torch.from_numpy(x), torch.tensor(POSITIONS), **symbols, **families).numpy()
    else:
        got = rotate(x, np.array(POSITIONS), **symbols, **families)
    # No magnitude or frequency that is drawn exceeds 1.5.
    assert np.all(np.abs(got - expected) <= 2 * allowed(x, POSITIONS, roundoff=2.0**-53))


@settings(max_examples=30)
@given(drawn=maps(sizes=(2,)), groups=st.integers(1, 3))
def test_every_form_of_a_pair_agrees(drawn: Map, groups: int) -> None:
    symbols, families = options(drawn, groups)
    x, positions = torch.randn(4, 2 * groups, dtype=torch.float64), torch.tensor(POSITIONS)
    table, real = (emit(drawn.theorem, form=form)(x, positions, **symbols, **families) for form in ("table", "real"))
    assert torch.allclose(table, real, rtol=0, atol=1e-13)
    if drawn.plans[0].magnitude is not None:
        with pytest.raises(NotEmittable, match="complex form"):
            emit(drawn.theorem, form="complex")
    elif crossed(drawn):
        # The first slot of one side is the second of the other: mirrored as well as turned.
        with pytest.raises(NotEmittable, match="complex form"):
            emit(drawn.theorem, form="complex")
    else:
        product = emit(drawn.theorem, form="complex")
        assert torch.allclose(product(x, positions, **symbols, **families), table, rtol=0, atol=1e-13)


def crossed(drawn: Map) -> bool:
    """Whether the pair of the output stands the other way round than the pair of the input."""

    def ascending(layout: Layout, slots: tuple[int, int]) -> bool:
        first, second = (layout.slots[k] for k in slots)
        return (first.counts, first.offset) < (second.counts, second.offset)

    (plan,) = drawn.plans
    return ascending(drawn.reads, plan.inputs) != ascending(drawn.writes, plan.outputs)


def test_another_sign_and_pairs_two_apart() -> None:
    plans = tuple(Plan((k, k + 2), (k, k + 2), -1, None, angles(4)[0]) for k in (0, 1))
    rotate = emit(built(strided(4), strided(4), plans).theorem)
    x = torch.tensor([[1.0, 10.0, 0.0, 0.0]], dtype=torch.float64)
    c, s = math.cos(3.0), math.sin(3.0)
    expected = torch.tensor([[c, 10 * c, -s, -10 * s]], dtype=torch.float64)
    assert torch.allclose(rotate(x, torch.tensor([3])), expected, rtol=0, atol=1e-14)


def test_reads_interleaved_and_writes_halves() -> None:
    rotate = emit(built(strided(2), split(2), (Plan((0, 1), (0, 1), 1, None, angles(2)[0]),)).theorem)
    x = torch.arange(6, dtype=torch.float64)[None]
    assert rotate(x, torch.tensor([0])).tolist() == [[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]]
    turned = emit("rotary.rotate")(x, torch.tensor([7]))
    assert torch.allclose(rotate(x, torch.tensor([7])), turned[:, [0, 2, 4, 1, 3, 5]], rtol=0, atol=1e-14)


def test_two_angles_give_two_pairs_of_tables_in_the_documented_order() -> None:
    first, second = angles(4)[0], angles(4)[1]
    plans = (Plan((0, 1), (0, 1), 1, None, first), Plan((2, 3), (2, 3), 1, None, second))
    rotate = emit(built(strided(4), strided(4), plans).theorem)
    cos0, sin0, cos1, sin1 = rotate.table(torch.tensor([2]), dim=4, theta=[0.25])
    waves = torch.cat([cos0, sin0, cos1, sin1]).flatten()
    expected = torch.tensor([math.cos(2.0), math.sin(2.0), math.cos(0.5), math.sin(0.5)])
    assert torch.allclose(waves, expected, rtol=0, atol=1e-6)
    assert "cos0 and sin0 of p*base^" in " ".join(str(rotate.table.__doc__).split())


def test_opposite_angles_share_a_table() -> None:
    angle = Multiply((P, Family("theta", INDEX)))
    back = Multiply((Family("theta", INDEX), number(-1), P))
    x0, x1 = Family("x", Multiply((number(2), INDEX))), Family("x", Add((Multiply((number(2), INDEX)), number(1))))
    rows = (
        Add((Multiply((x0, Apply("cos", angle))), Multiply((x1, Apply("sin", back))))),
        Add((Multiply((x1, Apply("cos", back))), Multiply((x0, Apply("sin", angle))))),
    )
    rotate = emit(of_rows(rows))
    assert len(rotate.table(torch.tensor([1]), dim=2, theta=[1.0])) == 2
    got = rotate(torch.tensor([[1.0, 0.0]]), torch.tensor([1]), theta=[1.0])
    assert torch.allclose(got, torch.tensor([[math.cos(1), math.sin(1)]]), rtol=0, atol=1e-6)


def of_rows(rows: tuple[Term, Term]) -> Theorem:
    """A theorem whose left side are these rows."""
    vector = Block("i", H, strided(2), None, tuple((row,) for row in rows))
    answer = prove(Statement(vector, vector, (BASE_IS_POSITIVE,)))
    assert isinstance(answer, Theorem)
    return answer


X0, X1 = Family("x", Multiply((number(2), INDEX))), Family("x", Add((Multiply((number(2), INDEX)), number(1))))
WAVE = Apply("cos", Multiply((P, Family("theta", INDEX))))


def test_rows_that_are_not_linear_are_left_to_autograd() -> None:
    rotate = emit(of_rows((Add((Multiply((X0, WAVE)), number(1))), Multiply((X0, X1, WAVE)))))
    assert "_Linear" not in rotate.source
    x = torch.tensor([[2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    assert rotate(x, torch.tensor([0]), theta=[1.0]).tolist() == [[3.0, 6.0]]
    assert torch.autograd.gradcheck(lambda v: rotate(v, torch.tensor([1]), theta=[1.0]), (x,))


def test_index_and_count_in_the_rows() -> None:
    weight = Multiply((Add((INDEX, number(1))), Power(H, number(-1))))
    rotate = emit(of_rows((Multiply((weight, X0, WAVE)), Multiply((H, X1, WAVE)))))
    got = rotate(torch.ones(1, 4, dtype=torch.float64), torch.tensor([0]), theta=[1.0, 1.0])
    assert got.tolist() == [[0.5, 2.0, 1.0, 2.0]]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        (Multiply((X0, P, WAVE)), "Symbol p"),
        (Multiply((X0, WAVE, Family("w", Add((INDEX, number(1)))))), "Family w[i + 1]"),
        (Multiply((Family("x", Symbol("k")), WAVE)), "Family x[k]"),
        (Multiply((Family("x", Add((Multiply((number(2), INDEX)), number(2)))), WAVE)), "x[2*i + 2]"),
        (Multiply((X0, Apply("cos", Multiply((P, X1))))), "Family x[2*i + 1]"),
        (X0, "no cos or sin"),
        (Multiply((X0, WAVE, Apply("re", Symbol("m")))), "Apply re(m)"),
        (Multiply((X0, WAVE, IndexedSum("j", H, Family("w", Symbol("j"))))), "Family w[j]"),
    ],
)
def test_a_statement_without_executable_reading_names_the_node(row: Term, named: str) -> None:
    with pytest.raises(NotEmittable) as refusal:
        source(of_rows((row, row)))
    assert named in str(refusal.value)


def test_names_that_python_or_the_module_needs_are_moved_aside() -> None:
    row = Multiply((Symbol("lambda"), Symbol("dim"), Symbol("cos"), X0, WAVE))
    rotate = emit(of_rows((row, row)))
    got = rotate(torch.ones(1, 2), torch.tensor([0]), theta=[1.0], lambda_=2.0, dim_=3.0, cos=5.0)
    assert got.tolist() == [[30.0, 30.0]]
