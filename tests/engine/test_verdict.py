"""Outcomes, verdicts and exit codes: every rule, from planted findings."""

import pytest

from posproofs.engine import known
from posproofs.engine.records import LawRecord, Run, SubjectRecord, TheoremRecord
from posproofs.engine.verdict import exit_code, outcome, verdict
from posproofs.laws import LAWS, Finding, Measure, digest, law
from posproofs.vocabulary import Exit, Outcome, Verdict

GRAM, POSITION = law("rotary.gram"), law("rotary.position")
CASE = {"width": [4, 4], "dtype": "float32", "positions": [0, 1]}
HOLDING = Finding("rotary.gram", 3, 3, Measure(0.0, 1.0))
FAILING = Finding("rotary.gram", 3, 1, Measure(2.0, 1.0), CASE)


def entry(its_digest: str) -> known.Entry:
    return known.Entry("a.b", "rotary.gram", its_digest, "a reason that explains it", ("1.0",))


def test_a_failure_is_broken_blocked_or_known() -> None:
    assert outcome(GRAM, "a.b", FAILING, failed=(), entry=None)[0] is Outcome.BROKEN
    blocked = outcome(GRAM, "a.b", FAILING, failed=("rotary.position", "rotary.vjp"), entry=None)
    assert blocked == (Outcome.BLOCKED, "explained by rotary.position", None)
    listed = entry(digest("a.b", "rotary.gram", CASE))
    assert outcome(GRAM, "a.b", FAILING, failed=(), entry=listed) == (Outcome.KNOWN, listed.reason, None)


def test_a_law_that_does_not_need_the_broken_one_is_broken_itself() -> None:
    assert outcome(POSITION, "a.b", FAILING, failed=("rotary.gram",), entry=None)[0] is Outcome.BROKEN


def test_a_law_that_holds_is_not_blocked() -> None:
    assert outcome(GRAM, "a.b", HOLDING, failed=("rotary.position",), entry=None)[0] is Outcome.HOLDS


def test_a_listed_failure_that_changed_is_broken_and_says_so() -> None:
    found, reason, problem = outcome(GRAM, "a.b", FAILING, failed=("rotary.position",), entry=entry("000000000000"))
    assert found is Outcome.BROKEN
    assert reason == problem
    assert problem is not None
    assert "but it fails with" in problem


def test_a_listed_failure_that_is_fixed_is_an_error() -> None:
    found, _, problem = outcome(GRAM, "a.b", HOLDING, failed=(), entry=entry("000000000000"))
    assert found is Outcome.ERROR
    assert problem is not None
    assert problem.endswith("remove the entry")


def test_nothing_ran_and_an_error() -> None:
    idle = Finding("rotary.gram", 2, 0, reasons=("no gradient is defined",))
    assert outcome(GRAM, "a.b", idle, failed=(), entry=None) == (
        Outcome.NOT_APPLICABLE,
        "no gradient is defined",
        None,
    )
    assert outcome(GRAM, "a.b", Finding("x", 0, 0, error="OSError: x"), failed=(), entry=None)[0] is Outcome.ERROR


def record(found: Outcome, ran: int = 1) -> LawRecord:
    return LawRecord("rotary.gram", found, 1, ran)


H, B, K, N, E, X = (
    Outcome.HOLDS,
    Outcome.BROKEN,
    Outcome.KNOWN,
    Outcome.NOT_APPLICABLE,
    Outcome.ERROR,
    Outcome.BLOCKED,
)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ((H, H), Verdict.CONFORMS),
        ((H, N), Verdict.CONFORMS),
        ((H, B), Verdict.BREAKS),
        ((H, K), Verdict.BREAKS),
        ((E, B), Verdict.BREAKS),
        ((H, E), Verdict.INCONCLUSIVE),
        ((N, N), Verdict.INCONCLUSIVE),
        ((), Verdict.INCONCLUSIVE),
    ],
)
def test_the_verdict_of_a_subject(outcomes: tuple[Outcome, ...], expected: Verdict) -> None:
    assert verdict(record(found, 0 if found in {N, E} else 1) for found in outcomes) is expected


def subject_with(*outcomes: Outcome) -> SubjectRecord:
    laws = tuple(record(found, 0 if found in {N, E} else 1) for found in outcomes)
    return SubjectRecord("a.b", "a", "1.0", "rotary", "rotary, interleaved", verdict(laws), laws)


def theorem(status: str, kind: str = "derivation") -> TheoremRecord:
    return TheoremRecord("x.y", (), status, "a = b", "", 0.0, kind=kind)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (Run((theorem("proved"),)), Exit.CONFORMS),
        (Run((theorem("cited"), theorem("empirical"))), Exit.CONFORMS),
        (Run((theorem("refuted", "erratum"), theorem("overclaim", "erratum"))), Exit.CONFORMS),
        (Run((theorem("refuted"),)), Exit.BROKEN),
        (Run((theorem("ill-typed"),)), Exit.BROKEN),
        (Run((theorem("undecided"),)), Exit.INCONCLUSIVE),
        (Run(()), Exit.USAGE),
        (Run((theorem("proved"),), (subject_with(H),)), Exit.CONFORMS),
        (Run((), (subject_with(H, K, X),)), Exit.CONFORMS),
        (Run((theorem("undecided"),), (subject_with(B),)), Exit.BROKEN),
        (Run((), (subject_with(H), subject_with(B, E))), Exit.BROKEN),
        (Run((), (subject_with(H), subject_with(H, E))), Exit.INCONCLUSIVE),
        (Run((), (subject_with(H), subject_with(K, E))), Exit.INCONCLUSIVE),
        (Run((), (subject_with(N, N),)), Exit.USAGE),
        (Run((theorem("proved"),), (), (("a.b", "a is not installed"),)), Exit.USAGE),
        (Run((theorem("proved"),), (subject_with(H),), (("c.d", "c is not installed"),)), Exit.CONFORMS),
        (Run((), (subject_with(H),), (), ("known.toml lists ...",)), Exit.BROKEN),
    ],
)
def test_the_exit_code_of_a_run(run: Run, expected: Exit) -> None:
    assert exit_code(run) is expected


def test_needs_of_the_table_explain_each_other_through() -> None:
    """A law that needs another also needs what that one needs, so that a chain of causes ends at its root."""
    for one in LAWS:
        for need in one.needs:
            assert set(need.needs) <= set(one.needs)
