"""A statement at a definite size, as kernel values: what symbolic execution and emission compare programs with."""

from __future__ import annotations

from collections.abc import Mapping

from derivations.kernel.budget import bounded
from derivations.kernel.errors import OutOfFragment
from derivations.kernel.evaluate import Context, evaluate
from derivations.kernel.matrices import Dense, Grid
from derivations.kernel.quotients import Quotient
from derivations.kernel.sealed import exact_mapping, inside_of
from derivations.kernel.shapes import shape
from derivations.kernel.terms import Replacement, Term, number, substituted


@bounded
def instantiate(term: Term, counts: Mapping[str, int], env: Mapping[str, Replacement] | None = None) -> Grid:
    """The entries of a term once every count is a definite integer and `env` is put for other names.

    A scalar is a 1 x 1 grid. Matrices of symbolic size have no entries: OutOfFragment.
    """
    inside_of(term, "instantiate: term")
    sizes = {name: Replacement((), number(n)) for name, n in exact_mapping(counts, int, "instantiate: counts").items()}
    definite = substituted(term, {**exact_mapping(env or {}, Replacement, "instantiate: env"), **sizes})
    shape(definite)  # a count below 1, or matrices that do not fit, end here
    value = evaluate(definite, Context())
    match value:
        case Quotient():
            return ((value,),)
        case Dense(rows):
            return rows
        case _:
            raise OutOfFragment("the term keeps a symbolic size; give every count, and matrices with entries")
