"""The words and expressions that the NumPy and the Torch text of a rotation share."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from derivations.kernel.layouts import Slot
from derivations.kernel.terms import Family, Symbol, Term, free_names
from derivations.plain import hypothesis_text, term_text
from posproofs.emit.angles import SplitAngle, split_angle
from posproofs.emit.expressions import Dialect, code
from posproofs.emit.header import coordinate
from posproofs.emit.naming import Naming, Parameter, angle_atoms, handed_on, keywords, row_atoms
from posproofs.emit.reading import POSITION, Arrangement, Rotation, angle_leaves

INDENT = "    "


def unit(rotation: Rotation) -> str:
    """What turns together: a pair, or a group of S coordinates."""
    return "pair" if rotation.slots == 2 else f"group of {rotation.slots}"


def places(rotation: Rotation, arrangement: Arrangement) -> str:
    """Where group i stands: (2*i, 2*i + 1), or (i, i + h)."""
    size = rotation.slots
    slots = [Slot(size, 0, a) if arrangement == "interleaved" else Slot(1, a, 0) for a in range(size)]
    return f"({', '.join(coordinate(s, rotation.index, rotation.count) for s in slots)})"


def layout_words(rotation: Rotation) -> str:
    """One sentence on the layout of what is read, and of what is written where the two differ."""
    what = f"Layout {rotation.reads}: {unit(rotation)} {rotation.index} stands at {places(rotation, rotation.reads)}"
    if rotation.reads == rotation.writes:
        return f"{what}."
    return f"{what}; it is written {rotation.writes}, to {places(rotation, rotation.writes)}."


def signature(name: str, first: str, options: Iterable[str]) -> str:
    """A definition line, broken where it would pass 120 columns."""
    star = [*options]
    line = f"def {name}({', '.join([first, *(['*', *star] if star else [])])}):"
    if len(line) <= 120:
        return line
    return f"def {name}(\n    {first},\n    *,\n" + "".join(f"    {option},\n" for option in star) + "):"


@dataclass(frozen=True, slots=True)
class Part:
    """A section of a docstring in the style of NumPy: entries of a head and a sentence or more, which may be empty."""

    title: str
    entries: list[tuple[str, str]]


def docstring(first: str, *parts: Part | str) -> str:
    """A docstring for an emitted function: one sentence, then sections and paragraphs."""
    if not parts:
        return f'{INDENT}"""{first}"""'
    lines = [f'"""{first}', *(line for part in parts for line in ("", *_part_lines(part))), '"""']
    return "\n".join(f"{INDENT}{line}".rstrip() for line in lines)


def _part_lines(part: Part | str) -> list[str]:
    if isinstance(part, str):
        return _wrapped(part, "")
    entries = [line for head, words in part.entries for line in (*_wrapped(head, ""), *_wrapped(words, INDENT))]
    return [part.title, "-" * len(part.title), *entries]


def _wrapped(words: str, indent: str) -> list[str]:
    lines = textwrap.wrap(words, 112 - len(indent), break_long_words=False, break_on_hyphens=False)
    return [indent + line for line in lines]


def body(lines: Iterable[str]) -> str:
    """Statements of a function."""
    return textwrap.indent("\n".join(lines), INDENT)


def rotate_signature(naming: Naming) -> str:
    """rotate(x, positions, *, base=10000.0, rotary_dim=None)."""
    both = list(dict.fromkeys((*naming.of_table, *naming.of_apply)))
    return signature("rotate", "x, positions", [*keywords(both), "rotary_dim=None"])


def table_call(naming: Naming) -> str:
    """The call of `table` in `rotate`."""
    options = ["dim=dim", *handed_on(naming.of_table), "dtype=dtype"]
    return f"{', '.join(naming.flat_tables)} = table(positions, {', '.join(options)})"


def apply_call(naming: Naming, x: str) -> str:
    """The call of `apply` in `rotate`."""
    return f"apply({', '.join([x, *naming.flat_tables, *handed_on(naming.of_apply)])})"


def inner_arguments(naming: Naming) -> str:
    """What the helpers of `apply` take: x, the tables, and whatever else the rows contain."""
    rest = [p.name for p in naming.of_apply]
    rest += [naming.index] if naming.index_in_rows else []
    rest += [naming.count] if naming.count_in_rows else []
    return ", ".join(["x", *naming.flat_tables, *rest])


def option_entries(rotation: Rotation, parameters: Iterable[Parameter]) -> list[tuple[str, str]]:
    """The keywords of the statement in a docstring."""
    entries = []
    for p in dict.fromkeys(parameters):
        if p.is_base:
            entries.append((f"{p.name} : finite positive number", ""))
        elif p.is_array:
            each = f"One value for each {unit(rotation)}."
            entries.append((f"{p.name} : real, shape ({rotation.count},){_condition(rotation, p)}", each))
        else:
            entries.append((f"{p.name} : real number{_condition(rotation, p)}", ""))
    return entries


def _condition(rotation: Rotation, parameter: Parameter) -> str:
    """What the theorem assumes of a parameter."""
    conditions = [hypothesis_text(h) for h in rotation.hypotheses if h.left == parameter.leaf]
    return "".join(f", {condition}" for condition in conditions)


def rotate_doc(rotation: Rotation, naming: Naming, array: str) -> str:
    """The docstring of `rotate`, for a `tensor` or an `array`."""
    kept = (
        "Its dtype and device are those of x, and it is differentiable."
        if array == "tensor"
        else "Its dtype is that of x."
    )
    partial = f"Only the first rotary_dim coordinates turn, a multiple of {rotation.slots}; by default all D."
    return docstring(
        f"Turn each {unit(rotation)} of coordinates of x by the angle of its position.",
        Part(
            "Parameters",
            [
                (f"x : floating {array}, shape (..., T, D)", ""),
                (f"positions : real {array}, broadcastable to x.shape[:-1]", POSITIONS),
                *option_entries(rotation, (*naming.of_table, *naming.of_apply)),
                ("rotary_dim : int, optional", f"{partial} {layout_words(rotation)}"),
            ],
        ),
        Part("Returns", [(f"{array}, shape (..., T, D)", f"A new {array}. {kept} {PRECISION}")]),
        Part("Raises", [("ValueError", "With what was seen and what was wanted.")]),
    )


POSITIONS = "(T,) for all batches and heads, (B, 1, T) where the batches of an x of shape (B, H, T, D) differ."
PRECISION = "Computed in float32, in float64 where x is float64, and rounded to the dtype of x once."
RECIPE = (
    "What does not depend on the position is computed in float64 and rounded to dtype once. Positions are rounded to "
    "dtype (float32 holds every integer up to 2**24); the angle, its cosine and its sine are computed in dtype."
)


def table_doc(rotation: Rotation, naming: Naming, array: str, dtypes: str) -> str:
    """The docstring of `table`."""
    count = rotation.count
    pairs = zip(naming.tables, rotation.angles, strict=True)
    angles = "; ".join(f"{cosine} and {sine} of {term_text(angle)}" for (cosine, sine), angle in pairs)
    groups = f"{unit(rotation)} {rotation.index} = 0..{count}-1, {count} = dim // {rotation.slots}"
    return docstring(
        f"Cosine and sine of the angle of every position and {unit(rotation)}.",
        Part(
            "Parameters",
            [
                (f"positions : real {array}, any shape", ""),
                ("dim : int", f"The width that turns, a positive multiple of {rotation.slots}."),
                *option_entries(rotation, naming.of_table),
                (f"dtype : {dtypes}", ""),
            ],
        ),
        Part(
            "Returns",
            [
                (
                    f"{', '.join(naming.flat_tables)} : {array}s, shape positions.shape + ({count},)",
                    f"{angles}, at position {POSITION} and {groups}.",
                )
            ],
        ),
        Part("Notes", [(RECIPE, "")]),
    )


def apply_doc(rotation: Rotation, naming: Naming, array: str) -> str:
    """The docstring of `apply`."""
    count = rotation.count
    differentiable = " Differentiable in x and in the tables." if array == "tensor" else ""
    computed = "Computed in the widest dtype of x and the tables, at least float32."
    return docstring(
        f"Turn x by tables that are given. {layout_words(rotation)}",
        Part(
            "Parameters",
            [
                (f"x : floating {array}, shape (..., {rotation.slots}*{count})", ""),
                (
                    f"{', '.join(naming.flat_tables)} : floating {array}s, broadcastable to x.shape[:-1] + ({count},)",
                    "",
                ),
                *option_entries(rotation, naming.of_apply),
            ],
        ),
        Part("Returns", [(f"{array}, shape and dtype of x", computed + differentiable)]),
    )


def needs_index(rotation: Rotation) -> bool:
    """Whether an angle contains the index of the group."""
    return Symbol(rotation.index) in angle_leaves(rotation)


def angle_lines(rotation: Rotation, naming: Naming, dialect: Dialect, cast: str) -> list[list[str]]:
    """For each angle the lines that compute it, the last one an assignment to the name of the angle.

    cast: how a float64 array becomes one of dtype, as a pattern with one place for the array.
    """
    atoms = angle_atoms(rotation, naming)
    splits = list[SplitAngle]()
    for angle in rotation.angles:
        splits.append(split_angle(angle, sum(len(s.constants) for s in splits)))
    alone = sum(len(s.constants) for s in splits) == 1
    result = []
    for split in splits:
        lines, known = [], dict[Term, str]({Symbol(POSITION): naming.position})
        for name, term in split.constants:
            known[name] = naming.frequency if alone else f"{naming.frequency}{code(name.index, dialect, {})}"
            lines.append(f"{known[name]} = {cast.format(code(term, dialect, atoms))}")
        result.append([*lines, f"{naming.angle} = {code(split.angle, dialect, {**atoms, **known})}"])
    return result


def covers_groups(rotation: Rotation, angle: Term) -> bool:
    """Whether an angle has a value for each position and each group, so that its shape is that of the table."""
    names = free_names(angle)
    families = [leaf.name for leaf in angle_leaves(rotation) if isinstance(leaf, Family)]
    return POSITION in names and (rotation.index in names or not names.isdisjoint(families))


def row_lines(rotation: Rotation, naming: Naming, dialect: Dialect) -> list[str]:
    """The rows of the statement as assignments."""
    atoms = row_atoms(rotation, naming)
    rows = zip(naming.outputs, rotation.rows, strict=True)
    return [f"{name} = {code(row, dialect, atoms)}" for name, row in rows]
