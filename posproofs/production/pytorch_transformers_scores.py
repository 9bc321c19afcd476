"""pytorch-transformers: the attention of the original Transformer-XL code, with its memory, as a whole module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.laws import ScoreConvention, ScoreInstance, ScoreRecipe, ScoreSubject, Size
from posproofs.mutants.backend import torch
from posproofs.production.loading import quietly
from posproofs.production.reordering import (
    first_half,
    heads_together,
    memory_and_present,
    offsets_before,
    rows_together,
    second_half,
    set_weights,
    side_by_side,
)

if TYPE_CHECKING:
    from torch import Tensor, dtype


def _make(size: Size, kind: dtype) -> ScoreInstance:
    modeling = quietly("pytorch_transformers.modeling_transfo_xl")
    module = modeling.RelPartialLearnableMultiHeadAttn(
        size.heads, size.double, size.width, dropout=0.0, output_attentions=True
    )
    module = module.to(kind).eval()
    first, second = first_half(size.model, kind), second_half(size.model, kind)
    set_weights(module, qkv_net__weight=torch.cat((first, second, first)), r_net__weight=first)

    def scores(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        set_weights(module, r_w_bias=u, r_r_bias=v)
        memory, present = memory_and_present(k, q)
        hidden = side_by_side(heads_together(q), heads_together(present)).transpose(0, 1)
        remembered = side_by_side(torch.zeros_like(heads_together(memory)), heads_together(memory)).transpose(0, 1)
        # Its table ends at 0 and begins at K - 1.
        rows = side_by_side(rows_together(offsets_before(r, k.shape[2])[:, 1:]))[:, None]
        # Without a mask: beyond the query the shift runs into the next row, and the model masks those keys. It asks the
        # mask whether anything is masked, which a tracer cannot answer.
        _output, probabilities = module(hidden, rows, mems=remembered)
        shown: Tensor = probabilities.permute(2, 3, 0, 1)
        return shown

    return ScoreInstance(scores, None, (module.qkv_net.weight, module.r_net.weight))


SUBJECTS = (
    ScoreSubject(
        name="pytorch-transformers.transfo_xl",
        package="pytorch-transformers",
        convention=ScoreConvention(region="past"),
        recipe=ScoreRecipe(),
        sizes=(Size(1, 2), Size(2, 4), Size(2, 64), Size(3, 8)),
        make=_make,
    ),
)
