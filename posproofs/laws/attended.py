"""What the laws of whole attention are run on: an AttentionSubject builds a released module and says what it declares.

A module maps the hidden states of L rows to outputs of L rows. Its parameters, and its frequencies or tables where they
enter as numbers, are named; a proof takes every one of them as symbols, a sample gives each a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor, dtype
    from torch.nn import Module

Call = Callable[["Tensor", "Tensor | None"], "Tensor"]
"""(x (1, row, model), the positions of its rows (row,), or None where rows are counted) -> (1, row, model)."""
Steps = Callable[["Tensor", "Tensor | None", tuple[int, ...]], "Tensor"]
"""The same in parts of these lengths, one after the other, with a cache between them."""
Behind = Callable[["Tensor", int], "Tensor"]
"""(x, n) -> the outputs of the rows after the first n, which no row may see: they are padding."""
Formula = Callable[[Mapping[str, "Tensor"], "Tensor", "Tensor | None"], "Tensor"]
"""(parameters by name, x, positions) -> what the scheme says, in plain Torch."""


@dataclass(frozen=True, slots=True, order=True)
class AttentionSize:
    """Rows of a sequence, query heads, key heads that they share, and coordinates of each."""

    rows: int
    heads: int
    key_heads: int
    width: int

    @property
    def model(self) -> int:
        """Coordinates of all query heads together."""
        return self.heads * self.width

    @property
    def listed(self) -> list[int]:
        """The numbers, as a case holds them."""
        return [self.rows, self.heads, self.key_heads, self.width]

    def __str__(self) -> str:
        shared = "" if self.key_heads == self.heads else f" on {self.key_heads} of keys"
        rows, heads = ("" if count == 1 else "s" for count in (self.rows, self.heads))
        return f"{self.rows} row{rows}, {self.heads} head{heads}{shared} of width {self.width}"


@dataclass(frozen=True, slots=True)
class AttentionConvention:
    """How an implementation knows where a row stands, and what a row sees. None of it is a fault.

    positions: "real" if each row is given one that may be any number, "whole" if it is given one that looks up a table,
    "counted" if the rows of a call are counted, "none" if the order of the rows does not matter.
    """

    scheme: str
    positions: Literal["real", "whole", "counted", "none"]
    sees: Literal["past", "all"]
    extent: Literal["attention", "layer", "model"] = "attention"

    def __str__(self) -> str:
        placed = {
            "real": "a position for each row",
            "whole": "a whole position for each row",
            "counted": "rows are counted",
            "none": "no positions",
        }
        seen = "a row sees itself and earlier rows" if self.sees == "past" else "a row sees all rows"
        return f"whole {self.extent}, {self.scheme}, {placed[self.positions]}, {seen}"


@dataclass(frozen=True, slots=True)
class AttentionInstance:
    """One built module.

    held: the released module. call: its output. tables: its buffers that hold frequencies, symbols in a proof.
    steps: with a cache; None if it has none. behind: with padding in front; None if it is not asked.
    renamed: other names for its parameters, where two libraries are compared.
    """

    held: Module
    call: Call
    tables: tuple[str, ...] = ()
    steps: Steps | None = None
    behind: Behind | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttentionSubject:
    """One module that the laws of attention are run on.

    paths: the ways in which it computes the same, the plain one first. make: (size, path, dtype) -> a new instance,
    whose weights are set by whoever asks. through: the narrowest dtype that numbers pass through on their way, "input"
    is that of x. waves: the frequencies of a table that is looked up by position, or that code makes within a call.
    unread: parameters that the output does not depend on, such as an embedding of tokens where embeddings are given.
    formula: what a size of it should compute. twin: another library's name for the scheme, and how it is built.
    """

    name: str
    package: str
    convention: AttentionConvention
    sizes: tuple[AttentionSize, ...]
    make: Callable[[AttentionSize, str, dtype], AttentionInstance]
    paths: tuple[str, ...] = ("eager", "sdpa")
    through: Literal["input", "float32"] = "float32"
    formula: Callable[[AttentionSize], Formula] | None = None
    twin: tuple[str, Callable[[AttentionSize, dtype], AttentionInstance]] | None = None
    waves: Callable[[AttentionSize], tuple[float, ...]] | None = None
    unread: tuple[str, ...] = ()
    dtypes: tuple[Literal["float32", "float64"], ...] = ("float32", "float64")
    kind: str = "attention"
