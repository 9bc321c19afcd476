"""What is drawn: true identities are true by the oracle alone, and a near one differs from a true one in one place."""

import os
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from trials import asking, oracles
from trials import enclosures as e
from trials.case import DEFECTS
from trials.fragments import FRAGMENTS
from trials.language import (
    IMAGINARY,
    MINUS,
    ONE,
    TWO,
    Equation,
    Member,
    Node,
    Op,
    Total,
    Var,
    minus,
    negative,
    num,
    plus,
    raised,
    times,
)
from trials.planted import ROOT
from trials.rewriting import rewritten
from trials.run import drawn
from trials.spoiling import spoiled

SCALAR = ("values", "quotients", "sums")
X, Y, M, H, INDEX, J = (Var(name) for name in ("x", "y", "m", "h", "i", "j"))
Q = Member("q", INDEX)
MEET = Member("q", plus(INDEX, times(TWO, J)))


def total(body: Node) -> Total:
    return Total("i", H, body)


@pytest.mark.parametrize("fragment", SCALAR)
def test_true_cases_are_true_by_the_oracle_alone(fragment: str) -> None:
    seen = 0
    for k in range(800):
        case, chance = drawn(fragment, k)
        if case.defect is None:
            assert isinstance(case.claim, Equation)
            seen += _sides_agree(case.claim, oracles.drawn_place(case.claim, chance))
    assert seen > 60


def _sides_agree(claim: Equation, place: oracles.Place) -> bool:
    try:
        left, right = (oracles.plain_value(side, place) for side in (claim.left, claim.right))
    except (e.Undefined, e.Unclear):
        return False
    assert not e.apart(left, right, place.bits), claim.text()
    return True


@pytest.mark.parametrize("fragment", SCALAR)
def test_rewriting_keeps_the_value(fragment: str) -> None:
    for k in range(100):
        case, chance = drawn(fragment, k)
        assert isinstance(case.claim, Equation)
        again = Equation(case.claim.left, rewritten(case.claim.left, chance))
        _sides_agree(again, oracles.drawn_place(again, chance))


@pytest.mark.parametrize("fragment", SCALAR)
def test_a_defect_changes_on_a_side(fragment: str) -> None:
    words = Counter[str]()
    for k in range(300):
        case, chance = drawn(fragment, k)
        assert isinstance(case.claim, Equation)
        changed, word = spoiled(case.claim, chance)
        words[word] += 1
        assert (changed.left == case.claim.left) != (changed.right == case.claim.right)
        assert changed.demands == case.claim.demands
    assert set(words) <= set(DEFECTS)
    assert min(words["sign"], words["factor"], words["dropped term"]) > 10


@pytest.mark.parametrize(
    ("side", "word", "wanted"),
    [
        (raised(X, 2), "exponent", {raised(X, 3), raised(X, 1), raised(X, -2)}),
        (raised(X, 2), "swapped symbols", {raised(Y, 2), raised(M, 2)}),
        (plus(X, Y), "dropped term", {X, Y}),
        (times(X, ONE), "sign", {negative(times(X, ONE)), times(negative(X), ONE), times(X, MINUS)}),
        (Op("conj", IMAGINARY), "sign", {negative(Op("conj", IMAGINARY)), Op("conj", num(0, -1))}),
        (Op("conj", IMAGINARY), "dropped term", {IMAGINARY}),
        (num(1, 2), "sign", {num(-1, -2), num(1, -2)}),
        (Op("cos", X), "swapped symbols", {Op("sin", X), Op("cos", Y), Op("cos", M)}),
        (total(Q), "index", {total(Member("q", plus(INDEX, ONE))), total(Member("q", minus(INDEX, ONE))), times(H, Q)}),
        (total(Q), "off-by-one bound", {plus(total(Q), Member("q", H)), minus(total(Q), Member("q", num(0)))}),
        (Total("i", num(3), Q), "off-by-one bound", {Total("i", num(2), Q), Total("i", num(4), Q)}),
        (total(Total("j", H, MEET)), "index", {total(Total("j", H, Member("q", plus(J, times(TWO, INDEX)))))}),
    ],
)
def test_defects_by_hand(side: Node, word: str, wanted: set[Node]) -> None:
    found: dict[str, set[Node]] = {}
    for seed in range(300):
        changed, named = spoiled(Equation(X, side), Random(seed))
        found.setdefault(named, set()).add(changed.right)
    assert wanted <= found[word]


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_one_case_in_five_is_true(fragment: str) -> None:
    cases = [drawn(fragment, k)[0] for k in range(300)]
    assert 30 < sum(case.defect is None for case in cases) < 100
    assert len({case.claim.text() for case in cases}) > 250
    assert all(case.fragment == fragment for case in cases)
    assert {case.defect for case in cases} <= {None, *DEFECTS}


def test_one_seed_is_one_case_in_every_process() -> None:
    """Python hashes strings differently in every process; no draw may depend on the order of a set."""
    program = (
        "from trials.run import drawn\nfrom trials.fragments import FRAGMENTS\n"
        "for name in FRAGMENTS:\n for k in range(60):\n  print(name, k, drawn(name, k)[0].claim.text())"
    )
    told = [_output(program, seed) for seed in ("1", "2")]
    assert told[0] == told[1]
    assert len(told[0]) >= 60 * len(FRAGMENTS)


def _output(program: str, hash_seed: str) -> list[str]:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("fragment", SCALAR)
def test_what_is_asked_is_what_was_drawn(fragment: str) -> None:
    for k in range(100):
        claim = drawn(fragment, k)[0].claim
        assert isinstance(claim, Equation)
        assert asking.equation(asking.statement(claim)) == claim


def test_demands_are_drawn_and_kept() -> None:
    cases = [drawn("values", k)[0].claim for k in range(200)]
    assert 10 < sum(bool(claim.demands) for claim in cases if isinstance(claim, Equation)) < 60
    assert spoiled(Equation(_a_side(), _a_side()), Random(0))[1] in DEFECTS


def _a_side() -> Node:
    claim = drawn("values", 0)[0].claim
    assert isinstance(claim, Equation)
    return claim.left
