"""ESPnet: the relative attention of its Conformer, as a whole module with the table that belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from posproofs.laws import ScoreConvention, ScoreInstance, ScoreRecipe, ScoreSubject, Size
from posproofs.mutants.backend import torch
from posproofs.production.loading import quietly
from posproofs.production.reordering import heads_together, rows_together, set_weights

if TYPE_CHECKING:
    from torch import Tensor, dtype

_TRANSFORMER = "espnet.nets.pytorch_backend.transformer"


def _make(size: Size, kind: dtype) -> ScoreInstance:
    attention = quietly(f"{_TRANSFORMER}.attention").RelPositionMultiHeadedAttention
    module = attention(size.heads, size.model, 0.0).to(kind).eval()
    encoding = quietly(f"{_TRANSFORMER}.embedding").RelPositionalEncoding(size.model, 0.0, max_len=64)
    eye, nothing = torch.eye(size.model, dtype=kind), torch.zeros(size.model, dtype=kind)
    set_weights(module, linear_q__weight=eye, linear_k__weight=eye, linear_pos__weight=eye)
    set_weights(module, linear_q__bias=nothing, linear_k__bias=nothing)

    def scores(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        set_weights(module, pos_bias_u=u, pos_bias_v=v)
        query, key = heads_together(q), heads_together(k)
        # The offset K is no entry of its table.
        module(query, key, key, rows_together(r[:, 1:])[None], None)
        probabilities: Tensor = module.attn
        return probabilities

    def table(queries: int, _keys: int, called_in: dtype) -> Tensor:
        _scaled, rows = encoding(torch.zeros(1, queries, size.model, dtype=called_in))
        first: Tensor = rows[0]
        return first

    return ScoreInstance(scores, table, (module.linear_q.weight, module.linear_k.weight, module.linear_pos.weight))


SUBJECTS = (
    ScoreSubject(
        name="espnet.conformer",
        package="espnet",
        convention=ScoreConvention(memory="none", table="interleaved", first="K-1"),
        recipe=ScoreRecipe(),
        sizes=(Size(1, 2), Size(2, 4), Size(2, 64), Size(3, 8)),
        make=_make,
    ),
)
