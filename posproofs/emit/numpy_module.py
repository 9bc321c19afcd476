"""The NumPy text of a rotation: `rotate`, `table` and `apply`. `apply` has one way to work: NumPy compiles nothing."""

from __future__ import annotations

from posproofs.emit import numpy_parts as fixed
from posproofs.emit import rotation_text as text
from posproofs.emit.expressions import Dialect, code
from posproofs.emit.naming import Naming, Parameter, keywords, row_atoms
from posproofs.emit.reading import Arrangement, Rotation
from posproofs.emit.structure import Complex

LIBRARY = "np"


def sections(rotation: Rotation, naming: Naming, turn: Complex | None) -> list[str]:
    """The parts of the module below its header, in reading order."""
    return [
        "import numpy as np",
        _rotate(rotation, naming),
        _table(rotation, naming),
        _apply(rotation, naming, turn),
        *_checks(rotation, naming),
    ]


def _rotate(rotation: Rotation, naming: Naming) -> str:
    doc = text.rotate_doc(rotation, naming, "array")
    lines = [
        "x, positions = np.asarray(x), np.asarray(positions)",
        "dim = _turning_width(x, positions, rotary_dim)",
        "dtype = np.promote_types(x.dtype, np.float32)",
        text.table_call(naming),
        "if dim == x.shape[-1]:",
        f"    return {text.apply_call(naming, 'x')}",
        f"turned = {text.apply_call(naming, 'x[..., :dim]')}",
        "return np.concatenate((turned, x[..., dim:]), axis=-1)",
    ]
    return "\n".join([text.rotate_signature(naming), doc, text.body(lines)])


def _table(rotation: Rotation, naming: Naming) -> str:
    options = ["dim", *keywords(naming.of_table), "dtype=np.float32"]
    doc = text.table_doc(rotation, naming, "array", "np.float32 or wider")
    lines = [
        f"{naming.count} = _groups(dim)",
        "positions = np.asarray(positions)",
        "_require_positions(positions)",
        "_require_table_dtype(dtype)",
        *_parameters(naming, naming.of_table, "np.float64"),
    ]
    if text.needs_index(rotation):
        lines.append(f"{naming.index} = np.arange({naming.count}, dtype=np.float64)")
    lines.append(f"{naming.position} = positions.astype(dtype)[..., np.newaxis]")
    angles = text.angle_lines(
        rotation, naming, Dialect(LIBRARY, frozenset({rotation.count})), "np.asarray({}).astype(dtype)"
    )
    for computed, angle, (cosine, sine) in zip(angles, rotation.angles, naming.tables, strict=True):
        lines += computed
        if not text.covers_groups(rotation, angle):
            wide = f"np.broadcast_to({naming.angle}, (*positions.shape, {naming.count}))"
            lines.append(f"{naming.angle} = {wide}.astype(dtype)")
        lines.append(f"{cosine}, {sine} = np.cos({naming.angle}), np.sin({naming.angle})")
    lines.append(f"return {', '.join(naming.flat_tables)}")
    return "\n".join([text.signature("table", "positions", options), doc, text.body(lines)])


def _parameters(naming: Naming, parameters: tuple[Parameter, ...], dtype: str) -> list[str]:
    """Keywords as arrays."""
    lines = []
    for p in parameters:
        if p.is_array:
            lines.append(f'{p.name} = _array("{p.name}", {p.name}, {naming.count}, {dtype})')
        elif p.is_base:
            lines.append(f"{p.name} = np.asarray(_checked_base({p.name}), dtype={dtype})")
        else:
            lines.append(f"{p.name} = np.asarray({p.name}, dtype={dtype})")
    return lines


def _apply(rotation: Rotation, naming: Naming, turn: Complex | None) -> str:
    tables = naming.flat_tables
    doc = text.apply_doc(rotation, naming, "array")
    every = ["x", *tables]
    lines = [
        f"{', '.join(every)} = {', '.join(f'np.asarray({name})' for name in every)}",
        f"dtype, work = x.dtype, _working_dtype(x, {', '.join(f'{name}={name}' for name in tables)})",
        f"{', '.join(every)} = {', '.join(f'{name}.astype(work, copy=False)' for name in every)}",
    ]
    if naming.index_in_rows or naming.count_in_rows or any(p.is_array for p in naming.of_apply):
        lines.append(f"{naming.count} = x.shape[-1] // {rotation.slots}")
    lines += _parameters(naming, naming.of_apply, "work")
    if naming.index_in_rows:
        lines.append(f"{naming.index} = np.arange({naming.count}, dtype=work)")
    lines.append(f"{', '.join(naming.inputs)}{',' * (rotation.slots == 1)} = {_views('x', rotation, rotation.reads)}")
    lines.append("y = np.empty(x.shape, dtype=dtype)")
    lines += _rows(rotation, naming) if turn is None else _product(rotation, naming, turn)
    options = keywords(naming.of_apply)
    return "\n".join([text.signature("apply", ", ".join(every), options), doc, text.body([*lines, "return y"])])


def _rows(rotation: Rotation, naming: Naming) -> list[str]:
    atoms = row_atoms(rotation, naming)
    rows = [code(row, Dialect(LIBRARY, frozenset({rotation.count})), atoms) for row in rotation.rows]
    return [f"{_view('y', a, rotation, rotation.writes)} = {row}" for a, row in enumerate(rows)]


def _product(rotation: Rotation, naming: Naming, turn: Complex) -> list[str]:
    ((cosine, sine),) = naming.tables
    x0, x1 = naming.inputs
    factor = f"{cosine} {'+' if turn.sign == 1 else '-'} 1j * {sine}"
    real, imaginary = (_view("y", a, rotation, rotation.writes) for a in (0, 1))
    return [f"z = ({factor}) * ({x0} + 1j * {x1})", f"{real}, {imaginary} = z.real, z.imag"]


def _view(name: str, position: int, rotation: Rotation, arrangement: Arrangement) -> str:
    """One slot of every group."""
    size = rotation.slots
    if arrangement == "interleaved":
        return f"{name}[..., {position}::{size}]"
    step = f"{name}.shape[-1] // {size}"
    start = "" if position == 0 else step if position == 1 else f"{position} * ({step})"
    stop = "" if position == size - 1 else step if position == 0 else f"{position + 1} * ({step})"
    return f"{name}[..., {start} : {stop}]".replace("[...,  :", "[..., :").replace(": ]", ":]")


def _views(name: str, rotation: Rotation, arrangement: Arrangement) -> str:
    return ", ".join(_view(name, a, rotation, arrangement) for a in range(rotation.slots))


def _checks(rotation: Rotation, naming: Naming) -> list[str]:
    parameters = (*naming.of_table, *naming.of_apply)
    parts = [fixed.CHECKS.replace("SLOTS", str(rotation.slots))]
    parts += [fixed.BASE] if any(p.is_base for p in parameters) else []
    parts += [fixed.ARRAY] if any(p.is_array for p in parameters) else []
    return parts
