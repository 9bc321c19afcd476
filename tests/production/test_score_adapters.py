"""The adapters of scores: the library does all the scoring, and what reorders its arguments changes no number."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from posproofs.laws import ScoreSubject, Size, examine, law
from posproofs.laws.score_calls import leveled, scored, tokens
from posproofs.mutants.four_terms import scores
from posproofs.production import SUBJECTS, installed, subject
from posproofs.production.loading import quietly
from posproofs.production.reordering import (
    first_half,
    heads_together,
    in_every_head,
    memory_and_present,
    offsets_before,
    rows_together,
    second_half,
    set_weights,
    side_by_side,
)

SCORES = tuple(one for one in SUBJECTS if isinstance(one, ScoreSubject))
_MODELS = "transformers.models"


def unmoved(products: torch.Tensor, *_rest: Any, **_options: Any) -> torch.Tensor:
    """In place of a shift: the first columns as they are."""
    return products


def first_columns(products: torch.Tensor, klen: int = -1, *_rest: Any) -> torch.Tensor:
    return products[..., :klen]


def without_offsets(_module: Any, query: torch.Tensor, key: torch.Tensor, _rows: Any) -> tuple[torch.Tensor, Any]:
    return query, torch.zeros(1, 1, query.shape[2], key.shape[2], dtype=query.dtype)


def without_positions(_self: Any, _rows: Any, query: torch.Tensor, keys: int, *_rest: Any) -> torch.Tensor:
    return torch.zeros(1, 1, query.shape[1], keys, dtype=query.dtype)


# Where each library moves its products to their offsets, or adds them, and what leaves that out.
IDENTITIES: dict[str, tuple[str, str, Any]] = {
    "transformers.xlnet.bi": (
        f"{_MODELS}.xlnet.modeling_xlnet:XLNetRelativeAttention",
        "rel_shift_bnij",
        staticmethod(first_columns),
    ),
    "transformers.xlnet.uni": (
        f"{_MODELS}.xlnet.modeling_xlnet:XLNetRelativeAttention",
        "rel_shift_bnij",
        staticmethod(first_columns),
    ),
    "transformers.funnel.relative_shift": (
        f"{_MODELS}.funnel.modeling_funnel",
        "_relative_shift_gather",
        first_columns,
    ),
    "transformers.funnel.factorized": (
        f"{_MODELS}.funnel.modeling_funnel:FunnelRelMultiheadAttention",
        "relative_positional_attention",
        without_positions,
    ),
    "transformers.parakeet": (
        f"{_MODELS}.parakeet.modeling_parakeet:ParakeetEncoderAttention",
        "_rel_shift",
        staticmethod(unmoved),
    ),
    "transformers.wav2vec2_conformer": (
        f"{_MODELS}.wav2vec2_conformer.modeling_wav2vec2_conformer",
        "_apply_relative_position_encoding",
        without_offsets,
    ),
    "pytorch-transformers.transfo_xl": (
        "pytorch_transformers.modeling_transfo_xl:RelMultiHeadAttn",
        "_rel_shift",
        staticmethod(unmoved),
    ),
    "espnet.conformer": (
        "espnet.nets.pytorch_backend.transformer.attention:RelPositionMultiHeadedAttention",
        "rel_shift",
        staticmethod(lambda products: products[..., : products.shape[-2]]),
    ),
}


def test_every_subject_has_an_identity() -> None:
    assert sorted(IDENTITIES) == sorted(one.name for one in SCORES)


@pytest.mark.parametrize("one", SCORES, ids=lambda one: one.name)
def test_with_the_shift_replaced_by_the_identity_laws_break(one: ScoreSubject, monkeypatch: pytest.MonkeyPatch) -> None:
    place, attribute, identity = IDENTITIES[one.name]
    module, _, owner = place.partition(":")
    loaded = quietly(module)
    monkeypatch.setattr(getattr(loaded, owner) if owner else loaded, attribute, identity)
    assert examine(law("transformer_xl.gather"), one).broken
    assert examine(law("transformer_xl.four_terms"), one).broken


@pytest.mark.parametrize("one", SCORES, ids=lambda one: one.name)
def test_arguments_reach_the_library_in_the_declared_shape(one: ScoreSubject) -> None:
    """Batch, heads, queries and keys of different sizes; each row of probabilities adds up to 1."""
    size = Size(3, 8)
    for dtype in one.dtypes:
        start = 2 if one.convention.memory == "any" else 0
        sequence = tokens(one, size, 6, batch=2, seed=3)
        given = scored(one.make(size, getattr(torch, dtype)), sequence.part(one, 0, start, 6), dtype)
        assert given.shape == (2, 3, 6 - start, 6)
        assert given.dtype == getattr(torch, dtype)
        assert torch.allclose(given.sum(dim=-1), torch.ones((), dtype=given.dtype), atol=1e-5)


@pytest.mark.parametrize("one", SCORES, ids=lambda one: one.name)
def test_a_subject_declares_what_laws_need(one: ScoreSubject) -> None:
    assert one.sizes == tuple(sorted(one.sizes))
    assert any(size.heads > 1 for size in one.sizes)
    assert installed(one) is not None


def test_a_memory_that_the_library_does_not_take_is_declared() -> None:
    """Their modules score one sequence against itself. Should one of them learn more, the declaration is to follow."""
    takes = {one.name for one in SCORES if one.convention.memory == "any"}
    assert takes == {"transformers.xlnet.bi", "transformers.xlnet.uni", "pytorch-transformers.transfo_xl"}


def test_beyond_the_query_xlnet_uni_gives_garbage() -> None:
    """Why its region ends at the query: with every pair asked, the law of the row is broken."""
    one = subject("transformers.xlnet.uni")
    assert isinstance(one, ScoreSubject)
    everywhere = replace(one, convention=replace(one.convention, region="all"))
    found = examine(law("transformer_xl.gather"), everywhere)
    assert found.broken
    assert not examine(law("transformer_xl.gather"), one).broken


def test_both_algorithms_of_funnel_come_to_the_same() -> None:
    """The shifted form with the library's own rows, and the factorised form: transformer_xl.factorised."""
    shifted, factorized = subject("transformers.funnel.relative_shift"), subject("transformers.funnel.factorized")
    assert isinstance(shifted, ScoreSubject)
    assert isinstance(factorized, ScoreSubject)
    size, length = Size(2, 4), 7
    sequence = tokens(factorized, size, length, batch=2, seed=1)
    q, k, weights, u, v = sequence.part(factorized, 0, 0, length)
    instance = shifted.make(size, torch.float64)
    assert instance.table is not None
    rows = torch.einsum("td,hdc->htc", instance.table(length, length, torch.float64), weights)
    one = leveled(shifted, scored(instance, (q, k, rows, u, v), "float64"))
    other = leveled(factorized, scored(factorized.make(size, torch.float64), (q, k, weights, u, v), "float64"))
    # Their scores pass through float32 on the way to the softmax.
    assert torch.allclose(one, other, atol=2e-6, rtol=0)
    exact = torch.log_softmax(scores(q, k, rows, u, v) / 2, dim=-1)
    assert torch.allclose(one, exact, atol=2e-6, rtol=0)


def test_a_mask_of_two_axes_is_broadcast_along_the_wrong_ones() -> None:
    """Why the adapter of the original passes three axes. Should this stop, the comment is to go."""
    modeling = quietly("pytorch_transformers.modeling_transfo_xl")
    torch.manual_seed(0)
    module = modeling.RelPartialLearnableMultiHeadAttn(2, 8, 4, dropout=0.0, output_attentions=True).eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    hidden, rows = torch.randn(3, 3, 8), torch.randn(3, 1, 8)
    mask = torch.ones(3, 3, dtype=torch.bool).triu(1)
    with torch.no_grad():
        _output, right = module(hidden, rows, attn_mask=mask[:, :, None])
        _output, wrong = module(hidden, rows, attn_mask=mask)
    assert float(right[0, 1:].abs().max()) == 0.0
    assert float(wrong[0, 1:].abs().max()) > 0.01


def test_reordering_keeps_every_number() -> None:
    x = torch.arange(2.0 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    together = heads_together(x)
    assert together.shape == (2, 4, 15)
    assert torch.equal(together.reshape(2, 4, 3, 5).transpose(1, 2), x)
    assert torch.equal(rows_together(x[0]).reshape(4, 3, 5).transpose(0, 1), x[0])
    assert torch.equal(side_by_side(x, x)[..., 5:], x)
    assert torch.equal(side_by_side(x)[..., :5], x)
    assert not bool(side_by_side(x)[..., 5:].any())
    memory, present = memory_and_present(x, x[:, :, :3])
    assert (memory.shape[2], present.shape[2]) == (1, 3)
    assert torch.equal(torch.cat((memory, present), dim=2), x)
    assert torch.equal(offsets_before(x[0], 2), x[0, :, :3])


def test_the_projections_pick_and_nothing_else() -> None:
    q, k = torch.arange(1.0, 4), torch.arange(4.0, 7)
    both = side_by_side(q, k)
    assert torch.equal(first_half(3, torch.float32) @ both, q)
    assert torch.equal(second_half(3, torch.float32) @ both, k)
    block = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert in_every_head(block, 2).tolist() == [[1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 1, 2], [0, 0, 3, 4]]
    for matrix in (first_half(3, torch.float32), second_half(3, torch.float32)):
        assert sorted(matrix.flatten().tolist()) == [0.0] * 15 + [1.0] * 3


def test_weights_are_set_by_name_and_shape() -> None:
    inner, holder = torch.nn.Linear(2, 3), torch.nn.Module()
    holder.inner = inner
    value = torch.ones(3, 2)
    set_weights(inner, weight=value)
    assert torch.equal(inner.weight, value)
    set_weights(holder, inner__weight=2 * value)
    assert torch.equal(inner.weight, 2 * value)
    with pytest.raises(ValueError, match=r"inner__weight has the shape \(3, 2\), saw \(2, 3\)"):
        set_weights(holder, inner__weight=value.T)
