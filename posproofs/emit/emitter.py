"""`emit`: from the name of a target, or a theorem, to a callable and its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

from derivations.kernel import Statement, Theorem
from derivations.kernel.terms import Term
from posproofs.emit import formula, numpy_module, scores_text, torch_module
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
    """An emitted function: its module as text, and the other functions of that module, which depend on the target."""

    source: str
    table: Any
    apply: Any
    attention: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The formula on arrays or tensors; the docstring of the emitted function gives shapes and dtypes."""


@dataclass(frozen=True, slots=True)
class _Job:
    """What is to be written: a statement, where it comes from, and how its function is called."""

    statement: Statement
    proofs: Proofs
    side: Literal["left", "right"]
    function: str
    shift: Statement | None = None  # of a score


def emit(target: str | Theorem, *, to: str = "torch", layout: str | None = None, form: str = "table") -> Emitted:
    """The formula of a proved statement as a function of tensors or arrays.

    target: an id, for example rotary.rotate, or a Theorem. to: torch or numpy. layout: interleaved or half-split, where
    the target has one. form: table (cosines and sines computed once, and the fastest proved way to apply them), complex
    (one complex product for each pair), real (the plain expression).

    Returns a function with `.source`, the text of its self-contained module; a rotation also has `.table` and `.apply`,
    and scores have `.attention`.
    Raises UnknownName, NotEmittable (names the node without an executable reading), MissingExtra (torch not installed),
    BadInput for a target of another type.
    """
    if isinstance(target, str):
        return _emitted(target, to, layout, form)
    return _run(_job_of(target, layout), to, form)


def emit_scores(score: Theorem, shift: Theorem, *, to: str = "torch") -> Emitted:
    """A score and its attention from two theorems: the products, read off a right side, and a relative shift.

    Returns `scores`, with `.source` and `.attention`. Raises UnknownName, NotEmittable, MissingExtra.
    """
    proofs = Proofs("the statement below", shift="the second statement")
    return _run(_Job(score.statement, proofs, "right", "scores", shift.statement), to, "table")


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
    for name in ("table", "apply", "attention"):
        if hasattr(module, name):
            setattr(emitted, name, getattr(module, name))
    return emitted


def _named_job(target: str, layout: str | None) -> _Job:
    from derivations.derivation import theorem

    chosen, proofs = target_named(target), proofs_of(target, layout)
    # Every theorem that the header will name is proved first; NotProved otherwise.
    statements = {name: theorem(name).statement for name in proofs.ids()}
    return _Job(statements[proofs.statement], proofs, chosen.side, chosen.function, statements.get(proofs.shift))


def _job_of(theorem: Theorem, layout: str | None) -> _Job:
    if not isinstance(theorem, Theorem):
        raise BadInput(f"emit: target: wanted an id or a Theorem, saw {theorem!r}, {type(theorem).__name__}")
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
    side = left if job.side == "left" else right
    if job.shift is not None:
        return _scores_text(job, side, job.shift, to), job.function
    return _formula_text(job, side, to), job.function


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


def _scores_text(job: _Job, side: Term, shift: Statement, to: str) -> str:
    notes = scores_text.notes(job.proofs.shift, shift)
    return _module(job, notes, scores_text.sections(side, (job.statement, shift), to))


def _module(job: _Job, notes: list[str], parts: list[str]) -> str:
    head = header(job.proofs.statement, job.statement, notes)
    imports, *rest = parts
    if any("math." in part for part in rest):
        imports = f"import math\n\n{imports}"
    return "\n\n\n".join([f"{head}\n\n{imports}", *rest]) + "\n"
