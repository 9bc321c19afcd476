"""The correct rotation that mutants are made from, against complex multiplication; and every mutant differs from it."""

import cmath
import subprocess
import sys
from itertools import product
from typing import Literal

import pytest
import torch

from posproofs.errors import MissingExtra
from posproofs.mutants import MUTANTS, SCORE_MUTANTS, Mutant
from posproofs.mutants.backend import torch as late_torch
from posproofs.mutants.reference import Layout, Rotate, Style, rotation
from tests.repo.sources import ROOT

LAYOUTS: tuple[Layout, ...] = ("interleaved", "half-split")
SIGNS: tuple[Literal[1, -1], ...] = (1, -1)


def expected(row: list[float], position: int, rotary: int, style: Style) -> list[float]:
    """One row by complex numbers: z_i e^(+-i p w_i), read and written by index arithmetic of its own."""
    half = rotary // 2
    at = {
        "interleaved": lambda i: (2 * i, 2 * i + 1),
        "half-split": lambda i: (i, i + half),
    }
    out = list(row)
    for i in range(half):
        a, b = at[style.reads](i)
        z = complex(row[a], row[b]) * style.magnitude
        z *= cmath.exp(1j * style.sign * position / style.base ** (2 * i / rotary))
        c, d = at[style.writes](i)
        out[c], out[d] = z.real, z.imag
    return out


@pytest.mark.parametrize(
    "style",
    [
        Style(reads, writes, sign, base, magnitude)
        for (reads, writes, sign), (base, magnitude) in product(
            [(r, w, s) for r in LAYOUTS for w in LAYOUTS for s in SIGNS], [(10000.0, 1.0), (500.0, 1.2)]
        )
    ],
    ids=str,
)
@pytest.mark.parametrize(("head", "rotary"), [(2, 2), (6, 4), (8, 8), (96, 96)])
def test_the_correct_rotation_is_complex_multiplication(style: Style, head: int, rotary: int) -> None:
    generator = torch.Generator().manual_seed(head)
    x = torch.rand((2, 3, 4, head), generator=generator, dtype=torch.float64) - 0.5
    positions = torch.tensor([0, 1, 70, 4097])
    y = rotation(head, rotary, style)(x, positions)
    for b, h, t in product(range(2), range(3), range(4)):
        wanted = expected(x[b, h, t].tolist(), int(positions[t]), rotary, style)
        # The table is kept in float32 at least; here x is float64, so everything is.
        assert y[b, h, t].tolist() == pytest.approx(wanted, abs=1e-11)


def test_names_are_unique_and_every_mutant_says_what_is_wrong() -> None:
    said = [(mutant.name, mutant.defect) for mutant in MUTANTS] + [(xl.name, xl.defect) for xl in SCORE_MUTANTS]
    assert len({name for name, _defect in said}) == len(said)
    assert len(MUTANTS) >= 80
    assert len(SCORE_MUTANTS) >= 12
    assert all(defect for _name, defect in said)


def called(rotate: Rotate, start: int, rows: int, dtype: torch.dtype, *, width: int = 8, heads: int = 2) -> list[str]:
    """The output of one call, and what became of its arguments, as text: NaN is not equal to itself."""
    x = (torch.arange(heads * rows * width) % 13).reshape(1, heads, rows, width).to(dtype) - 6
    positions = torch.arange(rows) + start
    y = rotate(x, positions)
    return [str((y.dtype, y.tolist())), str(x.tolist()), str(positions.tolist())]


def gradient(rotate: Rotate, width: int) -> str:
    """That of half the sum of the squares of the output, or nothing where there is none."""
    x = torch.arange(2.0 * width).reshape(1, 1, 2, width).requires_grad_()
    y = rotate(x, torch.arange(2))
    return str(torch.autograd.grad(y, x, y.detach())[0].tolist()) if y.requires_grad else ""


def outcome(mutant: Mutant) -> list[str]:
    """A fixed sequence of calls: outputs, what became of the arguments, and the gradient.

    Of one execution: an instance of another width is made first, and another one later.
    """
    head, rotary = mutant.widths[-1]
    make = mutant.execute()
    make(head // 2, rotary // 2)
    rotate, other, keys = make(head, rotary), make(head, rotary), (mutant.keys or make)(head, rotary)
    make(2 * head, 2 * rotary)
    # A long bfloat16 call first, which another instance must not notice; then far positions in float32, then one head.
    seen = [
        *called(rotate, 0, 300, torch.bfloat16, width=head),
        *called(other, 3, 4, torch.float32, width=head),
        *called(rotate, 256, 3, torch.float32, width=head),
        *called(rotate, 0, 3, torch.float32, width=head),
        *called(rotate, 2048, 3, torch.float32, width=head),
        *called(rotate, 131070, 2, torch.float32, width=head),
        *called(rotate, 1, 3, torch.float32, width=head, heads=1),
        *called(keys, 1, 3, torch.float32, width=head),
    ]
    return seen if mutant.name.startswith("in-place") else [*seen, gradient(rotate, head)]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_every_mutant_is_observably_wrong(mutant: Mutant) -> None:
    style = mutant.style

    def make(head: int, rotary: int) -> Rotate:
        return rotation(head, rotary, style)

    right = Mutant("right", "nothing", make, style, widths=mutant.widths)
    assert outcome(mutant) != outcome(right)
    assert outcome(right) == outcome(right)


def test_the_table_can_be_read_without_torch() -> None:
    code = "import posproofs.mutants, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_a_missing_torch_is_named() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from posproofs.mutants import MUTANTS\n"
        "from posproofs.errors import MissingExtra\n"
        "try:\n    MUTANTS[0].make(4, 4)\n"
        "except MissingExtra as missing:\n    print(missing)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pip install 'posproofs[torch]'" in done.stdout
    assert issubclass(MissingExtra, ImportError)


def test_the_late_module_is_torch() -> None:
    assert late_torch.float32 is torch.float32
