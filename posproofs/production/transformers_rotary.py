"""Rotary embeddings of transformers: Llama, GPT-NeoX, GPT-J, RoFormer, Cohere, DeepSeek-V2 and -V3, Qwen2-VL, V-JEPA 2.

Tensors are (batch, head, row, coordinate) except for GPT-J, which has rows before heads. The functions rotate a query
and a key at once; here both are x, and the query is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from posproofs.laws import Convention, Instance, Recipe, Subject, Width
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

_MODELS = "transformers.models"
_FULL = (Width(2, 2), Width(4, 4), Width(64, 64), Width(96, 96), Width(128, 128))
# float32 frequencies by pow, float32 angles and cosines, cast to the dtype of x before they are multiplied.
_FLOAT32 = Recipe("power", "float32", ("input",), "input")
# Qwen2-VL splits the pairs between the axes time, height and width; text has equal positions on all three.
_SECTIONS = {2: [1, 0, 0], 4: [1, 1, 0], 64: [8, 12, 12], 96: [12, 18, 18], 128: [16, 24, 24]}


def _module_and_function(
    module: Callable[..., tuple[Tensor, Tensor]], apply: Callable[..., tuple[Tensor, Tensor]]
) -> Callable[[Tensor, Tensor], Tensor]:
    """The pattern of most models: a module gives cosines and sines, a function rotates query and key with them."""

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        cos, sin = module(x, positions[None].expand(x.shape[0], -1))
        query, _key = apply(x, x, cos, sin)
        return query

    return rotate


def _llama(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.llama.modeling_llama")
    config = import_module(f"{_MODELS}.llama.configuration_llama").LlamaConfig(
        hidden_size=width.head, num_attention_heads=1, head_dim=width.head, max_position_embeddings=131073
    )
    module = modeling.LlamaRotaryEmbedding(config)
    return Instance(_module_and_function(module, modeling.apply_rotary_pos_emb), tuple(module.buffers()))


def _gpt_neox(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.gpt_neox.modeling_gpt_neox")
    config = import_module(f"{_MODELS}.gpt_neox.configuration_gpt_neox").GPTNeoXConfig(
        hidden_size=width.head, num_attention_heads=1, rotary_pct=0.25, max_position_embeddings=131073
    )
    module = modeling.GPTNeoXRotaryEmbedding(config)
    return Instance(_module_and_function(module, modeling.apply_rotary_pos_emb), tuple(module.buffers()))


def _deepseek_v3(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.deepseek_v3.modeling_deepseek_v3")
    config = import_module(f"{_MODELS}.deepseek_v3.configuration_deepseek_v3").DeepseekV3Config(
        qk_rope_head_dim=width.head, max_position_embeddings=131073
    )
    module = modeling.DeepseekV3RotaryEmbedding(config)
    return Instance(_module_and_function(module, modeling.apply_rotary_pos_emb_interleave), tuple(module.buffers()))


def _cohere(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.cohere.modeling_cohere")
    config = import_module(f"{_MODELS}.cohere.configuration_cohere").CohereConfig(
        hidden_size=width.head, num_attention_heads=1, max_position_embeddings=131073
    )
    module = modeling.CohereRotaryEmbedding(config)
    return Instance(_module_and_function(module, modeling.apply_rotary_pos_emb), tuple(module.buffers()))


def _deepseek_v2(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.deepseek_v2.modeling_deepseek_v2")
    config = import_module(f"{_MODELS}.deepseek_v2.configuration_deepseek_v2").DeepseekV2Config(
        qk_rope_head_dim=width.head, max_position_embeddings=131073
    )
    module = modeling.DeepseekV2RotaryEmbedding(config)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        turned: tuple[Tensor, Tensor] = modeling.apply_rotary_emb(x, x, module(x, positions[None]))
        return turned[0]

    return Instance(rotate, tuple(module.buffers()))


def _qwen2_vl(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.qwen2_vl.modeling_qwen2_vl")
    config = import_module(f"{_MODELS}.qwen2_vl.configuration_qwen2_vl").Qwen2VLTextConfig(
        hidden_size=width.head,
        num_attention_heads=1,
        num_key_value_heads=1,
        max_position_embeddings=131073,
        rope_parameters={"rope_type": "default", "rope_theta": 1000000.0, "mrope_section": _SECTIONS[width.head]},
    )
    module = modeling.Qwen2VLRotaryEmbedding(config)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        time_height_width = positions[None, None].expand(3, x.shape[0], -1)
        query, _key = modeling.apply_rotary_pos_emb(x, x, *module(x, time_height_width))
        turned: Tensor = query
        return turned

    return Instance(rotate, tuple(module.buffers()))


def _gpt_j(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.gptj.modeling_gptj")
    table = modeling.create_sinusoidal_positions(_GPT_J_LIMIT, width.rotary)

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        # As GPTJAttention does: take the rows of the table, split sine from cosine, rotate rotary_dim, pass the rest.
        rows = table[positions[None].expand(x.shape[0], -1)].to(x.dtype)
        sin, cos = rows.chunk(2, dim=-1)
        by_row = x.transpose(1, 2)
        turned = modeling.apply_rotary_pos_emb(by_row[..., : width.rotary], sin, cos)
        return torch.cat((turned, by_row[..., width.rotary :]), dim=-1).transpose(1, 2)

    return Instance(rotate, (table,))


@cache
def _roformer_table(width: int) -> Tensor:
    modeling = import_module(f"{_MODELS}.roformer.modeling_roformer")
    table: Tensor = modeling.RoFormerSinusoidalPositionalEmbedding(_ROFORMER_LIMIT, width).create_weight()
    return table


def _roformer(width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.roformer.modeling_roformer")
    module = modeling.RoFormerSinusoidalPositionalEmbedding(_ROFORMER_LIMIT, width.head)
    table = _roformer_table(width.head)
    module.load_state_dict({"weight": table})

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        # The table of a model in bfloat16 is cast with its other weights.
        rows = module(x.shape[:2], position_ids=positions)[None, None].to(x.dtype)
        turned: tuple[Tensor, Tensor] = modeling.RoFormerSelfAttention.apply_rotary_position_embeddings(rows, x, x)
        return turned[0]

    return Instance(rotate, (module.weight,))


_GPT_J_LIMIT = 2048  # n_positions of GPT-J 6B
_ROFORMER_LIMIT = 1536  # max_position_embeddings of the released models


def _vjepa2(_width: Width) -> Instance:
    modeling = import_module(f"{_MODELS}.vjepa2.modeling_vjepa2")
    return Instance(modeling.rotate_queries_or_keys)


SUBJECTS = (
    Subject(
        name="transformers.llama",
        package="transformers",
        convention=Convention("half-split", "half-split"),
        recipe=_FLOAT32,
        widths=_FULL,
        make=_llama,
    ),
    Subject(
        name="transformers.gpt_neox",
        package="transformers",
        convention=Convention("half-split", "half-split"),
        recipe=_FLOAT32,
        widths=(Width(8, 2), Width(16, 4), Width(96, 24), Width(128, 32), Width(256, 64)),
        make=_gpt_neox,
    ),
    Subject(
        name="transformers.gptj",
        package="transformers",
        convention=Convention("interleaved", "interleaved"),
        recipe=_FLOAT32,
        widths=(Width(2, 2), Width(4, 4), Width(8, 4), Width(96, 96), Width(128, 128), Width(256, 64)),
        make=_gpt_j,
        limit=_GPT_J_LIMIT,
    ),
    Subject(
        name="transformers.roformer",
        package="transformers",
        convention=Convention("interleaved", "interleaved"),
        # The table is made in float64 by NumPy and stored in float32.
        recipe=Recipe("power", "float64", ("float32", "input"), "input"),
        widths=(Width(2, 2), Width(4, 4), Width(64, 64)),
        make=_roformer,
        limit=_ROFORMER_LIMIT,
    ),
    Subject(
        name="transformers.deepseek_v3",
        package="transformers",
        # Pairs are read interleaved and written as halves: scores of query and key do not see it.
        convention=Convention("interleaved", "half-split"),
        recipe=_FLOAT32,
        widths=_FULL,
        make=_deepseek_v3,
    ),
    Subject(
        name="transformers.cohere",
        package="transformers",
        convention=Convention("interleaved", "interleaved", base=500000.0),
        # Cosines are cast to the dtype of x, then everything is float32.
        recipe=Recipe("power", "float32", ("input",), "float32"),
        widths=_FULL,
        make=_cohere,
    ),
    Subject(
        name="transformers.deepseek_v2",
        package="transformers",
        convention=Convention("interleaved", "interleaved"),
        # Complex multiplication in float32.
        recipe=Recipe("power", "float32", (), "float32"),
        widths=_FULL,
        make=_deepseek_v2,
    ),
    Subject(
        name="transformers.qwen2_vl",
        package="transformers",
        # In its reduction to one axis: equal positions in time, height and width.
        convention=Convention("half-split", "half-split", base=1000000.0),
        recipe=_FLOAT32,
        widths=_FULL,
        make=_qwen2_vl,
    ),
    Subject(
        name="transformers.vjepa2",
        package="transformers",
        # Pairs are interleaved; a head of 64 has three parts of 20, each turned by its own axis, and the model calls
        # this for each. Its table is laid out for halves, so the laws fail from two pairs on: see known.toml.
        convention=Convention("interleaved", "interleaved"),
        # Everything is computed in the dtype of x.
        recipe=Recipe("power", "input", ("input",), "input"),
        widths=(Width(2, 2), Width(4, 4), Width(20, 20)),
        make=_vjepa2,
        dtypes=("float32", "float64"),
    ),
)
