"""What symbolic execution shows of one implementation, law by law, with all that each proof rests on."""

from __future__ import annotations

from collections.abc import Iterator

from posproofs.engine import jobs
from posproofs.engine.worker import Reply, Worker
from posproofs.laws import AnySubject, Law, laws_of
from posproofs.production import installed
from posproofs.report.layout import labelled
from posproofs.symbolic.wording import NOT_COVERED, clauses


def proofs_text(subject: AnySubject) -> str:
    """A block that ends the description of a subject; the proofs are made now, in a process of their own."""
    if installed(subject) is None:
        return f"what symbolic execution shows\n  nothing: {subject.package} is not installed\n"
    laws = [law for law in laws_of(subject) if law.prove is not None]
    with Worker() as worker:
        found = [(law, worker.call(jobs.proved, subject.name, law.id)) for law in laws]
    proofs = [reply.value[0] for _, reply in found if not reply.error]
    operators = sorted({name for proof in proofs if proof.certificate for name in proof.certificate.operators})
    rows = [(law.id, "\n".join(_lines(law, reply))) for law, reply in found]
    rows += [("operators", ", ".join(operators)), ("trusted", TRUSTED), ("not covered", NOT_COVERED)]
    width = max(len(label) for label, _ in rows) + 2
    return "what symbolic execution shows\n" + labelled(rows, width=width)


TRUSTED = (
    "torch.export and its decompositions, the rules of these operators (posproofs/symbolic), the readings named above, "
    "and the kernel (derivations/kernel)"
)


def _lines(law: Law, reply: Reply) -> Iterator[str]:
    if reply.error:
        yield f"error: {reply.error}"
        return
    proof, refuted = reply.value
    if refuted is not None:
        case, measured = refuted
        yield f"refuted at {law.describe(case)}"
        yield f"{measured.saw}, expected {measured.expected}"
        return
    if proof.status != "proved" or proof.certificate is None:
        yield f"{proof.status}: {proof.reason}"
        return
    first, *rest = clauses(proof.certificate)
    yield f"proved {first}"
    yield from rest
