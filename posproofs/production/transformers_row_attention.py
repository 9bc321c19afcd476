"""Whole attention modules of transformers that count rows and read a row, or a bias, for each offset.

DeBERTa's three terms, the window of VITS, the grid of Swin, and the four terms of Parakeet and Wav2Vec2-BERT.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from posproofs.laws.attended import AttentionInstance, AttentionSize, Formula
from posproofs.laws.attention_formulas import (
    Heads,
    Scheme,
    attention,
    disentangled,
    four_terms,
    in_grid,
    in_window,
    of_window,
)
from posproofs.mutants.backend import torch
from posproofs.production.attending import by_head, mask_of, offsets_of, shown_to_all, thirds_of_heads
from posproofs.production.transformers_attention import config_of, modeling_of
from posproofs.production.transformers_relative_attention import counting

if TYPE_CHECKING:
    from torch import Tensor, dtype

Weights = Mapping[str, "Tensor"]
# Four rows leave the window, two do not fill it.
_WINDOWS = (AttentionSize(4, 2, 2, 2), AttentionSize(2, 3, 3, 2))
_GRID = (AttentionSize(4, 2, 2, 2), AttentionSize(9, 1, 1, 4))
_SPAN = 2
_WINDOW = 1


def _deberta(size: AttentionSize, _path: str, kind: dtype) -> AttentionInstance:
    modeling = modeling_of("deberta")
    config = config_of(
        "deberta",
        "Deberta",
        "eager",
        hidden_size=size.model,
        num_attention_heads=size.heads,
        relative_attention=True,
        max_relative_positions=_SPAN,
        pos_att_type=["c2p", "p2c"],
    )
    rows = torch.nn.Embedding(4, size.model)  # one for each offset -2, .., 1
    held = torch.nn.ModuleDict({"attention": modeling.DisentangledSelfAttention(config), "rows": rows}).to(kind)

    def given(x: Tensor, hidden: int) -> Tensor:
        at = modeling.build_relative_position(x, x)
        mask = shown_to_all(x.shape[1], hidden=hidden)
        result: Tensor = held["attention"](x, mask, relative_pos=at, rel_embeddings=rows.weight)[0]
        return result

    def behind(x: Tensor, hidden: int) -> Tensor:
        return given(x, hidden)[:, hidden:]

    return AttentionInstance(held, lambda x, _positions: given(x, 0), (), None, behind)


def _of_deberta(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        query, key, value = thirds_of_heads(w["attention.in_proj.weight"], size.heads)
        heads = Heads(
            query,
            key,
            value,
            None,
            by_head(w["attention.q_bias"], size.heads),
            None,
            by_head(w["attention.v_bias"], size.heads),
        )
        adds, scale = disentangled(
            w["rows.weight"],
            by_head(w["attention.pos_proj.weight"], size.heads),
            by_head(w["attention.pos_q_proj.weight"], size.heads),
            by_head(w["attention.pos_q_proj.bias"], size.heads),
            span=_SPAN,
            width=size.width,
        )
        return attention(x, heads, Scheme("all", scale, adds=adds))

    return formula


def _vits(size: AttentionSize, _path: str, kind: dtype) -> AttentionInstance:
    config = config_of(
        "vits", "Vits", "eager", hidden_size=size.model, num_attention_heads=size.heads, window_size=_WINDOW
    )
    held = modeling_of("vits").VitsAttention(config).to(kind)

    def given(x: Tensor, hidden: int) -> Tensor:
        mask = mask_of(shown_to_all(x.shape[1], hidden=hidden), "added").to(x.dtype)
        result: Tensor = held(x, attention_mask=mask)[0]
        return result

    def behind(x: Tensor, hidden: int) -> Tensor:
        return given(x, hidden)[:, hidden:]

    return AttentionInstance(held, lambda x, _positions: given(x, 0), (), None, behind)


def _separate(w: Weights, size: AttentionSize, *, out: str, under: str = "") -> Heads:
    return Heads(
        by_head(w[f"{under}q_proj.weight"], size.heads),
        by_head(w[f"{under}k_proj.weight"], size.heads),
        by_head(w[f"{under}v_proj.weight"], size.heads),
        w[f"{under}{out}.weight"],
        by_head(w[f"{under}q_proj.bias"], size.heads),
        by_head(w[f"{under}k_proj.bias"], size.heads),
        by_head(w[f"{under}v_proj.bias"], size.heads),
        w[f"{under}{out}.bias"],
    )


def _of_vits(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        scheme = Scheme(
            "all",
            adds=in_window(w["emb_rel_k"][0], _WINDOW),
            values=of_window(w["emb_rel_v"][0], _WINDOW),
        )
        return attention(x, _separate(w, size, out="out_proj"), scheme)

    return formula


def _side(size: AttentionSize) -> int:
    return {4: 2, 9: 3}[size.rows]


def _swin(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    config = config_of("swin", "Swin", path)
    held = modeling_of("swin").SwinAttention(config, size.model, size.heads, _side(size)).to(kind)

    def call(x: Tensor, _positions: Tensor | None) -> Tensor:
        result: Tensor = held(x)[0]
        return result

    return AttentionInstance(held, call)


def _of_swin(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        adds = in_grid(w["relative_position_bias.relative_position_bias_table"], _side(size))
        return attention(x, _separate(w, size, out="o_proj"), Scheme("all", adds=adds))

    return formula


def _parakeet(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    config = config_of(
        "parakeet",
        "ParakeetEncoder",
        path,
        hidden_size=size.model,
        num_attention_heads=size.heads,
        num_key_value_heads=size.heads,
        head_dim=size.width,
        attention_bias=True,
    )
    module = modeling_of("parakeet").ParakeetEncoderAttention(config, layer_idx=0)
    held = _with_rows(module, size, kind)

    def call(x: Tensor, _positions: Tensor | None) -> Tensor:
        result: Tensor = held["attention"](x, held["rows"].weight[None])[0]
        return result

    return AttentionInstance(held, call)


def _with_rows(module: Any, size: AttentionSize, kind: dtype) -> Any:
    """The module, and a table of rows for the offsets L - 1, .., -L + 1, whatever they hold."""
    rows = torch.nn.Embedding(offsets_of(size.rows), size.model)
    return torch.nn.ModuleDict({"attention": module, "rows": rows}).to(kind)


def _of_parakeet(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        adds = four_terms(
            w["rows.weight"],
            by_head(w["attention.relative_k_proj.weight"], size.heads),
            w["attention.bias_u"],
            w["attention.bias_v"],
        )
        return attention(x, _separate(w, size, out="o_proj", under="attention."), Scheme("all", adds=adds))

    return formula


_OF_WAV2VEC2_BERT = {
    "linear_q.weight": "q_proj.weight",
    "linear_q.bias": "q_proj.bias",
    "linear_k.weight": "k_proj.weight",
    "linear_k.bias": "k_proj.bias",
    "linear_v.weight": "v_proj.weight",
    "linear_v.bias": "v_proj.bias",
    "linear_out.weight": "o_proj.weight",
    "linear_out.bias": "o_proj.bias",
    "linear_pos.weight": "relative_k_proj.weight",
    "pos_bias_u": "bias_u",
    "pos_bias_v": "bias_v",
}


def _wav2vec2_bert(size: AttentionSize, kind: dtype) -> AttentionInstance:
    config = config_of(
        "wav2vec2_bert",
        "Wav2Vec2Bert",
        "eager",
        hidden_size=size.model,
        num_attention_heads=size.heads,
        position_embeddings_type="relative",
    )
    held = _with_rows(modeling_of("wav2vec2_bert").Wav2Vec2BertSelfAttention(config), size, kind)

    def call(x: Tensor, _positions: Tensor | None) -> Tensor:
        rows = held["rows"].weight[None]
        result: Tensor = held["attention"](x, relative_position_embeddings=rows)[0]
        return result

    renamed = {f"attention.{theirs}": f"attention.{ours}" for theirs, ours in _OF_WAV2VEC2_BERT.items()}
    return AttentionInstance(held, call, renamed=renamed)


_ONE: tuple[str, ...] = ("eager",)
SUBJECTS = (
    counting("deberta.attention", "three terms, offsets clamped", "all", _deberta, _of_deberta, paths=_ONE),
    counting(
        "vits.attention",
        "a row for each offset of a window",
        "all",
        _vits,
        _of_vits,
        paths=_ONE,
        sizes=_WINDOWS,
        through="input",
    ),
    counting("swin.attention", "a bias for each offset in a grid", "all", _swin, _of_swin, sizes=_GRID),
    counting(
        "parakeet.attention",
        "four terms, rows given",
        "all",
        _parakeet,
        _of_parakeet,
        twin=("transformers Wav2Vec2-BERT", _wav2vec2_bert),
    ),
)
