"""The catalogue is complete, and every entry says what its status obliges it to say."""

import re
from dataclasses import FrozenInstanceError
from itertools import chain

import pytest

from derivations.claims import Claim, ClaimStatus, UnknownClaim, all_claims, get
from derivations.claims_schema import ERRATA

EVERY = tuple(claim for entry in all_claims() for claim in (entry, *entry.parts))
IDS = [claim.id for claim in EVERY]


def expected_ids() -> list[str]:
    """The numbering of the notes: 57 + 1, 28, and 55 + 1 entries."""
    rf = list(chain.from_iterable([f"RF-{i:02}", "RF-12b"] if i == 12 else [f"RF-{i:02}"] for i in range(57)))
    gp = [f"GP-{i:02}" for i in range(1, 29)]
    cs = list(chain.from_iterable(["CS-34a", "CS-34"] if i == 34 else [f"CS-{i:02}"] for i in range(1, 56)))
    return rf + gp + cs


def faults(claim: Claim) -> list[str]:
    """What a claim lacks or has too much of, given its status."""
    found = []
    if claim.is_erratum and not claim.correction:
        found.append("an erratum without correction")
    if claim.correction and not (claim.is_erratum or claim.status is ClaimStatus.TRUE_UNDER_CONDITIONS):
        found.append("a correction of a statement that stands")
    if ClaimStatus.TRUE_UNDER_CONDITIONS in claim.statuses and not (claim.conditions or claim.parts):
        found.append("conditional without conditions")
    if claim.conditions and ClaimStatus.TRUE_UNDER_CONDITIONS not in claim.statuses:
        found.append("conditions of an unconditional statement")
    if claim.status in claim.also:
        found.append("the main status is repeated")
    if len(re.findall(r"[.:;]\s+[A-Z]", claim.statement)) > 2:
        found.append("more than three sentences")
    return found


def test_there_are_142_entries_in_the_order_of_the_notes() -> None:
    assert [claim.id for claim in all_claims()] == expected_ids()
    assert len(all_claims()) == 142


def test_rf_23_is_one_entry_with_four_parts() -> None:
    assert [part.id for part in get("RF-23").parts] == ["RF-23a", "RF-23b", "RF-23c", "RF-23d"]
    assert [claim.id for claim in all_claims() if claim.parts] == ["RF-23"]
    assert frozenset(get("RF-23").statuses) == frozenset(part.status for part in get("RF-23").parts)


@pytest.mark.parametrize("claim", EVERY, ids=IDS)
def test_a_claim_says_what_its_status_asks(claim: Claim) -> None:
    assert faults(claim) == []


@pytest.mark.parametrize("claim", EVERY, ids=IDS)
def test_a_claim_reads_well(claim: Claim) -> None:
    for text in (claim.title, claim.statement, claim.correction, claim.conditions, claim.source):
        assert text.isascii()
        assert text == " ".join(text.split())
    assert claim.statement.endswith(".")
    assert not claim.title.endswith(".")
    assert len(claim.title) <= 60
    assert len(claim.statement) <= 400


@pytest.mark.parametrize("claim", EVERY, ids=IDS)
def test_a_claim_refers_to_claims_that_exist(claim: Claim) -> None:
    text = f"{claim.statement} {claim.correction} {claim.conditions}"
    for named in re.findall(r"\b(?:RF|GP|CS)-\w+", text):
        assert get(named).id != claim.id


@pytest.mark.parametrize(
    ("prefix", "notes"),
    [("RF", "position embeddings / RoFormer notes"), ("GP", "GPT and attention notes"), ("CS", "CS224N 6-8 notes")],
)
def test_the_source_belongs_to_the_id(prefix: str, notes: str) -> None:
    own = [claim for claim in EVERY if claim.id.startswith(prefix)]
    assert own
    assert all(claim.source.startswith(f"{notes}: ") for claim in own)


@pytest.mark.parametrize(
    ("claim_id", "status"),
    [
        ("RF-00", ClaimStatus.QUALITATIVE),
        ("RF-01", ClaimStatus.TRUE_UNDER_CONDITIONS),
        ("RF-03", ClaimStatus.TRUE),
        ("RF-14", ClaimStatus.ERRATUM_WORDING),
        ("RF-23c", ClaimStatus.ERRATUM),
        ("RF-50", ClaimStatus.ERRATUM),
        ("GP-12", ClaimStatus.ERRATUM_WORDING),
        ("CS-54", ClaimStatus.TRUE),
    ],
)
def test_known_statuses(claim_id: str, status: ClaimStatus) -> None:
    assert get(claim_id).status is status


def test_the_errata_with_a_wrong_formula_or_statement() -> None:
    wrong = [claim.id for claim in all_claims() if ClaimStatus.ERRATUM in claim.statuses]
    numbers = (4, 11, 15, 18, 23, 27, 33, 36, 42, 50, 51)
    assert wrong == [*(f"RF-{i:02}" for i in numbers), "CS-35", "CS-50", "CS-53"]


def test_a_mixed_claim_is_an_erratum_by_either_status() -> None:
    assert get("RF-12").status not in ERRATA
    assert get("RF-12").is_erratum
    assert not get("RF-20").is_erratum


def test_an_unknown_id_names_the_closest() -> None:
    with pytest.raises(UnknownClaim, match=r"^no claim has the id 'rf-5'; the closest are .*RF-5\d"):
        get("rf-5")
    with pytest.raises(KeyError, match="ids look like RF-50"):
        get("?")


def test_a_claim_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        get("RF-03").title = "other"  # type: ignore[misc] # the error is what is tested


@pytest.mark.parametrize(
    ("claim", "fault"),
    [
        (Claim("X", ClaimStatus.ERRATUM, "", "", "s."), "an erratum without correction"),
        (Claim("X", ClaimStatus.TRUE, "", "", "s.", correction="c"), "a correction of a statement that stands"),
        (Claim("X", ClaimStatus.TRUE_UNDER_CONDITIONS, "", "", "s."), "conditional without conditions"),
        (Claim("X", ClaimStatus.TRUE, "", "", "s.", conditions="c"), "conditions of an unconditional statement"),
        (Claim("X", ClaimStatus.TRUE, "", "", "s.", also=(ClaimStatus.TRUE,)), "the main status is repeated"),
        (Claim("X", ClaimStatus.TRUE, "", "", "A. B. C. D."), "more than three sentences"),
    ],
)
def test_a_faulty_claim_is_reported(claim: Claim, fault: str) -> None:
    assert faults(claim) == [fault]
