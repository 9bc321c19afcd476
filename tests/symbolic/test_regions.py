"""A region without gradients or casts is written where it stands; one that casts goes the way of decompositions."""

import pytest
import torch
from torch import Tensor

from posproofs.symbolic.tracing import trace


def without_gradients(x: Tensor) -> Tensor:
    y = 2 * x
    with torch.no_grad():
        y = y.sin() + x
    return y.cos()


def without_casts(x: Tensor) -> Tensor:
    with torch.autocast("cpu", enabled=False):
        y = x @ x.T
        with torch.no_grad():
            y = y + 1
    return y.cos()


def with_casts(x: Tensor) -> Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return x @ x.T


X = torch.arange(6.0).reshape(2, 3) / 8


@pytest.mark.parametrize("function", [without_gradients, without_casts])
def test_a_region_is_inlined_as_it_is_called(function: object) -> None:
    assert callable(function)
    traced = trace(function, (X,), level="called")
    names = [str(node.target) for node in traced.graph.nodes if node.op == "call_function"]
    assert all(name.startswith("aten.") for name in names)
    assert all(node.op != "get_attr" for node in traced.graph.nodes)
    found = torch.fx.Interpreter(torch.fx.GraphModule({}, traced.graph)).run(X)
    assert torch.equal(found[0], function(X))


def test_a_region_that_casts_is_decomposed_with_its_casts() -> None:
    names = [str(node.target) for node in trace(with_casts, (X,), level="called").graph.nodes]
    assert names.count("aten._to_copy.default") >= 1
    assert not any("autocast" in name for name in names)
