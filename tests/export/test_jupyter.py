"""A registered shell shows entries, theorems, refutations and verdicts as text, LaTeX and Markdown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from derivations.derivation import NotProved, Report, equation, get
from derivations.euler import rotation
from derivations.kernel import prove
from derivations.notation import m, theta
from posproofs.engine.records import LawRecord, SubjectRecord
from posproofs.export import jupyter
from posproofs.vocabulary import Outcome, Verdict


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "posproofs")
    yield made
    InteractiveShell.clear_instance()


def shown(shell: Any, thing: object) -> dict[str, str]:
    data: dict[str, str] = shell.display_formatter.format(thing)[0]
    return data


def test_an_entry(shell: Any) -> None:
    data = shown(shell, get("rotary.relative"))
    assert set(data) == {"text/plain", "text/latex", "text/markdown"}
    assert "  = R(n - m)\n        angles add, pair by pair" in data["text/plain"]
    assert data["text/latex"].startswith(r"$\displaystyle \begin{aligned} \mathbf{R}_m^\top \mathbf{R}_n &=")
    assert "**proved**" in data["text/markdown"]
    assert data["text/plain"].isascii()


def test_an_erratum_shows_what_was_printed(shell: Any) -> None:
    data = shown(shell, get("errata.RF-50"))
    assert "as printed: q_m^T k_n" in data["text/plain"]
    assert "First false row" in data["text/markdown"]


def test_a_theorem(shell: Any) -> None:
    data = shown(shell, get("euler.cis").theorem)
    assert data["text/plain"].startswith("proved: exp(I*theta) =")
    assert r"\cos \theta" in data["text/latex"]


def test_a_refutation_and_an_open_question(shell: Any) -> None:
    assert shown(shell, prove(equation(rotation(theta), rotation(-theta))))["text/plain"].startswith("refuted: ")
    import sympy as sp

    open_question = prove(equation(sp.log(m**2 + 1), sp.log(m**2 + 2) - 1))
    assert "text/markdown" in shown(shell, open_question)


def test_a_report(shell: Any) -> None:
    assert shown(shell, get("euler.cis").check()) == shown(shell, get("euler.cis").theorem)
    assert shown(shell, Report("undecided", detail="row 2: open"))["text/plain"] == "undecided: row 2: open"


def test_a_subject(shell: Any) -> None:
    law = LawRecord("rotary.history", Outcome.BROKEN, 3, 3, reason="depends | on calls")
    subject = SubjectRecord("lib.rope", "lib", "1.0", "rotate", "interleaved", Verdict.BREAKS, (law,))
    data = shown(shell, subject)
    assert data["text/plain"] == "lib.rope (lib 1.0): breaks; interleaved\n  rotary.history broken depends | on calls"
    assert "| rotary.history | broken | depends \\| on calls |" in data["text/markdown"]


def test_other_objects_are_left_alone(shell: Any) -> None:
    assert shown(shell, {"a": 1}) == {"text/plain": "{'a': 1}"}


def test_outside_a_shell_registering_says_what_is_missing() -> None:
    program = "from posproofs.export.jupyter import register\nregister()"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "no IPython shell is running" in ran.stderr


def test_importing_the_package_changes_no_shell_and_loads_no_jupyter() -> None:
    program = "import sys, posproofs.export.jupyter; print('IPython' in sys.modules, 'nbformat' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]


def test_what_is_not_proved_has_no_theorem_to_show() -> None:
    with pytest.raises(NotProved):
        _ = get("errata.RF-50").theorem
    assert jupyter.entry_bundle(get("errata.RF-50"))["text/plain"].startswith("errata.RF-50 (erratum, refuted)")
