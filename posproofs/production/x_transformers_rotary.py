"""x-transformers: the module gives angles and a scale for the caller's positions, the function rotates with them.

Widths start at 4: the class divides by dim - 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.laws import Convention, Instance, Recipe, Subject, Width
from posproofs.production.loading import quietly

if TYPE_CHECKING:
    from torch import Tensor


def _make(width: Width) -> Instance:
    library = quietly("x_transformers.x_transformers")
    module = library.RotaryEmbedding(width.rotary)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angles, scale = module(positions)
        turned: Tensor = library.apply_rotary_pos_emb(x, angles, scale)
        return turned

    return Instance(rotate, tuple(module.buffers()))


SUBJECTS = (
    Subject(
        name="x-transformers.rotary",
        package="x-transformers",
        convention=Convention("interleaved", "interleaved"),
        # float32 angles whatever x is; products in the wider dtype, rounded to that of x at the end.
        recipe=Recipe("power", "float32", (), "wide"),
        widths=(Width(4, 4), Width(8, 4), Width(64, 64), Width(96, 96), Width(128, 64), Width(128, 128)),
        make=_make,
    ),
)
