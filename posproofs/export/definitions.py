"""The names that documents give to long matrices, by scheme.

A definition is used in the entries whose id starts with its scheme, where its name means nothing else. Adding a scheme
is adding a function to `SCHEMES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from posproofs.export.tree import Definition


@cache
def definitions_for(label: str) -> tuple[Definition, ...]:
    """The definitions of the scheme to which an entry belongs, those of errata included."""
    scheme = label.partition(".")[0]
    return SCHEMES[scheme]() if scheme in SCHEMES else ()


def _euler() -> tuple[Definition, ...]:
    import sympy as sp

    from derivations import euler
    from derivations.from_sympy import to_term

    z = sp.Symbol("z", real=True)
    image = sp.ImmutableMatrix(euler.as_matrix(z))
    return (
        Definition("phi", ("z",), to_term(image), "map"),
        Definition("J", (), to_term(euler.J)),
    )


def _rotary() -> tuple[Definition, ...]:
    from derivations import rotary, rotary_errata, rotary_planes
    from derivations.from_sympy import to_term
    from derivations.notation import Theta, base, h, i, p

    vectors = [Definition(name, (), to_term(rotary.vector(name)), "vector") for name in ("q", "k", "x", "g")]
    halves = Definition("x", (), to_term(rotary.vector("x", "half-split")), "vector")
    frequency = base ** (-2 * i / (2 * h))
    return (
        Definition("theta", ("i",), to_term(frequency), "sequence"),
        Definition("R", ("p",), to_term(rotary.turn(p))),
        Definition("R", ("p",), to_term(rotary.turn(p, frequency))),
        Definition("R_half", ("p",), to_term(rotary.turn(p, Theta[i], "half-split"))),
        Definition("R_half", ("p",), to_term(rotary.turn(p, frequency, "half-split"))),
        Definition("P", (), to_term(rotary_planes.P)),
        Definition("D", (), to_term(rotary_planes.D)),
        Definition("B", (), to_term(rotary_planes.B)),
        Definition("E", (), to_term(rotary_planes.projection(rotary_planes.E))),
        Definition("F", (), to_term(rotary_planes.projection(rotary_planes.F))),
        Definition("C", (), to_term(rotary_errata.COMMUTING)),
        *vectors,
        halves,
    )


def _transformer_xl() -> tuple[Definition, ...]:
    import sympy as sp

    from derivations import transformer_xl
    from derivations.from_sympy import to_term

    offset = sp.Symbol("o", real=True)
    return (Definition("r", ("o",), to_term(transformer_xl.offset_vector(offset)), "vector"),)


SCHEMES: Mapping[str, Callable[[], tuple[Definition, ...]]] = {
    "euler": _euler,
    "rotary": _rotary,
    "transformer_xl": _transformer_xl,
}
