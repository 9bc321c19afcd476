"""The scheme that was read of somebody's attention: in words, and as the formula that its laws compare it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

from posproofs.engine.kinds.attention_calls import Attend
from posproofs.engine.kinds.attention_reading import NotAttention, Read, read
from posproofs.laws.attended import AttentionSize
from posproofs.laws.attention_formulas import Scheme, alibi, rotary
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

_NEAR = 2**-16  # relative, of a scale that is read from probabilities in float32
_BIASES = {
    "": "no bias",
    "alibi": "alibi",
    "offsets": "a bias for each offset",
    "pairs": "a bias for each pair of rows",
}


def scheme_of(
    attend: Attend, *, heads: int, key_heads: int, width: int, places: Callable[[int], Tensor | None]
) -> tuple[Read | None, str]:
    """How its scores are made, or why that cannot be said."""
    try:
        found = read(attend, heads=heads, key_heads=key_heads, width=width, at=places)
    except NotAttention as refused:
        return None, str(refused)
    except Exception as failed:  # noqa: BLE001 - code of others
        return None, said(failed)
    if not found.linear:
        return None, "scores are not linear in q and k"
    if found.turned is not None and found.turned.convention is None:
        return None, f"q and k are turned by their positions, and {str(found.turned).removeprefix('unidentified: ')}"
    return found, ""


def said(failed: Exception) -> str:
    """What the code raised, in one line."""
    return f"{type(failed).__name__}: {next(iter(str(failed).splitlines()), '')}"


def in_words(scheme: Read | None, width: int) -> str:
    """The scheme as a convention names it."""
    if scheme is None:
        return "unidentified"
    words = [] if scheme.turned is None else [str(scheme.turned.convention)]
    if scheme.turned is not None and scheme.turned.turning is not None:
        turning = scheme.turned.turning
        words += [f"{turning.rotary_dim} of {width} turn"] if turning.rotary_dim < width else []
    words += [_BIASES[scheme.bias]] if scheme.bias or not words else []
    if not _is_root(scheme, width):
        plain = abs(scheme.scale - 1) < _NEAR
        words.append("unscaled" if plain else f"scale {scheme.scale:.6g} at width {width}")
    return ", ".join([*words, *(["a sink"] if scheme.sink else [])])


def has_formula(scheme: Read) -> bool:
    """Whether the formula of its scheme is written down: biases of ALiBi, a rotation of the first coordinates."""
    if scheme.bias not in ("", "alibi") or scheme.sink:
        return False
    if scheme.turned is None:
        return True
    turned = scheme.turned.convention
    assert turned is not None, "scheme_of refuses it"
    plain = isinstance(turned.reads, str) and turned.reads == turned.writes and not turned.first
    return plain and abs(turned.magnitude - 1) < _NEAR


def declared(scheme: Read, size: AttentionSize, sees: Literal["past", "all"], where: Tensor) -> Scheme:
    """What it says that the scores are, for rows at these positions."""
    return Scheme(
        sees,
        scale=None if _is_root(scheme, size.width) else scheme.scale,
        turns=None if scheme.turned is None else _turns(scheme, where),
        adds=alibi(size.heads) if scheme.bias == "alibi" else None,
    )


def _is_root(scheme: Read, width: int) -> bool:
    return bool(abs(scheme.scale * width**0.5 - 1) < _NEAR)


def _turns(scheme: Read, positions: Tensor) -> Callable[[Tensor], Tensor]:
    assert scheme.turned is not None, "the caller asks"
    convention = scheme.turned.convention
    assert convention is not None, "scheme_of refuses it"
    assert isinstance(convention.reads, str), "has_formula asks for a layout"
    # The sign is that of the angle, so that a proof reads the frequencies as those of the code.
    return rotary(convention.sign * positions, torch.tensor(_speeds(scheme), dtype=positions.dtype), convention.reads)


def _speeds(scheme: Read) -> tuple[float, ...]:
    assert scheme.turned is not None, "the caller asks"
    assert scheme.turned.turning is not None, "scheme_of refuses it"
    turning = scheme.turned.turning
    return turning.declared.turning(turning.rotary_dim)


def waves(
    schemes: Mapping[int, Read], positions: Literal["real", "whole", "counted", "none"]
) -> Callable[[AttentionSize], tuple[float, ...]] | None:
    """The frequencies at a width, where a proof may take them as symbols; None where it turns nothing, or counts."""
    turns = bool(schemes) and all(scheme.turned is not None for scheme in schemes.values())
    return partial(_waves, schemes) if turns and positions in ("real", "whole") else None


def _waves(schemes: Mapping[int, Read], size: AttentionSize) -> tuple[float, ...]:
    return _speeds(schemes[size.width])
