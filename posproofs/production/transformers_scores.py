"""Four-term scores in transformers: XLNet, Funnel, Parakeet, Wav2Vec2-Conformer. Each gives probabilities.

XLNet's core takes heads; the other three are whole modules, whose projections pick query and key (see `reordering`).
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from posproofs.laws import ScoreConvention, ScoreInstance, ScoreRecipe, ScoreSubject, Size
from posproofs.mutants.backend import torch
from posproofs.production.reordering import (
    first_half,
    heads_together,
    in_every_head,
    offsets_before,
    rows_together,
    second_half,
    set_weights,
    side_by_side,
)

if TYPE_CHECKING:
    from torch import Tensor, dtype

_MODELS = "transformers.models"
_SIZES = (Size(1, 2), Size(2, 4), Size(2, 64), Size(3, 8))


def _xlnet(size: Size, kind: dtype, attention: Literal["bi", "uni"]) -> ScoreInstance:
    modeling = import_module(f"{_MODELS}.xlnet.modeling_xlnet")
    config = import_module(f"{_MODELS}.xlnet.configuration_xlnet").XLNetConfig(
        vocab_size=3, d_model=size.model, n_head=size.heads, n_layer=1, d_inner=2, attn_type=attention
    )
    model = modeling.XLNetModel(config).to(kind).eval()
    layer = model.layer[0].rel_attn

    def scores(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        set_weights(layer, r_w_bias=u, r_r_bias=v)
        rows = r if attention == "bi" else offsets_before(r, k.shape[2])
        query, key = q.permute(2, 0, 1, 3), k.permute(2, 0, 1, 3)
        row = rows.transpose(0, 1)[:, None].expand(-1, q.shape[0], -1, -1)
        _output, probabilities = layer.rel_attn_core(query, key, key, row, output_attentions=True)
        shown: Tensor = probabilities.permute(2, 3, 0, 1)
        return shown

    def table(queries: int, keys: int, _called_in: dtype) -> Tensor:
        rows: Tensor = model.relative_positional_encoding(queries, keys)
        return rows[:, 0]

    return ScoreInstance(scores, table if attention == "bi" else None)


def _funnel(size: Size, kind: dtype, algorithm: Literal["relative_shift", "factorized"]) -> ScoreInstance:
    modeling = import_module(f"{_MODELS}.funnel.modeling_funnel")
    config = import_module(f"{_MODELS}.funnel.configuration_funnel").FunnelConfig(
        block_sizes=[1], d_model=size.model, n_head=size.heads, d_head=size.width, attention_type=algorithm
    )
    module = modeling.FunnelRelMultiheadAttention(config, 0).to(kind).eval()
    structure = modeling.FunnelAttentionStructure(config).eval()
    eye = torch.eye(size.model, dtype=kind)
    nothing = torch.zeros(size.model, dtype=kind)
    set_weights(module, q_head__weight=eye, k_head__weight=eye, k_head__bias=nothing)
    set_weights(module, r_kernel=eye.view(-1, size.heads, size.width))

    def given(q: Tensor, k: Tensor, positions: Any, u: Tensor, v: Tensor) -> Tensor:
        set_weights(module, r_w_bias=u, r_r_bias=v)
        query, key = heads_together(q), heads_together(k)
        # No segments, no padding, no token that is kept out of the shift.
        _output, probabilities = module(query, key, key, (positions, None, None, None), output_attentions=True)
        shown: Tensor = probabilities
        return shown

    def shifted(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        return given(q, k, [[rows_together(r)]], u, v)

    def factorized(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        set_weights(module, r_kernel=r.transpose(0, 1))
        return given(q, k, structure.get_position_embeds(q.shape[2], kind, q.device), u, v)

    def table(queries: int, _keys: int, called_in: dtype) -> Tensor:
        rows: Tensor = structure.get_position_embeds(queries, called_in, eye.device)[0][0]
        return rows

    weights = (module.q_head.weight, module.k_head.weight)
    if algorithm == "factorized":
        return ScoreInstance(factorized, None, weights)
    return ScoreInstance(shifted, table, (*weights, module.r_kernel))


def _parakeet(size: Size, kind: dtype) -> ScoreInstance:
    modeling = import_module(f"{_MODELS}.parakeet.modeling_parakeet")
    config = import_module(f"{_MODELS}.parakeet.configuration_parakeet").ParakeetEncoderConfig(
        hidden_size=size.double, num_attention_heads=size.heads, head_dim=size.width, attention_bias=False
    )
    config._attn_implementation = "eager"
    module = modeling.ParakeetEncoderAttention(config, 0).to(kind).eval()
    encoding = modeling.ParakeetEncoderRelPositionalEncoding(config)
    first, second = first_half(size.model, kind), second_half(size.model, kind)
    set_weights(module, q_proj__weight=first, k_proj__weight=second, relative_k_proj__weight=first)

    def scores(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        set_weights(module, bias_u=u, bias_v=v)
        hidden = side_by_side(heads_together(q), heads_together(k))
        # The offset K is no entry of its table.
        rows = side_by_side(rows_together(r[:, 1:])).expand(q.shape[0], -1, -1)
        _output, probabilities = module(hidden, rows)
        shown: Tensor = probabilities
        return shown

    def table(queries: int, _keys: int, called_in: dtype) -> Tensor:
        rows: Tensor = encoding(torch.zeros(1, queries, size.double, dtype=called_in))
        return rows[0]

    weights = (module.q_proj.weight, module.k_proj.weight, module.relative_k_proj.weight, *encoding.buffers())
    return ScoreInstance(scores, table, weights)


def _wav2vec2_conformer(size: Size, kind: dtype) -> ScoreInstance:
    modeling = import_module(f"{_MODELS}.wav2vec2_conformer.modeling_wav2vec2_conformer")
    config = import_module(f"{_MODELS}.wav2vec2_conformer.configuration_wav2vec2_conformer").Wav2Vec2ConformerConfig(
        hidden_size=size.double,
        num_attention_heads=size.heads,
        position_embeddings_type="relative",
        max_source_positions=64,
    )
    config._attn_implementation = "eager"
    module = modeling.Wav2Vec2ConformerSelfAttention(config).to(kind).eval()
    encoding = modeling.Wav2Vec2ConformerRelPositionalEmbedding(config)
    # Its heads are as wide as query and key together: each keeps the query, or the key, in its first half.
    first, second = first_half(size.width, kind), second_half(size.width, kind)
    pick_query = in_every_head(torch.cat((first, torch.zeros_like(first))), size.heads)
    pick_key = in_every_head(torch.cat((second, torch.zeros_like(second))), size.heads)
    nothing = torch.zeros(size.double, dtype=kind)
    set_weights(module, linear_q__weight=pick_query, linear_k__weight=pick_key, linear_pos__weight=pick_query)
    set_weights(module, linear_q__bias=nothing, linear_k__bias=nothing)

    def scores(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> Tensor:
        set_weights(module, pos_bias_u=side_by_side(u), pos_bias_v=side_by_side(v))
        hidden = heads_together(side_by_side(q, k))
        rows = rows_together(side_by_side(r[:, 1:]))[None]
        _output, probabilities = module(hidden, relative_position_embeddings=rows)
        shown: Tensor = probabilities
        return shown

    def table(queries: int, _keys: int, called_in: dtype) -> Tensor:
        rows: Tensor = encoding(torch.zeros(1, queries, size.double, dtype=called_in))
        return rows[0]

    weights = (module.linear_q.weight, module.linear_k.weight, module.linear_pos.weight)
    return ScoreInstance(scores, table, weights)


SUBJECTS = (
    ScoreSubject(
        name="transformers.xlnet.bi",
        package="transformers",
        convention=ScoreConvention(table="half-split"),
        recipe=ScoreRecipe(),
        sizes=_SIZES,
        make=partial(_xlnet, attention="bi"),
    ),
    ScoreSubject(
        name="transformers.xlnet.uni",
        package="transformers",
        # Beyond the query the shift runs into the next row; the model masks those keys.
        convention=ScoreConvention(region="past"),
        recipe=ScoreRecipe(),
        sizes=_SIZES,
        make=partial(_xlnet, attention="uni"),
    ),
    ScoreSubject(
        name="transformers.funnel.relative_shift",
        package="transformers",
        convention=ScoreConvention(memory="none", table="half-split"),
        # Scores pass through float32 before the softmax, whose result has the dtype of the input.
        recipe=ScoreRecipe(through="float32", table="input"),
        sizes=_SIZES,
        make=partial(_funnel, algorithm="relative_shift"),
    ),
    ScoreSubject(
        name="transformers.funnel.factorized",
        package="transformers",
        convention=ScoreConvention(memory="none", rows="own", table="half-split"),
        recipe=ScoreRecipe(through="float32", table="input"),
        sizes=_SIZES,
        make=partial(_funnel, algorithm="factorized"),
    ),
    ScoreSubject(
        name="transformers.parakeet",
        package="transformers",
        convention=ScoreConvention(memory="none", table="interleaved", first="K-1"),
        recipe=ScoreRecipe(softmax="float32"),
        sizes=_SIZES,
        make=_parakeet,
    ),
    ScoreSubject(
        name="transformers.wav2vec2_conformer",
        package="transformers",
        convention=ScoreConvention(scale="1/sqrt(2d)", memory="none", table="interleaved", first="K-1"),
        recipe=ScoreRecipe(),
        sizes=_SIZES,
        make=_wav2vec2_conformer,
    ),
)
