"""A wrong attention as something that laws can be run on: a module that holds its parameters, two paths, a cache."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from posproofs.laws.attended import AttentionConvention, AttentionInstance, AttentionSize, AttentionSubject, Formula
from posproofs.laws.attention_formulas import Heads, attention, looked_up, offsets, rotary
from posproofs.laws.attention_formulas import Scheme as Declared
from posproofs.mutants.attended import REACH, Kept, Shape, Steps, attend, parameters
from posproofs.mutants.attention import AttentionMutant
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor, dtype

# Grouped heads in the one, two pairs in the other: what each is for stands in `posproofs.symbolic.shapes`.
SIZES = (AttentionSize(3, 4, 2, 2), AttentionSize(3, 2, 2, 4))
PATHS = ("plain", "second")


def attending(mutant: AttentionMutant, sizes: tuple[AttentionSize, ...] = SIZES) -> AttentionSubject:
    """The mutant as a subject. A scheme without positions sees all rows, the others see the past."""
    positions = {"rotary": "real", "offsets": "counted", "none": "none"}[mutant.scheme]
    words = {"rotary": "rotary, half-split", "offsets": "a bias for each offset", "none": "no bias"}[mutant.scheme]
    return AttentionSubject(
        name=f"mutant.{mutant.name}",
        package="posproofs",
        convention=AttentionConvention(words, positions, "all" if mutant.scheme == "none" else "past"),  # type: ignore[arg-type]
        sizes=sizes,
        make=partial(_made, mutant),
        paths=PATHS,
        through="input",
        formula=partial(_formula, mutant),
        twin=None if mutant.twin is None else ("another library", partial(_twin, mutant)),
    )


def _made(mutant: AttentionMutant, size: AttentionSize, path: str, kind: dtype) -> AttentionInstance:
    return _instance(mutant, mutant.paths[PATHS.index(path)], size, kind)


def _twin(mutant: AttentionMutant, size: AttentionSize, kind: dtype) -> AttentionInstance:
    assert mutant.twin is not None
    return _instance(mutant, mutant.twin, size, kind)


def _shape(size: AttentionSize) -> Shape:
    return Shape(size.heads, size.key_heads, size.width)


def _instance(mutant: AttentionMutant, steps: Steps, size: AttentionSize, kind: dtype) -> AttentionInstance:
    shapes = parameters(_shape(size), mutant.scheme)
    held = torch.nn.ParameterDict({name: torch.zeros(shape, dtype=kind) for name, shape in shapes.items()})
    # Read from the module at each call: an export puts its own tensors there for a while.
    step = partial(attend, steps, cast("Mapping[str, Tensor]", held), shape=_shape(size))

    def call(x: Tensor, positions: Tensor | None) -> Tensor:
        return step(x[0], _in(x, positions))[0][None]

    def behind(x: Tensor, hidden: int) -> Tensor:
        return step(x[0], None, hidden=hidden)[0][None, hidden:]

    def in_steps(x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
        outputs: list[Tensor] = []
        kept: Kept | None = None
        start = 0
        for length in lengths:
            at = None if positions is None else mutant.places(_in(x, positions)[start : start + length], start)
            given, kept = step(x[0, start : start + length], at, kept=kept)
            kept, start = mutant.keeps(kept), start + length
            outputs.append(given)
        return torch.cat(outputs)[None]

    ordered = mutant.scheme != "none"
    return AttentionInstance(
        held, call, (), in_steps if ordered else None, behind if mutant.scheme == "offsets" else None
    )


def _in(x: Tensor, positions: Tensor | None) -> Tensor:
    return positions if positions is None else positions.to(x.dtype)  # type: ignore[return-value]


def _formula(mutant: AttentionMutant, size: AttentionSize) -> Formula:
    def formula(w: Mapping[str, Tensor], x: Tensor, positions: Tensor | None) -> Tensor:
        heads = Heads(
            w["query"].reshape(size.heads, size.width, -1),
            w["key"].reshape(size.key_heads, size.width, -1),
            w["value"].reshape(size.key_heads, size.width, -1),
            w["out"],
            out_bias=w["out_bias"],
        )
        scheme = Declared(
            "all" if mutant.scheme == "none" else "past",
            turns=None if positions is None else rotary(_in(x, positions), w["theta"], "half-split"),
            adds=looked_up(w["table"], offsets(size.rows).clamp(-REACH, REACH) + REACH) if "table" in w else None,
        )
        return attention(x, heads, scheme)

    return formula
