"""Rotary code as people write it, in many call shapes: all of it is right."""

import torch
from torch import Tensor, nn


def _angles(positions: Tensor, dim: int, base: float = 10000.0) -> Tensor:
    return positions.double()[..., None] * base ** (-torch.arange(0, dim, 2).double() / dim)


def _turned_halves(x: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def _halves(x: Tensor, angle: Tensor) -> Tensor:
    twice = torch.cat((angle, angle), dim=-1)
    return x * twice.cos().to(x.dtype) + _turned_halves(x) * twice.sin().to(x.dtype)


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    return _halves(x, _angles(positions, x.shape[-1]))


def other_base(x: Tensor, positions: Tensor) -> Tensor:
    return _halves(x, _angles(positions, x.shape[-1], 500000.0))


def backwards(x: Tensor, positions: Tensor) -> Tensor:
    return _halves(x, -_angles(positions, x.shape[-1]))


def quarter(x: Tensor, positions: Tensor) -> Tensor:
    turning, passing = x[..., : x.shape[-1] // 4], x[..., x.shape[-1] // 4 :]
    return torch.cat((_halves(turning, _angles(positions, turning.shape[-1])), passing), dim=-1)


def with_table(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor, unsqueeze_dim: int = 1) -> tuple[Tensor, Tensor]:
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + _turned_halves(q) * sin, k * cos + _turned_halves(k) * sin


def with_complex(x: Tensor, freqs_cis: Tensor) -> Tensor:
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * freqs_cis[None, :, None, :]).flatten(3).type_as(x)


def with_offset(x: Tensor, offset: int = 0) -> Tensor:
    return rotate(x, torch.arange(x.shape[-2]) + offset)


def counted(x: Tensor) -> Tensor:
    return rotate(x, torch.arange(x.shape[-2]))


def one_sequence(x: Tensor, positions: Tensor) -> Tensor:
    rows, _ = x.shape
    return _halves(x, _angles(positions, x.shape[-1]).reshape(rows, -1))


class Interleaved(nn.Module):
    """Rows before heads, positions for each batch element, a table of a fixed length."""

    def __init__(self, head_dim: int, max_seq_len: int = 1000) -> None:
        super().__init__()
        self.table: Tensor
        self.register_buffer("table", _angles(torch.arange(max_seq_len), head_dim).float(), persistent=False)

    def forward(self, x: Tensor, input_pos: Tensor | None = None) -> Tensor:
        angle = self.table[: x.shape[1]][None] if input_pos is None else self.table[input_pos]
        cos, sin = (part[:, :, None].to(x.dtype) for part in (angle.cos(), angle.sin()))
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)


def counted_narrow(x: Tensor) -> Tensor:
    """Angles in float32, as they are often written."""
    dim = x.shape[-1]
    return _halves(x, torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(0, dim, 2).float() / dim))
