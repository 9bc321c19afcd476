"""The bound on an output, attacked by computing in float32 and in other orders of summation against float64."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import torch

from posproofs.laws import AttentionSubject, law, subject_of
from posproofs.laws.attention_cases import error, output, values_of
from posproofs.laws.attention_mutants import SIZES
from posproofs.laws.attention_precision import Rounded, Rounding
from posproofs.laws.attention_sides import Side
from posproofs.mutants import AttentionMutant
from posproofs.production import subject
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.program import Name, Program

UNIT = 2.0**-24
DRAWN = 200


def computed(parts: list[float]) -> float:
    """Their sum in float32, from left to right."""
    total = torch.zeros((), dtype=torch.float32)
    for part in parts:
        total = total + torch.tensor(part, dtype=torch.float32)
    return float(total)


def in_single(value: float) -> float:
    return float(torch.tensor(value, dtype=torch.float32))


def dot(domain: Rounding, left: list[float], right: list[float]) -> Rounded:
    program = Program()
    names = [Name(t, (k,)) for t in "xy" for k in range(len(left))]
    nodes = [program.symbol(name.tensor, name.index) for name in names]
    total = program.dot(nodes[: len(left)], nodes[len(left) :])
    known = Rounding(dict(zip(names, [*left, *right], strict=True)), domain.unit)
    return evaluated(program, [total], known)[total]


def test_a_dot_product_keeps_its_bound_in_every_order_of_summation() -> None:
    """Also where the largest terms cancel, and the bound is not absurd."""
    chance = random.Random(5)
    domain = Rounding({}, UNIT)
    worst = 0.0
    for _ in range(DRAWN):
        left = [in_single(chance.uniform(-1, 1) * 2 ** chance.randint(-8, 8)) for _ in range(8)]
        right = [in_single(chance.uniform(-1, 1)) for _ in range(8)]
        exact = float(sum((Fraction(a) * Fraction(b) for a, b in zip(left, right, strict=True)), Fraction(0)))
        bound = domain.error(dot(domain, left, right))
        products = [in_single(a * b) for a, b in zip(left, right, strict=True)]
        for order in (products, products[::-1], sorted(products), sorted(products, key=abs), sorted(products)[::-1]):
            off = abs(computed(order) - exact)
            assert off <= bound
            worst = max(worst, off / bound)
    assert worst > 1 / 40


@pytest.mark.parametrize("shift", [0.0, 5.0, -30.0])
def test_a_share_keeps_its_bound(shift: float) -> None:
    chance = random.Random(7)
    worst = 0.0
    for _ in range(DRAWN):
        scores = [in_single(chance.uniform(-6, 6) + shift) for _ in range(5)]
        given = torch.softmax(torch.tensor(scores, dtype=torch.float32), dim=-1).double().tolist()
        top = max(scores)
        exact = [math.exp(s - top) / math.fsum(math.exp(a - top) for a in scores) for s in scores]
        domain = Rounding({}, UNIT)
        row = [Rounded(s, abs(s)) for s in scores]
        for mine, right, got in zip(row, exact, given, strict=True):
            bound = domain.error(domain.share(mine, row))
            assert abs(got - right) <= bound
            worst = max(worst, abs(got - right) / bound)
    assert worst > 1 / 200


def test_functions_of_what_is_off_keep_their_bounds() -> None:
    """The argument is off by as much as it may be, in both directions."""
    domain = Rounding({}, UNIT)
    for value in (0.3, 1.7, 2.5):
        a = Rounded(value, value, parts=6.0)
        off = domain.error(a)
        cases: list[tuple[Rounded, Callable[..., Any], Callable[[float], float]]] = [
            (domain.exp(a), torch.exp, math.exp),
            (domain.cos(a), torch.cos, math.cos),
            (domain.sin(a), torch.sin, math.sin),
            (domain.root(a), torch.sqrt, math.sqrt),
            (domain.invert(a), torch.reciprocal, lambda x: 1 / x),
            (domain.log(a), torch.log, math.log),
            (domain.call("sigmoid", [a]), torch.sigmoid, lambda x: 1 / (1 + math.exp(-x))),
            (domain.call("tanh", [a]), torch.tanh, math.tanh),
            (domain.call("softplus", [a]), torch.nn.functional.softplus, lambda x: math.log1p(math.exp(x))),
            (domain.call("gelu", [a]), torch.nn.functional.gelu, lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2)))),
        ]
        for bounded, function, exact in cases:
            for moved in (value + off, value - off):
                given = float(function(torch.tensor(moved, dtype=torch.float32)))
                assert abs(given - exact(value)) <= domain.error(bounded) + 1e-12


def test_what_is_too_far_off_has_no_bound() -> None:
    domain = Rounding({}, UNIT)
    lost = Rounded(1.0, 1.0, parts=1 / UNIT)
    for bounded in (lost, domain.exp(lost), domain.invert(lost), domain.multiply(lost, lost), domain.cos(lost)):
        assert domain.error(bounded) == math.inf


@pytest.mark.parametrize("name", ["transformers.llama.attention", "transformers.t5.encoder.attention"])
def test_a_released_module_in_float32_keeps_its_bound_against_float64(name: str) -> None:
    """And the bound is far below what a defect comes to."""
    one = subject(name)
    assert isinstance(one, AttentionSubject)
    size, side = one.sizes[0], Side(one.paths[0])
    values = values_of(one, {"size": size.listed, "seed": 3})
    given, exact = (output(one, size, side, values, dtype=kind) for kind in ("float32", "float64"))
    bound = error(one, size, side, values, dtype="float32")
    assert bool(((given - exact).abs() <= bound).all())
    assert float(bound.max()) < 1e-3 * float(exact.abs().max())


def test_a_law_is_not_asked_where_its_bound_says_nothing() -> None:
    """With weights a thousand times as large a softmax amplifies every rounding."""
    right = subject_of(AttentionMutant("right", "nothing"), SIZES[:1])
    case = {"size": SIZES[0].listed, "dtype": "float32", "sides": [{"path": "plain"}, {"path": "second"}], "seed": 0}
    shown = law("attention.paths").measure(right, case)
    assert not shown.reason
    point = {name: {"0,0": 1.0} for name in ("query", "key")}
    shown = law("attention.paths").measure(right, {**case, "point": point})
    assert not shown.broken


def test_counts_of_a_sum_do_not_depend_on_its_order() -> None:
    domain = Rounding({}, UNIT)
    parts = [Rounded(1.0, 1.0, parts=float(k)) for k in range(6)]
    orders = [parts, parts[::-1], parts[3:] + parts[:3]]
    counts = set()
    for order in orders:
        total = order[0]
        for part in order[1:]:
            total = domain.add(total, part)
        counts.add(total.count)
    assert counts == {10.0}
    assert all(a == b for a, b in pairwise(sorted(counts)))
