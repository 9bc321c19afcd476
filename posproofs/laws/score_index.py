"""Which row a score reads: that of its own offset, and past and future are not the same.

    gather            (q_i + v).r is taken with the row of i - j      Dai et al., 2019, appendix B
    negative_offset   r_(-o) is r_o with its sines negated            section 3.3: sin is odd, cos is even
The content is zero in both, so a score is what the row of one offset adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from posproofs.laws import score_terms
from posproofs.laws.law import Case, Measure
from posproofs.laws.score_calls import (
    apart,
    base_case,
    built,
    given_rows,
    lengths,
    leveled,
    named,
    point,
    region,
    scored,
    size_of,
)
from posproofs.laws.score_narrowing import narrowing
from posproofs.laws.score_precision import compared_error, table_error
from posproofs.laws.scored import ScoreInstance, ScoreSubject, Size
from posproofs.laws.subject import dtype_of
from posproofs.mutants.backend import torch
from posproofs.mutants.reference import frequencies, slots

if TYPE_CHECKING:
    from torch import Tensor

LONGEST = 8  # every length up to this one; from 3 on an index has two neighbours on both sides
_HEIGHT = 4.0  # of a probe, so that it stands out of the rounding of a softmax


def sizes(subject: ScoreSubject) -> tuple[Size, ...]:
    """The smallest size with more than one head."""
    return tuple(size for size in sorted(subject.sizes) if size.heads > 1)[:1]


def gather_cases(subject: ScoreSubject) -> Iterator[Case]:
    """Every length from 2, where the constant of a row does not yet hide all, and each offset on its own."""
    for size in sizes(subject):
        for queries in range(2, LONGEST + 1):
            for dtype in subject.dtypes:
                yield {**base_case(size, dtype), "queries": queries}


def _probe(rows: int, chosen: Tensor) -> Tensor:
    """r of shape (head, row, d): coordinate c of head h is _HEIGHT in row chosen[h, c] and 0 elsewhere."""
    return _HEIGHT * (torch.arange(rows)[None, :, None] == chosen[:, None, :]).double()


def _unit_queries(size: Size, queries: int) -> Tensor:
    """q of shape (d, head, query, d) with q[c] = e_c: batch element c reads coordinate c of a row."""
    eye = torch.eye(size.width, dtype=torch.float64)
    return eye[:, None, None].expand(-1, size.heads, queries, -1).clone()


def probed(subject: ScoreSubject, instance: ScoreInstance, case: Case, r: Tensor) -> tuple[Tensor, Tensor]:
    """Scores of the unit queries for these rows and no content, scale taken out, and the error allowed to them.

    Shape (d, head, query, key): entry [c, h] is coordinate c of head h in the row that was read.
    """
    size, queries = size_of(case), case["queries"]
    q, nothing = _unit_queries(size, queries), torch.zeros(size.heads, size.width, dtype=torch.float64)
    arguments = (q, torch.zeros_like(q), r, nothing, nothing)
    given = leveled(subject, scored(instance, arguments, case["dtype"]))
    scale = subject.convention.factor(size)
    return given / scale, compared_error(subject, case["dtype"], arguments, size=size) / scale


def gather(subject: ScoreSubject, case: Case) -> Measure:
    """Worst difference between the row that each score reads, entry by entry, and the row of its offset.

    A case with tokens of its own, without content, is compared with the formula there. pair: the query and the key
    that are looked at; without one, all are, and the first that fail are what the case is narrowed to.
    """
    if "tokens" in case:
        return score_terms.measure(subject, case)
    size, queries = size_of(case), case["queries"]
    instance = built(subject, case)
    own = subject.convention.rows == "own"
    rows = size.model if own else 2 * queries
    read, off, allowed = [], [], []
    for start in range(0, rows, size.model):
        r = _probe(rows, torch.arange(start, start + size.model).reshape(size.heads, size.width))
        given, bound = probed(subject, instance, case, r)
        wanted = _row_by_index(given_rows(subject, r, queries, queries), queries)
        read += list(given.transpose(0, 1).flatten(0, 1))
        off += list(apart(subject, given, wanted).transpose(0, 1).flatten(0, 1))
        allowed += list(bound.transpose(0, 1).flatten(0, 1))
    return _worst_row(subject, case, *(torch.stack(one)[:rows] for one in (read, off, allowed)))


def _row_by_index(rows: Tensor, queries: int) -> Tensor:
    """Entry [c, h, i, j] is rows[h, K - (i - j), c], for K = L."""
    count = torch.arange(queries)
    return rows[:, queries - (count[:, None] - count)].permute(3, 0, 1, 2)


def _worst_row(subject: ScoreSubject, case: Case, read: Tensor, off: Tensor, allowed: Tensor) -> Measure:
    """All three of shape (probe, query, key)."""
    beyond = torch.where(off.isnan(), torch.inf, off.abs() - allowed).amax(dim=0)
    at = (beyond > 0).nonzero()
    i, j = at[0].tolist() if len(at) else divmod(int(beyond.argmax()), beyond.shape[1])
    i, j = case.get("pair", (i, j))
    probe = int(torch.where(off.isnan(), torch.inf, off.abs() - allowed)[:, i, j].argmax())
    return Measure(
        float(off[probe, i, j].abs()),
        float(allowed[probe, i, j]),
        {**case, "pair": [i, j]},
        saw=f"query {i} and key {j} read {_which(subject, read, i, j)}",
        expected=f"the row of offset {i - j}",
        likely=_cause(subject, read, i, j) if float(beyond[i, j]) > 0 else None,
    )


def _offsets_read(subject: ScoreSubject, read: Tensor, i: int, j: int) -> list[int]:
    """The offsets whose probe stands out at (i, j), where rows are given."""
    queries = read.shape[-1]
    inside = region(subject, queries, queries)[i]
    least = read[:, i, inside].amin(dim=-1) if subject.convention.gives == "probabilities" else 0.0
    standing = (read[:, i, j] - least) > _HEIGHT / 2
    return [queries - int(row) for row in standing.nonzero().flatten()]


def _which(subject: ScoreSubject, read: Tensor, i: int, j: int) -> str:
    if subject.convention.rows == "own":
        return "another row"
    found = _offsets_read(subject, read, i, j)
    if found == [i - j]:
        return "the row of their offset, changed"
    if not found:
        return "no row that differs from that of the other keys"
    return f"the row of offset {found[0]}" if len(found) == 1 else f"a mixture of rows, {found}"


def _cause(subject: ScoreSubject, read: Tensor, i: int, j: int) -> str | None:
    found = _offsets_read(subject, read, i, j) if subject.convention.rows == "given" else []
    if len(found) != 1 or found == [i - j]:
        return None
    return "the sign of the offset is reversed" if found[0] == j - i else "the shift starts at another row"


def describe_gather(case: Case) -> str:
    at = "; query {} and key {}".format(*case["pair"]) if "pair" in case else ", one offset at a time"
    return f"{named(case)}; {lengths(case)}" + (point(case) or at)


def negative_cases(subject: ScoreSubject) -> Iterator[Case]:
    """Odd lengths: the query in the middle has as many keys before as after it."""
    for size in sizes(subject):
        for queries in (3, 5, 9, 33):
            for dtype in subject.dtypes:
                yield {**base_case(size, dtype), "queries": queries}


def _nearer(_subject: ScoreSubject, case: Case) -> Iterator[Case]:
    """Fewer tokens; where no fewer fail, one offset of them, the nearest first."""
    if "offset" in case:
        return
    for queries in range(3, case["queries"], 2):
        yield {**case, "queries": queries}
    for offset in range(1, case["queries"] // 2 + 1) if case["queries"] > 3 else ():
        yield {**case, "offset": offset}


@narrowing(_nearer)
def negative(subject: ScoreSubject, case: Case) -> Measure:
    """Worst difference, over coordinates and o, between row(o) - row(-o) of the library and 2 sin(o w), cosines 0.

    Both rows are read by the query in the middle, so a constant of the row does not enter. offset: this o alone.
    """
    declared, queries = subject.convention, case["queries"]
    instance = built(subject, case)
    if declared.table is None or (declared.rows == "given" and instance.table is None):
        return Measure(0.0, 0.0, reason="the library makes no rows for keys after the query")
    columns, allowed = _own_columns(subject, instance, case)
    width, middle = columns.shape[0], queries // 2
    reach = torch.tensor([case["offset"]]) if "offset" in case else torch.arange(1, middle + 1)
    shown = columns[:, middle, middle - reach] - columns[:, middle, middle + reach]
    wanted = torch.zeros_like(shown)
    sines, cosines = slots(declared.table, width)
    wanted[sines] = 2 * torch.sin(reach * frequencies(width, declared.base)[:, None])
    entry = table_error(subject.recipe, case["dtype"], queries, width=width, base=declared.base)
    bound = 2 * allowed
    for pair, places in enumerate(zip(sines, cosines, strict=True)):
        bound[list(places)] += 2 * entry[pair]
    return _sign(shown, wanted, bound, sines=sines, reach=reach)


def _own_columns(subject: ScoreSubject, instance: ScoreInstance, case: Case) -> tuple[Tensor, Tensor]:
    """Each coordinate of the library's table as scores (coordinate, query, key), and the error allowed to each."""
    size, queries = size_of(case), case["queries"]
    own = subject.convention.rows == "own"
    rows = torch.eye(size.model, dtype=torch.float64) if own else _table(subject, instance, queries, case["dtype"])
    columns, bounds = [], []
    for start in range(0, rows.shape[1], size.model):
        r = rows[:, start : start + size.model].reshape(-1, size.heads, size.width).transpose(0, 1)
        given, bound = probed(subject, instance, case, r)
        columns.append(given.transpose(0, 1).flatten(0, 1))
        bounds.append(bound.transpose(0, 1).flatten(0, 1).amax(dim=(1, 2)))
    return torch.cat(columns), torch.cat(bounds)[:, None]


def _table(subject: ScoreSubject, instance: ScoreInstance, queries: int, dtype: str) -> Tensor:
    """The library's rows, with a row of zeros for the offset K where its table starts at K - 1."""
    assert instance.table is not None
    rows = instance.table(queries, queries, dtype_of(dtype)).double()
    if subject.convention.first == "K-1":
        rows = torch.cat((torch.zeros_like(rows[:1]), rows))
    if rows.shape[0] != 2 * queries:
        raise ValueError(f"a table of {2 * queries} offsets was declared, saw {rows.shape[0]} rows")
    return rows


def _sign(shown: Tensor, wanted: Tensor, bound: Tensor, *, sines: list[int], reach: Tensor) -> Measure:
    """The nearest offset first, then the first coordinate."""
    off = (shown - wanted).abs()
    beyond = torch.where(off.isnan(), torch.inf, off - bound)
    at = (beyond > 0).T.nonzero()
    place, column = at[0].tolist() if len(at) else divmod(int(beyond.T.argmax()), beyond.shape[0])
    kind, offset = "sine" if column in sines else "cosine", int(reach[place])
    return Measure(
        float(off[column, place]),
        float(bound[column, 0]),
        None,
        saw=f"rows {offset} and -{offset} differ by {float(shown[column, place]):.6g} in {kind} {column}",
        expected=f"{float(wanted[column, place]):.6g}",
        likely="past and future have the same rows" if bool((shown.abs() <= bound).all()) else None,
    )


def describe_negative(case: Case) -> str:
    at = f", offset {case['offset']}" if "offset" in case else ""
    return f"{named(case)}; the query in the middle of {case['queries']} tokens{at}"
