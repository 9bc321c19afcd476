"""`apply` under torch.compile: one graph without breaks, and right for every memory layout.

The backend here runs the traced graph as it is; `make bench` compiles for speed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from posproofs.emit import emit

LAYOUTS = ("interleaved", "half-split")
Graphs = list[torch.fx.GraphModule]


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def compiled(function: Callable[..., Any]) -> tuple[Callable[..., Any], Graphs]:
    """The function in one graph, and a list of the graphs that were traced."""
    graphs: Graphs = []

    def backend(graph: torch.fx.GraphModule, _: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    return torch.compile(function, backend=backend, fullgraph=True), graphs


def calls_the_product(graph: torch.fx.GraphModule) -> bool:
    return "pair_product" in str(graph.code)


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_memory_layout_is_one_graph(layout: str) -> None:
    rotate = emit("rotary.rotate", layout=layout)
    cos, sin = rotate.table(torch.arange(5), dim=8)
    inputs = [
        drawn(3, 5, 8),
        drawn(5, 3, 8).transpose(0, 1),
        drawn(121)[1:].view(3, 5, 8),
        drawn(3, 5, 9)[..., 1:],
        drawn(3, 5, 8).bfloat16(),
        drawn(5, 8).expand(3, 5, 8),
    ]
    function, _ = compiled(rotate.apply)
    with torch.no_grad():
        for x in inputs:
            # One rounding of the last place may differ: the plain expression sums in another order.
            torch.testing.assert_close(function(x, cos, sin), rotate.apply(x, cos, sin), rtol=1e-2, atol=1e-6)


def test_a_complex_product_is_called_where_nothing_is_cast_or_differentiated() -> None:
    rotate = emit("rotary.rotate")
    cos, sin = rotate.table(torch.arange(5), dim=8)
    cases = [(drawn(5, 8), True), (drawn(41)[1:].view(5, 8), True), (drawn(5, 8).bfloat16(), False)]
    with torch.no_grad():
        for x, wanted in cases:
            function, graphs = compiled(rotate.apply)
            function(x, cos, sin)
            assert [calls_the_product(graph) for graph in graphs] == [wanted]
    function, graphs = compiled(rotate.apply)
    function(drawn(5, 8).requires_grad_(), cos, sin)
    assert not any(map(calls_the_product, graphs))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rotate_is_one_graph_with_gradients(layout: str) -> None:
    rotate = emit("rotary.rotate", layout=layout)
    function, _ = compiled(rotate)
    x = drawn(2, 5, 9).requires_grad_()
    for positions in (torch.arange(5), torch.tensor([[4], [7]])):
        (got,) = torch.autograd.grad(function(x, positions, rotary_dim=6).square().sum(), x)
        assert torch.allclose(got, 2 * x, rtol=0, atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_exported_graph_is_the_plain_expression(layout: str) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor, positions: torch.Tensor) -> Any:
            return emit("rotary.rotate", layout=layout)(x, positions)

    x, positions = drawn(2, 3, 4), torch.arange(3)
    program = torch.export.export(Module(), (x, positions))
    assert "complex" not in str(program.graph_module.code)
    assert torch.allclose(program.module()(x, positions), Module()(x, positions), rtol=0, atol=1e-6)


def test_the_operator_of_compiled_graphs_is_what_its_shape_says() -> None:
    rotate = emit("rotary.rotate")
    cos, sin = rotate.table(torch.arange(5), dim=8)
    for x in (drawn(3, 5, 8), drawn(121)[1:].view(3, 5, 8), drawn(0, 5, 8)):
        checks = ("test_schema", "test_faketensor")
        torch.library.opcheck(torch.ops.posproofs.pair_product.default, (x, cos, sin), test_utils=checks)
        assert torch.equal(torch.ops.posproofs.pair_product(x, cos, sin), rotate.apply(x, cos, sin))


def test_a_table_that_was_changed_in_place_is_read_as_it_is_now() -> None:
    rotate = emit("rotary.rotate")
    x, other = drawn(3, 6), rotate.table(torch.arange(3) + 9, dim=6)
    expected = rotate.apply(x, *other)
    cos, sin = rotate.table(torch.arange(3), dim=6)
    cos.data, sin.data = other[0].clone(), other[1].clone()
    assert torch.equal(rotate.apply(x, cos, sin), expected)
    cos, sin = (wave.t_() for wave in rotate.table(torch.arange(3), dim=6))
    assert torch.equal(rotate.apply(x, cos, sin), rotate.apply(x, cos.clone(), sin.clone()))


def test_a_copied_table_stays_itself() -> None:
    """Caches are copied with their modules and then filled again in place."""
    rotate = emit("rotary.rotate")
    cos, sin = copy.deepcopy(rotate.table(torch.arange(3), dim=4))
    newer = rotate.table(torch.arange(3) + 9, dim=4)
    cos.copy_(newer[0])
    sin.copy_(newer[1])
    x = drawn(3, 4)
    assert torch.equal(rotate.apply(x, cos, sin), rotate.apply(x, *newer))
    assert torch.equal(rotate.apply(x, sin, cos), rotate.apply(x, sin.clone(), cos.clone()))
