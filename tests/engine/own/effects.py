"""Right code in a module that, while it is imported, changes whatever a process has."""

import os
import random
import sys
import warnings
from pathlib import Path

import torch
from torch import Tensor

sys.stdout.write("hello\n")
os.chdir("/")
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
torch.set_num_threads(3)
random.seed(0)
warnings.simplefilter("error")
sys.argv = ["another"]
sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - it stays open, as in the code of others


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    angle = positions[:, None].double() * 500000.0 ** (-torch.arange(half).double() / half)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)
