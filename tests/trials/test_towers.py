"""Trials of towers: what is drawn is true, what a tower says is read back right, and the judge sees what is wrong."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest

from derivations.kernel import towers as kernel_towers
from trials import asking_towers, run
from trials import enclosures as e
from trials import oracles_towers as oracle
from trials.asking_towers import Told
from trials.case import DEFECTS, Case, Judgement
from trials.drawing_towers import SORTS
from trials.fragments import towers
from trials.judging_towers import judged
from trials.language import (
    MINUS,
    ONE,
    TWO,
    ZERO,
    Call,
    Demand,
    Equation,
    Node,
    Op,
    Sum,
    Var,
    exp,
    minus,
    negative,
    num,
    over,
    plus,
    raised,
    times,
    walk,
)
from trials.language_towers import Cut, Root, Share, cos, inverse, log, sin
from trials.oracles_towers import Place
from trials.rewriting_towers import rewritten
from trials.run import drawn
from trials.spoiling_towers import NEARLY, spoiled

A, X, Y, M = (Var(name) for name in ("a", "x", "y", "m"))
AT = Place(
    {"a": e.exact(2), "x": e.exact(-1), "y": e.Exact(Fraction(1, 3)), "m": e.exact(3)},
    {"f": (Fraction(1), Fraction(2))},
)


def claim_of(k: int) -> tuple[Case, Equation, Random]:
    case, chance = drawn("towers", k)
    assert isinstance(case.claim, Equation)
    return case, case.claim, chance


def positive_place(claim: Equation, chance: Random) -> Place:
    """A place at which a and b are positive, as the laws suppose that draw them."""
    while True:
        place = oracle.drawn_place(oracle.names_of(claim), chance)
        if all(place.symbols[name].re > 0 for name in ("a", "b") if name in place.symbols):
            return place


def agree(claim: Equation, place: Place) -> bool:
    """Whether both sides have values; they must not be apart."""
    found = oracle.differ(claim, place)
    assert found is None or "no value" in found, f"{claim.text()}: {found}"
    return found is None


def test_true_cases_are_true_by_the_oracle_alone() -> None:
    cases = [claim_of(k) for k in range(800)]
    seen = [agree(claim, positive_place(claim, chance)) for case, claim, chance in cases if case.defect is None]
    assert sum(seen) > 120


def test_rewriting_keeps_the_value() -> None:
    changed = 0
    for k in range(300):
        _, claim, chance = claim_of(k)
        again = Equation(claim.left, rewritten(claim.left, chance))
        changed += again.left != again.right
        agree(again, positive_place(again, chance))
    assert changed > 200


def test_defects_change_one_side_in_all_their_words() -> None:
    words, apart = Counter[str](), 0
    for k in range(400):
        case, claim, chance = claim_of(k)
        changed, word = spoiled(claim, chance)
        words[word] += 1
        assert (changed.left == claim.left) != (changed.right == claim.right)
        if case.defect is None:
            apart += "left" in (oracle.differ(changed, positive_place(changed, chance)) or "")
    assert set(words) == {"sign", "factor", "exponent", "swapped symbols", "dropped term", "index"} <= set(DEFECTS)
    assert apart > 40


@pytest.mark.parametrize(
    ("side", "word", "wanted"),
    [
        (Share(X, (X, Y, M)), "index", {Share(Y, (X, Y, M)), Share(X, (X, X, M)), Share(X, (X, Y, Y))}),
        (Share(X, (X, Y)), "dropped term", {Share(X, (X,)), Share(X, (Y,))}),
        (Root(A), "exponent", {A}),
        (exp(X), "exponent", {exp(times(TWO, X))}),
        (raised(X, 2), "exponent", {raised(X, 3), raised(X, 1), raised(X, -2)}),
        (Call("f", X), "swapped symbols", {Call("g", X), Call("f", Y)}),
        (Cut(X), "factor", {times(NEARLY, Cut(X)), Cut(times(NEARLY, X))}),
        (cos(X), "swapped symbols", {sin(X), cos(M)}),
    ],
)
def test_defects_by_hand(side: Node, word: str, wanted: set[Node]) -> None:
    found: dict[str, set[Node]] = {}
    for seed in range(400):
        changed, named = spoiled(Equation(Var("z"), side), Random(seed))
        found.setdefault(named, set()).add(changed.right)
    assert wanted <= found[word]


def test_generators_of_every_kind_are_drawn_and_stand_in_one_another() -> None:
    kinds, inside = Counter[str](), 0
    for k in range(300):
        _, claim, _ = claim_of(k)
        nodes = [node for side in (claim.left, claim.right) for node in walk(side)]
        kinds.update({type(node).__name__ for node in nodes})
        inside += any(isinstance(b, Share) for a in nodes if isinstance(a, Share) for b in list(walk(a))[1:])
    assert min(kinds[name] for name in ("Share", "Root", "Cut", "Call", "Raised", "Op")) > 30
    assert inside > 5
    assert set(SORTS) == set("rpqdesnkv")


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (Root(A), lambda: mpmath.sqrt(2)),
        (Root(times(A, A)), lambda: mpmath.mpf(2)),
        (Root(over(num(4), num(9))), lambda: mpmath.mpf(2) / 3),
        (Share(X, (X, Y, M)), lambda: 1 / (1 + mpmath.exp(mpmath.mpf(4) / 3) + mpmath.exp(4))),
        (Share(X, (X, X)), lambda: mpmath.mpf(1) / 2),
        (Cut(plus(X, Y)), lambda: mpmath.mpf(-2) / 3),
        (Call("f", M), lambda: mpmath.mpf(7)),
        (inverse(plus(Root(A), MINUS)), lambda: 1 + mpmath.sqrt(2)),
        (raised(exp(X), -3), lambda: mpmath.exp(3)),
        (times(cos(M), log(A)), lambda: mpmath.cos(3) * mpmath.log(2)),
        (Op("re", plus(Op("exp", num(0, 2)), sin(Y))), lambda: mpmath.cos(2) + mpmath.sin(mpmath.mpf(1) / 3)),
    ],
)
def test_the_oracle_computes_what_is_meant(node: Node, wanted: Callable[[], Any]) -> None:
    with mpmath.workdps(60):
        told = Fraction(int(mpmath.nint(wanted() * 10**50)), 10**50)
    low, high = oracle.ends(e.boxed(oracle.value(node, AT), 160).re)
    slack = Fraction(1, 10**40)
    assert low - slack < told < high + slack
    assert high - low < slack


def test_a_rational_root_is_exact_and_others_are_enclosed() -> None:
    assert oracle.root(e.Exact(Fraction(9, 16)), 160) == e.Exact(Fraction(3, 4))
    for n in (2, 3, 10**9 + 1, Fraction(3, 10**30)):
        found = oracle.root(e.exact(n), 160)
        assert isinstance(found, e.Box)
        low, high = oracle.ends(found.re)
        assert low * low <= n <= high * high
        assert high - low < high / (1 << 150)


@pytest.mark.parametrize(
    ("node", "error"),
    [
        (Root(X), e.Undefined),
        (Root(minus(exp(Y), times(exp(X), num(10)))), e.Undefined),
        (Root(minus(times(exp(Y), exp(Y)), exp(times(TWO, Y)))), e.Unclear),
        (inverse(minus(Cut(X), X)), e.Undefined),
        (exp(raised(num(10), 4)), e.Unclear),
        (log(X), e.Undefined),
    ],
)
def test_what_has_no_value_or_none_for_certain(node: Node, error: type[Exception]) -> None:
    with pytest.raises(error):
        oracle.value(node, AT)


def test_what_is_read_back_is_what_was_asked() -> None:
    """A tower names values in its own way; each name stands for a term of the same value."""
    read = 0
    for k in range(300):
        case, claim, chance = claim_of(k)
        told = asking_towers.answer(case)
        if not told.reason:
            assert [said.left for said in told.said[:2]] == [claim.left, claim.right]
            place = positive_place(claim, chance)
            read += all(agree(said, place) for said in told.said)
    assert read > 200


def told_of(left: Node, right: Node) -> Told:
    return asking_towers.answer(Case("towers", Equation(left, right)))


def test_conditions_are_said_with_the_equation() -> None:
    told = told_of(times(minus(X, Y), inverse(minus(X, Y))), ONE)
    assert told.proved
    (demand,) = told.said[-1].demands
    assert demand.kind == "nonzero"
    assert isinstance(demand.left, Sum)
    assert set(demand.left.terms) == {X, times(MINUS, Y)}
    assert told_of(raised(Root(A), 2), A).said[-1].demands == (Demand("positive", A),)
    assert told_of(inverse(plus(raised(X, 2), ONE)), ZERO).said[-1].demands == ()


def test_the_reason_for_saying_no_more() -> None:
    nothing = told_of(inverse(minus(plus(X, Y), plus(Y, X))), ONE)
    assert (nothing.proved, nothing.reason) == (False, "out of fragment")
    assert nothing.said == (Equation(minus(plus(X, Y), plus(Y, X)), Sum(())),)
    negative_one = told_of(Root(minus(X, plus(X, ONE))), ONE)
    assert (negative_one.reason, negative_one.said[0].right) == ("out of fragment", MINUS)
    assert told_of(X, Y) == Told(proved=False, said=(Equation(X, X), Equation(Y, Y)))


def test_a_limit_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_towers, "WORK_LIMIT", 10)
    assert told_of(raised(plus(X, Y, M, A, ONE), 4), ONE) == Told(proved=False, said=(), reason="limit reached")


NONZERO = Demand("nonzero", minus(X, Y))
WRONG = {
    "not equal": Told(proved=True, said=(Equation(X, Y),)),
    "hardly unequal": Told(proved=True, said=(Equation(X, times(NEARLY, X)),)),
    "a side is another value": Told(proved=False, said=(Equation(plus(X, ONE), plus(X, TWO)),)),
    "too few conditions": Told(proved=True, said=(Equation(over(minus(X, Y), minus(X, Y)), ONE),)),
    "another condition": Told(proved=True, said=(Equation(Root(A), Root(A), (Demand("nonzero", A),)),)),
    "not zero": Told(proved=False, said=(Equation(minus(X, Y), ZERO),), reason="out of fragment"),
}


@pytest.mark.parametrize("told", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("defect", [None, "sign"])
def test_what_is_wrong_is_complained_of(told: Told, defect: str | None) -> None:
    case = Case("towers", Equation(plus(X, Root(A)), plus(Y, A)), defect)
    kinds = Counter(found.complaint.kind for k in range(60) if (found := judged(case, told, Random(k))).complaint)
    assert kinds["false proof"] > 4


def test_what_holds_where_it_is_said_to_is_not() -> None:
    told = Told(proved=True, said=(Equation(over(minus(X, Y), minus(X, Y)), ONE, (NONZERO,)),))
    for k in range(60):
        case = Case("towers", Equation(over(minus(X, Y), minus(X, Y)), ONE))
        assert judged(case, told, Random(k)) == Judgement("proved")
        assert judged(Case("towers", case.claim, "sign"), told, Random(k)) == Judgement("true by accident")


def test_what_is_not_proved_is_undecided_whether_it_is_true_or_not() -> None:
    for left, right in ((Root(times(A, A)), A), (X, Y)):
        case = Case("towers", Equation(left, right))
        found = judged(case, asking_towers.answer(case), Random(0))
        assert found == Judgement("no point found")


def test_nothing_is_refuted() -> None:
    found = run.run("towers", range(400))
    assert set(found.outcomes) <= {"proved", "true by accident", "no point found", "out of fragment", "limit reached"}
    assert found.outcomes["proved"] > 0.9 * found.true
    assert found.outcomes["true by accident"] < found.near // 20
    assert found.complaints == []


def test_terms_print_as_they_are() -> None:
    claim = Equation(Share(X, (X, Root(A))), Cut(negative(X)))
    assert claim.text() == "share(x; x, sqrt(a)) = cut(((-1)*x))"
    assert "f(t)=['1', '2']" in AT.text()
    assert towers.NAME == "towers"
