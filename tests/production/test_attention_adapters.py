"""The adapters of whole attention: the library does the attending, and what they share changes no number."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from posproofs.errors import Refused
from posproofs.laws import AttentionSubject, examine, law
from posproofs.laws.attention_cases import output, values_of
from posproofs.laws.attention_lengths import LONGEST, lengths
from posproofs.laws.attention_runs import unread
from posproofs.laws.attention_sides import Side, shapes_of
from posproofs.production import SUBJECTS, installed, subject
from posproofs.production.attending import (
    by_head,
    heads_of_thirds,
    in_parts,
    mask_of,
    offsets_of,
    padding_mask,
    shown,
    shown_to_all,
    thirds_of_heads,
)
from posproofs.production.loading import quietly

ATTENTION = tuple(one for one in SUBJECTS if isinstance(one, AttentionSubject))
_MODELS = "transformers.models"
_SELF_ATTENTION = torch.nn.TransformerEncoderLayer._sa_block


def unturned(q: Any, k: Any, *_tables: Any, **_named: Any) -> Any:
    return q, k


def no_turn(x: Any, *_tables: Any) -> Any:
    return x


def unmixed(_module: Any, query: Any, _key: Any, value: Any, *_rest: Any, **_named: Any) -> Any:
    """Each row has its own value, whatever it should see; key heads are shared in turns."""
    rows = query.shape[2]
    groups = query.shape[1] // value.shape[1]
    return value[:, :, -rows:].repeat(1, groups, 1, 1).transpose(1, 2).contiguous(), None


def no_bias(self: Any, rows: int, keys: int, **_named: Any) -> Any:
    return torch.zeros(1, self.n_heads, rows, keys)


def no_slopes(*given: Any, **_named: Any) -> Any:
    mask, heads = (given[0], given[1]) if isinstance(given[0], torch.Tensor) else (torch.ones(1, given[1]), given[0])
    return torch.zeros(heads, 1, mask.shape[-1])


def no_rows(_self: Any, products: Any) -> Any:
    return products[..., : products.shape[-2]]


def nothing(*_given: Any, **_named: Any) -> Any:
    return 0


def _rotary(family: str) -> tuple[str, str, Any, str]:
    return f"{_MODELS}.{family}.modeling_{family}", "apply_rotary_pos_emb", unturned, "attention.formula"


def _eager(family: str, broken: str = "attention.paths") -> tuple[str, str, Any, str]:
    return f"{_MODELS}.{family}.modeling_{family}", "eager_attention_forward", unmixed, broken


# Where each library turns, mixes or adds, what leaves that out, and which law finds it.
IDENTITIES: dict[str, tuple[str, str, Any, str]] = {
    "torch.multihead.attention": (
        "torch.nn.functional",
        "scaled_dot_product_attention",
        lambda _q, _k, v, *_r, **_n: v,
        "attention.paths",
    ),
    "torch.multihead.causal": (
        "torch.nn.functional",
        "scaled_dot_product_attention",
        lambda _q, _k, v, *_r, **_n: v,
        "attention.paths",
    ),
    "torch.encoder_layer": (
        "torch.nn.modules.transformer:TransformerEncoderLayer",
        "_sa_block",
        lambda self, x, *rest, **named: _SELF_ATTENTION(self, x, *rest, **named).roll(1, 1),
        "attention.permutation",
    ),
    "transformers.bert.attention": _eager("bert"),
    "transformers.gpt2.attention": _eager("gpt2"),
    "transformers.gptj.attention": (
        f"{_MODELS}.gptj.modeling_gptj",
        "rotate_every_two",
        no_turn,
        "attention.formula",
    ),
    **{f"transformers.{name}.attention": _rotary(name) for name in ("llama", "qwen2", "qwen3", "cohere", "olmo2")},
    **{f"transformers.{name}.attention": _rotary(name) for name in ("glm", "phi", "gpt_neox", "gpt_oss")},
    "transformers.t5.encoder.attention": (
        f"{_MODELS}.t5.modeling_t5:T5Attention",
        "compute_bias",
        no_bias,
        "attention.formula",
    ),
    "transformers.t5.decoder.attention": (
        f"{_MODELS}.t5.modeling_t5:T5Attention",
        "compute_bias",
        no_bias,
        "attention.formula",
    ),
    "transformers.bloom.attention": (
        f"{_MODELS}.bloom.modeling_bloom",
        "build_alibi_tensor",
        no_slopes,
        "attention.formula",
    ),
    "transformers.mpt.attention": (
        f"{_MODELS}.mpt.modeling_mpt",
        "build_mpt_alibi_tensor",
        no_slopes,
        "attention.formula",
    ),
    "transformers.deberta.attention": (
        f"{_MODELS}.deberta.modeling_deberta:DisentangledSelfAttention",
        "disentangled_att_bias",
        nothing,
        "attention.formula",
    ),
    "transformers.vits.attention": (
        f"{_MODELS}.vits.modeling_vits:VitsAttention",
        "_relative_position_to_absolute_position",
        no_rows,
        "attention.formula",
    ),
    "transformers.swin.attention": (
        f"{_MODELS}.swin.modeling_swin:SwinRelativePositionBias",
        "forward",
        lambda self: torch.zeros(1, 1, self.window_area, self.window_area),
        "attention.formula",
    ),
    "transformers.parakeet.attention": (
        f"{_MODELS}.parakeet.modeling_parakeet:ParakeetEncoderAttention",
        "_rel_shift",
        no_rows,
        "attention.same",
    ),
    "transformers.llama.model": _eager("llama"),
    "transformers.falcon.model": (
        f"{_MODELS}.falcon.modeling_falcon:FalconAttention",
        "_merge_heads",
        lambda self, x: x.reshape(1, -1, self.num_heads * self.head_dim),
        "attention.causal",
    ),
}


def small(one: AttentionSubject) -> AttentionSubject:
    return replace(one, sizes=one.sizes[:1])


def test_every_subject_has_an_identity() -> None:
    assert sorted(IDENTITIES) == sorted(one.name for one in ATTENTION)


@pytest.mark.parametrize("one", ATTENTION, ids=lambda one: one.name)
def test_with_a_part_of_the_library_left_out_a_law_breaks(
    one: AttentionSubject, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, attribute, identity, broken = IDENTITIES[one.name]
    module, _, owner = place.partition(":")
    loaded = quietly(module)
    monkeypatch.setattr(getattr(loaded, owner) if owner else loaded, attribute, identity)
    found = examine(law(broken), small(one))
    assert found.broken, (found.error, found.reasons, found.proof)
    assert found.proof is not None
    assert found.proof.status != "proved"


@pytest.mark.parametrize("one", ATTENTION, ids=lambda one: one.name)
def test_a_subject_declares_what_laws_need(one: AttentionSubject) -> None:
    """Sizes in which a transposed axis is seen; every parameter is read, but those that are declared not to be."""
    assert installed(one) is not None
    first = one.sizes[0]
    assert first.rows != first.heads or first.heads != first.width
    assert first.heads > 1
    assert set(unread(one, first)) == set(one.unread)
    assert shapes_of(one, first)


@pytest.mark.parametrize("one", ATTENTION, ids=lambda one: one.name)
def test_outputs_have_the_declared_shape_in_each_dtype(one: AttentionSubject) -> None:
    size = one.sizes[-1]
    values = values_of(one, {"size": size.listed, "seed": 2})
    for path in one.paths:
        for dtype in one.dtypes:
            given = output(one, size, Side(path), values, dtype=dtype)
            assert given.shape == (size.rows, size.model)
            assert not bool(given.isnan().any())


ONE_PROGRAM = (
    "torch.multihead.attention",
    "transformers.llama.attention",
    "transformers.gpt2.attention",
    "transformers.t5.decoder.attention",
    "transformers.bloom.attention",
)


@pytest.mark.parametrize("name", ONE_PROGRAM)
def test_for_which_lengths_the_graph_is_the_same(name: str) -> None:
    one = subject(name)
    assert isinstance(one, AttentionSubject)
    assert lengths(one, one.paths[0]) == (2, LONGEST)


@pytest.mark.parametrize("name", ["transformers.vits.attention", "transformers.parakeet.attention"])
def test_where_the_graph_depends_on_the_length(name: str) -> None:
    """The window of VITS pads or cuts, and the shift of Parakeet wants two rows: hence their sizes."""
    one = subject(name)
    assert isinstance(one, AttentionSubject)
    with pytest.raises(Refused, match="no export for every length"):
        lengths(one, one.paths[0])


def test_what_is_known_of_falcon_is_that_eager_counts_alibi_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """With half of the slopes eager gives what sdpa gives with all. Should this stop, known.toml is to follow."""
    one = subject("transformers.falcon.model")
    assert isinstance(one, AttentionSubject)
    size = one.sizes[0]
    values = values_of(one, {"size": size.listed, "seed": 0})
    eager, fused = (output(one, size, Side(path), values, dtype="float64") for path in ("eager", "sdpa"))
    assert float((eager - fused).abs().max()) > 1e-5
    modeling = quietly(f"{_MODELS}.falcon.modeling_falcon")
    whole = modeling.build_alibi_tensor
    monkeypatch.setattr(modeling, "build_alibi_tensor", lambda *given, **named: whole(*given, **named) / 2)
    halved = output(one, size, Side("eager"), values, dtype="float64")
    assert float((halved - fused).abs().max()) < 1e-12


def test_what_sdpa_gives_in_falcon_is_its_formula() -> None:
    """So of the two paths it is eager that is not; and that the bias is added before scores are scaled is proved."""
    one = subject("transformers.falcon.model")
    assert isinstance(one, AttentionSubject)
    fused, plain = (examine(law("attention.formula"), replace(one, paths=(path,))) for path in ("sdpa", "eager"))
    assert fused.proof is not None
    assert (fused.broken, fused.proof.status) == (False, "proved")
    assert plain.broken


def test_what_is_known_of_bloom_is_that_slices_leave_the_bias_out() -> None:
    one = subject("transformers.bloom.attention")
    assert isinstance(one, AttentionSubject)
    size = one.sizes[0]
    values = values_of(one, {"size": size.listed, "seed": 0})
    plain, sliced = (output(one, size, Side(path), values, dtype="float32") for path in one.paths)
    assert torch.allclose(plain - values["dense.bias"], sliced, atol=1e-6)


def test_masks_show_the_past_and_hide_padding() -> None:
    assert shown(2, 3)[0, 0].tolist() == [[True, True, False], [True, True, True]]
    assert shown(3, 3, hidden=1)[0, 0].tolist() == [[True, False, False], [False, True, False], [False, True, True]]
    assert shown_to_all(3, hidden=1)[0, 0].tolist() == [[True, True, True], [False, True, True], [False, True, True]]
    assert padding_mask(3, 1).tolist() == [[0, 1, 1]]
    seen = shown(2, 2)
    assert torch.equal(mask_of(seen, "blocked"), ~seen)
    added = mask_of(seen, "added")[0, 0]
    assert added.tolist() == [[0.0, torch.finfo(torch.float32).min], [0.0, 0.0]]


def test_parts_come_in_order_with_their_positions() -> None:
    x, positions = torch.arange(6.0).reshape(1, 3, 2), torch.tensor([5.0, 7.0, 9.0])
    told = []

    def part(rows: torch.Tensor, at: torch.Tensor | None, end: int) -> torch.Tensor:
        told.append((rows.shape[1], None if at is None else at.tolist(), end))
        return rows

    assert torch.equal(in_parts(part, x, positions, (2, 1)), x)
    assert told == [(2, [5.0, 7.0], 2), (1, [9.0], 3)]
    assert torch.equal(in_parts(part, x, None, (1, 1, 1)), x)


def test_heads_are_taken_apart_without_a_change() -> None:
    weight = torch.arange(2.0 * 3 * 4 * 5).reshape(24, 5)
    by = by_head(weight, 2)
    assert by.shape == (2, 12, 5)
    assert by_head(None, 2) is None
    query, key, value = thirds_of_heads(weight, 2)
    assert torch.equal(torch.cat((query[0], key[0], value[0], query[1], key[1], value[1])), weight)
    query, key, value = heads_of_thirds(weight, 2)
    assert torch.equal(torch.cat((query, key, value)).flatten(0, 1), weight)
    assert offsets_of(3) == 5
