"""What the outputs of each shipped subject show is what its adapter declares; and of other outputs that is not said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from posproofs import production
from posproofs.engine.kinds import shipped
from posproofs.engine.kinds.shipped import identified
from posproofs.laws import AnySubject, AttentionSubject, ScoreSubject
from posproofs.laws.attention_cases import output, values_of
from posproofs.laws.attention_formulas import alibi, four_terms, rotary
from posproofs.laws.attention_sides import Side
from posproofs.laws.layer_formulas import feed_forward, gated
from posproofs.production import (
    torch_attention,
    transformers_attention,
    transformers_models,
    transformers_plain_attention,
    transformers_row_attention,
)

NO_ROTATION = "transformers.vjepa2"  # a released function that is none
# Where a path gives another output than the formula of the scheme; known.toml has them.
BESIDE = {
    "transformers.bloom.attention": "; by eager, not by slow_but_exact",
    "transformers.falcon.model": "; by sdpa, not by eager",
}
OWN_ROWS = "transformers.funnel.factorized"
WHOLE = tuple(one for one in production.SUBJECTS if isinstance(one, AttentionSubject))


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("subject", production.SUBJECTS, ids=lambda one: one.name)
def test_the_declared_convention_is_read(subject: AnySubject) -> None:
    if subject.name == NO_ROTATION:
        assert identified(subject).startswith("unidentified: position 1: ")
    else:
        assert identified(subject).startswith(str(subject.convention))


@pytest.mark.parametrize("subject", WHOLE, ids=lambda one: one.name)
def test_a_path_that_gives_another_output_is_named(subject: AttentionSubject) -> None:
    assert identified(subject) == f"{subject.convention}{BESIDE.get(subject.name, '')}"


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("torch.multihead.causal", "torch.multihead.attention"),
        ("transformers.cohere.attention", "transformers.llama.attention"),
        ("transformers.glm.attention", "transformers.llama.attention"),
        ("transformers.qwen3.attention", "transformers.llama.attention"),
        ("transformers.olmo2.attention", "transformers.llama.attention"),
        ("transformers.t5.encoder.attention", "transformers.t5.decoder.attention"),
    ],
)
def test_with_the_formula_of_another_it_is_not_named(name: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other formula is one over the same parameters, so it gives outputs, and they are others."""
    one, another = production.subject(name), production.subject(other)
    assert isinstance(one, AttentionSubject)
    assert isinstance(another, AttentionSubject)
    exchanged = replace(one, formula=another.formula)
    values = values_of(one, {"size": one.sizes[0].listed, "seed": 0})
    assert output(exchanged, one.sizes[0], Side("", "formula"), values, dtype="float64").isfinite().all()
    monkeypatch.setattr(production, "SUBJECTS", (exchanged,))
    assert not identified(one)


def norm_last(norm: Any, *parts: Any) -> Any:
    return lambda x: norm(x + sum(part(x) for part in parts))


def in_sequence(norm: Any, *parts: Any) -> Any:
    def made(x: Any) -> Any:
        for part in parts:
            x = x + part(norm(x))
        return x

    return made


# A formula is made of these each time that it is asked, so one of them is exchanged for what another paper has.
OTHER_PARTS: list[tuple[str, Any, str, Callable[..., Any]]] = [
    ("torch.encoder_layer", torch_attention, "residual", norm_last),
    (
        "torch.encoder_layer",
        torch_attention,
        "feed_forward",
        lambda one, other, _relu, **biases: feed_forward(one, other, torch.nn.functional.gelu, **biases),
    ),
    (
        "transformers.gptj.attention",
        transformers_plain_attention,
        "rotary",
        lambda at, waves, _layout: rotary(at, waves, "half-split"),
    ),
    ("transformers.olmo2.attention", transformers_attention, "of_all_heads", lambda _norm: lambda x: x),
    (
        "transformers.parakeet.attention",
        transformers_row_attention,
        "four_terms",
        lambda rows, of_rows, u, v: four_terms(rows, of_rows, v, u),
    ),
    (
        "transformers.parakeet.attention",
        transformers_row_attention,
        "four_terms",
        lambda rows, of_rows, u, v: four_terms(rows.flip(0), of_rows, u, v),
    ),
    (
        "transformers.llama.model",
        transformers_models,
        "rotary",
        lambda at, waves, _layout: rotary(at, waves, "interleaved"),
    ),
    ("transformers.llama.model", transformers_models, "rotary", lambda *_given: lambda x: x),
    (
        "transformers.llama.model",
        transformers_models,
        "gated",
        lambda gate, inward, outward: gated(inward, gate, outward),
    ),
    ("transformers.falcon.model", transformers_models, "alibi", lambda heads, scale: alibi(heads, scale=-scale)),
    ("transformers.falcon.model", transformers_models, "alibi", lambda heads, **_scale: alibi(heads)),
    ("transformers.falcon.model", transformers_models, "residual", in_sequence),
]


@pytest.mark.parametrize(("name", "module", "part", "other"), OTHER_PARTS)
def test_with_another_part_in_its_formula_it_is_not_named(
    name: str, module: Any, part: str, other: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = production.subject(name)
    assert identified(one)
    monkeypatch.setattr(module, part, other)
    assert isinstance(one, AttentionSubject)
    values = values_of(one, {"size": one.sizes[0].listed, "seed": 0})
    assert output(one, one.sizes[0], Side("", "formula"), values, dtype="float64").isfinite().all()
    assert not identified(one)


def own_rows(**changed: Any) -> ScoreSubject:
    one = production.subject(OWN_ROWS)
    assert isinstance(one, ScoreSubject)
    return replace(one, convention=replace(one.convention, **changed))


def test_the_table_of_own_rows_is_read() -> None:
    """Its layout, and the scale, whatever is declared; the base is the declared one or none."""
    words = identified(own_rows())
    assert words == f"{own_rows().convention}; its table half-split, base 10000"
    assert identified(own_rows(table="interleaved", scale="none", memory="any", region="past")) == words
    assert not identified(own_rows(base=100.0))


def test_own_rows_of_another_layout_are_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "LAYOUTS", ("interleaved",))
    assert not identified(own_rows())
