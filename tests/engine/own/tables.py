"""Tables of cosines and sines as people make them: right, but for the last two."""

import math

import torch
from torch import Tensor, nn


def _angles(positions: Tensor, dim: int, base: float = 10000.0) -> Tensor:
    return positions.double()[:, None] * base ** (-torch.arange(0, dim, 2).double() / dim)


def angles(positions: Tensor, dim: int) -> Tensor:
    return _angles(positions, dim)


def in_complex(dim: int, end: int, theta: float = 500000.0) -> Tensor:
    angle = _angles(torch.arange(end), dim, theta)
    return torch.polar(torch.ones_like(angle), angle).to(torch.complex64)


def twice(seq_len: int, head_dim: int) -> tuple[Tensor, Tensor]:
    angle = torch.cat((_angles(torch.arange(seq_len), head_dim),) * 2, dim=-1)
    return angle.cos().float(), angle.sin().float()


def sinusoids(length: int, channels: int) -> Tensor:
    angle = _angles(torch.arange(length), channels)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2).float()


class Counted(nn.Module):
    """The rows of what it is given are counted; the table is kept while their number stays."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim, self.rows = dim, 0

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        if x.shape[1] != self.rows:
            self.rows = x.shape[1]
            angle = torch.cat((_angles(torch.arange(self.rows), self.dim),) * 2, dim=-1)
            self.cos, self.sin = angle.cos().float()[None], angle.sin().float()[None]
        return self.cos, self.sin


class Placed(nn.Module):
    """A position for each row of each batch element."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        angle = _angles(position_ids[0], self.dim)[None]
        angle = torch.cat((angle, angle), dim=-1)
        return angle.cos().to(x.dtype), angle.sin().to(x.dtype)


class Stale(nn.Module):
    """It never makes its table again in another dtype than that of the first call."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim
        self.kept: tuple[Tensor, Tensor] | None = None

    def forward(self, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        if self.kept is None:
            angle = torch.cat((_angles(torch.arange(4200), self.dim),) * 2, dim=-1)
            self.kept = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        cos, sin = self.kept
        return cos[position_ids], sin[position_ids]


class OfItsClass:
    """All its instances share the table of the first."""

    table: Tensor | None = None

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def __call__(self, positions: Tensor) -> Tensor:
        cls = type(self)
        if cls.table is None:
            cls.table = _angles(torch.arange(4200), self.dim)
        return cls.table[positions]


def exponential(length: int, channels: int) -> Tensor:
    """Frequencies as exponentials of float32 logarithms."""
    speeds = torch.exp(torch.arange(0, channels, 2).float() * -(math.log(10000.0) / channels))
    angle = torch.arange(length).float()[:, None] * speeds
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)
