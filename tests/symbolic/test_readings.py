"""A float is read as another number only if that number rounds to it in its dtype, is simple, and is written down."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posproofs.errors import Refused
from posproofs.symbolic.program import Constant, Program
from posproofs.symbolic.readings import Reader, rounding_interval, shown, simplest

KINDS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def held(value: float, kind: torch.dtype) -> float:
    return float(torch.tensor(value, dtype=torch.float64).to(kind).double())


def read(value: float, kind: torch.dtype) -> tuple[Any, dict[str, int]]:
    program = Program()
    reader = Reader(program)
    node = reader.tensor(torch.tensor([value], dtype=torch.float64).to(kind)).item()
    return program.nodes[int(node)].label, dict(reader.log)


ROOTS = [(Fraction(1, 2), 2), (Fraction(1, 8), 2), (Fraction(1), 3), (Fraction(1, 3), 3), (Fraction(5), 1)]
RATIONALS = [Fraction(1, 3), Fraction(1, 10), Fraction(1, 1000), Fraction(-2, 7), Fraction(1, 10**4)]


@pytest.mark.parametrize(("rational", "radicand"), [*ROOTS, *((x, 1) for x in RATIONALS)])
@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
def test_the_constants_of_attention_are_read(rational: Fraction, radicand: int, kind: torch.dtype) -> None:
    value = held(float(rational) * math.sqrt(radicand), kind)
    label, log = read(value, kind)
    assert label == Constant(rational, radicand)
    written = {f"{value!r} ({str(kind)[6:]}) read as {shown(rational, radicand)}": 1}
    assert log == ({} if rational.denominator <= 4096 and Fraction(value) == rational else written)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [0.0, 1.0, -0.5, 0.375, 3.0, -1 / 64])
def test_plain_numbers_are_themselves_and_are_not_listed(value: float, kind: torch.dtype) -> None:
    assert read(value, kind) == (Constant(Fraction(value)), {})


@pytest.mark.parametrize("kind", KINDS[:2])
def test_the_neighbour_of_a_constant_is_not_read_as_it(kind: torch.dtype) -> None:
    for number in (1 / 3, math.sqrt(5), 1e-4, math.sqrt(2 / 3)):
        middle = torch.tensor(number, dtype=torch.float64).to(kind)
        for towards in (0.0, 9.0):
            beside = float(torch.nextafter(middle, torch.tensor(towards, dtype=kind)).double())
            assert read(beside, kind) == (Constant(Fraction(beside)), {})


@pytest.mark.parametrize("n", [2, 3, 5, 6, 8, 32, 96, 128])
def test_both_ways_to_compute_a_scale_are_read(n: int) -> None:
    scale = Constant(*(simplest(n**-0.5, torch.float64) or ()))
    assert scale.rational**2 * scale.radicand == Fraction(1, n)
    for value in (1 / math.sqrt(n), math.sqrt(1 / n), float(torch.tensor(float(n)).rsqrt())):
        kind = torch.float32 if Fraction(value).denominator < 2**40 else torch.float64
        assert read(value, kind)[0] == scale


def test_the_reciprocal_root_is_one_unit_beside_the_root() -> None:
    assert 1 / math.sqrt(2) < math.sqrt(1 / 2)
    assert read(1 / math.sqrt(2), torch.float64)[0] == read(math.sqrt(1 / 2), torch.float64)[0]
    below = math.nextafter(1 / math.sqrt(2), 0)
    assert read(below, torch.float64) == (Constant(Fraction(below)), {})


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_where_every_float_is_near_a_simple_number_nothing_is_read(kind: torch.dtype) -> None:
    for number in (math.sqrt(0.5) / 64, 1 / 300, 0.01, 1e-5):
        value = held(number, kind)
        assert read(value, kind) == (Constant(Fraction(value)), {})


def test_a_float_of_another_dtype_is_not_read() -> None:
    assert simplest(1 / 3, torch.float32) is None, "1/3 in float64 is no float32 at all"
    assert simplest(held(1 / 3, torch.float32), torch.float64) is None
    assert simplest(1 / 3, torch.float64) == (Fraction(1, 3), 1)


def test_random_floats_are_seldom_read() -> None:
    chance, reader = random.Random(0), Reader(Program())
    values = torch.tensor([chance.uniform(0.5, 1.0) for _ in range(4_000)], dtype=torch.float32)
    reader.tensor(values)
    assert sum(reader.log.values()) <= 8, "one in 4096 is meant for each of two or three kinds"


@pytest.mark.parametrize("kind", KINDS)
def test_the_least_number_of_a_dtype_is_minus_infinity(kind: torch.dtype) -> None:
    program = Program()
    reader = Reader(program)
    least = torch.finfo(kind).min
    mask = torch.tensor([0.0, least, -math.inf, least], dtype=kind)
    assert reader.tensor(mask).tolist() == [program.zero, *[program.masked] * 3]
    assert list(reader.log.values()) == [2], "infinity itself needs no reading"
    assert "read as minus infinity" in next(iter(reader.log))


@pytest.mark.parametrize("value", [-1e9, -1e30, -1e4, 65504.0])
def test_large_finite_masks_are_not_infinite(value: float) -> None:
    assert read(value, torch.float32)[0] == Constant(Fraction(held(value, torch.float32)))


def test_a_number_of_python_is_float64_and_its_floor_is_that_of_its_tensor() -> None:
    program = Program()
    reader = Reader(program)
    least = torch.finfo(torch.float32).min
    assert reader.number(least, beside=torch.float32) == program.masked
    assert reader.number(least) != program.masked
    assert reader.number(0.1, beside=torch.bfloat16) == program.constant(Fraction(1, 10))


def test_integers_are_exact() -> None:
    program = Program()
    reader = Reader(program)
    large = 2**62 + 1
    for value in (torch.tensor([large]), torch.tensor([True])):
        (node,) = reader.tensor(value).tolist()
        assert program.exact(node) == int(value.item())
    assert program.exact(reader.number(large)) == large


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(Refused, match="the program contains"):
        read(value, torch.float32)
    with pytest.raises(Refused, match="read by its parts"):
        Reader(Program()).tensor(torch.ones(1, dtype=torch.complex64))


def test_every_entry_is_counted() -> None:
    program = Program()
    reader = Reader(program)
    table = torch.tensor([0.1, 0.5, 0.1, math.sqrt(2)], dtype=torch.float32)
    nodes = reader.tensor(table)
    assert sorted(reader.log.values()) == [1, 2]
    assert nodes[0] == nodes[2]
    reader.number(0.1)
    assert len(reader.log) == 3, "the same number in another dtype is another reading"


def test_an_abstraction_is_asked_first_and_listed() -> None:
    program = Program()
    theta = program.symbol("theta")

    def frequencies(value: torch.Tensor) -> tuple[torch.Tensor, str] | None:
        return (torch.full(value.shape, theta), "a table read as theta") if value.numel() == 2 else None

    reader = Reader(program, (frequencies,))
    assert reader.tensor(torch.ones(2)).tolist() == [theta, theta]
    assert reader.tensor(torch.ones(1)).tolist() == [program.one]
    assert reader.log == {"a table read as theta": 1}


@given(st.integers(0, 2**40), st.integers(1, 2**40), st.sampled_from(KINDS))
def test_a_reading_rounds_to_the_float_it_stands_for(over: int, under: int, kind: torch.dtype) -> None:
    value = held(over / under, kind)
    if math.isinf(value) or not value:
        return
    found = simplest(value, kind)
    if found is not None:
        rational, radicand = found
        near = float(rational) * math.sqrt(radicand)
        assert held(near, kind) == value or abs(near - value) <= 2e-16 * value  # sqrt and the product round in float64


@pytest.mark.parametrize("kind", KINDS)
def test_the_rounding_interval_is_that_of_the_dtype(kind: torch.dtype) -> None:
    limits = torch.finfo(kind)
    for value in (
        1.0,
        1.5,
        2.0,
        limits.smallest_normal,
        limits.smallest_normal * (1 + limits.eps),
        limits.smallest_normal / 2,
    ):
        interval = rounding_interval(Fraction(value), kind)
        assert interval is not None
        low, high = interval
        step = (high - low) / 1000
        assert torch.tensor(float(low + step), dtype=torch.float64).to(kind).double() == value
        assert torch.tensor(float(high - step), dtype=torch.float64).to(kind).double() == value
        assert torch.tensor(float(low - step), dtype=torch.float64).to(kind).double() != value
        assert torch.tensor(float(high + step), dtype=torch.float64).to(kind).double() != value
    assert rounding_interval(Fraction(0), kind) is None
    assert rounding_interval(Fraction(1, 3), kind) is None
