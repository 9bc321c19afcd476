"""`emit`: from the name of a target, or a theorem, to a callable and its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

from derivations.kernel import Statement, Theorem
from derivations.kernel.terms import Term
from posproofs.emit import formula, numpy_module, torch_module
from posproofs.emit.header import header
from posproofs.emit.load import loaded
from posproofs.emit.naming import named
from posproofs.emit.reading import Rotation, is_rotation, read_rotation
from posproofs.emit.structure import Complex, Linear, complex_form, linear
from posproofs.emit.targets import Proofs, proofs_of, target_named
from posproofs.errors import BadInput, NotEmittable, UnknownName

FORMS = ("table", "complex", "real")
LIBRARIES = ("torch", "numpy")


class Emitted(Protocol):
    """An emitted function: its module as text, and for a rotation the other two functions of that module."""

    source: str
    table: Any
    apply: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The formula on arrays or tensors; the docstring of the emitted function gives shapes and dtypes."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What is to be written: a statement, where it comes from, and how its function is called."""

    statement: Statement
    proofs: Proofs
    side: Literal["left", "right"]
    function: str


def emit(target: str | Theorem, *, to: str = "torch", layout: str | None = None, form: str = "table") -> Emitted:
    """The formula of a proved statement as a function of tensors or arrays.

    target: an id, for example rotary.rotate, or a Theorem. to: torch or numpy. layout: interleaved or half-split, where
    the target has one. form: table (cosines and sines computed once, and the fastest proved way to apply them), complex
    (one complex product for each pair), real (the plain expression).

    Returns a function with `.source`, the text of its self-contained module; a rotation also has `.table` and `.apply`.
    Raises UnknownName, NotEmittable (names the node without an executable reading), MissingExtra (torch not installed).
    """
    if isinstance(target, str):
        return _emitted(target, to, layout, form)
    return _run(_job_of(target, layout), to, form)


def source(target: str | Theorem, *, to: str = "torch", layout: str | None = None, form: str = "table") -> str:
    """The text that `emit` would run; needs neither NumPy nor Torch. Arguments and errors as for `emit`."""
    job = _named_job(target, layout) if isinstance(target, str) else _job_of(target, layout)
    return _written(job, to, form)[0]


@lru_cache(maxsize=64)
def _emitted(target: str, to: str, layout: str | None, form: str) -> Emitted:
    return _run(_named_job(target, layout), to, form)


def _run(job: _Job, to: str, form: str) -> Emitted:
    text, function = _written(job, to, form)
    module = loaded(text, f"emitted_{function}")
    emitted: Emitted = getattr(module, function)
    emitted.source = text
    if hasattr(module, "table"):
        emitted.table, emitted.apply = module.table, module.apply
    return emitted


def _named_job(target: str, layout: str | None) -> _Job:
    from derivations.derivation import theorem

    chosen, proofs = target_named(target), proofs_of(target, layout)
    # Every theorem that the header will name is proved first; NotProved otherwise.
    statement, *_ = (theorem(name).statement for name in proofs.ids())
    return _Job(statement, proofs, chosen.side, chosen.function)


def _job_of(theorem: Theorem, layout: str | None) -> _Job:
    if layout is not None:
        raise BadInput(f"a theorem states its own layout, saw layout={layout!r}; leave the layout out")
    statement = theorem.statement
    side: Literal["left", "right"] = "left" if is_rotation(statement.left) else "right"
    rotates = is_rotation(statement.left) or is_rotation(statement.right)
    return _Job(statement, Proofs("the statement below"), side, "rotate" if rotates else "formula")


def _written(job: _Job, to: str, form: str) -> tuple[str, str]:
    """The text of the module and the name of its main function."""
    if to not in LIBRARIES:
        raise UnknownName("library", to, LIBRARIES)
    if form not in FORMS:
        raise UnknownName("form", form, FORMS)
    left, right = job.statement.left, job.statement.right
    if is_rotation(left) or is_rotation(right):
        return _rotation_text(job, left if is_rotation(left) else right, to, form), job.function
    if form != "table":
        raise BadInput(
            f"form={form!r} is for rotations; this statement is a formula without tables: leave the form out"
        )
    return _formula_text(job, left if job.side == "left" else right, to), job.function


def _rotation_text(job: _Job, side: Term, to: str, form: str) -> str:
    rotation = read_rotation(side, job.statement.hypotheses)
    naming = named(rotation)
    if to == "numpy":
        turn = complex_form(rotation) if form == "complex" else None
        return _module(job, _notes(job.proofs, None, turn), numpy_module.sections(rotation, naming, turn))
    transposed = linear(rotation) if form == "table" else None
    turn = _complex(rotation, form)
    return _module(
        job, _notes(job.proofs, transposed, turn), torch_module.sections(rotation, naming, form, transposed, turn)
    )


def _complex(rotation: Rotation, form: str) -> Complex | None:
    """The complex form: asked for, or an improvement where it is proved."""
    if form == "complex":
        return complex_form(rotation)
    if form == "real":
        return None
    try:
        return complex_form(rotation)
    except NotEmittable:
        return None


def _notes(proofs: Proofs, transposed: Linear | None, turn: Complex | None) -> list[str]:
    """What the kernel proved besides the statement when the code was written."""
    notes = []
    if turn is not None:
        notes.append(f"Proved for the complex product{_also(proofs.complex_form)}: {turn.proved}")
    if transposed is not None:
        where = "with any numbers c and s in place of the tables"
        notes.append(f"Proved for the gradient{_also(proofs.gradient)}, {where}: {transposed.proved}")
    return notes


def _also(name: str) -> str:
    return f" ({name})" if name else ""


def _formula_text(job: _Job, side: Term, to: str) -> str:
    return _module(job, [], formula.sections(side, job.function, to))


def _module(job: _Job, notes: list[str], parts: list[str]) -> str:
    head = header(job.proofs.statement, job.statement, notes)
    imports, *rest = parts
    if any("math." in part for part in rest):
        imports = f"import math\n\n{imports}"
    return "\n\n\n".join([f"{head}\n\n{imports}", *rest]) + "\n"
