"""Two subjects whose library ships the same program count once: the programs are told apart by their syntax trees."""

import ast
import hashlib
import textwrap
from functools import cache
from pathlib import Path

from posproofs.production import SUBJECTS
from posproofs.production.loading import quietly

_MODELS = "transformers.models"
_ROTATION = ("rotate_half", "apply_rotary_pos_emb")
_ESPNET = "espnet.nets.pytorch_backend.transformer"
_EAGER = "eager_attention_forward"
# What computes in each subject: functions and classes of its library, by module.
PROGRAMS: dict[str, dict[str, tuple[str, ...]]] = {
    "torch.onnx.interleaved": {"torch.onnx.ops._impl": ("rotary_embedding_23",)},
    "torch.onnx.half-split": {"torch.onnx.ops._impl": ("rotary_embedding_23",)},
    "transformers.llama": {f"{_MODELS}.llama.modeling_llama": ("LlamaRotaryEmbedding", *_ROTATION)},
    "transformers.gpt_neox": {f"{_MODELS}.gpt_neox.modeling_gpt_neox": ("GPTNeoXRotaryEmbedding", *_ROTATION)},
    "transformers.gptj": {
        f"{_MODELS}.gptj.modeling_gptj": ("create_sinusoidal_positions", "rotate_every_two", "apply_rotary_pos_emb")
    },
    "transformers.roformer": {
        f"{_MODELS}.roformer.modeling_roformer": (
            "RoFormerSinusoidalPositionalEmbedding",
            "RoFormerSelfAttention.apply_rotary_position_embeddings",
        )
    },
    "transformers.deepseek_v3": {
        f"{_MODELS}.deepseek_v3.modeling_deepseek_v3": (
            "DeepseekV3RotaryEmbedding",
            "rotate_half",
            "apply_rotary_pos_emb_interleave",
        )
    },
    "transformers.cohere": {f"{_MODELS}.cohere.modeling_cohere": ("CohereRotaryEmbedding", *_ROTATION)},
    "transformers.deepseek_v2": {
        f"{_MODELS}.deepseek_v2.modeling_deepseek_v2": ("DeepseekV2RotaryEmbedding", "apply_rotary_emb")
    },
    "transformers.qwen2_vl": {f"{_MODELS}.qwen2_vl.modeling_qwen2_vl": ("Qwen2VLRotaryEmbedding", *_ROTATION)},
    "transformers.vjepa2": {f"{_MODELS}.vjepa2.modeling_vjepa2": ("rotate_queries_or_keys",)},
    "rotary-embedding-torch.rotate": {
        "rotary_embedding_torch.rotary_embedding_torch": (
            "RotaryEmbedding.rotate_queries_or_keys",
            "RotaryEmbedding.forward",
            "apply_rotary_emb",
            "rotate_half",
        )
    },
    "rotary-embedding-torch.apply": {
        "rotary_embedding_torch.rotary_embedding_torch": (
            "RotaryEmbedding.forward",
            "apply_rotary_emb",
            "rotate_half",
        )
    },
    "x-transformers.rotary": {"x_transformers.x_transformers": ("RotaryEmbedding", *_ROTATION)},
    "diffusers.rotary_1d": {"diffusers.models.embeddings": ("get_1d_rotary_pos_embed", "apply_rotary_emb")},
    "transformers.xlnet.bi": {
        f"{_MODELS}.xlnet.modeling_xlnet": (
            "XLNetRelativeAttention.rel_attn_core",
            "XLNetRelativeAttention.rel_shift_bnij",
        )
    },
    "transformers.xlnet.uni": {
        f"{_MODELS}.xlnet.modeling_xlnet": (
            "XLNetRelativeAttention.rel_attn_core",
            "XLNetRelativeAttention.rel_shift_bnij",
        )
    },
    "transformers.funnel.relative_shift": {
        f"{_MODELS}.funnel.modeling_funnel": ("FunnelRelMultiheadAttention", "_relative_shift_gather")
    },
    # The same class, whose other branch needs no shift.
    "transformers.funnel.factorized": {f"{_MODELS}.funnel.modeling_funnel": ("FunnelRelMultiheadAttention",)},
    "transformers.parakeet": {f"{_MODELS}.parakeet.modeling_parakeet": ("ParakeetEncoderAttention",)},
    "transformers.wav2vec2_conformer": {
        f"{_MODELS}.wav2vec2_conformer.modeling_wav2vec2_conformer": (
            "Wav2Vec2ConformerSelfAttention",
            "_apply_relative_position_encoding",
        )
    },
    "pytorch-transformers.transfo_xl": {
        "pytorch_transformers.modeling_transfo_xl": (
            "RelPartialLearnableMultiHeadAttn",
            "RelMultiHeadAttn._rel_shift",
        )
    },
    "espnet.conformer": {
        f"{_ESPNET}.attention": (
            "RelPositionMultiHeadedAttention",
            "MultiHeadedAttention.forward_qkv",
            "MultiHeadedAttention.forward_attention",
        )
    },
}
PROGRAMS |= {
    "torch.multihead.attention": {
        "torch.nn.modules.activation": ("MultiheadAttention",),
        "torch.nn.functional": ("multi_head_attention_forward",),
    },
    "torch.multihead.causal": {
        "torch.nn.modules.activation": ("MultiheadAttention",),
        "torch.nn.functional": ("multi_head_attention_forward",),
    },
    "torch.encoder_layer": {"torch.nn.modules.transformer": ("TransformerEncoderLayer",)},
    "transformers.bert.attention": {
        f"{_MODELS}.bert.modeling_bert": ("BertAttention", "BertSelfAttention", "BertSelfOutput", _EAGER)
    },
    "transformers.gpt2.attention": {f"{_MODELS}.gpt2.modeling_gpt2": ("GPT2Attention", _EAGER)},
    "transformers.gptj.attention": {f"{_MODELS}.gptj.modeling_gptj": ("GPTJAttention", "GPTJRotaryEmbedding", _EAGER)},
    **{
        f"transformers.{name}.attention": {
            f"{_MODELS}.{name}.modeling_{name}": (f"{prefix}Attention", f"{prefix}RotaryEmbedding", *turning, _EAGER)
        }
        for name, prefix, *turning in (
            ("llama", "Llama", *_ROTATION),
            ("qwen2", "Qwen2", *_ROTATION),
            ("qwen3", "Qwen3", *_ROTATION),
            ("cohere", "Cohere", *_ROTATION),
            ("olmo2", "Olmo2", *_ROTATION),
            ("glm", "Glm", *_ROTATION),
            ("phi", "Phi", *_ROTATION),
            ("gpt_neox", "GPTNeoX", *_ROTATION),
            ("gpt_oss", "GptOss", "_apply_rotary_emb", "apply_rotary_pos_emb"),
        )
    },
    "transformers.t5.encoder.attention": {f"{_MODELS}.t5.modeling_t5": ("T5Attention", _EAGER)},
    "transformers.t5.decoder.attention": {f"{_MODELS}.t5.modeling_t5": ("T5Attention", _EAGER)},
    "transformers.bloom.attention": {f"{_MODELS}.bloom.modeling_bloom": ("BloomAttention", "build_alibi_tensor")},
    "transformers.mpt.attention": {f"{_MODELS}.mpt.modeling_mpt": ("MptAttention", "build_mpt_alibi_tensor")},
    "transformers.deberta.attention": {f"{_MODELS}.deberta.modeling_deberta": ("DisentangledSelfAttention",)},
    "transformers.vits.attention": {f"{_MODELS}.vits.modeling_vits": ("VitsAttention",)},
    "transformers.swin.attention": {
        f"{_MODELS}.swin.modeling_swin": ("SwinAttention", "SwinRelativePositionBias", _EAGER)
    },
    "transformers.parakeet.attention": {f"{_MODELS}.parakeet.modeling_parakeet": ("ParakeetEncoderAttention", _EAGER)},
    "transformers.llama.model": {
        f"{_MODELS}.llama.modeling_llama": ("LlamaModel", "LlamaDecoderLayer", "LlamaAttention")
    },
    "transformers.falcon.model": {
        f"{_MODELS}.falcon.modeling_falcon": (
            "FalconModel",
            "FalconDecoderLayer",
            "FalconAttention",
            "build_alibi_tensor",
        )
    },
}
DISTINCT = 18  # programs that a run covers at least


class _Bare(ast.NodeTransformer):
    """Leaves out docstrings, annotations and the name of a class: they are not the program."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        node.returns = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.body, node.name = _without_docstring(node.body), ""
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if told else body


def digest(source: str) -> str:
    """Of the syntax tree of a definition, without what is not the program."""
    tree = _Bare().visit(ast.parse(textwrap.dedent(source)))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@cache
def program(name: str) -> tuple[str, ...]:
    """The digests of what computes in that subject."""
    found = []
    for module, names in PROGRAMS[name].items():
        for dotted in names:
            found.append(digest(ast.unparse(defined(parsed(module), dotted))))  # noqa: PERF401 - two loops read better
    return tuple(sorted(found))


@cache
def parsed(module: str) -> ast.Module:
    """The syntax tree of a module's file."""
    file = quietly(module).__file__
    assert file is not None
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def defined(tree: ast.Module, dotted: str) -> ast.stmt:
    """The definition of that name; its decorators are not the program."""
    body, found = tree.body, None
    for part in dotted.split("."):
        (found,) = (s for s in body if isinstance(s, ast.FunctionDef | ast.ClassDef) and s.name == part)
        found.decorator_list = []
        body = found.body
    assert found is not None
    return found


def test_every_subject_names_its_program() -> None:
    assert list(PROGRAMS) == [one.name for one in sorted(SUBJECTS, key=lambda one: list(PROGRAMS).index(one.name))]
    assert set(PROGRAMS) == {one.name for one in SUBJECTS}


def test_equal_programs_count_once() -> None:
    by_program: dict[tuple[str, ...], list[str]] = {}
    for one in SUBJECTS:
        by_program.setdefault(program(one.name), []).append(one.name)
    shared = [names for names in by_program.values() if len(names) > 1]
    # The same function with another flag, the same core with a shorter table.
    assert shared == [
        ["torch.onnx.interleaved", "torch.onnx.half-split"],
        ["transformers.xlnet.bi", "transformers.xlnet.uni"],
        # With and without a mask; an encoder and a decoder, which count buckets otherwise.
        ["torch.multihead.attention", "torch.multihead.causal"],
        ["transformers.t5.encoder.attention", "transformers.t5.decoder.attention"],
    ]
    assert len(by_program) >= DISTINCT


def test_a_copy_under_another_name_is_seen_and_a_change_too() -> None:
    plain = "def f(x):\n    return x + 1\n"
    copy = 'def f(x: int) -> int:\n    """Adds."""\n    return x + 1\n'
    assert digest(plain) == digest(copy)
    assert digest(plain) != digest(plain.replace("+", "-"))
    assert digest("class A:\n    def f(self): return 1") == digest("class B:\n    def f(self): return 1")
