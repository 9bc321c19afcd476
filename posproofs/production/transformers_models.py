"""Whole small models of transformers: embeddings of tokens in, last hidden states out, and a cache between calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import Heads, Scheme, alibi, attention, root, root_mean_square, rotary
from posproofs.laws.layer_formulas import Part, chain, feed_forward, gated, layer_norm, residual
from posproofs.mutants.backend import torch
from posproofs.production.attending import by_head, in_parts, mask_of, padding_mask, shown, thirds_of_heads
from posproofs.production.transformers_attention import config_of, modeling_of, new_cache

if TYPE_CHECKING:
    from torch import Tensor, dtype

_SIZES = (AttentionSize(3, 2, 1, 4),)
_FALCON = (AttentionSize(3, 2, 2, 2),)
_LAYERS = 2
_EPS = {"llama": 1e-6, "falcon": 1e-5}  # under the root of a norm
Weights = Mapping[str, "Tensor"]


def _llama(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    config = config_of(
        "llama",
        "Llama",
        path,
        vocab_size=2,
        hidden_size=size.model,
        intermediate_size=size.width,
        num_attention_heads=size.heads,
        num_key_value_heads=size.key_heads,
        head_dim=size.width,
        num_hidden_layers=_LAYERS,
        rms_norm_eps=_EPS["llama"],
        max_position_embeddings=64,
    )
    held = modeling_of("llama").LlamaModel(config).to(kind)
    held.rotary_emb.to(torch.float32)

    def part(x: Tensor, positions: Tensor | None, end: int, cache: Any) -> Tensor:
        assert positions is not None
        # A mask that is given is used as it is, so the positions need not be whole numbers that follow each other.
        mask = mask_of(shown(x.shape[1], end), "added" if path == "eager" else "shown")
        given = held(
            inputs_embeds=x,
            attention_mask=mask,
            position_ids=positions[None],
            cache=cache,
            use_cache=cache is not None,
        )
        result: Tensor = given.last_hidden_state
        return result

    def whole(x: Tensor, positions: Tensor | None) -> Tensor:
        return part(x, positions, x.shape[1], None)

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        return in_parts(partial(part, cache=new_cache()), x, positions, lengths)

    return AttentionInstance(held, whole, ("rotary_emb.inv_freq",), steps)


def _of_llama(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, positions: Tensor | None) -> Tensor:
        assert positions is not None
        scheme = Scheme("past", turns=rotary(positions.to(x.dtype), w["rotary_emb.inv_freq"], "half-split"))
        layers = [
            part for n in range(_LAYERS) for part in _parts_of_llama(w, size, scheme=scheme, under=f"layers.{n}.")
        ]
        return chain(x, (*layers, root_mean_square(w["norm.weight"], _EPS["llama"])))

    return formula


def _parts_of_llama(w: Weights, size: AttentionSize, *, scheme: Scheme, under: str) -> tuple[Part, Part]:
    """Attention, then the gated feed-forward, each behind its norm."""
    heads = Heads(
        by_head(w[f"{under}self_attn.q_proj.weight"], size.heads),
        by_head(w[f"{under}self_attn.k_proj.weight"], size.key_heads),
        by_head(w[f"{under}self_attn.v_proj.weight"], size.key_heads),
        w[f"{under}self_attn.o_proj.weight"],
    )
    gate, inward, outward = (w[f"{under}mlp.{name}_proj.weight"] for name in ("gate", "up", "down"))
    first, second = (
        root_mean_square(w[f"{under}{name}_layernorm.weight"], _EPS["llama"]) for name in ("input", "post_attention")
    )
    return residual(first, lambda y: attention(y, heads, scheme)), residual(second, gated(gate, inward, outward))


def _falcon(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    config = config_of(
        "falcon",
        "Falcon",
        path,
        vocab_size=2,
        hidden_size=size.model,
        num_attention_heads=size.heads,
        num_kv_heads=size.key_heads,
        num_hidden_layers=1,
        ffn_hidden_size=size.width,
        layer_norm_epsilon=_EPS["falcon"],
        alibi=True,
        multi_query=False,
    )
    held = modeling_of("falcon").FalconModel(config).to(kind)

    def part(x: Tensor, _positions: Tensor | None, end: int, cache: Any) -> Tensor:
        mask = padding_mask(end, 0)
        given = held(inputs_embeds=x, attention_mask=mask, cache=cache, use_cache=cache is not None)
        result: Tensor = given.last_hidden_state
        return result

    def whole(x: Tensor, positions: Tensor | None) -> Tensor:
        return part(x, positions, x.shape[1], None)

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        return in_parts(partial(part, cache=new_cache()), x, positions, lengths)

    # Padding is not asked: its own rows see nothing, and what a softmax gives there is each path's own affair.
    return AttentionInstance(held, whole, (), steps)


def _of_falcon(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        query, key, value = thirds_of_heads(w["h.0.self_attention.query_key_value.weight"], size.heads)
        heads = Heads(query, key, value, w["h.0.self_attention.dense.weight"])
        # The bias is added before the scores are scaled.
        scheme = Scheme("past", adds=alibi(size.heads, scale=root(size.width)))
        forward = feed_forward(
            w["h.0.mlp.dense_h_to_4h.weight"], w["h.0.mlp.dense_4h_to_h.weight"], torch.nn.functional.gelu
        )
        norm, last = (
            layer_norm(w[f"{name}.weight"], w[f"{name}.bias"], _EPS["falcon"])
            for name in ("h.0.input_layernorm", "ln_f")
        )
        # Attention and feed-forward of one norm, side by side.
        return chain(x, (residual(norm, lambda y: attention(y, heads, scheme), forward), last))

    return formula


SUBJECTS = (
    AttentionSubject(
        name="transformers.llama.model",
        package="transformers",
        convention=AttentionConvention("rotary, half-split, two layers", "real", "past", "model"),
        sizes=_SIZES,
        make=_llama,
        unread=("embed_tokens.weight",),
        formula=_of_llama,
    ),
    AttentionSubject(
        name="transformers.falcon.model",
        package="transformers",
        convention=AttentionConvention("alibi, one layer", "counted", "past", "model"),
        sizes=_FALCON,
        make=_falcon,
        through="input",
        unread=("word_embeddings.weight",),
        formula=_of_falcon,
    ),
)
