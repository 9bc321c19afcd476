"""Attention as its papers write it, in plain Torch over named parameters: the other side of `attention.formula`.

    y_i = W_o concat_h( sum_j p_ij v_j ) + b_o,   p_i = softmax over the keys that i sees of ( s q_i.k_j + bias_ij )

One text for all schemes. A scheme turns queries and keys, adds a bias to scores, or reads further tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout, Style, turn

if TYPE_CHECKING:
    from torch import Tensor

Turn = Callable[["Tensor"], "Tensor"]
"""(1, head, row, d) -> the same, turned by the position of each row."""
Scores = Callable[["Tensor", "Tensor"], "Tensor"]
"""(queries, keys, both (1, head, row, d)) -> what is added to their scores, (head, row, row) or less."""


@dataclass(frozen=True, slots=True)
class Heads:
    """The projections of each head: weights (head, d, model), biases (head, d); out (model, head * d)."""

    query: Tensor
    key: Tensor
    value: Tensor
    out: Tensor | None = None
    query_bias: Tensor | None = None
    key_bias: Tensor | None = None
    value_bias: Tensor | None = None
    out_bias: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Scheme:
    """How scores are made.

    scale: 1/sqrt(d) if none is given. sink: for each head, a score of nothing, which takes its part of the probability.
    normed: what queries and keys pass before they are turned. values: what is added to the output for these
    probabilities (head, row, row).
    """

    sees: Literal["past", "all"]
    scale: float | None = None
    turns: Turn | None = None
    adds: Scores | None = None
    sink: Tensor | None = None
    normed: tuple[Turn, Turn] | None = None
    values: Callable[[Tensor], Tensor] | None = None


def attention(x: Tensor, heads: Heads, scheme: Scheme) -> Tensor:
    """The output for hidden states x (1, row, model)."""
    q, k, v = (
        projected(x, heads.query, heads.query_bias),
        projected(x, heads.key, heads.key_bias),
        projected(x, heads.value, heads.value_bias),
    )
    if scheme.normed is not None:
        q, k = scheme.normed[0](q), scheme.normed[1](k)
    if scheme.turns is not None:
        q, k = scheme.turns(q), scheme.turns(k)
    owner = torch.arange(q.shape[1]) // (q.shape[1] // k.shape[1])
    k, v = k[:, owner], v[:, owner]
    scores = q @ k.transpose(2, 3) * (root(q.shape[-1]) if scheme.scale is None else scheme.scale)
    if scheme.adds is not None:
        scores = scores + scheme.adds(q, k)
    rows = x.shape[1]
    if scheme.sees == "past":
        scores = scores.masked_fill(~torch.ones(rows, rows, dtype=torch.bool).tril(), float("-inf"))
    probabilities = _softmax(scores, scheme.sink)
    mixed = probabilities @ v
    if scheme.values is not None:
        mixed = mixed + scheme.values(probabilities)
    joined = mixed.transpose(1, 2).reshape(1, rows, -1)
    return joined if heads.out is None else torch.nn.functional.linear(joined, heads.out, heads.out_bias)


def root(width: int) -> float:
    """1/sqrt(d)."""
    return float(width**-0.5)


def projected(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """(1, row, model) -> (1, head, row, d)."""
    heads, width, model = weight.shape
    flat = None if bias is None else bias.reshape(heads * width)
    made = torch.nn.functional.linear(x, weight.reshape(heads * width, model), flat)
    return made.reshape(1, x.shape[1], heads, width).transpose(1, 2)


def _softmax(scores: Tensor, sink: Tensor | None) -> Tensor:
    if sink is None:
        return torch.softmax(scores, dim=-1)
    nothing = sink.reshape(1, -1, 1, 1).expand(1, -1, scores.shape[2], 1)
    return torch.softmax(torch.cat((scores, nothing), dim=-1), dim=-1)[..., :-1]


def rotary(positions: Tensor, frequencies: Tensor, layout: Layout, *, scale: float = 1.0) -> Turn:
    """The rotation of the first pairs by position * frequency."""
    angle = positions[:, None] * frequencies
    style = Style(layout, layout, magnitude=scale)
    return lambda x: turn(x, angle, style)


def offsets(rows: int) -> Tensor:
    """Position of the query minus position of the key, shape (row, row)."""
    at = torch.arange(rows)
    return at[:, None] - at


def alibi_slopes(heads: int) -> list[float]:
    """2^(-8k/n) for k = 1..n, where n is the largest power of two up to the heads; then every second one of 2n.

    (Press et al., Train short, test long, 2022, section 3.)
    """
    whole = 1 << (heads.bit_length() - 1)
    plain = [2.0 ** (-8 * k / whole) for k in range(1, whole + 1)]
    return plain + [2.0 ** (-8 * k / (2 * whole)) for k in range(1, 2 * (heads - whole), 2)]


def alibi(heads: int, *, scale: float = 1.0) -> Scores:
    """scale * -m_h (i - j): keys further back count less."""

    def adds(q: Tensor, _k: Tensor) -> Tensor:
        slopes = torch.tensor(alibi_slopes(heads), dtype=q.dtype)[:, None, None]
        return -scale * slopes * offsets(q.shape[2])

    return adds


def looked_up(table: Tensor, index: Tensor) -> Scores:
    """The row of a table (row, head) that an index (query, key) names."""
    return lambda _q, _k: table[index].permute(2, 0, 1)


def t5_bucket(offset: int, *, buckets: int, reach: int, sees: Literal["past", "all"]) -> int:
    """The bucket of an offset query - key: small ones by themselves, larger ones by their logarithm, in whole numbers.

    The bucket of n >= exact is exact + floor(log(n/exact) / log(reach/exact) * (half - exact)); that it is at least
    exact + b means (n/exact)^(half - exact) >= (reach/exact)^b. (Raffel et al., 2020, section 2.1 and its code.)
    """
    half = buckets if sees == "past" else buckets // 2
    first = half if sees == "all" and offset < 0 else 0
    n = abs(offset) if sees == "all" else max(offset, 0)
    exact = half // 2
    if n < exact:
        return first + n
    larger = [b for b in range(half - exact) if n ** (half - exact) * exact**b >= reach**b * exact ** (half - exact)]
    return first + exact + max(larger)


def root_mean_square(weight: Tensor, eps: float) -> Turn:
    """x / sqrt(mean of x^2 + eps) * weight, over the last axis."""
    return lambda x: x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + eps) * weight


def of_all_heads(norm: Turn) -> Turn:
    """The same of the coordinates of all heads of a row together: (1, head, row, d) as (1, row, head * d)."""

    def made(x: Tensor) -> Tensor:
        of_rows = x.transpose(1, 2)
        return norm(of_rows.flatten(2)).reshape(of_rows.shape).transpose(1, 2)

    return made


def layer_normed(y: Tensor, x: Tensor, weight: Tensor, bias: Tensor, *, eps: float) -> Tensor:
    """The norm of y + x."""
    return torch.nn.functional.layer_norm(y + x, (x.shape[-1],), weight, bias, eps)


def bucketed(table: Tensor, rows: int, *, buckets: int, reach: int, sees: Literal["past", "all"]) -> Scores:
    """A bias for each head and bucket; the table is (bucket, head)."""
    index = [[t5_bucket(i - j, buckets=buckets, reach=reach, sees=sees) for j in range(rows)] for i in range(rows)]
    return looked_up(table, torch.tensor(index))


def in_grid(table: Tensor, side: int) -> Scores:
    """A bias for each offset (down, across) in a square of that side: row (down + s - 1)(2s - 1) + across + s - 1."""
    at = torch.arange(side * side)
    down = offsets_of(at // side) + side - 1
    across = offsets_of(at % side) + side - 1
    return looked_up(table, down * (2 * side - 1) + across)


def offsets_of(places: Tensor) -> Tensor:
    """Place of the query minus place of the key."""
    return places[:, None] - places


def in_window(rows: Tensor, window: int) -> Scores:
    """q_i.r_(j-i) / sqrt(d) for keys within the window, 0 beyond it; r is (2 window + 1, d), from -window up."""

    def adds(q: Tensor, _k: Tensor) -> Tensor:
        return root(q.shape[-1]) * (q[..., None, :] * _window(rows, window, q.shape[2])).sum(dim=-1)

    return adds


def of_window(rows: Tensor, window: int) -> Callable[[Tensor], Tensor]:
    """sum_j p_ij r_(j-i) over the window."""
    return lambda p: (p[..., None] * _window(rows, window, p.shape[2])).sum(dim=-2)


def _window(rows: Tensor, window: int, count: int) -> Tensor:
    """r_(j-i), or 0, for query i and key j."""
    at = -offsets(count)
    found = rows[at.clamp(-window, window) + window]
    return torch.where((at.abs() <= window)[..., None], found, torch.zeros((), dtype=rows.dtype))


def four_terms(rows: Tensor, of_rows: Tensor, content: Tensor, position: Tensor) -> Scores:
    """(u.k_j + (q_i + v).W r_(i-j)) / sqrt(d): with q_i.k_j the four terms. r is (2L - 1, model), from L - 1 down.

    W is (head, d, model), u = content and v = position are (head, d). (Dai et al., Transformer-XL, 2019, section 3.3.)
    """

    def adds(q: Tensor, k: Tensor) -> Tensor:
        count = q.shape[2]
        keys = projected(rows[None], of_rows, None)[:, :, count - 1 - offsets(count)]  # (1, head, query, key, d)
        of_content = (k * content[:, None]).sum(dim=-1)[:, :, None]
        of_position = ((q + position[:, None])[..., None, :] * keys).sum(dim=-1)
        return root(q.shape[-1]) * (of_content + of_position)

    return adds


def disentangled(
    rows: Tensor, of_keys: Tensor, of_queries: Tensor, bias: Tensor, *, span: int, width: int
) -> tuple[Scores, float]:
    """(q_i.K r_c + k_j.Q r_c) / sqrt(3d) with c = clamp(i - j + span, 0, 2 span - 1), and that factor.

    K and Q are (head, d, model). The code of DeBERTa reads the same row for both; the paper reads that of j - i for the
    second. (He et al., DeBERTa, 2021, equation 4, and its code.)
    """
    scale = root(3 * width)

    def adds(q: Tensor, k: Tensor) -> Tensor:
        reach = min(q.shape[2], span)
        near = rows[span - reach : span + reach][None]
        keys = projected(near, of_keys, None)[0]
        queries = projected(near, of_queries, bias)[0]
        index = (offsets(q.shape[2]) + reach).clamp(0, 2 * reach - 1)
        first = (q[0][:, :, None] * keys[:, index]).sum(dim=-1)
        second = (k[0][:, None] * queries[:, index]).sum(dim=-1)
        return (first + second) * scale

    return adds, scale
