"""What the laws of four-term scores are run on: a ScoreSubject builds an implementation and says what it declares.

The score of query i and key j is (q_i + u).k_j + (q_i + v).r_(i-j+M), where M keys precede the first query (a memory).
Offsets are query position minus key position. Everything else, the scale above all, is a convention.
(Dai et al., Transformer-XL, 2019, section 3.3.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from posproofs.mutants.reference import Layout

if TYPE_CHECKING:
    from torch import Tensor, dtype

Scores = Callable[["Tensor", "Tensor", "Tensor", "Tensor", "Tensor"], "Tensor"]
"""(q (batch, head, L, d), k (batch, head, K, d), r, u (head, d), v (head, d)) -> (batch, head, L, K), K = L + M.

r is (head, K + L, d), one row for each of the offsets K, K - 1, .., -L + 1. Where the implementation makes its own
rows, r is (head, D, d) instead, the weights that map its table of width D to the rows.
"""


@dataclass(frozen=True, slots=True, order=True)
class Size:
    """Attention heads, and coordinates of each."""

    heads: int
    width: int

    @property
    def model(self) -> int:
        """Coordinates of all heads together."""
        return self.heads * self.width

    @property
    def double(self) -> int:
        """Twice that, for a model that holds query and key side by side."""
        return 2 * self.model

    def __str__(self) -> str:
        return f"{self.heads} head{'' if self.heads == 1 else 's'} of width {self.width}"


@dataclass(frozen=True, slots=True)
class ScoreConvention:
    """What an implementation gives, and where. None of it is a fault.

    gives: probabilities show the scores up to one constant for each query, so that is how they are compared.
    region: "past" where scores of keys after the query are meant to be masked by the caller.
    table: how the library lays out the sines and cosines of its own rows, and `first` the offset of the first of them.
    """

    gives: Literal["scores", "probabilities"] = "probabilities"
    scale: Literal["none", "1/sqrt(d)", "1/sqrt(2d)"] = "1/sqrt(d)"
    region: Literal["all", "past"] = "all"
    memory: Literal["any", "none"] = "any"
    rows: Literal["given", "own"] = "given"
    table: Layout | None = None
    first: Literal["K", "K-1"] = "K"
    base: float = 10000.0

    def __str__(self) -> str:
        parts = [
            "scores, four terms, offset i-j",
            "unscaled" if self.scale == "none" else f"scale {self.scale}",
            "" if self.gives == "scores" else "read from probabilities, up to a constant of the row",
            "" if self.region == "all" else "keys up to the query",
            "" if self.memory == "any" else "no memory",
            "" if self.rows == "given" else "rows of its own",
        ]
        return ", ".join(part for part in parts if part)

    def factor(self, size: Size) -> float:
        """What the sum of the four terms is multiplied by."""
        return {"none": 1.0, "1/sqrt(d)": 1 / math.sqrt(size.width), "1/sqrt(2d)": 1 / math.sqrt(2 * size.width)}[
            self.scale
        ]


@dataclass(frozen=True, slots=True)
class ScoreRecipe:
    """In which precision an implementation computes (`posproofs.laws.score_precision`).

    through: the dtype that scores pass through on their way to the softmax. softmax: the dtype it is computed in.
    table: the dtype of the library's own angles, sines and cosines.
    """

    through: Literal["input", "float32"] = "input"
    softmax: Literal["input", "float32"] = "input"
    table: Literal["input", "float32"] = "float32"


@dataclass(frozen=True, slots=True)
class ScoreInstance:
    """One built implementation.

    table: the library's own rows for (L, K) when it is called in that dtype, shape (rows, D), offsets descending; None
    if it makes none or shows none.
    tables: the tensors that the instance holds and that no call may change.
    """

    scores: Scores
    table: Callable[[int, int, dtype], Tensor] | None = None
    tables: tuple[Tensor, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreSubject:
    """One callable that the laws of scores are run on."""

    name: str
    package: str
    convention: ScoreConvention
    recipe: ScoreRecipe
    sizes: tuple[Size, ...]
    make: Callable[[Size, dtype], ScoreInstance]
    dtypes: tuple[Literal["float32", "float64"], ...] = ("float32", "float64")
    kind: str = "scores"
