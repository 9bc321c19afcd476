"""Every emitted Torch function is its theorem, forward and backward, compiled and eager, for all inputs at its shapes.

An export tells the code that it is being compiled, so the way that eager code takes is recorded as well.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import pytest
import torch

from derivations.derivation import theorem
from derivations.kernel import values as v
from derivations.kernel.values import Atom, Value
from posproofs.emit import emit
from posproofs.emit.targets import TARGETS
from posproofs.laws import (
    Convention,
    Instance,
    Recipe,
    ScoreConvention,
    ScoreInstance,
    ScoreRecipe,
    Size,
    Subject,
    Width,
    rotary_runs,
)
from posproofs.laws import rotary_proofs as rotary
from posproofs.laws import score_proofs as scores
from posproofs.laws.score_formula import four_terms
from posproofs.laws.scored import ScoreSubject
from posproofs.mutants.reference import Layout
from posproofs.symbolic.comparing import compared
from posproofs.symbolic.domains import evaluated
from posproofs.symbolic.domains.exact import Exact
from posproofs.symbolic.execution import execute
from posproofs.symbolic.formula import Formula
from posproofs.symbolic.program import Program
from posproofs.symbolic.readings import Reader
from posproofs.symbolic.tensors import Complex, Symbolic, symbols
from posproofs.symbolic.tracing import Traced, trace, trace_run, trace_vjp

LAYOUTS: tuple[Layout, ...] = ("interleaved", "half-split")
FORMS = ("table", "complex", "real")
WIDTHS = (Width(4, 4), Width(6, 4))


@cache
def rotation(layout: Layout, form: str) -> Subject:
    def make(width: Width) -> Instance:
        rotate = emit("rotary.rotate", to="torch", layout=layout, form=form)
        return Instance(lambda x, positions: rotate(x, positions, rotary_dim=width.rotary))

    convention, recipe = Convention(layout, layout), Recipe("rounded", "input", ("input",), "wide")
    return Subject(f"emitted.{layout}.{form}", "posproofs", convention, recipe, WIDTHS[:1], make)


@pytest.mark.parametrize("proof", [rotary.prove_formula, rotary.prove_vjp, rotary.prove_locality])
@pytest.mark.parametrize(("layout", "form"), list(product(LAYOUTS, FORMS)))
def test_a_rotation_is_its_theorem(layout: Layout, form: str, proof: Any) -> None:
    found = proof(rotation(layout, form))
    assert (found.status, found.reason) == ("proved", "")
    assert found.certificate.for_all == "all inputs, positions and frequencies"


@pytest.mark.parametrize(("layout", "form"), list(product(LAYOUTS, FORMS)))
def test_the_eager_way_is_the_same(layout: Layout, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = rotation(layout, form)
    exported = rotary_runs.run(subject)
    rotary_runs.graph.cache_clear()
    monkeypatch.setattr(rotary_runs, "trace", lambda function, given, **_level: trace_run(function, given))
    eager = rotary_runs.run(subject, program=exported.program)
    rotary_runs.graph.cache_clear()
    both = ((exported.turned[place], eager.turned[place]) for place in exported.turned)
    pairs = [pair for one, other in both for pair in zip(one, other, strict=True)]
    assert compared(exported.program, pairs).status == "proved"
    if form == "table" and layout == "interleaved":  # the one that goes another way
        assert eager.traced.digest != exported.traced.digest
        assert any("view_as_complex" in name for name in eager.execution.operators)
        assert not any("view_as_complex" in name for name in exported.execution.operators)


@pytest.mark.parametrize("form", FORMS)
def test_a_defect_of_an_emitted_rotation_is_refuted(form: str) -> None:
    right = rotation("half-split", form)

    def make(width: Width) -> Instance:
        rotate = right.make(width).rotate
        return Instance(lambda x, positions: rotate(x, positions).roll(1, -1))

    wrong = Subject("emitted.wrong", "posproofs", right.convention, right.recipe, right.widths, make)
    assert rotary.prove_formula(wrong).status == "refuted"


# Scores

SCORES = ScoreSubject(
    "emitted.scores",
    "posproofs",
    ScoreConvention(gives="scores", scale="none"),
    ScoreRecipe(),
    (Size(2, 4),),
    lambda _size, _dtype: ScoreInstance(emit("transformer_xl.scores", to="torch")),
)


@pytest.mark.parametrize("proof", [scores.prove_four_terms, scores.prove_gather, scores.prove_memory])
def test_scores_are_their_theorem(proof: Any) -> None:
    assert proof(SCORES).status == "proved"


def begun() -> tuple[scores.Runs, list[torch.Tensor]]:
    """A sequence of symbols, and the five arguments of a call on the whole of it."""
    runs = scores.begun(SCORES, scores.shapes(SCORES)[0])
    return runs, list(runs.sequence.part(SCORES, 0, runs.shape.memory, runs.shape.count))


def on_symbols(runs: scores.Runs, traced: Traced, given: Sequence[torch.Tensor]) -> list[int]:
    wrapped = [Symbolic(nodes, torch.float32) for nodes in given]
    (found,), _ = execute(traced, runs.program, wrapped, reader=Reader(runs.program))
    nodes: list[int] = found.nodes.flatten().tolist()
    return nodes


def examples(given: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [torch.ones(nodes.shape) for nodes in given]


def slope(total: Value, by: Atom) -> Value:
    return v.derivative(total, lambda atom: v.ONE if atom == by else {})


@pytest.mark.parametrize("by", range(5), ids=["q", "k", "r", "u", "v"])
def test_the_gradient_of_scores_is_that_of_the_theorem(by: int) -> None:
    """sum of g_ij s_ij is a polynomial, so the kernel differentiates it, and the backward graph must give that."""
    runs, given = begun()
    program = runs.program
    wanted = four_terms(program, runs.sequence, runs.shape.memory, None, "none")
    gradient = symbols(program, "g", wanted.shape).nodes
    traced = trace_vjp(emit("transformer_xl.scores", to="torch"), examples(given), by=by)
    pulled = on_symbols(runs, traced, [*given, gradient])
    total = program.dot(wanted.flatten().tolist(), gradient.flatten().tolist())
    domain = Exact()
    values = evaluated(program, [total, *pulled], domain)
    for node, symbol in zip(pulled, given[by].flatten().tolist(), strict=True):
        (((atom, _),),) = (monomial for monomial, _ in evaluated(program, [symbol], domain)[symbol])
        assert domain.tower.equal(values[node], slope(values[total], atom))


def test_attention_is_the_softmax_of_the_theorem_times_the_values() -> None:
    """It has one way, and asks nothing about compilers."""
    runs, given = begun()
    q, k, r, u, b = given
    program, shape = runs.program, runs.shape
    contents = symbols(program, "values", (*k.shape[:-1], 3)).nodes
    attention = emit("transformer_xl.scores", to="torch").attention
    arguments = [q, k, contents, r, u, b]
    found = on_symbols(runs, trace(attention, examples(arguments)), arguments)
    wanted = four_terms(program, runs.sequence, shape.memory, None, "1/sqrt(d)")
    made = [
        program.dot(program.shares(row), column)
        for bh, rows in enumerate(wanted.flatten(0, 1).tolist())
        for row in rows
        for column in contents.flatten(0, 1)[bh].T.tolist()
    ]
    assert compared(program, list(zip(found, made, strict=True))).status == "proved"


# The two plain formulas

PLAIN = [name for name in TARGETS if name.startswith("euler.")]


def parts(program: Program, found: Symbolic | Complex) -> list[tuple[int, int]]:
    """The entries as pairs of a real and an imaginary node."""
    if isinstance(found, Complex):
        return list(zip(found.re.nodes.flatten().tolist(), found.im.nodes.flatten().tolist(), strict=True))
    return [(node, program.zero) for node in found.nodes.flatten().tolist()]


@pytest.mark.parametrize("tracer", [trace, trace_run])
@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_formula_is_its_theorem(name: str, tracer: Any) -> None:
    program = Program()
    theta = symbols(program, "theta", (3,))
    traced = tracer(emit(name, to="torch"), [torch.ones(3)])
    (found,), _ = execute(traced, program, [theta], reader=Reader(program))
    statement = theorem(name).statement
    wanted = [
        entry
        for node in theta.nodes.tolist()
        for row in Formula(program, {}, {"theta": node}, {}, {}).rows(statement.left)
        for entry in row
    ]
    given = parts(program, found)
    pairs = [pair for one, entry in zip(given, wanted, strict=True) for pair in zip(one, entry, strict=True)]
    assert compared(program, pairs).status == "proved"


def test_the_gradient_of_a_rotation_matrix_is_the_derivative() -> None:
    """d/dtheta of sum g_ab R_ab, g the gradient, is -g_00 sin - g_01 cos + g_10 cos - g_11 sin."""
    program = Program()
    theta, gradient = symbols(program, "theta", (2,)), symbols(program, "g", (2, 2, 2))
    traced = trace_vjp(emit("euler.rotation_matrix", to="torch"), [torch.ones(2)])
    (pulled,), _ = execute(traced, program, [theta, gradient], reader=Reader(program))
    pairs = []
    for k, (angle, found) in enumerate(zip(theta.nodes.tolist(), pulled.nodes.tolist(), strict=True)):
        g = gradient.nodes[k].flatten().tolist()
        sine, cosine = program.sin(angle), program.cos(angle)
        slopes = [program.negate(sine), program.negate(cosine), cosine, program.negate(sine)]
        pairs.append((found, program.dot(g, slopes)))
    assert compared(program, pairs).status == "proved"


def test_every_target_is_proved_here() -> None:
    """A new target must be added above."""
    assert {*PLAIN, "rotary.rotate", "transformer_xl.scores"} == set(TARGETS)
    assert set(TARGETS["rotary.rotate"].proofs) == set(LAYOUTS)
