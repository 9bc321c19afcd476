"""Holds a rule to its operator: the same call in float64 by Torch, and on symbols whose values are then put in."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import torch
import torch.onnx.ops

from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.floats import Floats
from posproofs.symbolic.execution import Execution, applied
from posproofs.symbolic.program import Name, Program
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.tensors import Absent, Complex, Symbolic, of
from tests.symbolic.samples import EMPTY, SAMPLES, Drawn

Layout = Literal["contiguous", "transposed", "expanded", "sliced"]
LAYOUTS: tuple[Layout, ...] = ("contiguous", "transposed", "expanded", "sliced")
CLOSE = 1e-11  # float64 against float64, in another order of operations


def operator_named(name: str) -> Any:
    found: Any = torch.ops
    for part in name.split("."):
        found = getattr(found, part)
    return found


def drawn(what: Drawn, layout: Layout, chance: random.Random) -> torch.Tensor:
    """Random numbers in that shape, laid out in memory in one of several ways."""
    shape = (*what.shape, 2) if what.range == "complex" else what.shape
    found = _laid_out(shape, layout, chance, low=0.5 if what.range == "positive" else -1.5)
    return torch.complex(found[..., 0], found[..., 1]) if what.range == "complex" else found


def _laid_out(shape: Sequence[int], layout: Layout, chance: random.Random, *, low: float) -> torch.Tensor:
    match layout:
        case "transposed":
            found = _numbers(tuple(reversed(shape)), chance, low).permute(list(reversed(range(len(shape)))))
        case "expanded":
            found = _numbers((1, *shape[1:]) if shape else (), chance, low).expand(list(shape))
        case "sliced":
            found = _numbers([2 * n + 1 for n in shape], chance, low)[tuple(slice(1, None, 2) for _ in shape)]
        case _:
            found = _numbers(shape, chance, low)
    return found


def _numbers(shape: Sequence[int], chance: random.Random, low: float) -> torch.Tensor:
    flat = [chance.uniform(low, 1.5) for _ in range(math.prod(shape))]
    return torch.tensor(flat, dtype=torch.float64).reshape(tuple(shape)).clone()


class Bench:
    """A program with the values of its symbols."""

    def __init__(self) -> None:
        self.program = Program()
        self.running = Execution(self.program, Reader(self.program))
        self.values: dict[Name, float] = {}

    def symbolic(self, value: torch.Tensor) -> Symbolic | Complex:
        """Symbols for the memory of a tensor, seen through the same strides."""
        if value.is_complex():
            parts = self.symbolic(torch.view_as_real(value.resolve_conj()))
            assert isinstance(parts, Symbolic)
            return Complex(Symbolic(parts.nodes[..., 0], parts.kind), Symbolic(parts.nodes[..., 1], parts.kind))
        size = value.untyped_storage().nbytes() // value.element_size()
        memory = value.as_strided((size,), (1,), 0).tolist()
        tensor = f"x{len(self.values)}"
        names = [Name(tensor, (k,)) for k in range(size)]
        self.values.update(zip(names, memory, strict=True))
        nodes = of((self.program.symbol(name.tensor, name.index) for name in names), (size,), value.dtype).nodes
        return Symbolic(nodes.as_strided(value.size(), value.stride(), value.storage_offset()), value.dtype)

    def floats(self, nodes: torch.Tensor) -> torch.Tensor:
        flat = nodes.flatten().tolist()
        found = evaluated(self.program, flat, Floats(self.values))
        return torch.tensor([found[k] for k in flat], dtype=torch.float64).reshape(nodes.shape)

    def differs(self, seen: Any, wanted: Any, *, written: bool = True) -> str:
        """How a result on symbols differs from Torch's; empty if it does not."""
        if isinstance(wanted, list | tuple):
            if len(seen) != len(wanted):
                return f"{len(seen)} results, wanted {len(wanted)}"
            parts = (self.differs(a, b, written=written) for a, b in zip(seen, wanted, strict=True))
            return next((part for part in parts if part), "")
        if isinstance(seen, Absent):
            return ""
        if isinstance(seen, Complex):
            if not wanted.is_complex():
                return f"complex, wanted {wanted.dtype}"
            joined = Symbolic(torch.stack([seen.re.nodes, seen.im.nodes], -1), seen.re.kind)
            return self.differs(joined, torch.view_as_real(wanted.resolve_conj()))
        if seen.shape != tuple(wanted.shape):
            return f"shape {tuple(seen.shape)}, wanted {tuple(wanted.shape)}"
        kind = seen.kind if isinstance(seen, Symbolic) else seen.dtype
        if kind != wanted.dtype:
            return f"dtype {kind}, wanted {wanted.dtype}"
        if not isinstance(seen, Symbolic):
            return "" if torch.equal(seen, wanted) else f"{seen}, wanted {wanted}"
        if not written:
            return "" if (seen.nodes == self.program.unset).all() else "entries that nothing wrote have a value"
        values = self.floats(seen.nodes)
        off = (values - wanted).abs() > CLOSE * wanted.abs().clamp(min=1)
        return f"{values.tolist()}, wanted {wanted.tolist()}" if bool(off.any()) else ""


def disagreements(name: str, *, seed: int = 0) -> Iterator[str]:
    """Each call, layout and choice of symbols at which the rule differs from the operator."""
    target, chance = operator_named(name), random.Random(f"{name} {seed}")
    for call in SAMPLES[name]:
        for layout in LAYOUTS:
            tensors: list[torch.Tensor] = []
            concrete = _concrete((call.positional, dict(call.named)), layout, chance, tensors)
            try:
                wanted = target(*concrete[0], **concrete[1])
            except RuntimeError:
                assert layout != "contiguous", f"{name} does not take {call}"
                continue  # a view that these strides do not admit
            for places in chosen(len(tensors), layout):
                found = _difference(target, concrete, [tensors[k] for k in places], wanted)
                if found:
                    yield f"{name}, {layout}, symbols at {places}: {found}"


def chosen(count: int, layout: Layout) -> list[list[int]]:
    """Which of the drawn tensors are symbols: all of them; in the plain layout each alone too, beside constants."""
    alone = [[k] for k in range(count)] if count > 1 and layout == "contiguous" else []
    return [list(range(count)), *alone]


def _concrete(value: Any, layout: Layout, chance: random.Random, tensors: list[torch.Tensor]) -> Any:
    """The arguments with random tensors in place of Drawn; those are listed too."""
    if isinstance(value, Drawn):
        tensors.append(drawn(value, layout, chance))
        return tensors[-1]
    return _inside(value, lambda inner: _concrete(inner, layout, chance, tensors))


def _inside(value: Any, change: Any) -> Any:
    """The change made to what stands in a dictionary, list or tuple; other values as they are."""
    match value:
        case Mapping():
            return {key: change(inner) for key, inner in value.items()}
        case list() | tuple():
            return type(value)(change(inner) for inner in value)
    return value


def _difference(target: Any, concrete: Any, chosen_ones: Sequence[torch.Tensor], wanted: Any) -> str:
    bench = Bench()

    def change(value: Any) -> Any:
        if any(value is one for one in chosen_ones):
            return bench.symbolic(value)
        return _inside(value, change)

    positional, named = change(concrete)
    try:
        seen = applied(bench.running, target, *positional, **named)
        return bench.differs(seen, wanted, written=str(target).removeprefix("aten.") not in EMPTY)
    except Exception as failure:  # noqa: BLE001 - a rule that fails is a rule that differs
        return repr(failure)
