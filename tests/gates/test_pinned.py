"""Gates that are test functions: what they look at is changed for the length of one call, and they fail."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import posproofs
from derivations.claims import all_claims
from derivations.derivation import Report, catalogue
from derivations.lemmas import LEMMAS, Lemma
from posproofs.engine.records import Run
from posproofs.laws import LAWS, Law, Measure, law
from posproofs.mutants import rotary as wrong
from tests.cli import test_commands
from tests.cli.commands import Done
from tests.derivations import test_catalogue, test_claims, test_lemmas
from tests.docs import test_pages
from tests.emit import test_modules, test_scores_module
from tests.engine import test_run
from tests.laws import test_matrix, test_score_matrix, test_table
from tests.mutants import test_steps
from tests.repo import test_exports

Patch = pytest.MonkeyPatch
PURITY, GRAM = law("rotary.purity"), law("rotary.gram")


def test_another_public_name_is_noticed(monkeypatch: Patch) -> None:
    test_exports.test_the_public_names_are_pinned()
    monkeypatch.setattr(posproofs, "__all__", [*posproofs.__all__, "planted"])
    with pytest.raises(AssertionError, match="planted"):
        test_exports.test_the_public_names_are_pinned()


def test_another_lemma_is_noticed(monkeypatch: Patch) -> None:
    planted = Lemma("planted", "All is well.", "nobody")
    monkeypatch.setitem(LEMMAS, planted.id, planted)
    with pytest.raises(AssertionError, match="planted"):
        test_lemmas.test_the_list_is_pinned()


@pytest.mark.parametrize(
    "planted", [Lemma("x", "Rotary embedding is relative.", "somebody"), Lemma("x", "All is well.", "")]
)
def test_a_lemma_about_a_scheme_or_without_a_source_is_noticed(planted: Lemma, monkeypatch: Patch) -> None:
    test_lemmas.test_each_lemma_has_a_source_and_names_no_scheme()
    monkeypatch.setitem(LEMMAS, planted.id, planted)
    with pytest.raises(AssertionError):
        test_lemmas.test_each_lemma_has_a_source_and_names_no_scheme()


def test_a_claim_that_is_missing_is_noticed(monkeypatch: Patch) -> None:
    monkeypatch.setattr(test_claims, "all_claims", lambda: all_claims()[1:])
    with pytest.raises(AssertionError, match="RF-00"):
        test_claims.test_there_are_142_entries_in_the_order_of_the_notes()


def test_an_erratum_that_nothing_answers_is_noticed(monkeypatch: Patch) -> None:
    test_catalogue.test_the_errata_of_rotary_are_all_there()
    monkeypatch.setattr(test_catalogue, "ERRATA", [e for e in test_catalogue.ERRATA if e.id != "errata.RF-50"])
    with pytest.raises(AssertionError, match="RF-50"):
        test_catalogue.test_the_errata_of_rotary_are_all_there()


def test_an_entry_that_names_no_claim_of_the_sources_is_noticed() -> None:
    with pytest.raises(KeyError, match="RF-99"):
        test_catalogue.test_claims_and_lemmas_exist(replace(catalogue()["rotary.relative"], claims=("RF-99",)))


def test_a_theorem_that_is_open_is_noticed() -> None:
    entry = catalogue()["rotary.relative"]
    test_catalogue.test_listed_theorems_are_proved(entry)
    planted = replace(entry, decide=lambda: Report("undecided", detail="limit reached: planted"))
    with pytest.raises(AssertionError, match="limit reached: planted"):
        test_catalogue.test_listed_theorems_are_proved(planted)


def test_an_erratum_that_holds_is_noticed() -> None:
    entry = catalogue()["errata.RF-50"]
    test_catalogue.test_errata_are_machine_checked_beside_a_corrected_form(entry)
    with pytest.raises(AssertionError, match="proved"):
        test_catalogue.test_errata_are_machine_checked_beside_a_corrected_form(
            replace(entry, decide=lambda: Report("proved", detail="planted"))
        )


def test_a_theorem_without_a_witness_is_noticed(monkeypatch: Patch) -> None:
    test_catalogue.test_no_theorem_is_vacuous()
    theorem = SimpleNamespace(hypotheses=("x > 0", "-x > 0"), witness={})
    monkeypatch.setattr(test_catalogue, "CONFIRMED", [SimpleNamespace(id="planted", theorem=theorem)])
    with pytest.raises(AssertionError, match="planted"):
        test_catalogue.test_no_theorem_is_vacuous()


@pytest.mark.parametrize(
    ("planted", "message"),
    [
        (replace(GRAM, mutants=()), "without a mutant"),
        (replace(GRAM, consequence="x" * 60), "broken"),
        (replace(GRAM, claims=("RF-99",)), "RF-99"),
        (replace(GRAM, id="gram"), "gram"),
    ],
    ids=["no mutant", "long first line", "unknown claim", "id of no kind"],
)
def test_a_law_that_is_not_complete_is_noticed(planted: Law, message: str) -> None:
    test_table.test_a_law_is_complete(GRAM)
    with pytest.raises(AssertionError, match=message):
        test_table.test_a_law_is_complete(planted)


def test_a_mutant_that_no_law_names_is_noticed(monkeypatch: Patch) -> None:
    test_table.test_every_mutant_is_named_by_one_law()
    monkeypatch.setattr(test_table, "LAWS", [one for one in LAWS if one.id != "rotary.vjp"])
    with pytest.raises(AssertionError, match="dropped-backward"):
        test_table.test_every_mutant_is_named_by_one_law()


def test_a_law_before_one_that_it_needs_is_noticed(monkeypatch: Patch) -> None:
    test_table.test_every_law_comes_after_those_that_it_needs()
    monkeypatch.setattr(test_table, "LAWS", LAWS[::-1])
    with pytest.raises(AssertionError):
        test_table.test_every_law_comes_after_those_that_it_needs()


def test_a_law_that_loses_its_theorem_is_noticed(monkeypatch: Patch) -> None:
    test_table.test_the_theorems_are_in_the_catalogue()
    monkeypatch.setattr(test_table, "LAWS", [replace(one, theorem=None) for one in LAWS])
    with pytest.raises(AssertionError):
        test_table.test_the_theorems_are_in_the_catalogue()


def test_a_law_that_sees_nothing_lets_its_mutants_live(monkeypatch: Patch) -> None:
    blind = replace(PURITY, measure=lambda _subject, _case: Measure(0.0, 0.0))
    mutant = wrong.IN_PLACE
    assert mutant in PURITY.mutants
    test_matrix.test_a_mutant_is_killed_by_the_law_that_names_it(mutant)
    monkeypatch.setitem(test_matrix.NAMED_BY, mutant.name, blind)
    with pytest.raises(AssertionError):
        test_matrix.test_a_mutant_is_killed_by_the_law_that_names_it(mutant)


def test_a_law_that_sees_too_much_is_a_false_alarm(monkeypatch: Patch) -> None:
    alarmed = replace(PURITY, measure=lambda _subject, _case: Measure(1.0, 0.0))
    monkeypatch.setattr(test_matrix, "ROTARY_LAWS", (alarmed,))
    with pytest.raises(AssertionError, match=r"rotary\.purity"):
        test_matrix.test_a_correct_rotation_raises_no_alarm(test_matrix.CORRECT[0])
    scored = replace(law("transformer_xl.purity"), measure=lambda _subject, _case: Measure(1.0, 0.0))
    monkeypatch.setattr(test_score_matrix, "SAMPLED", (scored,))
    with pytest.raises(AssertionError, match=r"transformer_xl\.purity"):
        test_score_matrix.test_a_correct_implementation_raises_no_alarm("looked up")


def test_a_run_in_which_a_subject_is_missing_is_noticed() -> None:
    """No law that fails, and none that ran either."""
    nothing = Run((), (), (("transformers.llama", "transformers is not installed"),))
    with pytest.raises(AssertionError):
        test_run.test_the_released_implementations_hold_but_for_what_is_known(nothing)


def test_a_step_mutant_that_is_open_is_noticed(monkeypatch: Patch) -> None:
    found = Counter({"refuted": 7, "row 1, sign of a term: undecided: limit reached": 1})
    monkeypatch.setattr(test_steps, "fates", lambda _entry: found)
    with pytest.raises(AssertionError, match="sign of a term"):
        test_steps.test_no_step_mutant_is_undecided(test_steps.CHAINS[0])
    monkeypatch.setattr(test_steps, "fates", lambda _entry: Counter({"equal": 7}))
    with pytest.raises(AssertionError):
        test_steps.test_no_step_mutant_is_undecided(test_steps.CHAINS[0])


PAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "broken link": (test_pages.test_links_lead_to_files, "# A page\n\nSee [there](no-such-page.md).\n", "no-such-page"),
    "long line": (test_pages.test_a_page_is_plain_text_for_people, f"# A page\n\n{'word ' * 25}\n", "120"),
    "not ASCII": (test_pages.test_a_page_is_plain_text_for_people, "# A page\n\ncaf\u00e9\n", "isascii"),
    "no title": (test_pages.test_a_page_is_plain_text_for_people, "A page\n", "startswith"),
    "picture": (test_pages.test_a_page_is_plain_text_for_people, "# A page\n\n![a](b.png)\n", "no badges"),
    "nothing to run": (test_pages.test_a_page_runs_something, "# A page\n\nWords.\n", "assert"),
}


@pytest.mark.parametrize("defect", PAGES)
def test_a_page_with_a_defect_is_noticed(defect: str, tmp_path: Path) -> None:
    check, text, message = PAGES[defect]
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(AssertionError, match=message):
        check(page)


def test_a_page_that_the_readme_does_not_name_is_noticed(monkeypatch: Patch) -> None:
    test_pages.test_the_readme_names_every_page()
    monkeypatch.setattr(test_pages, "PAGES", (*test_pages.PAGES, Path("planted.md")))
    with pytest.raises(AssertionError, match=r"planted\.md"):
        test_pages.test_the_readme_names_every_page()


def test_a_word_that_the_page_on_proofs_does_not_explain_is_noticed(monkeypatch: Patch) -> None:
    test_pages.test_the_page_on_proofs_explains_every_word_of_the_vocabularies()
    monkeypatch.setattr(test_pages, "Evidence", ["proved", "planted"])
    with pytest.raises(AssertionError, match="planted"):
        test_pages.test_the_page_on_proofs_explains_every_word_of_the_vocabularies()


def test_a_formula_written_in_the_emitter_is_noticed(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "posproofs.emit", SimpleNamespace(__file__=str(tmp_path / "__init__.py")))
    (tmp_path / "planted.py").write_text('TEXT = "x * cos - y"\n')
    with pytest.raises(AssertionError, match=r"planted\.py contains '\* cos'"):
        test_modules.test_the_emitter_contains_no_formula_of_rotary()
    (tmp_path / "planted.py").write_text('TEXT = "(q + u) @ k"\n')
    with pytest.raises(AssertionError, match=r"planted\.py contains 'q \+ u'"):
        test_scores_module.test_the_emitter_contains_no_formula_of_a_score()


def test_a_report_that_differs_from_run_to_run_is_noticed(monkeypatch: Patch) -> None:
    runs = iter(("theorems\n", "theorems in 0.2 s\n"))
    monkeypatch.setattr(test_commands, "posproofs", lambda *_arguments, **_options: Done(0, next(runs), ""))
    with pytest.raises(AssertionError):
        test_commands.test_verify_prints_the_same_bytes_twice()
