"""Every rule of the table agrees with its operator in float64; a rule without a sample is missed here."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from posproofs.symbolic.execution import applied
from posproofs.symbolic.rules import GROUPS, RULES
from posproofs.symbolic.tensors import Symbolic
from tests.symbolic.checking import Bench, disagreements, operator_named
from tests.symbolic.samples import SAMPLES


def test_every_rule_has_a_sample_and_every_sample_a_rule() -> None:
    assert set(SAMPLES) == set(RULES)
    assert all(SAMPLES.values())
    assert sum(map(len, GROUPS.values())) == len(RULES) - 1, "one operator of ONNX, and no name in two groups"


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_agrees_with_its_operator(name: str) -> None:
    assert list(disagreements(name)) == []


MIXED = [
    ("aten.add.Tensor", (torch.float32, (2, 3)), (torch.float64, ())),
    ("aten.add.Tensor", (torch.bfloat16, (2,)), (torch.float32, (2,))),
    ("aten.add.Tensor", (torch.bfloat16, ()), (torch.float32, ())),
    ("aten.mul.Tensor", (torch.float16, (2,)), (torch.bfloat16, (2,))),
    ("aten.mul.Tensor", (torch.float32, (2,)), (torch.int64, (2,))),
    ("aten.mul.Tensor", (torch.bfloat16, ()), (torch.int64, (2,))),
    ("aten.div.Tensor", (torch.float64, (2,)), (torch.float32, (2,))),
    ("aten.maximum.default", (torch.float32, (2,)), (torch.float64, (2,))),
]


@pytest.mark.parametrize(("name", "one", "other"), MIXED)
def test_dtypes_are_promoted_as_by_torch(name: str, one: Any, other: Any) -> None:
    bench, target = Bench(), operator_named(name)
    tensors = [torch.ones(shape, dtype=kind) for kind, shape in (one, other)]
    wanted = target(*tensors).dtype
    given = [bench.symbolic(t) if t.is_floating_point() else t for t in tensors]
    assert applied(bench.running, target, *given).kind == wanted
    assert (
        applied(bench.running, target, tensors[0] * 2, *given[1:]).kind == wanted
        if given[1] is not tensors[1]
        else True
    )


@pytest.mark.parametrize("number", [2, 2.5])
def test_a_number_does_not_change_the_dtype(number: float) -> None:
    bench = Bench()
    x = bench.symbolic(torch.ones(2, dtype=torch.bfloat16))
    for name in ("aten.add.Tensor", "aten.mul.Tensor", "aten.pow.Tensor_Scalar"):
        assert applied(bench.running, operator_named(name), x, number).kind == torch.bfloat16


def test_casts_are_the_identity_and_are_listed() -> None:
    bench = Bench()
    x = bench.symbolic(torch.ones(2, dtype=torch.float32))
    assert isinstance(x, Symbolic)
    for kind in (torch.bfloat16, torch.bfloat16, torch.float32):
        found = applied(bench.running, torch.ops.aten._to_copy.default, x, dtype=kind)
        assert found.kind == kind
        assert torch.equal(found.nodes, x.nodes)
    applied(bench.running, torch.ops.aten.softmax.int, x, 0, torch.float64)
    assert bench.running.casts == {"float32 to bfloat16": 2, "float32 to float64": 1}


def test_operators_that_saw_a_symbol_are_counted() -> None:
    bench = Bench()
    x = bench.symbolic(torch.ones(2, dtype=torch.float64))
    for _ in range(2):
        applied(bench.running, torch.ops.aten.neg.default, x)
    applied(bench.running, torch.ops.aten.neg.default, torch.ones(2))
    assert bench.running.operators == {"aten.neg.default": 2}


def test_equal_entries_are_written_once() -> None:
    bench = Bench()
    x = bench.symbolic(torch.ones(1, dtype=torch.float64))
    assert isinstance(x, Symbolic)
    spread = Symbolic(x.nodes.expand(1000), x.kind)
    before = len(bench.program.nodes)
    applied(bench.running, torch.ops.aten.exp.default, spread)
    assert len(bench.program.nodes) == before + 1
