"""rotary-embedding-torch: the module that makes its own positions from an offset, and the function with given angles.

Widths start at 4: the class divides by dim - 2.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from posproofs.laws import Convention, Instance, Recipe, Subject, Width

if TYPE_CHECKING:
    from torch import Tensor

# The angles are float32 whatever x is; products are taken in the wider dtype and rounded to that of x at the end.
_RECIPE = Recipe("power", "float32", (), "wide")
_WIDTHS = (Width(4, 4), Width(8, 4), Width(64, 64), Width(96, 96), Width(128, 64), Width(128, 128))


def _rotate_queries_or_keys(width: Width) -> Instance:
    module = import_module("rotary_embedding_torch").RotaryEmbedding(dim=width.rotary)

    def rotate(x: Tensor, offset: int) -> Tensor:
        turned: Tensor = module.rotate_queries_or_keys(x, offset=offset)
        return turned

    # The cache that the module fills in passing is no table of the caller's.
    return Instance(rotate, (module.freqs,))


def _apply_rotary_emb(width: Width) -> Instance:
    library = import_module("rotary_embedding_torch")
    module = library.RotaryEmbedding(dim=width.rotary)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        turned: Tensor = library.apply_rotary_emb(module(positions), x)
        return turned

    return Instance(rotate, (module.freqs,))


SUBJECTS = (
    Subject(
        name="rotary-embedding-torch.rotate",
        package="rotary-embedding-torch",
        convention=Convention("interleaved", "interleaved"),
        recipe=_RECIPE,
        widths=_WIDTHS,
        make=_rotate_queries_or_keys,
        takes="offset",
    ),
    Subject(
        name="rotary-embedding-torch.apply",
        package="rotary-embedding-torch",
        convention=Convention("interleaved", "interleaved"),
        recipe=_RECIPE,
        widths=_WIDTHS,
        make=_apply_rotary_emb,
    ),
)
