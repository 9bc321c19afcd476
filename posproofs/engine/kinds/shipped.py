"""A shipped subject as TARGET: its adapter says how it is called; what it does is read from the black box all the same.

So `check` shows beside each other what the library is declared to do and what it does, and the laws are asked as in
`verify`. What is read uses nothing of the declaration but how positions are given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from posproofs import production
from posproofs.engine.kinds.introduced import Introduced
from posproofs.engine.kinds.rotary import by_positions
from posproofs.engine.kinds.scores import read
from posproofs.engine.queries import Query
from posproofs.errors import UsageError
from posproofs.identify import identify
from posproofs.laws import AnySubject, Subject
from posproofs.laws.attended import AttentionConvention, AttentionSize, AttentionSubject
from posproofs.laws.attention_cases import output, values_of
from posproofs.laws.attention_sides import Side
from posproofs.laws.scored import ScoreSubject
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from torch import Tensor

TOP = 131073
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
    if subject.convention.rows == "own":
        return ""  # its argument r is no row but a weight of its own table
    size = subject.sizes[-1]
    scores = subject.make(size, torch.float32).scores
    with torch.no_grad():
        found = read(scores, (1, size.heads, 4, size.width))
    own = subject.convention
    return "" if found is None else str(replace(found, table=own.table, first=own.first))


def _attention(subject: AttentionSubject) -> str:
    cases = {size: values_of(subject, {"size": size.listed, "dtype": "float64", "seed": 0}) for size in subject.sizes}
    (size, values), *_ = cases.items()
    scheme = _scheme(subject, cases)
    if scheme is None:
        return ""
    sees = _sees(subject, size, values)
    placed = subject.convention.positions
    if placed in ("counted", "none"):
        placed = "none" if sees == "past" and scheme.positions != "counted" else _ordered(subject, size, values)
    return str(AttentionConvention(scheme.scheme, placed, sees, subject.convention.extent))


def _plain(subject: AttentionSubject, size: AttentionSize, values: Mapping[str, Tensor]) -> Tensor:
    dtype = subject.dtypes[-1]
    return output(subject, size, Side(subject.paths[0]), values, dtype=dtype)


def _sees(subject: AttentionSubject, size: AttentionSize, values: Mapping[str, Tensor]) -> Literal["past", "all"]:
    """Whether the first row sees the last one."""
    x = values["x"].clone()
    x[:, -1] += 0.5
    same = torch.equal(_plain(subject, size, values)[0], _plain(subject, size, {**values, "x": x})[0])
    return "past" if same else "all"


def _ordered(
    subject: AttentionSubject, size: AttentionSize, values: Mapping[str, Tensor]
) -> Literal["counted", "none"]:
    """Whether rows in another order come out in that order."""
    turned = {**values, "x": values["x"].flip(1)}
    whole, back = _plain(subject, size, values), _plain(subject, size, turned).flip(0)
    return "none" if torch.allclose(whole, back, atol=_near(subject, whole)) else "counted"


def _near(subject: AttentionSubject, whole: Tensor) -> float:
    relative = NEAR_FLOAT32 if subject.through == "float32" or "float64" not in subject.dtypes else NEAR
    return relative * float(whole.abs().max())


def _scheme(
    subject: AttentionSubject, cases: Mapping[AttentionSize, Mapping[str, Tensor]]
) -> AttentionConvention | None:
    """The scheme whose formula, of all that are written down, gives these outputs from these weights.

    The formulas of a scheme and of another one that contains it both do, so the declared one is asked first.
    """
    others = [one for one in production.SUBJECTS if isinstance(one, AttentionSubject) and one.formula is not None]
    others.sort(key=lambda one: one.name != subject.name)
    return next((one.convention for one in others if _computes(subject, one, cases)), None)


def _computes(
    subject: AttentionSubject, other: AttentionSubject, cases: Mapping[AttentionSize, Mapping[str, Tensor]]
) -> bool:
    asked = replace(subject, formula=other.formula)
    for size, values in cases.items():
        whole = _plain(subject, size, values)
        try:
            shown = output(asked, size, Side("", "formula"), values, dtype="float64")
        except Exception:  # noqa: BLE001 - a formula over other parameters does not apply
            return False
        if shown.shape != whole.shape or not torch.allclose(whole, shown, rtol=0, atol=_near(subject, whole)):
            return False
    return True
