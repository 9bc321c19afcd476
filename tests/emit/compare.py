"""Dense reference values of a statement, and how far a computation in a given precision may be from them.

With u the unit roundoff of the dtype that angles are computed in: an exponent rounded in float64 moves a frequency w by
at most ln(base) roundings of float64, its power, its rounding to the dtype and its product with the position by one
each, so an angle is off by at most (ln(base) + 4)*u*|p|*w; its cosine, the two products and the sum add less than 8*u.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
import torch

from derivations.kernel import Statement
from derivations.kernel.terms import Block, Term
from tests.emit.evaluator import Env, dense

Array = np.ndarray[Any, np.dtype[np.float64]]


def product_side(statement: Statement) -> Term:
    """The side that is a matrix times x; the emitter reads the other one."""
    is_vector = isinstance(statement.left, Block)
    return statement.right if is_vector else statement.left


def reference(
    statement: Statement,
    x: Array,
    positions: Sequence[float],
    *,
    groups: int,
    symbols: Mapping[str, float] | None = None,
    families: Mapping[str, Sequence[float]] | None = None,
) -> Array:
    """The dense product for every row of x, of shape (T, width)."""
    rows = []
    with mpmath.workdps(30):
        for row, position in zip(x, positions, strict=True):
            env = Env(
                {"h": groups, "p": position, "base": 10000, **(symbols or {})}, {"x": row.tolist(), **(families or {})}
            )
            rows.append([float(entry[0]) for entry in dense(product_side(statement), env)])
    return np.array(rows).reshape(x.shape)


def allowed(
    x: Array, positions: Sequence[float], *, roundoff: float, base: float = 10000.0, steepest: float = 1.0
) -> Array:
    """The bound of the module docstring, with the largest frequency for every pair and the norm of the whole row."""
    size = np.linalg.norm(x, axis=-1, keepdims=True)
    angle = np.abs(np.asarray(positions, dtype=np.float64))[:, None] * steepest
    result: Array = roundoff * ((abs(math.log(base)) + 4) * angle + 8) * size
    return result


ROUNDOFF = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11}
