"""All domains read a random graph alike: floats as Torch, exact values and enclosures at the same rational point."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derivations.kernel import values as v
from derivations.kernel.values import Value
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.dependencies import Dependencies
from posproofs.symbolic.domains.enclosures import Enclosures
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.domains.field import checked
from posproofs.symbolic.program import Name
from tests.symbolic.checking import Bench
from tests.symbolic.graphs import OPAQUE, SMOOTH, Graph, drawn

SLACK = 1e-9  # float64 through a dozen operations on numbers below 50


def nodes_of(graph: Graph) -> list[int]:
    return [int(k) for k in graph.seen.nodes.flatten().tolist()]


def point_of(bench: Bench) -> dict[Name, Fraction]:
    return {name: Fraction(value) for name, value in bench.values.items()}


@pytest.mark.parametrize("seed", range(60))
def test_floats_agree_with_torch(seed: int) -> None:
    graph = drawn(seed, length=6, steps=SMOOTH + OPAQUE)
    assert graph.bench.differs(graph.seen, graph.wanted) == "", graph.steps


@pytest.mark.parametrize("seed", range(40))
def test_exact_values_at_a_rational_point_agree(seed: int) -> None:
    graph = drawn(1000 + seed, length=4, steps=SMOOTH)
    point = point_of(graph.bench)

    def rational(name: Name) -> Value:
        return v.constant(point[name])

    domain = Exact(symbols=rational)
    nodes = nodes_of(graph)[:4]
    found = evaluated(graph.bench.program, nodes, domain)
    for node, wanted in zip(nodes, graph.wanted.flatten().tolist(), strict=False):
        assert abs(domain.tower.float_of(found[node]) - wanted) <= SLACK * max(1, abs(wanted)), graph.steps


@pytest.mark.parametrize("seed", range(40))
def test_enclosures_hold_the_floats(seed: int) -> None:
    graph = drawn(2000 + seed, length=5, steps=SMOOTH + OPAQUE)
    nodes = nodes_of(graph)
    found = evaluated(graph.bench.program, nodes, Enclosures(point_of(graph.bench)))
    for node, wanted in zip(nodes, graph.wanted.flatten().tolist(), strict=True):
        ball = found[node]
        assert ball.width < Fraction(1, 10**20), graph.steps
        assert abs(float(ball.lower) - wanted) <= SLACK * max(1, abs(wanted)), graph.steps


@pytest.mark.parametrize("seed", range(20))
def test_residues_keep_the_laws_of_exponential_rings(seed: int) -> None:
    graph = drawn(3000 + seed, length=4, steps=SMOOTH)
    program = graph.bench.program
    a, b = nodes_of(graph)[0], nodes_of(graph)[5]
    both = program.add(a, b)
    square = program.total(
        [program.power(a, 2), program.power(b, 2), program.multiply(program.constant_of(2), program.multiply(a, b))]
    )
    angle = program.subtract(
        program.multiply(program.cos(a), program.cos(b)), program.multiply(program.sin(a), program.sin(b))
    )
    true = [
        (program.power(both, 2), square),
        (program.exp(both), program.multiply(program.exp(a), program.exp(b))),
        (program.cos(both), angle),
        (program.add(program.power(program.cos(a), 2), program.power(program.sin(a), 2)), program.one),
        (program.total(program.shares([a, b])), program.one),
    ]
    false = [(x, program.add(y, program.one)) for x, y in true]
    found = checked(program, true + false)
    assert found.differing == tuple(range(len(true), len(true + false))), (graph.steps, found)


@pytest.mark.parametrize("seed", range(20))
def test_what_an_entry_does_not_name_does_not_change_it(seed: int) -> None:
    graph = drawn(4000 + seed, length=3, steps=SMOOTH)
    program, nodes = graph.bench.program, nodes_of(graph)
    named = evaluated(program, nodes, Dependencies())
    before = graph.bench.floats(graph.seen.nodes)
    for name in list(graph.bench.values)[:6]:
        old = graph.bench.values[name]
        graph.bench.values[name] = old + 0.25
        after = graph.bench.floats(graph.seen.nodes)
        graph.bench.values[name] = old
        changed = [k for k, moved in zip(nodes, (after != before).flatten().tolist(), strict=True) if moved]
        assert all(name in named[k] for k in changed), graph.steps
