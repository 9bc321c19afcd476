"""What symbolic execution must not guess: each ends in Refused, with the node and the line of source."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from posproofs.errors import Refused
from posproofs.symbolic import program as program_module
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.execution import Execution, applied, execute
from posproofs.symbolic.program import Program
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.rules import RULES
from posproofs.symbolic.tensors import Complex, Symbolic, of, symbols
from posproofs.symbolic.tracing import trace

SHAPE = (2, 3)
A = torch.ops.aten


def run(function: Callable[..., Any], shape: tuple[int, ...] = SHAPE) -> list[Any]:
    """The function exported, and executed on symbols."""
    program = Program()
    traced = trace(function, (torch.randn(shape),), level="called")
    return execute(traced, program, [symbols(program, "x", shape)], reader=Reader(program))[0]


def branches_on_data(x: Tensor) -> Tensor:
    return x if x.sum() > 0 else -x


def calls_cond(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (x,))  # type: ignore[no-any-return]


EXPORTED: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "a symbolic condition": (lambda x: torch.where(x > 0, x, -x), "no rule for aten.gt.Scalar"),
    "a cast to integers": (lambda x: x.long() + 1, "cast to torch.int64, which rounds it"),
    "an index made of symbols": (lambda x: torch.arange(9)[x.long()], "cast to torch.int64"),
    "rounding": (lambda x: x.round(), "no rule for aten.round"),
    "a clamp": (lambda x: x.clamp(0, 1), "no rule for aten.clamp"),
    "a sum over a running index": (lambda x: x.cumsum(0), "no rule for aten.cumsum"),
    "a sort": (lambda x: x.sort()[0], "no rule for aten.sort"),
    "dropout in training": (lambda x: torch.nn.functional.dropout(x, 0.5, training=True), "draws at random"),
    "noise": (lambda x: x + torch.rand(3), "no rule for aten.rand.default"),
    "attention that drops": (
        lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5),
        "drops entries at random",
    ),
    "a masked row": (
        lambda x: torch.softmax(x.masked_fill(torch.tensor([[True], [False]]), -math.inf), -1),
        "every score of a row is masked",
    ),
    "infinity": (lambda x: x + math.inf, "contains inf"),
    "not a number": (lambda x: x * torch.full((3,), math.nan), "contains nan"),
    "minus infinity times a symbol": (lambda x: x * -math.inf, "minus infinity is multiplied"),
    "minus infinity through a sine": (lambda x: torch.sin(x + torch.tensor(-math.inf)), "reaches an operation"),
    "minus infinity negated": (lambda x: -(x - math.inf), "inf"),
    "a division by zero": (lambda x: x / 0, "divides by zero"),
    "a root of a negative constant": (
        lambda x: torch.cat((x, torch.full((1, 3), -1.0))).sqrt(),
        "the square root of -1",
    ),
    "a symbolic power": (lambda x: x**x, "a power is neither"),
    "a third root": (lambda x: x ** (1 / 3), "a power is neither"),
    "a trace by letters": (lambda x: torch.einsum("ii->i", x[:, :2]), "every letter stands once"),
    "a sum of one operand": (lambda x: torch.einsum("ij->i", x), "is no product of two operands"),
    "a sum of one of two": (lambda x: torch.einsum("ij,ik->k", x, x), "is no product of two operands"),
    "a letter that is spread": (lambda x: torch.einsum("ij,kj->ik", x, x[:, :1]), "broadcasts the letter j"),
    "a pad by reflection": (lambda x: torch.nn.functional.pad(x, (1, 0), mode="reflect"), "pad in mode 'reflect'"),
    "memory that nobody wrote": (lambda x: torch.empty_like(x) + x, "never written"),
    "the place of a maximum": (lambda x: torch.arange(3)[x.max(-1)[1]], "reads the place of an extreme"),
    "memory behind a tensor": (lambda x: x.as_strided((2,), (1,)), "no rule for aten.as_strided"),
    "a complex product of matrices": (
        lambda x: torch.view_as_complex(x.reshape(3, 2))[None] @ torch.ones(3, 1, dtype=torch.complex64),
        "complex value",
    ),
}


@pytest.mark.parametrize("what", sorted(EXPORTED))
def test_an_exported_program_is_refused_by_node_and_line(what: str) -> None:
    function, reason = EXPORTED[what]
    with pytest.raises(Refused, match=re.escape(reason)) as refused:
        run(function)
    assert re.fullmatch(r"\w+, (test_refusals|functional|_tensor)\.py:\d+", refused.value.place), refused.value.place


@pytest.mark.parametrize("function", [branches_on_data, lambda x: x[x[0, 0].item() :]])
def test_what_torch_does_not_export_is_refused(function: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises(Refused, match=r"torch\.export refuses"):
        run(function)


def test_higher_order_operators_are_refused() -> None:
    with pytest.raises(Refused, match="no rule"):
        run(calls_cond)


def test_the_innermost_place_stays() -> None:
    assert Refused("a").at("x").at("y").place == "x"


@pytest.mark.parametrize("kind", [torch.int64, torch.int32, torch.bool, torch.complex64])
def test_symbols_are_floats(kind: torch.dtype) -> None:
    with pytest.raises(Refused, match="symbols are real numbers"):
        Symbolic(torch.zeros(2, dtype=torch.int64), kind)
    with pytest.raises(Refused, match="symbols are real numbers"):
        symbols(Program(), "n", (2,), kind=kind)


def test_nodes_are_integers_and_parts_have_one_shape() -> None:
    with pytest.raises(Refused, match="numbered by int64"):
        Symbolic(torch.zeros(2), torch.float32)
    program = Program()
    with pytest.raises(Refused, match="beside an imaginary part"):
        Complex(symbols(program, "a", (2,)), symbols(program, "b", (3,)))


def at_hand(target: Any, *arguments: Any, **named: Any) -> Any:
    """One operator, on arguments that name their own symbols."""
    program = Program()
    x = symbols(program, "x", SHAPE)

    def change(value: Any) -> Any:
        if isinstance(value, list):
            return [change(inner) for inner in value]
        return x if value is SHAPE else value

    running = Execution(program, Reader(program))
    return applied(running, target, *map(change, arguments), **{k: change(v) for k, v in named.items()})


ROWS = torch.tensor([0, 1])
DIRECT: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "symbols as an index": (A.index.Tensor, (torch.ones(4), [SHAPE]), "an index or a condition depends on symbols"),
    "symbols as rows": (A.embedding.default, (torch.ones(4, 2), SHAPE), "depends on symbols"),
    "symbols as places": (A.gather.default, (torch.ones(2, 3), 0, SHAPE), "depends on symbols"),
    "symbols as a condition": (A.where.self, (SHAPE, torch.ones(2, 3), torch.ones(2, 3)), "depends on symbols"),
    "symbols as a mask": (A.masked_fill.Scalar, (torch.ones(2, 3), SHAPE, 0.0), "a mask depends on symbols"),
    "symbols as a condition of numbers": (A.where.ScalarOther, (SHAPE, torch.ones(2), 1), "depends on symbols"),
    "a mask of symbols in attention": (A.where.ScalarSelf, (SHAPE, 1, torch.ones(2)), "depends on symbols"),
    "one place written twice": (A.index_put.default, (SHAPE, [ROWS * 0], torch.ones(2, 3)), "writes one place twice"),
    "a change in place": (A.add_.Tensor, (torch.ones(2, 3), SHAPE), "changes its argument in place"),
    "a change of constants": (A.add_.Tensor, (torch.ones(2), 1), "changes its argument in place"),
    "an operator of training": (A._native_multi_head_attention.default, (SHAPE,) * 3, "no rule"),
    "noise of constants": (A.bernoulli.default, (torch.ones(2),), "no rule for aten.bernoulli"),
    "dropout on constants": (A.dropout.default, (torch.ones(2), 0.5, True), "draws at random"),
    "whole memory": (A.empty.memory_format, ([2],), ""),
    "whole numbers in memory": (A.empty_like.default, (SHAPE,), ""),
    "an operator that fails": (A.view.default, (torch.ones(4), [3]), "fails on its constants"),
    "shapes that do not fit": (A.mm.default, (SHAPE, SHAPE), "does not take these arguments"),
    "causal and masked": (
        A.scaled_dot_product_attention.default,
        (SHAPE, SHAPE, SHAPE, torch.ones(2, 2, dtype=torch.bool), 0.0, True),
        "is causal and has a mask",
    ),
    "a variance of one": (A.var.correction, (torch.ones(1), None), ""),
    "a complex cast to a real dtype": (A.pow.Tensor_Scalar, (SHAPE, 4096), "passes the limit"),
}
FINE = {"whole memory", "whole numbers in memory", "a variance of one"}


@pytest.mark.parametrize("what", sorted(set(DIRECT) - FINE))
def test_an_operator_refuses(what: str) -> None:
    target, arguments, reason = DIRECT[what]
    with pytest.raises(Refused, match=re.escape(reason)):
        at_hand(target, *arguments)


def test_uninitialised_integers_and_dropped_parts_are_refused() -> None:
    with pytest.raises(Refused, match="uninitialised memory"):
        at_hand(A.empty_like.default, SHAPE, dtype=torch.int64)
    with pytest.raises(Refused, match="variance of 6 entries with correction 6"):
        at_hand(A.var.correction, SHAPE, [0, 1], correction=6)
    program = Program()
    running = Execution(program, Reader(program))
    pair = Complex(symbols(program, "a", (2,)), symbols(program, "b", (2,)))
    with pytest.raises(Refused, match="drops its imaginary part"):
        applied(running, A._to_copy.default, pair, dtype=torch.float32)
    with pytest.raises(Refused, match="complex"):
        applied(running, A.sin.default, pair)


def test_memory_that_is_written_before_it_is_read_is_fine() -> None:
    def halves(x: Tensor) -> Tensor:
        out = torch.empty_like(x)
        out[..., ::2] = -x[..., 1::2]
        out[..., 1::2] = x[..., ::2]
        return out

    program = Program()
    x = symbols(program, "x", (2, 4))
    traced = trace(halves, (torch.randn(2, 4),))
    (found,), _ = execute(traced, program, [x], reader=Reader(program))
    wanted = [[program.negate(b), a] for a, b in x.nodes.reshape(-1, 2).tolist()]
    assert found.nodes.reshape(-1, 2).tolist() == wanted


def test_an_output_that_nobody_wrote_has_no_value() -> None:
    program = Program()
    for node in (program.masked, program.unset):
        with pytest.raises(Refused, match="is an output of the program"):
            evaluated(program, [node], Exact())


def test_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_module, "NODE_LIMIT", 20)
    with pytest.raises(Refused, match=r"limit of 20 operations \(\w+, test_refusals\.py:\d+\)"):
        run(lambda x: torch.sin(x) + torch.cos(x) * x)


def test_a_limit_of_the_kernel_is_refused_with_the_operation() -> None:
    program = Program()
    names = [program.symbol("x", (k,)) for k in range(120)]
    wide = program.total(names)
    cube = program.power(wide, 3)
    with pytest.raises(Refused, match=r"limit of .* \(operation \d+, multiply\)"):
        evaluated(program, [cube], Exact())


def test_inputs_must_fit_what_was_traced() -> None:
    program = Program()
    traced = trace(lambda x, n: x * n, (torch.randn(2, 3), 2))
    x = symbols(program, "x", (2, 3))
    reader = Reader(program)
    execute(traced, program, [x, 2], reader=reader)
    for inputs, reason in (
        ([x], "takes 2 inputs, got 1"),
        ([x, 3], "traced for the constant 2, got 3"),
        ([symbols(program, "x", (3, 2)), 2], r"traced for \(2, 3\), got \(3, 2\)"),
        ([torch.zeros(2, 3, dtype=torch.float64), 2], "traced for torch.float32, got torch.float64"),
    ):
        with pytest.raises(Refused, match=reason):
            execute(traced, program, inputs, reader=reader)


def test_symbols_in_place_of_whole_numbers_are_refused() -> None:
    program = Program()
    traced = trace(lambda x, n: x[n], (torch.randn(4), torch.tensor([1, 2])))
    with pytest.raises(Refused, match="symbols are real numbers"):
        execute(traced, program, [symbols(program, "x", (4,)), symbols(program, "n", (2,))], reader=Reader(program))


def test_a_name_that_the_graph_does_not_hold_is_refused() -> None:
    program, layer = Program(), torch.nn.Linear(3, 2)
    traced = trace(layer, (torch.randn(1, 3),))
    inputs = [symbols(program, "x", (1, 3))]
    weight = symbols(program, "w", (2, 3))
    execute(traced, program, inputs, reader=Reader(program), held={"weight": weight})
    with pytest.raises(Refused, match="holds no wieght; it holds bias, weight"):
        execute(traced, program, inputs, reader=Reader(program), held={"wieght": weight})
    with pytest.raises(Refused, match="traced for"):
        execute(traced, program, inputs, reader=Reader(program), held={"weight": symbols(program, "w", (3, 2))})


def test_tracing_leaves_a_module_in_the_mode_it_had() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5))
    layer[0].eval()
    trace(layer, (torch.randn(1, 3),))
    assert [part.training for part in (layer, *layer)] == [True, False, True]


def test_a_rule_that_fails_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise IndexError("unforeseen")

    table: Any = RULES
    monkeypatch.setitem(table, "aten.sin.default", broken)
    with pytest.raises(Refused, match=r"the rule for aten\.sin\.default does not take these arguments: IndexError"):
        run(torch.sin)


def test_constants_are_not_touched() -> None:
    held = torch.ones(3)
    before = held.clone()
    run(lambda x: x + held.mul(2).add(1))
    assert torch.equal(held, before)


def test_an_output_may_be_concrete() -> None:
    (found,) = run(lambda x: torch.ones_like(x) * 2)
    assert torch.equal(found, torch.full(SHAPE, 2.0))


def test_of_builds_rows() -> None:
    program = Program()
    assert of([program.one, program.zero], (1, 2), torch.float32).nodes.tolist() == [[program.one, program.zero]]
