"""The notebooks of the repository, generated from the derivations: `python -m posproofs.export.notebooks build DIR`.

Cells have fixed ids and nothing that a clock or a machine decides is stored, so two builds give the same bytes, and
`check DIR` runs every notebook again and compares it with the committed file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from derivations.derivation import catalogue, get
from posproofs.errors import MissingExtra, UnknownName
from posproofs.export.ipynb import METADATA, Cell, notebook
from posproofs.export.writing import write_all

SECONDS = 120  # a cell that takes longer is an error, not a slow success
START = """%load_ext posproofs
from derivations.derivation import get"""


def prose(name: str, text: str) -> Cell:
    """A cell of words."""
    return Cell("markdown", f"about-{name}", text)


def code(name: str, source: str) -> Cell:
    """A cell that is run."""
    return Cell("code", name, source)


def shown(*labels: str) -> list[Cell]:
    """One cell for each entry, which proves it and shows its rows. Raises UnknownEntry for an id that is not there."""
    return [code(label.partition(".")[2], f'get("{get(label).id}")') for label in labels]


def _euler() -> list[Cell]:
    wrong = """from derivations.derivation import equation
from derivations.euler import rotation
from derivations.kernel import prove
from derivations.notation import theta

prove(equation(rotation(theta), rotation(-theta)))"""
    return [
        prose("all", "# Euler's formula, and rotations as complex numbers\n\nThe kernel decided every row."),
        code("start", START),
        prose(
            "formula",
            "## The formula\n\nBoth sides solve one equation and agree at 0.",
        ),
        *shown("euler.exponential", "euler.circular", "euler.initial", "euler.formula", "euler.cis"),
        prose("matrices", "## Complex numbers as matrices\n\nThe map phi keeps sums, products and inverses."),
        *shown("euler.rotation_matrix", "euler.additive", "euler.multiplicative", "euler.conjugate", "euler.inverse"),
        prose("rotations", "## Rotations"),
        *shown("euler.rotations_compose", "euler.rotation_transpose", "euler.rotation_inverse", "euler.generator"),
        prose(
            "wrong",
            "## What a wrong row looks like\n\nWith a flipped sign the kernel gives a point.",
        ),
        code("refuted", wrong),
    ]


def _rotary() -> list[Cell]:
    emitted = """import numpy as np

from posproofs.emit import emit

rotate = emit("rotary.rotate", to="numpy")
rotate(np.tile([1.0, 0.0], (3, 2)), np.arange(3)).round(6).tolist()"""
    drawn = "from posproofs.export.pictures import rotary\n\nrotary."
    return [
        prose("all", "# Rotary position embedding\n\nFrom the goal, through the plane, to every even width."),
        code("start", START),
        prose("goal", "## The goal\n\nScores that depend on the offset alone."),
        *shown("rotary.goal", "rotary.goal_converse"),
        prose("plane", "## The plane"),
        *shown("rotary.complex_score", "rotary.plane"),
        prose("width", "## Every even width\n\nOne proof for all numbers of pairs."),
        *shown("rotary.relative", "rotary.pairs", "rotary.score", "rotary.isometry"),
        prose("planes", "## Fast and slow planes\n\nEach plane turns at its own frequency."),
        *shown("rotary.frequencies"),
        code("planes", f"{drawn}rotation_planes()"),
        prose(
            "scores",
            "## Score against offset\n\nIt decays as an envelope, not step by step.",
        ),
        code("scores", f"{drawn}score_against_offset()"),
        prose("layout", "## Two layouts\n\nThe same map in another order of coordinates."),
        code("pairing", f"{drawn}pairing()"),
        *shown("rotary.rotate.interleaved", "rotary.rotate.half_split", "rotary.layouts"),
        prose("emitted", "## From the theorem to code"),
        code("emitted", emitted),
    ]


def _transformer_xl() -> list[Cell]:
    drawn = "from posproofs.export.pictures import transformer_xl\n\ntransformer_xl."
    return [
        prose("all", "# Transformer-XL\n\nThe absolute score, the substitution, and the relative score in four terms."),
        code("start", START),
        prose("absolute", "## Four words\n\nFor every width of model and head."),
        *shown("transformer_xl.absolute", "transformer_xl.substitution"),
        prose("relative", "## Four terms"),
        *shown("transformer_xl.score", "transformer_xl.key_terms", "transformer_xl.offset_terms"),
        prose("roles", "## What each term reads\n\nUnchanged under another input, or a point where it changes."),
        *shown("transformer_xl.roles"),
        code("four-terms", f"{drawn}four_terms()"),
        prose("sinusoids", "## Sinusoids of the offset\n\nSplit into tables of each position; past and future differ."),
        *shown("transformer_xl.factorised", "transformer_xl.negative_offset"),
        prose("memory", "## A memory\n\nA common shift of all positions leaves every score."),
        *shown("transformer_xl.shift"),
        prose("shift", "## The shift\n\nScores are computed by offset and read by key: six variants of released code."),
        code("shifted", f"{drawn}shift()"),
        *shown(*(label for label in catalogue() if label.startswith("rel_shift."))),
        prose("outside", "### Outside the region\n\nThere the index runs into the next row, and a mask hides it."),
        code("outside", "from derivations.rel_shift import beyond_the_region\n\nbeyond_the_region()"),
    ]


def _errata() -> list[Cell]:
    errata = [entry for entry in catalogue().values() if entry.kind == "erratum"]
    title = "# Errata\n\nPrinted statements that are not true, where they fail, and what holds."
    return [prose("all", title), code("start", START), *shown(*(entry.id for entry in errata))]


NOTEBOOKS: Mapping[str, Callable[[], Sequence[Cell]]] = {
    "errata": _errata,
    "euler": _euler,
    "rotary": _rotary,
    "transformer_xl": _transformer_xl,
}


def run(name: str) -> str:
    """A notebook, run in a fresh kernel, as the text that is stored. Raises UnknownName, MissingExtra."""
    if name not in NOTEBOOKS:
        raise UnknownName("notebook", name, NOTEBOOKS)
    try:
        import nbformat
        from nbclient import NotebookClient
        from traitlets.config import Config
    except ModuleNotFoundError as missing:
        raise MissingExtra(missing.name or "nbclient", "notebooks") from missing
    book: Any = nbformat.from_dict(notebook(name, NOTEBOOKS[name]()))  # type: ignore[no-untyped-call]
    with TemporaryDirectory() as folder:
        # Nothing listens on a port: the sockets of the kernel are files of that folder, in which it also runs.
        local = Config({"KernelManager": {"transport": "ipc", "ip": str(Path(folder) / "kernel")}})
        there = {"metadata": {"path": folder}}
        client = NotebookClient(book, timeout=SECONDS, record_timing=False, resources=there, config=local)
        client.execute(env=_environment())
    book["metadata"] = METADATA  # the kernel adds its version
    nbformat.validate(book)
    return str(nbformat.writes(book)) + "\n"  # type: ignore[no-untyped-call]


def _environment() -> dict[str, str]:
    """The environment of this process, in which a kernel of another folder finds these packages too."""
    paths = [str(Path(__file__).resolve().parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def build(directory: Path) -> tuple[Path, ...]:
    """Run every notebook and write them all. Raises CannotWrite."""
    return write_all(directory, {f"{name}.ipynb": run(name) for name in NOTEBOOKS})


def check(directory: Path) -> list[str]:
    """Run every notebook and name those whose stored file differs, and stored files that nothing generates."""
    wanted = {f"{name}.ipynb" for name in NOTEBOOKS}
    found = {path.name for path in directory.glob("*.ipynb")}
    problems = [f"{name}: not generated from anything; remove it" for name in sorted(found - wanted)]
    for name in NOTEBOOKS:
        path = directory / f"{name}.ipynb"
        if not path.exists() or path.read_text(encoding="utf-8") != run(name):
            problems.append(f"{path.name}: differs from what its cells give now; build again and read the difference")
    return problems


def main(arguments: Sequence[str]) -> int:
    """build DIR or check DIR; the exit status is 1 where a stored notebook differs, 2 for a wrong call."""
    match arguments:
        case ["build", directory]:
            lines = [str(path) for path in build(Path(directory))]
        case ["check", directory]:
            lines = check(Path(directory))
        case _:
            sys.stderr.write("usage: python -m posproofs.export.notebooks build|check DIR\n")
            return 2
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if lines and arguments[0] == "check" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
