"""From a theorem to code: `emit` gives a callable and its readable source, for NumPy or for Torch.

The emitter translates the kernel term of a proved statement, so no formula is written here. `emit(...)` runs the text;
`source(...)` only returns it, and needs neither NumPy nor Torch.
"""

from posproofs._callable import make_callable
from posproofs.emit.emitter import Emitted, emit, emit_scores, source

__all__ = ["Emitted", "emit", "emit_scores", "source"]

make_callable(__name__)
