"""A shipped subject as TARGET: its adapter says how it is called; what it does is read from the black box all the same.

So `check` shows beside each other what the library is declared to do and what it does, and the laws are asked as in
`verify`. What is read uses nothing of the declaration but how positions are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from posproofs import production
from posproofs.engine.kinds.introduced import Introduced
from posproofs.engine.kinds.rotary import by_positions
from posproofs.engine.kinds.scores import OwnRows, read
from posproofs.engine.queries import Query
from posproofs.errors import UsageError
from posproofs.identify import identify
from posproofs.laws import AnySubject, Subject
from posproofs.laws.attended import AttentionConvention, AttentionSize, AttentionSubject
from posproofs.laws.attention_cases import Values, output, values_of
from posproofs.laws.attention_sides import WAVES, Side
from posproofs.laws.score_calls import given_rows, scattered
from posproofs.laws.scored import ScoreSubject
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import Layout

if TYPE_CHECKING:
    from typing import Literal

    from torch import Tensor

Cases = Mapping[AttentionSize, Values]
LAYOUTS: tuple[Layout, ...] = ("half-split", "interleaved")
TOP = 131073
GROWN = 8.0
NEAR = 1e-9  # relative to the output, of what is computed in float64 twice
NEAR_FLOAT32 = 1e-4  # where numbers pass through float32


def introduced_shipped(query: Query) -> Introduced:
    """The subject of that name with what is read of it. Raises UnknownName, UsageError."""
    subject = production.subject(query.target)
    if query != Query(query.target):
        raise UsageError(f"{query.target} is called and declared as its adapter says; leave out the options but --seed")
    version = production.installed(subject)
    if version is None:
        raise UsageError(f"{query.target} needs {subject.package}, which is not installed")
    words = identified(subject)
    return Introduced(
        subject=subject,
        kind=subject.kind,
        shape="as its adapter calls it",
        code="",
        identified=words or f"{subject.convention} (declared; not read from its outputs)",
        named=True,
        declared=isinstance(subject, Subject),
        digest=version,
        warnings=() if words.startswith(str(subject.convention)) or not words else (f"declared: {subject.convention}",),
    )


def identified(subject: AnySubject) -> str:
    """The convention that its outputs show, in the words of a declaration; "" where they do not show it."""
    if isinstance(subject, Subject):
        return _rotary(subject)
    return _scores(subject) if isinstance(subject, ScoreSubject) else _attention(subject)


def _rotary(subject: Subject) -> str:
    width = subject.widths[-1]
    rotate = by_positions(subject.takes, subject.make(width).rotate)
    return str(identify(rotate, dim=width.head, farthest=min(subject.limit or TOP, TOP) - 1))


def _scores(subject: ScoreSubject) -> str:
    size = subject.sizes[-1]
    scores, shape = subject.make(size, torch.float32).scores, (1, size.heads, 4, size.width)
    with torch.no_grad():
        if subject.convention.rows == "given":
            found = read(scores, shape)
            return "" if found is None else str(found)
        for layout in LAYOUTS:
            own = replace(subject.convention, table=layout)
            rows = partial(given_rows, replace(subject, convention=own))
            found = read(scores, shape, own=OwnRows(size.model, rows))
            if found is not None:
                return f"{found}; its table {layout}, base {own.base:g}"
    return ""


def _attention(subject: AttentionSubject) -> str:
    """The words, and after them the paths that give another output than the one that showed it."""
    cases = {size: _values(subject, size) for size in subject.sizes}
    outputs = {path: _outputs(subject, cases, path) for path in subject.paths}
    for path, wholes in outputs.items():
        scheme = _scheme(subject, cases, wholes)
        if scheme is None:
            continue
        placed, sees = subject.convention.positions, _sees(subject, cases, path)
        if placed in ("counted", "none"):
            placed = "none" if sees == "past" and scheme.positions != "counted" else _ordered(subject, cases, path)
        words = str(AttentionConvention(scheme.scheme, placed, sees, subject.convention.extent))
        others = [name for name, found in outputs.items() if not _same(subject, wholes, found)]
        return f"{words}; by {path}, not by {', '.join(others)}" if others else words
    return ""


def _values(subject: AttentionSubject, size: AttentionSize) -> Values:
    """Numbers for every symbol, in a layer as large as in an attention alone.

    The laws draw small ones for layers, because what they allow grows with each. There the residuals drown what a
    rotation or a bias does: two layers with and without one would be the same to seven digits.
    """
    drawn = values_of(subject, {"size": size.listed, "dtype": "float64", "seed": 0})
    if subject.convention.extent == "attention":
        return drawn
    return {name: value if name in ("p", "s", WAVES) else GROWN * value for name, value in drawn.items()}


def _outputs(subject: AttentionSubject, cases: Cases, path: str) -> Mapping[AttentionSize, Tensor]:
    return {size: _output(subject, size, path, values) for size, values in cases.items()}


def _output(subject: AttentionSubject, size: AttentionSize, path: str, values: Values) -> Tensor:
    return output(subject, size, Side(path), values, dtype=subject.dtypes[-1])


def _same(
    subject: AttentionSubject, ones: Mapping[AttentionSize, Tensor], others: Mapping[AttentionSize, Tensor]
) -> bool:
    return all(_close(subject, whole, others[size]) for size, whole in ones.items())


def _sees(subject: AttentionSubject, cases: Cases, path: str) -> Literal["past", "all"]:
    """Whether the first row sees the last one."""
    (size, values), *_ = cases.items()
    x = values["x"].clone()
    x[:, -1] = scattered(1, size.model, seed=97)  # no shift of it all, which a norm takes out
    same = torch.equal(_output(subject, size, path, values)[0], _output(subject, size, path, {**values, "x": x})[0])
    return "past" if same else "all"


def _ordered(subject: AttentionSubject, cases: Cases, path: str) -> Literal["counted", "none"]:
    """Whether rows in another order come out in that order."""
    (size, values), *_ = cases.items()
    turned = {**values, "x": values["x"].flip(1)}
    whole, back = _output(subject, size, path, values), _output(subject, size, path, turned).flip(0)
    return "none" if _close(subject, whole, back) else "counted"


def _close(subject: AttentionSubject, whole: Tensor, shown: Tensor) -> bool:
    relative = NEAR_FLOAT32 if subject.through == "float32" or "float64" not in subject.dtypes else NEAR
    return shown.shape == whole.shape and torch.allclose(whole, shown, rtol=0, atol=relative * float(whole.abs().max()))


def _scheme(
    subject: AttentionSubject, cases: Cases, wholes: Mapping[AttentionSize, Tensor]
) -> AttentionConvention | None:
    """The scheme whose formula, of all that are written down, gives these outputs from these weights.

    The formulas of a scheme and of another one that contains it both do, so the declared one is asked first.
    """
    others = [one for one in production.SUBJECTS if isinstance(one, AttentionSubject) and one.formula is not None]
    others.sort(key=lambda one: one.name != subject.name)
    return next((one.convention for one in others if _computes(subject, one, cases, wholes)), None)


def _computes(
    subject: AttentionSubject, other: AttentionSubject, cases: Cases, wholes: Mapping[AttentionSize, Tensor]
) -> bool:
    asked = replace(subject, formula=other.formula)
    for size, values in cases.items():
        try:
            shown = output(asked, size, Side("", "formula"), values, dtype="float64")
        except Exception:  # noqa: BLE001 - a formula over other parameters does not apply
            return False
        if not _close(subject, wholes[size], shown):
            return False
    return True
