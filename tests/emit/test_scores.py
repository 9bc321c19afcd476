"""The emitted scores and attention of Transformer-XL against sums over every query, key and offset."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from posproofs.emit import Emitted, emit
from tests.emit.four_terms import (
    ROUNDOFF,
    Inputs,
    allowed_attention,
    allowed_scores,
    attended,
    causal,
    drawn,
    reference,
    size,
)

SCORES, IN_NUMPY = emit("transformer_xl.scores"), emit("transformer_xl.scores", to="numpy")
PRECISE = [torch.float64, torch.float32]


@st.composite
def inputs(draw: st.DrawFn, dtypes: tuple[torch.dtype, ...] = tuple(ROUNDOFF)) -> Inputs:
    queries, memory = draw(st.integers(1, 6)), draw(st.integers(0, 5))
    return drawn(
        draw(st.integers(0, 3)),
        draw(st.integers(1, 3)),
        queries,
        queries + memory,
        draw(st.sampled_from([1, 2, 3, 8, 64])),
        dtype=draw(st.sampled_from(dtypes)),
        seed=draw(st.integers(0, 99)),
    )


def arrays(tensors: tuple[Tensor, ...]) -> list[Any]:
    return [x.numpy() for x in tensors]


def within(seen: Tensor, wanted: Tensor, allowed: Tensor) -> bool:
    return seen.shape == wanted.shape and bool(((seen.double() - wanted).abs() <= allowed).all())


@given(inputs())
def test_scores_are_the_sum_of_four_terms(x: Inputs) -> None:
    before = x.each(Tensor.clone)
    seen = SCORES(*x.five)
    assert seen.dtype == x.q.dtype
    assert seen.device == x.q.device
    assert within(seen, reference(x), allowed_scores(x))
    assert all(map(torch.equal, x.six, before.six))


@given(inputs((torch.float64, torch.float32, torch.float16)))
def test_numpy_gives_the_same_scores(x: Inputs) -> None:
    seen = IN_NUMPY(*arrays(x.five))
    assert seen.dtype == x.q.numpy().dtype
    assert within(torch.from_numpy(seen), reference(x), allowed_scores(x))


@st.composite
def masks(draw: st.DrawFn, x: Inputs) -> Tensor | None:
    queries, keys = x.q.shape[2], x.k.shape[2]
    kinds = [None, causal(queries, keys), torch.zeros(1, dtype=torch.bool)]
    random = torch.rand(*x.q.shape[:3], keys, generator=torch.Generator().manual_seed(keys)) < 0.5
    return draw(st.sampled_from([*kinds, random, random[:1, :1]]))


@given(st.data(), inputs((torch.float64, torch.float32)), st.sampled_from([None, 1.0, -0.5, 0, 0.3]))
def test_attention_is_the_softmax_of_scaled_scores(data: st.DataObject, x: Inputs, scale: float | None) -> None:
    mask = data.draw(masks(x))
    used = 1 / math.sqrt(x.q.shape[-1]) if scale is None else scale
    everything = torch.ones((), dtype=torch.bool) if mask is None else mask
    wanted, allowed = attended(x, used, everything), allowed_attention(x, used, everything)
    seen = SCORES.attention(*x.six, scale=scale, mask=mask)
    assert seen.dtype == x.q.dtype
    assert within(seen, wanted, allowed)
    again = IN_NUMPY.attention(*arrays(x.six), scale=scale, mask=None if mask is None else mask.numpy())
    assert again.dtype == x.q.numpy().dtype
    assert within(torch.from_numpy(again), wanted, allowed)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_attention_in_half_precision(dtype: torch.dtype) -> None:
    """Products are summed in float32; 8 roundings to half precision lie between the inputs and a logit."""
    x = drawn(2, 2, 3, 5, 8, dtype=dtype)
    scale, mask = 1 / math.sqrt(8), causal(3, 5)
    off = 8 * ROUNDOFF[dtype] * scale * size(x).amax(dim=-1, keepdim=True)
    weights = (scale * reference(x)).masked_fill(~mask, -math.inf).softmax(dim=-1)
    allowed = (torch.exp(2 * off) * (1 + 4 * ROUNDOFF[dtype]) - 1) * (weights @ x.values.double().abs())
    seen = SCORES.attention(*x.six, mask=mask)
    assert seen.dtype == dtype
    assert within(seen, attended(x, scale, mask), allowed)


@pytest.mark.parametrize("dtype", PRECISE)
@pytest.mark.parametrize(("queries", "keys"), [(256, 256), (257, 300), (520, 521)])
def test_blocks_of_queries_join_without_a_seam(queries: int, keys: int, dtype: torch.dtype) -> None:
    x = drawn(1, 1, queries, keys, 4, dtype=dtype)
    for mask in (None, causal(queries, keys)):
        seen_keys = torch.ones(keys, dtype=torch.bool) if mask is None else mask
        seen = SCORES.attention(*x.six, mask=mask)
        assert within(seen, attended(x, 0.5, seen_keys), allowed_attention(x, 0.5, seen_keys))


def test_a_neighbouring_offset_is_beyond_what_is_allowed() -> None:
    """The tolerances tell one row of r from the next."""
    x = drawn(1, 2, 5, 7, 8, dtype=torch.float32)
    moved = Inputs(x.q, x.k, x.r.roll(1, dims=1), x.u, x.v, x.values)
    mask = torch.ones((), dtype=torch.bool)
    assert not within(SCORES(*moved.five), reference(x), allowed_scores(x))
    assert not within(SCORES.attention(*moved.six), attended(x, 8**-0.5, mask), allowed_attention(x, 8**-0.5, mask))


def test_memory_gives_what_the_whole_sequence_gives() -> None:
    x = drawn(1, 2, 6, 6, 4)
    whole, late = SCORES(*x.five), SCORES(x.q[:, :, 4:], x.k, x.r[:, :8], x.u, x.v)
    assert torch.allclose(late, whole[:, :, 4:], rtol=0, atol=float(allowed_scores(x).max()))


@pytest.mark.parametrize("function", [SCORES, SCORES.attention], ids=["scores", "attention"])
def test_gradients(function: Emitted) -> None:
    x = drawn(2, 2, 2, 3, 1)
    given = [t.requires_grad_() for t in (x.five if function is SCORES else x.six)]
    assert torch.autograd.gradcheck(function, given)
    assert torch.autograd.gradgradcheck(function, given)


def test_gradients_where_keys_are_hidden() -> None:
    x = drawn(1, 2, 3, 5, 2)
    mask = causal(3, 5)
    given = [t.requires_grad_() for t in x.six]
    assert torch.autograd.gradcheck(lambda *six: SCORES.attention(*six, mask=mask), given)
    mask[1] = False  # one query sees nothing
    SCORES.attention(*given, mask=mask).sum().backward()
    assert all(t.grad is not None and bool(t.grad.isfinite().all()) for t in given)


def test_vectorising_over_another_axis() -> None:
    x = drawn(2, 2, 3, 5, 2)
    over_q = torch.func.vmap(SCORES, in_dims=(0, None, None, None, None))
    queries = torch.stack((x.q, x.k[:, :, :3]))
    one_by_one = torch.stack([SCORES(q, *x.five[1:]) for q in queries])
    assert torch.allclose(over_q(queries, *x.five[1:]), one_by_one, rtol=0, atol=1e-14)


class Largest(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The number of entries of the largest tensor that an operation returns."""

    entries = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for one in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(one, Tensor):
                self.entries = max(self.entries, one.numel())
        return result


def largest(call: Any) -> int:
    mode = Largest()  # type: ignore[no-untyped-call]
    with mode:
        call()
    return int(mode.entries)


@pytest.mark.parametrize("grad", [False, True])
def test_nothing_as_large_as_queries_times_keys_times_width_is_made(grad: bool) -> None:
    queries, keys, width = 300, 320, 16
    x = drawn(1, 1, queries, keys, width).each(lambda t: t.requires_grad_(grad))
    assert largest(lambda: reference_by_gather(x)) == queries * keys * width
    assert largest(lambda: SCORES(*x.five)) == queries * (keys + queries)
    assert largest(lambda: SCORES.attention(*x.six, mask=causal(queries, keys))) == 256 * (keys + 256)


def reference_by_gather(x: Inputs) -> Tensor:
    """What the emitted code must not do: a row of r for every query and key."""
    queries, keys = x.q.shape[2], x.k.shape[2]
    at = torch.arange(keys) + queries - torch.arange(queries)[:, None]
    return torch.einsum("bhid,hijd->bhij", x.q + x.v[:, None], x.r[:, at])


@settings(max_examples=20)
@given(st.integers(1, 5), st.integers(0, 4))
def test_the_view_copies_nothing(queries: int, memory: int) -> None:
    """In both libraries the shifted matrix shares the memory of the product."""
    x = torch.randn(2, 2, queries, 2 * queries + memory)
    for function, product in ((SCORES, x), (IN_NUMPY, x.numpy())):
        shifted = function.__globals__["_shifted"](product, queries + memory)  # type: ignore[attr-defined]
        assert np.shares_memory(np.asarray(shifted), x.numpy())


Case = tuple[str, Any, str]
BAD: list[Case] = [
    ("q", lambda _x: None, "q is of type NoneType"),
    ("q", lambda x: x.q.long(), "q is a torch.int64 tensor of shape"),
    ("k", lambda x: x.k.float(), "k is a torch.float32 tensor .* all of the dtype of q"),
    ("u", lambda x: x.u.float(), "u is a torch.float32 tensor"),
    ("q", lambda x: x.q[0], "wanted shapes"),
    ("k", lambda x: x.k[:, :, :2], "there are 3 queries and 2 keys; wanted 1 <= queries <= keys"),
    ("q", lambda x: x.q[:, :, :0], "there are 0 queries"),
    ("k", lambda x: x.k[:1], r"k is .*; wanted shape \(2, 2, 5, 4\)"),
    ("k", lambda x: x.k[..., :3], r"k is .*; wanted shape \(2, 2, 5, 4\)"),
    ("r", lambda x: x.r[:, 1:], r"r is .* shape \(2, 7, 4\); wanted shape \(2, 8, 4\)"),
    ("r", lambda x: x.r[None], r"r is .*; wanted shape \(2, 8, 4\)"),
    ("u", lambda x: x.u[0], r"u is .*; wanted shape \(2, 4\)"),
    ("v", lambda x: x.v[:, :1], r"v is .*; wanted shape \(2, 4\)"),
]


def translated(words: str) -> str:
    """The message of the NumPy module."""
    return words.replace("torch.", "").replace("tensor", "array").replace("of type NoneType", "a object array")


@pytest.mark.parametrize(("name", "change", "words"), BAD)
def test_bad_shapes_and_dtypes(name: str, change: Any, words: str) -> None:
    x = drawn(2, 2, 3, 5, 4)
    given = {**dict(zip("qkruv", x.five, strict=True)), name: change(x)}
    with pytest.raises(ValueError, match=words):
        SCORES(**given)
    with pytest.raises(ValueError, match=words):
        SCORES.attention(v_values=x.values, **given)
    plain = {key: value if value is None else value.numpy() for key, value in given.items()}
    with pytest.raises(ValueError, match=translated(words)):
        IN_NUMPY(**plain)
    with pytest.raises(ValueError, match=translated(words)):
        IN_NUMPY.attention(v_values=x.values.numpy(), **plain)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"v_values": torch.zeros(2, 2, 5, 4)}, "v_values are a torch.float32 tensor"),
        ({"v_values": torch.zeros(2, 2, 4, 4, dtype=torch.float64)}, r"wanted shape \(2, 2, 5, ...\)"),
        ({"v_values": torch.zeros(2, 5, dtype=torch.float64)}, r"wanted shape \(2, 2, 5, ...\)"),
        ({"mask": torch.zeros(3, 5)}, "mask is a torch.float32 tensor"),
        ({"mask": torch.zeros(5, 3, dtype=torch.bool)}, r"broadcasts to \(2, 2, 3, 5\)"),
        ({"mask": torch.zeros(1, 2, 2, 3, 5, dtype=torch.bool)}, r"broadcasts to \(2, 2, 3, 5\)"),
        ({"scale": math.nan}, "scale is nan"),
        ({"scale": True}, "scale is True; wanted a finite number"),
        ({"scale": "1"}, "scale is '1'"),
    ],
)
def test_bad_options_of_attention(option: dict[str, Any], words: str) -> None:
    x = drawn(2, 2, 3, 5, 4)
    given = {**dict(zip("qkruv", x.five, strict=True)), "v_values": x.values, **option}
    with pytest.raises(ValueError, match=words):
        SCORES.attention(**given)
    plain = {key: value.numpy() if isinstance(value, Tensor) else value for key, value in given.items()}
    with pytest.raises(ValueError, match=translated(words)):
        IN_NUMPY.attention(**plain)
