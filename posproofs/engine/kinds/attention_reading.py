"""What an attention does, read from its outputs: which keys a row sees, and how scores are made.

Where the values are unit vectors the output is the row of probabilities, and their logarithms are the scores up to one
constant for each query. Queries and keys that are unit vectors then show one entry of the bilinear form at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from posproofs.engine.kinds.attention_calls import Attend
from posproofs.identify import Identified, identify
from posproofs.laws.attention_formulas import alibi_slopes
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

ROWS = 5
FARTHEST = 131072
COUNTED = 64  # rows of one call in which counted positions are read
# How far off a logarithm of a probability near 1/5 can be, where the softmax is computed in float64 and in float32.
NEAR = {"float64": 2.0**-40, "float32": 2.0**-16}


class NotAttention(Exception):
    """The outputs are not those of an attention; the first thing that showed it."""


@dataclass(frozen=True, slots=True)
class Read:
    """How scores are made. scale: what q.k is multiplied by. bias: "" if none is added. turned: q and k by position.

    linear: whether scores are linear in q and k; where not, nothing more is said of them.
    """

    scale: float
    bias: Literal["", "alibi", "offsets", "pairs"] = ""
    sink: bool = False
    turned: Identified | None = None
    linear: bool = True


def probabilities(attend: Attend, q: Tensor, k: Tensor, positions: Tensor | None = None) -> Tensor:
    """p (batch, heads, queries, keys), as many keys at a time as a value has coordinates."""
    keys, width = k.shape[2], k.shape[3]
    parts = []
    for start in range(0, keys, width):
        v = torch.zeros_like(k)
        for n in range(min(width, keys - start)):
            v[:, :, start + n, n] = 1.0
        parts.append(attend(q, k, v, positions)[..., : min(width, keys - start)])
    return torch.cat(parts, dim=-1)


def read(attend: Attend, *, heads: int, key_heads: int, width: int, at: Callable[[int], Tensor | None]) -> Read:
    """How scores are made, at a few rows in float64. at: positions for that many rows. Raises NotAttention."""
    q = torch.zeros(1, heads, ROWS, width, dtype=torch.float64)
    k = torch.zeros(1, key_heads, ROWS, width, dtype=torch.float64)
    resting = probabilities(attend, q, k, at(ROWS))
    near = NEAR["float32" if torch.equal(resting.float().double(), resting) else "float64"]
    _check_mixture(attend, resting, k, at(ROWS), near)
    bias = _bias(resting, near)
    form = _form(attend, q, k, at(ROWS), near)
    sink = bool((resting.sum(dim=-1) < 1 - near).any())
    if form is None:
        return Read(0.0, bias, sink, linear=False)
    scale = float(form[0, 0, 0, 0])
    plain = torch.eye(width, dtype=torch.float64)[:, :, None, None] * scale
    if bool(((form - plain).abs() < near * max(1.0, abs(scale))).all()):
        return Read(scale, bias, sink)
    farthest = FARTHEST if at(1) is not None else COUNTED - 2
    turned = identify(_as_rotation(attend, heads, key_heads, at), dim=width, farthest=farthest)
    if at(1) is None and turned.turning is not None:  # there the key stands before the query
        turned = replace(turned, turning=replace(turned.turning, sign=-turned.turning.sign))
    return Read(float(width**-0.5), bias, sink, turned)


def _check_mixture(attend: Attend, p: Tensor, k: Tensor, positions: Tensor | None, near: float) -> None:
    """The output is the sum of the values with these weights, and no weight is negative."""
    if not bool(p.isfinite().all()) or bool((p < 0).any()) or bool((p.sum(dim=-1) > 1 + near).any()):
        raise NotAttention("the weights of the values are no probabilities")
    q = k.new_zeros(k.shape[0], p.shape[1], *k.shape[2:])
    v = torch.arange(k.numel(), dtype=torch.float64).reshape(k.shape) / k.numel()
    own = v.repeat_interleave(p.shape[1] // k.shape[1], dim=1)
    turns = v.repeat(1, p.shape[1] // k.shape[1], 1, 1)
    out = attend(q, k, v, positions)
    if not any(bool(torch.allclose(out, p @ mixed, rtol=0, atol=near)) for mixed in (own, turns)):
        raise NotAttention("the output is no mixture of the values")


def _bias(p: Tensor, near: float) -> Literal["", "alibi", "offsets", "pairs"]:
    """What is added to scores, from the probabilities where q and k are 0."""
    logits = p[0].log()
    rows = p.shape[-1]
    offset = torch.arange(rows)[:, None] - torch.arange(rows)
    own = logits - logits.diagonal(dim1=1, dim2=2)[..., None]  # (head, query, key), 0 for the key of the query itself
    seen = own.isfinite()
    if bool((own[seen].abs() < near).all()):
        return ""
    slopes = torch.tensor(alibi_slopes(p.shape[1]), dtype=torch.float64)[:, None, None]
    if bool(((own + slopes * offset).abs()[seen] < near).all()):
        return "alibi"
    for h in range(p.shape[1]):
        for o in range(1 - rows, rows):
            same = own[h][(offset == o) & seen[h]]
            if len(same) > 1 and float(same.max() - same.min()) > near:
                return "pairs"
    return "offsets"


def _form(attend: Attend, q: Tensor, k: Tensor, positions: Tensor | None, near: float) -> Tensor | None:
    """The scores of unit vectors: (a, b, query, key) for q_i = e_a and k_j = e_b; None if they are not linear in both.

    Only one key is not 0 at a time, so that its probability against that of a key at rest is its score.
    """
    width, rows = q.shape[-1], k.shape[2]
    units = torch.eye(width, dtype=torch.float64)
    size = width * width
    many_q = units.repeat_interleave(width, dim=0)[:, None, None].expand(size, q.shape[1], rows, width)
    at_rest = probabilities(attend, q, k, positions)[0, 0].log()
    parts = []
    for j in range(rows):
        many_k = torch.zeros(size, k.shape[1], rows, width, dtype=torch.float64)
        many_k[:, :, j] = units.repeat(width, 1)[:, None]
        single = _against_rest(attend, many_q, many_k, positions, j) - (at_rest[:, j] - at_rest[:, j - 1])
        double = _against_rest(attend, 2 * many_q, many_k, positions, j) - (at_rest[:, j] - at_rest[:, j - 1])
        seen = single.isfinite()
        if bool(((double - 2 * single).abs()[seen] > 16 * near).any()):
            return None
        parts.append(single.masked_fill(~seen, float("nan")))
    form = torch.stack(parts, dim=-1).reshape(width, width, rows, rows)
    # Keys that are not seen say nothing: they count as what the first one says.
    first = form[:, :, -1:, -1:]
    return torch.where(form.isnan(), first.expand_as(form), form)


def _against_rest(attend: Attend, q: Tensor, k: Tensor, positions: Tensor | None, j: int) -> Tensor:
    """log p_ij - log p_i(j-1) of the first head, (batch, query)."""
    p: Tensor = probabilities(attend, q, k, positions)[:, 0].log()
    return p[:, :, j] - p[:, :, j - 1]


def _as_rotation(
    attend: Attend, heads: int, key_heads: int, at: Callable[[int], Tensor | None]
) -> Callable[[Tensor, Tensor], Tensor]:
    """The form as a rotation of keys: a query e_a in the last row, at position 0, shows coordinate a of R(p) k.

    Where rows are counted the key stands p rows before the query, which turns it the other way.
    """
    given = at(1) is not None

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        flat = x.double().flatten(0, 1)  # (vector, row, coordinate)
        count, rows, width = flat.shape
        total = rows + 1 if given else COUNTED
        where = torch.arange(rows) if given else COUNTED - 1 - positions
        keys = torch.zeros(count, key_heads, total, width, dtype=torch.float64)
        keys[:, :, where] = flat[:, None]
        places = torch.cat((positions, positions.new_zeros(1))) if given else None
        columns = []
        for a in range(width):
            q = torch.zeros(count, heads, total, width, dtype=torch.float64)
            q[:, :, -1, a] = 1.0
            p = probabilities(attend, q, keys, places)[:, 0, -1].log()
            rest = p[:, -1] if given else p[:, 0]
            columns.append(p[:, where] - rest[:, None])
        turned: Tensor = torch.stack(columns, dim=-1) * width**0.5
        return turned.reshape(x.shape).to(x.dtype)

    return rotate
