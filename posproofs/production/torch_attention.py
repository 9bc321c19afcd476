"""Torch's own attention: with and without the weights returned, with a mask and with the hint that it is causal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import Heads, Scheme, attention
from posproofs.laws.layer_formulas import chain, feed_forward, layer_norm, residual
from posproofs.mutants.backend import torch
from posproofs.production.attending import heads_of_thirds, mask_of, shown

if TYPE_CHECKING:
    from torch import Tensor, dtype

_SIZES = (AttentionSize(3, 2, 2, 4), AttentionSize(4, 3, 3, 2))
_EPS = 1e-5  # under the root of a norm


def _multihead(size: AttentionSize, path: str, kind: dtype, *, sees: Literal["past", "all"]) -> AttentionInstance:
    held = torch.nn.MultiheadAttention(size.model, size.heads, batch_first=True, dtype=kind)

    def call(x: Tensor, _positions: Tensor | None) -> Tensor:
        mask = None if sees == "all" else mask_of(shown(x.shape[1], x.shape[1]), "blocked")[0, 0]
        result: Tensor = held(
            x, x, x, attn_mask=mask, need_weights=path == "need_weights", is_causal=path == "is_causal"
        )[0]
        return result

    return AttentionInstance(held, call)


def _heads(w: Mapping[str, Tensor], size: AttentionSize, *, under: str = "") -> Heads:
    query, key, value = heads_of_thirds(w[f"{under}in_proj_weight"], size.heads)
    of_query, of_key, of_value = heads_of_thirds(w[f"{under}in_proj_bias"], size.heads)
    out, of_out = w[f"{under}out_proj.weight"], w[f"{under}out_proj.bias"]
    return Heads(query, key, value, out, of_query, of_key, of_value, of_out)


def _of_multihead(size: AttentionSize, *, sees: Literal["past", "all"]) -> Formula:
    def formula(w: Mapping[str, Tensor], x: Tensor, _positions: Tensor | None) -> Tensor:
        return attention(x, _heads(w, size), Scheme(sees))

    return formula


def _layer(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    held = torch.nn.TransformerEncoderLayer(
        size.model,
        size.heads,
        size.width,
        activation=path,
        layer_norm_eps=_EPS,
        batch_first=True,
        norm_first=True,
        dtype=kind,
    )
    return AttentionInstance(held, lambda x, _positions: held(x))


def _of_layer(size: AttentionSize) -> Formula:
    def formula(w: Mapping[str, Tensor], x: Tensor, _positions: Tensor | None) -> Tensor:
        heads = _heads(w, size, under="self_attn.")
        forward = feed_forward(
            w["linear1.weight"],
            w["linear2.weight"],
            torch.relu,
            inward_bias=w["linear1.bias"],
            outward_bias=w["linear2.bias"],
        )
        first, second = (layer_norm(w[f"norm{n}.weight"], w[f"norm{n}.bias"], _EPS) for n in (1, 2))
        return chain(x, (residual(first, lambda y: attention(y, heads, Scheme("all"))), residual(second, forward)))

    return formula


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
        formula=_of_layer,
    ),
)
