"""diffusers: the one-dimensional rotary embedding of Flux and CogVideoX, neighbouring coordinates in pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.laws import Convention, Instance, Recipe, Subject, Width
from posproofs.production.loading import quietly

if TYPE_CHECKING:
    from torch import Tensor


def _make(width: Width) -> Instance:
    library = quietly("diffusers.models.embeddings")

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        cos_and_sin = library.get_1d_rotary_pos_embed(width.rotary, positions, use_real=True)
        turned: Tensor = library.apply_rotary_emb(x, cos_and_sin, use_real=True, use_real_unbind_dim=-1)
        return turned

    return Instance(rotate)


SUBJECTS = (
    Subject(
        name="diffusers.rotary_1d",
        package="diffusers",
        convention=Convention("interleaved", "interleaved"),
        # x is cast to float32, whatever it was.
        recipe=Recipe("power", "float32", (), "float32"),
        widths=(Width(2, 2), Width(4, 4), Width(64, 64), Width(96, 96), Width(128, 128)),
        make=_make,
    ),
)
