"""What a proof about released functions says, and what it refutes; which are proved stands in the table of outcomes."""

from functools import cache
from typing import Any

import pytest

from posproofs.laws import law
from posproofs.laws.law import replayed
from posproofs.production import subject
from posproofs.symbolic.proof import Proof
from posproofs.symbolic.wording import sentence

NO_ROTATION = "transformers.vjepa2"


@cache
def proof(name: str, id_: str) -> Proof:
    prove: Any = law(id_).prove
    found: Proof = prove(subject(name))
    return found


@pytest.mark.parametrize("id_", ["rotary.locality", "rotary.isometry", "rotary.gram", "rotary.formula"])
@pytest.mark.parametrize("name", ["torch.onnx.interleaved", "diffusers.rotary_1d"])
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


@pytest.mark.parametrize("id_", ["transformer_xl.gather", "transformer_xl.four_terms"])
@pytest.mark.parametrize("name", ["transformers.xlnet.bi", "espnet.conformer"])
def test_released_scores_are_proved(name: str, id_: str) -> None:
    found = proof(name, id_)
    assert (found.status, found.reason) == ("proved", "")
    assert found.certificate is not None
    assert found.certificate.for_all.startswith("all queries")
    assert found.certificate.shape.startswith("batch 1, 2 heads of width 4, 3 queries")
    assert "; batch 2, 3 heads of width 4, 5 queries" in found.certificate.shape


def test_rows_that_code_makes_itself_are_proved_for_all_frequencies() -> None:
    """Funnel's factorised form: two tables, of queries and of keys, and the sine of a difference out of them."""
    factorised = "transformers.funnel.factorized"
    for id_ in ("transformer_xl.four_terms", "transformer_xl.negative_offset"):
        found = proof(factorised, id_)
        assert found.status == "proved"
        assert found.certificate is not None
        assert found.certificate.for_all.endswith("and frequencies")
        assert found.certificate.readings == ("a table of sines and cosines read as those of position * frequency",)


def test_a_table_that_code_makes_is_proved() -> None:
    found = proof("transformers.parakeet", "transformer_xl.negative_offset")
    assert (found.status, found.reason) == ("proved", "")
    assert found.certificate is not None
    assert (found.certificate.for_all, found.certificate.readings) == (
        "all frequencies",
        ("a table of the declared frequencies read as symbols",),
    )
