"""The measurements fail where a time, a peak or an answer is not what they ask for; nothing is measured here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.bench import (
    test_catalogue_speed,
    test_check_speed,
    test_rotary_speed,
    test_simplify_speed,
    test_symbolic_speed,
    test_transformer_xl_speed,
)
from tests.cli import test_start

Patch = pytest.MonkeyPatch
ONE = torch.ones(1)


def one() -> torch.Tensor:
    return ONE


@pytest.mark.parametrize("bench", [test_rotary_speed, test_transformer_xl_speed], ids=["rotary", "transformer_xl"])
def test_a_run_that_spreads_is_void(bench: Any, monkeypatch: Patch) -> None:
    monkeypatch.setattr(bench, "_run", lambda _ours, _theirs: bench.Timed(1.0, 1.0, 0.16))
    with pytest.raises(pytest.fail.Exception, match=r"void: .* 16% in one run"):
        bench.timed(one, one)
    monkeypatch.setattr(bench, "_run", lambda _ours, _theirs: bench.Timed(1.0, 1.0, 0.15))
    assert bench.timed(one, one).spread == 0.15


def test_emitted_code_that_is_slower_fails(monkeypatch: Patch) -> None:
    pair = test_rotary_speed.Pair("planted", one, one)
    monkeypatch.setattr(test_rotary_speed, "PAIRS", {"half-split": lambda: [pair]})
    measured = {"fast": 1.04, "slow": 1.06}
    for name, ratio in measured.items():
        result = test_rotary_speed.Timed(ratio, 1.0, 0.01)
        monkeypatch.setattr(test_rotary_speed, "timed", lambda _ours, _theirs, result=result: result)
        fails(name == "slow", lambda: test_rotary_speed.test_not_slower_than("half-split", "planted", "eager"))


def test_emitted_code_that_computes_something_else_fails(monkeypatch: Patch) -> None:
    pair = test_rotary_speed.Pair("planted", one, lambda: 2 * ONE)
    monkeypatch.setattr(test_rotary_speed, "PAIRS", {"half-split": lambda: [pair]})
    fails(True, lambda: test_rotary_speed.test_not_slower_than("half-split", "planted", "eager"))


@pytest.mark.parametrize(("ours", "slow"), [(1.3, False), (1.31, True)])
def test_a_rotation_that_is_slower_than_clone_fails(ours: float, slow: bool, monkeypatch: Patch) -> None:
    rows = torch.ones(1, 1, test_rotary_speed.LENGTH, test_rotary_speed.WIDTH)
    monkeypatch.setattr(test_rotary_speed, "query_and_key", lambda: (rows, rows))
    monkeypatch.setattr(torch, "compile", lambda function: function)
    result = test_rotary_speed.Timed(ours, 1.0, 0.01)
    monkeypatch.setattr(test_rotary_speed, "timed", lambda _ours, _theirs: result)
    fails(slow, lambda: test_rotary_speed.test_compiled_against_clone("half-split"))


@pytest.mark.parametrize(
    ("rotary", "attention", "megabytes", "wrong"),
    [(1.9, 9.9, 2047, False), (2.1, 9.9, 2047, True), (1.9, 10.1, 2047, True), (1.9, 9.9, 2048, True)],
    ids=["right", "slow rotary", "slow attention", "large"],
)
def test_proofs_of_code_that_are_slow_or_large_fail(
    rotary: float, attention: float, megabytes: int, wrong: bool, monkeypatch: Patch
) -> None:
    kinds = {"rotary": rotary, "scores": 1.0, "attention": attention}
    found = [(kind, f"{kind} {k}", seconds, 1) for kind, seconds in kinds.items() for k in range(3)]
    printed = json.dumps({"found": found, "megabytes": megabytes})
    monkeypatch.setattr("subprocess.run", lambda *_arguments, **_options: SimpleNamespace(stdout=printed))
    fails(wrong, test_symbolic_speed.test_proofs_of_released_code_take_seconds)


@pytest.mark.parametrize(
    ("target", "fastest", "slow"),
    [
        ("rotations.py:rotate", 4.9, False),
        ("rotations.py:rotate", 5.1, True),
        ("attentions.py:grouped", 14.9, False),
        ("attentions.py:grouped", 15.1, True),
    ],
)
def test_a_verdict_that_takes_longer_fails(
    target: str, fastest: float, slow: bool, monkeypatch: Patch, tmp_path: Path
) -> None:
    times = iter((20.0, fastest, 20.0))
    monkeypatch.setattr(test_check_speed, "seconds", lambda _target, _folder: next(times))
    fails(slow, lambda: test_check_speed.test_a_verdict_takes_seconds(target, tmp_path))


@pytest.mark.parametrize(("theirs", "slow"), [(30.0, False), (29.0, True)])
def test_a_kernel_that_is_not_faster_than_simplify_fails(theirs: float, slow: bool, monkeypatch: Patch) -> None:
    times = iter((1.0, theirs))
    monkeypatch.setattr(test_simplify_speed, "seconds", lambda _work, _rounds: next(times))
    fails(slow, lambda: test_simplify_speed.test_faster_than_simplify(test_simplify_speed.score_row, 2, 30))


@pytest.mark.parametrize(
    ("printed", "wrong"), [("2.9", False), ("3.1", True), ("0.2 rotary.goal", True)], ids=["fine", "slow", "open entry"]
)
def test_a_catalogue_that_is_slow_or_open_fails(printed: str, wrong: bool, monkeypatch: Patch) -> None:
    answer = SimpleNamespace(stdout=printed)
    monkeypatch.setattr(test_catalogue_speed, "subprocess", SimpleNamespace(run=lambda *_call, **_options: answer))
    fails(wrong, test_catalogue_speed.test_the_catalogue_is_decided_in_three_seconds)


@pytest.mark.parametrize(("general", "slow"), [(0.5, False), (2.5, True)])
def test_a_proof_that_grows_with_the_width_fails(general: float, slow: bool, monkeypatch: Patch) -> None:
    times = iter((general, 0.1, 0.6, 2.0))
    monkeypatch.setattr(test_catalogue_speed, "seconds", lambda _statement: next(times))
    fails(slow, test_catalogue_speed.test_one_proof_serves_every_width)


@pytest.mark.parametrize(("theirs", "slow"), [(2.0, False), (1.9, True)])
def test_an_attention_that_is_not_twice_as_fast_fails(theirs: float, slow: bool, monkeypatch: Patch) -> None:
    bench = test_transformer_xl_speed
    monkeypatch.setattr(bench, "inputs", lambda: None)
    monkeypatch.setattr(bench, "calls", lambda _inputs: {"emitted": one, "xlnet": one})
    monkeypatch.setattr(bench, "timed", lambda _ours, _theirs: bench.Timed(1.0, theirs, 0.01))
    fails(slow, bench.test_twice_as_fast_as_xlnet)


@pytest.mark.parametrize(
    ("ours", "theirs", "wrong"), [(40, 80, False), (41, 80, True), (0, 60, True)], ids=["half", "more", "unmeasured"]
)
def test_an_attention_that_needs_more_memory_fails(ours: int, theirs: int, wrong: bool, monkeypatch: Patch) -> None:
    peaks = {"emitted": ours << 20, "xlnet": theirs << 20}
    monkeypatch.setattr(test_transformer_xl_speed, "peak", peaks.__getitem__)
    fails(wrong, test_transformer_xl_speed.test_half_of_the_memory_of_xlnet)


def test_a_command_that_starts_late_fails(monkeypatch: Patch) -> None:
    monkeypatch.setattr(test_start, "LIMIT", 0.0)
    monkeypatch.setattr(test_start, "subprocess", SimpleNamespace(run=lambda *_call, **_options: None))
    fails(True, test_start.test_help_answers_in_time)


def fails(wrong: bool, check: Callable[[], None]) -> None:
    """The check raises AssertionError if something is wrong, and passes otherwise."""
    if not wrong:
        return check()
    with pytest.raises(AssertionError):
        check()
    return None
