"""The Torch text of a rotation: `rotate`, `table` and `apply`, from what `reading` and `structure` found.

`apply` chooses by situation. A compiler fuses the plain expression, so it gets that; eager code gets the fewest passes
over memory, inside an autograd function whose backward is the transposed map that the kernel proved.
"""

from __future__ import annotations

from derivations.kernel.terms import Number, Term
from posproofs.emit import rotation_text as text
from posproofs.emit.expressions import Dialect, code
from posproofs.emit.naming import Naming, row_atoms
from posproofs.emit.plain_text import refuse
from posproofs.emit.reading import Arrangement, Rotation
from posproofs.emit.structure import ZERO, Complex, Linear, signed

FUNCTIONS = {name: f"torch.{name}" for name in ("exp", "log", "cos", "sin", "sqrt")}


def dialect(count: str = "") -> Dialect:
    """Torch functions for tensors, those of math for Python numbers; the count of groups is one of these."""
    return Dialect(" * ", " / ", "math.pi", "1j", FUNCTIONS, refuse, frozenset({count} - {""}))


def sections(rotation: Rotation, naming: Naming, form: str, linear: Linear | None, turn: Complex | None) -> list[str]:
    """The parts of the module below its header, in reading order."""
    fast = form == "table" and linear is not None
    together = form != "real" and turn is not None and rotation.reads == rotation.writes == "interleaved"
    parts = ["import math\n\nimport torch", _rotate(rotation, naming), _table(rotation, naming, together=together)]
    parts.append(_apply(rotation, naming, form, fast=fast))
    if form != "complex":
        parts.append(_plain(rotation, naming))
    if turn is not None and form != "real":
        parts.append(_complex_product(rotation, naming, turn, "_product" if form == "complex" else "_fast"))
    elif fast and linear is not None:
        parts.append(_by_rows("_fast", rotation, naming, linear.coefficients, rotation.reads, rotation.writes))
    if fast and linear is not None:
        parts += [_fast_back(rotation, naming, linear), _LINEAR]
    if together:
        parts.append(_COMPLEX_HELPERS)
    return [*parts, _checks(rotation, naming)]
