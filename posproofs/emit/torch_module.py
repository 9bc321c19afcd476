"""The Torch text of a rotation: `rotate`, `table` and `apply`, from what `reading` and `structure` found.

`apply` chooses by situation. A compiler fuses the plain expression, so it gets that; eager code gets the fewest passes
over memory, inside an autograd function whose backward is the transposed map that the kernel proved.
"""

from __future__ import annotations

from derivations.kernel.terms import Number
from posproofs.emit import rotation_text as text
from posproofs.emit import torch_parts as fixed
from posproofs.emit.expressions import Dialect, code
from posproofs.emit.naming import Naming, Parameter, keywords, row_atoms
from posproofs.emit.reading import Arrangement, Rotation
from posproofs.emit.structure import ZERO, Coefficients, Complex, Linear, signed

LIBRARY = "torch"


def sections(rotation: Rotation, naming: Naming, form: str, linear: Linear | None, turn: Complex | None) -> list[str]:
    """The parts of the module below its header, in reading order."""
    fast = form == "table" and linear is not None
    one_table = form != "real" and turn is not None and rotation.reads == rotation.writes == "interleaved"
    parts = [
        "import torch",
        _rotate(rotation, naming),
        _table(rotation, naming, side_by_side=one_table),
        _apply(rotation, naming, _ending(form, fast=fast, one_table=one_table)),
    ]
    if form != "complex":
        parts.append(_plain(rotation, naming))
    if form == "complex" and turn is not None:
        parts.append(_product(rotation, naming, turn, "_product"))
    if fast and linear is not None:
        parts += _fast(rotation, naming, linear, turn if one_table else None)
    if one_table and turn is not None:
        parts.append(fixed.PAIR_PRODUCT)
        call = f"torch.ops.posproofs.pair_product(x, {_table_arguments(naming, turn)})"
        parts += [fixed.TRACED_FOR_PAIRS.replace("CALL", call)] if fast else []
    return [*parts, *_checks(rotation, naming)]


def _rotate(rotation: Rotation, naming: Naming) -> str:
    doc = text.rotate_doc(rotation, naming, "tensor")
    lines = [
        "dim = _turning_width(x, positions, rotary_dim)",
        "dtype = torch.float64 if x.dtype == torch.float64 else torch.float32",
        text.table_call(naming),
        "if dim == x.shape[-1]:",
        f"    return {text.apply_call(naming, 'x')}",
        f"turned = {text.apply_call(naming, 'x[..., :dim]')}",
        "return torch.cat((turned, x[..., dim:]), dim=-1)",
    ]
    return "\n".join([text.rotate_signature(naming), doc, text.body(lines)])


def _table(rotation: Rotation, naming: Naming, *, side_by_side: bool) -> str:
    options = ["dim", *keywords(naming.of_table), "dtype=torch.float32"]
    doc = text.table_doc(rotation, naming, "tensor", "torch.float32 or torch.float64")
    lines = [
        f"{naming.count} = _groups(dim)",
        "_require_positions(positions)",
        "_require_table_dtype(dtype)",
        'exact = {"dtype": torch.float64, "device": positions.device}',
        *_parameters(naming, naming.of_table, "**exact"),
    ]
    if text.needs_index(rotation):
        lines.append(f"{naming.index} = torch.arange({naming.count}, **exact)")
    lines.append(f"{naming.position} = positions.to(dtype).unsqueeze(-1)")
    lines += _waves(rotation, naming, side_by_side=side_by_side)
    return "\n".join([text.signature("table", "positions", options), doc, text.body(lines)])


def _waves(rotation: Rotation, naming: Naming, *, side_by_side: bool) -> list[str]:
    lines = []
    angles = text.angle_lines(rotation, naming, Dialect(LIBRARY, frozenset({rotation.count})), "({}).to(dtype)")
    for computed, angle, (cosine, sine) in zip(angles, rotation.angles, naming.tables, strict=True):
        lines += computed
        if not text.covers_groups(rotation, angle):
            # torch.as_tensor: an angle without positions and groups is a Python number.
            lines.append(
                f"{naming.angle} = torch.as_tensor({naming.angle}, dtype=dtype, device=positions.device)"
                f".expand(*positions.shape, {naming.count})"
            )
        if side_by_side:
            lines += [f"waves = torch.stack((torch.cos({naming.angle}), torch.sin({naming.angle})), dim=-1)"]
            lines += [f"{cosine}, {sine} = waves[..., 0], waves[..., 1]"]
            lines += ["# Side by side in memory they are one complex table, which `apply` finds again without a copy."]
            lines += [f"{cosine}.cosines_of, {sine}.sines_of = waves, waves"]
            return [*lines, f"return {cosine}, {sine}"]
        lines += [f"{cosine}, {sine} = torch.cos({naming.angle}), torch.sin({naming.angle})"]
    return [*lines, f"return {', '.join(naming.flat_tables)}"]


def _parameters(naming: Naming, parameters: tuple[Parameter, ...], where: str) -> list[str]:
    """Keywords as tensors."""
    lines = []
    for p in parameters:
        if p.is_array:
            lines.append(f'{p.name} = _array("{p.name}", {p.name}, {naming.count}, {where})')
        elif p.is_base:
            lines.append(f"{p.name} = torch.as_tensor(_checked_base({p.name}), {where})")
        else:
            lines.append(f"{p.name} = torch.as_tensor({p.name}, {where})")
    return lines


def _ending(form: str, *, fast: bool, one_table: bool) -> str:
    """How `apply` comes to its result."""
    if form == "complex":
        return fixed.PRODUCT_ONLY
    if not fast:
        return fixed.PLAIN_ONLY
    return fixed.CHOICE.replace("TRACED", fixed.TRACED_PAIRS if one_table else fixed.TRACED)


def _apply(rotation: Rotation, naming: Naming, ending: str) -> str:
    tables, inner = naming.flat_tables, text.inner_arguments(naming)
    doc = text.apply_doc(rotation, naming, "tensor")
    shown = ", ".join(f"{name}={name}" for name in tables)
    lines = [f"dtype, work = x.dtype, _working_dtype(x, {shown})"]
    lines.append(f"if not dtype == {' == '.join(f'{name}.dtype' for name in tables)} == work:")
    lines.append(f"    {', '.join(['x', *tables])} = {', '.join(f'{name}.to(work)' for name in ['x', *tables])}")
    where = "dtype=work, device=x.device"
    if naming.index_in_rows or naming.count_in_rows or any(p.is_array for p in naming.of_apply):
        lines.append(f"{naming.count} = x.shape[-1] // {rotation.slots}")
    lines += _parameters(naming, naming.of_apply, where)
    if naming.index_in_rows:
        lines.append(f"{naming.index} = torch.arange({naming.count}, {where})")
    if naming.count_in_rows:
        lines.append(f"{naming.count} = torch.as_tensor({naming.count}, {where})")
    learned = " or ".join(f"{name}.requires_grad" for name in inner.split(", ")[1:])
    lines += ending.format(inner=inner, tables=inner.removeprefix("x, "), learned=learned).splitlines()
    options = keywords(naming.of_apply)
    return "\n".join([text.signature("apply", ", ".join(["x", *tables]), options), doc, text.body(lines)])


def _split(name: str, parts: tuple[str, ...], arrangement: Arrangement) -> str:
    """Views of the slots of every group."""
    size = len(parts)
    views = {"interleaved": f"unflatten(-1, (-1, {size})).unbind(-1)", "half-split": f"chunk({size}, dim=-1)"}
    return f"{', '.join(parts)} = {name}.{views[arrangement]}" if size > 1 else f"{parts[0]} = {name}"


def _joined(parts: tuple[str, ...], arrangement: Arrangement) -> str:
    if len(parts) == 1:
        return parts[0]
    together = f"({', '.join(parts)})"
    return (
        f"torch.stack({together}, dim=-1).flatten(-2)"
        if arrangement == "interleaved"
        else f"torch.cat({together}, dim=-1)"
    )


def _plain(rotation: Rotation, naming: Naming) -> str:
    lines = [
        _split("x", naming.inputs, rotation.reads),
        *text.row_lines(rotation, naming, Dialect(LIBRARY)),
        f"return {_joined(naming.outputs, rotation.writes)}",
    ]
    doc = text.docstring("The formula as it stands in the statement.")
    return "\n".join([f"def _plain({text.inner_arguments(naming)}):", doc, text.body(lines)])


def _table_arguments(naming: Naming, turn: Complex) -> str:
    """The tables as arguments of a complex product, the sine negated where the map turns the other way."""
    ((cosine, sine),) = naming.tables
    return f"{cosine}, {sine if turn.sign == 1 else f'-{sine}'}"


def _product(rotation: Rotation, naming: Naming, turn: Complex, name: str) -> str:
    tables = _table_arguments(naming, turn)
    if rotation.reads == rotation.writes == "interleaved":
        lines = [f"return _pair_product(x, {tables})"]
    else:
        x0, x1 = naming.inputs
        both = {"interleaved": "torch.view_as_real(y).flatten(-2)", "half-split": "torch.cat((y.real, y.imag), dim=-1)"}
        lines = [
            _split("x", naming.inputs, rotation.reads),
            f"y = torch.complex({x0}, {x1}) * torch.complex({tables})",
            f"return {both[rotation.writes]}",
        ]
    doc = text.docstring("The rotation of every pair as one complex product.")
    return "\n".join([f"def {name}({text.inner_arguments(naming)}):", doc, text.body(lines)])


def _fast(rotation: Rotation, naming: Naming, linear: Linear, turn: Complex | None) -> list[str]:
    """`_fast`, `_fast_back` and the autograd function that joins them."""
    inner = text.inner_arguments(naming)
    if turn is not None:
        forward = _product(rotation, naming, turn, "_fast")
    else:
        forward = _by_rows("_fast", rotation, naming, linear.coefficients, (rotation.reads, rotation.writes))
    if linear.turns_back:
        doc = text.docstring("The transposed map, which turns back: every sine negated.")
        sines = {sine for _, sine in naming.tables}
        back = ", ".join(f"-{name}" if name in sines else name for name in inner.split(", "))
        backward = "\n".join([f"def _fast_back({inner}):", doc, f"    return _fast({back})"])
    else:
        columns = tuple(zip(*linear.coefficients, strict=True))
        backward = _by_rows("_fast_back", rotation, naming, columns, (rotation.writes, rotation.reads))
    return [forward, backward, fixed.LINEAR]


def _by_rows(
    name: str, rotation: Rotation, naming: Naming, coefficients: Coefficients, layouts: tuple[Arrangement, Arrangement]
) -> str:
    """Multiply and add each row into one new tensor."""
    atoms = row_atoms(rotation, naming)
    reads, writes = layouts
    lines = [_split("x", naming.inputs, reads), "y = torch.empty_like(x)", _split("y", naming.outputs, writes)]
    for y, row in zip(naming.outputs, coefficients, strict=True):
        first = True
        for x, term in zip(naming.inputs, row, strict=True):
            sign, size = signed(term)
            if size == ZERO:
                continue
            value = code(size, Dialect(LIBRARY), atoms)
            lines.append(
                _first(x, y, sign, value) if first else _next(x, y, sign, value, number=isinstance(size, Number))
            )
            first = False
        lines += [f"{y}.zero_()"] if first else []
    doc = text.docstring("Row by row into one new tensor, without a temporary of its size.")
    if name == "_fast_back":
        doc = text.docstring("The transposed map, for gradients.")
    return "\n".join([f"def {name}({text.inner_arguments(naming)}):", doc, text.body([*lines, "return y"])])


def _first(x: str, y: str, sign: int, value: str) -> str:
    if value == "1":
        return f"{y}.copy_({x})" if sign == 1 else f"torch.neg({x}, out={y})"
    return f"torch.mul({x}, {value if sign == 1 else f'-({value})' if ' ' in value else f'-{value}'}, out={y})"


def _next(x: str, y: str, sign: int, value: str, *, number: bool) -> str:
    if number:
        return f"{y}.add_({x}, alpha={value if sign == 1 else f'-{value}'})"
    return f"{y}.addcmul_({x}, {value}{'' if sign == 1 else ', value=-1'})"


def _checks(rotation: Rotation, naming: Naming) -> list[str]:
    parameters = (*naming.of_table, *naming.of_apply)
    parts = [fixed.CHECKS.replace("SLOTS", str(rotation.slots))]
    parts += [fixed.BASE] if any(p.is_base for p in parameters) else []
    parts += [fixed.ARRAY] if any(p.is_array for p in parameters) else []
    return parts
