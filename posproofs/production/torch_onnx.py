"""torch.onnx.ops.rotary_embedding: the ONNX operator RotaryEmbedding, version 23, that Torch ships and runs eagerly.

The operator takes the caller's tables of cosines and sines, one row for each position that position_ids may name. The
caller here fills them with the emitted table, so what is under test is the operator: pairing, direction, partial width,
the look-up by position_ids.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from posproofs.emit import emit
from posproofs.laws import Convention, Instance, Recipe, Subject, Width
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout

if TYPE_CHECKING:
    from torch import Tensor

_WIDTHS = (Width(2, 2), Width(4, 4), Width(8, 4), Width(64, 64), Width(96, 96), Width(128, 64), Width(128, 128))


def _make(width: Width, layout: Layout) -> Instance:
    operator = import_module("torch.onnx.ops").rotary_embedding
    table = emit("rotary.rotate", to="torch", layout=layout).table

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        # The rows of the cache stand in the order of the positions that are asked for, and position_ids count them.
        cos, sin = table(positions, dim=width.rotary, base=10000.0)
        ids = torch.arange(x.shape[-2]).expand(x.shape[0], -1)
        kind = layout == "interleaved"
        partial_width = {} if width.rotary == width.head else {"rotary_embedding_dim": width.rotary}
        turned: Tensor = operator(x, cos.to(x.dtype), sin.to(x.dtype), ids, interleaved=kind, **partial_width)
        return turned

    return Instance(rotate)


def _subject(layout: Layout) -> Subject:
    return Subject(
        name=f"torch.onnx.{layout}",
        package="torch",
        convention=Convention(layout, layout),
        recipe=Recipe("rounded", "float32", ("input",), "input"),
        widths=_WIDTHS,
        make=partial(_make, layout=layout),
        gradient="refused",
    )


SUBJECTS = (_subject("interleaved"), _subject("half-split"))
