"""Calls of every operator that has a rule: small shapes, broadcasting, numbers in place of tensors, keyword forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tensor of random float64 numbers, which the operator gets as symbols too."""

    shape: tuple[int, ...]
    range: Literal["any", "positive", "complex"] = "any"


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments of one call of an operator."""

    positional: tuple[Any, ...]
    named: Mapping[str, Any]


def call(*positional: Any, **named: Any) -> Call:
    return Call(positional, named)


def x(*shape: int) -> Drawn:
    return Drawn(shape)


def p(*shape: int) -> Drawn:
    return Drawn(shape, "positive")


def z(*shape: int) -> Drawn:
    return Drawn(shape, "complex")


def whole(*entries: Any) -> torch.Tensor:
    return torch.tensor(entries)


LOWER = torch.ones(3, 3, dtype=torch.bool).tril()
HIDDEN = torch.zeros(3, 3, dtype=torch.float64).masked_fill(~LOWER, -math.inf)
SLOPES = torch.arange(9, dtype=torch.float64).reshape(3, 3) / 4

MOVEMENT: dict[str, list[Call]] = {
    "alias.default": [call(x(2, 3))],
    "cat.default": [
        call([x(2, 3), x(1, 3)]),
        call([x(2, 3), x(2, 1)], dim=-1),
        call([x(2, 2), whole([1, 2], [3, 4])], 1),
        call([z(2, 2), x(2, 2)]),
    ],
    "chunk.default": [call(x(5, 2), 2), call(x(2, 4), 2, dim=-1)],
    "clone.default": [call(x(2, 3)), call(x(2, 3), memory_format=torch.contiguous_format), call(z(2))],
    "contiguous.default": [call(x(2, 3))],
    "detach.default": [call(x(2, 3))],
    "detach_.default": [call(x(2, 3))],
    "flatten.using_ints": [call(x(2, 3)), call(x(2, 3, 2), 1), call(x(2, 3, 2), 0, end_dim=1)],
    "mT.default": [call(x(2, 3, 4)), call(z(2, 3))],
    "movedim.int": [call(x(2, 3, 4), 0, 2), call(x(2, 3), 1, -2)],
    "movedim.intlist": [call(x(2, 3, 4), [0, 1], [1, 2])],
    "narrow.default": [call(x(4, 3), 0, 1, 2), call(x(2, 4), dim=-1, start=0, length=3)],
    "swapaxes.default": [call(x(2, 3, 4), 0, 2)],
    "unflatten.int": [call(x(2, 6), 1, [2, 3]), call(x(4), dim=0, sizes=[-1, 2])],
    "view_as.default": [call(x(2, 6), torch.zeros(3, 4)), call(x(2, 3), x(6)), call(z(4), z(2, 2))],
    "reshape_as.default": [call(x(2, 6), torch.zeros(3, 4)), call(x(2, 3), x(6))],
    "expand_as.default": [call(x(2, 1), torch.zeros(2, 3)), call(x(3), x(2, 3)), call(z(2), x(3, 2))],
    "diagonal.default": [call(x(3, 3)), call(x(2, 3, 4), 1, dim1=1, dim2=2)],
    "embedding.default": [call(x(4, 3), whole([0, 2], [3, 3])), call(x(4, 3), whole(1, 2), padding_idx=2)],
    "expand.default": [call(x(2, 1, 3), [2, 4, 3]), call(x(1, 3), [2, -1, 3]), call(z(1, 2), [3, 2])],
    "flip.default": [call(x(2, 3), [0]), call(x(2, 3), [0, 1])],
    "gather.default": [call(x(3, 4), 1, whole([0, 3], [1, 1], [2, 0])), call(x(3, 2), 0, whole([2, 0], [1, 1]))],
    "index.Tensor": [
        call(x(3, 4), [whole(0, 2)]),
        call(x(3, 4), [None, whole(3, 1, 1)]),
        call(x(3, 4), [whole(0, 2), whole(1, 3)]),
        call(x(3, 3), [LOWER]),
    ],
    "index_put.default": [
        call(x(3, 4), [whole(0, 2)], x(2, 4)),
        call(x(3, 4), [None, whole(1)], x(3, 1)),
        call(x(3, 3), [LOWER], x(6)),
        call(x(3, 4), [whole(0, 2, 0)], x(3, 4), True),
        call(x(3, 4), [None, whole(1, 1)], x(3, 1), accumulate=True),
        call(z(3, 2), [whole(2, 2)], z(2, 2), True),
    ],
    "index_select.default": [call(x(3, 4), 1, whole(3, 0, 0)), call(x(3, 4), 0, index=whole(2, 1))],
    "permute.default": [call(x(2, 3, 4), [2, 0, 1]), call(z(2, 3), [1, 0])],
    "repeat.default": [call(x(2, 3), [2, 2]), call(x(3), [2, 1])],
    "repeat_interleave.self_int": [call(x(2, 3), 2), call(x(2, 3), 2, 1)],
    "reshape.default": [call(x(2, 6), [3, 4]), call(x(2, 3), [-1])],
    "roll.default": [call(x(2, 3), [1], [1]), call(x(2, 3), [1, 1], [0, 1]), call(x(2, 3), [2])],
    "select.int": [call(x(2, 3), 1, 2), call(x(3, 3), 0, -1), call(z(2, 3), 0, 1)],
    "select_scatter.default": [call(x(2, 3), x(2), 1, 0), call(x(3, 3), x(3), dim=0, index=-1)],
    "slice.Tensor": [
        call(x(5, 4), 0, 1, 4, 2),
        call(x(3, 4), -1, 2),
        call(x(4, 4), dim=1, end=-1),
        call(z(4), 0, 0, 3),
    ],
    "slice_scatter.default": [call(x(4, 3), x(2, 3), 0, 0, 4, 2), call(x(2, 4), x(2, 2), dim=1, start=2)],
    "split.Tensor": [call(x(5, 2), 2), call(x(2, 4), 2, -1)],
    "split_with_sizes.default": [call(x(5, 2), [2, 3]), call(x(2, 4), [1, 3], dim=1)],
    "squeeze.default": [call(x(1, 3, 1))],
    "squeeze.dim": [call(x(1, 3, 1), 0), call(x(2, 3), 0)],
    "squeeze.dims": [call(x(1, 3, 1), [0, 2])],
    "stack.default": [call([x(2, 3), x(2, 3)]), call([x(2), x(2), whole(1, 2)], -1), call([z(2), x(2)])],
    "t.default": [call(x(2, 3)), call(x(3))],
    "transpose.int": [call(x(2, 3, 4), 1, 2), call(x(2, 3), -1, 0), call(z(2, 3), 0, 1)],
    "unbind.int": [call(x(2, 3)), call(x(2, 3), 1), call(z(2, 2))],
    "unfold.default": [call(x(5, 2), 0, 3, 1), call(x(2, 6), 1, 2, 2)],
    "unsqueeze.default": [call(x(2, 3), 1), call(x(2, 3), -1), call(z(2), 0)],
    "where.self": [
        call(LOWER, x(3, 3), x(3)),
        call(LOWER[0], x(), x(2, 3)),
        call(LOWER, x(3, 3), torch.tensor(0)),
        call(LOWER, z(3), x(3, 1)),
    ],
    "tril.default": [call(x(3, 3)), call(x(2, 3, 4), 1), call(x(3, 3), diagonal=-1), call(z(2, 2))],
    "triu.default": [call(x(3, 3)), call(x(2, 3, 4), -1), call(x(3, 3), diagonal=1)],
    "view.default": [call(x(2, 6), [3, 4]), call(x(2, 3, 2), [2, -1]), call(z(2, 2), [4])],
    "_unsafe_view.default": [call(x(2, 6), [3, 4])],
    "pad.default": [call(x(2, 3), [1, 0]), call(x(2, 3), [0, 2, 1, 0], "constant", 0.5)],
    "constant_pad_nd.default": [
        call(x(2, 3), [1, 0]),
        call(x(2, 3), [0, 1, 2, 0], 1.5),
        call(x(2, 3), [1, 1], value=-2.0),
        call(x(2, 4), [-1, 0]),
    ],
    "masked_fill.Scalar": [call(x(3, 3), LOWER, 0.25), call(x(3, 3), ~LOWER, 7)],
    "masked_fill.Tensor": [call(x(3, 3), LOWER, torch.tensor(0.5)), call(x(2, 3), LOWER[:2], x())],
    "where.ScalarOther": [call(LOWER, x(3, 3), 2.5), call(LOWER, x(3), 0)],
    "where.ScalarSelf": [call(LOWER, 2.5, x(3, 3)), call(LOWER, 0, x())],
    "copy.default": [
        call(x(2, 3), x(3)),
        call(torch.zeros(2, 3, dtype=torch.float64), x(2, 1)),
        call(x(2), whole(1, 2)),
    ],
    "_to_copy.default": [call(x(2, 3), dtype=torch.float64), call(x(2), dtype=torch.complex128), call(z(2))],
    "to.device": [call(x(2, 3), "cpu", torch.float64), call(z(2), "cpu", torch.complex128)],
    "to.dtype_layout": [call(x(2, 3), dtype=torch.float64), call(x(2, 3), layout=torch.strided)],
    "to.dtype": [call(x(2, 3), torch.float64), call(z(2), torch.complex128)],
    "type_as.default": [call(x(2, 3), x(1)), call(whole(1, 2), x(2)), call(x(2), torch.zeros(1, dtype=torch.float64))],
    "full_like.default": [call(x(2, 3), 2.5), call(x(2), 1, dtype=torch.int64), call(z(2), 1.0)],
    "zeros_like.default": [call(x(2, 3)), call(x(2), dtype=torch.bool)],
    "ones_like.default": [call(x(2, 3))],
    "fill.Scalar": [call(x(2, 3), 2.5)],
    "new_zeros.default": [call(x(2, 3), [4])],
    "new_ones.default": [call(x(2, 3), [4, 1])],
    "new_full.default": [call(x(2, 3), [4], 1.5)],
}
# What these return is memory that nobody wrote: only shape and dtype can be compared.
EMPTY: dict[str, list[Call]] = {
    "empty.memory_format": [call([2, 3], dtype=torch.float64)],
    "empty_permuted.default": [call([2, 3], [1, 0], dtype=torch.float64)],
    "empty_strided.default": [call([2, 3], [1, 2], dtype=torch.float64)],
    "empty_like.default": [call(x(2, 3))],
    "new_empty.default": [call(x(2, 3), [4])],
    "new_empty_strided.default": [call(x(2, 3), [2, 2], [1, 2])],
}
SUMS = [call(x(2, 3), 1.5), call(x(2, 3), 2, alpha=3), call(z(2), 0.5)]
ARITHMETIC: dict[str, list[Call]] = {
    "add.Tensor": [
        call(x(2, 3), x(3)),
        call(x(2, 1), x(3), alpha=2.5),
        call(x(2, 3), x()),
        call(z(2, 2), x(2)),
        call(z(2), z(2), alpha=2),
        call(x(3), whole(1, 2, 3)),
    ],
    "add.Scalar": SUMS,
    "sub.Tensor": [call(x(2, 3), x(3)), call(x(2, 1), x(3), alpha=2.5), call(x(2), z(2)), call(x(2), x(2), alpha=-1)],
    "sub.Scalar": SUMS,
    "rsub.Scalar": [call(x(2, 3), 1.5), call(x(2, 3), 2, alpha=3)],
    "rsub.Tensor": [call(x(2, 3), x(3)), call(x(2), x(2), alpha=2.5)],
    "mul.Tensor": [call(x(2, 3), x(3)), call(x(2, 3), 0.5), call(z(2, 2), z(2)), call(z(2), x(1)), call(x(2), 2j)],
    "mul.Scalar": [call(x(2, 3), 0.3), call(x(2), 3), call(z(2), 1 + 2j)],
    "div.Tensor": [call(x(2, 3), p(3)), call(x(2, 3), 3.0), call(z(2, 2), z(2)), call(x(2), z(2))],
    "div.Scalar": [call(x(2, 3), 0.3), call(x(2), 3), call(z(2), 2.0)],
    "pow.Tensor_Scalar": [call(x(2, 3), 3), call(p(2), 0.5), call(p(2), -1.5), call(x(2), 0), call(p(3), -2.0)],
    "pow.Tensor_Tensor": [
        call(p(2, 3), torch.tensor([0.5, 2.0, -1.0], dtype=torch.float64)),
        call(torch.tensor([2.0, 0.25, 1.0], dtype=torch.float64), x(2, 3)),
    ],
    "pow.Scalar": [call(10000.0, x(2, 3)), call(2, x(3)), call(1.0, x(2))],
    "maximum.default": [call(x(2, 3), x(3)), call(x(2), torch.zeros(2, dtype=torch.float64))],
    "minimum.default": [call(x(2, 3), x(3)), call(x(2), torch.zeros(2, dtype=torch.float64))],
    "neg.default": [call(x(2, 3)), call(z(2))],
    "abs.default": [call(x(2, 3)), call(z(2))],
    "exp.default": [call(x(2, 3)), call(z(2))],
    "gelu.default": [call(x(2, 3)), call(x(2), approximate="tanh"), call(x(2), approximate="none")],
    "softplus.default": [call(x(2, 3))],
    **{
        f"{name}.default": [call(x(2, 3)), call(x())]
        for name in ("exp2", "expm1", "cos", "sin", "tan", "square", "sigmoid", "tanh", "relu", "silu", "erf")
    },
    **{f"{name}.default": [call(p(2, 3)), call(p())] for name in ("log", "log1p", "sqrt", "rsqrt", "reciprocal")},
}
PLACED = [call(x(2, 3), 1), call(x(2, 3), 0, keepdim=True), call(x(3, 3), -1)]
SPREADS = [
    call(x(2, 3), [1], correction=1, keepdim=True),
    call(x(2, 3), [0, 1], correction=0),
    call(x(2, 3)),
    call(x(3, 2), [-1], correction=1.0),
]
REDUCTIONS: dict[str, list[Call]] = {
    "sum.dim_IntList": [
        call(x(2, 3), [1]),
        call(x(2, 3, 2), [0, -1], True),
        call(x(2, 3), dim=[0], keepdim=True),
        call(x(2, 3), None),
        call(x(2, 3), []),
        call(z(2, 2), [0]),
        call(x(2, 0), [1]),
    ],
    "sum.default": [call(x(2, 3)), call(x()), call(x(2), dtype=torch.float64)],
    "mean.dim": [call(x(2, 3), [1]), call(x(2, 3), [0], True), call(x(2, 3), None), call(x(2, 3), dim=[-1, 0])],
    "mean.default": [call(x(2, 3))],
    "prod.dim_int": [call(x(2, 3), 1), call(x(2, 3), 0, keepdim=True)],
    "prod.default": [call(x(2, 3))],
    "var.correction": SPREADS,
    "var_mean.correction": SPREADS,
    "amax.default": [call(x(2, 3), [1]), call(x(2, 3), [0], True), call(x(2, 3))],
    "amin.default": [call(x(2, 3), [1]), call(x(2, 3), [0], True), call(x(2, 3))],
    "max.default": [call(x(2, 3))],
    "min.default": [call(x(2, 3))],
    "max.dim": PLACED,
    "min.dim": PLACED,
}
PRODUCTS: dict[str, list[Call]] = {
    "mm.default": [call(x(2, 3), x(3, 4)), call(x(3, 3), x(3, 3))],
    "addmm.default": [
        call(x(4), x(2, 3), x(3, 4)),
        call(x(2, 4), x(2, 3), x(3, 4), beta=0.5, alpha=2),
        call(x(3, 3), x(3, 3), x(3, 3), beta=0),
    ],
    "linear.default": [call(x(2, 3), x(4, 3)), call(x(2, 2, 3), x(3, 3), x(3)), call(x(3), x(4, 3), bias=x(4))],
    "bmm.default": [call(x(2, 2, 3), x(2, 3, 2)), call(x(1, 3, 3), x(1, 3, 3))],
    "baddbmm.default": [
        call(x(2, 2, 2), x(2, 2, 3), x(2, 3, 2)),
        call(x(2, 1, 2), x(2, 2, 3), x(2, 3, 2), beta=2.0, alpha=0.25),
        call(x(1, 2, 2), x(1, 2, 2), x(1, 2, 2), beta=0, alpha=3),
    ],
    "addmv.default": [call(x(2), x(2, 3), x(3)), call(x(2), x(2, 3), x(3), beta=0.5, alpha=2)],
    "einsum.default": [
        call("bhid,bhjd->bhij", [x(1, 2, 3, 4), x(1, 2, 2, 4)]),
        call("bhid,hijd->bhij", [x(2, 2, 3, 2), x(2, 3, 1, 2)]),
        call("ji, bj -> ibj", [x(2, 3), x(2, 2)]),
        call("i,j->ji", [x(2), x(3)]),
        call("..., f -> ... f", [x(2, 3), x(2)]),
        call("b...i,ki->k...b", [x(2, 3, 2), x(4, 2)]),
        call("bnij->ijbn", [x(1, 2, 3, 4)]),
    ],
    "outer.default": [call(x(2), x(3)), call(x(3), torch.arange(2))],
    "matmul.default": [
        call(x(2, 3), x(3, 2)),
        call(x(3), x(3)),
        call(x(3), x(2, 3, 2)),
        call(x(2, 2, 3), x(3)),
        call(x(2, 1, 2, 3), x(3, 3, 2)),
    ],
    "mv.default": [call(x(2, 3), x(3))],
    "dot.default": [call(x(3), x(3))],
}
ROWS = [call(x(2, 3), -1, False), call(x(2, 3), 0, False), call(x(3, 3, 2), 1, False)]
SCORES = [call(x(2, 3), -1), call(x(2, 3), 0), call(x(3, 3, 2), dim=1), call(x(2), 0, dtype=torch.float64)]
QKV = (x(1, 2, 3, 4), x(1, 2, 3, 4), x(1, 2, 3, 5))
ATTENTION: dict[str, list[Call]] = {
    "_softmax.default": [*ROWS, call(x(), 0, False)],
    "_safe_softmax.default": SCORES,
    "softmax.int": SCORES,
    "_log_softmax.default": ROWS,
    "log_softmax.int": SCORES,
    "logsumexp.default": [call(x(2, 3), [1]), call(x(2, 3), [0], True), call(x(2, 3), dim=[0, 1])],
    "scaled_dot_product_attention.default": [
        call(*QKV),
        call(*QKV, is_causal=True),
        call(*QKV, LOWER),
        call(*QKV, HIDDEN),
        call(*QKV, SLOPES, scale=0.3),
        call(*QKV, x(3, 3)),
        call(x(1, 4, 2, 2), x(1, 2, 3, 2), x(1, 2, 3, 2), enable_gqa=True),
        call(x(1, 1, 2, 3), x(1, 1, 3, 3), x(1, 1, 3, 3), None, 0.0, True),
    ],
    "layer_norm.default": [
        call(x(2, 3), [3]),
        call(x(2, 3), [3], x(3), x(3)),
        call(x(2, 2, 2), [2, 2], x(2, 2), None, 0.5),
        call(x(2, 3), [3], bias=x(3), eps=0.25, cudnn_enable=False),
    ],
    "native_layer_norm.default": [call(x(2, 3), [3], x(3), x(3), 1e-5), call(x(2, 3), [3], None, None, 0.5)],
    "rms_norm.default": [call(x(2, 3), [3]), call(x(2, 3), [3], x(3), 0.5), call(x(2, 2, 2), [2, 2], eps=1e-6)],
    "_fused_rms_norm.default": [call(x(2, 3), [3], x(3), 0.5), call(x(2, 3), [3], None, None)],
    "dropout.default": [call(x(2, 3), 0.5, False), call(x(2), 0.0, True)],
    "native_dropout.default": [call(x(2, 3), 0.5, False)],
}
COMPLEX: dict[str, list[Call]] = {
    "view_as_complex.default": [call(x(3, 2))],
    "view_as_real.default": [call(z(2, 3))],
    "polar.default": [call(p(2, 3), x(2, 3)), call(torch.ones(2, dtype=torch.float64), x(2))],
    "complex.default": [call(x(2), x(2)), call(x(2, 1), x(3))],
    "real.default": [call(z(2)), call(x(2))],
    "imag.default": [call(z(2))],
    "_conj.default": [call(z(2, 3))],
    "conj_physical.default": [call(z(2)), call(x(2))],
}
IDS = whole([2, 0, 3])
ROTARY: dict[str, list[Call]] = {
    "onnx.RotaryEmbedding.opset23": [
        call(x(1, 2, 3, 4), x(5, 2), x(5, 2), IDS),
        call(x(1, 2, 3, 4), x(5, 2), x(5, 2), IDS, interleaved=True),
        call(x(1, 3, 12), x(1, 3, 2), x(1, 3, 2), num_heads=2, rotary_embedding_dim=4),
        call(x(1, 3, 8), x(1, 3, 2), x(1, 3, 2), None, interleaved=True, num_heads=2),
    ],
}
SAMPLES: Mapping[str, list[Call]] = {
    **{
        f"aten.{name}": calls
        for table in (MOVEMENT, EMPTY, ARITHMETIC, REDUCTIONS, PRODUCTS, ATTENTION, COMPLEX)
        for name, calls in table.items()
    },
    **ROTARY,
}
