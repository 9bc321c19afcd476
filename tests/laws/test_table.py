"""The table of laws is complete: each has a statement, a theorem or the mark that it has none, mutants and a place."""

import subprocess
import sys

import pytest

from derivations.claims import all_claims
from derivations.derivation import catalogue
from posproofs.errors import UnknownName
from posproofs.laws import ATTENTION_LAWS, LAWS, Law, law
from posproofs.mutants import ATTENTION_MUTANTS, MUTANTS, SCORE_MUTANTS
from tests.repo.sources import ROOT

FIRST_LINE = 60


@pytest.mark.parametrize("one", LAWS, ids=lambda one: one.id)
def test_a_law_is_complete(one: Law) -> None:
    assert one.id.startswith({"rotary": "rotary.", "scores": "transformer_xl.", "attention": "attention."}[one.kind])
    assert {need.kind for need in one.needs} <= {one.kind}
    assert one.statement.isascii()
    assert not one.statement.endswith(".")
    assert one.mutants, "a law without a mutant is worth nothing that was shown"
    assert len(f"{one.id} broken: {one.consequence}") <= FIRST_LINE
    assert set(one.claims) <= {claim.id for claim in all_claims()}


def test_every_law_comes_after_those_that_it_needs() -> None:
    for place, one in enumerate(LAWS):
        assert set(one.needs) <= set(LAWS[:place])


def test_every_mutant_is_named_by_one_law() -> None:
    named = [mutant.name for one in LAWS for mutant in one.mutants]
    listed = [[m.name for m in MUTANTS], [m.name for m in SCORE_MUTANTS], [m.name for m in ATTENTION_MUTANTS]]
    assert sorted(named) == sorted(name for names in listed for name in names)


def test_the_theorems_are_in_the_catalogue() -> None:
    entries = catalogue()
    resting = {one.id: one.theorem() for one in LAWS if one.theorem is not None}
    assert set(LAWS) - {one for one in LAWS if one.id in resting} == {
        law("rotary.output"),
        law("rotary.purity"),
        law("rotary.history"),
        law("rotary.locality"),
        law("rotary.position"),
        law("transformer_xl.purity"),
        law("transformer_xl.history"),
        *ATTENTION_LAWS,
    }
    assert all(entries[entry.id] is entry for entry in resting.values())


def test_a_law_is_found_by_its_id() -> None:
    assert law("rotary.gram") is LAWS[6]
    with pytest.raises(UnknownName, match=r"did you mean rotary\.gram"):
        law("rotary.gramm")


def test_reading_the_table_loads_neither_torch_nor_sympy() -> None:
    code = "import posproofs.laws, sys; print(sorted({'torch', 'sympy', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
