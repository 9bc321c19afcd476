"""Somebody's own code: what it is found to be, which law is broken, and how bad behaviour ends."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from posproofs.engine.check import Checked, check, compare
from posproofs.engine.known import Entry
from posproofs.engine.queries import Query
from posproofs.engine.replay import load, replay
from posproofs.engine.worker import Worker
from posproofs.errors import UsageError
from posproofs.report.checked import text
from posproofs.vocabulary import Evidence, Outcome, Verdict
from tests.repo.sources import ROOT

RIGHT = f"{ROOT}/tests/engine/own/rotations.py"
WRONG = f"{ROOT}/tests/engine/own/wrong.py"


def checked(worker: Worker, query: Query, folder: Path, entries: tuple[Entry, ...] = ()) -> Checked:
    return check(query, entries=entries, folder=folder, worker=worker, examples=10)


NAMED = {
    "rotate": ("x+positions:bhtd:t", "rotary, half-split, base 10000, angle +p*w"),
    "other_base": ("x+positions:bhtd:t", "rotary, half-split, base 500000, angle +p*w"),
    "backwards": ("x+positions:bhtd:t", "rotary, half-split, base 10000, angle -p*w"),
    "quarter": ("x+positions:bhtd:t", "rotary, half-split, base 10000, angle +p*w"),
    "with_table": ("q+k+cos+sin:bhtd:btn:half-split", "rotary, half-split, base 10000, angle +p*w"),
    "with_complex": ("x+complex:bthd:tn:half", "rotary, interleaved, base 10000, angle +p*w"),
    "with_offset": ("x+offset:bhtd", "rotary, half-split, base 10000, angle +p*w"),
    "one_sequence": ("x+positions:td:t", "rotary, half-split, base 10000, angle +p*w"),
    "Interleaved": ("x+positions:bthd:bt", "rotary, interleaved, base 10000, angle +p*w"),
}


@pytest.mark.parametrize("name", NAMED)
def test_right_code_conforms_and_its_convention_is_named(name: str, worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, Query(f"{RIGHT}:{name}", dims=() if name == "rotate" else (16,)), tmp_path)
    assert found.verdict is Verdict.CONFORMS
    assert (found.code, found.identified[: len(NAMED[name][1])]) == NAMED[name]
    assert {law.outcome for law in found.subject.laws} <= {Outcome.HOLDS, Outcome.NOT_APPLICABLE}
    assert not list(tmp_path.iterdir())


def test_code_that_counts_rows_conforms(worker: Worker, tmp_path: Path) -> None:
    """Its angles are numbers in a graph, and rounded: that is no difference from the formula."""
    found = checked(worker, Query(f"{RIGHT}:counted_narrow", dims=(8,)), tmp_path)
    assert (found.verdict, found.code) == (Verdict.CONFORMS, "x:bhtd")
    assert {law.outcome for law in found.subject.laws} == {Outcome.HOLDS}


def test_what_can_be_proved_is_proved(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, Query(f"{RIGHT}:rotate"), tmp_path)
    proved = {law.id for law in found.subject.laws if law.evidence is Evidence.PROVED}
    assert proved == {f"rotary.{name}" for name in ("locality", "isometry", "gram", "vjp", "formula")}


BROKEN = {
    "tiled": "rotary.isometry",
    "stale": "rotary.history",
    "rounded": "rotary.position",
    "apart": "rotary.gram",
    "in_place": "rotary.purity",
    "hole": "rotary.output",
    "wider": "rotary.output",
    "shifted": "rotary.formula",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_defect_is_named_by_its_law(name: str, worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, Query(f"{WRONG}:{name}", dims=(8,)), tmp_path)
    assert found.verdict is Verdict.BREAKS
    assert [law.id for law in found.subject.laws if law.outcome is Outcome.BROKEN] == [BROKEN[name]]


def test_code_of_no_convention_that_breaks_no_law_is_unidentified(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, Query(f"{WRONG}:learning"), tmp_path)
    assert found.verdict is Verdict.UNIDENTIFIED
    assert "not linear" in found.identified
    assert "rotary.formula" not in {law.id for law in found.subject.laws}


def test_a_failure_is_replayed_in_a_new_process(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, Query(f"{WRONG}:apart", dims=(8,)), tmp_path)
    (law,) = (law for law in found.subject.laws if law.outcome is Outcome.BROKEN)
    assert law.likely == "queries and keys turn in opposite directions"
    assert law.replay is not None
    again = replay(law.replay, folder=tmp_path)
    assert (again.status, again.witness) == ("FAILED", law.witness)


def test_a_known_failure_is_known_and_one_that_is_out_of_date_a_problem(worker: Worker, tmp_path: Path) -> None:
    query = Query(f"{WRONG}:in_place", dims=(8,))
    stored = checked(worker, query, tmp_path)
    (purity,) = (law for law in stored.subject.laws if law.outcome is Outcome.BROKEN)
    digest = load(str(purity.replay), folder=tmp_path).digest
    entry = Entry(str(query), purity.id, digest, "the caller wants it in place", (), "pyproject.toml")
    found = checked(worker, query, tmp_path, (entry,))
    assert [law.reason for law in found.subject.laws if law.outcome is Outcome.KNOWN] == [entry.reason]
    assert found.problems == ()
    (line,) = checked(worker, query, tmp_path, (replace(entry, digest="0" * 12),)).problems
    assert line.startswith(f"pyproject.toml lists rotary.purity on {query} with digest 000000000000, but it fails with")
    (line,) = checked(worker, query, tmp_path, (entry, replace(entry, law="rotary.purty"))).problems
    assert line == "pyproject.toml names the unknown law 'rotary.purty'; did you mean rotary.purity?"


def test_what_is_declared_is_held_against_the_code(worker: Worker, tmp_path: Path) -> None:
    found = checked(worker, Query(f"{RIGHT}:rotate", declare=(("base", "500000"),)), tmp_path)
    (law,) = (law for law in found.subject.laws if law.outcome is Outcome.BROKEN)
    assert law.id == "rotary.formula"
    assert checked(worker, Query(f"{RIGHT}:rotate", declare=(("layout", "half-split"),)), tmp_path).verdict is (
        Verdict.CONFORMS
    )


ENDS = {
    "raising": r"no call shape fits .*RuntimeError: two lines\)",
    "leaving": r"ended with status 3; no law ran",
    "dying": r"ended with status 4; no law ran",
    "narrow": r"the output is \(2, 3, 5, 2\)",
    "elsewhere": r"no call shape fits",
    "Needy": r"Needy wants 'config', which cannot be guessed",
    "NUMBER": r"wanted a function, module or class, saw a int",
    "nothing": r"unknown object of wrong 'nothing'",
}


@pytest.mark.parametrize("name", ENDS)
def test_code_that_cannot_be_called_ends_in_one_error(name: str, worker: Worker, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=ENDS[name]):
        checked(worker, Query(f"{WRONG}:{name}"), tmp_path)


def test_code_that_hangs_ends_after_its_time(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="took longer than 8 seconds; no law ran"):
        check(f"{WRONG}:hanging", folder=tmp_path, seconds=8)


def test_what_code_prints_does_not_reach_the_terminal(
    worker: Worker, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert checked(worker, Query(f"{WRONG}:talking", dims=(8,)), tmp_path).verdict is Verdict.CONFORMS
    assert capfd.readouterr() == ("", "")


# Right code in a module that, while it is imported, changes whatever a process has. It is written where it is needed,
# so that nothing else imports it.
EFFECTS = """
import os, random, sys, warnings
import torch

print("hello")
os.chdir("/")
torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
torch.set_num_threads(3)
random.seed(0)
warnings.simplefilter("error")
sys.argv = ["another"]
sys.stdout = open(os.devnull, "w")

def rotate(x, positions):
    half = x.shape[-1] // 2
    angle = positions[:, None].double() * 500000.0 ** (-torch.arange(half).double() / half)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)
"""


def test_what_an_import_changes_stays_in_its_process(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    here, dtype = Path.cwd(), torch.get_default_dtype()
    (tmp_path / "effects.py").write_text(EFFECTS)
    query = Query(f"{tmp_path}/effects.py:rotate", dims=(8,))
    found = check(query, folder=tmp_path / "replays", examples=10)
    assert (found.verdict, found.identified[:38]) == (Verdict.CONFORMS, "rotary, half-split, base 500000, angle")
    assert (Path.cwd(), torch.get_default_dtype(), capfd.readouterr()) == (here, dtype, ("", ""))


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    query = Query(f"{WRONG}:stale", dims=(8,))
    one, two = (text(check(query, folder=tmp_path / name, examples=10)) for name in ("one", "two"))
    assert one == two
    assert [path.read_bytes() for path in sorted((tmp_path / "one").iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "two").iterdir())
    ]


def test_two_functions_agree_or_part(worker: Worker) -> None:
    one = Query(f"{RIGHT}:rotate", dims=(8,))
    same = compare(one, Query(f"{RIGHT}:with_offset", dims=(8,), below=600), worker)
    assert (same.position, same.farthest) == (None, 599)
    other = compare(one, Query(f"{RIGHT}:backwards", dims=(8,)), worker)
    assert (other.position, other.explained, other.rows) == (1, ("sign",), (4, 5, 6, 7, 0, 1, 2, 3))


def test_two_functions_of_no_common_width_are_refused(worker: Worker) -> None:
    with pytest.raises(UsageError, match=r"is called in widths 4, .* in 8; name one of both with --dims"):
        compare(Query(f"{RIGHT}:rotate", dims=(4,)), Query(f"{RIGHT}:rotate", dims=(8,)), worker)
