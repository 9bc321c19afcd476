"""Torch's own attention: with and without the weights returned, with a mask and with the hint that it is causal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import Heads, Scheme, attention
from posproofs.mutants.backend import torch
from posproofs.production.attending import heads_of_thirds, mask_of, shown

if TYPE_CHECKING:
    from torch import Tensor, dtype

_SIZES = (AttentionSize(3, 2, 2, 4), AttentionSize(4, 3, 3, 2))


def _multihead(size: AttentionSize, path: str, kind: dtype, *, sees: Literal["past", "all"]) -> AttentionInstance:
    held = torch.nn.MultiheadAttention(size.model, size.heads, batch_first=True, dtype=kind)

    def call(x: Tensor, _positions: Tensor | None) -> Tensor:
        mask = None if sees == "all" else mask_of(shown(x.shape[1], x.shape[1]), "blocked")[0, 0]
        result: Tensor = held(
            x, x, x, attn_mask=mask, need_weights=path == "need_weights", is_causal=path == "is_causal"
        )[0]
        return result

    return AttentionInstance(held, call)


def _of_multihead(size: AttentionSize, *, sees: Literal["past", "all"]) -> Formula:
    def formula(w: Mapping[str, Tensor], x: Tensor, _positions: Tensor | None) -> Tensor:
        query, key, value = heads_of_thirds(w["in_proj_weight"], size.heads)
        of_query, of_key, of_value = heads_of_thirds(w["in_proj_bias"], size.heads)
        heads = Heads(query, key, value, w["out_proj.weight"], of_query, of_key, of_value, w["out_proj.bias"])
        return attention(x, heads, Scheme(sees))

    return formula


def _layer(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    held = torch.nn.TransformerEncoderLayer(
        size.model, size.heads, size.width, activation=path, batch_first=True, norm_first=True, dtype=kind
    )
    return AttentionInstance(held, lambda x, _positions: held(x))


SUBJECTS = (
    AttentionSubject(
        name="torch.multihead.attention",
        package="torch",
        convention=AttentionConvention("no bias", "none", "all"),
        sizes=_SIZES,
        make=partial(_multihead, sees="all"),
        paths=("need_weights", "no_weights"),
        through="input",
        formula=partial(_of_multihead, sees="all"),
    ),
    AttentionSubject(
        name="torch.multihead.causal",
        package="torch",
        convention=AttentionConvention("no bias", "none", "past"),
        sizes=_SIZES,
        make=partial(_multihead, sees="past"),
        paths=("need_weights", "no_weights", "is_causal"),
        through="input",
        formula=partial(_of_multihead, sees="past"),
    ),
    AttentionSubject(
        name="torch.encoder_layer",
        package="torch",
        convention=AttentionConvention("no bias, norms first", "none", "all", "layer"),
        sizes=_SIZES,
        make=_layer,
        paths=("relu",),
        through="input",
    ),
)
