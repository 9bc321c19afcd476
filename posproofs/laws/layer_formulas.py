"""Whole layers as their papers write them, in plain Torch: norms, feed-forwards, and what is added to what.

A layer adds to its rows what its parts make of them; a model is its layers one after the other, then a norm. Every part
is a function of all rows, (1, row, model) -> (1, row, model).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import TYPE_CHECKING

from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

Part = Callable[["Tensor"], "Tensor"]
"""(1, row, model) -> the same shape."""


def layer_norm(weight: Tensor, bias: Tensor, eps: float) -> Part:
    """(x - mean of x) / sqrt(variance of x + eps) * weight + bias, over the coordinates of a row.

    (Ba et al., Layer normalization, 2016, section 3.) Torch's own operator, because a proof cuts at its result; what it
    computes is written out where the operator has its rule.
    """
    return lambda x: torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, eps)


def feed_forward(
    inward: Tensor,
    outward: Tensor,
    activation: Part,
    *,
    inward_bias: Tensor | None = None,
    outward_bias: Tensor | None = None,
) -> Part:
    """W_2 f(W_1 x + b_1) + b_2. (Vaswani et al., Attention is all you need, 2017, section 3.3.)"""

    def made(x: Tensor) -> Tensor:
        inside = activation(torch.nn.functional.linear(x, inward, inward_bias))
        return torch.nn.functional.linear(inside, outward, outward_bias)

    return made


def gated(gate: Tensor, inward: Tensor, outward: Tensor) -> Part:
    """W_2 (silu(V x) * W_1 x), where silu(y) = y sigmoid(y). (Shazeer, GLU variants, 2020, equation 6.)"""

    def made(x: Tensor) -> Tensor:
        opened = torch.nn.functional.linear(x, gate)
        inside = opened * torch.sigmoid(opened) * torch.nn.functional.linear(x, inward)
        return torch.nn.functional.linear(inside, outward)

    return made


def residual(norm: Part, *parts: Part) -> Part:
    """x + the sum of the parts of norm(x): the norm comes first, and parts of one norm stand side by side.

    (Xiong et al., On layer normalization in the Transformer architecture, 2020, section 3; side by side in Wang and
    Komatsuzaki, GPT-J-6B, 2021.)
    """

    def made(x: Tensor) -> Tensor:
        normed = norm(x)
        return reduce(lambda whole, part: whole + part(normed), parts, x)

    return made


def chain(x: Tensor, parts: Iterable[Part]) -> Tensor:
    """One part after the other."""
    return reduce(lambda rows, part: part(rows), parts, x)
