"""Records by hand, so that a test of a report says all that the report is made from."""

from __future__ import annotations

from posproofs.engine.records import LawRecord, Run, SubjectRecord, TheoremRecord
from posproofs.vocabulary import Evidence, Outcome, Verdict

HOLDS = LawRecord(
    "rotary.purity",
    Outcome.HOLDS,
    applied=6,
    ran=6,
    evidence=Evidence.SAMPLED,
    for_all="batches, heads and rows; widths 2, 4; float32",
    allowed=0.0,
    observed=0.0,
)
BROKEN = LawRecord(
    "rotary.history",
    Outcome.BROKEN,
    applied=14,
    ran=3,
    evidence=Evidence.SAMPLED,
    allowed=0.0,
    observed=3.0,
    witness="width 4; freqs(0..3), then freqs(3..6)",
    saw="first angle 0.0",
    expected="first angle 3.0",
    likely="the cache key leaves out the offset",
    replay="7f3a91",
)
BLOCKED = LawRecord("rotary.locality", Outcome.BLOCKED, applied=5, ran=1, reason="explained by rotary.history")
IDLE = LawRecord(
    "rotary.gram",
    Outcome.NOT_APPLICABLE,
    applied=4,
    ran=0,
    reason="no position below the limit",
    theorem="rotary.relative",
    formula_status="proved",
)
KNOWN = LawRecord(
    "rotary.position",
    Outcome.KNOWN,
    applied=9,
    ran=2,
    reason="the table is kept in bfloat16",
    witness="width 4; bfloat16",
    replay="0b1c2d",
    evidence=Evidence.SAMPLED,
)
ERROR = LawRecord("rotary.vjp", Outcome.ERROR, applied=2, ran=0, reason="RuntimeError: no such operator")

CONVENTION = "rotary, interleaved, base 10000, angle +p*w"


def subject(*laws: LawRecord, verdict: Verdict = Verdict.BREAKS) -> SubjectRecord:
    return SubjectRecord("example", "package", "1.2.3", "rotary", CONVENTION, verdict, laws)


THEOREM = TheoremRecord(
    "rotary.isometry", ("RF-40", "RF-47"), "proved", "R^T R = Id(2h)", "for all h >= 1", 0.001, kind="derivation"
)
ERRATUM = TheoremRecord(
    "errata.RF-50", ("RF-50",), "refuted", "as printed", "", 0.002, refuted_at="d=2, m=1", kind="erratum"
)
OPEN = TheoremRecord("rotary.vjp", ("RF-47",), "undecided", "y = x", "", 0.003, kind="derivation")

RUN = Run(
    (THEOREM, ERRATUM),
    (subject(HOLDS, BROKEN, BLOCKED, IDLE, KNOWN, ERROR),),
    (("other", "other is not installed"),),
    ("known.toml lists rotary.gram on example, but it is not broken; remove the entry",),
)
