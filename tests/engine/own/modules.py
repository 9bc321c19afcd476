"""Attention modules as people write them, which map rows to rows: right, and with one defect each."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention


def _earlier(rows: int, late: int = 0) -> Tensor:
    return torch.ones(rows, rows, dtype=torch.bool).tril(late)


class Grouped(nn.Module):
    """Rotary at the positions that are given; query heads share key heads, in a row or in turns."""

    def __init__(self, dim: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.width = dim // heads
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, kv_heads * self.width, bias=False)
        self.v_proj = nn.Linear(dim, kv_heads * self.width, bias=False)
        self.o_proj = nn.Linear(dim, dim, bias=False)

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        layers = (self.q_proj, self.k_proj, self.v_proj)
        q, k, v = (layer(x).unflatten(2, (-1, self.width)).transpose(1, 2) for layer in layers)
        angle = positions.to(x.dtype)[:, None] * 500000.0 ** (-torch.arange(0, self.width, 2) / self.width)
        k, v = (self.repeated(one, q.shape[1] // k.shape[1]) for one in (_turned(k, angle), v))
        y = scaled_dot_product_attention(_turned(q, angle), k, v, is_causal=True)
        out: Tensor = self.o_proj(y.transpose(1, 2).flatten(2))
        return out

    def repeated(self, x: Tensor, times: int) -> Tensor:
        return x.repeat_interleave(times, 1)


def _turned(x: Tensor, angle: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class InTurns(Grouped):
    def repeated(self, x: Tensor, times: int) -> Tensor:
        return x.repeat(1, times, 1, 1)


class Fused(nn.Module):
    """One matrix for q, k and v, with linear biases."""

    def __init__(self, n_embd: int, n_head: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (one.unflatten(2, (self.n_head, -1)).transpose(1, 2) for one in self.c_attn(x).chunk(3, dim=-1))
        at = torch.arange(x.shape[1])
        whole = 2 ** (self.n_head.bit_length() - 1)
        slopes = [2.0 ** (-8 * n / whole) for n in range(1, whole + 1)]
        slopes += [2.0 ** (-8 * n / (2 * whole)) for n in range(1, 2 * (self.n_head - whole), 2)]
        bias = torch.tensor(slopes, dtype=x.dtype)[:, None, None] * (at[:, None] - at)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]) - bias
        p = scores.masked_fill(~_earlier(x.shape[1], self.late()), float("-inf")).softmax(-1)
        return self.joined(self.dropout(p) @ v)

    def joined(self, y: Tensor) -> Tensor:
        out: Tensor = self.c_proj(y.transpose(1, 2).flatten(2))
        return out

    def late(self) -> int:
        return 0


class Early(Fused):
    """A row sees the next one too."""

    def late(self) -> int:
        return 1


class BiasOfEach(Fused):
    """The bias of the output is added once for each head."""

    def joined(self, y: Tensor) -> Tensor:
        return super().joined(y) + (self.n_head - 1) * self.c_proj.bias


class Paired(nn.Module):
    """One matrix for k and v, how many heads and how wide by default, and a mask of the keys that are seen."""

    def __init__(self, dim: int, heads: int = 8, dim_head: int = 64, block_size: int = 2048) -> None:
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, heads * dim_head, bias=False)
        self.to_kv = nn.Linear(dim, 2 * heads * dim_head)
        self.to_out = nn.Sequential(nn.Linear(heads * dim_head, dim), nn.Dropout(0.1))
        self.register_buffer("lower", _earlier(block_size))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        given = (self.to_q(x), *self.to_kv(x).chunk(2, -1))
        q, k, v = (one.unflatten(2, (self.heads, -1)).transpose(1, 2) for one in given)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        out: Tensor = self.to_out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return out


class ByHead(nn.Module):
    """The rows of one matrix are the query, the key and the value of the first head, then those of the next."""

    def __init__(self, dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_key_value = nn.Linear(dim, 3 * dim)
        self.dense = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.query_key_value(x).unflatten(2, (self.num_heads, 3, -1)).transpose(1, 2).unbind(3)
        y = scaled_dot_product_attention(q, k, v, scale=1.0)
        out: Tensor = self.dense(y.transpose(1, 2).flatten(2))
        return out


class Inner(ByHead):
    """Heads of width 2, however wide its rows are."""

    def __init__(self, dim: int, num_heads: int) -> None:
        super().__init__(dim, num_heads)
        self.query_key_value = nn.Linear(dim, 6 * num_heads)
        self.dense = nn.Linear(2 * num_heads, dim)


class Single(nn.Module):
    """One head."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.num_heads = 1
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        out: Tensor = self.proj(scaled_dot_product_attention(q, k, v, is_causal=True))
        return out


class OtherNames(Single):
    def __init__(self, dim: int) -> None:
        super().__init__(dim)
        self.first, self.last = self.qkv, self.proj
        del self.qkv, self.proj

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.first(x).chunk(3, -1)
        out: Tensor = self.last(scaled_dot_product_attention(q, k, v, is_causal=True))
        return out


class Layer(nn.Module):
    """A norm before, and the rows themselves after."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(dim), Fused(dim, heads)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.attention(self.norm(x))
        return out


class Released(nn.Module):
    """Torch's own, rows first."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(12, 3)

    def forward(self, x: Tensor, attn_mask: Tensor | None = None) -> Tensor:
        out: Tensor = self.inner(x, x, x, attn_mask=attn_mask, need_weights=False)[0]
        return out


released = Released()


class RowByRow(nn.Module):
    """No row sees another one."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.layer = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.layer(x)
        return out


class Learned(nn.Module):
    """A rotation at speeds that start at random."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.speeds = nn.Parameter(torch.rand(dim // 2))

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        return _turned(x, positions[:, None].double() * self.speeds.double())


class OfConfig(nn.Module):
    def __init__(self, config: object) -> None:
        super().__init__()
        self.config = config

    def forward(self, x: Tensor) -> Tensor:
        return x
