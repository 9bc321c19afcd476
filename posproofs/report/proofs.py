"""What symbolic execution shows of one implementation, law by law, with all that each proof rests on."""

from __future__ import annotations

from collections.abc import Iterator

from posproofs.laws import AnySubject, Law, laws_of
from posproofs.laws.law import replayed
from posproofs.production import installed
from posproofs.report.layout import labelled
from posproofs.symbolic.proof import Proof
from posproofs.symbolic.wording import NOT_COVERED, clauses


def proofs_text(subject: AnySubject) -> str:
    """A block that ends the description of a subject; the proofs are made now. Raises MissingExtra without torch."""
    if installed(subject) is None:
        return f"what symbolic execution shows\n  nothing: {subject.package} is not installed\n"
    proofs = [(law, law.prove(subject)) for law in laws_of(subject) if law.prove is not None]
    operators = sorted({name for _, proof in proofs if proof.certificate for name in proof.certificate.operators})
    rows = [(law.id, "\n".join(_lines(law, subject, proof))) for law, proof in proofs]
    rows += [("operators", ", ".join(operators)), ("trusted", TRUSTED), ("not covered", NOT_COVERED)]
    width = max(len(label) for label, _ in rows) + 2
    return "what symbolic execution shows\n" + labelled(rows, width=width)


TRUSTED = (
    "torch.export and its decompositions, the rules of these operators (posproofs/symbolic), the readings named above, "
    "and the kernel (derivations/kernel)"
)


def _lines(law: Law, subject: AnySubject, proof: Proof) -> Iterator[str]:
    if proof.status == "refuted":
        case, measured = replayed(law, subject, proof)
        yield f"refuted at {law.describe(case)}"
        yield f"{measured.saw}, expected {measured.expected}"
        return
    if proof.status != "proved" or proof.certificate is None:
        yield f"{proof.status}: {proof.reason}"
        return
    first, *rest = clauses(proof.certificate)
    yield f"proved {first}"
    yield from rest
