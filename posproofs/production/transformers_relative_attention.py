"""Whole attention modules of transformers that count rows and add a bias to scores: T5, Bloom, MPT."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import Heads, Scheme, alibi, attention, bucketed
from posproofs.mutants.backend import torch
from posproofs.production.attending import (
    by_head,
    heads_of_thirds,
    in_parts,
    mask_of,
    padding_mask,
    shown,
    shown_to_all,
    thirds_of_heads,
)
from posproofs.production.transformers_attention import config_of, modeling_of, new_cache

if TYPE_CHECKING:
    from torch import Tensor, dtype

Weights = Mapping[str, "Tensor"]
# Among four rows is an offset that shares the last bucket.
_SIZES = (AttentionSize(4, 2, 2, 2), AttentionSize(3, 3, 3, 2))
_BUCKETS = {"all": 6, "past": 4}
_REACH = 3


def _t5(size: AttentionSize, path: str, kind: dtype, *, sees: Literal["past", "all"]) -> AttentionInstance:
    config = config_of(
        "t5",
        "T5",
        path,
        d_model=size.model,
        d_kv=size.width,
        num_heads=size.heads,
        is_decoder=sees == "past",
        relative_attention_num_buckets=_BUCKETS[sees],
        relative_attention_max_distance=_REACH,
    )
    held = (
        modeling_of("t5")
        .T5Attention(config, has_relative_attention_bias=True, layer_idx=0, is_causal=sees == "past")
        .to(kind)
    )
    form: Literal["added", "shown"] = "added" if path == "eager" else "shown"

    def seen(queries: int, keys: int, hidden: int = 0) -> Tensor:
        if sees == "past":
            return mask_of(shown(queries, keys, hidden=hidden), form)
        return mask_of(shown_to_all(keys, hidden=hidden), form)

    def part(x: Tensor, _positions: Tensor | None, end: int, cache: Any) -> Tensor:
        result: Tensor = held(x, mask=seen(x.shape[1], end), cache=cache)[0]
        return result

    def whole(x: Tensor, positions: Tensor | None) -> Tensor:
        return part(x, positions, x.shape[1], None)

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        return in_parts(partial(part, cache=new_cache()), x, positions, lengths)

    def behind(x: Tensor, hidden: int) -> Tensor:
        result: Tensor = held(x, mask=seen(x.shape[1], x.shape[1], hidden))[0]
        return result[:, hidden:]

    return AttentionInstance(held, whole, (), steps if sees == "past" else None, behind)


def _of_t5(size: AttentionSize, *, sees: Literal["past", "all"]) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        heads = Heads(
            by_head(w["q.weight"], size.heads),
            by_head(w["k.weight"], size.heads),
            by_head(w["v.weight"], size.heads),
            w["o.weight"],
        )
        table = w["relative_attention_bias.weight"]
        adds = bucketed(table, size.rows, buckets=_BUCKETS[sees], reach=_REACH, sees=sees)
        return attention(x, heads, Scheme(sees, 1.0, adds=adds))

    return formula


def _bloom(size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    modeling = modeling_of("bloom")
    config = config_of(
        "bloom",
        "Bloom",
        "eager",
        hidden_size=size.model,
        n_head=size.heads,
        n_layer=1,
        pretraining_tp=1 if path == "eager" else 2,
        slow_but_exact=path == "slow_but_exact",
    )
    held = modeling.BloomAttention(config, layer_idx=0).to(kind)

    def given(x: Tensor, end: int, cache: Any, hidden: int) -> Tensor:
        slopes = modeling.build_alibi_tensor(padding_mask(end, hidden), size.heads, x.dtype)
        mask = mask_of(shown(x.shape[1], end, hidden=hidden), "added")
        result: Tensor = held(x, torch.zeros_like(x), slopes, mask, layer_past=cache)[0]
        return result

    return _with_cache(held, given)


def _mpt(size: AttentionSize, _path: str, kind: dtype) -> AttentionInstance:
    modeling = modeling_of("mpt")
    config = config_of("mpt", "Mpt", "eager", d_model=size.model, n_heads=size.heads, n_layers=1, max_seq_len=16)
    held = modeling.MptAttention(config, layer_idx=0).to(kind)
    slopes = modeling.build_mpt_alibi_tensor(size.heads, 16)

    def given(x: Tensor, end: int, cache: Any, hidden: int) -> Tensor:
        mask = mask_of(shown(x.shape[1], end, hidden=hidden), "blocked")
        result: Tensor = held(x, slopes, cache=cache, attention_mask=mask)[0]
        return result

    return _with_cache(held, given)


def _with_cache(held: Any, given: Any) -> AttentionInstance:
    def part(x: Tensor, _positions: Tensor | None, end: int, cache: Any) -> Tensor:
        result: Tensor = given(x, end, cache, 0)
        return result

    def whole(x: Tensor, _positions: Tensor | None) -> Tensor:
        result: Tensor = given(x, x.shape[1], None, 0)
        return result

    def steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        return in_parts(partial(part, cache=new_cache()), x, positions, lengths)

    def behind(x: Tensor, hidden: int) -> Tensor:
        result: Tensor = given(x, x.shape[1], None, hidden)
        return result[:, hidden:]

    return AttentionInstance(held, whole, (), steps, behind)


def _of_bloom(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        query, key, value = thirds_of_heads(w["query_key_value.weight"], size.heads)
        of_query, of_key, of_value = thirds_of_heads(w["query_key_value.bias"], size.heads)
        heads = Heads(query, key, value, w["dense.weight"], of_query, of_key, of_value, w["dense.bias"])
        return attention(x, heads, Scheme("past", adds=alibi(size.heads)))

    return formula


def _of_mpt(size: AttentionSize) -> Formula:
    def formula(w: Weights, x: Tensor, _positions: Tensor | None) -> Tensor:
        query, key, value = heads_of_thirds(w["Wqkv.weight"], size.heads)
        heads = Heads(query, key, value, w["out_proj.weight"])
        return attention(x, heads, Scheme("past", adds=alibi(size.heads)))

    return formula


def counting(
    name: str,
    scheme: str,
    sees: Literal["past", "all"],
    make: Any,
    formula: Any,
    *,
    sizes: tuple[AttentionSize, ...] = _SIZES,
    **more: Any,
) -> AttentionSubject:
    """A subject that counts its rows."""
    return AttentionSubject(
        name=f"transformers.{name}",
        package="transformers",
        convention=AttentionConvention(scheme, "counted", sees),
        sizes=sizes,
        make=make,
        formula=formula,
        **more,
    )


_ONE: tuple[str, ...] = ("eager",)
SUBJECTS = (
    counting(
        "t5.encoder.attention",
        "a bias for each bucket of offsets",
        "all",
        partial(_t5, sees="all"),
        partial(_of_t5, sees="all"),
        through="input",
    ),
    counting(
        "t5.decoder.attention",
        "a bias for each bucket of offsets",
        "past",
        partial(_t5, sees="past"),
        partial(_of_t5, sees="past"),
        through="input",
    ),
    counting("bloom.attention", "alibi", "past", _bloom, _of_bloom, paths=("eager", "slow_but_exact")),
    counting("mpt.attention", "alibi", "past", _mpt, _of_mpt, paths=_ONE),
)
