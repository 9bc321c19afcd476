"""Every arithmetic mutant is refuted at a point that the code confirms; what a graph cannot show is said to be outside.

The table below names each mutant: refuted by a law, or outside for a reason. A mutant that is outside is caught by the
law that names it, in tests/laws.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Literal

import pytest
import torch

from posproofs.laws import LAWS, ROTARY_LAWS, SCORE_LAWS, AnySubject, Law, Width, law, subject_of
from posproofs.laws.law import replayed
from posproofs.mutants import MUTANTS, SCORE_MUTANTS, Mutant, ScoreMutant
from posproofs.mutants.reference import Layout, Rotate, Style, rotation
from posproofs.symbolic.proof import Proof
from tests.laws.test_score_matrix import CORRECT

REFUTED = {
    "lost-minus": "rotary.formula",
    "tiled-table": "rotary.formula",
    "aliased-halves": "rotary.formula",
    "scale-by-position": "rotary.formula",
    "identity": "rotary.formula",
    "head-axis": "rotary.formula",
    "wrap-at-64": "rotary.formula",
    "clamp-at-63": "rotary.formula",
    "compressed-beyond-64": "rotary.formula",
    "shifted-exponent": "rotary.formula",
    "ignored-base": "rotary.formula",
    "bfloat16-frequencies": "rotary.formula",
    "opposite-angle": "rotary.formula",
    "dropped-backward": "rotary.vjp",
    "half-gradient": "rotary.vjp",
    "second-member-detached": "rotary.vjp",
    "row-leak": "rotary.formula",
    "base-of-the-call": "rotary.formula",
    "table-of-longest-call": "rotary.formula",  # the first call of an instance shows it too
    "odd-heads-left": "rotary.formula",
    "first-row-left": "rotary.formula",
    "one-position-for-all": "rotary.formula",
    "reversed-rows": "rotary.formula",
    "positions-from-0": "rotary.formula",
    "offset-added-twice": "rotary.formula",
    "magnitude-on-cosine": "rotary.formula",
    "magnitude-on-first": "rotary.formula",
    "unequal-halves": "rotary.formula",
    "one-sided-decay": "rotary.formula",
    "integer-interpolation": "rotary.formula",
    "odd-positions-left": "rotary.formula",
    "last-pair-left": "rotary.formula",
    "skip-at-64": "rotary.formula",
    "long-factors-beyond-64": "rotary.formula",
    "angle-modulo-6.2832": "rotary.formula",
    "float16-frequencies": "rotary.formula",
    "half-exponent": "rotary.formula",
    "reversed-frequencies": "rotary.formula",
    "degrees": "rotary.formula",
    "exchanged-tables": "rotary.formula",
    "last-pair-back": "rotary.formula",
    "one-ahead-in-half": "rotary.formula",
    "one-too-far": "rotary.formula",
    "undeclared-interpolation": "rotary.formula",
    "other-layout": "rotary.formula",
    "magnitude-squared": "rotary.formula",
    "magnitude-ignored": "rotary.formula",
    "xl-memory-ignored": "transformer_xl.memory",
    "xl-off-by-one": "transformer_xl.gather",
    "xl-unshifted": "transformer_xl.gather",
    "xl-transposed": "transformer_xl.gather",
    "xl-reversed": "transformer_xl.gather",
    "xl-cyclic": "transformer_xl.gather",
    "xl-query-position": "transformer_xl.shift",
    "xl-from-the-end": "transformer_xl.length_extension",
    "xl-exchanged-biases": "transformer_xl.four_terms",
    "xl-no-u": "transformer_xl.four_terms",
    "xl-v-in-content": "transformer_xl.four_terms",
    "bfloat16-positions": "rotary.formula",  # whole positions are numbers, and what code does with them is done
    "float16-positions": "rotary.formula",
    "int16-positions": "rotary.formula",
    "clamp-at-4095": "rotary.formula",
    "overflow-at-65504": "rotary.formula",
    "single-head-left": "rotary.formula",
    "xl-symmetric-table": "transformer_xl.negative_offset",
    "base-of-heads": "rotary.formula",
    "batch-axis": "rotary.formula",
    "long-factors-by-start": "rotary.formula",
    "keys-back": "rotary.formula",
    "crossed-members": "rotary.formula",
    "keys-for-queries": "rotary.formula",
    "exponent-over-head": "rotary.formula",
    "llama3-dropped": "rotary.formula",
    "yarn-dropped": "rotary.formula",
    "yarn-on-scaled-base": "rotary.formula",
    "interpolation-dropped": "rotary.formula",
    "sine-over-tangent": "rotary.formula",
    "negative-base": "rotary.formula",
    "power-of-position": "rotary.formula",
    "empty-frequencies": "rotary.formula",
}
Outside = Literal["state", "precision", "another dtype", "an output of another form"]
OUTSIDE: dict[str, Outside] = {
    "in-place": "state",  # the arguments after the call are no output of the graph
    "moved-positions": "state",
    "stale-cache": "state",  # a graph is one call
    "poisoned-cache": "state",
    "history-dependent-base": "state",
    "in-place-half": "state",
    "counted-on": "state",
    "shared-between-instances": "state",
    "cast-frequencies": "state",
    "first-start": "state",
    "width-of-the-last": "state",
    "width-of-the-first": "state",
    "xl-in-place": "state",
    "xl-poisoned-table": "state",
    "bfloat16-angles": "precision",  # a cast of a symbol is the identity of real arithmetic
    "positions-like-input": "another dtype",  # a graph is that of inputs in float32
    "float64-output": "an output of another form",
    "float32-output": "an output of another form",
    "rest-lost": "an output of another form",
}
ROTATION, SCORES = ("rotary.formula", "rotary.vjp"), ("transformer_xl.four_terms",)
ALL: tuple[Mutant | ScoreMutant, ...] = (*MUTANTS, *SCORE_MUTANTS)


@pytest.fixture(autouse=True, scope="module")
def _single_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@cache
def subject(mutant: Mutant | ScoreMutant) -> AnySubject:
    """One subject for each mutant, so that its graphs are exported once."""
    return subject_of(mutant)


@cache
def proof(one: Law, mutant: Mutant | ScoreMutant) -> Proof:
    assert one.prove is not None
    return one.prove(subject(mutant))


def named(mutants: Mapping[str, str]) -> list[Mutant | ScoreMutant]:
    return [mutant for mutant in ALL if mutant.name in mutants]


def test_every_mutant_is_in_the_table() -> None:
    assert {mutant.name for mutant in ALL} == REFUTED.keys() | OUTSIDE.keys()
    assert not REFUTED.keys() & OUTSIDE.keys()


@pytest.mark.parametrize("mutant", named(REFUTED), ids=lambda m: m.name)
def test_an_arithmetic_mutant_is_refuted_at_a_point_of_its_own_code(mutant: Mutant | ScoreMutant) -> None:
    one = law(REFUTED[mutant.name])
    found = proof(one, mutant)
    assert found.status == "refuted"
    case, measured = replayed(one, subject(mutant), found)
    assert measured.broken
    assert len(one.describe(case)) < 120, "a point that nobody reads"


@pytest.mark.parametrize("mutant", named(dict(OUTSIDE)), ids=lambda m: m.name)
def test_a_mutant_outside_is_refuted_by_nothing(mutant: Mutant | ScoreMutant) -> None:
    """Otherwise it stands in the wrong table. That its own law proves it would be a false proof.

    The laws that are asked say all that the others say of one call; the others follow from them.
    """
    naming = next(one for one in LAWS if mutant in one.mutants)
    asked = [law(id_) for id_ in (ROTATION if isinstance(mutant, Mutant) else SCORES)]
    found = {one.id: proof(one, mutant).status for one in (*asked, naming) if one.prove is not None}
    assert "refuted" not in found.values()
    assert found.get(naming.id) != "proved"


@pytest.mark.parametrize("mutant", named({k: v for k, v in OUTSIDE.items() if v == "precision"}), ids=lambda m: m.name)
def test_what_precision_loses_is_said_where_it_is_proved(mutant: Mutant | ScoreMutant) -> None:
    found = proof(law("rotary.formula"), mutant)
    assert (found.status, found.certificate is None) == ("proved", False)
    assert found.certificate is not None
    assert any(cast.endswith((" to bfloat16", " to float16")) for cast in found.certificate.casts)


@pytest.mark.parametrize("mutant", SCORE_MUTANTS, ids=lambda m: m.name)
def test_a_law_that_is_refuted_is_explained_by_the_naming_one(mutant: ScoreMutant) -> None:
    naming = next(one for one in SCORE_LAWS if mutant in one.mutants)
    for one in SCORE_LAWS:
        if one.prove is not None and one is not naming and naming not in one.needs:
            assert proof(one, mutant).status != "refuted", one.id


def test_a_gradient_that_is_lost_in_a_single_row_is_refuted() -> None:
    """As in decoding, where one row is turned at a time."""

    def make(head: int, rotary: int) -> Rotate:
        right = rotation(head, rotary, Style())
        return lambda x, positions: right(x if x.shape[-2] > 1 else x / 2 + x.detach() / 2, positions)

    one, wrong = law("rotary.vjp"), subject_of(Mutant("single-row-detached", "half of its gradient is lost", make))
    assert one.prove is not None
    found = one.prove(wrong)
    assert found.status == "refuted"
    assert replayed(one, wrong, found)[1].broken


LAYOUTS: tuple[Layout, ...] = ("interleaved", "half-split")
STYLES = [
    *(Style(reads, writes) for reads in LAYOUTS for writes in LAYOUTS),
    *(Style(layout, layout, -1) for layout in LAYOUTS),
    Style("interleaved", "half-split", -1, magnitude=1.2),
    Style("half-split", "half-split", magnitude=1.2),
    Style(base=500000.0),
]


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_a_legitimate_convention_of_a_rotation_is_proved(style: Style) -> None:
    subject = subject_of(
        Mutant("right", "nothing", lambda head, rotary: rotation(head, rotary, style), style), (Width(6, 4),)
    )
    proofs = {one.id: one.prove(subject) for one in ROTARY_LAWS if one.prove is not None}
    assert {id_: (one.status, one.reason) for id_, one in proofs.items()} == {
        f"rotary.{name}": ("proved", "") for name in ("locality", "isometry", "gram", "vjp", "formula")
    }


@pytest.mark.parametrize("name", CORRECT)
def test_correct_scores_are_proved_in_every_convention(name: str) -> None:
    right = CORRECT[name]
    asked = ["transformer_xl.four_terms", "transformer_xl.gather", "transformer_xl.shift"]
    asked += ["transformer_xl.memory"] if right.convention.memory == "any" else []
    asked += ["transformer_xl.negative_offset"] if right.convention.rows == "own" else []
    proofs = {id_: law(id_).prove for id_ in asked}
    found = {id_: prove(right) for id_, prove in proofs.items() if prove is not None}
    assert {id_: (one.status, one.reason) for id_, one in found.items()} == dict.fromkeys(asked, ("proved", ""))


def test_a_declaration_that_does_not_fit_is_refuted() -> None:
    """The same scores, declared in another scale."""
    right = CORRECT["other scale"]
    wrong = replace(right, convention=replace(right.convention, scale="1/sqrt(d)"))
    prove = law("transformer_xl.four_terms").prove
    assert prove is not None
    found = prove(wrong)
    assert found.status == "refuted"
    assert replayed(law("transformer_xl.four_terms"), wrong, found)[1].broken
