"""What the commands do on the real catalogue and the installed libraries."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from derivations.derivation import catalogue
from derivations.lemmas import LEMMAS
from posproofs import cli
from posproofs.laws import LAWS
from posproofs.production import SUBJECTS
from posproofs.report.document import schema
from posproofs.vocabulary import Exit
from tests.cli.commands import HIDE_TORCH, ONE_PROCESSOR, posproofs

Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture, *arguments: str, status: int = 0) -> str:
    assert cli.main(arguments) == status
    out, err = capsys.readouterr()
    assert err == ""
    assert out.isascii()
    assert out.endswith("\n")
    assert all(line == line.rstrip() for line in out.splitlines())
    return out


def test_verify_symbolic_proves_the_catalogue(capsys: Capture) -> None:
    out = printed(capsys, "verify", "--symbolic")
    for name in catalogue():
        assert re.search(rf"^  {re.escape(name)} ", out, re.MULTILINE)
    assert "\nexit 0: " in out
    assert not re.search(r"\d ?(s|ms|seconds)\b", out), "a time in the text"


def test_verify_prints_the_same_bytes_twice() -> None:
    first, second = (posproofs("verify", "--symbolic") for _ in range(2))
    assert first == second
    assert first.status == Exit.CONFORMS


def test_verify_only_takes_a_theorem_a_claim_or_a_law(capsys: Capture) -> None:
    out = printed(capsys, "verify", "--symbolic", "--only", "euler.cis,RF-50")
    shown = re.findall(r"^  (\S+\.\S+) +(?:proved|refuted)", out, re.MULTILINE)
    wanted = [one.id for one in catalogue().values() if one.id == "euler.cis" or "RF-50" in one.claims]
    assert shown == wanted
    law = printed(capsys, "verify", "--symbolic", "--only", "rotary.gram")
    assert re.findall(r"^  (\S+) +proved", law, re.MULTILINE) == ["rotary.relative"]


def test_verify_of_an_empirical_law_without_subjects_ran_nothing(capsys: Capture) -> None:
    out = printed(capsys, "verify", "--symbolic", "--only", "rotary.purity", status=Exit.USAGE)
    assert "exit 2: nothing ran" in out


def test_verify_runs_subjects_and_writes_valid_json(tmp_path: Path) -> None:
    only = "rotary.purity", "rotary.position"  # which no proof is about: Torch's exporter takes long to import
    call = ("verify", "--only", only[0], "--only", only[1], "--subjects", "torch.onnx.*", "--json", "run.json")
    first, second = posproofs(*call, cwd=tmp_path, before=ONE_PROCESSOR), posproofs(*call, cwd=tmp_path)
    assert first == second, "two runs print the same bytes, however many processors there are"
    assert (first.status, first.err) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json"]
    data = json.loads((tmp_path / "run.json").read_text())
    assert list(Draft202012Validator(schema("verify")).iter_errors(data)) == []
    names = [one.name for one in SUBJECTS if one.name.startswith("torch.onnx.")]
    assert [one["name"] for one in data["subjects"]] == names
    assert {law["id"] for one in data["subjects"] for law in one["laws"]} == {*only}
    for name in names:
        assert re.search(rf"^{re.escape(name)} \(torch \S+\): conforms$", first.out, re.MULTILINE)
    assert first.out.count("2 laws applied, 2 ran, 0 not applicable\n") == len(names)


def test_verify_leaves_an_old_file_when_the_call_is_wrong(tmp_path: Path, capsys: Capture) -> None:
    old = tmp_path / "run.json"
    old.write_text("old")
    assert cli.main(["verify", "--only", "rotary.non", "--json", str(old)]) == Exit.USAGE
    assert "unknown id" in capsys.readouterr().err
    assert old.read_text() == "old"


@pytest.mark.parametrize("section", ["--claims", "--laws", "--subjects"])
def test_list_shows_a_row_for_everything(section: str, capsys: Capture) -> None:
    out = printed(capsys, "list", section)
    data = json.loads(printed(capsys, "list", section, "--json"))
    assert list(Draft202012Validator(schema("list")).iter_errors(data)) == []
    rows = data[section.removeprefix("--")]
    assert rows
    for row in rows:
        assert re.search(rf"^  {re.escape(next(iter(row.values())))} ", out, re.MULTILINE)


def test_list_shows_the_catalogue_with_its_status(capsys: Capture) -> None:
    rows = json.loads(printed(capsys, "list", "--json"))["theorems"]
    assert [(row["id"], row["status"]) for row in rows] == [(x.id, x.check().status) for x in catalogue().values()]
    assert f"{len(rows)} entries" in printed(capsys, "list")


def test_list_takes_several_sections(capsys: Capture) -> None:
    out = printed(capsys, "list", "--laws", "--subjects")
    assert out.startswith("laws\n")
    assert "\nsubjects\n" in out


@pytest.mark.parametrize("name", [*catalogue(), *LEMMAS, *(s.name for s in SUBJECTS), "RF-50", "RF-23c", "GP-01"])
def test_show_takes_any_id(name: str, capsys: Capture) -> None:
    assert printed(capsys, "show", name).startswith(f"{name} (")


@pytest.mark.parametrize("name", [*catalogue(), *LEMMAS, "espnet.conformer", "RF-50"])
def test_trust_takes_any_id(name: str, capsys: Capture) -> None:
    assert printed(capsys, "show", name, "--trust").startswith(f"{name} (")


@pytest.mark.parametrize("law", [law.id for law in LAWS])
def test_show_takes_a_law(law: str, capsys: Capture) -> None:
    out = printed(capsys, "show", law)
    assert re.search(rf"^{re.escape(law)} \(law\)$", out, re.MULTILINE)
    assert out.startswith(f"{law} (")


def test_an_id_of_a_theorem_and_a_law_shows_both(capsys: Capture) -> None:
    heads = re.findall(r"^rotary\.isometry \((\w+)\)$", printed(capsys, "show", "rotary.isometry"), re.MULTILINE)
    assert heads == ["derivation", "law"]


def test_show_a_claim_names_its_answers(capsys: Capture) -> None:
    out = printed(capsys, "show", "RF-50")
    assert "rotary.relative" in out
    assert "errata.RF-50" in out
    assert "by nothing yet" in printed(capsys, "show", "CS-48")


def test_trust_says_on_what_a_theorem_rests(capsys: Capture) -> None:
    out = printed(capsys, "show", "euler.formula", "--trust")
    for label in ("states", "if", "scope", "uses", "rewrites", "witness", "kernel", "cited", "outside"):
        assert re.search(rf"^  {label} +\S", out, re.MULTILINE), label
    assert "euler.exponential" in out
    assert "linear-ode-uniqueness: y' = a y" in out
    assert "c(x) = cos(x), s(x) = sin(x)" in out
    assert "derivations/from_sympy.py" in out


def test_trust_names_files_of_the_kernel_that_exist(capsys: Capture) -> None:
    out = printed(capsys, "show", "rotary.score", "--trust")
    names = set(re.findall(r"\b(\w+\.py)\b", out.partition("  kernel")[2].partition("  cited")[0]))
    folder = Path(cli.__file__).parents[1] / "derivations" / "kernel"
    assert {"words.py", "values.py", "theorem.py"} <= names
    assert names <= {path.name for path in folder.glob("*.py")}


def test_without_trust_there_is_none(capsys: Capture) -> None:
    assert "on what this rests" not in printed(capsys, "show", "euler.formula")


def test_emit_prints_source_that_runs(capsys: Capture) -> None:
    text = printed(capsys, "emit", "rotary.rotate", "--to", "numpy", "--layout", "half-split")
    module: dict[str, object] = {}
    exec(compile(text, "emitted", "exec"), module)  # noqa: S102 - the point of the test
    assert callable(module["rotate"])
    assert "rotary.rotate.half_split" in text.partition("import")[0]


def test_emit_writes_a_file(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "rotary.py"
    assert cli.main(["emit", "rotary.rotate", "--to", "torch", "-o", str(target)]) == 0
    assert capsys.readouterr() == ("", "")
    assert target.read_text() == printed(capsys, "emit", "rotary.rotate", "--to", "torch")


def test_replay_of_nothing_is_a_usage_error(tmp_path: Path) -> None:
    done = posproofs("replay", "7f3a91", cwd=tmp_path)
    assert (done.status, done.out) == (Exit.USAGE, "")
    assert done.err.startswith("posproofs: error: no failure is stored in .posproofs/replays")


@pytest.mark.parametrize(
    "call",
    [
        ("verify", "--symbolic"),
        ("list",),
        ("list", "--laws", "--subjects", "--claims"),
        ("show", "rotary.isometry", "--trust"),
        ("show", "torch.onnx.interleaved"),
        ("emit", "rotary.rotate", "--to", "torch"),
        ("emit", "euler.cis", "--to", "numpy"),
    ],
    ids=" ".join,
)
def test_without_torch_it_works(call: tuple[str, ...]) -> None:
    done = posproofs(*call, before=HIDE_TORCH)
    assert (done.status, done.err) == (0, "")


def test_without_torch_verify_says_what_to_install() -> None:
    done = posproofs("verify", before=HIDE_TORCH)
    assert (done.status, done.out) == (Exit.USAGE, "")
    assert done.err == (
        "posproofs: error: torch is not installed; it comes with: pip install 'posproofs[torch]'; "
        "for the theorems alone: posproofs verify --symbolic\n"
    )


def test_the_blocker_hides_torch() -> None:
    done = posproofs("--version", before=f"{HIDE_TORCH}\nimport torch")
    assert "No module named 'torch'" in done.err


def test_show_an_erratum_says_what_was_printed_where_it_fails_and_what_holds(capsys: Capture) -> None:
    out = printed(capsys, "show", "errata.RF-50", "--trust")
    for label in ("as printed", "false at", "corrected", "kernel", "outside"):
        assert re.search(rf"^  {label} +\S", out, re.MULTILINE), label
    assert "no theorem: points.py and balls.py" in out
    assert "shapes.py" in printed(capsys, "show", "errata.RF-44", "--trust")


def test_show_a_citation_lists_entries_and_no_chain(capsys: Capture) -> None:
    out = printed(capsys, "show", "rotary.normal_form", "--trust")
    assert "\nwith these entries\n  proved " in out
    assert "  row 0" not in out
    assert "no theorem: the entry rests on the lemmas below" in out


def test_what_the_whole_catalogue_prints_as_json_fits_the_schemas(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "run.json"
    printed(capsys, "verify", "--symbolic", "--json", str(path))
    shown = json.loads(path.read_text())
    listed = json.loads(printed(capsys, "list", "--json"))
    assert [row["id"] for row in shown["theorems"]] == [row["id"] for row in listed["theorems"]] == list(catalogue())
    assert list(Draft202012Validator(schema("verify")).iter_errors(shown)) == []
    assert list(Draft202012Validator(schema("list")).iter_errors(listed)) == []


def test_a_torn_replay_file_is_one_line_and_status_2(tmp_path: Path) -> None:
    folder = tmp_path / ".posproofs" / "replays"
    folder.mkdir(parents=True)
    (folder / "7f3a91.json").write_text("{")
    done = posproofs("replay", "7f3a91", cwd=tmp_path)
    assert (done.status, done.out, done.err.count("\n")) == (Exit.USAGE, "", 1)
    assert "7f3a91.json is not of posproofs.replay/1" in done.err


def test_verify_skips_a_subject_to_which_no_asked_law_applies(tmp_path: Path) -> None:
    done = posproofs(
        *("verify", "--only", "rotary.vjp", "--subjects", "torch.onnx.*,rotary-embedding-torch.rotate"),
        cwd=tmp_path,
        before=ONE_PROCESSOR,
    )
    assert (done.status, done.err) == (0, "")
    rows = re.findall(r"^  (torch\.onnx\.\S+) +rotary\.vjp: \S", done.out.partition("\nskipped\n")[2], re.MULTILINE)
    assert rows == [one.name for one in SUBJECTS if one.name.startswith("torch.onnx.")]
