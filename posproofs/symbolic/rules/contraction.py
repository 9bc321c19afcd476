"""Matrix products: sums of products along one axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from posproofs.errors import Refused
from posproofs.mutants.backend import torch
from posproofs.symbolic.execution import Execution
from posproofs.symbolic.rules import arithmetic
from posproofs.symbolic.tensors import Symbolic, broadcast, of

if TYPE_CHECKING:
    from torch import Tensor


_SPARE = "0123456789"  # letters of axes that an ellipsis stands for


def product(running: Execution, x: Any, y: Any) -> Symbolic:
    """x (.., n, k) times y (.., k, m), axes before the last two broadcast."""
    one, other = running.lifted(x), running.lifted(y)
    batch = broadcast(*(torch.empty(x.shape[:-2]) for x in (one, other)))[0].shape
    rows = one.nodes.expand(*batch, *one.shape[-2:])
    turned = other.nodes.transpose(-1, -2)
    columns = turned.expand(*batch, *turned.shape[-2:])
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}

    def entry(row: tuple[int, ...], column: tuple[int, ...]) -> int:
        if (row, column) not in known:
            known[row, column] = running.program.dot(row, column)
        return known[row, column]

    pairs = zip(_listed(rows), _listed(columns), strict=True)
    made = [entry(row, column) for some, others in pairs for row in some for column in others]
    return of(made, (*batch, one.shape[-2], other.shape[-1]), torch.promote_types(one.kind, other.kind))


def _listed(matrices: Any) -> list[list[tuple[int, ...]]]:
    """The rows of each matrix; sizes are written out, since one of them may be 0."""
    count = matrices.shape[:-2].numel()
    flat = matrices.reshape(count, *matrices.shape[-2:])
    return [[tuple(row) for row in matrix] for matrix in flat.tolist()]


def matmul(running: Execution, _target: Any, x: Any, y: Any) -> Symbolic:
    """Torch's matmul: a vector counts as one row on the left and as one column on the right."""
    one, other = running.lifted(x), running.lifted(y)
    left = Symbolic(one.nodes[None], one.kind) if one.nodes.dim() == 1 else one
    right = Symbolic(other.nodes[:, None], other.kind) if other.nodes.dim() == 1 else other
    found = product(running, left, right)
    result = found.nodes
    if other.nodes.dim() == 1:
        result = result.squeeze(-1)
    if one.nodes.dim() == 1:
        result = result.squeeze(-1 if other.nodes.dim() == 1 else -2)
    return Symbolic(result, found.kind)


def weighted(running: Execution, _target: Any, x: Any, y: Any) -> Symbolic:
    return product(running, x, y)


def added(running: Execution, _target: Any, bias: Any, x: Any, y: Any, *, beta: Any, alpha: Any) -> Any:
    """beta * bias + alpha * (x @ y). With beta = 0 the bias is not read at all."""
    found = arithmetic.scaled(running, matmul(running, None, x, y), alpha)
    return found if beta == 0 else arithmetic.add(running, None, arithmetic.scaled(running, bias, beta), found)


def linear(running: Execution, _target: Any, x: Any, weight: Any, bias: Any) -> Any:
    lifted = running.lifted(weight)
    found = matmul(running, None, x, Symbolic(lifted.nodes.t(), lifted.kind))
    return found if bias is None else arithmetic.add(running, None, found, bias)


def einsum(running: Execution, _target: Any, equation: str, operands: Sequence[Any], **_path: Any) -> Symbolic:
    """One operand with its axes in another order, or a product of two; what sums a letter of one alone is refused."""
    given = [running.lifted(operand) for operand in operands]
    left, arrow, written = _spelled(equation, [len(x.shape) for x in given]).partition("->")
    letters = left.split(",")
    if not arrow or any(len(set(word)) < len(word) for word in (*letters, written)):
        raise Refused(f"einsum has a rule where every letter stands once in each operand, not for {equation!r}")
    if len(letters) == 1 and set(written) == set(left):
        return Symbolic(given[0].nodes.permute([left.index(a) for a in written]), given[0].kind)
    if len(letters) != 2 or not set(letters[0]) ^ set(letters[1]) <= set(written) <= set(letters[0] + letters[1]):
        raise Refused(f"einsum {equation!r} is no product of two operands")
    sizes: dict[str, int] = {}
    for word, operand in zip(letters, given, strict=True):
        for letter, size in zip(word, operand.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise Refused(f"einsum {equation!r} broadcasts the letter {letter}")
    return _product_of_letters(running, given, letters, written=written, sizes=sizes)


def _spelled(equation: str, ranks: Sequence[int]) -> str:
    """The equation with letters for the axes that an ellipsis stands for, those of each operand from the last."""
    left, arrow, written = equation.replace(" ", "").partition("->")
    words, most = left.split(","), 0
    for k, (word, rank) in enumerate(zip(words, ranks, strict=True)):
        count = rank - len(word.replace("...", "")) if "..." in word else 0
        words[k], most = word.replace("...", _SPARE[len(_SPARE) - count :]), max(most, count)
    return f"{','.join(words)}{arrow}{written.replace('...', _SPARE[len(_SPARE) - most :])}"


def _product_of_letters(
    running: Execution, given: Sequence[Symbolic], letters: Sequence[str], *, written: str, sizes: Mapping[str, int]
) -> Symbolic:
    """The letters of both that are written count matrices, those that are not are summed."""
    x, y = letters
    batch, summed = ([a for a in x if a in y and (a in written) is kept] for kept in (True, False))
    rows, columns = [a for a in x if a not in y], [a for a in y if a not in x]
    first = _grouped(given[0].nodes, x, (batch, rows, summed))
    second = _grouped(given[1].nodes, y, (batch, summed, columns))
    found = product(running, Symbolic(first, given[0].kind), Symbolic(second, given[1].kind))
    made = [*batch, *rows, *columns]
    apart = found.nodes.reshape([sizes[a] for a in made])
    return Symbolic(apart.permute([made.index(a) for a in written]), found.kind)


def _grouped(nodes: Tensor, letters: str, groups: Sequence[Sequence[str]]) -> Tensor:
    """The axes permuted into the order of the groups, those of each group as one axis."""
    order = [letters.index(a) for group in groups for a in group]
    sizes = [prod(nodes.shape[letters.index(a)] for a in group) for group in groups]
    return nodes.permute(order).reshape(sizes)


def outer(running: Execution, _target: Any, x: Any, y: Any) -> Any:
    """x_i y_j of two vectors."""
    column, row = running.lifted(x), running.lifted(y)
    return arithmetic.multiply(running, None, Symbolic(column.nodes[:, None], column.kind), row)


def shared(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, with the nodes of its result marked: where two programs may be compared part by part."""

    def marked(running: Execution, target: Any, *arguments: Any, **named: Any) -> Any:
        found = rule(running, target, *arguments, **named)
        first = found[0] if isinstance(found, list) else found
        running.program.cuts.update(first.nodes.flatten().tolist())
        return found

    return marked


RULES: dict[str, Callable[..., Any]] = {
    # The products with a parameter are written so by the exporter; those of two activations are bmm.
    "mm.default": shared(weighted),
    "addmm.default": shared(added),
    "linear.default": shared(linear),
    "bmm.default": weighted,
    "baddbmm.default": added,
    "addmv.default": added,
    "matmul.default": matmul,
    "mv.default": matmul,
    "dot.default": matmul,
    "einsum.default": einsum,
    "outer.default": outer,
}
