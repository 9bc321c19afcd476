"""The trials themselves: some hundred cases of each fragment without a complaint, and the command that runs them."""

from pathlib import Path

import pytest

from trials import __main__ as command
from trials import run
from trials.case import OUTCOMES, Case
from trials.fragments import FRAGMENTS, values
from trials.language import Equation, Var

CASES = 400


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_the_kernel_comes_through(fragment: str) -> None:
    found = run.run(fragment, range(CASES))
    assert found.complaints == []
    assert found.near + found.true == CASES == sum(found.outcomes.values())
    assert set(found.outcomes) <= set(OUTCOMES)
    answered = "no point found" if fragment == "towers" else "refuted"  # a tower proves, and refutes nothing
    assert found.outcomes[answered] > found.near // 3
    assert found.outcomes["proved"] > found.true // 2


def test_what_the_kernel_raises_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(case: Case) -> None:
        raise ZeroDivisionError(f"an oversight in {case.fragment}")

    monkeypatch.setattr(values, "answer", raises)
    case, chance = run.drawn("values", 0)
    found = run.judgement(case, chance)
    assert found.complaint is not None
    assert (found.outcome, found.complaint.kind) == ("crash", "crash")
    assert "ZeroDivisionError: an oversight in values" in found.complaint.text
    allowed = Case("values", Equation(Var("x"), Var("x")), allows=("ZeroDivisionError",))
    assert run.judgement(allowed, chance).outcome == "refused"


def test_a_slow_case_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SLOW", 0.0)
    complaint = run.tried("values", 0)[1].complaint
    assert complaint is not None
    assert complaint.kind == "too slow"


def test_a_run_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = ["--ledger", str(tmp_path / "trials.json"), "--fragment", "values"]
    assert command.main([*ledger, "--cases", "40"]) == 0
    first = capsys.readouterr().out.splitlines()[-1]
    assert command.main([*ledger, "--cases", "40"]) == 0
    again = capsys.readouterr().out.splitlines()
    assert first == again[-1]
    assert first.endswith("0 false proofs, 0 false refutations, 0 crashes, 0 too slow")
    assert sum(line.startswith("values/") for line in again) == 1  # nothing was left to try: the summary alone
    assert command.main([*ledger, "--cases", "60"]) == 0
    assert "values/0.." in capsys.readouterr().out


def test_a_case_is_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["replay", "values/8"]) == 0
    shown = capsys.readouterr().out
    assert run.drawn("values", 8)[0].claim.text() in shown
    assert "the kernel: " in shown
    assert "the oracle: nothing to complain of" in shown


@pytest.mark.parametrize("wrong", ["values", "values/x", "nothing/1"])
def test_a_case_that_does_not_exist_is_a_usage_error(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["replay", wrong]) == 2
    assert "wanted one of values" in capsys.readouterr().err


def test_ledgers_are_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for fragment in ("values", "sums"):
        path = str(tmp_path / f"{fragment}.json")
        assert command.main(["--ledger", path, "--fragment", fragment, "--cases", "20"]) == 0
    ledger = ["--ledger", str(tmp_path / "values.json")]
    assert command.main([*ledger, "merge", str(tmp_path / "sums.json")]) == 0
    told = capsys.readouterr().out
    assert "values/0.." in told
    assert "sums/0.." in told
    assert command.main([*ledger, "merge", str(tmp_path / "sums.json")]) == 2
    assert "counted twice" in capsys.readouterr().err


def test_a_run_that_is_not_over_is_not_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--ledger", str(tmp_path / "none.json"), "record", "--to", str(tmp_path / "r.json")]) == 2
    assert "let it end first" in capsys.readouterr().err
    assert not (tmp_path / "r.json").exists()
