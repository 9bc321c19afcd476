"""From a derivation to documents: LaTeX for papers, Markdown, notebooks, JSON, and what Jupyter shows.

Every formula that is printed is a display tree which the kernel proved equal to the expression that was checked.
"""

from posproofs._callable import make_callable
from posproofs.export.exporting import FORMATS, export, exported

__all__ = ["FORMATS", "export", "exported"]

make_callable(__name__)
