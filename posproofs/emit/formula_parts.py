"""What the two libraries write differently in an emitted formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from posproofs.emit.expressions import Dialect


@dataclass(frozen=True, slots=True)
class Library:
    """Text with places: like, value, name, real, imaginary."""

    dialect: Dialect
    imports: str
    array: str
    constant: str
    widened: str
    complex: str
    stacked: str
    checks: str


_TORCH_CHECKS = """\
def _floating(**arguments):
    for name, value in arguments.items():
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            seen = value.dtype if isinstance(value, torch.Tensor) else type(value).__name__
            raise ValueError(f"{name} is of type {seen}; wanted a floating tensor: cast it first")
    return torch.broadcast_tensors(*arguments.values())"""

_NUMPY_CHECKS = """\
def _floating(**arguments):
    arrays = {name: np.asarray(value) for name, value in arguments.items()}
    for name, value in arrays.items():
        if not np.issubdtype(value.dtype, np.floating):
            raise ValueError(f"{name} is of type {value.dtype}; wanted floating numbers: cast it first")
    return np.broadcast_arrays(*arrays.values())"""

LIBRARIES: Mapping[str, Library] = {
    "torch": Library(
        dialect=Dialect("torch"),
        imports="import torch",
        array="tensor",
        constant="torch.full_like({like}, {value})",
        widened="{name}.to(torch.promote_types({name}.dtype, torch.float32))",
        complex="return torch.complex({real}, {imaginary})",
        stacked="return torch.stack([torch.stack(row, dim=-1) for row in rows], dim=-2)",
        checks=_TORCH_CHECKS,
    ),
    "numpy": Library(
        dialect=Dialect("np"),
        imports="import numpy as np",
        array="array",
        constant="np.full_like({like}, {value})",
        widened="{name}.astype(np.promote_types({name}.dtype, np.float32))",
        complex=(
            "result = np.empty({like}.shape, dtype=np.promote_types({like}.dtype, np.complex64))\n"
            "result.real, result.imag = {real}, {imaginary}\n"
            "return result"
        ),
        stacked="return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)",
        checks=_NUMPY_CHECKS,
    ),
}
