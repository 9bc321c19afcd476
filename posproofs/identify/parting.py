"""Where two functions part: the first position, what explains it, and the weight rows that make one the other.

Pairing, direction and output order are conventions that a permutation of the rows of the query and key weights absorbs:
turning the other way is turning the pair with its members exchanged. So b, given the coordinates of a in the order
`rows`, has a's scores, up to the ratio of the scales squared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from posproofs.errors import BadInput
from posproofs.identify.bases import power_units
from posproofs.identify.blocks import length_error
from posproofs.identify.found import Identified, Turning
from posproofs.identify.identifying import FARTHEST, asked, identify
from posproofs.identify.probing import HEADS, UNITS, NotRotary, Probe, Rotate, linear_error
from posproofs.laws.calling import at_worst, pattern
from posproofs.mutants.backend import torch

if TYPE_CHECKING:
    from torch import Tensor

DENSE = 4098  # every position below it is asked: the ends of bfloat16, float16 and the usual tables are among them
_BATCH = 2


@dataclass(frozen=True, slots=True)
class Parting:
    """How a and b compare. position: the first of those asked at which they differ by more than `allowed`, or None.

    left, right: the outputs of a and b there, at `coordinate`. first, second: what a and b are.
    explained: of "permutation", "sign", "scale" and "origin" those that explain it together; none if they do not.
    rows: coordinate k of b takes coordinate rows[k] of a, in every head, and b has a's scores; None: there are none.
    scale: scores of b are scale**2 times those of a then.
    """

    position: int | None
    positions: int
    farthest: int
    coordinate: int
    left: float
    right: float
    allowed: float
    first: Identified
    second: Identified
    explained: tuple[str, ...] = ()
    rows: tuple[int, ...] | None = None
    scale: float = 1.0

    def __str__(self) -> str:
        if self.position is None:
            return f"they agree at {self.positions} positions to {self.farthest}"
        seen = f"coordinate {self.coordinate} is {self.left:.6g} against {self.right:.6g}, allowed {self.allowed:.2g}"
        return f"they part at position {self.position}: {seen}{self._why()}"

    def _why(self) -> str:
        if self.rows is None:
            return f"\n  a  {self.first}\n  b  {self.second}"
        scaled = "" if self.scale == 1.0 else f", scores times {self.scale**2:g}"
        moved = self.rows != tuple(range(len(self.rows)))
        rows = f"give it the weight rows {list(self.rows)} of each head" if moved else "weights stay as they are"
        return f"; explained by {' and '.join(self.explained)}; {rows}{scaled}"


def against(a: Rotate, b: Rotate, *, dim: int, dtype: torch.dtype | None = None, farthest: int = FARTHEST) -> Parting:
    """The first position at which a and b part, and what explains it; arguments as for `identify`.

    Allowed is what table, products and angles cost each of them. Angles, frequencies and positions in fewer bits than
    float32 are no excuse. Every position below 4098 is asked, and those around the powers of two beyond.
    """
    kind = torch.float32 if dtype is None else dtype
    first = identify(a, dim=dim, dtype=kind, farthest=farthest)
    second = identify(b, dim=dim, dtype=kind, farthest=farthest)
    ends = [found.limit for found in (first, second) if found.limit is not None]
    end = min([farthest + 1, *ends])
    dense = tuple(range(min(end, DENSE)))
    spans = (dense, tuple(p for p in asked(farthest) if dense[-1] < p < end))
    pair = _Pair(Probe(a, dim, kind, first.shape), Probe(b, dim, kind, second.shape), first, second, spans)
    try:
        return _parted(pair)
    except NotRotary as failed:
        raise BadInput(f"a and b cannot be compared at positions 0 to {dense[-1]}: {failed.reason}") from failed


def reordered(weight: Tensor, rows: tuple[int, ...]) -> Tensor:
    """The weight (heads * dim, ..) or bias (heads * dim,) of a query or key projection with its rows in that order.

    With grouped heads the keys have fewer heads, and each of them is reordered in the same way.
    """
    if len(weight) % len(rows):
        raise BadInput(f"a projection to heads of {len(rows)} has a multiple of that many rows, saw {len(weight)}")
    starts = torch.arange(0, len(weight), len(rows))
    return weight[(starts[:, None] + torch.tensor(rows)).flatten()]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both functions with what they are, and the positions at which they are compared, in two calls."""

    a: Probe
    b: Probe
    first: Identified
    second: Identified
    spans: tuple[tuple[int, ...], tuple[int, ...]]


def _parted(pair: _Pair) -> Parting:
    """Compare the outputs as they are, and explain a difference."""
    first, second = pair.first, pair.second
    x, y_a = _outputs(pair.a, pair.spans)
    _, y_b = _outputs(pair.b, pair.spans)
    positions = torch.tensor([p for span in pair.spans for p in span], dtype=torch.int64)
    allowed = _allowed(first, x, positions) + _allowed(second, x, positions)
    excess = torch.where((y_a - y_b).isnan(), torch.inf, (y_a - y_b).abs() - allowed)
    wrong = (excess > 0).any(dim=3).any(dim=0).any(dim=0).nonzero().flatten()
    count, last = len(positions), int(positions[-1])
    if not len(wrong):
        return Parting(None, count, last, 0, 0.0, 0.0, 0.0, first, second, (), tuple(range(first.dim)))
    t = int(wrong[0])
    i, h, k = at_worst(excess[:, :, t])
    seen = (float(y_a[i, h, t, k]), float(y_b[i, h, t, k]), float(allowed[i, h, t, k]))
    explained, rows, scale = _explained(pair)
    return Parting(int(positions[t]), count, last, k, *seen, first, second, explained, rows, scale)


def _outputs(
    probe: Probe, spans: tuple[tuple[int, ...], ...], rows: tuple[int, ...] | None = None
) -> tuple[Tensor, Tensor]:
    """x and y, float64 (batch, head, row, coordinate), each span of positions in a call of its own; x in that order."""
    order = list(range(probe.dim)) if rows is None else list(rows)
    x = [pattern(_BATCH, HEADS, len(span), probe.dim, dtype=probe.dtype)[..., order] for span in spans if span]
    y = [probe.called(part, span) for part, span in zip(x, (span for span in spans if span), strict=True)]
    return torch.cat(x, dim=2).double(), torch.cat(y, dim=2).double()


def _units(w: float) -> float:
    """What p*w may be off by, in units: the frequency, and 2 for position and product."""
    return power_units(w) + 2


def _allowed(found: Identified, x: Tensor, positions: Tensor) -> Tensor:
    """Error of each output, as x: |x_a| + |x_b| of its pair times what table, products and angle cost.

    Of what was not identified nothing is known: pairs may be anywhere, and frequencies are taken to be at most 1.
    """
    at = positions.double()[:, None]
    turning = found.turning
    if turning is None:
        plain = length_error(found.dtype) + linear_error(UNITS[found.dtype])
        size = 2 * x.abs().amax(dim=-1, keepdim=True)
        return (size * (plain + 6 * UNITS["float32"] * at)).expand_as(x)  # w (5 + 4 |ln w|) is at most 6 for w <= 1
    table = turning.precision.table
    plain = length_error(table) + linear_error(max(UNITS[table], UNITS[found.dtype]))
    unit = min(UNITS["float32"], UNITS[turning.precision.angle[0]])
    w = torch.tensor(turning.frequencies, dtype=torch.float64).abs()
    cost = torch.tensor([_units(abs(one)) for one in turning.frequencies], dtype=torch.float64)
    relative = plain + unit * cost * (at + abs(turning.first)) * w
    scale = max(turning.magnitudes)
    allowed = scale * plain * x.abs()
    a, b = (list(side) for side in zip(*turning.pairs, strict=True))
    size = scale * (x[..., a].abs() + x[..., b].abs()) * relative
    for side in zip(*turning.written, strict=True):
        allowed[..., list(side)] = size
    return allowed


def _explained(pair: _Pair) -> tuple[tuple[str, ...], tuple[int, ...] | None, float]:
    """The names of what differs, the rows, the ratio of the scales; nothing unless they carry a's outputs over."""
    a, b = pair.first.turning, pair.second.turning
    unknown: tuple[tuple[str, ...], None, float] = ((), None, 1.0)
    if a is None or b is None or a.magnitude is None or b.magnitude is None:
        return unknown
    rows, scale = _rows(a, b), b.magnitude / a.magnitude
    if rows is None or not _carries(pair, a, b, rows, scale):
        return unknown
    named = {
        "permutation": (a.pairs, a.written) != (b.pairs, b.written),
        "sign": a.sign != b.sign,
        "scale": a.magnitude != b.magnitude,
        "origin": a.first != b.first,
    }
    return tuple(name for name, differs in named.items() if differs), rows, scale


def _rows(a: Turning, b: Turning) -> tuple[int, ...] | None:
    """Which coordinate of a each coordinate of b takes, pairs of equal frequency onto one another."""
    if len(a.pairs) != len(b.pairs):
        return None
    rows = [0] * (2 * len(a.pairs) + len(a.passing))
    for i, j in zip(_by_frequency(a), _by_frequency(b), strict=True):
        w, v = a.sign * a.frequencies[i], b.sign * b.frequencies[j]
        computed = 2 * UNITS["float32"] * _units(abs(w)) * abs(w)
        if abs(abs(w) - abs(v)) > a.within + b.within + computed:
            return None
        members = a.pairs[i] if w * v > 0 else a.pairs[i][::-1]
        for target, source in zip(b.pairs[j], members, strict=True):
            rows[target] = source
    for (target, _), (source, _) in zip(b.passing, a.passing, strict=True):
        rows[target] = source
    return tuple(rows)


def _by_frequency(turning: Turning) -> list[int]:
    """The pairs from fast to slow."""
    return sorted(range(len(turning.pairs)), key=lambda i: -abs(turning.frequencies[i]))


def _carries(pair: _Pair, a: Turning, b: Turning, rows: tuple[int, ...], scale: float) -> bool:
    """Whether b, given a's coordinates in that order, has a's outputs where b writes them, at every position.

    Where positions are counted from different origins, b is called at the position that has a's angle.
    """
    origin = a.first - b.first
    kept = tuple(tuple(p for p in span if p + origin >= 0) for span in pair.spans)
    moved = tuple(tuple(p + origin for p in span) for span in kept)
    x, y_a = _outputs(pair.a, kept)
    x_b, y_b = _outputs(pair.b, moved, rows)
    at = torch.tensor([p for span in kept for p in span], dtype=torch.int64)
    left = [_places(a)[k] for k in range(len(rows))]
    right = [_places(b)[rows.index(k)] for k in range(len(rows))]
    allowed = scale * _allowed(pair.first, x, at)[..., left]
    allowed = allowed + _allowed(pair.second, x_b, at + origin)[..., right]
    return bool(((y_b[..., right] - scale * y_a[..., left]).abs() <= allowed).all())


def _places(turning: Turning) -> dict[int, int]:
    """Where each input coordinate comes out."""
    both = zip(turning.pairs, turning.written, strict=True)
    return dict(turning.passing) | {k: out for pair, outs in both for k, out in zip(pair, outs, strict=True)}
