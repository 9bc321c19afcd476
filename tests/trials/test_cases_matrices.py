"""Cases of words, blocks, indices and hypotheses: true ones are true, and the kernel is not accused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from derivations.kernel import Theorem
from trials import chains, enclosures, judging_matrices
from trials import oracles_matrices as oracle
from trials.case import DEFECTS, Case
from trials.chains import Chain, Inside, Lift, Make, Put, Swap, Then, Turn
from trials.fragments import FRAGMENTS, hypotheses, words
from trials.fragments.hypotheses import Supposed
from trials.language import Demand, Equation, Lambda, Member, Op, Product, Raised, Sum, Total, Var, negative, num
from trials.language_matrices import Array, Blocks, Flipped, Letter, Turning, Unit
from trials.places import Place
from trials.run import judgement, run

NAMES = ("words", "blocks", "indices", "hypotheses")
D = (1, "d")
X, Y, A = (Var(name) for name in "xya")


def drawn(fragment: str, k: int) -> tuple[Case, Random]:
    chance = Random(f"{fragment}/{k}")
    return FRAGMENTS[fragment].draw(chance), chance


def claimed(case: Case) -> tuple[Equation, dict[str, object]]:
    """The equation of a case and what its places are drawn by."""
    claim = case.claim
    if isinstance(claim, Supposed):
        return claim.equation, dict(claim.recipes)
    if isinstance(claim, Chain):
        return claim.start, dict(claim.recipes)
    assert isinstance(claim, Equation)
    return claim, {}


@pytest.mark.parametrize("fragment", NAMES)
def test_the_kernel_is_not_accused(fragment: str) -> None:
    counts = run(fragment, range(250))
    assert counts.complaints == []
    assert counts.near > 3 * counts.true / 2
    assert counts.outcomes["proved"] > 0.6 * counts.true
    assert counts.outcomes["refuted"] > 0.3 * counts.near


@pytest.mark.parametrize("fragment", NAMES)
def test_what_is_true_by_construction_is_true(fragment: str) -> None:
    seen = 0
    for k in range(400):
        case, chance = drawn(fragment, k)
        if case.defect is not None:
            continue
        claim, recipes = claimed(case)
        for _ in range(3):
            place = oracle.drawn_place(claim, chance, largest=3, recipes=recipes)  # type: ignore[arg-type]
            try:
                if all(oracle.holds(demand, place) for demand in claim.demands):
                    assert not oracle.separated(claim, place), claim.text()
                    seen += 1
            except (enclosures.Undefined, enclosures.Unclear):
                continue
    assert seen > 90


@pytest.mark.parametrize("fragment", NAMES)
def test_most_defects_make_a_difference(fragment: str) -> None:
    """By the oracle alone: of the claims with a defect, most are false at one of a few places."""
    different = defective = 0
    for k in range(200):
        case, chance = drawn(fragment, k)
        if case.defect in (None, words.ILL_TYPED) or isinstance(case.claim, Chain):
            continue
        claim, recipes = claimed(case)
        defective += 1
        for _ in range(8):
            place = oracle.drawn_place(claim, chance, largest=4, recipes=recipes)  # type: ignore[arg-type]
            try:
                if all(oracle.holds(d, place) for d in claim.demands) and oracle.separated(claim, place):
                    different += 1
                    break
            except (enclosures.Undefined, enclosures.Unclear):
                continue
    assert different > 0.7 * defective > 30


@pytest.mark.parametrize("fragment", NAMES)
def test_a_case_can_be_drawn_again(fragment: str) -> None:
    for k in range(40):
        assert drawn(fragment, k)[0].claim.text() == drawn(fragment, k)[0].claim.text()


def test_every_defect_has_a_known_name() -> None:
    found = Counter(drawn(fragment, k)[0].defect for fragment in NAMES for k in range(300))
    assert set(found) - {None} <= set(DEFECTS)
    assert len(set(found)) > 10


def test_an_ill_typed_claim_is_refused_and_would_be_reported() -> None:
    case = next(c for c in (drawn("words", k)[0] for k in range(400)) if c.defect == words.ILL_TYPED)
    assert judgement(case, Random(0)).outcome == "refused"
    assert isinstance(case.claim, Equation)
    assert judging_matrices.ill_typed(case.claim).complaint is not None


def test_a_hypothesis_for_one_index_holds_there_only() -> None:
    """The claim says it of i alone; at other indices the sequence is anything."""
    case = next(
        c
        for c in (drawn("hypotheses", k)[0] for k in range(600))
        if isinstance(c.claim, Supposed)
        and c.claim.equation.demands
        and c.claim.equation.demands[0].forall == ()
        and "[i]" in c.claim.equation.demands[0].text()
    )
    claim, recipes = claimed(case)
    places = [oracle.drawn_place(claim, Random(seed), largest=3, recipes=recipes) for seed in range(8)]  # type: ignore[arg-type]
    assert all(oracle.holds(demand, place) for demand in claim.demands for place in places)
    quantified = [replace(demand, forall=("i",)) for demand in claim.demands]
    assert not all(oracle.holds(demand, place) for demand in quantified for place in places)


M, N, P = Var("m"), Var("n"), Var("p")
R = {angle: Turning("R", angle, D) for angle in (M, N)}
GRAM = Equation(Product((Flipped(R[M]), R[N])), Turning("R", Sum((N, negative(M))), D))
PHI = Var("phi")
COS, SIN = (Op(name, Product((P, PHI))) for name in ("cos", "sin"))
PLANE = Lambda(("p",), Array(((COS, negative(SIN)), (SIN, COS))))
SKEWED = Lambda(("p",), Array(((COS, SIN), (SIN, COS))))
TWO = {"d": Lambda((), num(2))}
SQUARE = Equation(Raised(Sum((X, Y)), num(2)), Sum((Raised(X, num(2)), Product((num(2), X, Y)), Raised(Y, num(2)))))
Q = Letter("Q", D, D)
ORTHOGONAL = Demand("equal", Product((Flipped(Q), Q)), Unit(D))
RIGHT = {
    "put": (SQUARE, Put({"x": Lambda((), Product((A, num(3))))})),
    "swap": (SQUARE, Swap()),
    "inside": (SQUARE, Inside("hole", Total("k", Var("h"), Product((Var("hole"), Member("z", Var("k"))))))),
    "lift": (SQUARE, Lift("i", "h", ("x",))),
    "then": (SQUARE, Then(Equation(SQUARE.right, SQUARE.left))),
    "make": (GRAM, Make("R", PLANE, TWO)),
    "blocks": (
        Equation(Array(((X,), (Product((num(2), Y)),))), Array(((X,), (Sum((Y, Y)),)))),
        Lift("i", "h", ("x", "y"), ("halves", (0, 1)), None),
    ),
}


@pytest.mark.parametrize(("start", "step"), RIGHT.values(), ids=RIGHT)
def test_a_step_does_what_was_predicted(start: Equation, step: chains.Step) -> None:
    claim = Chain(start, (step,), chains.predicted(start, step))
    answer = chains.followed(claim)
    assert isinstance(answer, Theorem)
    found = chains.judged_chain(claim, answer, Random(0))
    assert (found.outcome, found.complaint) == ("proved", None)
    other = replace(claim, expected=Equation(start.left, num(0)))
    assert chains.judged_chain(other, answer, Random(0)).complaint is not None


def test_a_turned_inverse() -> None:
    start = Equation(ORTHOGONAL.left, ORTHOGONAL.right, (ORTHOGONAL,))
    model = {"Q": Lambda((), Unit(D))}
    claim = Chain(start, (Turn(),), chains.predicted(start, Turn()), model=model)
    answer = chains.followed(claim)
    assert isinstance(answer, Theorem)
    assert chains.predicted(start, Turn()).left == Product((Q, Flipped(Q)))


TOTAL = Total("i", Var("h"), Product((X, Member("z", Var("i")))))
WRONG = {
    "no rotation": (GRAM, Make("R", SKEWED, TWO)),
    "not real": (SQUARE, Put({"x": Lambda((), num(0, 1))})),
    "capture": (
        Equation(TOTAL, Product((X, Total("i", Var("h"), Member("z", Var("i")))))),
        Put({"x": Lambda((), Var("i"))}),
    ),
    "no joint": (SQUARE, Then(Equation(X, Product((num(1), X))))),
}  # fmt: skip


@pytest.mark.parametrize(("start", "step"), WRONG.values(), ids=WRONG)
def test_a_wrong_step_is_refused_and_counted_so(start: Equation, step: chains.Step) -> None:
    case = Case("hypotheses", Chain(start, (step,), None, defect="sign"), "sign", hypotheses.REFUSALS)
    found = judgement(case, Random(0))
    assert (found.outcome, found.complaint) == ("refused", None)
    unforeseen = replace(case, allows=())
    assert judgement(unforeseen, Random(0)).complaint is not None


def test_chains_of_every_kind_are_drawn() -> None:
    drawn_steps: Counter[str] = Counter()
    for k in range(500):
        claim = drawn("hypotheses", k)[0].claim
        if isinstance(claim, Chain):
            drawn_steps.update(type(step).__name__ for step in claim.steps)
    assert set(drawn_steps) == {"Put", "Swap", "Inside", "Lift", "Then", "Turn", "Make", "Solve"}


def test_claims_print_as_they_are() -> None:
    block = Blocks("i", "h", ("halves", (0, 1)), None, ((X,), (Member("y", Var("i")),)))
    claim = Equation(Product((Flipped(Letter("W", D, (2, "h"))), Unit(D))), block)
    assert claim.text() == "((W<d x 2h>)^T*I<d>) = blocks[i < h; halves 01][x; y[i]]"
    assert "put x() := 2" in Chain(SQUARE, (Put({"x": Lambda((), num(2))}),), None).text()
    assert judging_matrices.shown(Place({"x": 2}, {("q", 0): 3})) == "x=2, q[0]=3"
