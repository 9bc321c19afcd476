"""The catalogue of claims: every statement of the three source notes, by permanent id.

The notes make 142 numbered entries: 58 on position embeddings (RF), 28 on GPT and attention (GP), 56 on recurrent
networks, translation and Transformers (CS). RF-23 is one of the 142; its four terms RF-23a to RF-23d are parts of it,
which `get` finds and `all_claims` leaves inside their entry.
"""

from difflib import get_close_matches

from derivations.claims_cs import CLAIMS as _CS
from derivations.claims_gp import CLAIMS as _GP
from derivations.claims_rf import CLAIMS as _RF
from derivations.claims_rope import CLAIMS as _ROPE
from derivations.claims_schema import Claim, ClaimStatus

__all__ = ["Claim", "ClaimStatus", "UnknownClaim", "all_claims", "get"]

_ALL: tuple[Claim, ...] = (*_RF, *_ROPE, *_GP, *_CS)
_BY_ID = {claim.id: claim for entry in _ALL for claim in (entry, *entry.parts)}


class UnknownClaim(KeyError):
    """No claim has this id. The message names the closest ids that exist."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put the sentence into quotation marks.
        return str(self.args[0])


def all_claims() -> tuple[Claim, ...]:
    """Return the 142 entries in the order of the notes.

    >>> len(all_claims())
    142
    """
    return _ALL


def get(claim_id: str) -> Claim:
    """Return the claim with this id; raise UnknownClaim, with the closest ids, when there is none.

    >>> get("RF-50").status.value
    'erratum'
    >>> get("RF-23c").id
    'RF-23c'
    """
    if claim_id in _BY_ID:
        return _BY_ID[claim_id]
    near = get_close_matches(claim_id.upper().replace("_", "-"), _BY_ID, n=3, cutoff=0.5)
    hint = f"the closest are {', '.join(near)}" if near else "ids look like RF-50, GP-09, CS-48"
    raise UnknownClaim(f"no claim has the id {claim_id!r}; {hint}")
