"""What symbolic execution proves of the released functions, and what it refutes: a change of either changes a claim."""

from functools import cache
from typing import Any

import pytest

from posproofs.laws import ScoreSubject, Subject, law
from posproofs.laws.law import replayed
from posproofs.production import SUBJECTS, subject
from posproofs.symbolic.proof import Proof
from posproofs.symbolic.wording import sentence

ROTARY = [one.name for one in SUBJECTS if isinstance(one, Subject)]
SCORES = [one.name for one in SUBJECTS if isinstance(one, ScoreSubject)]
NO_ROTATION = "transformers.vjepa2"
WITH_MEMORY = ("transformers.xlnet.bi", "transformers.xlnet.uni", "pytorch-transformers.transfo_xl")


@cache
def proof(name: str, id_: str) -> Proof:
    prove: Any = law(id_).prove
    found: Proof = prove(subject(name))
    return found


@pytest.mark.parametrize("id_", ["rotary.locality", "rotary.isometry", "rotary.gram", "rotary.formula"])
@pytest.mark.parametrize("name", [name for name in ROTARY if name != NO_ROTATION])
def test_a_released_rotation_is_proved(name: str, id_: str) -> None:
    found = proof(name, id_)
    assert (found.status, found.reason) == ("proved", "")
    assert found.certificate is not None
    assert found.certificate.for_all.startswith("all inputs, ")
    assert found.certificate.graphs
    assert sentence(found.certificate).startswith(f"over the reals, for {found.certificate.for_all}; at ")


def test_a_released_function_that_is_no_rotation_is_refuted_at_an_exact_point() -> None:
    """Its pairs are interleaved and its table is laid out for halves."""
    formula, one = law("rotary.formula"), subject(NO_ROTATION)
    found = proof(NO_ROTATION, "rotary.formula")
    assert found.status == "refuted"
    case, measured = replayed(formula, one, found)
    assert formula.describe(case) == "width 4; float32; position 1; x[0,0,0,1] = 1, the rest 0"
    # The second member of a pair stays where it was, but for cos 0.01, and should go to cos 1.
    assert (measured.saw, measured.expected) == ("coordinate 1 is 0.999949992", "0.540302306")
    assert proof(NO_ROTATION, "rotary.isometry").status != "proved"
    assert proof(NO_ROTATION, "rotary.gram").status != "proved"


@pytest.mark.parametrize(
    "id_",
    [
        "transformer_xl.gather",
        "transformer_xl.shift",
        "transformer_xl.length_extension",
        "transformer_xl.four_terms",
    ],
)
@pytest.mark.parametrize("name", SCORES)
def test_released_scores_are_proved(name: str, id_: str) -> None:
    found = proof(name, id_)
    assert (found.status, found.reason) == ("proved", "")
    assert found.certificate is not None
    assert found.certificate.for_all.startswith("all queries")
    assert found.certificate.shape.startswith("batch 1, 2 heads of width 4, 3 queries")
    assert "; batch 2, 3 heads of width 4, 5 queries" in found.certificate.shape


@pytest.mark.parametrize("name", SCORES)
def test_a_memory_is_proved_where_there_is_one(name: str) -> None:
    found = proof(name, "transformer_xl.memory")
    assert found.status == ("proved" if name in WITH_MEMORY else "undecided")


def test_rows_that_code_makes_itself_are_proved_for_all_frequencies() -> None:
    """Funnel's factorised form: two tables, of queries and of keys, and the sine of a difference out of them."""
    factorised = "transformers.funnel.factorized"
    for id_ in ("transformer_xl.four_terms", "transformer_xl.negative_offset"):
        found = proof(factorised, id_)
        assert found.status == "proved"
        assert found.certificate is not None
        assert found.certificate.for_all.endswith("and frequencies")
        assert found.certificate.readings == ("a table of sines and cosines read as those of position * frequency",)
    others = {name: proof(name, "transformer_xl.negative_offset") for name in SCORES if name != factorised}
    assert {one.status for one in others.values()} == {"undecided"}
    assert {one.reason for one in others.values()} == {
        "the rows are a table of numbers, and their law compares numbers"
    }
