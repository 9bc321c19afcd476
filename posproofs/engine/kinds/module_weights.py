"""Where the projections of somebody's attention module are, found by the names of its parameters.

With them its weights can be chosen: three heads or more have room in one row x for a query, a key and a value, so a
module is an attention of q, k and v, and its scheme is read from its outputs as that of any other one.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posproofs.laws.attention_formulas import Heads
from posproofs.mutants.backend import torch
from posproofs.production.attending import by_head, heads_of_thirds, thirds_of_heads

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

QUERY = ("q_proj", "wq", "to_q", "query", "q", "w_q", "q_lin", "query_proj", "q_linear", "linear_q", "queries", "lin_q")
KEY = ("k_proj", "wk", "to_k", "key", "k", "w_k", "k_lin", "key_proj", "k_linear", "linear_k", "keys", "lin_k")
VALUE = ("v_proj", "wv", "to_v", "value", "v", "w_v", "v_lin", "value_proj", "v_linear", "linear_v", "values", "lin_v")
TOGETHER = ("qkv", "qkv_proj", "c_attn", "in_proj", "wqkv", "to_qkv", "query_key_value", "w_qkv", "w_pack", "attn_qkv")
PAIR = ("kv", "kv_proj", "to_kv", "wkv", "w_kv", "key_value")
OUT = (
    "o_proj",
    "wo",
    "to_out",
    "out_proj",
    "out",
    "proj",
    "c_proj",
    "w_o",
    "o",
    "output",
    "dense",
    "linear_out",
    "o_lin",
)
ORDERS = ("in blocks", "by head")  # of the rows of one matrix that holds q, k and v, or k and v
LEAST = 3  # heads, so that a row has room for a query, a key and a value


@dataclass(frozen=True, slots=True)
class Projections:
    """The parameters by what they are. order: of the rows of a matrix that is named for more than one."""

    query: str
    key: str
    value: str
    out: str
    order: str = ""

    @property
    def together(self) -> bool:
        """Whether one matrix holds q, k and v."""
        return self.query == self.key

    @property
    def weights(self) -> tuple[str, ...]:
        """Their names, each once."""
        return tuple(dict.fromkeys((self.query, self.key, self.value, self.out)))

    def covers(self, module: Module) -> bool:
        """Whether these and their biases are all that the module can learn."""
        known = {*self.weights, *map(bias_of, self.weights)}
        return {name for name, _ in module.named_parameters()} <= known


def bias_of(weight: str) -> str:
    """The name of the bias of a matrix: of a layer, or of a parameter such as in_proj_weight."""
    return weight.removesuffix("weight") + "bias"


def projections(module: Module) -> Iterator[Projections]:
    """What its matrices are, by their names; more than one way where one matrix holds q, k and v, none if unknown."""
    found: dict[str, str] = {}
    for name, value in module.named_parameters():
        role = _role(name) if value.dim() == 2 else ""
        if role in found:
            return
        found |= {role: name} if role else {}
    match found:
        case {"q": q, "k": k, "v": v, "out": out}:
            yield Projections(q, k, v, out)
        case {"qkv": qkv, "out": out}:
            yield from (Projections(qkv, qkv, qkv, out, order) for order in ORDERS)
        case {"q": q, "kv": kv, "out": out}:
            yield from (Projections(q, kv, kv, out, order) for order in ORDERS)


def _role(name: str) -> str:
    parts = name.lower().removesuffix("_weight").removesuffix(".weight").split(".")
    last = next((part for part in reversed(parts) if not part.isdigit()), "")
    known = {"q": QUERY, "k": KEY, "v": VALUE, "qkv": TOGETHER, "kv": PAIR, "out": OUT}
    return next((role for role, names in known.items() if last in names), "")


def as_wide(of: Projections, weights: Mapping[str, Tensor], counts: Counts) -> bool:
    """Whether its heads together are as wide as its rows, with these counts."""
    heads, key_heads, width = counts
    model = heads * width
    rows = (
        {of.query: 3 * model}
        if of.together
        else {of.query: model, of.key: key_heads * width, of.value: key_heads * width}
    )
    if of.key == of.value and not of.together:
        rows[of.key] = 2 * key_heads * width
    wanted = {**{name: (count, model) for name, count in rows.items()}, of.out: (model, model)}
    return all(tuple(weights[name].shape) == shape for name, shape in wanted.items())


def heads_of(of: Projections, weights: Mapping[str, Tensor], heads: int, key_heads: int) -> Heads:
    """The projections of each head, from the parameters by name."""
    query, key, value = _split(of, heads, key_heads, *(weights[name] for name in (of.query, of.key, of.value)))
    biases = [weights.get(bias_of(name)) for name in (of.query, of.key, of.value)]
    of_query, of_key, of_value = _split(of, heads, key_heads, *biases)
    return Heads(query, key, value, weights[of.out], of_query, of_key, of_value, weights.get(bias_of(of.out)))


def _split(of: Projections, heads: int, key_heads: int, *rows: Tensor | None) -> tuple[Any, Any, Any]:
    """Queries (head, d, ..), keys and values (key head, d, ..), of what holds the rows of each; None stays None."""
    query, key, value = rows
    if of.together:
        split = heads_of_thirds if of.order == ORDERS[0] else thirds_of_heads
        return (None, None, None) if query is None else split(query, heads)
    if of.key == of.value and key is not None:
        in_blocks = of.order == ORDERS[0]
        shape = (2, key_heads, -1) if in_blocks else (key_heads, 2, -1)
        return by_head(query, heads), *key.reshape(*shape, *key.shape[1:]).unbind(0 if in_blocks else 1)
    return by_head(query, heads), by_head(key, key_heads), by_head(value, key_heads)


def as_attention(module: Module, of: Projections, counts: Counts, rows: Rows) -> Callable[..., Tensor]:
    """The module as an attention of q, k and v (batch, head, row, d), in float64.

    All heads are given the same row x = (q, k, v, 0, ..), those of one head at a time; the output matrix shows that
    one. rows: the module that it is given as a function of x (batch, row, model).
    """
    heads, _, width = counts
    own, chosen = _in_thirds(module, of, counts)
    call = rows(own)

    def attend(q: Tensor, k: Tensor, v: Tensor, positions: Tensor | None = None, *, hidden: int = 0) -> Tensor:
        outputs = []
        for head in range(heads):
            _show(chosen, head)
            group = head * k.shape[1] // heads
            x = torch.cat((q[:, head], k[:, group], v[:, group]), dim=-1)
            x = torch.nn.functional.pad(x, (0, (heads - LEAST) * width))
            outputs.append(call(x, positions, hidden=hidden)[..., :width])
        return torch.stack(outputs, dim=1).detach()

    return attend


def sharing(module: Module, of: Projections, counts: Counts, rows: Rows, at: Tensor | None = None) -> tuple[int, ...]:
    """The key head that each query head reads its values from. at: the position of one row, if it takes positions."""
    heads, key_heads, width = counts
    own, chosen = _in_thirds(module, of, counts)
    call = rows(own)
    read = []
    for head in range(heads):
        _show(chosen, head)
        scale = torch.arange(key_heads, dtype=torch.float64)
        with torch.no_grad():
            chosen.value.copy_(scale[:, None, None] * torch.eye(width, heads * width, dtype=torch.float64))
            read.append(round(float(call(torch.ones(1, 1, heads * width, dtype=torch.float64), at)[0, 0, 0])))
    return tuple(read)


Counts = tuple[int, int, int]
"""Query heads, key heads, and the width of each."""
Rows = Callable[["Module"], Callable[..., "Tensor"]]


def _in_thirds(module: Module, of: Projections, counts: Counts) -> tuple[Module, Heads]:
    """A copy whose queries are the first coordinates of a row, keys the next, values those after them; no biases."""
    heads, key_heads, width = counts
    own = copy.deepcopy(module).double()
    weights = dict(own.named_parameters())
    with torch.no_grad():
        for name in {*of.weights, *map(bias_of, of.weights)} & set(weights):
            weights[name].zero_()
        chosen = heads_of(of, weights, heads, key_heads)
        for n, matrix in enumerate((chosen.query, chosen.key, chosen.value)):
            matrix[:, :, n * width : (n + 1) * width] = torch.eye(width, dtype=torch.float64)
    return own, chosen


def _show(chosen: Heads, head: int) -> None:
    """Let the first coordinates of the output be those of this head."""
    assert chosen.out is not None, "projections() finds one"
    width = chosen.query.shape[1]
    with torch.no_grad():
        chosen.out.zero_()
        chosen.out[:width, head * width : (head + 1) * width] = torch.eye(width, dtype=torch.float64)
