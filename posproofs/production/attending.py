"""What adapters of whole attention have in common: masks, calls in parts, padding. Nothing here changes a number.

A mask is handed over in the form in which a library's own models hand it over: added, with the least float where a key
is not seen, or as booleans.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from posproofs.mutants.backend import torch
from posproofs.mutants.reference import frequencies

if TYPE_CHECKING:
    from torch import Tensor

Part = Callable[["Tensor", "Tensor | None", int], "Tensor"]
"""(rows, their positions, how many rows there are up to the last of them) -> outputs."""


def shown(queries: int, keys: int, *, hidden: int = 0) -> Tensor:
    """True where a query sees a key, shape (1, 1, query, key): keys up to the query, but the first `hidden`.

    A query that is hidden itself sees itself, because a row that sees nothing has no softmax.
    """
    memory = keys - queries
    past = torch.ones(queries, keys, dtype=torch.bool).tril(memory)
    visible = torch.arange(keys) >= hidden
    itself = torch.eye(keys, dtype=torch.bool)[memory:]
    return ((past & visible) | itself)[None, None]


def shown_to_all(rows: int, *, hidden: int = 0) -> Tensor:
    """True where a row sees a row, where all are seen but the first `hidden`, which see themselves."""
    visible = (torch.arange(rows) >= hidden).expand(rows, -1)
    return (visible | torch.eye(rows, dtype=torch.bool))[None, None]


def mask_of(seen: Tensor, form: Literal["added", "shown", "blocked"]) -> Tensor:
    """The mask in the form that a path takes."""
    if form == "shown":
        return seen
    if form == "blocked":
        return ~seen
    # The least float32: what it is added to may be float64, and some paths compute their softmax in float32.
    return torch.zeros(seen.shape, dtype=torch.float32).masked_fill(~seen, torch.finfo(torch.float32).min)


def in_parts(part: Part, x: Tensor, positions: Tensor | None, lengths: tuple[int, ...]) -> Tensor:
    """The outputs of parts of these lengths, one after the other; the part keeps what it needs of earlier ones."""
    outputs, end = [], 0
    for length in lengths:
        start, end = end, end + length
        at = None if positions is None else positions[start:end]
        outputs.append(part(x[:, start:end], at, end))
    return torch.cat(outputs, dim=1)


def by_head(weight: Tensor | None, heads: int) -> Any:
    """(head * d, ..) -> (head, d, ..); None stays None."""
    return None if weight is None else weight.reshape(heads, -1, *weight.shape[1:])


def thirds_of_heads(weight: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Of a matrix whose rows are the query, the key and the value of the first head, then those of the next."""
    query, key, value = weight.reshape(heads, 3, -1, *weight.shape[1:]).unbind(1)
    return query, key, value


def heads_of_thirds(weight: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Of a matrix whose rows are the queries of all heads, then the keys, then the values."""
    query, key, value = weight.reshape(3, heads, -1, *weight.shape[1:]).unbind(0)
    return query, key, value


def padding_mask(rows: int, hidden: int) -> Tensor:
    """The mask of a batch: 0 for the first `hidden` rows, 1 for the others; shape (1, row)."""
    return (torch.arange(rows) >= hidden).long()[None]


def waves_of(width: int, base: float) -> tuple[float, ...]:
    """The frequencies base**(-2i/width) that a library declares for its table."""
    return tuple(frequencies(width, base).tolist())


def offsets_of(rows: int) -> int:
    """How many offsets there are between so many rows, both ways."""
    return 2 * rows - 1
