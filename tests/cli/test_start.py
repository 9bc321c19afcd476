"""The command answers at once, imports nothing heavy, and says in one line what is wrong with a call."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from posproofs import cli
from posproofs.errors import Contradiction, UnknownName
from posproofs.vocabulary import Exit
from tests.cli.commands import posproofs
from tests.repo.sources import ROOT
from tests.repo.test_laziness import LARGE

FULL = Path("/dev/full")
LIMIT = 0.15  # seconds for the whole process


def test_help_answers_in_time() -> None:
    program = "from posproofs.cli import main; main(['--help'])"
    seconds = []
    for _ in range(7):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False)
        seconds.append(time.perf_counter() - started)
        if min(seconds) < LIMIT:
            break
    assert min(seconds) < LIMIT


def loaded_after(code: str) -> set[str]:
    """Which large libraries, and whether the scan of installed packages, are loaded after `code` in a fresh process."""
    names = sorted({*LARGE, "importlib.metadata"})
    program = f"{code}\nimport sys\nsys.stderr.write(' '.join(n for n in {names} if n in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("call", ["--help", "verify --help", "emit --help", "export --help"])
def test_help_loads_nothing_large_and_scans_no_packages(call: str) -> None:
    code = f"from posproofs.cli import main\ntry: main({call.split()!r})\nexcept SystemExit: pass"
    assert loaded_after(code) == set()


def test_a_scan_of_packages_would_be_seen() -> None:
    assert loaded_after("import importlib.metadata") == {"importlib.metadata"}


def test_help_names_every_command_and_exit_status() -> None:
    done = posproofs("--help")
    assert done.status == 0
    assert done.err == ""
    for command in ("verify", "list", "show", "emit", "replay"):
        assert re.search(rf"^ +{command} ", done.out, re.MULTILINE)
    assert [line.split()[0] for line in done.out.splitlines() if re.match(r"  [0-4]  ", line)] == list("01234")


@pytest.mark.parametrize("command", ["verify", "list", "show", "emit", "replay"])
def test_each_command_has_help(command: str) -> None:
    done = posproofs(command, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"usage: posproofs {command} ")


def test_the_version_is_one_line() -> None:
    done = posproofs("--version")
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(r"posproofs \S.*\n", done.out)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("", "no command; see: posproofs --help"),
        ("verfy", "unknown command 'verfy'; did you mean verify?"),
        ("show", "the following arguments are required: ID; see: posproofs show --help"),
        ("show rotary.relativ", "unknown id 'rotary.relativ'; did you mean rotary.relative?"),
        ("show RF-5O", "unknown id 'RF-5O'; did you mean RF-5"),
        ("verify --jsn x", "unrecognized arguments: --jsn x; see: posproofs --help"),
        ("verify --symbolic --all", "argument --all: not allowed with argument --symbolic"),
        ("verify --symbolic --subjects torch.*", "--symbolic stops before the subjects"),
        ("verify --only euler.cis --subjects torch.*", "--only names no law to ask of --subjects"),
        ("verify --symbolic --json /dev/null", "cannot write /dev/null: it is no regular file"),
        ("verify --only ,", "argument --only: wanted names separated by commas, saw none"),
        ("verify --only rotary.isometri", "unknown id 'rotary.isometri'; did you mean rotary.isometry?"),
        ("verify --only rotary.purity --subjects torch.onyx.interleaved", "did you mean torch.onnx.interleaved?"),
        ("verify --symbolic --json none/run.json", "cannot write none/run.json: no such file or directory"),
        ("verify --symbolic --json .", "cannot write .: it is a folder"),
        ("emit rotary.rotate", "the following arguments are required: --to"),
        ("emit rotary.rotat --to torch", "did you mean rotary.rotate?"),
        ("emit rotary.rotate --to jax", "unknown library 'jax'"),
        ("emit rotary.rotate --to torch --layout halfsplit", "did you mean half-split?"),
        ("emit rotary.rotate --to torch --form tables", "unknown form 'tables'; did you mean table?"),
        ("emit rotary.rotate --to torch -o none/x.py", "cannot write none/x.py: no such file or directory"),
    ],
)
def test_a_wrong_call_is_one_line_and_status_2(call: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(call.split()) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("posproofs: error: ")
    assert err.count("\n") == 1
    assert line in err


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_argv: list[str]) -> Exit:
        raise AssertionError("a bug")

    monkeypatch.setattr(cli, "_run", broken)
    with pytest.raises(AssertionError, match="a bug"):
        cli.main([])


def test_a_contradiction_is_status_4(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def contradicts(_argv: list[str]) -> Exit:
        raise Contradiction("a proved statement failed\nat m=1")

    monkeypatch.setattr(cli, "_run", contradicts)
    assert cli.main([]) == Exit.CONTRADICTION
    assert capsys.readouterr().err == "posproofs: error: a proved statement failed at m=1\n"


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stopped(_argv: list[str]) -> Exit:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run", stopped)
    assert cli.main([]) == 130
    assert capsys.readouterr().err == "posproofs: interrupted\n"


def test_a_reader_that_stops_early_is_no_error() -> None:
    program = "import sys; from posproofs.cli import main; sys.exit(main(['list', '--claims']))"
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as one:
        assert one.stdout is not None
        assert one.stderr is not None
        one.stdout.close()
        err = one.stderr.read()
        assert one.wait() == 141
    assert err == b""


def test_names_are_not_shortened() -> None:
    """--sym for --symbolic would break a script once there is a second option of that beginning."""
    assert posproofs("verify", "--sym").status == Exit.USAGE


def test_an_unknown_name_without_a_close_one_lists_some() -> None:
    assert f"known: {', '.join(sorted(cli.COMMANDS))}" in str(UnknownName("command", "zzz", cli.COMMANDS))


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("call", ["--help", "--version", "list --claims", "verify --help"])
def test_output_that_cannot_be_written_is_one_line_and_status_2(call: str) -> None:
    program = f"import sys; from posproofs.cli import main; sys.exit(main({call.split()!r}))"
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == Exit.USAGE
    assert done.stderr == "posproofs: error: cannot write to standard output: no space left on device\n"


def test_a_closed_output_is_one_line_and_status_2() -> None:
    done = posproofs("--help", before="import sys; sys.stdout = None")
    assert (done.status, done.out) == (Exit.USAGE, "")
    assert done.err == "posproofs: error: standard output is closed; nothing was run\n"


def test_the_error_of_a_file_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_argv: list[str]) -> Exit:
        raise FileNotFoundError(2, "No such file or directory", "known.toml")

    monkeypatch.setattr(cli, "_run", broken)
    with pytest.raises(FileNotFoundError):
        cli.main([])


def test_the_help_of_emit_names_the_default_layout() -> None:
    assert "interleaved (default) or half-split" in " ".join(posproofs("emit", "--help").out.split())
