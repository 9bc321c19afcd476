"""Rotary code with one defect each, and code that behaves badly."""

import os
import sys
import time

import torch
from torch import Tensor

from tests.engine.own.rotations import _angles, _halves, _turned_halves, rotate


def tiled(x: Tensor, positions: Tensor) -> Tensor:
    """The table is laid out for halves, the pairs are interleaved."""
    angle = _angles(positions, x.shape[-1])
    cos, sin = (torch.cat((part, part), dim=-1).to(x.dtype) for part in (angle.cos(), angle.sin()))
    return x * cos + torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2) * sin


_TABLES: dict[int, Tensor] = {}


def stale(x: Tensor, positions: Tensor) -> Tensor:
    """The key of the cache leaves out where the positions start."""
    if len(positions) not in _TABLES:
        _TABLES[len(positions)] = _angles(positions, x.shape[-1])
    return _halves(x, _TABLES[len(positions)])


def rounded(x: Tensor, positions: Tensor) -> Tensor:
    """Positions in bfloat16."""
    return rotate(x, positions.bfloat16())


def apart(q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
    """Queries turn one way and keys the other."""
    angle = _angles(positions, q.shape[-1])
    return _halves(q, angle), _halves(k, -angle)


def in_place(x: Tensor, positions: Tensor) -> Tensor:
    x.copy_(rotate(x, positions))
    return x


def shifted(x: Tensor, positions: Tensor) -> Tensor:
    """Right up to position 1000, one too far from there on."""
    return rotate(x, positions + (positions > 1000).to(positions.dtype))


def raising(_x: Tensor, _positions: Tensor) -> Tensor:
    raise RuntimeError("two lines\nof which one is told")


def hanging(x: Tensor, _positions: Tensor) -> Tensor:
    time.sleep(1000)
    return x


def leaving(_x: Tensor, _positions: Tensor) -> Tensor:
    sys.exit(3)


def dying(_x: Tensor, _positions: Tensor) -> Tensor:
    os._exit(4)


def narrow(x: Tensor, _positions: Tensor) -> Tensor:
    return x[..., :2]


def elsewhere(x: Tensor, _positions: Tensor) -> Tensor:
    return x.cuda()


def wider(x: Tensor, positions: Tensor) -> Tensor:
    """float64 comes out, whatever went in."""
    return rotate(x.double(), positions)


def hole(x: Tensor, positions: Tensor) -> Tensor:
    """No number comes out at position 0."""
    return rotate(x, positions) * (positions / positions).to(x.dtype)[:, None]


def talking(x: Tensor, positions: Tensor) -> Tensor:
    sys.stdout.write("on standard output\n")
    sys.stderr.write("on standard error\n")
    return rotate(x, positions)


def learning(x: Tensor, positions: Tensor) -> Tensor:
    """Not linear."""
    return rotate(x, positions) * (1 + x.square().sum(dim=-1, keepdim=True))


class Needy:
    def __init__(self, config: object) -> None:
        self.config = config


NUMBER = 3
HALVES = _turned_halves
