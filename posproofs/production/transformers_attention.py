"""Whole attention modules of transformers with rotary positions: each with its own rotary module, eager and fused.

All of them take (hidden states, cosine and sine, mask, cache); what differs is the code inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import (
    Heads,
    Scheme,
    Turn,
    attention,
    of_all_heads,
    root_mean_square,
    rotary,
)
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout
from posproofs.production.attending import by_head, in_parts, mask_of, shown, thirds_of_heads

if TYPE_CHECKING:
    from torch import Tensor, dtype

_MODELS = "transformers.models"
_WHOLE = (AttentionSize(3, 2, 2, 4), AttentionSize(4, 4, 2, 2))
# Half of a head of width 2 is no pair, and half of one of width 4 a single pair, of which every layout is the same.
_PARTIAL = (AttentionSize(3, 2, 2, 4), AttentionSize(4, 2, 1, 8))
_OWN_HEADS = (AttentionSize(3, 2, 2, 4), AttentionSize(4, 2, 2, 8))  # no key head is shared
_EPS = 1e-6  # under the root of a norm
Weights = Mapping[str, "Tensor"]
ReadHeads = Callable[[Weights, AttentionSize], Heads]
ReadNorms = Callable[[Weights], tuple[Turn, Turn]]


def config_of(family: str, prefix: str, path: str, **options: Any) -> Any:
    """The library's configuration, set to compute by that path."""
    config = getattr(import_module(f"{_MODELS}.{family}.configuration_{family}"), f"{prefix}Config")(**options)
    config._attn_implementation = path
    return config


def modeling_of(family: str) -> Any:
    return import_module(f"{_MODELS}.{family}.modeling_{family}")


def new_cache() -> Any:
    return import_module("transformers.cache_utils").DynamicCache()


def _make(
    size: AttentionSize, path: str, kind: dtype, *, family: str, prefix: str, **options: Any
) -> AttentionInstance:
    modeling = modeling_of(family)
    config = config_of(
        family,
        prefix,
        path,
        hidden_size=size.model,
        num_attention_heads=size.heads,
        num_key_value_heads=size.key_heads,
        head_dim=size.width,
        num_hidden_layers=1,
        max_position_embeddings=64,
        **options,
    )
    held = torch.nn.ModuleDict(
        {
            "attention": getattr(modeling, f"{prefix}Attention")(config, layer_idx=0).to(kind),
            "rotary": getattr(modeling, f"{prefix}RotaryEmbedding")(config),
        }
    )
    return _instance(held, path, "layer_past" if family == "gpt_neox" else "cache")


def _instance(held: Any, path: str, cache_name: str) -> AttentionInstance:
    def part(x: Tensor, positions: Tensor | None, end: int, cache: Any) -> Tensor:
        assert positions is not None
        waves = held["rotary"](x, positions[None])
        mask = mask_of(shown(x.shape[1], end), "added" if path == "eager" else "shown")
        given = {cache_name: cache}
        result: Tensor = held["attention"](x, position_embeddings=waves, attention_mask=mask, **given)[0]
        return result

    def whole(x: Tensor, positions: Tensor | None) -> Tensor:
        return part(x, positions, x.shape[1], None)

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        return in_parts(partial(part, cache=new_cache()), x, positions, lengths)

    return AttentionInstance(held, whole, ("rotary.inv_freq",), steps)


def _separate(w: Weights, size: AttentionSize, *, out: str = "o_proj") -> Heads:
    """Query, key and value have a matrix each, in which the coordinates of a head stand together."""

    def of(name: str, heads: int) -> tuple[Tensor, Tensor | None]:
        return by_head(w[f"attention.{name}.weight"], heads), by_head(w.get(f"attention.{name}.bias"), heads)

    (query, query_bias), (key, key_bias) = of("q_proj", size.heads), of("k_proj", size.key_heads)
    value, value_bias = of("v_proj", size.key_heads)
    return Heads(
        query,
        key,
        value,
        w[f"attention.{out}.weight"],
        query_bias,
        key_bias,
        value_bias,
        w.get(f"attention.{out}.bias"),
    )


def _fused(w: Weights, size: AttentionSize) -> Heads:
    """One matrix: for each head its query, its key, its value."""
    query, key, value = thirds_of_heads(w["attention.query_key_value.weight"], size.heads)
    of_query, of_key, of_value = thirds_of_heads(w["attention.query_key_value.bias"], size.heads)
    return Heads(query, key, value, w["attention.dense.weight"], of_query, of_key, of_value, w["attention.dense.bias"])


def _of_each_head(w: Weights) -> tuple[Turn, Turn]:
    """The norms of queries and keys."""
    return (
        root_mean_square(w["attention.q_norm.weight"], _EPS),
        root_mean_square(w["attention.k_norm.weight"], _EPS),
    )


def _of_all_heads(w: Weights) -> tuple[Turn, Turn]:
    query, key = _of_each_head(w)
    return of_all_heads(query), of_all_heads(key)


_NORMS: dict[str, ReadNorms] = {"qwen3": _of_each_head, "olmo2": _of_all_heads}


def _formula(size: AttentionSize, layout: Layout, read: ReadHeads, norms: ReadNorms | None) -> Formula:
    def formula(w: Weights, x: Tensor, positions: Tensor | None) -> Tensor:
        assert positions is not None
        normed = None if norms is None else norms(w)
        turns = rotary(positions.to(x.dtype), w["rotary.inv_freq"], layout)
        scheme = Scheme("past", turns=turns, sink=w.get("attention.sinks"), normed=normed)
        return attention(x, read(w, size), scheme)

    return formula


def _subject(
    name: str,
    prefix: str,
    scheme: str,
    layout: Layout,
    *,
    sizes: tuple[AttentionSize, ...] = _WHOLE,
    read: ReadHeads = _separate,
    paths: tuple[str, ...] = ("eager", "sdpa"),
    **options: Any,
) -> AttentionSubject:
    return AttentionSubject(
        name=f"transformers.{name}.attention",
        package="transformers",
        convention=AttentionConvention(scheme, "real", "past"),
        sizes=sizes,
        make=partial(_make, family=name, prefix=prefix, **options),
        paths=paths,
        formula=partial(_formula, layout=layout, read=read, norms=_NORMS.get(name)),
    )


# What it is released with stretches positions and multiplies the rotation; the attention is the same.
_PLAIN = {"rope_type": "default", "rope_theta": 10000.0}
_PHI = partial(_separate, out="dense")
SUBJECTS = (
    _subject("llama", "Llama", "rotary, half-split", "half-split"),
    _subject("qwen2", "Qwen2", "rotary, half-split, biases", "half-split"),
    _subject("qwen3", "Qwen3", "rotary, half-split, norms of queries and keys", "half-split"),
    _subject("cohere", "Cohere", "rotary, interleaved", "interleaved"),
    _subject(
        "olmo2",
        "Olmo2",
        "rotary, half-split, norms of all heads together",
        "half-split",
        rms_norm_eps=_EPS,
    ),
    _subject("glm", "Glm", "rotary, half of the pairs, interleaved", "interleaved", sizes=_PARTIAL),
    _subject("phi", "Phi", "rotary, half of the pairs, half-split", "half-split", sizes=_PARTIAL, read=_PHI),
    _subject(
        "gpt_neox",
        "GPTNeoX",
        "rotary, half of the pairs, half-split",
        "half-split",
        sizes=_OWN_HEADS,
        read=_fused,
        rope_parameters={**_PLAIN, "partial_rotary_factor": 0.5},
    ),
    _subject(
        "gpt_oss",
        "GptOss",
        "rotary, half-split, a sink for each head",
        "half-split",
        paths=("eager",),
        rope_parameters=_PLAIN,
    ),
)
