"""The cited lemmas: facts of general mathematics that the kernel does not prove, each stated once, with its source.

The list is closed: no lemma names a scheme, and a golden pins it.
"""

from __future__ import annotations

from dataclasses import dataclass

from derivations.kernel import KernelError


@dataclass(frozen=True, slots=True)
class Lemma:
    """A statement that is cited, never proved here."""

    id: str
    statement: str
    source: str


LEMMAS: dict[str, Lemma] = {
    lemma.id: lemma
    for lemma in (
        Lemma(
            "linear-ode-uniqueness",
            "y' = a y with constant a and a given y(0) has exactly one solution on the real line.",
            "Coddington and Levinson, Theory of Ordinary Differential Equations (1955), ch. 1, theorem 2.3",
        ),
        Lemma(
            "square-inverse",
            "If A B = I for square matrices over a field, then B A = I.",
            "Axler, Linear Algebra Done Right (3rd ed., 2015), section 3.D, exercise 10",
        ),
        Lemma(
            "spectral-theorem",
            "A real orthogonal matrix is orthogonally similar to a direct sum of planar rotations and entries +1, -1; "
            "a real skew-symmetric one to a direct sum of blocks w J and zeros.",
            "Horn and Johnson, Matrix Analysis (2nd ed., 2013), corollary 2.5.11",
        ),
        Lemma(
            "pi-transcendental",
            "pi is transcendental; in particular no non-zero algebraic number is a rational multiple of pi.",
            "Lindemann, Ueber die Zahl pi, Math. Ann. 20 (1882)",
        ),
        Lemma(
            "lindemann-weierstrass",
            "Exponentials of distinct algebraic numbers are linearly independent over the algebraic numbers.",
            "Baker, Transcendental Number Theory (1975), theorem 1.4",
        ),
        Lemma(
            "one-parameter-group",
            "A continuous homomorphism from the reals into the invertible matrices is exp(t B) for one matrix B; "
            "if its values are orthogonal, B is skew-symmetric.",
            "Hall, Lie Groups, Lie Algebras, and Representations (2nd ed., 2015), theorem 2.14",
        ),
        Lemma(
            "dimension-of-rotations",
            "The group SO(d) is a manifold of dimension d (d - 1)/2.",
            "Hall, Lie Groups, Lie Algebras, and Representations (2nd ed., 2015), section 3.3",
        ),
    )
}


def cite(name: str) -> Lemma:
    """The lemma of that id; a KernelError for an id that is not on the closed list."""
    if name not in LEMMAS:
        raise KernelError(f"there is no lemma {name!r}; the list is closed: {', '.join(sorted(LEMMAS))}")
    return LEMMAS[name]
