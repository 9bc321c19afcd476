"""Attention of transformers without positions of its own, BERT's and GPT-2's, and GPT-J's, which looks up a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import Heads, Scheme, attention, layer_normed, rotary
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import frequencies
from posproofs.production.attending import by_head, heads_of_thirds, in_parts, mask_of, shown, shown_to_all, waves_of
from posproofs.production.transformers_attention import config_of, modeling_of, new_cache

if TYPE_CHECKING:
    from torch import Tensor, dtype

_SIZES = (AttentionSize(3, 2, 2, 4), AttentionSize(4, 3, 3, 2))
_EPS = 1e-12
_BASE = 10000.0  # of GPT-J's frequencies
Weights = Mapping[str, "Tensor"]


def _bert(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    config = config_of(
        "bert",
        "Bert",
        path,
        hidden_size=size.model,
        num_attention_heads=size.heads,
        num_hidden_layers=1,
        layer_norm_eps=_EPS,
    )
    held = modeling_of("bert").BertAttention(config).to(kind)

    def call(x: Tensor, _positions: Tensor | None) -> Tensor:
        mask = mask_of(shown_to_all(x.shape[1]), "added" if path == "eager" else "shown")
        result: Tensor = held(x, attention_mask=mask)[0]
        return result

    return AttentionInstance(held, call)


def _of_bert(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        heads = Heads(
            by_head(w["self.query.weight"], size.heads),
            by_head(w["self.key.weight"], size.heads),
            by_head(w["self.value.weight"], size.heads),
            w["output.dense.weight"],
            by_head(w["self.query.bias"], size.heads),
            by_head(w["self.key.bias"], size.heads),
            by_head(w["self.value.bias"], size.heads),
            w["output.dense.bias"],
        )
        mixed = attention(x, heads, Scheme("all"))
        return layer_normed(mixed, x, w["output.LayerNorm.weight"], w["output.LayerNorm.bias"], eps=_EPS)

    return formula


def _gpt2(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    config = config_of(
        "gpt2",
        "GPT2",
        "sdpa" if path == "sdpa" else "eager",
        n_embd=size.model,
        n_head=size.heads,
        n_layer=1,
        reorder_and_upcast_attn=path == "reorder_and_upcast",
    )
    held = modeling_of("gpt2").GPT2Attention(config, layer_idx=0).to(kind)

    def part(x: Tensor, _positions: Tensor | None, end: int, cache: Any) -> Tensor:
        mask = mask_of(shown(x.shape[1], end), "shown" if path == "sdpa" else "added")
        result: Tensor = held(x, attention_mask=mask, cache=cache)[0]
        return result

    def whole(x: Tensor, positions: Tensor | None) -> Tensor:
        return part(x, positions, x.shape[1], None)

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        return in_parts(partial(part, cache=new_cache()), x, positions, lengths)

    return AttentionInstance(held, whole, (), steps)


def _of_gpt2(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        # Its weights stand the other way round: (in, out).
        query, key, value = heads_of_thirds(w["c_attn.weight"].transpose(0, 1), size.heads)
        of_query, of_key, of_value = heads_of_thirds(w["c_attn.bias"], size.heads)
        out = w["c_proj.weight"].transpose(0, 1)
        heads = Heads(query, key, value, out, of_query, of_key, of_value, w["c_proj.bias"])
        return attention(x, heads, Scheme("past"))

    return formula


def _gptj(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    config = config_of(
        "gptj", "GPTJ", path, n_embd=size.model, n_head=size.heads, n_layer=1, rotary_dim=size.width, n_positions=64
    )
    modeling = modeling_of("gptj")
    held = torch.nn.ModuleDict(
        {"attention": modeling.GPTJAttention(config, layer_idx=0), "rotary": modeling.GPTJRotaryEmbedding(config)}
    ).to(kind)

    def part(x: Tensor, positions: Tensor | None, end: int, cache: Any) -> Tensor:
        assert positions is not None
        waves = held["rotary"](x, positions[None])
        mask = mask_of(shown(x.shape[1], end), "added" if path == "eager" else "shown")
        result: Tensor = held["attention"](x, waves, attention_mask=mask, cache=cache)[0]
        return result

    def whole(x: Tensor, positions: Tensor | None) -> Tensor:
        return part(x, positions, x.shape[1], None)

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        return in_parts(partial(part, cache=new_cache()), x, positions, lengths)

    return AttentionInstance(held, whole, (), steps)


def _declared_waves(size: AttentionSize) -> tuple[float, ...]:
    return waves_of(size.width, _BASE)


def _of_gptj(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, positions: Tensor | None) -> Tensor:
        assert positions is not None
        query, key, value = (by_head(w[f"attention.{name}_proj.weight"], size.heads) for name in ("q", "k", "v"))
        turns = rotary(positions, frequencies(size.width, _BASE), "interleaved")
        return attention(x, Heads(query, key, value, w["attention.out_proj.weight"]), Scheme("past", turns=turns))

    return formula


SUBJECTS = (
    AttentionSubject(
        name="transformers.bert.attention",
        package="transformers",
        convention=AttentionConvention("no bias, a residual and a norm", "none", "all"),
        sizes=_SIZES,
        make=_bert,
        formula=_of_bert,
    ),
    AttentionSubject(
        name="transformers.gpt2.attention",
        package="transformers",
        convention=AttentionConvention("no bias", "none", "past"),
        sizes=_SIZES,
        make=_gpt2,
        paths=("eager", "sdpa", "reorder_and_upcast"),
        formula=_of_gpt2,
    ),
    AttentionSubject(
        name="transformers.gptj.attention",
        package="transformers",
        convention=AttentionConvention("rotary, interleaved, from a table", "whole", "past"),
        sizes=(AttentionSize(3, 2, 2, 4), AttentionSize(4, 3, 3, 4)),
        make=_gptj,
        waves=_declared_waves,
        formula=_of_gptj,
    ),
)
