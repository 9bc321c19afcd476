"""Every argument of a trace is an input of its own, whatever tensors the caller and the code have in common."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Literal

import pytest
import torch
from torch import Tensor

from posproofs import prove_equal
from posproofs.symbolic import tracing
from posproofs.symbolic.tracing import Traced, open_lengths, trace, trace_run, trace_vjp

ROW = torch.ones(3)
Tracer = Callable[[Callable[..., Tensor], tuple[Tensor, ...]], Traced]


def first(a: Tensor, _b: Tensor) -> Tensor:
    return 2 * a


def second(_a: Tensor, b: Tensor) -> Tensor:
    return 2 * b


def held(a: Tensor) -> Tensor:
    return a * ROW


def used(traced: Traced) -> list[bool]:
    """For each input, whether the graph reads it."""
    return [bool(node.users) for node in traced.inputs]


@pytest.mark.parametrize("level", ["called", "core"])
def test_a_torch_that_cannot_leave_graphs_unwritten_gives_the_same(
    level: Literal["called", "core"], monkeypatch: pytest.MonkeyPatch
) -> None:
    def shares(x: Tensor) -> Tensor:
        return torch.softmax(torch.einsum("ij,kj->ik", x, x), dim=-1)

    rows = torch.arange(12.0).reshape(3, 4)
    unwritten = trace(shares, (rows,), level=level).digest
    monkeypatch.setattr(tracing, "_unwritten", nullcontext)
    assert trace(shares, (rows,), level=level).digest == unwritten
    monkeypatch.undo()
    monkeypatch.setattr(tracing, "import_module", lambda _name: object())
    assert trace(shares, (rows,), level=level).digest == unwritten


@pytest.mark.parametrize("tracer", [trace, trace_run])
def test_one_tensor_given_twice_is_two_inputs(tracer: Tracer) -> None:
    graphs = [tracer(function, (ROW, ROW)) for function in (first, second)]
    assert [used(graph) for graph in graphs] == [[True, False], [False, True]]
    assert graphs[0].digest != graphs[1].digest
    assert [graph.digest for graph in graphs] == [tracer(f, (ROW, ROW.clone())).digest for f in (first, second)]


def test_the_backward_pass_reads_what_the_function_reads() -> None:
    """The gradient of a b^2 by b is 2 a b g, and by a it is b^2 g."""

    def product(a: Tensor, b: Tensor) -> Tensor:
        return a * b * b

    by_each = []
    for by in (0, 1):
        graphs = [trace_vjp(product, (ROW, other), by=by) for other in (ROW, ROW.clone())]
        assert used(graphs[0]) == [True, True, True]
        assert graphs[0].digest == graphs[1].digest
        by_each.append(graphs[0].digest)
    assert by_each[0] != by_each[1]


@pytest.mark.parametrize("tracer", [trace, trace_run])
def test_a_tensor_that_the_code_holds_is_not_the_input(tracer: Tracer) -> None:
    """a * ROW is no square, even where it is called with ROW."""
    graph = tracer(held, (ROW,))
    assert len(graph.held) == 1
    assert graph.digest == tracer(held, (ROW.clone(),)).digest


def test_what_the_caller_gave_is_as_it_was() -> None:
    def writes(a: Tensor) -> Tensor:
        return a.add_(1)

    given = torch.zeros(3)
    trace_run(writes, (given,))
    trace(writes, (given,))
    assert given.tolist() == [0, 0, 0]


def test_lengths_are_open_for_each_argument() -> None:
    class Difference(torch.nn.Module):
        def forward(self, *rows: Tensor) -> Tensor:
            return rows[0] - rows[1]

    x = torch.ones(3, 2)
    assert open_lengths(Difference(), (x, x), axes=(0, 0), most=9) == (2, 9)


def test_functions_of_one_tensor_in_two_places_are_told_apart() -> None:
    assert prove_equal(first, second, inputs=(ROW, ROW)).status == "refuted"
    assert prove_equal(first, lambda a, _b: a + a, inputs=(ROW, ROW)).status == "proved"


def test_a_replay_writes_into_nothing_of_the_caller() -> None:
    """Whole numbers are data: what is called for a refutation gets its own."""
    steps = torch.arange(3)

    def shifts(x: Tensor, s: Tensor) -> Tensor:
        return x * s.clone().add_(1)

    def writes(x: Tensor, s: Tensor) -> Tensor:
        return x * s.add_(2)

    found = prove_equal(shifts, writes, inputs=(ROW, steps))
    assert (found.status, steps.tolist()) == ("refuted", [0, 1, 2])


def test_a_point_that_is_zero_is_said_in_words() -> None:
    found = prove_equal(lambda x: x + 1, lambda x: x + 2, inputs=(ROW,))
    assert (found.status, found.point) == ("refuted", {})
    assert str(found) == "Not equal: at 0 in every input, entry 0 of the outputs is 1 and 2."
