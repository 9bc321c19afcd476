"""Emits a formula without groups: a real or complex scalar, or a matrix of real scalars, elementwise in its symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from derivations.kernel.terms import Add, Apply, Matrix, Multiply, Number, Symbol, Term, free_names, number, walk
from derivations.plain import term_text
from posproofs.emit.expressions import code, described
from posproofs.emit.formula_parts import LIBRARIES, Library
from posproofs.emit.naming import RESERVED, Names
from posproofs.emit.rotation_text import Part, body, docstring
from posproofs.errors import NotEmittable

ZERO, MINUS = number(0), number(-1)


@dataclass(frozen=True, slots=True)
class _Formula:
    """The Python names and the printed entries of one formula."""

    side: Term
    library: Library
    arguments: tuple[str, ...]
    atoms: Mapping[Term, str]

    def text(self, term: Term) -> str:
        """An entry; a constant one takes its shape from the first argument."""
        shown = code(term, self.library.dialect, self.atoms)
        return shown if free_names(term) else self.library.constant.format(like=self.arguments[0], value=shown)


def sections(side: Term, function: str, to: str) -> list[str]:
    """The module below its header."""
    symbols = sorted(free_names(side))
    if not symbols:
        raise NotEmittable(f"the node {described(side)} has no free symbol, so there is nothing to compute it from")
    library, names = LIBRARIES[to], Names(RESERVED | {function, "rows", "result"})
    atoms: dict[Term, str] = {Symbol(name): names.new(name) for name in symbols}
    arguments = tuple(atoms.values())
    shared = _shared(side, names)
    given = ", ".join(arguments) if len(arguments) > 1 else f"({arguments[0]},)"
    first = f"{given} = _floating({_by_name(arguments)})"
    lines = [first, *(_widened(name, library) for name in arguments if not _is_real(side))]
    lines += [f"{name} = {code(wave, library.dialect, atoms)}" for wave, name in shared.items()]
    lines += _result(_Formula(side, library, arguments, {**atoms, **shared}))
    doc = _doc(side, arguments, library)
    text = "\n".join([f"def {function}({', '.join(arguments)}):", doc, body(lines)])
    return [library.imports, text, library.checks]


def _result(formula: _Formula) -> list[str]:
    side, library = formula.side, formula.library
    if isinstance(side, Matrix):
        rows = [f"    ({', '.join(map(formula.text, row))}{',' if len(row) == 1 else ''})," for row in side.rows]
        return ["rows = (", *rows, ")", library.stacked]
    if _is_real(side):
        return [f"return {formula.text(side)}"]
    real, imaginary = _parts(side)
    filled = {"real": formula.text(real), "imaginary": formula.text(imaginary), "like": formula.arguments[0]}
    return library.complex.format(**filled).splitlines()


def _doc(side: Term, arguments: Sequence[str], library: Library) -> str:
    shape = arguments[0] + ".shape"
    if isinstance(side, Matrix):
        shape = f"{shape} + ({len(side.rows)}, {len(side.rows[0])})"
    together = "of any shape, broadcast together" if len(arguments) > 1 else "of any shape"
    kind = "real" if _is_real(side) else "complex, at least complex64"
    return docstring(
        f"{term_text(side)}, elementwise.",
        Part("Parameters", [(f"{', '.join(arguments)} : floating {library.array}, {together}", "")]),
        Part("Returns", [(f"{library.array}, shape {shape}", f"As precise as {' and '.join(arguments)}, and {kind}.")]),
        Part("Raises", [("ValueError", "Where an argument is not floating.")]),
    )


def _by_name(arguments: Sequence[str]) -> str:
    return ", ".join(f"{name}={name}" for name in arguments)


def _widened(name: str, library: Library) -> str:
    return f"{name} = {library.widened.format(name=name)}"


def _shared(side: Term, names: Names) -> dict[Term, str]:
    """Cosines and sines that occur more than once get a name, so that each is computed once."""
    waves = [node for node in walk(side) if isinstance(node, Apply) and node.operator in ("cos", "sin")]
    return {w: names.new({"cos": "cosine"}.get(w.operator, "sine")) for w in dict.fromkeys(waves) if waves.count(w) > 1}


def _is_real(term: Term) -> bool:
    return not any(isinstance(node, Number) and node.im != 0 for node in walk(term))


def _parts(term: Term) -> tuple[Term, Term]:
    """Real and imaginary part of a sum or product in which every other node is real."""
    if _is_real(term):
        return term, ZERO
    match term:
        case Number(re, im):
            return number(re), number(im)
        case Add(parts):
            pairs = [_parts(part) for part in parts]
            return _sum([re for re, _ in pairs]), _sum([im for _, im in pairs])
        case Multiply((first, *rest)):
            (a, b), (c, d) = _parts(first), _parts(Multiply(tuple(rest)) if len(rest) > 1 else rest[0])
            return _sum([_product(a, c), _product(MINUS, b, d)]), _sum([_product(a, d), _product(b, c)])
        case _:
            raise NotEmittable(
                f"the node {described(term)} is complex inside; wanted a sum or product of real nodes and I"
            )


def _sum(terms: list[Term]) -> Term:
    left = tuple(term for term in terms if term != ZERO)
    return left[0] if len(left) == 1 else Add(left) if left else ZERO


def _product(*factors: Term) -> Term:
    left = tuple(factor for factor in factors if factor != number(1))
    if ZERO in left:
        return ZERO
    return left[0] if len(left) == 1 else Multiply(left) if left else number(1)
