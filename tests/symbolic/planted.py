"""Rules that are wrong on purpose, one defect each, made from the right ones by changing an argument or a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from posproofs.symbolic.rules import RULES, Rule
from posproofs.symbolic.tensors import Complex, Symbolic


def _with(name: str, change: Callable[[list[Any], dict[str, Any]], None]) -> Rule:
    """The rule with its arguments changed before."""
    right = RULES[name]

    def wrong(running: Any, target: Any, *positional: Any, **named: Any) -> Any:
        arguments = list(positional)
        change(arguments, named)
        return right(running, target, *arguments, **named)

    return wrong


def _then(name: str, change: Callable[[Any, Any], Any]) -> Rule:
    """The rule with its result changed after; the change sees the run too."""
    right = RULES[name]
    return lambda running, target, *positional, **named: change(running, right(running, target, *positional, **named))


def _put(place: int | str, value: Any) -> Callable[[list[Any], dict[str, Any]], None]:
    def change(arguments: list[Any], named: dict[str, Any]) -> None:
        if isinstance(place, int):
            arguments[place] = value(arguments[place]) if callable(value) else value
        else:
            named[place] = value(named[place]) if callable(value) else value

    return change


def _swap(one: int, other: int) -> Callable[[list[Any], dict[str, Any]], None]:
    def change(arguments: list[Any], _named: dict[str, Any]) -> None:
        arguments[one], arguments[other] = arguments[other], arguments[one]

    return change


def _turned(x: Any) -> Any:
    return Symbolic(x.nodes.transpose(-1, -2), x.kind) if isinstance(x, Symbolic) else x.transpose(-1, -2)


def _shifted_causality(arguments: list[Any], _named: dict[str, Any]) -> None:
    if arguments[5]:
        rows, columns = arguments[0].shape[-2], arguments[1].shape[-2]
        arguments[3], arguments[5] = torch.ones(rows, columns, dtype=torch.bool).tril(1), False


def _tiled_heads(arguments: list[Any], named: dict[str, Any]) -> None:
    """Key heads repeated as a, b, a, b where groups of queries want a, a, b, b."""
    if named["enable_gqa"]:
        groups = arguments[0].shape[1] // arguments[1].shape[1]
        for k in (1, 2):
            if isinstance(arguments[k], Symbolic):
                arguments[k] = Symbolic(arguments[k].nodes.repeat(1, groups, 1, 1), arguments[k].kind)
            else:
                arguments[k] = arguments[k].repeat(1, groups, 1, 1)
        named["enable_gqa"] = False


def _negated(running: Any, x: Any) -> Any:
    return RULES["aten.neg.default"](running, None, x)


def _plain_scale(_arguments: list[Any], named: dict[str, Any]) -> None:
    named["scale"] = 1.0 if named["scale"] is None else named["scale"]


def _column_major(_running: Any, x: Any) -> Any:
    if isinstance(x, Complex):
        return x
    return Symbolic(
        x.nodes.flatten().reshape(tuple(reversed(x.shape))).permute(list(reversed(range(x.nodes.dim())))), x.kind
    )


_SDPA = "aten.scaled_dot_product_attention.default"
_ONNX = "onnx.RotaryEmbedding.opset23"
PLANTED: Mapping[str, tuple[str, Rule]] = {
    "addmm drops the bias": ("aten.addmm.default", _with("aten.addmm.default", _put("beta", 0))),
    "addmm ignores beta": ("aten.addmm.default", _with("aten.addmm.default", _put("beta", 1))),
    "baddbmm ignores alpha": ("aten.baddbmm.default", _with("aten.baddbmm.default", _put("alpha", 1))),
    "linear drops the bias": ("aten.linear.default", _with("aten.linear.default", _put(2, None))),
    "linear does not transpose": ("aten.linear.default", _with("aten.linear.default", _put(1, _turned))),
    "bmm contracts a transposed factor": ("aten.bmm.default", _with("aten.bmm.default", _put(1, _turned))),
    "mm swaps its factors": ("aten.mm.default", _with("aten.mm.default", _swap(0, 1))),
    "softmax takes the wrong axis": ("aten._softmax.default", _with("aten._softmax.default", _put(1, lambda d: d - 1))),
    "log_softmax is a softmax": ("aten._log_softmax.default", RULES["aten._softmax.default"]),
    "logsumexp forgets the logarithm": (
        "aten.logsumexp.default",
        _then("aten.logsumexp.default", lambda running, x: RULES["aten.exp.default"](running, None, x)),
    ),
    "attention without scale": (_SDPA, _with(_SDPA, _plain_scale)),
    "attention ignores its scale": (_SDPA, _with(_SDPA, _put("scale", None))),
    "attention ignores its mask": (_SDPA, _with(_SDPA, _put(3, None))),
    "attention sees one row ahead": (_SDPA, _with(_SDPA, _shifted_causality)),
    "attention tiles the heads of keys": (_SDPA, _with(_SDPA, _tiled_heads)),
    "layer_norm without eps": ("aten.layer_norm.default", _with("aten.layer_norm.default", _put(4, 0.0))),
    "layer_norm drops the bias": ("aten.layer_norm.default", _with("aten.layer_norm.default", _put(3, None))),
    "rms_norm without eps": ("aten.rms_norm.default", _with("aten.rms_norm.default", _put(3, 0.0))),
    "rms_norm subtracts the mean": (
        "aten.rms_norm.default",
        lambda running, target, x, shape, weight, eps: RULES["aten.layer_norm.default"](
            running, target, x, shape, weight, None, 2.220446049250313e-16 if eps is None else eps
        ),
    ),
    "sum keeps what it should drop": (
        "aten.sum.dim_IntList",
        _with("aten.sum.dim_IntList", _put(2, lambda keepdim: not keepdim)),
    ),
    "sum takes another axis": (
        "aten.sum.dim_IntList",
        _with("aten.sum.dim_IntList", _put(1, lambda dims: [d - 1 for d in dims] if dims else dims)),
    ),
    "mean sums": ("aten.mean.dim", RULES["aten.sum.dim_IntList"]),
    "variance ignores its correction": ("aten.var.correction", _with("aten.var.correction", _put("correction", 0))),
    "var_mean in the other order": (
        "aten.var_mean.correction",
        _then("aten.var_mean.correction", lambda _, pair: pair[::-1]),
    ),
    "amin is amax": ("aten.amin.default", RULES["aten.amax.default"]),
    "add ignores alpha": ("aten.add.Tensor", _with("aten.add.Tensor", _put("alpha", 1))),
    "sub ignores alpha": ("aten.sub.Scalar", _with("aten.sub.Scalar", _put(2, 1))),
    "rsub subtracts the other way": ("aten.rsub.Scalar", RULES["aten.sub.Scalar"]),
    "division is inverted": ("aten.div.Tensor", _with("aten.div.Tensor", _swap(0, 1))),
    "rsqrt is sqrt": ("aten.rsqrt.default", RULES["aten.sqrt.default"]),
    "power of the other sign": ("aten.pow.Tensor_Scalar", _with("aten.pow.Tensor_Scalar", _put(1, lambda n: -n))),
    "gelu ignores its approximation": ("aten.gelu.default", _with("aten.gelu.default", _put("approximate", "none"))),
    "conj does not negate": ("aten._conj.default", lambda _running, _target, x: x),
    "polar turns the other way": (
        "aten.polar.default",
        _then("aten.polar.default", lambda r, x: RULES["aten._conj.default"](r, None, x)),
    ),
    "complex parts swapped": ("aten.complex.default", _with("aten.complex.default", _swap(0, 1))),
    "imag is negated": ("aten.imag.default", _then("aten.imag.default", _negated)),
    "pad ignores its value": ("aten.constant_pad_nd.default", _with("aten.constant_pad_nd.default", _put(2, 0.0))),
    "pad widths reversed": (
        "aten.constant_pad_nd.default",
        _with("aten.constant_pad_nd.default", _put(1, lambda w: w[::-1])),
    ),
    "where takes the other branch": ("aten.where.self", _with("aten.where.self", _swap(1, 2))),
    "masked_fill fills the rest": ("aten.masked_fill.Scalar", _with("aten.masked_fill.Scalar", _put(1, lambda m: ~m))),
    "cat in the other order": ("aten.cat.default", _with("aten.cat.default", _put(0, lambda xs: xs[::-1]))),
    "gather along the other axis": ("aten.gather.default", _with("aten.gather.default", _put(1, lambda d: 1 - d))),
    "index order reversed": (
        "aten.index_select.default",
        _with("aten.index_select.default", _put(2, lambda i: i.flip(0))),
    ),
    "embedding is off by one": (
        "aten.embedding.default",
        _with("aten.embedding.default", _put(1, lambda i: (i + 1) % 4)),
    ),
    "select is off by one": ("aten.select.int", _with("aten.select.int", _put(2, lambda k: k - 1))),
    "view in column order": ("aten.view.default", _then("aten.view.default", _column_major)),
    "tril keeps one diagonal more": ("aten.tril.default", _with("aten.tril.default", _put(1, lambda d: d + 1))),
    "ONNX rotary ignores the layout": (_ONNX, _with(_ONNX, _put("interleaved", lambda i: not i))),
    "ONNX rotary swaps its caches": (_ONNX, _with(_ONNX, _swap(1, 2))),
}
