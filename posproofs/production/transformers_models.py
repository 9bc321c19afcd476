"""Whole small models of transformers: embeddings of tokens in, last hidden states out, and a cache between calls."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject
from posproofs.mutants.backend import torch
from posproofs.production.attending import in_parts, mask_of, padding_mask, shown
from posproofs.production.transformers_attention import config_of, modeling_of, new_cache

if TYPE_CHECKING:
    from torch import Tensor, dtype

_SIZES = (AttentionSize(3, 2, 1, 4),)
_FALCON = (AttentionSize(3, 2, 2, 2),)


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
        num_hidden_layers=2,
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


SUBJECTS = (
    AttentionSubject(
        name="transformers.llama.model",
        package="transformers",
        convention=AttentionConvention("rotary, half-split, two layers", "real", "past", "model"),
        sizes=_SIZES,
        make=_llama,
        unread=("embed_tokens.weight",),
    ),
    AttentionSubject(
        name="transformers.falcon.model",
        package="transformers",
        convention=AttentionConvention("alibi, one layer", "counted", "past", "model"),
        sizes=_FALCON,
        make=_falcon,
        through="input",
        unread=("word_embeddings.weight",),
    ),
)
