"""Calls have whole positions: their graph is executed at numbers far apart, and refuted where the code differs."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from posproofs.laws import Recipe, Subject, Width, law, subject_of
from posproofs.laws.law import replayed
from posproofs.laws.rotary_proofs import prove_formula
from posproofs.laws.rotary_runs import FIRSTS, run_whole, whole_positions
from posproofs.mutants import Mutant
from posproofs.mutants.reference import Rotate, angles, frequencies, rotation, turn
from posproofs.mutants.rotary import PLAIN
from posproofs.symbolic.proof import Proof

Change = Callable[[Tensor], Tensor]


def changed(change: Change) -> Subject:
    """The correct rotation, at positions that are changed before."""

    def make(head: int, rotary: int) -> Rotate:
        right = rotation(head, rotary, PLAIN)
        return lambda x, positions: right(x, change(positions))

    return subject_of(Mutant("changed", "positions are changed", make), (Width(4, 4),))


def in_float32(change: Callable[[Tensor], Tensor]) -> Subject:
    """A correct rotation that computes its angles in float32, changed where nothing is wrong."""

    def make(_head: int, rotary: int) -> Rotate:
        turned = frequencies(rotary, PLAIN.base).float()
        return lambda x, positions: turn(x, change(positions.float()[:, None] * turned), PLAIN)

    made = subject_of(Mutant("float32", "nothing", make), (Width(4, 4),))
    return replace(made, recipe=Recipe("rounded", "float32", ("float32",), "wide"))


def shown(subject: Subject) -> tuple[Proof, str]:
    """The proof, and where the code itself is wrong."""
    found, one = prove_formula(subject), law("rotary.formula")
    return found, one.describe(replayed(one, subject, found)[0]) if found.status == "refuted" else ""


def test_a_graph_of_real_positions_is_not_the_whole_proof() -> None:
    """Whole positions wrap, real ones do not: the graph of a call that nobody makes is right."""
    found, where = shown(changed(lambda p: p if p.is_floating_point() else p % 4096))
    assert found.status == "refuted"
    assert where.startswith("width 4; float32; position 4096; ")


@pytest.mark.parametrize("last", [62, 255, 2048, 4095, 32767, 65504, 65535, 131071])
def test_positions_that_end_anywhere_usual_are_refuted(last: int) -> None:
    found, where = shown(changed(lambda p: p.clamp(max=last)))
    assert found.status == "refuted"
    assert int(where.split("position ")[1].split(";")[0]) > last


def test_code_that_is_right_at_all_of_them_is_no_proof() -> None:
    found, _ = shown(changed(lambda p: p.clamp(max=10**6)))
    assert (found.status, found.reason.startswith("no rule for aten.clamp.default")) == ("undecided", True)


@pytest.mark.parametrize("change", [lambda a: a, lambda a: torch.where(a > 10**9, 0 * a, a)], ids=["plain", "branches"])
def test_rounding_far_out_refutes_nothing(change: Change) -> None:
    """In float32 an angle of 131073 radians is known to a hundredth; that is no defect of the arithmetic."""
    subject = in_float32(change)
    at = (131071, 131072, 131073)
    exact = torch.cos(torch.tensor(at).double() * 0.01)
    assert (exact - torch.cos(torch.tensor(at).float() * torch.tensor(0.01))).abs().max() > 1e-5
    assert shown(subject)[0].status != "refuted"


def test_frequencies_are_symbols_at_whole_positions() -> None:
    found = prove_formula(in_float32(lambda a: a))
    assert found.status == "proved"
    assert found.certificate is not None
    assert found.certificate.shape.endswith("24 whole positions to 131073")
    run = run_whole(in_float32(lambda a: a), (4095, 4096, 4097), frequencies="symbols")
    assert run.execution.reader.log == {"a table of the declared frequencies read as symbols": 1}


def test_another_dtype_of_whole_positions_is_done_and_not_read() -> None:
    """In the graph of real positions this cast is the identity, and is listed."""
    found, where = shown(changed(lambda p: p.bfloat16()))
    assert (found.status, "position 257" in where) == ("refuted", True)


def test_a_limit_is_kept_and_its_last_position_asked() -> None:
    subject = replace(changed(lambda p: p), limit=100)
    assert whole_positions(subject) == [(97, 98, 99)]
    ending = replace(changed(lambda p: p.clamp(max=99)), limit=100)
    assert shown(ending)[0].status == "undecided"
    assert shown(replace(ending, limit=300))[0].status == "refuted"


def test_code_that_takes_an_offset_is_asked_from_far_ones() -> None:
    def make(head: int, rotary: int) -> Rotate:
        right = rotation(head, rotary, PLAIN)
        return lambda x, first: right(x, torch.arange(x.shape[-2]) + first)

    def wrong(_head: int, rotary: int) -> Rotate:
        turned = frequencies(rotary, PLAIN.base)
        return lambda x, first: turn(x, angles((torch.arange(x.shape[-2]) + first) % 32768, turned), PLAIN)

    taking = [replace(subject_of(Mutant("offset", "", one), (Width(4, 4),)), takes="offset") for one in (make, wrong)]
    assert [at[0] for at in whole_positions(taking[0])] == list(FIRSTS)
    assert [prove_formula(one).status for one in taking] == ["proved", "refuted"]
    assert "position 32768" in shown(taking[1])[1]


def test_a_call_that_fails_at_a_far_position_is_left_to_the_cases() -> None:
    """It ends there with an error, which a graph of three rows does not show."""

    def fails(positions: Tensor) -> Tensor:
        return torch.ones(4096).cumsum(0)[positions] - 1

    assert shown(changed(fails))[0].status == "undecided"
