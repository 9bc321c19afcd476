"""Importing the packages loads none of the large libraries: `posproofs --help` shall answer at once."""

import subprocess
import sys

import pytest

from tests.repo.sources import ROOT

LARGE = frozenset({"hypothesis", "numpy", "rich", "sympy", "torch", "transformers"})


def loaded_by(code: str) -> set[str]:
    """The large libraries that are loaded after `code` has run in a fresh interpreter."""
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split()) & LARGE


@pytest.mark.parametrize(
    "code",
    [
        "import posproofs",
        "import posproofs; dir(posproofs); posproofs.Verdict; posproofs.PosproofsError",
        "import derivations",
        "import derivations; derivations.all_claims()",
        "import derivations.kernel",
    ],
)
def test_nothing_large_is_loaded(code: str) -> None:
    assert loaded_by(code) == set()


def test_a_large_library_is_seen() -> None:
    assert loaded_by("import numpy") == {"numpy"}
