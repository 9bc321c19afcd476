"""An adapter only reorders arguments and axes: its source has no arithmetic, and the library does all the turning."""

import ast
from importlib import import_module
from pathlib import Path

import pytest
import torch

from posproofs.errors import UnknownName
from posproofs.laws import ROTARY_LAWS, Subject, examine, law
from posproofs.laws.calling import pattern, rotated
from posproofs.production import SUBJECTS, chosen, installed, subject
from posproofs.production.loading import quietly
from tests.repo.sources import ROOT, name_of

ADAPTERS = sorted((ROOT / "posproofs" / "production").glob("*_*.py"))
ADAPTERS = [path for path in ADAPTERS if not path.name.startswith("__")]
# What an adapter may ask of torch and of a tensor: moving, selecting and counting, nothing that changes a number but a
# cast to the dtype of x.
MOVES = {
    "arange",
    "buffers",
    "cat",
    "chunk",
    "eval",
    "expand",
    "eye",
    "get",
    "items",
    "load_state_dict",
    "permute",
    "removeprefix",
    "to",
    "transpose",
    "view",
    "zeros",
    "zeros_like",
}
# Calls of the libraries, of the emitted table, and of our own declarations.
LIBRARIES = {
    "BertAttention",
    "BloomAttention",
    "CohereConfig",
    "CohereRotaryEmbedding",
    "DeepseekV2Config",
    "DeepseekV2RotaryEmbedding",
    "DeepseekV3Config",
    "DeepseekV3RotaryEmbedding",
    "DisentangledSelfAttention",
    "DynamicCache",
    "Embedding",
    "FalconModel",
    "FunnelAttentionStructure",
    "FunnelConfig",
    "FunnelRelMultiheadAttention",
    "GPT2Attention",
    "GPTJAttention",
    "GPTJRotaryEmbedding",
    "GPTNeoXConfig",
    "GPTNeoXRotaryEmbedding",
    "LlamaConfig",
    "LlamaModel",
    "LlamaRotaryEmbedding",
    "ModuleDict",
    "MptAttention",
    "MultiheadAttention",
    "ParakeetEncoderAttention",
    "ParakeetEncoderConfig",
    "ParakeetEncoderRelPositionalEncoding",
    "Qwen2VLRotaryEmbedding",
    "Qwen2VLTextConfig",
    "RelPartialLearnableMultiHeadAttn",
    "RelPositionalEncoding",
    "RoFormerSinusoidalPositionalEmbedding",
    "RotaryEmbedding",
    "SwinAttention",
    "T5Attention",
    "TransformerEncoderLayer",
    "VitsAttention",
    "Wav2Vec2BertSelfAttention",
    "Wav2Vec2ConformerConfig",
    "Wav2Vec2ConformerRelPositionalEmbedding",
    "Wav2Vec2ConformerSelfAttention",
    "XLNetConfig",
    "XLNetModel",
    "apply_rotary_emb",
    "apply_rotary_pos_emb",
    "apply_rotary_position_embeddings",
    "build_alibi_tensor",
    "build_mpt_alibi_tensor",
    "build_relative_position",
    "create_sinusoidal_positions",
    "create_weight",
    "get_1d_rotary_pos_embed",
    "get_position_embeds",
    "rel_attn_core",
    "relative_positional_encoding",
    "rotate_queries_or_keys",
}
ROTARY = tuple(one for one in SUBJECTS if isinstance(one, Subject))


class _Unannotated(ast.NodeTransformer):
    """Leaves out annotations: `Tensor | None` computes nothing."""

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        node.annotation = ast.Name("object")
        return node


def arithmetic(source: str) -> list[str]:
    """Every operator and every call in this source that could change a number."""
    found = []
    for node in ast.walk(_Unannotated().visit(ast.parse(source))):
        if isinstance(node, ast.BinOp | ast.AugAssign):
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            found += [] if name in MOVES | LIBRARIES else [f"line {node.lineno}: {ast.unparse(node.func)}"]
        if isinstance(node, ast.Import | ast.ImportFrom) and {"math", "numpy"} & {a.name for a in node.names}:
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("path", ADAPTERS, ids=name_of)
def test_an_adapter_computes_nothing(path: Path) -> None:
    assert arithmetic(path.read_text()) == []


def test_there_are_adapters_to_check() -> None:
    assert [path.stem for path in ADAPTERS] == [
        "diffusers_rotary",
        "espnet_scores",
        "pytorch_transformers_scores",
        "rotary_embedding_torch",
        "torch_attention",
        "torch_onnx",
        "transformers_attention",
        "transformers_models",
        "transformers_plain_attention",
        "transformers_relative_attention",
        "transformers_rotary",
        "transformers_row_attention",
        "transformers_scores",
        "x_transformers_rotary",
    ]


@pytest.mark.parametrize(
    "planted", ["y = x * 2", "y += 1", "y = -x", "y = x.cos()", "y = torch.flip(x, [0])", "import math", "y = x @ w"]
)
def test_planted_arithmetic_is_found(planted: str) -> None:
    assert len(arithmetic(planted)) == 1


# Where each subject's library turns a tensor, and what leaves it as it is.
_MODELS = "transformers.models"
IDENTITIES = {
    "torch.onnx.interleaved": ("torch.onnx.ops", "rotary_embedding", lambda x, *_tables, **_flags: x),
    "torch.onnx.half-split": ("torch.onnx.ops", "rotary_embedding", lambda x, *_tables, **_flags: x),
    "transformers.llama": (f"{_MODELS}.llama.modeling_llama", "apply_rotary_pos_emb", lambda q, k, *_tables: (q, k)),
    "transformers.gpt_neox": (
        f"{_MODELS}.gpt_neox.modeling_gpt_neox",
        "apply_rotary_pos_emb",
        lambda q, k, *_t: (q, k),
    ),
    "transformers.gptj": (f"{_MODELS}.gptj.modeling_gptj", "apply_rotary_pos_emb", lambda x, *_tables: x),
    "transformers.roformer": (
        f"{_MODELS}.roformer.modeling_roformer",
        "RoFormerSelfAttention",
        type("Unturned", (), {"apply_rotary_position_embeddings": staticmethod(lambda _rows, q, k: (q, k))}),
    ),
    "transformers.deepseek_v3": (
        f"{_MODELS}.deepseek_v3.modeling_deepseek_v3",
        "apply_rotary_pos_emb_interleave",
        lambda q, k, *_tables: (q, k),
    ),
    "rotary-embedding-torch.rotate": (
        "rotary_embedding_torch.rotary_embedding_torch",
        "apply_rotary_emb",
        lambda _freqs, t, **_options: t,
    ),
    "transformers.cohere": (f"{_MODELS}.cohere.modeling_cohere", "apply_rotary_pos_emb", lambda q, k, *_tables: (q, k)),
    "transformers.deepseek_v2": (
        f"{_MODELS}.deepseek_v2.modeling_deepseek_v2",
        "apply_rotary_emb",
        lambda q, k, _table: (q, k),
    ),
    "transformers.qwen2_vl": (
        f"{_MODELS}.qwen2_vl.modeling_qwen2_vl",
        "apply_rotary_pos_emb",
        lambda q, k, *_tables: (q, k),
    ),
    "transformers.vjepa2": (f"{_MODELS}.vjepa2.modeling_vjepa2", "rotate_queries_or_keys", lambda x, _positions: x),
    "x-transformers.rotary": ("x_transformers.x_transformers", "apply_rotary_pos_emb", lambda x, *_angles: x),
    "diffusers.rotary_1d": ("diffusers.models.embeddings", "apply_rotary_emb", lambda x, _tables, **_flags: x),
    "rotary-embedding-torch.apply": ("rotary_embedding_torch", "apply_rotary_emb", lambda _freqs, t: t),
}


def test_every_subject_has_an_identity() -> None:
    assert sorted(IDENTITIES) == sorted(one.name for one in ROTARY)


@pytest.mark.parametrize("one", ROTARY, ids=lambda one: one.name)
def test_with_the_library_replaced_by_the_identity_laws_break(one: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, identity = IDENTITIES[one.name]
    monkeypatch.setattr(quietly(module), attribute, identity)
    assert examine(law("rotary.position"), one).broken
    assert examine(law("rotary.formula"), one).broken


@pytest.mark.parametrize("one", ROTARY, ids=lambda one: one.name)
def test_positions_reach_the_library_in_the_declared_dtype_and_shape(one: Subject) -> None:
    """Batch, heads and rows of different sizes; an output of the shape and dtype of x; position 0 leaves x alone."""
    width = one.widths[1]
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = pattern(2, 3, 4, width.head, dtype=dtype)
        y = rotated(one, one.make(width), x, torch.tensor([0, 5, 0, 7]))
        assert (y.shape, y.dtype) == (x.shape, x.dtype)
        if one.convention.reads == one.convention.writes:
            assert torch.equal(y[:, :, 0], x[:, :, 0])
        assert not torch.equal(y[:, :, 1], x[:, :, 1])


@pytest.mark.parametrize("one", ROTARY, ids=lambda one: one.name)
def test_a_subject_declares_what_laws_need(one: Subject) -> None:
    assert one.widths == tuple(sorted(one.widths))
    assert any(width.rotary >= 4 for width in one.widths)
    assert all(0 < width.rotary <= width.head and width.rotary % 2 == 0 for width in one.widths)
    assert installed(one) is not None


def test_the_widths_of_the_comparison_are_declared() -> None:
    """d in {2, 4, 64, 96, 128} and a partial width, taken together and by layout."""
    for layout in ("interleaved", "half-split"):
        widths = {w for one in ROTARY if one.convention.reads == layout for w in one.widths}
        assert {2, 4, 64, 96, 128} <= {w.head for w in widths if w.head == w.rotary}
        assert any(w.rotary < w.head for w in widths)


def test_subjects_are_chosen_by_globs_in_the_order_of_the_table() -> None:
    assert [one.name for one in chosen(("*deepseek*", "torch.onnx.*"))] == [
        "torch.onnx.interleaved",
        "torch.onnx.half-split",
        "transformers.deepseek_v3",
        "transformers.deepseek_v2",
    ]
    assert chosen(("*",)) == SUBJECTS
    assert chosen() == SUBJECTS
    with pytest.raises(UnknownName, match=r"did you mean transformers\.llama"):
        chosen(("transformers.lama",))
    with pytest.raises(UnknownName, match=r"did you mean transformers\.gptj"):
        subject("transformers.gpt")


def test_a_width_of_two_is_refused_by_the_released_class() -> None:
    """Why its declared widths begin at 4. Should this stop, the widths are to be extended."""
    library = import_module("rotary_embedding_torch")
    with pytest.raises(ZeroDivisionError):
        library.RotaryEmbedding(dim=2)


def test_the_onnx_operator_still_refuses_gradients() -> None:
    """Why rotary.vjp is not asked of it. Should this stop, the declaration is to be removed."""
    found = examine(law("rotary.vjp"), subject("torch.onnx.interleaved"))
    assert found.ran == 0
    assert "no autograd formula was registered" in found.reasons[0]


def test_deepseek_writes_halves_and_that_is_no_fault() -> None:
    """R(0) is a permutation, not the identity; the scores are right."""
    one = subject("transformers.deepseek_v3")
    assert isinstance(one, Subject)
    assert not examine(law("rotary.gram"), one).broken
    assert one.convention.writes != one.convention.reads


def test_the_module_of_positions_merges_those_beyond_256_in_bfloat16() -> None:
    """rotary-embedding-torch 0.9.1: positions are made in the dtype of x, and the table is kept."""
    found = {one.id: examine(one, subject("rotary-embedding-torch.rotate")) for one in ROTARY_LAWS[:6]}
    assert found["rotary.position"].witness == {"width": [4, 4], "dtype": "bfloat16", "positions": [256, 257]}
    history = found["rotary.history"].witness
    assert history is not None
    assert history["calls"] == [{"dtype": "bfloat16", "start": 0, "rows": 258, "who": "same"}]
    assert history["probe"] == {"dtype": "float32", "start": 257, "rows": 1, "who": "same"}
