"""Documents: the author's own display of a row, tables, and errata without an equation for their corrected form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import sympy as sp

from derivations.derivation import Entry, Report, Step, StepReport, derivation, get
from derivations.euler import rotation
from derivations.notation import phi, theta
from derivations.transformer_xl import DEPENDENCE, RF_23C, SCORE
from posproofs.export.document import composed, document
from posproofs.export.faithful import Unfaithful
from posproofs.export.latex import fragment
from posproofs.export.markdown import markdown
from posproofs.export.plain import node_text, text
from tests.export.lint import labels


@dataclass(frozen=True, slots=True)
class Shown:
    """A row with a display of its own, as a step that carries `shown` reports it."""

    expression: Any
    reason: str
    verdict: str
    shown: Any


def entry(*rows: StepReport | Shown) -> tuple[Entry, Report]:
    report = Report("proved", get("euler.cis").theorem, rows)  # type: ignore[arg-type] # a row is read by its fields
    return Entry("x.y", "a title", "a source", "derivation", lambda: report), report


def test_a_row_is_shown_as_its_author_wants_it() -> None:
    """SymPy sorts phi before theta; the author's display says theta + phi and is printed as it stands."""
    sum_of_angles = rotation(theta + phi)
    wanted = sum_of_angles.xreplace({theta + phi: sp.Add(theta, phi, evaluate=False)})
    plain, shown = StepReport(sum_of_angles, "said", "given"), Shown(sum_of_angles, "said", "proved", wanted)
    rows = composed(*entry(plain, shown)).rows
    assert "cos(phi + theta)" in node_text(rows[0].node)
    assert "cos(theta + phi)" in node_text(rows[1].node)


def test_a_display_that_means_something_else_stops_the_document() -> None:
    wrong = Shown(rotation(theta), "said", "proved", rotation(-theta))
    with pytest.raises(Unfaithful, match="correct the row's `shown`"):
        composed(*entry(StepReport(rotation(theta), "said", "given"), wrong))


def test_a_table_lists_what_holds_of_each_formula() -> None:
    found = document(DEPENDENCE)
    assert [row.number for row in found.rows] == list(range(1, len(found.rows) + 1))
    written = fragment(found)
    assert labels(written) == [f"pp:transformer_xl.roles:{k}" for k in range(1, len(found.rows) + 1)]
    assert "&=" not in written.partition(r"\begin{align}")[2]
    assert "(c) does not read x_m: proved" in text(found)
    assert "(a) reads x_m: shown by a point" in text(found)
    assert r"\begin{aligned}" in markdown(found)


def test_vectors_that_depend_on_the_offset_have_a_name() -> None:
    assert node_text(document(SCORE).rows[0].node).endswith("v^T W_r r(m - n)")


def test_only_an_equation_is_printed_as_the_corrected_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a citation or of a table are not sides of one equation."""
    assert document(get("errata.RF-50")).correction != ()
    assert document(get("errata.RF-43")).correction == ()
    monkeypatch.setattr("posproofs.export.document.catalogue", lambda: {DEPENDENCE.id: DEPENDENCE})
    assert composed(RF_23C, RF_23C.check()).correction == ()


def test_the_region_of_an_identity_of_indices_is_said() -> None:
    """What a flat index means, over which indices the row is claimed, and where it holds."""
    found = document(get("rel_shift.causal"))
    assert [assumption.relation for assumption in found.assumptions] == [r"\ge"] * 2
    written = " ".join(fragment(found).split())
    assert r"$i = 0\dots L - 1$; $j = 0\dots K - 1$" in written
    assert r"$X^{\flat}_{t}$ is the entry of $X$ at flat index $t$, its rows of $K + 1$ entries" in written
    assert r"This holds where $K - L \ge 0$ and $i + K - j - L \ge 0$." in written
    assert r"X^{\flat}_{i K + j + L} &= X_{i,\,j + L - i}" in written
    assert "assume i + K - j - L >= 0" in text(found)
    assert found.scope.endswith("; real matrices X")
    assert "This holds where `K - L >= 0` and `i + K - j - L >= 0`." in markdown(found)
    assert "Assume" not in written


def test_matrices_of_one_size_are_listed_together() -> None:
    scope = document(get("transformer_xl.absolute")).scope
    assert scope == "for all d >= 1; e >= 1; real matrices W_k, W_q (e x d); real vectors p_m, p_n, x_m, x_n (d x 1)"
    assert "real vectors u, v (e x 1)" in document(DEPENDENCE).scope


def test_errata_say_why_their_equation_is_there() -> None:
    assert "the case that contradicts the claim" in text(document(get("errata.RF-43")))


def test_a_row_that_is_not_proved_is_never_printed_as_an_equation() -> None:
    given, right = StepReport(rotation(theta), "said", "given"), StepReport(rotation(theta), "again", "proved")
    false = StepReport(rotation(-theta), "sign lost", "false at theta=1: left 1, right 2")
    wrong = derivation("x.y", "a title", rotation(theta), Step(rotation(theta), "again"), source="a source")
    found = composed(wrong, Report("refuted", None, (given, right, false), detail="row 2: false"))
    assert "refuted" in fragment(found)
    assert r"&\ne " in fragment(found)
    assert "sign lost: false at theta=1" in text(found)
    assert "!= [[cos(theta)" in text(found)
    open_row = StepReport(rotation(phi), "guessed", "undecided: no point found (the normal forms differ)")
    undecided = composed(wrong, Report("undecided", None, (given, open_row)))
    assert r"&\overset{?}{=} " in fragment(undecided)
    assert "=? [[cos(phi)" in text(undecided)
