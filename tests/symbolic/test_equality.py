"""prove_equal: equal, equal up to something that is named, different at a point of the functions, or undecided."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import posproofs
from posproofs import Contradiction, UnknownName, prove_equal
from posproofs.symbolic import equality, execution

FREQUENCIES = (1.0, 0.01)
X, P = torch.ones(2, 3, 4), torch.arange(3.0)


def half_split(x: Tensor, positions: Tensor) -> Tensor:
    """The usual text of released code, with frequencies in float32."""
    frequencies = 10000.0 ** (-torch.arange(0, 4, 2).float() / 4)
    angles = positions[:, None] * frequencies
    cos, sin = (torch.cat((wave, wave), dim=-1) for wave in (angles.cos(), angles.sin()))
    return x * cos + torch.cat((-x[..., 2:], x[..., :2]), dim=-1) * sin


def attention(q: Tensor, k: Tensor) -> Tensor:
    return torch.softmax(q @ k.transpose(-1, -2) / 2, dim=-1)


def fused(q: Tensor, k: Tensor) -> Tensor:
    return torch.nn.functional.scaled_dot_product_attention(q, k, torch.eye(3))


def test_two_ways_of_attention_are_equal() -> None:
    one = torch.ones(3, 4)
    found = prove_equal(attention, fused, inputs=(one, one))
    assert found
    assert found.certificate is not None
    assert found.text.startswith(
        "Equal, over the reals, for all q and k; at q (3, 4), k (3, 4); for the graphs that torch "
    )
    assert found.text.endswith(
        "Not covered: other shapes, rounding, and kernels that Torch may run in place of the exported program."
    )


def test_one_tensor_in_two_places_stands_for_two_inputs() -> None:
    one = torch.ones(3, 4)
    found = prove_equal(lambda q, k: q @ k.T, lambda q, _k: q @ q.T, inputs=(one, one))
    assert found.status == "refuted"


def test_a_scale_that_is_off_by_a_thousandth_is_refuted_at_a_small_point() -> None:
    one = torch.ones(3, 4)

    def wrong(q: Tensor, k: Tensor) -> Tensor:
        return torch.softmax(q @ k.transpose(-1, -2) / 2.002, dim=-1)

    found = prove_equal(attention, wrong, inputs=(one, one))
    assert not found
    assert found.text == (
        "Not equal: at q[0,3] = 1, k[2,3] = 1, the rest 0, entry 0 of the outputs is 0.274069 and 0.27413."
    )
    assert found.point == {"q[0,3]": 1.0, "k[2,3]": 1.0}


def test_an_id_of_the_catalogue_stands_for_what_is_emitted_from_it() -> None:
    right = prove_equal(half_split, "rotary.rotate.half_split", inputs=(X, P), frequencies=FREQUENCIES)
    assert right
    assert "for all x, positions and frequencies" in right.text
    other = prove_equal(half_split, "rotary.rotate", inputs=(X, P), frequencies=FREQUENCIES)
    assert other.status == "refuted"
    with pytest.raises(UnknownName, match=r"did you mean rotary\.rotate"):
        prove_equal(half_split, "rotary.rotat", inputs=(X, P))


def moved(x: Tensor, positions: Tensor) -> Tensor:
    return half_split(x[..., [0, 2, 1, 3]], positions)


def turned_back(x: Tensor, positions: Tensor) -> Tensor:
    return half_split(x, -positions)


def mirrored(x: Tensor, positions: Tensor) -> Tensor:
    """The angle reversed and the second members negated, which is a reflection of every pair."""
    signs = torch.tensor([1.0, 1.0, -1.0, -1.0])
    return half_split(x * signs, positions)


RELATIONS: list[tuple[Callable[..., Tensor], Callable[..., Tensor], str, str]] = [
    (moved, posproofs.emit("rotary.rotate"), "permutation", "the order [0, 2, 1, 3] of the last axis"),
    (mirrored, turned_back, "sign", "the signs +, +, -, - of the last axis"),
    (lambda x, p: half_split(x, p) / 2**0.5, half_split, "scale", "the factor 1/2*sqrt(2)"),
    (lambda x, p: half_split(x, p) * -3, half_split, "scale", "the factor -3"),
]


@pytest.mark.parametrize(("one", "other", "up_to", "words"), RELATIONS, ids=[words for *_, words in RELATIONS])
def test_a_relation_is_found_and_proved(
    one: Callable[..., Tensor], other: Callable[..., Tensor], up_to: str, words: str
) -> None:
    asked = {"inputs": (X, P), "frequencies": FREQUENCIES}
    found = prove_equal(one, other, up_to=up_to, **asked)  # type: ignore[arg-type]
    assert found, found.text
    assert found.relation == words
    assert prove_equal(one, other, **asked).status == "refuted"  # type: ignore[arg-type]


@pytest.mark.parametrize("up_to", ["permutation", "sign", "scale"])
def test_what_is_in_no_relation_is_undecided(up_to: str) -> None:
    found = prove_equal(half_split, lambda x, _p: x * x, inputs=(X, P), up_to=up_to)  # type: ignore[arg-type]
    assert (found.status, found.text) == ("undecided", f"Undecided: no {up_to} was found that fits at a random point.")


def test_a_relation_that_fits_at_one_point_only_is_no_proof() -> None:
    """|x| is x where the random point lies, and not elsewhere."""
    found = prove_equal(torch.abs, lambda x: x * 1, inputs=(torch.ones(2, 3),), up_to="sign")
    assert found.status == "undecided"


def test_shapes_that_differ_are_not_equal() -> None:
    found = prove_equal(lambda x: x @ x.T, lambda x: x, inputs=(torch.ones(2, 3),))
    assert found.text == "Not equal: outputs of shape [(2, 2)] against [(2, 3)]."


def test_what_has_no_rule_is_undecided_with_its_place() -> None:
    found = prove_equal(lambda x: x.sort().values, lambda x: x, inputs=(torch.ones(2, 3),))
    assert found.status == "undecided"
    assert found.text.startswith("Undecided: no rule for aten.sort")
    assert "test_equality.py" in found.text


def test_integers_stay_data() -> None:
    places = torch.tensor([2, 0])
    found = prove_equal(lambda x, at: x[at], lambda x, _at: x.flip(0)[::2], inputs=(torch.ones(3, 2), places))
    assert found
    assert "for all x; at x (3, 2), at = [2, 0]" in found.text


def test_where_floats_overflow_nothing_is_refuted() -> None:
    found = prove_equal(lambda x: (x * 1e30) ** 2, lambda x: (x * 1e30) ** 2 * 2, inputs=(torch.ones(2),))
    assert found.text == "Undecided: the functions give [inf, inf] at a point where their graphs differ."


def test_an_unknown_relation_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean scale"):
        prove_equal(half_split, half_split, inputs=(X, P), up_to="scales")  # type: ignore[arg-type]


def test_a_refutation_that_does_not_repeat_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong rule is planted: what is added is subtracted."""
    monkeypatch.setattr(equality, "execute", planted(execution.execute))
    with pytest.raises(Contradiction, match="agree at the point"):
        prove_equal(lambda x: x * 2, lambda x: x + x, inputs=(torch.ones(2),))


def planted(execute: Callable[..., tuple[list[Any], Any]]) -> Callable[..., tuple[list[Any], Any]]:
    count = iter(range(2))

    def wrong(traced: object, program: object, given: list[Any], **options: object) -> tuple[list[Any], Any]:
        found, record = execute(traced, program, given, **options)
        return (given if next(count) else found), record

    return wrong
