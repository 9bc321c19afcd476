"""Faithfulness: a display tree may be printed only where the kernel proved it equal to the expression that was checked.

The builder may guess (an order of terms, a name for a matrix); a wrong guess is caught here, never printed.
"""

from __future__ import annotations

from derivations.kernel import Refuted, ShapeError, Statement, Theorem, Undecided, prove
from derivations.kernel.terms import Term
from derivations.plain import term_text
from posproofs.errors import Contradiction
from posproofs.export.tree import Node, meaning


class Unfaithful(Contradiction):
    """A display tree does not mean the expression that was checked. The message prints both."""


def means(node: Node, term: Term) -> bool:
    """Whether the kernel proves, without any hypothesis of the chain, that the tree means the term."""
    return _answer(node, term) is None


def faithful(node: Node, term: Term) -> Node:
    """The tree itself, once it is proved to mean the term; Unfaithful otherwise."""
    refusal = _answer(node, term)
    if refusal is not None:
        raise Unfaithful(
            f"the display tree means {term_text(meaning(node))}, which is not {term_text(term)}: {refusal}; "
            "correct the row's `shown`, or the definition that it uses"
        )
    return node


def _answer(node: Node, term: Term) -> str | None:
    """None where tree and term are equal, otherwise what the kernel said."""
    found = meaning(node)
    if found == term:
        return None
    try:
        answer = prove(Statement(term, found))
    except ShapeError as refusal:
        return str(refusal)
    match answer:
        case Theorem():
            return None
        case Refuted():
            return f"they differ {answer.text()}"
        case Undecided(_, reason, detail):
            return f"{reason} ({detail})"
