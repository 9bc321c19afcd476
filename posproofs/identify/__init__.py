"""The convention of a rotary function, found by calling it; and where two functions part.

The package itself can be called: `posproofs.identify(...)` is `posproofs.identify.identify(...)`.
"""

from posproofs._callable import make_callable
from posproofs.identify.bases import Reading
from posproofs.identify.found import Identified, Turning
from posproofs.identify.identifying import identify
from posproofs.identify.parting import Parting, against, reordered
from posproofs.identify.rounding import Precision

__all__ = ["Identified", "Parting", "Precision", "Reading", "Turning", "against", "identify", "reordered"]

make_callable(__name__)
